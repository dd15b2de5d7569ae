"""What the section ``agent_tools`` of the configuration may say."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

Count = Annotated[int, msgspec.Meta(ge=1, le=100_000, description="a whole number from 1 to 100000")]
Few = Annotated[int, msgspec.Meta(ge=1, le=32, description="a whole number from 1 to 32")]
Depth = Annotated[int, msgspec.Meta(ge=0, le=5, description="a whole number from 0 to 5")]
Seconds = Annotated[float, msgspec.Meta(gt=0, le=86_400, description="seconds, a number above 0 and at most 86400")]


class Settings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Where things are kept, how much of them, and what sub-agents may use up.

    ``path`` is the file of the memory and of what sub-agents found. ``all_sessions`` lets ``session_search`` look into
    sessions of others. ``capture`` keeps what tools say from the start, for ``read_terminal``. ``depth`` is how many
    sub-agents may stand below each other, ``children`` how many of one session work at once, ``delegations`` how many
    it may have in all; ``iterations`` and ``seconds`` are for each. ``model`` and ``base_url`` are asked by sub-agents
    instead of their caller's model; ``agent`` is which kind of agent they are, if several are installed. A sub-agent
    whose caller is interrupted finishes its work, or stops: ``when_interrupted``.
    """

    path: str = ""
    memories: Count = 2_000
    all_sessions: bool = False
    capture: bool = False
    agent: str = ""
    model: str = ""
    base_url: str = ""
    depth: Depth = 1
    children: Few = 3
    delegations: Count = 50
    iterations: Count = 25
    seconds: Seconds = 600.0
    when_interrupted: Literal["finish", "stop"] = "finish"

"""What the section ``code_runner`` of the configuration may say."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec


class Settings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Whether code is run at all, how, and within which limits.

    ``seconds`` is the time that a snippet has, on the clock; with the start of its interpreter a call then stays below
    two seconds. ``memory_mb`` bounds the snippet's memory,
    ``folder_mb`` what it can keep in its own folder, ``output_kb`` how much of what it prints comes back.
    """

    enabled: bool = False
    engine: Literal["monty", "cpython"] = "monty"
    isolation: Literal["auto", "bubblewrap", "namespaces"] = "auto"
    seconds: Annotated[float, msgspec.Meta(ge=0.2, le=600, description="a number from 0.2 to 600")] = 1.2
    memory_mb: Annotated[int, msgspec.Meta(ge=64, le=65_536, description="a number from 64 to 65536")] = 256
    folder_mb: Annotated[int, msgspec.Meta(ge=1, le=65_536, description="a number from 1 to 65536")] = 16
    output_kb: Annotated[int, msgspec.Meta(ge=1, le=10_000, description="a number from 1 to 10000")] = 64


__all__ = ["Settings"]

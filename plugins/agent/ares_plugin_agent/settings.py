"""What the section ``agent`` of the configuration may say."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

import msgspec

from ares_core import ConfigError

Count = Annotated[int, msgspec.Meta(ge=1, le=1_000_000, description="a whole number from 1 to 1000000")]
Retries = Annotated[int, msgspec.Meta(ge=0, le=20, description="a whole number from 0 to 20")]
Seconds = Annotated[float, msgspec.Meta(gt=0, le=3600, description="seconds, a number above 0 and at most 3600")]
Address = Annotated[
    str,
    msgspec.Meta(
        pattern=r"\A(?:https?://\S+)?\Z", max_length=2000, description="an address that begins with http:// or https://"
    ),
]


class Settings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Which model is asked, where, and how long a run may be.

    ``max_iterations`` is how often the model is asked in one run, ``max_output_tokens`` how long one of its turns may
    be. A provider that fails is asked again up to ``retries`` times; one that is silent for ``timeout`` seconds failed.
    ``tools_in_words`` tells the model of its tools in the system's words, for servers that take no definitions.
    ``planner`` says where Ares' own planner, if it is sure and would only read, stands in for the model: nowhere, for
    calls and answers that can't be used, or also (``check``) for answers without any call.
    """

    model: str = ""
    base_url: Address = ""
    system: str = ""
    max_iterations: Count = 25
    max_output_tokens: Count | None = None
    tools_in_words: bool = False
    planner: Literal["off", "fallback", "check"] = "fallback"
    retries: Retries = 5
    timeout: Seconds = 300.0


def checked(section: Mapping[str, Any]) -> Settings:
    """Check the section.

    >>> checked({"max_iterations": "5"}).max_iterations
    5
    """
    try:
        return msgspec.convert(dict(section), Settings, strict=False)
    except msgspec.ValidationError as error:
        known = ", ".join(Settings.__struct_fields__)
        raise ConfigError(f"agent: {error}; there are {known}") from None

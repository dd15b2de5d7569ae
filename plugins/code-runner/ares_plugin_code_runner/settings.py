"""What the section ``code_runner`` of the configuration may say.

It is checked here and not by a model that ``configuration()`` gives: that would be pydantic, whose import takes
longer than running a snippet.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

import msgspec

from ares_core import ConfigError


class Settings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Whether code is run at all, how, and within which limits.

    ``seconds`` is the time that a snippet has, on the clock; with the start of its interpreter a call then stays below
    two seconds. ``memory_mb`` bounds the snippet's memory,
    ``folder_mb`` what it can keep in its own folder, ``output_kb`` how much of what it prints comes back.
    """

    enabled: bool = False
    engine: Literal["monty", "cpython"] = "monty"
    isolation: Literal["auto", "bubblewrap", "namespaces"] = "auto"
    seconds: Annotated[float, msgspec.Meta(ge=0.2, le=600)] = 1.2
    memory_mb: Annotated[int, msgspec.Meta(ge=64, le=65_536)] = 256
    folder_mb: Annotated[int, msgspec.Meta(ge=1, le=65_536)] = 16
    output_kb: Annotated[int, msgspec.Meta(ge=1, le=10_000)] = 64


def checked(section: Mapping[str, Any]) -> Settings:
    """Check the section; numbers may be text, as they are when they come from the environment.

    >>> checked({"enabled": "true", "seconds": "5"}).seconds
    5.0
    """
    try:
        return msgspec.convert(dict(section), Settings, strict=False)
    except msgspec.ValidationError as error:
        raise ConfigError(f"code_runner: {error}; there are {', '.join(Settings.__struct_fields__)}") from None


__all__ = ["Settings", "checked"]

"""What the section ``pdf`` of the configuration may say.

It is checked here and not by a model that ``configuration()`` gives: that would be pydantic, whose import takes
longer than reading a page.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import msgspec

from ares_core import ConfigError


class Settings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The limits of one call.

    ``max_mb`` is the size of a file, ``max_unpacked_mb`` what one stream in it may unpack to, ``memory_mb`` what the
    process that reads it may take. ``seconds`` is its time on the clock; what was read by then is given.
    """

    max_mb: Annotated[int, msgspec.Meta(ge=1, le=2_000)] = 50
    max_unpacked_mb: Annotated[int, msgspec.Meta(ge=1, le=2_000)] = 20
    max_pages: Annotated[int, msgspec.Meta(ge=1, le=100_000)] = 100
    max_characters: Annotated[int, msgspec.Meta(ge=100, le=10_000_000)] = 200_000
    memory_mb: Annotated[int, msgspec.Meta(ge=128, le=65_536)] = 512
    seconds: Annotated[float, msgspec.Meta(ge=0.1, le=600)] = 1.2


def checked(section: Mapping[str, Any]) -> Settings:
    """Check the section; numbers may be text, as they are when they come from the environment.

    >>> checked({"seconds": "5"}).seconds
    5.0
    """
    try:
        return msgspec.convert(dict(section), Settings, strict=False)
    except msgspec.ValidationError as error:
        raise ConfigError(f"pdf: {error}; there are {', '.join(Settings.__struct_fields__)}") from None


__all__ = ["Settings", "checked"]

"""What the section ``pdf`` of the configuration may say."""

from __future__ import annotations

from typing import Annotated

import msgspec


class Settings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The limits of one call.

    ``max_mb`` is the size of a file, ``max_unpacked_mb`` what one stream in it may unpack to, ``memory_mb`` what the
    process that reads it may take. ``seconds`` is its time on the clock; what was read by then is given.
    """

    max_mb: Annotated[int, msgspec.Meta(ge=1, le=2_000, description="a number from 1 to 2000")] = 50
    max_unpacked_mb: Annotated[int, msgspec.Meta(ge=1, le=2_000, description="a number from 1 to 2000")] = 20
    max_pages: Annotated[int, msgspec.Meta(ge=1, le=100_000, description="a number from 1 to 100000")] = 100
    max_characters: Annotated[int, msgspec.Meta(ge=100, le=10_000_000, description="a number from 100 to 10000000")] = (
        200_000
    )
    memory_mb: Annotated[int, msgspec.Meta(ge=128, le=65_536, description="a number from 128 to 65536")] = 512
    seconds: Annotated[float, msgspec.Meta(ge=0.1, le=600, description="a number from 0.1 to 600")] = 1.2


__all__ = ["Settings"]

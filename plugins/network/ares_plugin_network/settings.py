"""What the section ``network`` of the configuration may say."""

from __future__ import annotations

from typing import Annotated

import msgspec

Seconds = Annotated[float, msgspec.Meta(gt=0, le=3600, description="seconds, a number above 0 and at most 3600")]


class Settings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Time and room of connections.

    ``connect_timeout`` covers finding the address and connecting, ``read_timeout`` the wait for the next piece of an
    answer. ``timeout`` covers a whole exchange with redirects, and ``max_bytes`` is the size of an answer after
    decompression; both hold for addresses that came from a call.
    """

    connect_timeout: Seconds = 10.0
    read_timeout: Seconds = 30.0
    timeout: Seconds = 120.0
    max_bytes: Annotated[
        int, msgspec.Meta(ge=1000, le=1_000_000_000, description="a number from 1000 to 1000000000")
    ] = 20_000_000
    user_agent: Annotated[str, msgspec.Meta(pattern=r"\A[ -~]{1,200}\Z", description="up to 200 plain letters")] = (
        "ares/0.1"
    )

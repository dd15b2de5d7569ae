"""What the section ``network`` of the configuration may say.

It is checked here and not by a model that ``configuration()`` gives: that would be pydantic, whose import takes
longer than opening the network.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import msgspec

from ares_core import ConfigError

Seconds = Annotated[float, msgspec.Meta(gt=0, le=3600)]


class Settings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Time and room of connections.

    ``connect_timeout`` covers finding the address and connecting, ``read_timeout`` the wait for the next piece of an
    answer. ``timeout`` covers a whole exchange with redirects, and ``max_bytes`` is the size of an answer after
    decompression; both hold for addresses that came from a call.
    """

    connect_timeout: Seconds = 10.0
    read_timeout: Seconds = 30.0
    timeout: Seconds = 120.0
    max_bytes: Annotated[int, msgspec.Meta(ge=1000, le=1_000_000_000)] = 20_000_000
    user_agent: Annotated[str, msgspec.Meta(pattern=r"\A[ -~]{1,200}\Z")] = "ares/0.1"


def checked(section: Mapping[str, Any]) -> Settings:
    """Check the section; numbers may be text, as they are when they come from the environment.

    >>> checked({"connect_timeout": "5"}).connect_timeout
    5.0
    """
    try:
        return msgspec.convert(dict(section), Settings, strict=False)
    except msgspec.ValidationError as error:
        known = ", ".join(Settings.__struct_fields__)
        raise ConfigError(f"network: {error}; there are network.provider, and {known}") from None

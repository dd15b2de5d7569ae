"""What the section ``http`` of the configuration may say besides the core's ``allow_hosts``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import msgspec

from ares_core import ConfigError


class Settings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How much of an answer is read, and whether ``web_scraper`` asks a site's robots.txt first."""

    max_bytes: Annotated[int, msgspec.Meta(ge=1000, le=10_000_000)] = 1_000_000
    respect_robots: bool = False


def checked(section: Mapping[str, Any]) -> Settings:
    """Check the section; values may be text, as they are when they come from the environment.

    >>> checked({"respect_robots": "true"}).respect_robots
    True
    """
    try:
        return msgspec.convert(dict(section), Settings, strict=False)
    except msgspec.ValidationError as error:
        known = ", ".join(Settings.__struct_fields__)
        raise ConfigError(f"http: {error}; there are http.allow_hosts, {known}") from None

"""What the section ``http`` of the configuration may say besides the core's ``allow_hosts``."""

from __future__ import annotations

from typing import Annotated

import msgspec


class Settings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How much of an answer is read, and whether ``web_scraper`` asks a site's robots.txt first."""

    max_bytes: Annotated[int, msgspec.Meta(ge=1000, le=10_000_000, description="a number from 1000 to 10000000")] = (
        1_000_000
    )
    respect_robots: bool = False

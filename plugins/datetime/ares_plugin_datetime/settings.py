"""What the section ``datetime`` of the configuration may say."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct

from ares_core import ConfigError, ToolError

ZONE = Meta(min_length=1, max_length=64, description="the name of a zone, such as Europe/Paris, or an offset")


class Settings(Struct, frozen=True):
    """``zone`` is the zone of values that name none; without it they are taken in UTC.

    >>> Settings(zone="Europe/Paris").zone
    'Europe/Paris'
    """

    zone: Annotated[str, ZONE] | None = None

    def __post_init__(self) -> None:
        """Refuse a zone that there is not."""
        if self.zone is None:
            return
        from ares_plugin_datetime.zones import find_zone

        try:
            find_zone(self.zone)
        except ToolError as error:
            raise ConfigError(f"datetime.zone: there is no time zone {self.zone!r}. {error.hint}") from None

"""What the section ``datetime`` of the configuration may say."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ares_core import ConfigError, ToolError


def checked(section: Mapping[str, Any]) -> dict[str, str]:
    """Check the section: ``zone`` is the zone of values that name none.

    >>> checked({"zone": "Europe/Paris"})
    {'zone': 'Europe/Paris'}
    """
    from ares_plugin_datetime.zones import find_zone, name_of

    for key in section:
        if key != "zone":
            raise ConfigError(f"datetime.{key}: there is no such key; there is zone")
    zone = section.get("zone")
    if zone is None:
        return {}
    if not isinstance(zone, str) or not 1 <= len(zone) <= 64:
        raise ConfigError(f"datetime.zone: expected the name of a zone such as Europe/Paris, got {zone!r:.80}")
    try:
        return {"zone": name_of(find_zone(zone))}
    except ToolError as error:
        raise ConfigError(f"datetime.zone: there is no time zone {zone!r}. {error.hint}") from None

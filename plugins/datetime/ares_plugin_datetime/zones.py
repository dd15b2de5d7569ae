"""Zones by name or by offset."""

from __future__ import annotations

import datetime as dt
import re
from functools import cache
from zoneinfo import ZoneInfo

from ares_plugin_datetime.refusals import refusal

OFFSET = r"(?P<sign>[+-])(?P<hours>[01]?\d|2[0-3])(?::?(?P<minutes>[0-5]\d)(?::?(?P<seconds>[0-5]\d))?)?"
_OFFSET = re.compile(rf"(?:UTC|GMT)?{OFFSET}", re.IGNORECASE | re.ASCII)
_UTC = frozenset({"z", "utc", "gmt", "etc/utc", "zulu", "etc/zulu"})


def find_zone(name: str) -> dt.tzinfo:
    """Give the zone of a name in any case, such as ``europe/paris``, or of an offset such as ``+05:30``.

    >>> name_of(find_zone("america/new york")), name_of(find_zone("UTC+5:30"))
    ('America/New_York', '+05:30')
    """
    asked = "_".join(name.split()).casefold()
    if asked in _UTC:
        return dt.UTC
    if found := _OFFSET.fullmatch(asked):
        return dt.timezone(offset_of(found))
    key = _known().get(asked)
    if key is None:
        raise refusal(f"there is no time zone {name!r}", _hint(asked))
    return ZoneInfo(key)


def offset_of(found: re.Match[str]) -> dt.timedelta:
    """Give the offset that ``OFFSET`` matched."""
    hours, minutes, seconds = (int(found[part] or 0) for part in ("hours", "minutes", "seconds"))
    offset = dt.timedelta(hours=hours, minutes=minutes, seconds=seconds)
    return -offset if found["sign"] == "-" else offset


def name_of(zone: dt.tzinfo | None) -> str:
    """Give a zone's own name: that of IANA, ``UTC``, or its offset."""
    if isinstance(zone, ZoneInfo):
        return zone.key
    offset = zone.utcoffset(None) if zone else None
    return written_offset(offset) if offset else "UTC"


def written_offset(offset: dt.timedelta | None, colon: str = ":") -> str:
    """Write an offset, seconds only if it has any.

    >>> written_offset(dt.timedelta(hours=-3, minutes=-30))
    '-03:30'
    """
    total = int((offset or dt.timedelta()).total_seconds())
    hours, rest = divmod(abs(total), 3600)
    parts = [f"{hours:02d}", f"{rest // 60:02d}", *([f"{rest % 60:02d}"] if rest % 60 else [])]
    return ("-" if total < 0 else "+") + colon.join(parts)


@cache
def _known() -> dict[str, str]:
    """All names, as ``tzdata`` lists them: looking for the files of the system takes a hundred times as long."""
    import pkgutil

    names = (pkgutil.get_data("tzdata", "zones") or b"").decode().split()
    return {name.casefold(): name for name in names if name != "Factory"}


def _hint(asked: str) -> str:
    known = _known()
    last = asked.rpartition("/")[2]
    near = [name for low, name in known.items() if low.rpartition("/")[2] == last or low.startswith(f"{asked}/")]
    if not near:
        from difflib import get_close_matches

        near = [known[low] for low in get_close_matches(asked, known, 3, 0.7)]
    if near:
        return f"did you mean {', '.join(sorted(near)[:5])}?"
    return "use an IANA name such as Europe/Paris, or an offset such as +05:30; abbreviations name several zones"

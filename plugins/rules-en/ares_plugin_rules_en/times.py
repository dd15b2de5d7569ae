"""Dates, spans of time and time zones in English words."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from ares_core import Extraction, read_number

ZONES = """
Africa/Cairo Africa/Johannesburg Africa/Lagos Africa/Nairobi America/Anchorage America/Bogota America/Chicago
America/Denver America/Halifax America/Lima America/Los_Angeles America/Mexico_City America/New_York America/Phoenix
America/Sao_Paulo America/Toronto America/Vancouver Asia/Bangkok Asia/Dhaka Asia/Dubai Asia/Ho_Chi_Minh Asia/Hong_Kong
Asia/Jakarta Asia/Jerusalem Asia/Karachi Asia/Kolkata Asia/Kuala_Lumpur Asia/Manila Asia/Riyadh Asia/Seoul
Asia/Shanghai Asia/Singapore Asia/Taipei Asia/Tehran Asia/Tokyo Australia/Brisbane Australia/Melbourne Australia/Perth
Australia/Sydney Europe/Amsterdam Europe/Athens Europe/Berlin Europe/Brussels Europe/Budapest Europe/Copenhagen
Europe/Dublin Europe/Helsinki Europe/Istanbul Europe/Kyiv Europe/Lisbon Europe/London Europe/Madrid Europe/Moscow
Europe/Oslo Europe/Paris Europe/Prague Europe/Rome Europe/Stockholm Europe/Vienna Europe/Warsaw Europe/Zurich
Pacific/Auckland Pacific/Honolulu
""".split()
NAMED = {
    **{zone.rpartition("/")[2].replace("_", " ").lower(): zone for zone in ZONES},
    **dict.fromkeys(("beijing", "shenzhen", "guangzhou", "china"), "Asia/Shanghai"),
    **dict.fromkeys(("munich", "hamburg", "frankfurt", "germany"), "Europe/Berlin"),
    **dict.fromkeys(("san francisco", "seattle", "san diego", "california", "pacific"), "America/Los_Angeles"),
    **dict.fromkeys(("boston", "washington", "miami", "atlanta", "eastern"), "America/New_York"),
    **dict.fromkeys(("mumbai", "delhi", "new delhi", "bangalore", "india"), "Asia/Kolkata"),
    **dict.fromkeys(("houston", "dallas", "austin"), "America/Chicago"),
    **dict.fromkeys(("geneva", "switzerland"), "Europe/Zurich"),
    **dict.fromkeys(("japan", "osaka", "kyoto"), "Asia/Tokyo"),
    **dict.fromkeys(("uk", "england"), "Europe/London"),
    **dict.fromkeys(("milan", "italy"), "Europe/Rome"),
    "france": "Europe/Paris",
    "korea": "Asia/Seoul",
    "hanoi": "Asia/Bangkok",
    "barcelona": "Europe/Madrid",
    **dict.fromkeys(("utc", "gmt"), "UTC"),
}
MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split()
UNITS = ("year", "month", "week", "day", "hour", "minute", "second")
SHORT = {"yr": "year", "mo": "month", "wk": "week", "hr": "hour", "h": "hour", "min": "minute", "sec": "second"}
MOST_PARTS = 6

_ZONE = r"[a-z_]{2,30}/[a-z_]{2,30}(?:/[a-z_]{2,30})?\b|[+-]\d{2}:\d{2}(?!\d)"
_PLACE = re.compile(r"[a-z]{1,30}(?: [a-z]{1,30}){0,2}")
_MONTH = (
    r"(jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?"
    r"|nov(?:ember)?|dec(?:ember)?)\b\.?"
)
_CLOCK = r"(?:,? (?:at )?(\d{1,2}:\d{2}(?::\d{2})?)(?! ?[ap]m))?"
_MONTH_FIRST = rf"{_MONTH} (\d{{1,2}})(?:st|[nr]d|th)?,? (\d{{4}})\b{_CLOCK}"
_DAY_FIRST = rf"(\d{{1,2}})(?:st|[nr]d|th)? (?:of )?{_MONTH},? (\d{{4}})\b{_CLOCK}"
_FIGURES = r"\d{4}-\d{2}-\d{2}(?:[t ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?: ?(?:z|[+-]\d{2}:?\d{2}))?)?(?![\d-])"
_NOW = re.compile(r"(?:today|now)\b")
_UNIT = re.compile(rf" ?({'|'.join((*UNITS, *SHORT))})s?\b")
_SAYS_UNIT = re.compile(rf"(?<![a-z]){_UNIT.pattern[2:]}")
_AND = re.compile(r",? and |, | ")
_ONE = re.compile(r"(?:an?|one)(?= [a-z])")
_FURTHEST_MONTH, _FURTHEST_UNIT = 24, 2000
"""Within so many characters a date names its month, and a span of time its first unit."""
_compiled = cache(re.compile)


def zone(text: str, start: int) -> Iterator[Extraction]:
    """Read a time zone, or a place that lies in only one.

    >>> [found.value for found in zone("time in new york", 8)]
    ['America/New_York']
    """
    if found := _compiled(_ZONE).match(text, start):
        yield Extraction(_cased(found[0]), start, found.end())
    if found := _PLACE.match(text, start):
        words = found[0].split(" ")
        for count in range(len(words), 0, -1):
            place = " ".join(words[:count])
            if place in NAMED:
                yield Extraction(NAMED[place], start, start + len(place))


def _cased(name: str) -> str:
    """Write an IANA name with its capitals."""
    known = {one.lower(): one for one in ZONES}
    return known.get(name) or "/".join("_".join(map(str.capitalize, part.split("_"))) for part in name.split("/"))


def day(text: str, start: int) -> Iterator[Extraction]:
    """Read a date with its year, in figures or with a month in words, and today and now.

    >>> [found.value for found in day("on march 3rd, 2024 at 14:30", 3)]
    ['2024-03-03', '2024-03-03 14:30']
    """
    near = text[start : start + _FURTHEST_MONTH]
    names_month = any(month in near for month in MONTHS)
    if names_month and (found := _compiled(_MONTH_FIRST).match(text, start)):
        yield from _worded(found, found[1], found[2])
    elif names_month and (found := _compiled(_DAY_FIRST).match(text, start)):
        yield from _worded(found, found[2], found[1])
    elif found := _compiled(_FIGURES).match(text, start) if near[4:5] == "-" else _NOW.match(text, start):
        yield Extraction(found[0], start, found.end())


def _worded(found: re.Match[str], month: str, number: str) -> Iterator[Extraction]:
    if 1 <= int(number) <= 31:
        date = f"{found[3]}-{MONTHS.index(month[:3]) + 1:02d}-{int(number):02d}"
        yield Extraction(date, found.start(), found.end(3))
        if found[4]:
            yield Extraction(f"{date} {found[4]}", found.start(), found.end())


def span(text: str, start: int) -> Iterator[Extraction]:
    """Read a span of time as an ISO 8601 duration.

    >>> [found.value for found in span("add two weeks and 3 days to", 4)]
    ['P17D']
    """
    if not _SAYS_UNIT.search(text, start, start + _FURTHEST_UNIT):
        return
    parts: dict[str, int] = {}
    at = end = start
    while len(parts) < MOST_PARTS and (read := _part(text, at)) and read[0] not in parts:
        parts[read[0]], end = read[1], read[2]
        between = _AND.match(text, end)
        at = between.end() if between else end
    if parts:
        yield Extraction(duration(parts), start, end)


def _part(text: str, at: int) -> tuple[str, int, int] | None:
    """Read a number with its unit: the unit, how many, and where they end."""
    count, end = 1, at
    if one := _ONE.match(text, at):
        end = one.end()
    elif (number := read_number(text, at)) and isinstance(number.value, int) and not number.percent:
        count, end = number.value, number.end
    unit = _UNIT.match(text, end) if end > at else None
    return (SHORT.get(unit[1], unit[1]), count, unit.end()) if unit else None


def duration(parts: dict[str, int]) -> str:
    """Write how many of each unit as ISO 8601 has it.

    >>> duration({"day": 1, "hour": 2})
    'P1DT2H'
    """
    parts = {**parts, "day": parts.get("day", 0) + 7 * parts.get("week", 0)}
    date = "".join(f"{parts[unit]}{unit[0].upper()}" for unit in ("year", "month", "day") if parts.get(unit))
    time = "".join(f"{parts[unit]}{unit[0].upper()}" for unit in ("hour", "minute", "second") if parts.get(unit))
    return f"P{date}T{time}" if time else f"P{date or '0D'}"

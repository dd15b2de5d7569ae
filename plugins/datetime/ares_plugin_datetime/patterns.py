"""Patterns in the manner of strftime, for writing and for reading.

They are our own because those of the operating system depend on its locale, and drop the zeros of early years.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable, Iterator

from msgspec import Struct

from ares_plugin_datetime.moments import Moment, iso, micros, seconds, week_date
from ares_plugin_datetime.refusals import refusal
from ares_plugin_datetime.written import (
    DAYS,
    MONTHS,
    Home,
    Written,
    check_weekday,
    clock_from,
    day_from,
    day_from_ordinal,
    day_from_week,
    from_unix,
    month_number,
)
from ares_plugin_datetime.zones import OFFSET, find_zone, offset_of, written_offset

_WHOLE = {"D": "%m/%d/%y", "F": "%Y-%m-%d", "R": "%H:%M", "T": "%H:%M:%S", "h": "%b"}
_PIECE = re.compile(r"%(?P<bare>-?)(?P<letter>:?[A-Za-z%]?)|[^%]+")
_LOCAL = frozenset("cxXrEOP+")
_TOKENS = (("YYYY", "%Y"), ("yyyy", "%Y"), ("MM", "%m"), ("DD", "%d"), ("dd", "%d"), ("HH", "%H"), ("hh", "%H"),
               ("mm", "%M"), ("ss", "%S"), ("SS", "%S"))  # fmt: skip


class Directive(Struct, frozen=True):
    """How a directive is written, and what it looks like when read; without ``reads`` it is only written."""

    write: Callable[[dt.datetime], str]
    reads: str = ""


def _figures(width: int, value: Callable[[dt.datetime], int], reads: str) -> Directive:
    return Directive(lambda at: f"{value(at):0{width}d}", reads)


_WORD = r"[A-Za-z]{3,9}\.?"
DIRECTIVES: dict[str, Directive] = {
    "Y": _figures(4, lambda at: at.year, r"\d{4}"),
    "m": _figures(2, lambda at: at.month, r"\d\d?"),
    "d": _figures(2, lambda at: at.day, r"\d\d?"),
    "H": _figures(2, lambda at: at.hour, r"\d\d?"),
    "I": _figures(2, lambda at: at.hour % 12 or 12, r"\d\d?"),
    "M": _figures(2, lambda at: at.minute, r"\d\d?"),
    "S": _figures(2, lambda at: at.second, r"\d\d?"),
    "f": _figures(6, lambda at: at.microsecond, r"\d{1,9}"),
    "j": _figures(3, lambda at: at.timetuple().tm_yday, r"\d{1,3}"),
    "y": _figures(2, lambda at: at.year % 100, r"\d\d"),
    "G": _figures(4, lambda at: at.isocalendar().year, r"\d{4}"),
    "V": _figures(2, lambda at: at.isocalendar().week, r"\d\d?"),
    "u": _figures(1, lambda at: at.isoweekday(), r"[1-7]"),
    "e": Directive(lambda at: f"{at.day:2d}", r" ?\d\d?"),
    "p": Directive(lambda at: "AM" if at.hour < 12 else "PM", r"[AaPp]\.?[Mm]\.?"),
    "a": Directive(lambda at: DAYS[at.weekday()][:3], _WORD),
    "A": Directive(lambda at: DAYS[at.weekday()], _WORD),
    "b": Directive(lambda at: MONTHS[at.month - 1][:3], _WORD),
    "B": Directive(lambda at: MONTHS[at.month - 1], _WORD),
    "z": Directive(lambda at: written_offset(at.utcoffset(), ""), rf"[Zz]|{OFFSET}"),
    ":z": Directive(lambda at: written_offset(at.utcoffset()), rf"[Zz]|{OFFSET}"),
    "Z": Directive(lambda at: at.tzname() or "", r"[A-Za-z][\w/+-]*"),
    "s": Directive(lambda at: str(micros(at) // 1_000_000), r"-?\d{1,15}"),
    "%": Directive(lambda at: "%"),
}
NAMED: dict[str, str] = {
    "date": "%Y-%m-%d",
    "time": "%H:%M:%S",
    "datetime": "%Y-%m-%d %H:%M:%S",
    "rfc2822": "%a, %d %b %Y %H:%M:%S %z",
    "http": "%a, %d %b %Y %H:%M:%S GMT",
    "ordinal": "%Y-%j",
}
"""Forms with a name that are patterns; iso, week, unix and unix_ms are not."""
_OF_A_CLOCK = frozenset({"H", "I", "M", "S", "f", "p", "z", ":z", "Z", "s"})
_OTHER_NAMES = {"iso8601": "iso", "rfc3339": "iso", "rfc822": "rfc2822"}
FORMS = ("iso", *NAMED, "week", "unix", "unix_ms")


def known_as(form: str) -> str | None:
    """Give the name of a form in its usual spelling; a pattern has none.

    >>> known_as("ISO8601"), known_as("%Y")
    ('iso', None)
    """
    name = _OTHER_NAMES.get(form.casefold(), form.casefold())
    return name if name in FORMS else None


def write(moment: Moment, form: str, midnight: Callable[[Moment], dt.datetime]) -> str:
    """Write a moment in a named form or by a pattern; ``midnight`` makes a moment of a whole day.

    >>> write(dt.date(2026, 3, 29), "%d.%m.%Y", lambda day: dt.datetime.combine(day, dt.time()))
    '29.03.2026'
    """
    name = known_as(form)
    if name == "iso":
        return iso(moment)
    if name == "week":
        return week_date(moment)
    if name in ("unix", "unix_ms"):
        since = micros(midnight(moment))
        return str(since // 1000 if name == "unix_ms" else seconds(since))
    pieces = list(_pieces(NAMED.get(name or "", form)))
    if name == "http":
        moment = midnight(moment).astimezone(dt.UTC)
    if not isinstance(moment, dt.datetime) and not any(letter in _OF_A_CLOCK for _, letter, _ in pieces):
        moment = dt.datetime.combine(moment, dt.time())
    at = midnight(moment)
    return "".join(_one(at, bare, letter, text) for bare, letter, text in pieces)


def _one(at: dt.datetime, bare: bool, letter: str, text: str) -> str:
    if not letter:
        return text
    written = DIRECTIVES[letter].write(at)
    return written.lstrip(" 0") or "0" if bare and written.strip().isdigit() else written


def _pieces(pattern: str) -> Iterator[tuple[bool, str, str]]:
    """Cut a pattern into directives and what stands between them."""
    if "%" not in pattern:
        raise refusal(f"{pattern!r} is no format", _hint(pattern))
    for found in _PIECE.finditer(pattern):
        letter = found["letter"]
        if letter in _WHOLE:
            yield from _pieces(_WHOLE[letter])
            continue
        if letter is not None and letter not in DIRECTIVES:
            known = ", ".join(f"%{name}" for name in sorted((*DIRECTIVES, *_WHOLE)))
            why = "depends on the machine's language" if letter and letter in _LOCAL else "is not known"
            raise refusal(f"%{letter} in {pattern!r} {why}", f"there are {known}")
        yield bool(found["bare"]), letter or "", found[0]


def _hint(pattern: str) -> str:
    likely = pattern
    for token, directive in _TOKENS:
        likely = likely.replace(token, directive)
    if likely != pattern:
        return f"patterns are written as in strftime: {likely}"
    return f"use one of {', '.join(FORMS)}, or a pattern such as %d.%m.%Y %H:%M"


def read_by(pattern: str, text: str, home: Home, notes: list[str]) -> Moment:
    """Read a value that is written by a pattern.

    >>> read_by("%d/%m/%Y", "03/04/2026", Home(dt.UTC, False), []).isoformat()
    '2026-04-03'
    """
    found = _compiled(pattern).fullmatch(" ".join(text.split()))
    if found is None:
        raise refusal(f"{text!r} is not written as {pattern!r} says", "correct one of the two")
    said = {name: value for name, value in found.groupdict().items() if value is not None}
    if "s" in said:
        return from_unix(said["s"], milli=False).astimezone(home.zone)
    day = _day(said, pattern)
    for letter in ("a", "A"):
        if letter in said:
            check_weekday(said[letter], day)
    return _rest(said, found, day).moment(home, notes)


def _compiled(pattern: str) -> re.Pattern[str]:
    """Make a regular expression; each directive once, so that it can't take long."""
    parts, seen = [], set()
    for _, letter, text in _pieces(" ".join(pattern.split())):
        name = letter.lstrip(":")
        if not name.isalpha():
            parts.append(re.escape("%" if letter else text))
            continue
        if name in seen:
            raise refusal(f"{pattern!r} has %{name} twice", "write each directive once")
        seen.add(name)
        parts.append(f"(?P<{name}>{DIRECTIVES[letter].reads})")
    return re.compile("".join(parts), re.IGNORECASE)


def _day(said: dict[str, str], pattern: str) -> dt.date:
    month = said.get("b") or said.get("B")
    number = month_number(month) if month else int(said.get("m", 0))
    if number is None:
        raise refusal(f"{month!r} is no month", "months are named in English here")
    year = int(said["Y"]) if "Y" in said else _full_year(said)
    day = said.get("d") or said.get("e")
    if year is not None and number and day:
        return day_from(year, number, int(day))
    if year is not None and "j" in said:
        return day_from_ordinal(year, int(said["j"]))
    if {"G", "V", "u"} <= said.keys():
        return day_from_week(int(said["G"]), int(said["V"]), int(said["u"]))
    raise refusal(f"{pattern!r} does not say which day it is", "it needs year, month and day: %Y, %m, %d")


def _full_year(said: dict[str, str]) -> int | None:
    """Give a year of two figures its century, as POSIX does: 69 to 99 are in the last one."""
    return None if "y" not in said else int(said["y"]) + (1900 if int(said["y"]) > 68 else 2000)


def _rest(said: dict[str, str], found: re.Match[str], day: dt.date) -> Written:
    hour = said.get("H") or said.get("I")
    parts = {"hour": hour, "minute": said.get("M"), "second": said.get("S"), "fraction": said.get("f")}
    half = said.get("p") if "H" not in said else None
    clock = clock_from({**parts, "half": half}) if hour else None
    offset = None
    if "z" in said:
        offset = offset_of(found) if said.get("sign") else dt.timedelta()
    return Written(day, clock, offset, find_zone(said["Z"]) if "Z" in said else None)

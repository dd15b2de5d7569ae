"""Reading dates and times as people and programs write them; nothing is guessed."""

from __future__ import annotations

import datetime as dt
import re
import unicodedata
from collections.abc import Callable

from ares_plugin_datetime.moments import Moment
from ares_plugin_datetime.refusals import refusal
from ares_plugin_datetime.written import (
    Clock,
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
from ares_plugin_datetime.zones import OFFSET, find_zone, name_of, offset_of

Found = re.Match[str]
KNOWN = (
    "2026-03-29, 2026-03-29T14:30+02:00, 2026-03-29 14:30 Europe/Paris, 2026-W13-7, 29 Mar 2026, now, unix:1774787400"
)
_WEEKDAY = re.compile(r"(?P<name>[A-Za-z]{3,9})\.?,? (?=\d|[A-Za-z]{3})")
_TAIL = re.compile(
    r"(?:(?P<between>[Tt]|,? |(?<=[日号]))(?P<hour>\d\d?)"
    r"(?::?(?P<minute>\d\d)(?::?(?P<second>\d\d)(?:[.,](?P<fraction>\d{1,9}))?)?)?(?: ?(?P<half>[AaPp]\.?[Mm]\.?))?)?"
    rf"(?: ?(?P<utc>[Zz](?![\w/]))| ?{OFFSET})?(?: ?\[(?P<bracketed>[^\[\]]+)\]| (?P<zone>[A-Za-z][\w/+:-]*))?"
    r"(?: \([^()]*\))?"
)
_SPACED = re.compile(r"(?<=\d) (?=[年月日号])|(?<=[年月]) (?=\d)")
_CHINESE_CLOCK = re.compile(r" ?(上午|早上|凌晨|下午|晚上)?(\d\d?)(?:[点时](?:(\d\d?)分|(半))?|:(\d\d))")
_UNIX = re.compile(r"(unix|unix_ms):(.+)", re.IGNORECASE)
_FIGURES = re.compile(r"-?\d+(?:\.\d+)?")
_TWO_DIGIT_YEAR = re.compile(r"\d\d?([-/.])\d\d?\1\d\d")


def read(text: str, home: Home, notes: list[str]) -> Moment:
    """Read a value: a whole day, or a moment.

    >>> home = Home(dt.UTC, False)
    >>> read("29 Mar 2026 2:30 pm", home, []).isoformat()
    '2026-03-29T14:30:00+00:00'
    """
    said = " ".join(unicodedata.normalize("NFKC", text).replace("\u2212", "-").split())
    if said.casefold() in ("now", "today"):
        return _current(said.casefold(), home, notes)
    if found := _UNIX.fullmatch(said):
        return from_unix(found[2], milli=found[1].casefold() == "unix_ms").astimezone(home.zone)
    return _split(_western(said), notes).moment(home, notes)


def _western(said: str) -> str:
    """Write the clock of a Chinese text as 3:30 pm, and its date without blanks.

    >>> _western("2026 年 1 月 2 日 下午3点半")
    '2026年1月2日 3:30 pm'
    """
    said = _SPACED.sub("", said)
    at = max(said.rfind(mark) for mark in "日号 ") + 1
    found = _CHINESE_CLOCK.fullmatch(said, at)
    if not at or not found or not (found[1] or found[5] is None):
        return said
    half, hour = "am" if found[1] in ("上午", "早上", "凌晨") else "pm", int(found[2])
    if found[1] and (hour > 12 and half == "am" or (found[1], hour) == ("晚上", 12)):
        return said
    minute = found[3] or found[5] or ("30" if found[4] else "00")
    return f"{said[:at].rstrip()} {hour}:{int(minute):02d}" + (f" {half}" if found[1] and 0 < hour <= 12 else "")


def _current(word: str, home: Home, notes: list[str]) -> Moment:
    now = dt.datetime.now(home.zone)
    if word == "now":
        return now
    if home.is_assumed:
        notes.append(f"no zone was named: today is {now.date()} in {name_of(home.zone)}")
    return now.date()


def _split(said: str, notes: list[str]) -> Written:
    """Part a value into its day, and the clock and zone behind it."""
    weekday = _WEEKDAY.match(said)
    for start in (weekday.end(), 0) if weekday else (0,):
        for form, make in _DAYS:
            head = form.match(said, start)
            tail = _TAIL.fullmatch(said, head.end()) if head else None
            if head is not None and tail is not None:
                day = make(head, notes)
                if weekday and start:
                    check_weekday(weekday["name"], day)
                return _with_tail(day, tail, notes)
    raise _not_understood(said)


def _with_tail(day: dt.date, tail: Found, notes: list[str]) -> Written:
    offset = dt.timedelta() if tail["utc"] else offset_of(tail) if tail["sign"] else None
    zone = tail["bracketed"] or tail["zone"]
    return Written(day, _clock(tail, notes), offset, find_zone(zone) if zone else None)


def _clock(tail: Found, notes: list[str]) -> Clock | None:
    if not tail["hour"]:
        return None
    if not tail["minute"] and not tail["half"] and tail["between"] not in ("T", "t"):
        raise refusal(f"{tail['hour']!r} after the date is no time", f"write {tail['hour']}:00")
    if (tail["fraction"] or "")[6:].strip("0"):
        notes.append("what is smaller than a microsecond was dropped")
    return clock_from(tail.groupdict())


def _numbers(found: Found, notes: list[str]) -> dt.date:
    return day_from(int(found["year"]), int(found["month"]), int(found["day"]))


def _ordinal(found: Found, notes: list[str]) -> dt.date:
    return day_from_ordinal(int(found["year"]), int(found["number"]))


def _week(found: Found, notes: list[str]) -> dt.date:
    if not found["day"]:
        raise refusal("a week is no single day", f"write {found['year']}-W{found['week']}-1 for its Monday")
    return day_from_week(int(found["year"]), int(found["week"]), int(found["day"]))


def _named(found: Found, notes: list[str]) -> dt.date:
    month = month_number(found["name"])
    if month is None:
        raise refusal(f"{found['name']!r} is no month", "write the month as a number, year first: 2026-03-29")
    return day_from(int(found["year"]), month, int(found["day"]))


def _year_last(found: Found, notes: list[str]) -> dt.date:
    year, first, second = (int(found[part]) for part in ("year", "first", "second"))
    if first != second and first <= 12 and second <= 12:
        raise refusal(
            f"{found[0]} has two meanings",
            f"write {year:04d}-{second:02d}-{first:02d} if the day comes first, "
            f"{year:04d}-{first:02d}-{second:02d} if the month does",
        )
    if first != second:
        notes.append(f"{found[0]} was read as {'day, month' if first > 12 else 'month, day'}, year")
    return day_from(year, second, first) if first > 12 else day_from(year, first, second)


_NAME = r"(?P<name>[^\W\d_]{3,9})"
_DAYS: tuple[tuple[re.Pattern[str], Callable[[Found, list[str]], dt.date]], ...] = (
    (re.compile(r"(?P<year>\d{4})(?P<sep>[-/.])(?P<month>\d\d?)(?P=sep)(?P<day>\d\d?)(?!\d)"), _numbers),
    (re.compile(r"(?P<year>\d{4})(?P<month>\d\d)(?P<day>\d\d)(?!\d)"), _numbers),
    (re.compile(r"(?P<year>\d{4})年(?P<month>\d\d?)月(?P<day>\d\d?)[日号]"), _numbers),
    (re.compile(r"(?P<year>\d{4})-?[Ww](?P<week>\d\d)(?:-?(?P<day>\d))?(?!\d)"), _week),
    (re.compile(r"(?P<year>\d{4})-(?P<number>\d{3})(?!\d)"), _ordinal),
    (re.compile(rf"(?P<day>\d\d?)(?:st|[nr]d|th)?(?: of)?[ -]{_NAME}\.?,?[ -](?P<year>\d{{4}})(?!\d)"), _named),
    (re.compile(rf"{_NAME}\.? (?P<day>\d\d?)(?:st|[nr]d|th)?,? (?P<year>\d{{4}})(?!\d)"), _named),
    (re.compile(r"(?P<first>\d\d?)(?P<sep>[-/.])(?P<second>\d\d?)(?P=sep)(?P<year>\d{4})(?!\d)"), _year_last),
)


def _not_understood(said: str) -> Exception:
    if _FIGURES.fullmatch(said):
        return refusal(
            f"{said} may be seconds, milliseconds or a date",
            f"write unix:{said}, unix_ms:{said}, or a date like 2026-03-29",
        )
    if _TWO_DIGIT_YEAR.fullmatch(said):
        return refusal(f"{said!r} has a year of two figures", "write the year with four figures, first: 2026-03-29")
    return refusal(f"{said!r} is no date that can be read", f"write it like one of: {KNOWN}")

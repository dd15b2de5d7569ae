"""Durations: read, added, and found between two times.

Years, months, weeks and days go by the calendar and what the clock shows; hours and what is smaller are exact.
"""

from __future__ import annotations

import datetime as dt
import re
from decimal import Decimal

from msgspec import Struct

from ares_plugin_datetime.moments import Moment, at_midnight, micros, placed
from ares_plugin_datetime.refusals import refusal
from ares_plugin_datetime.written import last_day

_NUMBER = r"(\d{1,12}(?:[.,]\d{1,9})?)"
_ISO = re.compile(
    rf"([+-]?)P(?=[\dT])(?:{_NUMBER}Y)?(?:{_NUMBER}M)?(?:{_NUMBER}W)?(?:{_NUMBER}D)?"
    rf"(?:T(?=\d)(?:{_NUMBER}H)?(?:{_NUMBER}M)?(?:{_NUMBER}S)?)?",
    re.IGNORECASE,
)
_PART = re.compile(rf"{_NUMBER} ?(ms|[a-zA-Z]{{1,7}}|个?(?:月|小时|星期|礼拜)|年|周|天|日|时|分钟?|秒钟?),? ?")
_UNITS = {
    "y": "years", "yr": "years", "year": "years", "mo": "months", "month": "months", "w": "weeks", "wk": "weeks",
    "week": "weeks", "d": "days", "day": "days", "h": "hours", "hr": "hours", "hour": "hours", "m": "minutes",
    "min": "minutes", "minute": "minutes", "s": "seconds", "sec": "seconds", "second": "seconds", "ms": "milliseconds",
    "年": "years", "月": "months", "周": "weeks", "星期": "weeks", "礼拜": "weeks", "天": "days", "日": "days",
    "小时": "hours", "时": "hours", "分": "minutes", "分钟": "minutes", "秒": "seconds", "秒钟": "seconds",
}  # fmt: skip
_IN_ISO = ("years", "months", "weeks", "days", "hours", "minutes", "seconds")
_EXACT = {"hours": 3_600_000_000, "minutes": 60_000_000, "seconds": 1_000_000, "milliseconds": 1_000}
_INSTEAD = {"years": "months", "months": "days", "weeks": "days or hours", "days": "hours"}


class Amount(Struct, frozen=True):
    """Months and days of the calendar, and exact microseconds; all of one sign."""

    months: int = 0
    days: int = 0
    microseconds: int = 0

    def __str__(self) -> str:
        """Write it in ISO 8601."""
        sign = "-" if min(self.months, self.days, self.microseconds) < 0 else ""
        years, months = divmod(abs(self.months), 12)
        date = [(years, "Y"), (months, "M"), (abs(self.days), "D")]
        clock = exact(abs(self.microseconds))[1:]
        return sign + "P" + "".join(f"{count}{unit}" for count, unit in date if count) + clock if self else "P0D"

    def __bool__(self) -> bool:
        return bool(self.months or self.days or self.microseconds)


def exact(microseconds: int) -> str:
    """Write exact time in ISO 8601, in hours and smaller: a day may have 23 or 25 hours.

    >>> exact(93_600_500_000), exact(-60_000_000)
    ('PT26H0.5S', '-PT1M')
    """
    minutes, rest = divmod(abs(microseconds), 60_000_000)
    seconds = f"{rest // 1_000_000}.{rest % 1_000_000:06d}".rstrip("0").rstrip(".")
    parts = [(str(minutes // 60), "H"), (str(minutes % 60), "M"), (seconds, "S")]
    written = "".join(f"{count}{unit}" for count, unit in parts if count != "0")
    return ("-" if microseconds < 0 else "") + "P" + (f"T{written}" if written else "")


def read_amount(text: str) -> Amount:
    """Read ``P1M``, ``-PT90M``, ``1d2h`` or ``3 months``.

    >>> str(read_amount("1y 2mo 90min"))
    'P1Y2MT1H30M'
    """
    said = " ".join(text.replace("\u2212", "-").split())
    if found := _ISO.fullmatch(said):
        parts = {unit: number for unit, number in zip(_IN_ISO, found.groups()[1:], strict=True) if number}
        return _amount(parts, -1 if found[1] == "-" else 1)
    sign, rest = (said[0], said[1:].lstrip()) if said[:1] in ("+", "-") else ("", said)
    return _amount(_short(rest, text), -1 if sign == "-" else 1)


def _short(said: str, text: str) -> dict[str, str]:
    parts: dict[str, str] = {}
    at = 0
    while at < len(said):
        found = _PART.match(said, at)
        unit = _unit(found[2]) if found else None
        if found is None or unit is None or unit in parts:
            raise refusal(f"{text!r} is no duration", _hint(said, found))
        parts[unit] = found[1]
        at = found.end()
    if not parts:
        raise refusal(f"{text!r} is no duration", _hint(said, None))
    return parts


def _unit(word: str) -> str | None:
    if word == "M":
        return None
    low = word.casefold().removeprefix("个")
    return _UNITS.get(low) or (_UNITS.get(low[:-1]) if len(low) > 3 and low.endswith("s") else None)


def _hint(said: str, found: re.Match[str] | None) -> str:
    if found and found[2] == "M":
        return "M may be months or minutes: write 'mo' or 'min', or in ISO 8601 P1M or PT1M"
    if re.fullmatch(r"\d+(\.\d+)?", said):
        return f"say of what: {said}d, {said}h, {said}min"
    return "write it like P1M, P1DT2H, 1d2h or 90min; units are y, mo, w, d, h, min, s, ms, each once"


def _amount(parts: dict[str, str], sign: int) -> Amount:
    numbers = {unit: Decimal(number.replace(",", ".")) for unit, number in parts.items()}
    for unit, instead in _INSTEAD.items():
        if numbers.get(unit, Decimal()) % 1:
            raise refusal(
                f"{parts[unit]} {unit} is no whole number of them", f"write {instead} instead of the fraction"
            )
    counts = {unit: int(numbers.get(unit, 0)) for unit in _INSTEAD}
    return Amount(
        sign * (12 * counts["years"] + counts["months"]),
        sign * (7 * counts["weeks"] + counts["days"]),
        sign * int(sum(numbers[unit] * size for unit, size in _EXACT.items() if unit in numbers)),
    )


def add(start: Moment, amount: Amount, zone: dt.tzinfo, notes: list[str]) -> Moment:
    """Add months, then days, then exact time. A day that its month doesn't have becomes the last one.

    ``zone`` is where a whole day begins, if exact time is added to it.
    """
    moment = _by_calendar(start, amount, notes)
    if not amount.microseconds:
        return moment
    begun = at_midnight(moment, zone, notes)
    later = begun.astimezone(dt.UTC) + dt.timedelta(microseconds=amount.microseconds)
    return later.astimezone(begun.tzinfo)


def _by_calendar(start: Moment, amount: Amount, notes: list[str]) -> Moment:
    if not amount.months and not amount.days:
        return start
    year, month = divmod(start.year * 12 + start.month - 1 + amount.months, 12)
    if not 1 <= year <= 9999:
        raise OverflowError
    last = last_day(year, month + 1)
    if start.day > last:
        notes.append(f"{year:04d}-{month + 1:02d} has no day {start.day}: its last day, {last}, was taken")
    moved = start.replace(year=year, month=month + 1, day=min(start.day, last)) + dt.timedelta(days=amount.days)
    if isinstance(moved, dt.datetime) and moved.tzinfo is not None:
        return placed(moved.replace(tzinfo=None), moved.tzinfo, notes)
    return moved


def between(start: Moment, end: Moment) -> Amount:
    """Find the amount that leads from one time to the other, in as many whole months and days as there are.

    Both are whole days, or both moments; moments are counted in the zone of the first.

    >>> str(between(dt.date(2024, 1, 31), dt.date(2024, 3, 1)))
    'P1M1D'
    """
    sign = 1 if _order(end) >= _order(start) else -1
    if isinstance(end, dt.datetime) and isinstance(start, dt.datetime):
        end = end.astimezone(start.tzinfo)
    months = abs((end.year - start.year) * 12 + end.month - start.month)
    while _is_beyond(start, Amount(sign * months), end, sign):
        months -= 1
    near = _by_calendar(start, Amount(sign * months), [])
    days = abs(end.toordinal() - near.toordinal())
    while _is_beyond(start, Amount(sign * months, sign * days), end, sign):
        days -= 1
    near = _by_calendar(start, Amount(sign * months, sign * days), [])
    rest = _order(end) - _order(near) if isinstance(start, dt.datetime) else 0
    return Amount(sign * months, sign * days, rest)


def _order(moment: Moment) -> int:
    """A number that grows with time: days, or microseconds."""
    return micros(moment) if isinstance(moment, dt.datetime) else moment.toordinal()


def _is_beyond(start: Moment, amount: Amount, end: Moment, sign: int) -> bool:
    if not amount.months and not amount.days:
        return False
    return sign * _order(_by_calendar(start, amount, [])) > sign * _order(end)

"""What a text says about a time, before it is placed in a zone."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Mapping
from decimal import Decimal

from msgspec import Struct

from ares_plugin_datetime.moments import EPOCH, Moment, iso, placed
from ares_plugin_datetime.refusals import refusal
from ares_plugin_datetime.zones import name_of, written_offset

MONTHS = ("January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
          "November", "December")  # fmt: skip
DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_COUNT = re.compile(r"-?\d{1,15}(?:\.\d{1,9})?")


class Home(Struct, frozen=True):
    """The zone of values that name none, and whether anybody chose it."""

    zone: dt.tzinfo
    is_assumed: bool


class Clock(Struct, frozen=True):
    """A time of day; ``days`` is 1 for 24:00, which is the midnight that ends the day."""

    time: dt.time
    days: int = 0


class Written(Struct, frozen=True):
    """A day, and if there is more: the time, the offset and the zone that stand with it."""

    day: dt.date
    clock: Clock | None = None
    offset: dt.timedelta | None = None
    zone: dt.tzinfo | None = None

    def moment(self, home: Home, notes: list[str]) -> Moment:
        """Place it: where it says itself, else at home."""
        if self.clock is None:
            if self.offset is not None or self.zone is not None:
                raise refusal(f"{self.day} with a zone but without a time is no moment", "add a time, such as T00:00")
            return self.day
        wall = dt.datetime.combine(self.day, self.clock.time) + dt.timedelta(days=self.clock.days)
        if self.offset is not None:
            return self._by_offset(wall, self.offset)
        if self.zone is None and home.is_assumed:
            notes.append(f"{iso(wall)} names no zone: {name_of(home.zone)} was taken")
        return placed(wall, self.zone or home.zone, notes)

    def _by_offset(self, wall: dt.datetime, offset: dt.timedelta) -> dt.datetime:
        moment = wall.replace(tzinfo=dt.timezone(offset) if offset else dt.UTC)
        if self.zone is None:
            return moment
        there = moment.astimezone(self.zone)
        if offset and there.utcoffset() != offset:
            raise refusal(
                f"{iso(wall)} is not at {written_offset(offset)} in {name_of(self.zone)}, where it is {iso(there)}",
                "leave out the offset or the zone",
            )
        return there


def from_unix(digits: str, *, milli: bool) -> dt.datetime:
    """Count seconds, or milliseconds, since 1970.

    >>> from_unix("-1", milli=False).isoformat()
    '1969-12-31T23:59:59+00:00'
    """
    if not _COUNT.fullmatch(digits):
        raise refusal(f"{digits!r} is no number of {'milliseconds' if milli else 'seconds'}")
    return EPOCH + dt.timedelta(microseconds=int(Decimal(digits) * (1_000 if milli else 1_000_000)))


def day_from(year: int, month: int, day: int) -> dt.date:
    """Make a date, or say why there is none."""
    if not 1 <= month <= 12:
        raise refusal(f"there is no month {month}")
    _check_year(year)
    last = last_day(year, month)
    if not 1 <= day <= last:
        raise refusal(f"{MONTHS[month - 1]} {year} has no day {day}, it has {last}")
    return dt.date(year, month, day)


def last_day(year: int, month: int) -> int:
    """Give the number of days of a month.

    >>> last_day(2028, 2)
    29
    """
    if month == 2:
        return 29 if year % 4 == 0 and (year % 100 or year % 400 == 0) else 28
    return 30 if month in (4, 6, 9, 11) else 31


def day_from_ordinal(year: int, number: int) -> dt.date:
    """Make a date from the number of the day in its year."""
    _check_year(year)
    day = dt.date(year, 1, 1) + dt.timedelta(days=number - 1) if number else None
    if day is None or day.year != year:
        raise refusal(f"{year} has no day number {number}")
    return day


def day_from_week(year: int, week: int, weekday: int) -> dt.date:
    """Make a date from an ISO week date."""
    _check_year(year)
    try:
        return dt.date.fromisocalendar(year, week, weekday)
    except ValueError:
        raise refusal(
            f"there is no day {year:04d}-W{week:02d}-{weekday}: a year has 52 or 53 weeks of 7 days"
        ) from None


def clock_from(parts: Mapping[str, str | None]) -> Clock:
    """Make a time of day from ``hour``, ``minute``, ``second``, ``fraction`` and ``half`` (am or pm)."""
    hour, minute, second = (int(parts.get(part) or 0) for part in ("hour", "minute", "second"))
    fraction, half = parts.get("fraction") or "", (parts.get("half") or "").replace(".", "").casefold()
    if half:
        if not 1 <= hour <= 12:
            raise refusal(f"there is no hour {hour} {half}: hours with am or pm go from 1 to 12")
        hour = hour % 12 + 12 * (half == "pm")
    if second == 60:
        raise refusal(
            "a leap second can't be told from the second before it", "use second 59, or 00 of the next minute"
        )
    if hour == 24 and not minute and not second and not fraction.strip("0"):
        return Clock(dt.time(), 1)
    if hour > 23 or minute > 59 or second > 60:
        raise refusal(f"there is no time {hour:02d}:{minute:02d}:{second:02d}")
    return Clock(dt.time(hour, minute, second, int(fraction[:6].ljust(6, "0"))))


def month_number(word: str) -> int | None:
    """Give the number of a month by its English name or the beginning of it.

    >>> month_number("Sept"), month_number("mars")
    (9, None)
    """
    return _place(word, MONTHS)


def check_weekday(word: str, day: dt.date) -> None:
    """Refuse a day of the week that is not that of the date."""
    number = _place(word, DAYS)
    if number is None:
        raise refusal(f"{word!r} is no day of the week")
    if number != day.isoweekday():
        raise refusal(f"{day} is a {DAYS[day.isoweekday() - 1]}, not a {DAYS[number - 1]}", "correct one of the two")


def _place(word: str, names: tuple[str, ...]) -> int | None:
    low = word.rstrip(".").casefold()
    return next((at for at, name in enumerate(names, 1) if len(low) >= 3 and name.casefold().startswith(low)), None)


def _check_year(year: int) -> None:
    if not 1 <= year <= 9999:
        raise refusal(f"there is no year {year} here: years go from 1 to 9999")

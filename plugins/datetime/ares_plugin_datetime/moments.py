"""Whole days (``date``) and moments (aware ``datetime``): how they are placed in a zone, and what there is to say."""

from __future__ import annotations

import datetime as dt
from typing import Any

from ares_plugin_datetime.zones import name_of, written_offset

Moment = dt.datetime | dt.date
EPOCH = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)
MICROSECOND = dt.timedelta(microseconds=1)


def placed(wall: dt.datetime, zone: dt.tzinfo, notes: list[str]) -> dt.datetime:
    """Put a time that a clock shows into a zone.

    A time that the clock skips is moved forward by what is skipped; of one that it shows twice the first is taken.
    Either is noted.
    """
    first, second = (wall.replace(tzinfo=zone, fold=fold) for fold in (0, 1))
    early, late = first.utcoffset(), second.utcoffset()
    if early == late or early is None or late is None:
        return first
    shown, name = iso(wall), name_of(zone)
    if early > late:
        taken, other = written_offset(early), written_offset(late)
        notes.append(
            f"{shown} comes twice in {name}, where the clock is set back: the first ({taken}) was taken; "
            f"write {shown}{other} for the second"
        )
        return first
    moved = first.astimezone(dt.UTC).astimezone(zone)
    notes.append(f"{shown} does not exist in {name}, where the clock is set forward: {iso(moved)} was taken")
    return moved


def at_midnight(day: Moment, zone: dt.tzinfo, notes: list[str]) -> dt.datetime:
    """Make a moment of a whole day: its first hour in a zone."""
    if isinstance(day, dt.datetime):
        return day
    notes.append(f"{day} has no time: 00:00 in {name_of(zone)} was taken")
    return placed(dt.datetime.combine(day, dt.time()), zone, notes)


def iso(moment: Moment) -> str:
    """Write in ISO 8601, parts of a second only if there are any.

    >>> iso(dt.datetime(2026, 1, 2, 3, 4, 5, 250_000, tzinfo=dt.UTC))
    '2026-01-02T03:04:05.250+00:00'
    """
    if not isinstance(moment, dt.datetime):
        return moment.isoformat()
    micro = moment.microsecond
    return moment.isoformat(timespec="microseconds" if micro % 1000 else "milliseconds" if micro else "seconds")


def micros(moment: dt.datetime) -> int:
    """Count the microseconds since 1970."""
    return (moment - EPOCH) // MICROSECOND


def seconds(microseconds: int) -> int | float:
    """Give microseconds in seconds: a whole number if it is one."""
    whole, rest = divmod(microseconds, 1_000_000)
    return microseconds / 1_000_000 if rest else whole


def week_date(moment: Moment) -> str:
    """Write the ISO week date.

    >>> week_date(dt.date(2027, 1, 1))
    '2026-W53-5'
    """
    year, week, day = moment.isocalendar()
    return f"{year:04d}-W{week:02d}-{day}"


def described(moment: Moment) -> dict[str, Any]:
    """Tell everything about a moment; what a whole day doesn't have is ``None``."""
    about: dict[str, Any] = {
        "iso": iso(moment), "date": iso(moment)[:10], "time": None, "zone": None, "offset": None,
        "unix": None, "unix_ms": None, "weekday": moment.isoweekday(), "week": week_date(moment),
        "day_of_year": moment.timetuple().tm_yday,
    }  # fmt: skip
    if isinstance(moment, dt.datetime):
        since = micros(moment)
        about |= {
            "time": iso(moment.replace(tzinfo=None))[11:],
            "zone": name_of(moment.tzinfo), "offset": written_offset(moment.utcoffset()),
            "unix": seconds(since), "unix_ms": since // 1000,
        }  # fmt: skip
    return about

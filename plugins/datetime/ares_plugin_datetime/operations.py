"""What each operation does."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Mapping
from typing import Any

from ares_plugin_datetime.amounts import add, between, exact, read_amount
from ares_plugin_datetime.moments import Moment, at_midnight, described, iso, micros, seconds
from ares_plugin_datetime.patterns import known_as, read_by, write
from ares_plugin_datetime.reading import read
from ares_plugin_datetime.refusals import refusal
from ares_plugin_datetime.schema import TAKES
from ares_plugin_datetime.written import Home, from_unix
from ares_plugin_datetime.zones import find_zone

Arguments = Mapping[str, Any]


def run(arguments: Arguments, usual_zone: str | None = None) -> dict[str, Any]:
    """Run one operation; ``usual_zone`` is the zone of values that name none, where nobody says another.

    >>> run({"operation": "add", "value": "2026-01-31", "amount": "P1M"})["output"]
    '2026-02-28'
    """
    operation = arguments["operation"]
    for name in arguments:
        if name != "operation" and name not in TAKES[operation]:
            raise refusal(f"{operation} takes no {name!r}", f"it takes {', '.join(TAKES[operation])}")
    notes: list[str] = []
    try:
        answer = OPERATIONS[operation](arguments, _home(arguments, usual_zone), notes)
    except OverflowError:
        raise refusal("that is outside the years 1 to 9999", "use dates that are nearer") from None
    return {"operation": operation, **answer, "notes": notes}


def _home(arguments: Arguments, usual_zone: str | None) -> Home:
    """Where a value is read that names no zone: ``from_zone``, else ``zone``, else as configured, else UTC."""
    chosen = arguments.get("from_zone" if arguments["operation"] == "convert" else "zone")
    return Home(find_zone(chosen or usual_zone or "UTC"), is_assumed=chosen is None)


def _now(arguments: Arguments, home: Home, notes: list[str]) -> dict[str, Any]:
    moment = dt.datetime.now(home.zone)
    return _told(moment.replace(microsecond=moment.microsecond // 1000 * 1000), arguments, home, notes)


def _parse(arguments: Arguments, home: Home, notes: list[str]) -> dict[str, Any]:
    form, value = arguments.get("format", "iso"), arguments["value"]
    name = known_as(form)
    if name in ("unix", "unix_ms"):
        moment: Moment = from_unix(value.strip(), milli=name == "unix_ms").astimezone(home.zone)
    else:
        moment = read(value, home, notes) if name else read_by(form, value, home, notes)
    return _told(_moved(moment, arguments), {}, home, notes)


def _format(arguments: Arguments, home: Home, notes: list[str]) -> dict[str, Any]:
    return _told(_value(arguments, home, notes), arguments, home, notes)


def _convert(arguments: Arguments, home: Home, notes: list[str]) -> dict[str, Any]:
    moment = at_midnight(read(arguments["value"], home, notes), home.zone, notes)
    return _told(_moved(moment, arguments), arguments, home, notes)


def _add(arguments: Arguments, home: Home, notes: list[str]) -> dict[str, Any]:
    amount = read_amount(arguments["amount"])
    moment = add(_value(arguments, home, notes), amount, home.zone, notes)
    return _told(moment, arguments, home, notes)


def _diff(arguments: Arguments, home: Home, notes: list[str]) -> dict[str, Any]:
    start, end = _value(arguments, home, notes), _moved(read(arguments["other"], home, notes), arguments)
    if isinstance(start, dt.datetime) or isinstance(end, dt.datetime):
        start, end = at_midnight(start, home.zone, notes), at_midnight(end, home.zone, notes)
        how_far = _time_between(start, end)
    else:
        days = (end - start).days
        how_far = {"output": f"{'-' if days < 0 else ''}P{abs(days)}D", "days": days, "seconds": None}
    return {**how_far, "calendar": str(between(start, end)), "value": iso(start), "other": iso(end)}


def _time_between(start: dt.datetime, end: dt.datetime) -> dict[str, Any]:
    apart = micros(end) - micros(start)
    days, rest = divmod(apart, 86_400_000_000)
    whole_or_not = round(apart / 86_400_000_000, 6) if rest else days
    return {"output": exact(apart) if apart else "PT0S", "days": whole_or_not, "seconds": seconds(apart)}


def _value(arguments: Arguments, home: Home, notes: list[str]) -> Moment:
    return _moved(read(arguments["value"], home, notes), arguments)


def _moved(moment: Moment, arguments: Arguments) -> Moment:
    """Give a moment in the zone that was asked for; a whole day is the same everywhere."""
    if "zone" not in arguments or not isinstance(moment, dt.datetime):
        return moment
    return moment.astimezone(find_zone(arguments["zone"]))


def _told(moment: Moment, arguments: Arguments, home: Home, notes: list[str]) -> dict[str, Any]:
    form = arguments.get("format", "iso")
    output = write(moment, form, lambda day: at_midnight(day, home.zone, notes))
    return {"output": output, "format": known_as(form) or form, **described(moment)}


OPERATIONS: dict[str, Callable[[Arguments, Home, list[str]], dict[str, Any]]] = {
    "now": _now,
    "parse": _parse,
    "format": _format,
    "convert": _convert,
    "add": _add,
    "diff": _diff,
}

"""How a model reads the answer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ares_core import counted
from ares_plugin_datetime.written import DAYS


def words(data: Mapping[str, Any]) -> str:
    """Write the answer in a line, and a line for everything that was assumed."""
    first = _distance(data) if data["operation"] == "diff" else _moment(data)
    return "\n".join([first, *(f"note: {note}" for note in data["notes"])])


def _moment(data: Mapping[str, Any]) -> str:
    if data["format"] != "iso":
        return str(data["output"])
    zone = [] if data["zone"] in (None, data["offset"]) else [data["zone"]]
    about = [*zone, DAYS[data["weekday"] - 1], f"week {data['week'][:-2]}"]
    unix = [f"unix {data['unix']}"] if data["operation"] == "parse" and data["unix"] is not None else []
    return f"{data['output']} ({', '.join([*about, *unix])})"


def _distance(data: Mapping[str, Any]) -> str:
    span = f"from {data['value']} to {data['other']}"
    if data["seconds"] is None:
        return f"{_days(data['days'])} {span} ({data['calendar']} by the calendar)"
    seconds = counted(data["seconds"], "second")
    return (
        f"{data['output']} {span}: {seconds}, or {_days(data['days'])} of 24 hours ({data['calendar']} by the calendar)"
    )


def _days(count: float) -> str:
    number = f"{count:,.6f}".rstrip("0").rstrip(".") if count % 1 else f"{count:,.0f}"
    return f"{number} day" if abs(count) == 1 else f"{number} days"

"""Figures in logs, with their units."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from typing import Any

from ares_core import ToolError
from ares_plugin_data.lines import entries_of, numbered
from ares_plugin_data.patterns import compiled

FIGURE = r"(?<![\w.,])(?P<figure>\d{1,3}(?:,\d{3})++(?:\.\d++)?|\d++(?:\.\d++)?)"
USUAL = re.compile(
    FIGURE
    + r"\s?(?:(?P<ms>ms|msec|milliseconds?)|(?P<s>s|secs?|seconds?)|(?P<memory>[KMG]i?B)|(?P<percent>%)"
    + r"|(?P<rps>rps|req(?:uests)?/s(?:ec)?)|(?P<requests>requests?))(?![\w/])",
    re.IGNORECASE,
)
NAMED = re.compile(
    r"(?<![\w.])(?P<name>[A-Za-z]\w{0,60}?_(?P<unit>ms|s|seconds|secs|kb|mb|gb|bytes|percent|pct|rps))\s?[=:]\s?"
    r"(?P<figure>-?\d++(?:\.\d++)?)(?![\w.])"
)
NAMES = {
    "ms": ("response_time_ms", "ms"),
    "s": ("latency_seconds", "s"),
    "memory": ("memory_mb", "MB"),
    "percent": ("percent", "%"),
    "rps": ("throughput_rps", "requests/s"),
    "requests": ("request_count", "requests"),
}
MEGABYTES = {"KB": 0.001, "MB": 1.0, "GB": 1000.0, "KIB": 0.001024, "MIB": 1.048576, "GIB": 1073.741824}
UNITS = {
    "ms": "ms", "s": "s", "seconds": "s", "secs": "s", "kb": "KB", "mb": "MB", "gb": "GB", "bytes": "bytes",
    "percent": "%", "pct": "%", "rps": "requests/s",
}  # fmt: skip
MOST_NAMES = 100
NAME = re.compile(r"\w[\w.-]{0,60}")
Found = tuple[str, str | None, float]


def metrics_of(text: str, log_format: str, own: list[str]) -> dict[str, Any]:
    """Collect the usual figures, those of JSON and access logs by their names, and those of the caller's patterns."""
    values: dict[str, list[float]] = {}
    units: dict[str, str | None] = {}
    for name, unit, value in _figures(text, log_format, own):
        if name not in values and len(values) >= MOST_NAMES:
            continue
        values.setdefault(name, []).append(value)
        units[name] = unit
    return {name: {"unit": units[name], **_statistics(values[name])} for name in sorted(values)}


def _statistics(values: list[float]) -> dict[str, Any]:
    total = math.fsum(values)
    return {
        "count": len(values), "min": min(values), "max": max(values), "avg": total / len(values), "sum": total,
    }  # fmt: skip


def _figures(text: str, log_format: str, own: list[str]) -> Iterator[Found]:
    if log_format in ("json", "common", "combined"):
        yield from _from_fields(text, log_format)
    else:
        for _, line in numbered(text):
            yield from _in_line(line)
    yield from _by_patterns(text, own)


def _in_line(line: str) -> Iterator[Found]:
    for found in USUAL.finditer(line):
        kind = next(kind for kind in NAMES if found[kind])
        name, unit = NAMES[kind]
        value = float(found["figure"].replace(",", "")) * MEGABYTES.get((found["memory"] or "MB").upper(), 1.0)
        if kind == "percent" and "cpu" in line[max(found.start() - 40, 0) : found.start()].lower():
            name = "cpu_percent"
        if math.isfinite(value):
            yield name, unit, value
    for found in NAMED.finditer(line):
        if math.isfinite(float(found["figure"])):
            yield found["name"].lower(), UNITS[found["unit"]], float(found["figure"])


def _from_fields(text: str, log_format: str) -> Iterator[Found]:
    for entry in entries_of(text, log_format):
        if entry is None:
            continue
        if log_format == "json":
            yield from _in_line(entry.message)
        for name, value in entry.fields.items():
            is_figure = isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1e300
            if is_figure and name not in ("status", "pid"):
                yield name, unit_of(name), float(value)


def unit_of(name: str) -> str | None:
    """Give the unit that a name ends in.

    >>> unit_of("duration_ms"), unit_of("bytes"), unit_of("users")
    ('ms', 'bytes', None)
    """
    return UNITS.get(name.lower().rpartition("_")[2])


def _by_patterns(text: str, own: list[str]) -> Iterator[Found]:
    if not own:
        return
    named = [_cut(given) for given in own]
    ready = compiled([pattern for _, pattern in named], text)
    for (name, pattern), each in zip(named, ready, strict=True):
        if each.groups < 1:
            raise _refusal(f"the pattern of {name!r}, {pattern[:80]!r}, has no group", "put ( ) around the figure")
    for _, line in numbered(text):
        data = line.encode("utf-8", "replace")
        for (name, _pattern), each in zip(named, ready, strict=True):
            found = each.search(data)
            value = _figure(found.group(1)) if found else None
            if value is not None:
                yield name, unit_of(name), value


def _cut(given: str) -> tuple[str, str]:
    name, colon, pattern = given.partition(":")
    if not colon or not pattern or not NAME.fullmatch(name):
        raise _refusal(f"{given[:80]!r} is no 'name:regular expression'", r"write it as 'queue_length:queue=(\d+)'")
    return name, pattern


def _figure(text: bytes | None) -> float | None:
    try:
        value = float((text or b"").replace(b",", b""))
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def _refusal(message: str, hint: str) -> ToolError:
    return ToolError(f"{message}; nothing was looked for", hint=hint, blame="input")

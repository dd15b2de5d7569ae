"""What a model reads of a result."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from ares_core import counted

ROWS = 50
LONGEST = 300


def words(data: Mapping[str, Any]) -> str:
    """Write a result: counts and units first, then what was found.

    >>> words({"operation": "validate_email", "valid": False, "error": "there is no '@'"})
    "Not valid: there is no '@'."
    """
    write = WRITERS.get(data["operation"], _verdict)
    return "\n".join([*write(data), *(f"Note: {note}." for note in data.get("notes", ()))])


def _rows(data: Mapping[str, Any]) -> Iterator[str]:
    count, columns = data["row_count"], data["columns"]
    wide = columns if isinstance(columns, int) else len(columns)
    yield f"{counted(count, 'row')}, {counted(wide, 'column')}:"
    if isinstance(data["output"], str):
        yield data["output"]
        return
    yield from (_json(row) for row in data["output"][:ROWS])
    if count > ROWS:
        yield f"({counted(count - ROWS, 'more row')} in the data.)"


def _object(data: Mapping[str, Any]) -> Iterator[str]:
    yield _json(data["output"])


def _verdict(data: Mapping[str, Any]) -> Iterator[str]:
    if data["valid"]:
        facts = ", ".join(f"{name} {data[name]}" for name in FACTS if data.get(name) not in (None, ""))
        yield f"Valid{': ' if facts else ''}{facts}."
        return
    faults = data.get("errors") or []
    at_least = "" if data.get("complete", True) else "at least "
    if len(faults) <= 3:
        yield f"Not valid{', the first fault' if at_least else ''}: {data['error']}."
        return
    yield f"Not valid, {at_least}{counted(data['count'], 'fault')}:"
    yield from (f"{fault['pointer'] or 'the value'}: {fault['message']}" for fault in faults)
    if data["count"] > len(faults):
        yield f"({data['count'] - len(faults):,} more are not listed.)"


def _entries(data: Mapping[str, Any]) -> Iterator[str]:
    levels = ", ".join(f"{count:,} {level}" for level, count in data["levels"].items())
    statuses = ", ".join(f"{count:,} × {status}" for status, count in data.get("statuses", {}).items())
    unread = f"; {counted(data['unparsed'], 'line')} of another form" if data["unparsed"] else ""
    facts = "".join(f"; {each}" for each in (levels, statuses) if each)
    yield f"{counted(data['count'], 'entry', 'entries')}, format {data['format']}{facts}{unread}"
    if "first" in data:
        yield f"From {data['first']} to {data['last']}"
    for entry in data["entries"]:
        about = " ".join(part for part in (entry["timestamp"], entry["level"]) if part)
        yield f"{entry['line_number']}: {about}{' ' if about else ''}{_clip(entry['message'].strip())}"
    yield from _cut(data["count"] - len(data["entries"]))


def _errors(data: Mapping[str, Any]) -> Iterator[str]:
    count = data["error_count"]
    yield f"{counted(count, 'line tells', 'lines tell')} of errors:" if count else "No errors found."
    yield from (f"{one['line_number']} ({one['matched_by']}): {_clip(one['line'].strip())}" for one in data["errors"])
    yield from _cut(count - len(data["errors"]))


def _metrics(data: Mapping[str, Any]) -> Iterator[str]:
    if not data["metrics"]:
        yield f"No figures with units in {counted(data['line_count'], 'line')}."
    for name, found in data["metrics"].items():
        unit = f" {found['unit']}" if found["unit"] else ""
        figures = ", ".join(f"{each} {_figure(found[each])}{unit}" for each in ("min", "max", "avg", "sum"))
        yield f"{name}: {counted(found['count'], 'value')}, {figures}"


def _cut(left_out: int) -> Iterator[str]:
    if left_out > 0:
        yield f"({left_out:,} more are not listed; raise max_results.)"


def _figure(value: float) -> str:
    return f"{value:.6g}" if abs(value) < 1e6 else f"{value:,.0f}"


def _json(value: Any) -> str:
    return msgspec.json.encode(value).decode()


def _clip(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}… ({len(text):,} characters)"


FACTS = ("type", "local_part", "domain", "ascii_domain", "scheme", "host", "port", "path")
WRITERS = {
    "csv_to_json": _rows,
    "json_to_csv": _rows,
    "flatten": _object,
    "unflatten": _object,
    "parse_log": _entries,
    "find_errors": _errors,
    "extract_metrics": _metrics,
}

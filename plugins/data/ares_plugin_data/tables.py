"""CSV and JSON: RFC 4180, with the place of every fault."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Iterator, Mapping
from decimal import Decimal
from typing import Any

from ares_core import ToolError, counted
from ares_plugin_data.reading import MOST_VALUES, Written, kind_of, read, too_much

NAMED = {"tab": "\t", "\\t": "\t", "comma": ",", "semicolon": ";", "pipe": "|", "space": " "}
USUAL = ",;\t|"
WIDE = "，；、"
"""Marks that are meant for delimiters in Chinese text; only ever named, never taken."""
LOOKED_AT = 20
"""Rows that are looked at to find the delimiter."""
FORMULAS = ("=", "+", "-", "@", "\t", "\r")


def csv_to_json(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Give the rows of a CSV text as objects, or as arrays if there is no header."""
    text = arguments["data"]
    if not isinstance(text, str):
        raise _refusal(f"csv_to_json takes CSV as text, not {kind_of(text)}", "use json_to_csv for the way back")
    text = text.removeprefix("\ufeff")
    delimiter = _delimiter(arguments.get("delimiter", ","), text)
    rows = list(_rows(text, delimiter))
    if not rows:
        raise _refusal("the text is empty", "give at least one row")
    notes = _other_delimiter(text, delimiter, rows)
    if not arguments.get("has_header", True):
        width = max(len(row) for _, row in rows)
        return {"row_count": len(rows), "columns": width, "output": [row for _, row in rows], **_noted(notes)}
    header = _header(rows[0][1])
    objects = [_object(header, number, row) for number, row in rows[1:]]
    short = [number for number, row in rows[1:] if len(row) < len(header)]
    if short:
        some = ", ".join(map(str, short[:5])) + (", …" if len(short) > 5 else "")
        notes.append(f"rows with fewer cells than the header, at line {some}: what is missing is null")
    return {"row_count": len(objects), "columns": header, "output": objects, **_noted(notes)}


def _rows(text: str, delimiter: str) -> Iterator[tuple[int, list[str]]]:
    """Give each row that is not blank with the line it ends in."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    cells = 0
    try:
        for row in reader:
            cells += len(row)
            if cells > MOST_VALUES:
                raise too_much(f"the table has more than {MOST_VALUES:,} cells")
            if row:
                yield reader.line_num, row
    except csv.Error as error:
        raise _refusal(
            f"the CSV can't be read, at line {reader.line_num}: {_words(str(error))}", _advice(delimiter)
        ) from None


def _words(said: str) -> str:
    if "unexpected end" in said:
        return "a quoted cell has no closing quote"
    if "expected after" in said:
        return "a closing quote is followed by more text"
    return "a cell has more than 131,072 characters" if "field limit" in said else said


def _advice(delimiter: str) -> str:
    return (
        f'a cell with {delimiter!r}, a quote or a line end stands in quotes, and quotes in it are doubled: "a ""b"" c"'
    )


def _header(names: list[str]) -> list[str]:
    twice = sorted({name for name in names if names.count(name) > 1}) if len(names) < 2_000 else []
    if twice or len(set(names)) < len(names):
        shown = f" {twice[0]!r}" if twice else ""
        raise _refusal(f"two columns have the same name{shown}", "rename one, or say has_header: false")
    return names


def _object(header: list[str], number: int, row: list[str]) -> dict[str, str | None]:
    if len(row) > len(header):
        raise _refusal(
            f"the row that ends at line {number} has {counted(len(row), 'cell')}, and the header names {len(header)}",
            "put cells with the delimiter in quotes, or say has_header: false",
        )
    missing: list[str | None] = [None] * (len(header) - len(row))
    return dict(zip(header, [*row, *missing], strict=True))


def _delimiter(given: str, text: str) -> str:
    if given.lower() == "auto":
        return max(USUAL, key=lambda mark: _width(text, mark))
    mark = NAMED.get(given.lower(), given)
    if len(mark) != 1 or mark in '"\r\n' or not mark.isprintable() and mark != "\t":
        raise _refusal(f"{given!r} can't be a delimiter", "use one character such as ',' or ';', 'tab' or 'auto'")
    return mark


def _width(text: str, mark: str) -> int:
    """Tell how many columns a delimiter gives, if it gives all of the first rows as many; 0 otherwise."""
    reader = csv.reader(io.StringIO(text[:100_000], newline=""), delimiter=mark)
    try:
        widths = {len(row) for row, _ in zip(reader, range(LOOKED_AT), strict=False) if row}
    except csv.Error:
        return 0
    return widths.pop() if len(widths) == 1 else 0


def _other_delimiter(text: str, delimiter: str, rows: list[tuple[int, list[str]]]) -> list[str]:
    if any(len(row) > 1 for _, row in rows[:LOOKED_AT]):
        return []
    better = max(USUAL + WIDE, key=lambda mark: _width(text, mark))
    if _width(text, better) < 2 or better == delimiter:
        return []
    return [f"there is one column only; the text looks as if {better!r} were its delimiter"]


def json_to_csv(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Write an array of objects, or of arrays, as CSV; the columns come in the order in which they are first seen."""
    value = read(arguments["data"])
    rows: Any = [value] if isinstance(value, dict) else value
    delimiter = _delimiter(arguments.get("delimiter", ","), "")
    if not isinstance(rows, list) or not rows:
        raise _refusal(f"json_to_csv takes an array of objects or arrays, not {_named(value)}", "put it into an array")
    kind = kind_of(rows[0])
    odd = next((number for number, row in enumerate(rows) if kind_of(row) != kind), None)
    if kind not in ("object", "array") or odd is not None:
        what = f"item {odd} is {kind_of(rows[odd])}, item 0 {kind}" if odd is not None else f"its items are {kind}s"
        raise _refusal(f"json_to_csv takes an array of objects or an array of arrays; {what}", "make all items alike")
    header = list(dict.fromkeys(key for row in rows for key in row)) if kind == "object" else []
    if len(header) * len(rows) > MOST_VALUES:
        raise too_much(f"the table would have more than {MOST_VALUES:,} cells")
    table = [[row.get(key) for key in header] for row in rows] if kind == "object" else rows
    lines = [header, *table] if header and arguments.get("has_header", True) else table
    wide = max(len(row) for row in rows)
    return {
        "row_count": len(rows),
        "columns": header or wide,
        "output": _csv(lines, delimiter),
        **_noted(_warnings(lines)),
    }


def _named(value: Any) -> str:
    return "an empty array" if value == [] else kind_of(value)


def _csv(rows: Iterable[list[Any]], delimiter: str) -> str:
    out = io.StringIO(newline="")
    writer = csv.writer(out, delimiter=delimiter)
    writer.writerows([_cell(value) for value in row] for row in rows)
    return out.getvalue()


def _cell(value: Any) -> str:
    if isinstance(value, str):
        return value
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, dict | list):
        return json.dumps(value, ensure_ascii=False, default=str)
    return value.text if isinstance(value, Written) else str(value) if isinstance(value, Decimal) else repr(value)


def _warnings(rows: list[list[Any]]) -> list[str]:
    notes = []
    formulas = sum(isinstance(cell, str) and cell.startswith(FORMULAS) for row in rows for cell in row)
    if formulas:
        cells = counted(formulas, "text begins", "texts begin")
        notes.append(f"{cells} with = + - or @, which a spreadsheet takes for a formula")
    if any(isinstance(cell, dict | list) for row in rows for cell in row):
        notes.append("objects and arrays inside a row stand in their cell as JSON")
    return notes


def _noted(notes: list[str]) -> dict[str, Any]:
    return {"notes": notes} if notes else {}


def _refusal(message: str, hint: str) -> ToolError:
    return ToolError(f"{message}; nothing was converted", hint=hint, blame="input")

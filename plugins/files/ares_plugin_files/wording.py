"""What a model reads of each answer."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ares_core import counted
from ares_plugin_files.troubles import visible

MOST_TOKENS = 9_000
"""A little below what the core allows by default, so that nothing is cut in the middle of a page."""
CODECS = {"utf-8-sig": "utf-8", "utf-16": "utf-16-le", "utf-32": "utf-32-le"}
Data = Mapping[str, Any]


def written(data: Any) -> str | None:
    """Write the answer of one operation; ``None`` if it is not one of this tool's."""
    if not isinstance(data, dict):
        return None
    write = WORDS.get(str(data.get("operation")))
    return write(data) if write else None


def _page(data: Data) -> str:
    """Give the text of a page as it stands, and below it what is to be said about it."""
    if not data["size"]:
        return f"({data['path']} is empty)"
    shown, following = _fitting(data)
    remarks = [] if not data["offset"] and not following else [f"this is {_span(data, shown)} of {data['path']}"]
    if following:
        remarks.append(f"go on with {', '.join(f'{key} {value}' for key, value in following.items())}")
    if data.get("note"):
        remarks.append(f"read as {data['encoding']}: {data['note']}")
    end = "" if shown.endswith("\n") else "\n"
    return shown + (f"{end}[{'; '.join(remarks)}]" if remarks else "")


def _fitting(data: Data) -> tuple[str, Data | None]:
    """Cut the text to what fits, at the end of a line or character, and say where to go on."""
    content, following = data["content"], data.get("next")
    size = _fit(content)
    if size == len(content):
        return content, following
    if data["encoding"] in ("hex", "base64"):
        size -= size % 4
        taken = size // 2 if data["encoding"] == "hex" else size // 4 * 3
        return content[:size], {"offset": data["offset"] + taken, "unit": "bytes"}
    if data["unit"] == "lines" and "\n" in content[:size]:
        shown = content[: content.rindex("\n", 0, size) + 1]
        return shown, {"offset": data["offset"] + shown.count("\n")}
    codec = CODECS.get(data["encoding"], data["encoding"])
    end = following["offset"] if following and following["unit"] == "bytes" else data["size"]
    return content[:size], {"offset": end - len(content[size:].encode(codec)), "unit": "bytes"}


def _fit(text: str) -> int:
    """Tell how many characters of a text fit, by the core's estimate of tokens."""
    size = len(text)
    while size > MOST_TOKENS and _tokens(text[:size]) > MOST_TOKENS:
        size = min(size - 1, int(size * MOST_TOKENS / _tokens(text[:size])))
    return size


def _tokens(text: str) -> int:
    plain = len(text) if text.isascii() else len(text.encode("ascii", "ignore"))
    return (plain + 3) // 4 + len(text) - plain


def _span(data: Data, shown: str) -> str:
    if data["unit"] == "bytes":
        return f"a part from byte {data['offset']:,} of {counted(data['size'], 'byte')}"
    first = data["offset"] + 1
    last = first + shown.count("\n") - shown.endswith("\n")
    total = f" of {data['total_lines']:,}" if "total_lines" in data else ""
    return f"line {first:,}{total}" if last == first else f"lines {first:,} to {last:,}{total}"


def _list(data: Data) -> str:
    """Give a line to each entry."""
    at_least = "" if data["complete"] else "at least "
    counts = f"{counted(data['folders'], 'folder')}, {counted(data['files'], 'file')}"
    head = f"{at_least}{counted(data['total'], 'entry', 'entries')} in {data['path']} ({counts})"
    lines = [_entry(entry) for entry in data["entries"]]
    shown = lines[: _fitting_lines(lines)]
    reached = data["offset"] + len(shown)
    remarks = list(data.get("notes", ()))
    if reached < data["total"] and (lines or not data["offset"]):
        remarks.append(f"go on with offset {reached}")
    return "\n".join([head + (":" if shown else ""), *shown, *(f"[{remark}]" for remark in remarks)])


def _entry(entry: Data) -> str:
    if entry["kind"] == "folder":
        return f"{entry['path']}/"
    what = counted(entry["size"], "byte") if "size" in entry else entry["kind"]
    escaped = "  (the name is escaped, and can't be given in a call)" if entry.get("escaped") else ""
    return f"{entry['path']}  {what}  {entry['modified'] or ''}{escaped}".rstrip()


def _fitting_lines(lines: Iterable[str]) -> int:
    spent = 0
    for number, line in enumerate(lines):
        spent += _tokens(line) + 1
        if spent > MOST_TOKENS:
            return number
    return number + 1 if spent else 0


def _write(data: Data) -> str:
    note = f" ({data['note']})" if data.get("note") else ""
    return f"wrote {counted(data['bytes'], 'byte')} to {data['path']}{_overwrote(data)}{note}"


def _append(data: Data) -> str:
    return f"appended {counted(data['bytes'], 'byte')} to {data['path']}, which has {data['size']:,} now"


def _exists(data: Data) -> str:
    if data["exists"]:
        return f"{data['path']} exists, a {data['kind']}"
    meant = " or ".join(repr(visible(one)) for one in data.get("similar", ()))
    return f"there is no {data['path']}" + (f"; did you mean {meant}?" if meant else "")


def _stat(data: Data) -> str:
    size = f", {counted(data['size'], 'byte')}" if "size" in data else ""
    mode = f", permissions {data['mode']}" if "mode" in data else ""
    return f"{data['path']}: {data['kind']}{size}, changed {data['modified'] or 'at an unknown time'}{mode}"


def _mkdir(data: Data) -> str:
    return f"made the folder {data['path']}" if data["created"] else f"the folder {data['path']} was there already"


def _move(data: Data) -> str:
    return f"moved {data['path']} to {data['destination']}{_overwrote(data)}"


def _copy(data: Data) -> str:
    skipped = f"; left out, as no plain files: {', '.join(data['skipped'])}" if data.get("skipped") else ""
    what = f"{counted(data['files'], 'file')}, {counted(data['bytes'], 'byte')}"
    return f"copied {data['path']} to {data['destination']} ({what}){_overwrote(data)}{skipped}"


def _delete(data: Data) -> str:
    return f"deleted {data['path']}" + (
        f" and {counted(data['deleted'] - 1, 'entry', 'entries')} in it" if data["deleted"] > 1 else ""
    )


def _overwrote(data: Data) -> str:
    return f", overwrote {counted(data['overwrote'], 'byte')}" if "overwrote" in data else ""


WORDS = {
    "read": _page, "list": _list, "write": _write, "append": _append, "exists": _exists, "stat": _stat,
    "mkdir": _mkdir, "move": _move, "copy": _copy, "delete": _delete,
}  # fmt: skip

__all__ = ["written"]

"""What stands around an object in argument text: fences, marks of a model's dialect, words, a second object."""

from __future__ import annotations

import re
from typing import Any

from ares_core.calls import ArgumentEdit
from ares_core.repair.quoted import CLOSING
from ares_core.repair.tolerant import Reader

MARKS = re.compile(
    r"(?:[\s\ufeff\u200b]+|`{3,}\w*|~{3,}\w*|<\|[^|<>\n]{0,60}\|>|</?[A-Za-z_][\w:-]{0,40}>|\[/?[A-Z_]{2,40}\])*"
)
STRAY = re.compile(r"[}\])｝］;]")
BRACES = re.compile(r"[{}｛｝]")
PAIR = re.compile(r"""["'”]\s{0,100}[:：=]|^[ \t]{0,100}[\w"'-]{1,60}[ \t]{0,20}[:=][ \t]{0,20}[^\s{]""", re.MULTILINE)
DOUBTFUL = frozenset({"missing comma", "quotes inside a text", "bare word", "bare key"})
"""Repairs that, with a bracket too many, leave more than one reading."""
OBJECTS = 8
STRAYS = 4


def read(text: str, depth: int) -> tuple[Any, tuple[ArgumentEdit, ...]]:
    """Read the one value in a text, and say what was passed over or repaired."""
    reader = Reader(text, depth)
    if not text.isascii() and any("\ud800" <= char <= "\udfff" for char in text):
        reader.malformed("a lone surrogate is no character")
    _before(reader)
    values = [_value(reader)]
    while (char := _between(reader)) and char in "{｛":
        if len(values) == OBJECTS:
            reader.malformed(f"more than {OBJECTS} objects")
        values.append(reader.value("}"))
    _after(reader)
    if "bracket too many" in reader.edits and reader.edits.keys() & DOUBTFUL:
        reader.malformed("there is a bracket too many, and it is not clear where")
    return _only(reader, values), tuple(reader.edits.values())


def _before(reader: Reader) -> None:
    """Go to where the value begins."""
    text = reader.text
    start = _end(MARKS, text, 0)
    _note(reader, text[:start])
    reader.pos = start
    if start < len(text) and (text[start] in "{[｛［" or text[start] in CLOSING):
        return
    brace = BRACES.search(text, start)
    if brace is None or brace.group() in "}｝":
        reader.malformed("there is no object in it")
    words = text[start : brace.start()]
    if PAIR.search(words) or words.count("=") > 1:
        reader.malformed("it is not clear what stands before the object", start)
    reader.note("words around", words.strip(), "")
    reader.pos = brace.start()


def _value(reader: Reader) -> Any:
    char = reader.text[reader.pos]
    if char not in CLOSING:
        return reader.value("}")
    start = reader.pos
    found = reader.quoted.read(start, "top", reader)
    inside = found.value.lstrip()
    if not inside.startswith(("{", "[")) and "quotes inside a text" in reader.edits:
        reader.malformed("it is neither an object nor one text", start)
    reader.pos = found.end
    return found.value


def _between(reader: Reader) -> str:
    """Go past marks and brackets too many; gives what is next."""
    text, stray = reader.text, 0
    while True:
        end = _end(MARKS, text, reader.pos)
        _note(reader, text[reader.pos : end])
        reader.pos = end
        if stray < STRAYS and STRAY.match(text, end):
            reader.note("bracket too many", text[end], "")
            reader.pos += 1
            stray += 1
        elif text[end : end + 1] in (",", "\n") and text[_end(MARKS, text, end + 1) :][:1] in ("{", "｛"):
            reader.pos += 1
        else:
            return text[end : end + 1]


def _after(reader: Reader) -> None:
    """What is left may only be words."""
    rest = reader.text[reader.pos :].strip()
    words = reader.edits.get("words around")
    if words is not None and words.before[-1:] in CLOSING:
        rest = rest.lstrip("".join(CLOSING))
    if not rest:
        return
    is_comment = rest.startswith(("#", "//", "/*"))
    is_words = is_comment or rest[0].isalpha() or rest[0] in ".!?。！？"
    if not is_words or BRACES.search(rest) or PAIR.search(rest):
        reader.malformed("there is more after the end")
    reader.note("words around", rest, "")


def _only(reader: Reader, values: list[Any]) -> Any:
    """Of several objects, take the only one that says something."""
    full = [value for value in values if value != {}] or values[:1]
    if any(repr(value) != repr(full[0]) for value in full[1:]):
        reader.malformed("there are two different objects", 0)
    if len(values) > 1:
        reader.note("object repeated" if len(full) > 1 else "empty object", f"{len(values)} objects", "1 object")
    return full[0]


def _note(reader: Reader, marks: str) -> None:
    if "\ufeff" in marks:
        reader.note("byte order mark", "\ufeff", "")
    if marks.strip("\ufeff\u200b \t\r\n"):
        reader.note("marks around", marks.strip(), "")


def _end(pattern: re.Pattern[str], text: str, pos: int) -> int:
    found = pattern.match(text, pos)
    return found.end() if found is not None else pos

"""Text in quotes, where quotes inside are not escaped and backslashes are not doubled."""

from __future__ import annotations

import re
from functools import cached_property
from typing import Any, NamedTuple, Protocol

CLOSING = {
    '"': '"', "'": "'", "`": "`", "“": "”“\"", "”": "”\"", "„": "”“", "‘": "’'", "’": "’'", "＂": "＂", "＇": "＇",
}  # fmt: skip
"""The quotes that open text, and those that may close it."""
RULES = {"'": "single quotes", "`": "backticks"}
CHUNK = re.compile(r"[^\\\"'`“”‘’＂＇\x00-\x1f]+")
ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|x[0-9a-fA-F]{2}|.)", re.DOTALL | re.ASCII)
JSON_ESCAPES = {'"': '"', "\\": "\\", "/": "/", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
PYTHON_ESCAPES = {**JSON_ESCAPES, "'": "'", "a": "\a", "v": "\v", "0": "\0", "\n": "", "`": "`", "$": "$"}
DRIVE = re.compile(r"[A-Za-z]:\\|\\\\[\w.-]")
KEY_NEXT = re.compile(
    r"""(?:"(?:[^"\\\n]|\\.){0,200}"|'(?:[^'\\\n]|\\.){0,200}'|[“”][^“”\n]{0,200}”)\s{0,100}[:：=]"""
)
BARE_KEY_NEXT = re.compile(r"[\w$][\w$.-]{0,200}\s{0,100}[:：=]")
GAP = re.compile(r"(?:[\s\ufeff]+|//[^\n]*|#[^\n]*|/\*(?:[^*]|\*(?!/))*\*/)*")
VALUE_NEXT = re.compile(r"[\"'`“”‘’\d\w{\[(.+-]|\]|\)")


class Found(NamedTuple):
    """What stood in quotes, and where it ended."""

    value: str
    end: int


class Notes(Protocol):
    """Where rules are noted and errors raised."""

    def note(self, rule: str, before: str, after: str) -> None: ...
    def malformed(self, why: str, pos: int | None = None) -> Any: ...
    def truncated(self, where: str) -> Any: ...


class Quoted:
    """Finds the end of quoted text by what follows a quote, and reads what is inside."""

    def __init__(self, text: str) -> None:
        self.text = text

    @cached_property
    def forgot_to_escape(self) -> bool:
        """Whether the author shows anywhere that backslashes were not doubled."""
        return any(_is_illegal(each) and each[0].isalnum() for each in ESCAPE.findall(self.text))

    def read(self, start: int, context: str, notes: Notes) -> Found:
        """Read the text that begins at ``start``; ``context`` is ``key``, ``top`` or the bracket around it."""
        quote = self.text[start]
        if self.text.startswith(quote * 3, start) and quote in "\"'`":
            return self._triple(start, quote, notes)
        end = self._end(start, context, notes)
        raw = self.text[start + 1 : end]
        value = self._value(raw, quote, notes)
        if quote != '"':
            notes.note(RULES.get(quote, "typographic quotes"), self.text[start : end + 1], f'"{value}"')
        return Found(value, end + 1)

    def _end(self, start: int, context: str, notes: Notes) -> int:
        """Find the closing quote: the one after which the text goes on as it should."""
        text, pos = self.text, start + 1
        closing = CLOSING[text[start]]
        inner = 0
        while True:
            if (chunk := CHUNK.match(text, pos)) is not None:
                pos = chunk.end()
            char = text[pos : pos + 1]
            if not char:
                notes.truncated("a text")
            if char == "\\":
                pos += 2
            elif char not in closing:
                pos += 1
            elif self._closes(pos, context):
                break
            else:
                inner += char == '"' or not (text[pos - 1].isalpha() and text[pos + 1 : pos + 2].isalpha())
                pos += 1
        if inner % 2:
            notes.malformed("a text has quotes inside that are not escaped", start)
        if inner:
            notes.note("quotes inside a text", text[start : pos + 1], "escaped")
        return pos

    def _closes(self, pos: int, context: str) -> bool:
        text = self.text
        after = GAP.match(text, pos + 1).end()  # type: ignore[union-attr]
        char = text[after : after + 1]
        if not char:
            return True
        if context == "key":
            return char in ":=："
        if context == "top":
            return False
        if char in "}｝" if context == "}" else char in "]］" if context == "]" else char == ")":
            return True
        if char in ",，、":
            after = GAP.match(text, after + 1).end()  # type: ignore[union-attr]
            return after >= len(text) or self._goes_on(after, context)
        if context == "}":
            is_new_line = "\n" in text[pos:after]
            return bool(KEY_NEXT.match(text, after) or is_new_line and BARE_KEY_NEXT.match(text, after))
        return after > pos + 1 and char in CLOSING

    def _goes_on(self, pos: int, context: str) -> bool:
        """Whether what follows a comma looks like the next pair or item, or the end."""
        text = self.text
        if context != "}":
            return VALUE_NEXT.match(text, pos) is not None
        return text[pos] in "}｝" or bool(KEY_NEXT.match(text, pos) or BARE_KEY_NEXT.match(text, pos))

    def _triple(self, start: int, quote: str, notes: Notes) -> Found:
        end = self.text.find(quote * 3, start + 3)
        if end < 0:
            notes.truncated("a text")
        value = self._value(self.text[start + 3 : end], "'", notes)
        notes.note("triple quotes", self.text[start : end + 3], "quotes")
        return Found(value, end + 3)

    def _value(self, raw: str, quote: str, notes: Notes) -> str:
        if any(char < " " for char in raw):
            notes.note("raw control character", raw, "escaped")
        if "\\" not in raw:
            return raw
        if quote in "'`":
            return _joined(ESCAPE.sub(_python_escape, raw), notes)
        illegal = [escape for escape in ESCAPE.findall(raw) if _is_illegal(escape)]
        if any(escape[0].isalnum() for escape in illegal) or DRIVE.match(raw) and (illegal or self.forgot_to_escape):
            notes.note("backslashes not doubled", raw, raw.replace("\\", "\\\\"))
            return raw.replace('\\"', '"')
        if illegal:
            notes.note("illegal escape", f"\\{illegal[0]}", illegal[0])
        return _joined(ESCAPE.sub(_json_escape, raw), notes)


def _is_illegal(escape: str) -> bool:
    return escape not in JSON_ESCAPES and not (escape[0] == "u" and len(escape) == 5)


def _json_escape(found: re.Match[str]) -> str:
    escape = found.group(1)
    if len(escape) == 5:
        return chr(int(escape[1:], 16))
    return "'" if escape == "'" else JSON_ESCAPES.get(escape, found.group())


def _python_escape(found: re.Match[str]) -> str:
    escape = found.group(1)
    if len(escape) > 1:
        number = int(escape[1:], 16)
        return chr(number) if number < 0x110000 else found.group()
    return PYTHON_ESCAPES.get(escape, found.group())


def _joined(text: str, notes: Notes) -> str:
    """Join surrogate pairs; a lone surrogate is no character."""
    if text.isascii() or not any("\ud800" <= char <= "\udfff" for char in text):
        return text
    try:
        return text.encode("utf-16", "surrogatepass").decode("utf-16")
    except UnicodeDecodeError:
        return str(notes.malformed("a text has half of a surrogate pair"))

"""Text in quotes, where quotes inside are not escaped and backslashes are not doubled."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cached_property
from typing import Any, NamedTuple, Protocol

CLOSING = {
    '"': '"', "'": "'", "`": "`", "“": "”“\"", "”": "”\"", "„": "”“", "‘": "’'", "’": "’'", "＂": "＂", "＇": "＇",
}  # fmt: skip
"""The quotes that open text, and those that may close it."""
RULES = {"'": "single quotes", "`": "backticks"}
CONTROL = re.compile(r"[\x00-\x1f]")
CHUNK = re.compile(r"[^\\\"'`“”‘’＂＇\x00-\x1f]+")
ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|x[0-9a-fA-F]{2}|.)", re.DOTALL | re.ASCII)
JSON_ESCAPES = {'"': '"', "\\": "\\", "/": "/", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
PYTHON_ESCAPES = {**JSON_ESCAPES, "'": "'", "a": "\a", "v": "\v", "0": "\0", "\n": "", "`": "`", "$": "$"}
DRIVE = re.compile(r"[A-Za-z]:\\|\\\\[\w.-]")
KEY_NEXT = re.compile(r"""(?:"(?:[^"\\\n]|\\.){0,200}"|'(?:[^'\\\n]|\\.){0,200}'|[“”][^“”\n]{0,200}”)\s{0,100}[:：=]""")
BARE_KEY_NEXT = re.compile(r"[\w$][\w$.-]{0,200}\s{0,100}[:：=]")
GAP = re.compile(r"(?:[\s\ufeff]+|(?://|#)[^\n]{0,200}\n|/\*(?:[^*]|\*(?!/)){0,200}\*/){0,20}")


def end_of(pattern: re.Pattern[str], text: str, pos: int) -> int:
    """Give the place up to which a pattern reaches from ``pos``; where it does not fit, ``pos`` itself."""
    found = pattern.match(text, pos)
    return pos if found is None else found.end()


"""White space and comments: few and short, since it is looked at after every quote."""
AROUND = 100
ATTRIBUTE = re.compile(r"\w=$")
STRUCTURE = frozenset(",:[{]}=，：")
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
        self.end = len(text.rstrip())

    @cached_property
    def forgot_to_escape(self) -> bool:
        """Whether the author shows anywhere that backslashes were not doubled."""
        return any(_is_illegal(each, JSON_ESCAPES) and each[0].isalnum() for each in ESCAPE.findall(self.text))

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
        inner: list[int] = []
        while True:
            if (chunk := CHUNK.match(text, pos)) is not None:
                pos = chunk.end()
            char = text[pos : pos + 1]
            if not char and context == "top" and inner:
                notes.malformed("it is neither an object nor one text", start)
            if not char and context == "key" and inner and text[self.end - 1] in "}｝":
                notes.malformed("a colon was expected after the key", inner[0] + 1)
            if not char:
                notes.truncated("a text")
            if char == "\\":
                pos += 2
            elif char in closing and self._closes(pos, context):
                break
            else:
                if char in closing and not self._is_apostrophe(pos):
                    inner.append(pos)
                pos += 1
        if context != "top" and pos + 1 >= self.end:
            notes.truncated("an object or array")
        if len(inner) % 2 or any(self._is_doubtful(place, start, index % 2) for index, place in enumerate(inner)):
            notes.malformed("a text has quotes inside that are not escaped", start)
        if inner:
            notes.note("quotes inside a text", text[start : pos + 1], "escaped")
        return pos

    def _is_apostrophe(self, pos: int) -> bool:
        text = self.text
        return text[pos] != '"' and text[pos - 1].isalpha() and text[pos + 1 : pos + 2].isalpha()

    def _is_doubtful(self, pos: int, start: int, is_end: int) -> bool:
        """Whether a quote inside a text could as well be part of the JSON around it, or quotes no words."""
        text = self.text
        before, after = text[max(pos - AROUND, start + 1) : pos], text[pos + 1 : pos + AROUND]
        inner, outer = (before[-1:], after[:1]) if is_end else (after[:1], before[-1:])
        if not inner or inner.isspace() or outer.isalnum():
            return True
        if ATTRIBUTE.search(before):
            return False
        return before.rstrip()[-1:] in STRUCTURE or after.lstrip()[:1] in STRUCTURE

    def _closes(self, pos: int, context: str) -> bool:
        text = self.text
        after = end_of(GAP, text, pos + 1)
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
            after = end_of(GAP, text, after + 1)
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
        if CONTROL.search(raw):
            notes.note("raw control character", raw, "escaped")
        if "\\" not in raw:
            return raw
        escapes = PYTHON_ESCAPES if quote in "'`" else JSON_ESCAPES
        illegal = [escape for escape in ESCAPE.findall(raw) if _is_illegal(escape, escapes)]
        if any(escape[0].isalnum() for escape in illegal) or DRIVE.match(raw) and (illegal or self.forgot_to_escape):
            return self._literal(raw, quote, notes)
        if illegal:
            notes.note("illegal escape", f"\\{illegal[0]}", illegal[0])
        return _joined(ESCAPE.sub(lambda found: _unescaped(found, escapes), raw), notes)

    def _literal(self, raw: str, quote: str, notes: Notes) -> str:
        """Take every backslash for itself; where some were doubled and some not, nobody knows."""
        if "\\\\" in raw[2:]:
            notes.malformed("a text has backslashes of which only some are doubled")
        notes.note("backslashes not doubled", raw, raw.replace("\\", "\\\\"))
        return raw.replace(f"\\{quote}", quote)


def _is_illegal(escape: str, escapes: Mapping[str, str]) -> bool:
    return escape not in escapes and not (len(escape) == 5 or len(escape) > 1 and escapes is PYTHON_ESCAPES)


def _unescaped(found: re.Match[str], escapes: Mapping[str, str]) -> str:
    escape = found.group(1)
    if len(escape) == 1:
        return "'" if escape == "'" else escapes.get(escape, found.group())
    number = int(escape[1:], 16)
    return chr(number) if number < 0x110000 else found.group()


def _joined(text: str, notes: Notes) -> str:
    """Join surrogate pairs; a lone surrogate is no character."""
    if text.isascii() or not any("\ud800" <= char <= "\udfff" for char in text):
        return text
    try:
        return text.encode("utf-16", "surrogatepass").decode("utf-16")
    except UnicodeDecodeError:
        return str(notes.malformed("a text has half of a surrogate pair"))

"""Text to tokens: what wraps an expression, its names, numbers and signs, each with its place."""

from __future__ import annotations

import re
from typing import NamedTuple

from ares_plugin_calculator.characters import SUBSCRIPTS, SUPERSCRIPTS, plain, stranger, vulgar
from ares_plugin_calculator.exact import Exact
from ares_plugin_calculator.mistakes import Mistake
from ares_plugin_calculator.numerals import read_number

MAX_LENGTH = 4096
MAX_DEPTH = 100
_SPACE = re.compile(r"\s+")
_NAME = re.compile(r"(?:math\.(?=[a-z]))?([A-Za-z][A-Za-z0-9_]*[₀-₉]*)", re.IGNORECASE)
_NUMBER = re.compile(r"\.?[0-9]")
_SIGN = re.compile(r"\*\*|//|\.\.\.|\.\.|==|!==|!=|<=|>=|[-+*/%^!()\[\],<>√∛∜…≤≥≠]")
_SUPERSCRIPT = re.compile(r"[⁺⁻]?[⁰¹²³⁴⁵⁶⁷⁸⁹]+")
_SAME = {"…": "..", "≤": "<=", "≥": ">=", "≠": "!="}
_GREEK = {"π": "pi", "τ": "tau", "ℯ": "e"}
_WRAPPING = (("```", "```"), ("`", "`"), ('"', '"'), ("'", "'"))
_FENCE_LANGUAGE = re.compile(r"[a-z]*\n", re.IGNORECASE)
_ASKING = re.compile(r"(?<![=<>])=\s*\??$")
OPERATOR_WORDS = {"mod": "mod", "div": "//", "of": "of", "off": "off", "on": "on", "percent": "%"}


def too_deep(position: int) -> Mistake:
    """Refuse nesting that nobody wrote by hand."""
    return Mistake(f"it is nested more than {MAX_DEPTH} deep", "calculate the inner parts first", position)


class Token(NamedTuple):
    """A piece of the expression. ``spaced`` says that white space stands before it."""

    kind: str
    text: str
    position: int
    value: Exact = 0
    spaced: bool = False


def tokenize(expression: str) -> list[Token]:
    """Cut an expression into tokens, ending with one of kind ``end``.

    >>> [token.text for token in tokenize("2×π²=")]
    ['2', '*', 'pi', '²', '']
    """
    if len(expression) > MAX_LENGTH:
        reason = f"the expression is too long: {len(expression):,} characters, at most {MAX_LENGTH:,} are read"
        raise Mistake(reason, "calculate it in parts, or use a range such as sum(1..1000)")
    text = plain(expression)
    start, end = _inside(text)
    if start == end:
        raise Mistake("the expression is empty", "write something such as 2+2", 0)
    return Reader(text[:end], start).read()


def unwrapped(expression: str) -> str:
    """The expression without quotes and code ticks around it, ``=`` in front, ``=`` or ``=?`` behind.

    >>> unwrapped("`2×2 = ?`")
    '2×2'
    """
    start, end = _inside(plain(expression))
    return expression[start:end]


def _inside(text: str) -> tuple[int, int]:
    start, end = _stripped(text, 0, len(text))
    for opening, closing in _WRAPPING:
        inside = end - len(closing)
        if start + len(opening) <= inside and text.startswith(opening, start) and text.startswith(closing, inside):
            language = _FENCE_LANGUAGE.match(text, start + 3) if opening == "```" else None
            start, end = _stripped(text, language.end() if language else start + len(opening), inside)
    if text.startswith("=", start) and not text.startswith("==", start):
        start, end = _stripped(text, start + 1, end)
    asking = _ASKING.search(text, max(start, end - 8), end)
    return _stripped(text, start, asking.start()) if asking else (start, end)


def _stripped(text: str, start: int, end: int) -> tuple[int, int]:
    while start < end and text[start].isspace():
        start += 1
    while start < end and text[end - 1].isspace():
        end -= 1
    return start, end


class Reader:
    """Goes through the text once, remembering which brackets belong to calls and lists."""

    def __init__(self, text: str, start: int) -> None:
        self.text = text
        self.position = start
        self.tokens: list[Token] = []
        self.brackets: list[bool] = []

    def read(self) -> list[Token]:
        """All tokens."""
        while self.position < len(self.text):
            self._read_one(self._skip_space())
        self.tokens.append(Token("end", "", self.position))
        return self.tokens

    def _skip_space(self) -> bool:
        space = _SPACE.match(self.text, self.position)
        if space is None:
            return False
        if "\n" in space[0] and not self.brackets:
            line_end = self.text.index("\n", self.position)
            raise Mistake("there is more than one line", "give one expression at a time", line_end)
        self.position = space.end()
        return True

    def _read_one(self, spaced: bool) -> None:
        text, at = self.text, self.position
        if _NUMBER.match(text, at) or vulgar(text[at]):
            self._read_number(spaced)
        elif name := _NAME.match(text, at):
            self._read_name(name, spaced)
        elif sign := _SIGN.match(text, at):
            self._read_sign(sign[0], spaced)
        elif small := _SUPERSCRIPT.match(text, at):
            self._take("power", small[0], small.end(), spaced, int(small[0].translate(SUPERSCRIPTS)))
        elif text[at] in _GREEK:
            self._take("name", _GREEK[text[at]], at + 1, spaced)
        else:
            raise stranger(text[at], at)

    def _take(self, kind: str, text: str, end: int, spaced: bool, value: Exact = 0) -> None:
        self.tokens.append(Token(kind, text, self.position, value, spaced))
        self.position = end

    def _read_number(self, spaced: bool) -> None:
        start = self.position
        part = vulgar(self.text[start])
        value, end = (part, start + 1) if part else read_number(self.text, start, in_call=any(self.brackets))
        self._take("number", self.text[start:end], end, spaced, value)

    def _read_name(self, found: re.Match[str], spaced: bool) -> None:
        name = found[1].translate(SUBSCRIPTS)
        if found[0] != found[1] and name.lower() == "log":
            reason = "math.log is the natural logarithm in Python, but log is to base 10 here"
            raise Mistake(reason, "write ln(x) or log10(x)", self.position)
        following = self.text[found.end() : found.end() + 1]
        if following.isalpha() and following not in _GREEK:
            raise stranger(following, found.end())
        operator = OPERATOR_WORDS.get(name.lower()) if self._after_value() else None
        self._take("sign" if operator else "name", operator or name, found.end(), spaced)

    def _after_value(self) -> bool:
        last = self.tokens[-1] if self.tokens else None
        return last is not None and (last.kind != "sign" or last.text in (")", "]", "!", "%"))

    def _read_sign(self, sign: str, spaced: bool) -> None:
        if sign == "!=" and not spaced and self._after_value():
            reason = "this could mean a factorial or 'is not equal'"
            raise Mistake(reason, "write 5! == 120 or 5 != 120, with spaces", self.position)
        if sign == "...":
            raise Mistake("three dots mean nothing here", "write a range with two: 1..10", self.position)
        if sign in "([":
            self._open(sign)
        elif sign in ")]" and self.brackets:
            self.brackets.pop()
        sign = sign[:1] if sign == "!==" else sign
        self._take("sign", _SAME.get(sign, sign), self.position + len(sign), spaced)

    def _open(self, bracket: str) -> None:
        if len(self.brackets) == MAX_DEPTH:
            raise too_deep(self.position)
        separates = bracket == "[" or bool(self.tokens) and self.tokens[-1].kind == "name"
        self.brackets.append(separates)

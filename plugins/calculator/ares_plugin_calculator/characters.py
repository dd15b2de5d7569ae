"""Characters as people type them, brought to the few that the calculator reads.

Every character is replaced by exactly one other, so positions stay those of the expression that was given.
"""

from __future__ import annotations

import unicodedata
from fractions import Fraction

from ares_plugin_calculator.mistakes import Mistake, escaped

NARROW_SPACES = "\u00a0\u2009\u202f"
"""Spaces that also group digits: 1 000 000 as typeset."""

SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻", "0123456789+-")
SUBSCRIPTS = str.maketrans("₀₁₂₃₄₅₆₇₈₉", "0123456789")
INVISIBLE = "\u00ad\u200b\u200c\u200d\u200e\u200f\u2060\ufe0e\ufe0f\ufeff"
SIGNS = {
    "×✕✖⨯·⋅∙•∗⁎＊": "*",
    "÷∕⁄➗": "/",
    "−–—‐‑‒―➖": "-",
    "➕": "+",
    "［【": "[",
    "］】": "]",
    "，、٬": ",",
    "٫": ".",
    "٪": "%",
    "“”„«»": '"',
    "‘’‛": "'",
    "∶": ":",
    INVISIBLE: " ",
}
_TABLE = {ord(char): plain for chars, plain in SIGNS.items() for char in chars}
_STYLES = ("<wide>", "<font>", "<narrow>", "<small>")
LOOK_ALIKES = dict(
    zip(
        "аеорсухіјѕԁԛԝһкмтвнАЕОРСУХІЈЅКМТВНαερουνικχΑΒΕΖΗΙΚΜΝΟΡΤΥΧ",
        "aeopcyxijsdqwhkmtbhAEOPCYXIJSKMTBHaepouvikxABEZHIKMNOPTYX",
        strict=True,
    )
)
_CHARACTER_HINTS = {
    "=": "give only the side to calculate; to compare, write ==",
    ";": "give one expression at a time",
    "#": "leave comments out",
    "°": "angles are in radians: write radians(30) for 30°",
    "|": "write abs(x) for |x|",
    "∞": "infinity is no number; give a finite one",
    "∑": "write sum(1..n)",
    "Σ": "write sum(1..n)",
    "∏": "write product(1..n)",
    "‰": "divide by 1000 instead",
    "\\": "write plain operators, not LaTeX",
    ":": "write / for a ratio, 1..10 for a range",
    ".": "write .. for a range and one . in a decimal; nothing has attributes here",
}


def plain(text: str) -> str:
    """Replace typographic, full-width and foreign digits and signs by their plain twins.

    >>> plain("１２×３−٤")
    '12*3-4'
    """
    return text if text.isascii() else "".join(map(_plain, text))


def _plain(char: str) -> str:
    if char.isascii():
        return char
    replaced = _TABLE.get(ord(char))
    if replaced:
        return replaced
    digit = unicodedata.decimal(char, None)
    return str(digit) if digit is not None else _unstyled(char)


def _unstyled(char: str) -> str:
    """Full-width and mathematical letters and signs are the plain ones in another coat."""
    if unicodedata.decomposition(char).startswith(_STYLES):
        folded = unicodedata.normalize("NFKC", char)
        return folded if len(folded) == 1 else char
    return char


def vulgar(char: str) -> Fraction | None:
    """The value of a fraction in one character, such as ½."""
    if char.isascii() or not unicodedata.decomposition(char).startswith("<fraction>"):
        return None
    top, _, bottom = unicodedata.normalize("NFKC", char).partition("\u2044")
    return Fraction(int(top), int(bottom)) if top.isdecimal() and bottom.isdecimal() else None


def stranger(char: str, position: int) -> Mistake:
    """Say which character can't be read, by name, and what to write instead."""
    code = f"U+{ord(char):04X} {unicodedata.name(char, '')}".strip()
    category = unicodedata.category(char)
    if char in LOOK_ALIKES and char not in _CHARACTER_HINTS:
        twin = LOOK_ALIKES[char]
        return Mistake(f"'{char}' only looks like the letter {twin}: it is {code}", f"type a plain {twin}", position)
    if category == "Sc":
        reason = f"'{char}' is a currency sign ({code})"
        return Mistake(reason, "give plain numbers and put the currency back into your answer", position)
    shown = char if char.isprintable() else escaped(char)
    named = "" if char.isascii() else f" ({code})"
    hint = _CHARACTER_HINTS.get(char, "write only numbers, + - * / % ^ ! ( ), and names such as sqrt")
    return Mistake(f"'{shown}'{named} has no meaning here", hint, position)

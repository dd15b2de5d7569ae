"""Lossless conversions of one value to what the schema wants: each gives the value and the rule, or ``None``."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from decimal import Decimal, InvalidOperation
from functools import lru_cache
from typing import Any

from ares_core.decode import LOSSLESS, decode
from ares_core.errors import DecodeError
from ares_core.schema.normalise import normalise

Converted = tuple[Any, str] | None
LEFT_OUT = object()
"""Stands for "not given": the property is to be taken out."""
NUMBER = re.compile(r"-?(?:0|[1-9][0-9]{0,400})(?:\.[0-9]{1,400})?(?:[eE][-+]?[0-9]{1,3})?", re.ASCII)
SIGNS = frozenset("-0123456789")
BOOLEANS = {"true": True, "false": False}
LONGEST_WORD = 1_000
LARGEST = 10**400


def to_type(value: Any, kinds: Sequence[str]) -> Converted:
    """Convert a value of the wrong type to one of ``kinds``, if exactly one thing can be meant.

    Text is read as a number in JSON's own spelling (``"5"``, ``"5.0"``, ``"1e3"``; not ``"1,000"``, ``"0x10"``,
    ``"007"``), as a boolean only when it says true or false (``yes``, ``on``, ``1`` and ``0`` are refused), as JSON
    for an object or array. A number becomes text. One value becomes a list of one, unless it is text that looks like
    a list itself. An empty list becomes an empty object. ``null``, also as text, and empty text mean "not given" where
    they are not allowed.

    >>> to_type(" 5 ", ["integer"])
    (5, 'number from text')
    >>> to_type("five", ["integer"]) is None
    True
    """
    for convert in _FROM.get(type(value), (_to_list,)):
        if (converted := convert(value, kinds)) is not None:
            return converted
    return None


def number_from(text: str) -> int | float | None:
    """Read text that is a JSON number, exactly; ``None`` for anything else.

    >>> number_from("9007199254740993"), number_from("5.0"), number_from("1_000")
    (9007199254740993, 5, None)
    """
    text = text.strip()
    if len(text) > LONGEST_WORD or not NUMBER.fullmatch(text):
        return None
    if text.lstrip("-").isdigit():
        return int(text)
    try:
        exact = Decimal(text)
        whole = int(exact) if abs(exact) < LARGEST else None
    except (InvalidOperation, ValueError, OverflowError):
        return None
    if whole is not None and whole == exact:
        return whole
    number = float(text)
    return number if abs(number) != float("inf") else None


def _number(text: str, kinds: Sequence[str]) -> Converted:
    if "number" not in kinds and "integer" not in kinds:
        return None
    number = number_from(text)
    if number is None or type(number) is float and "number" not in kinds:
        return None
    return number, "number from text"


def _boolean(text: str, kinds: Sequence[str]) -> Converted:
    word = text.strip().casefold() if len(text) < 20 else ""
    return (BOOLEANS[word], "boolean from text") if "boolean" in kinds and word in BOOLEANS else None


def _null(text: str, kinds: Sequence[str]) -> Converted:
    word = text.strip().casefold() if len(text) < 20 else "-"
    if word in ("none", "undefined") and "array" not in kinds:
        word = "null"
    if word == "null" and "null" in kinds:
        return None, "null from text"
    return _NOTHING.get(word)


def _json(text: str, kinds: Sequence[str]) -> Converted:
    wanted = {"[": "array", "{": "object"}.get(text.lstrip()[:1])
    if wanted not in kinds:
        return None
    try:
        value, edits = decode(text)
    except DecodeError:
        return None
    fits = type(value) is (list if wanted == "array" else dict) and all(edit.rule in LOSSLESS for edit in edits)
    return (value, "JSON from text") if fits else None


def _text(value: float, kinds: Sequence[str]) -> Converted:
    return (repr(value), "text from number") if "string" in kinds and abs(value) < LARGEST else None


def _to_list(value: Any, kinds: Sequence[str]) -> Converted:
    """Put a copy into a list: what is repaired inside it later must change neither what was given nor its record."""
    return ([normalise(value)], "list of one") if "array" in kinds else None


def _word_to_list(text: str, kinds: Sequence[str]) -> Converted:
    looks_like_a_list = not text.strip() or text.lstrip()[:1] in "[{(" or any(mark in text for mark in ",;\n、，")
    return None if looks_like_a_list else _to_list(text, kinds)


def _empty_object(value: list[Any], kinds: Sequence[str]) -> Converted:
    """Some languages have one value for an empty list and an empty object."""
    return ({}, "empty object from empty list") if not value and "object" in kinds else None


def _left_out(value: None, kinds: Sequence[str]) -> Converted:
    return LEFT_OUT, "null left out"


_NOTHING: dict[str, Converted] = {"null": (LEFT_OUT, "null left out"), "": (LEFT_OUT, "empty text left out")}
_FROM: dict[type, tuple[Callable[[Any, Sequence[str]], Converted], ...]] = {
    str: (_number, _boolean, _json, _null, _word_to_list),
    int: (_text, _to_list),
    float: (_text, _to_list),
    bool: (_to_list,),
    type(None): (_left_out,),
    list: (_empty_object,),
    dict: (_to_list,),
}


def to_option(value: Any, options: Sequence[Any]) -> Converted:
    """Find the one option that is meant: by case and outer blanks, or written as text instead of a number.

    ``null`` and empty text that are no options mean "not given".

    >>> to_option(" DESC ", ["asc", "desc"])
    ('desc', 'option by case')
    >>> to_option("OPEN", ["open", "Open"]) is None
    True
    """
    if type(value) is str and len(value) <= LONGEST_WORD:
        return _option_of_text(value.strip(), options)
    if type(value) in (int, float):
        return _only([option for option in options if option == repr(value)], "text from number")
    return (LEFT_OUT, "null left out") if value is None else None


def _option_of_text(word: str, options: Sequence[Any]) -> Converted:
    if word in options:
        return word, "option by case"
    folded = word.casefold()
    if same := _spellings(options).get(folded):
        return _only(same, "option by case")
    if word[:1] in SIGNS and (number := number_from(word)) is not None:
        return _only([each for each in options if type(each) in (int, float) and each == number], "number from text")
    if (plain := BOOLEANS.get(folded)) is not None:
        return _only([option for option in options if option is plain], "boolean from text")
    return (None, "null from text") if folded == "null" and None in options else _NOTHING.get(folded)


def _spellings(options: Sequence[Any]) -> dict[str, list[str]]:
    """Sort the options that are text by how they are spelt without case and outer blanks."""
    try:
        return _known_spellings(tuple(options))
    except TypeError:  # one of them is a list or an object
        return _known_spellings(tuple([option for option in options if type(option) is str]))


@lru_cache(256)
def _known_spellings(options: tuple[Any, ...]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for option in options:
        if type(option) is str:
            found.setdefault(option.strip().casefold(), []).append(option)
    return found


def _only(found: list[Any], rule: str) -> Converted:
    return (found[0], rule) if len(found) == 1 else None

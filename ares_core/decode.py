"""Argument text becomes a value: strict JSON first, repair second, and never a guess about what was cut off."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import msgspec

from ares_core.calls import ArgumentEdit
from ares_core.errors import DecodeError

DEPTH = 128
LARGEST_REPAIR = 250_000
"""How many characters of text that is no JSON are looked at."""
ENCODED = 3
"""How many times text may have been encoded."""
LOSSLESS = frozenset(
    {"JSON in a string", "single quotes", "Python literal", "trailing comma", "same key twice", "tuple"}
)
"""Rules after which no doubt is left about the value."""

NOTHING = frozenset({"", "null", "None", "undefined"})
"""Texts that stand for no arguments at all."""

SPACED = re.compile(r'"\s+:')
"""A key that a count of ``":`` passes over."""

QUOTE = '<|"|>'
"""What stands for a quote in the templates of some models."""

_read = msgspec.json.Decoder().decode


def decode(text: Any) -> tuple[Any, tuple[ArgumentEdit, ...]]:
    """Read argument text; every change that was needed to read it is an edit.

    Valid JSON is taken as it stands. ``None``, nothing and white space are no arguments: ``{}``, and so is a text that
    only says ``null``, ``None`` or ``undefined``; what is not text is given back unchanged. Text that is no JSON is
    repaired if only one reading is possible: other quotes, Python literals, commas too many or missing, comments,
    fences and words around it, raw line breaks, backslashes that should have been doubled. Text that ends in the
    middle is refused: no bracket and no quote is ever added.

    Raises ``DecodeError``, whose ``code`` is ``truncated_arguments`` or ``malformed_arguments``.

    >>> decode('{"a": 1}')
    ({'a': 1}, ())
    >>> value, edits = decode("{'a': True,}")
    >>> value, [edit.rule for edit in edits]
    ({'a': True}, ['single quotes', 'Python literal', 'trailing comma'])
    >>> decode('{"path": "report.md", "content": "# Ti')
    Traceback (most recent call last):
    ...
    ares_core.errors.DecodeError: the arguments end in the middle of a text (cut off at character 38)
    """
    if type(text) is not str:
        return _from_other(text)
    try:
        value = _read(text)
    except (ValueError, RecursionError) as error:
        _refuse_cut_off(text, error)
        return _repaired(text, ENCODED)
    if len(text) > DEPTH and text.count("{") + text.count("[") > DEPTH:
        _check_depth(value)
    if type(value) is dict:
        keys = text.count('":')  # as many as there are: no key stands twice, and none lies deeper
        if keys != len(value) and keys != _count_keys(value) or keys != text.count(":") and SPACED.search(text):
            return value, _twice(text)
        return value, ()
    return _unwrapped(value, text, ENCODED)


def _refuse_cut_off(text: str, error: Exception) -> None:
    """Refuse at once what is JSON up to its end and then stops; half a surrogate pair is reported like that too."""
    if error.args[0] == "Input data was truncated" and text.lstrip()[:1] in ("{", "[") and "\\ud" not in text.lower():
        is_in_text = text.replace("\\\\", "").replace('\\"', "").count('"') % 2
        where = "a text" if is_in_text else "an object or array"
        raise DecodeError(
            f"the arguments end in the middle of {where} (cut off at character {len(text)})", "truncated_arguments"
        )


def _from_other(text: Any) -> tuple[Any, tuple[ArgumentEdit, ...]]:
    if text is None:
        return {}, ()
    if isinstance(text, (bytes, bytearray)):
        return decode(_text_of(text))
    return decode(str.__str__(text)) if isinstance(text, str) else (text, ())


def _text_of(data: bytes | bytearray) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise DecodeError(f"the arguments are no UTF-8 text: {error.reason}", "malformed_arguments") from None


def _unwrapped(value: Any, text: str, left: int) -> tuple[Any, tuple[ArgumentEdit, ...]]:
    """Open JSON that was encoded more than once; ``null`` is no arguments."""
    if value is None:
        return {}, ()
    if type(value) is list:
        return value, _twice(text)
    if type(value) is not str or not value.lstrip().startswith(("{", "[", '"')):
        return ({}, ()) if type(value) is str and value.strip() in NOTHING else (value, ())
    if left == 0:
        raise DecodeError(f"the arguments are text inside text, more than {ENCODED} times", "malformed_arguments")
    edit = ArgumentEdit("", _clip(text), _clip(value), "JSON in a string")
    try:
        inner, edits = _open(value, left - 1)
    except DecodeError:
        if value.lstrip()[0] == "{":
            raise
        return value, ()
    return inner, (edit, *edits)


def _open(text: str, left: int) -> tuple[Any, tuple[ArgumentEdit, ...]]:
    try:
        value = _read(text)
    except (ValueError, RecursionError):
        return _repaired(text, left)
    _check_depth(value)
    return (value, _twice(text)) if type(value) is dict else _unwrapped(value, text, left)


def _repaired(text: str, left: int) -> tuple[Any, tuple[ArgumentEdit, ...]]:
    from ares_core.repair.surroundings import read

    if (word := text.strip("\ufeff \t\r\n")) in NOTHING:
        return {}, (ArgumentEdit("", word, {}, "no arguments"),) if word else ()
    if len(text) > LARGEST_REPAIR:
        raise DecodeError(
            f"the arguments are no JSON, and too long to be repaired ({len(text):,} characters)", "malformed_arguments"
        )
    plain, first = _unescaped(text)
    value, edits = read(plain, DEPTH)
    if type(value) is str:
        value, inner = _unwrapped(value, plain, left)
        edits = (*edits, *inner)
    return value, (*first, *edits)


def _unescaped(text: str) -> tuple[str, tuple[ArgumentEdit, ...]]:
    """Undo an escaping of the whole text: HTML entities, a backslash before every quote, what a template left."""
    if "&quot;" in text and '"' not in text:
        import html

        plain, rule = html.unescape(text), "HTML entities"
    elif text.lstrip().startswith(('{\\"', '[\\"', '[{\\"')):
        try:
            plain, rule = _read(f'"{text}"'.replace("\r", "").replace("\n", " ")), "escaped quotes"
        except ValueError:
            return text, ()
    elif (inner := _in_double_braces(text)) is not None:
        plain, rule = inner, "double braces"
    elif QUOTE in text:
        plain, rule = text.replace(QUOTE, '"'), "a template's quotes"
    else:
        return text, ()
    return plain, (ArgumentEdit("", _clip(text), _clip(plain), rule),)


def _in_double_braces(text: str) -> str | None:
    """Give the object that stands in braces of its own once more, as in templates."""
    inner = text.strip()
    for _ in range(ENCODED):
        if not (inner.startswith("{{") and inner.endswith("}}")):
            return None
        inner = inner[1:-1].strip()
        try:
            return inner if type(_read(inner)) is dict else None
        except (ValueError, RecursionError):
            continue
    return None


def _clip(text: str) -> str:
    return text if len(text) <= 80 else f"{text[:79]}…"


def _containers(value: Any) -> Iterator[tuple[Any, int]]:
    """Give every object and array with its depth, without recursion."""
    waiting = [(value, 1)] if type(value) in (dict, list) else []
    while waiting:
        each, depth = waiting.pop()
        yield each, depth
        for item in each.values() if type(each) is dict else each:
            if type(item) is dict or type(item) is list:
                waiting.append((item, depth + 1))


def _check_depth(value: Any) -> None:
    for _, depth in _containers(value):
        if depth > DEPTH:
            raise DecodeError(f"the arguments are nested deeper than {DEPTH} levels", "malformed_arguments")


def _count_keys(value: Any) -> int:
    return sum(len(each) for each, _ in _containers(value) if type(each) is dict)


def _twice(text: str) -> tuple[ArgumentEdit, ...]:
    """Look for keys that come twice in one object, which every JSON reader passes over in silence."""
    import json

    from ares_core.repair.tolerant import same_twice

    edits: list[ArgumentEdit] = []

    def look(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        made = dict(pairs)
        if len(made) < len(pairs):
            edits.append(same_twice(pairs))
        return made

    json.loads(text, object_pairs_hook=look)
    return tuple(edits)

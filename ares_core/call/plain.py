"""Turning what a tool gave back into plain JSON, and plain JSON into text."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from numbers import Number
from types import SimpleNamespace
from typing import Any

import msgspec

from ares_core.call.redact import SHORTEST as SHORT
from ares_core.counts import counted
from ares_core.names import SECRET_KEYS

DEEPEST = 128
MOST_ITEMS = 100_000
TOO_LONG = 10**4300
MOST_FAST = 10**300
ENCODE = msgspec.json.Encoder().encode


class NoJSON(Exception):
    """A value that has no JSON form, and why."""


def flatness(data: Any) -> int:
    """Tell how simple data is: 2 for a number or a dict of such and short texts, 1 for one of any scalars, 0 otherwise.

    What is flat needs no turning into plain JSON; at 2 there is no room for a secret either, unless a key names one.
    """
    if type(data) is not dict:
        return 2 if type(data) in (int, bool, float) and -MOST_FAST < data < MOST_FAST else 0
    grade = 2
    for key, value in data.items():
        kind = type(value)
        if type(key) is not str:
            return 0
        if kind is str:
            if len(value) >= SHORT or key in SECRET_KEYS:
                grade = 1
        elif kind is float:
            if value - value != 0.0:
                return 0
        elif (
            kind is not int
            and kind is not bool
            and value is not None
            or kind is int
            and not -MOST_FAST < value < MOST_FAST
        ):
            return 0
    return grade


def plain(value: Any, depth: int = 0) -> Any:
    """Give the plain JSON form: sets in stable order, times as ISO text, decimals exact, bytes described.

    NaN and infinities become ``None``. Raises ``NoJSON`` for what has no form, is circular or far too large.

    >>> from decimal import Decimal
    >>> plain({"price": Decimal("0.10"), "tags": {"b", "a"}})
    {'price': '0.10', 'tags': ['a', 'b']}
    """
    kind = type(value)
    if kind is str:
        return encodable(value)
    if kind is bool or value is None:
        return value
    if kind is int:
        return value if -TOO_LONG < value < TOO_LONG else _refuse_digits(value)
    if kind is float:
        return value if math.isfinite(value) else None
    if depth >= DEEPEST:
        raise NoJSON("it is nested more than 128 deep, or contains itself")
    if kind is not list and (kind is dict or isinstance(value, Mapping)):
        made: dict[str, Any] = {}
        for key, item in value.items():
            name = key if type(key) is str and key.isascii() else _key(key)
            made[name] = item if type(item) is str and item.isascii() else plain(item, depth + 1)
        return made if len(made) == len(value) else _refuse_keys(value)
    if kind is list or isinstance(value, (list, tuple)):
        return [plain(item, depth + 1) for item in value]
    return _other(value, depth)


def _other(value: Any, depth: int) -> Any:
    if isinstance(value, bytes | bytearray | memoryview):
        return _bytes(bytes(value))
    if isinstance(value, AbstractSet):
        return sorted((plain(item, depth + 1) for item in value), key=ENCODE)
    if isinstance(value, str | int | float):
        return plain(_base(value), depth)
    if hasattr(value, "model_dump"):
        return plain(value.model_dump(mode="json"), depth + 1)
    if isinstance(value, os.PathLike):
        return plain(os.fspath(value), depth + 1)
    if hasattr(value, "tolist"):
        return plain(value.tolist(), depth + 1)
    if isinstance(value, Sequence) or hasattr(value, "__next__") and isinstance(value, Iterable):
        return [plain(item, depth + 1) for item in _bounded(value)]
    return _rare(value, depth)


def _rare(value: Any, depth: int) -> Any:
    if isinstance(value, Number) or type(value).__module__ == "ipaddress":
        return str(value)
    try:
        if isinstance(value, SimpleNamespace):
            return plain(vars(value), depth + 1)
        return plain(msgspec.to_builtins(value), depth + 1)
    except RecursionError:
        raise NoJSON("it contains itself") from None
    except NoJSON:
        raise
    except Exception as error:
        raise NoJSON(f"a value of type {kind_of(value)} has no JSON form") from error


def _base(value: str | float) -> Any:
    for base in (str, int, float):
        if isinstance(value, base):
            return base(value) if base is not str else str.__str__(value)
    return None


def _bounded(values: Iterable[Any]) -> Iterable[Any]:
    for count, value in enumerate(values):
        if count >= MOST_ITEMS:
            raise NoJSON(f"it gives more than {MOST_ITEMS} items")
        yield value


def _key(key: Any) -> str:
    if type(key) is str:
        return encodable(key)
    if isinstance(key, str | int | float | bool) or key is None:
        return ENCODE(key).decode().strip('"')
    return str(plain(key, DEEPEST - 1))


def encodable(text: str) -> str:
    r"""Put a question mark for half of a surrogate pair, which no encoding can carry.

    >>> encodable("naïve \ud800")
    'naïve ?'
    """
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-8", "replace").decode()
    return text


def _bytes(raw: bytes) -> str:
    try:
        return raw.decode()
    except UnicodeDecodeError:
        more = "…" if len(raw) > 64 else ""
        return f"{counted(len(raw), 'byte')} of binary data, hex {raw[:64].hex()}{more}"


def _refuse_keys(value: Mapping[Any, Any]) -> Any:
    """Keys that differ for Python alone, such as ``1`` and ``"1"``: one of them would be lost in silence."""
    written: set[str] = set()
    for key in map(_key, value):
        if key in written:
            raise NoJSON(f"two of its keys are both written {key[:80]!r}")
        written.add(key)
    raise NoJSON("its keys are others each time that they are read")


def _refuse_digits(value: int) -> Any:
    raise NoJSON(f"a whole number of about {int(value.bit_length() * 0.30103) + 1} digits is too long to write")


def kind_of(value: Any) -> str:
    """The name of a value's type, for sentences."""
    return type(value).__qualname__


def text_of(data: Any) -> str:
    """Write plain JSON for a model: text as it is, anything else as compact JSON.

    >>> text_of({"a": 1}), text_of("done"), text_of(None)
    ('{"a":1}', 'done', '(no output)')
    """
    if type(data) is str:
        return data or "(empty text)"
    if data is None:
        return "(no output)"
    try:
        return ENCODE(data).decode()
    except UnicodeEncodeError:
        return ENCODE(plain(data)).decode()

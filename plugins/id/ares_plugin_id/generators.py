"""How each type of identifier is made."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Mapping
from typing import Any

from ares_core import ToolError, counted

CROCKFORD = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
HEXADECIMAL = "0123456789abcdef"
URL_SAFE = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-"
SHAPES = {"short": (8, HEXADECIMAL), "nanoid": (21, URL_SAFE)}
FAMILIES = {"generate_uuid": ("uuid4", "uuid7"), "generate_short_id": ("short", "nanoid")}


def generate(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Make ``count`` identifiers of a type.

    >>> generate({"type": "uuid7", "count": 3})["count"]
    3
    """
    kind, count = _kind(arguments), arguments.get("count", 1)
    if kind in SHAPES:
        ids = _chosen(*_shape(kind, arguments), count)
    else:
        _refuse_shape(kind, arguments)
        ids = [MAKERS[kind]() for _ in range(count)]
    return {"type": kind, "count": count, "ids": ids, **({"id": ids[0]} if count == 1 else {})}


def _kind(arguments: Mapping[str, Any]) -> str:
    family = FAMILIES.get(arguments.get("operation", ""))
    kind: str = arguments.get("type") or (family[0] if family else "uuid4")
    if family and kind not in family:
        raise _refusal(f"{arguments['operation']} makes {' or '.join(family)}, not {kind}", "leave 'operation' out")
    return kind


def _refuse_shape(kind: str, arguments: Mapping[str, Any]) -> None:
    for name in ("length", "alphabet"):
        if name in arguments:
            raise _refusal(f"a {kind} has a fixed form, so {name!r} can't be chosen", "use type short or nanoid")


def _shape(kind: str, arguments: Mapping[str, Any]) -> tuple[int, str]:
    length, alphabet = SHAPES[kind]
    alphabet = arguments.get("alphabet", alphabet)
    if len(set(alphabet)) < len(alphabet):
        twice = next(character for character in alphabet if alphabet.count(character) > 1)
        raise _refusal(f"the alphabet has {twice!r} more than once", "give each character once")
    return arguments.get("length", length), alphabet


def _refusal(message: str, hint: str) -> ToolError:
    return ToolError(f"{message}; nothing was made", hint=hint, blame="input")


def _chosen(length: int, alphabet: str, count: int) -> list[str]:
    """Draw different ids, each as one number below the count of all possible ones, so that all are equally likely."""
    import secrets

    possible = len(alphabet) ** length
    if possible < count:
        raise _refusal(
            f"ids of length {length} from {counted(len(alphabet), 'character')}: "
            f"only {possible} can differ, not {count}",
            "take a greater length, a larger alphabet or a smaller count",
        )
    numbers: dict[int, None] = {}
    while len(numbers) < count:
        numbers[secrets.randbelow(possible)] = None
    return [_written(number, alphabet, length) for number in numbers]


def _written(number: int, alphabet: str, length: int) -> str:
    characters = []
    for _ in range(length):
        number, digit = divmod(number, len(alphabet))
        characters.append(alphabet[digit])
    return "".join(reversed(characters))


def _random(bits: int) -> int:
    return int.from_bytes(os.urandom(-(-bits // 8))) >> -bits % 8


class Ticks:
    """Numbers made of a time in milliseconds and a random tail, each greater than all before in this process.

    Within one millisecond, or when the clock was set back, the tail grows by a random step (RFC 9562, 6.2, method 2).
    """

    def __init__(self, tail_bits: int) -> None:
        self._tail_bits = tail_bits
        self._lock = threading.Lock()
        self._last = 0

    def next(self) -> int:
        """Give the next number: 48 bits of time, then the tail."""
        fresh = time.time_ns() // 1_000_000 << self._tail_bits | _random(self._tail_bits - 1)
        with self._lock:
            same_time = fresh >> self._tail_bits <= self._last >> self._tail_bits
            self._last = self._last + 1 + _random(48) if same_time else fresh
            return self._last


UUID7_TICKS = Ticks(74)
ULID_TICKS = Ticks(80)


def uuid4() -> str:
    """Make a random UUID (RFC 9562, version 4)."""
    return _uuid(4, _random(48), _random(74))


def uuid7() -> str:
    """Make a UUID that sorts by the time it was made (RFC 9562, version 7)."""
    number = UUID7_TICKS.next()
    return _uuid(7, number >> 74, number & (1 << 74) - 1)


def _uuid(version: int, head: int, tail: int) -> str:
    """Put 48 and 74 bits around the version and the variant."""
    number = head << 80 | version << 76 | tail >> 62 << 64 | 0b10 << 62 | tail & (1 << 62) - 1
    digits = f"{number:032x}"
    return "-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]))


def ulid() -> str:
    """Make a ULID: 26 characters that sort by the time it was made."""
    return _written(ULID_TICKS.next(), CROCKFORD, 26)


MAKERS: dict[str, Callable[[], str]] = {"uuid4": uuid4, "uuid7": uuid7, "ulid": ulid}

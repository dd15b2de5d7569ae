"""Counts as people read them."""

from __future__ import annotations


def counted(number: float, one: str, many: str = "") -> str:
    """Write how many of something there are; ``many`` is for words whose plural is not made with an s.

    >>> counted(1, "call"), counted(2_000, "call"), counted(0, "entry", "entries"), counted(0.5, "second")
    ('1 call', '2,000 calls', '0 entries', '0.5 seconds')
    """
    return f"{f'{number:,}'.removesuffix('.0')} {one if abs(number) == 1 else many or f'{one}s'}"


def in_short(number: float) -> str:
    """Write a number to three digits that count, or all those before the point.

    >>> in_short(3.331551), in_short(12.5), in_short(1234.5), in_short(0.00001)
    ('3.33', '12.5', '1,234', '0')
    """
    size = abs(number)
    text = f"{number:,.{0 if size >= 100 else 1 if size >= 10 else 2 if size >= 1 else 3}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def lasting(ms: float) -> str:
    """Write how long something took, which is known in milliseconds.

    >>> lasting(0.25), lasting(64.42), lasting(1234.5)
    ('0.25 ms', '64.4 ms', '1.23 s')
    """
    return f"{in_short(ms / 1000)} s" if ms >= 1000 else f"{in_short(ms)} ms"

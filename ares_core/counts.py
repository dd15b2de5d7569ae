"""Counts as people read them."""

from __future__ import annotations


def counted(number: float, one: str, many: str = "") -> str:
    """Write how many of something there are; ``many`` is for words whose plural is not made with an s.

    >>> counted(1, "call"), counted(2_000, "call"), counted(0, "entry", "entries"), counted(0.5, "second")
    ('1 call', '2,000 calls', '0 entries', '0.5 seconds')
    """
    return f"{f'{number:,}'.removesuffix('.0')} {one if abs(number) == 1 else many or f'{one}s'}"

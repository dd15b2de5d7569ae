"""What is wrong with an expression, in words."""

from __future__ import annotations

from difflib import get_close_matches

SHOWN = 80


class Mistake(Exception):
    r"""Why an expression has no answer, what to write instead, and where (an offset; filled in when known).

    >>> Mistake("division by zero", "divide by another number", 1).told("1/0")
    'Can\'t calculate "1/0": division by zero (position 2).'
    """

    def __init__(self, reason: str, advice: str, position: int | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.advice = advice
        self.position = position

    @property
    def hint(self) -> str:
        """The advice as a sentence."""
        return self.advice[:1].upper() + self.advice[1:] + ("" if self.advice.endswith("?") else ".")

    def told(self, expression: str) -> str:
        """The sentence for the caller; positions count from 1."""
        position = (self.position or 0) + 1
        return f'Can\'t calculate "{around(expression, position - 1)}": {self.reason} (position {position}).'


def too_large(what: str = "the result", digits: float | None = None) -> Mistake:
    """Refuse a number that would take too long to compute or print."""
    size = f"it would have about {digits:,.0f} digits" if digits and digits < 1e15 else "it has far too many digits"
    return Mistake(f"{what} is too large: {size}", "keep whole numbers below about 39,000 digits")


def too_small() -> Mistake:
    """Refuse to call a tiny number zero."""
    return Mistake(
        "the result is too small for a decimal number (below 5e-324) but not zero", "scale it up, or take its logarithm"
    )


def around(text: str, position: int) -> str:
    r"""The part of a text near a position, printable and short.

    >>> around("1+\u200b" + "2" * 200, 2)
    '1+\\u200b22222222222222222222222222222222222222222222222222222222222222222222222222222…'
    """
    start = 0 if len(text) <= SHOWN else max(0, min(position - SHOWN // 2, len(text) - SHOWN))
    piece = "".join(char if char.isprintable() else escaped(char) for char in text[start : start + SHOWN])
    return ("…" if start else "") + piece + ("…" if start + SHOWN < len(text) else "")


def escaped(char: str) -> str:
    """A character that can't be seen, as its escape."""
    return char.encode("unicode_escape").decode("ascii")


def nearest(name: str, names: list[str]) -> str:
    """A suggestion for a misspelt name, or nothing."""
    found = get_close_matches(name, names, n=1, cutoff=0.7) if len(name) <= 32 else []
    return f"did you mean {found[0]}?" if found else ""

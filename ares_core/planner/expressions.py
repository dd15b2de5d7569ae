"""Expressions: how rules put calculations together so that they mean what was said."""

from __future__ import annotations

import re
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from msgspec import Struct

from ares_core.errors import RegistrationError
from ares_core.planner.numbers import Exact, Number, plain_figures

LOOSE, ADD, MULTIPLY, SIGN, POWER, ATOM = 0, 10, 20, 25, 30, 90
"""How tightly an expression holds together."""

OPERATORS = {"+": ADD, "-": ADD, "*": MULTIPLY, "/": MULTIPLY, "//": MULTIPLY, "%": MULTIPLY, "**": POWER}
FUNCTIONS = {name.lower(): name for name in (
    "sqrt cbrt abs sin cos tan asin acos atan log log2 log10 ln exp round floor ceil pow min max factorial nPr nCr "
    "gcd lcm isPrime mean median variance stddev sum product mode binomial normalPdf poissonPdf root isqrt hypot sinh "
    "cosh tanh asinh acosh atanh atan2 radians degrees trunc sign mod powmod digits count average avg comb perm "
    "sample_variance sample_stddev sum_of_squares sum_of_cubes").split()} | {"c": "nCr", "p": "nPr"}  # fmt: skip
ANSWERS = ("isPrime(", "round(", "floor(", "ceil(")
"""What is asked at the end about all that stands before it: a yes or a no, or to round it."""
CONSTANTS = {"pi": "pi", "π": "pi", "e": "e"}
LONGEST_LIST = 1000
_PIECE = re.compile(r"\{(\w+)(?:\.(\w+))?\}|(\*\*|//|[-+*/%(),])|([^{}\-+*/%(),]+)")


class Place(Struct, frozen=True):
    """Where a slot stands in a template: what of it, and how tight it must be to stand without parentheses."""

    slot: str
    part: str
    level: int


class Template(Struct, frozen=True):
    """A template cut into pieces; ``level`` is how tight the whole is, ``left`` how tight its first slot must be."""

    pieces: tuple[str | Place, ...]
    level: int
    left: int
    right: int


def template(source: str) -> Template:
    """Work out where a template needs parentheses.

    >>> fill(template("{a}*{b}"), {"a": ("1+2", ADD), "b": ("3", ATOM)})
    '(1+2)*3'
    """
    pieces = [match.groups() for match in _PIECE.finditer(source)]
    if "".join(match[0] for match in _PIECE.finditer(source)) != source:
        raise RegistrationError(f"the template {source!r} of a rule can't be read: braces hold the name of a slot")
    made: list[str | Place] = []
    lowest, depth = ATOM, 0
    for index, (slot, part, sign, other) in enumerate(pieces):
        if sign in ("(", ")"):
            depth += 1 if sign == "(" else -1
        elif sign in OPERATORS and depth == 0:
            lowest = min(lowest, OPERATORS[sign] if index else SIGN)
        if slot:
            made.append(Place(slot, part or "", _needed(pieces, index)))
        else:
            made.append(sign or other)
    left = LOOSE if source.startswith(("({", *ANSWERS)) else lowest
    right = LOOSE if source.endswith("})") and lowest < ATOM else lowest + (lowest not in (POWER, ATOM))
    return Template(tuple(made), lowest, left, right)


def _needed(pieces: list[tuple[str, ...]], index: int) -> int:
    before = pieces[index - 1][2] if index else None
    after = pieces[index + 1][2] if index + 1 < len(pieces) else None
    needed = LOOSE
    if before in OPERATORS:
        needed = OPERATORS[before] + (before not in ("+", "**")) if index > 1 else POWER
    if after in OPERATORS:
        needed = max(needed, OPERATORS[after] + (after == "**"))
    return needed


def fill(form: Template, slots: Mapping[str, tuple[str, int]]) -> str:
    """Write a template with expressions in its slots, in parentheses where they are looser than their place."""
    return "".join(
        piece if isinstance(piece, str) else _placed(*slots[piece.slot], piece.level) for piece in form.pieces
    )


def _placed(text: str, level: int, needed: int) -> str:
    return text if level >= needed else f"({text})"


def written(number: Number) -> tuple[str, int]:
    """Write a number as an expression; a percentage is a fraction of a hundred."""
    level = MULTIPLY if isinstance(number.value, Fraction) else ATOM
    return (f"{number.text}/100", MULTIPLY) if number.percent else (number.text, level)


class Series(Struct, frozen=True):
    """Whole numbers from ``first`` to ``last`` in steps, or their ``power``s, and what can be said of them at once.

    >>> Series.of(1, 100, only="even").sum
    '50*(2+100)/2'
    """

    first: int
    last: int
    step: int = 1
    power: int = 1

    @classmethod
    def of(cls, first: Exact, last: Exact, step: Exact = 1, only: str = "", power: Exact = 1) -> Series | None:
        """Make a series; ``None`` if an end is no whole number. It may be told backwards."""
        if not (isinstance(first, int) and isinstance(last, int) and isinstance(step, int)) or power not in (1, 2, 3):
            return None
        first, last = min(first, last), max(first, last)
        if only and step == 1:
            first, step = first + (first % 2 != (only == "odd")), 2
        elif only:
            return None
        return cls(first, last - (last - first) % step, step, int(power)) if step > 0 and first <= last else None

    @property
    def count(self) -> str:
        """How many numbers there are."""
        return str((self.last - self.first) // self.step + 1)

    @property
    def sum(self) -> str | None:
        """Their sum in closed form, whatever their number."""
        if self.power > 1:
            return self._sum_of_powers()
        if self.first == 1 and self.step == 1:
            return f"{self.last}*({self.last}+1)/2"
        return f"{self.count}*({self.first}+{_signed(self.last)})/2"

    def _sum_of_powers(self) -> str | None:
        if self.step != 1 or self.first < 1:
            return None
        form = "{n}*({n}+1)*(2*{n}+1)/6" if self.power == 2 else "({n}*({n}+1)/2)**2"
        whole = form.format(n=self.last)
        return whole if self.first == 1 else f"{whole}-{form.format(n=self.first - 1)}"

    @property
    def mean(self) -> str | None:
        """Their mean."""
        return f"({self.first}+{_signed(self.last)})/2" if self.power == 1 else None

    @property
    def product(self) -> str | None:
        """Their product."""
        if self.power > 1 or self.step > 1 or self.first < 1:
            return None
        whole = f"factorial({self.last})"
        return whole if self.first == 1 else f"{whole}/factorial({self.first - 1})"

    @property
    def values(self) -> str | None:
        """The numbers one by one, or as a range."""
        if self.step == 1 and self.power == 1:
            return f"{self.first}..{self.last}"
        if int(self.count) > LONGEST_LIST:
            return None
        return ",".join(str(n**self.power) for n in range(self.first, self.last + 1, self.step))


def _signed(value: int) -> str:
    return f"({value})" if value < 0 else str(value)


def figures(value: Any) -> str:
    """Write a value of a slot into a template that is no expression."""
    return value if isinstance(value, str) else plain_figures(value)

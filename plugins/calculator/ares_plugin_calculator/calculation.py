"""Carries out what the parser asks for, and keeps account of the work.

Every single step is small because numbers are bounded before they are made; the sum of all steps is bounded here.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

from ares_plugin_calculator.exact import (
    Number,
    add,
    divide,
    floor_divide,
    limbs,
    modulo,
    multiply,
    subtract,
)
from ares_plugin_calculator.mistakes import Mistake
from ares_plugin_calculator.names import CONSTANTS, FUNCTIONS, Function, key, scalar_cost
from ares_plugin_calculator.powers import cbrt, power, power_cost, root, sqrt
from ares_plugin_calculator.sequences import Part, Range, make_range
from ares_plugin_calculator.tokens import Token
from ares_plugin_calculator.whole import factorial

MAX_WORK = 50_000_000
"""Nanoseconds, as estimated: an expression of many steps that are each allowed may still be refused."""


class Percent(NamedTuple):
    """A percentage that has not met the value it is of; ``share`` is a hundredth of what was written."""

    share: Number


Value = Number | Percent | Range | list[Any]
"""What an expression can stand for on the way: only numbers can be the answer."""


_BINARY: dict[str, Callable[[Any, Any], Number]] = {
    "+": add,
    "-": subtract,
    "*": multiply,
    "/": divide,
    "//": floor_divide,
    "%": modulo,
    "mod": modulo,
    "^": power,
    "**": power,
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
_WHOLE_RATES = {"+": 0.01, "-": 0.01, "*": 0.5}
_PREFIX: dict[str, Callable[[Any], Number]] = {
    "+": operator.pos,
    "-": operator.neg,
    "√": sqrt,
    "∛": cbrt,
    "∜": partial(root, degree=4),
}


class Calculation:
    """One expression's work and what should be told beside its answer."""

    def __init__(self) -> None:
        self.work = 0.0
        self.notes: list[str] = []

    def spend(self, cost: float) -> None:
        """Count work that is about to be done, and refuse when it gets too much."""
        self.work += cost
        if self.work > MAX_WORK:
            raise Mistake("this is too much work", "calculate it in parts, with smaller numbers")

    def note(self, text: str) -> None:
        """Say something beside the answer, once."""
        if text and text not in self.notes:
            self.notes.append(text)

    def binary(self, sign: str, left: Value, right: Value) -> Value:
        """Carry out an operator between two values."""
        if sign in ("+", "-") and (isinstance(left, Percent) or isinstance(right, Percent)):
            return self._percent(sign, left, right)
        first, second = number(left), number(right)
        self.spend(_cost(sign, first, second))
        return self._counted(_BINARY[sign](first, second))

    def _percent(self, sign: str, left: Value, right: Value) -> Value:
        """A percentage added to a number is of that number; two percentages add up."""
        if isinstance(left, Percent) and isinstance(right, Percent):
            return Percent(number(self.binary(sign, left.share, right.share)))
        if not isinstance(right, Percent):
            return self.binary(sign, number(left), right)
        base = number(left)
        self.note("the percentage is taken of the value on its left")
        return self.binary(sign, base, self.binary("*", base, right.share))

    def percent_of(self, word: str, left: Value, right: Value) -> Value:
        """10% of 50, 10% off 50, 10% on 50."""
        if not isinstance(left, Percent):
            raise Mistake(f"'{word}' needs a percentage before it", f"write 10% {word} 50")
        part = self.binary("*", left.share, number(right))
        return part if word == "of" else self.binary("-" if word == "off" else "+", number(right), part)

    def postfix(self, sign: str, value: Value) -> Value:
        """Carry out an operator behind a value: ! or %."""
        if sign == "%":
            if isinstance(value, Percent):
                raise Mistake("there are two percent signs", "write one, as in 10%, or 10 mod 3 for a remainder")
            return Percent(number(self.binary("/", value, 100)))
        return self._counted(factorial(number(value)))

    def prefix(self, sign: str, value: Value) -> Value:
        """Carry out a sign or a root."""
        if isinstance(value, Percent) and sign in "+-":
            return Percent(number(self.prefix(sign, value.share)))
        self.spend(scalar_cost(number(value)))
        return self._counted(_PREFIX[sign](number(value)))

    def constant(self, name: str) -> Value:
        """pi, e or tau."""
        return CONSTANTS[key(name)]

    def range_of(self, first: Value, last: Value, step: Value | None) -> Range:
        """first..last..step."""
        return make_range(number(first), number(last), None if step is None else number(step))

    def call(self, token: Token, values: list[Value]) -> Value:
        """The function of that name, of these values."""
        function = FUNCTIONS[key(token.text)]
        if not function.least <= len(values) <= function.most:
            raise _wrong_count(function, len(values))
        arguments = [parts_of(values)] if function.many else [number(value) for value in values]
        self.spend(function.cost(*arguments))
        self.note(function.note if len(values) == 1 or function.many else "")
        return self._counted(function.compute(*arguments))

    def _counted(self, answer: Number) -> Number:
        width = limbs(answer)
        self.spend(width * width / 4)
        return answer


def _cost(sign: str, left: Number, right: Number) -> float:
    """Measured: fractions take multiplications and a greatest common divisor, whole numbers one or neither."""
    if sign in ("^", "**"):
        return power_cost(left, right)
    whole = isinstance(left, int) and isinstance(right, int)
    rate = _WHOLE_RATES.get(sign, 1.6) if whole else 6 if sign in ("%", "mod") else 3
    return 2_000 + rate * limbs(left) * limbs(right)


def number(value: Value) -> Number:
    """A value that must be a single number; a percentage becomes its hundredth."""
    if isinstance(value, Percent):
        return value.share
    if isinstance(value, Range | list):
        what = "a range" if isinstance(value, Range) else "a list"
        raise Mistake(f"{what} stands where one number is needed", "give it to a function such as sum, mean or max")
    return value


def parts_of(values: list[Value]) -> list[Part]:
    """Numbers and ranges, with lists laid open."""
    parts: list[Part] = []
    for value in values:
        if isinstance(value, list):
            parts.extend(parts_of(value))
        else:
            parts.append(value if isinstance(value, Range) else number(value))
    return parts


def _wrong_count(function: Function, given: int) -> Mistake:
    least, most = function.least, function.most
    takes = f"{least}" if least == most else f"at least {least}" if function.many else f"{least} or {most}"
    plural = "" if takes.endswith("1") else "s"
    hint = f"write {function.usage}" + ("; a comma separates values, 1024 has none" if given > most else "")
    return Mistake(f"{function.name} takes {takes} value{plural}, not {given}", hint)

"""Equality as JSON has it, and a budget for work that a small request can make large."""

from __future__ import annotations

from typing import Any

from ares_core import ToolError
from ares_plugin_json.numbers import comparable, is_number


class Budget:
    """Counts steps, and refuses when there are too many."""

    def __init__(self, steps: int, what: str, hint: str) -> None:
        self.left = steps
        self.refusal = ToolError(f"{what} takes more than {steps:,} steps; it was given up", hint=hint, blame="input")

    def spend(self, steps: int = 1) -> None:
        """Take steps away."""
        self.left -= steps
        if self.left < 0:
            raise self.refusal


def same(left: Any, right: Any, budget: Budget) -> bool:
    """Whether two values are equal: numbers by value, objects in any order, true never 1.

    >>> same({"a": 1, "b": [True]}, {"b": [True], "a": 1.0}, Budget(100, "", ""))
    True
    >>> same(1, True, Budget(100, "", ""))
    False
    """
    budget.spend()
    kind = type(left)
    if kind is dict and type(right) is dict:
        return len(left) == len(right) and all(
            key in right and same(item, right[key], budget) for key, item in left.items()
        )
    if kind is list and type(right) is list:
        return len(left) == len(right) and all(same(one, other, budget) for one, other in zip(left, right, strict=True))
    if is_number(left) and is_number(right):
        return comparable(left) == comparable(right)
    if kind is str and type(right) is str and len(left) == len(right):
        budget.spend(len(left) >> 10)
    return kind is type(right) and bool(left == right)

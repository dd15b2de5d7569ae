"""The differences between two documents, as a JSON Patch that turns the one into the other."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any

from ares_core import ToolError
from ares_plugin_json.comparing import Budget, same
from ares_plugin_json.numbers import escape

MOST_STEPS = 1_000_000
MOST_CHANGES = 10_000


def difference(left: Any, right: Any) -> list[dict[str, Any]]:
    """Give the operations that turn ``left`` into ``right``; none if they are equal.

    >>> difference({"a": [1, 2], "b": 1}, {"a": [1, 3], "c": None})
    [{'op': 'replace', 'path': '/a/1', 'value': 3}, {'op': 'remove', 'path': '/b'}, \
{'op': 'add', 'path': '/c', 'value': None}]
    """
    budget = Budget(MOST_STEPS, "the comparison", "compare parts of the documents")
    found = list(islice(_changes(left, right, "", budget), MOST_CHANGES + 1))
    if len(found) > MOST_CHANGES:
        raise ToolError(
            f"there are more than {MOST_CHANGES:,} differences; it was given up",
            hint="compare parts of the documents",
            blame="input",
        )
    return found


def _changes(left: Any, right: Any, path: str, budget: Budget) -> Iterator[dict[str, Any]]:
    budget.spend()
    if type(left) is dict and type(right) is dict:
        yield from _in_objects(left, right, path, budget)
    elif type(left) is list and type(right) is list:
        yield from _in_arrays(left, right, path, budget)
    elif not same(left, right, budget):
        yield {"op": "replace", "path": path, "value": right}


def _in_objects(
    left: dict[str, Any], right: dict[str, Any], path: str, budget: Budget
) -> Iterator[dict[str, Any]]:  # fmt: skip
    for key, value in left.items():
        below = f"{path}/{escape(key)}"
        if key in right:
            yield from _changes(value, right[key], below, budget)
        else:
            yield {"op": "remove", "path": below}
    for key, value in right.items():
        if key not in left:
            yield {"op": "add", "path": f"{path}/{escape(key)}", "value": value}


def _in_arrays(left: list[Any], right: list[Any], path: str, budget: Budget) -> Iterator[dict[str, Any]]:
    """Keep what is equal at both ends, change what stands in between pair by pair, then take away or add the rest."""
    start, end = (0, 0) if len(left) == len(right) else _equal_ends(left, right, budget)
    olds, news = left[start : len(left) - end], right[start : len(right) - end]
    pairs = min(len(olds), len(news))
    for index in range(pairs):
        yield from _changes(olds[index], news[index], f"{path}/{start + index}", budget)
    at = start + pairs
    for _ in olds[pairs:]:
        yield {"op": "remove", "path": f"{path}/{at}"}
    for index, value in enumerate(news[pairs:], at):
        yield {"op": "add", "path": f"{path}/{index}", "value": value}


def _equal_ends(left: list[Any], right: list[Any], budget: Budget) -> tuple[int, int]:
    shorter = min(len(left), len(right))
    start = 0
    while start < shorter and same(left[start], right[start], budget):
        start += 1
    end = 0
    while end < shorter - start and same(left[-1 - end], right[-1 - end], budget):
        end += 1
    return start, end

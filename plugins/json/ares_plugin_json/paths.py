"""JSONPath, RFC 9535: read by python-jsonpath, answered here.

The library's own evaluation has no bound on its work, writes the path of every node it passes, takes whole numbers
through floats, true for a number and a text for an array, and in a filter inside a filter loses the root. Here each
step is counted, numbers stay exact, and a path is written only for what is found.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from jsonpath.filter import (
    FilterExpressionLiteral,
    FilterQuery,
    FunctionExtension,
    InfixExpression,
    PrefixExpression,
    RootFilterQuery,
)
from jsonpath.segments import JSONPathRecursiveDescentSegment
from jsonpath.selectors import Filter, IndexSelector, NameSelector, SliceSelector, WildcardSelector
from msgspec import Struct

from ares_core import ToolError
from ares_plugin_json.comparing import Budget, same
from ares_plugin_json.functions import NOTHING, Functions
from ares_plugin_json.numbers import comparable, is_number
from ares_plugin_json.pathwords import compiled

MOST_STEPS = 300_000


class Node(Struct, frozen=True):
    """A value and the way to it: the node above, and its own key or index."""

    value: Any
    above: Node | None = None
    key: str | int = ""

    def way(self) -> list[str | int]:
        """Give the keys and indexes that lead here from the root."""
        keys: list[str | int] = []
        node = self
        while node.above is not None:
            keys.append(node.key)
            node = node.above
        return keys[::-1]


def select(root: Any, query: str) -> tuple[list[Node], list[str]]:
    """Give the nodes that a JSONPath selects, in order, and what there is to say of its patterns.

    >>> nodes, _ = select({"a": [{"b": 1}, {"b": 2}]}, "$.a[?@.b > 1].b")
    >>> [(node.value, node.way()) for node in nodes]
    [(2, ['a', 1, 'b'])]
    """
    answering = _Answering(root)
    try:
        return answering.nodes(compiled(query).segments, root), answering.functions.notes
    except RecursionError:
        raise ToolError("the query is nested too deeply; nothing was read", blame="input") from None


class _Answering:
    """One query put to one document."""

    def __init__(self, root: Any) -> None:
        self.root = root
        self.budget = Budget(MOST_STEPS, "the query", "ask for a part of the document, with fewer '..' and filters")
        self.functions = Functions(self.budget)

    def nodes(self, segments: Iterable[Any], start: Any) -> list[Node]:
        """Follow the segments from a value, which is the root of what they select."""
        found = [Node(start)]
        for segment in segments:
            descends = isinstance(segment, JSONPathRecursiveDescentSegment)
            reached = self._descendants(found) if descends else found
            found = [
                child for node in reached for selector in segment.selectors for child in self._select(selector, node)
            ]
        return found

    def _descendants(self, nodes: Iterable[Node]) -> Iterator[Node]:
        """Give each node and what is below it, a node before its parts, parts in order."""
        for start in nodes:
            waiting = [start]
            while waiting:
                node = waiting.pop()
                yield node
                waiting += [child for child in self._children(node) if type(child.value) in (dict, list)][::-1]

    def _children(self, node: Node) -> Iterator[Node]:
        value = node.value
        if type(value) is dict:
            self.budget.spend(len(value) + 1)
            yield from (Node(item, node, key) for key, item in value.items())
        elif type(value) is list:
            self.budget.spend(len(value) + 1)
            yield from (Node(item, node, index) for index, item in enumerate(value))

    def _select(self, selector: Any, node: Node) -> Iterator[Node]:
        self.budget.spend()
        value = node.value
        if isinstance(selector, WildcardSelector):
            yield from self._children(node)
        elif isinstance(selector, Filter):
            condition = selector.expression.expression
            yield from (child for child in self._children(node) if self.holds(condition, child.value))
        elif isinstance(selector, NameSelector):
            if type(value) is dict and selector.name in value:
                yield Node(value[selector.name], node, selector.name)
        elif isinstance(selector, IndexSelector | SliceSelector):
            yield from (Node(value[index], node, index) for index in self._indexes(selector, value))
        else:
            raise ToolError("the query has a part that RFC 9535 doesn't know; nothing was read", blame="input")

    def _indexes(self, selector: IndexSelector | SliceSelector, value: Any) -> Iterable[int]:
        if type(value) is not list:
            return ()
        if isinstance(selector, IndexSelector):
            return (selector.index % len(value),) if -len(value) <= selector.index < len(value) else ()
        if selector.slice.step == 0:
            return ()
        indexes = range(*selector.slice.indices(len(value)))
        self.budget.spend(len(indexes))
        return indexes

    def holds(self, condition: Any, current: Any) -> bool:
        """Whether a condition of a filter holds for a value."""
        self.budget.spend()
        if isinstance(condition, PrefixExpression):
            return not self.holds(condition.right, current)
        if isinstance(condition, InfixExpression):
            return self._joined(condition, current)
        if isinstance(condition, FunctionExtension):
            return self._call(condition, current) is True
        return bool(self._query(condition, current))

    def _joined(self, condition: InfixExpression, current: Any) -> bool:
        left, operator, right = condition.left, condition.operator, condition.right
        if operator == "&&":
            return self.holds(left, current) and self.holds(right, current)
        if operator == "||":
            return self.holds(left, current) or self.holds(right, current)
        return self._compare(self.operand(left, current), operator, self.operand(right, current))

    def operand(self, expression: Any, current: Any) -> Any:
        """Give the value of one side of a comparison, or of an argument; ``NOTHING`` if there is none."""
        if isinstance(expression, FunctionExtension):
            return self._call(expression, current)
        if isinstance(expression, FilterQuery):
            found = self._query(expression, current)
            return found[0].value if len(found) == 1 else NOTHING
        return expression.value if isinstance(expression, FilterExpressionLiteral) else None

    def _query(self, expression: Any, current: Any) -> list[Node]:
        start = self.root if isinstance(expression, RootFilterQuery) else current
        return self.nodes(expression.path.segments, start)

    def _call(self, expression: FunctionExtension, current: Any) -> Any:
        def argument(given: Any, wants_nodes: bool) -> Any:
            if wants_nodes:
                return [node.value for node in self._query(given, current)]
            return self.operand(given, current)

        return self.functions.call(expression.name, expression.args, argument)

    def _compare(self, left: Any, operator: str, right: Any) -> bool:
        if operator in ("==", "!="):
            return self._equal(left, right) is (operator == "==")
        if operator in (">", ">="):
            left, right = right, left
        return self._less(left, right) or operator in ("<=", ">=") and self._equal(left, right)

    def _equal(self, left: Any, right: Any) -> bool:
        if left is NOTHING or right is NOTHING:
            return left is right
        return same(left, right, self.budget)

    def _less(self, left: Any, right: Any) -> bool:
        if is_number(left) and is_number(right):
            return comparable(left) < comparable(right)
        if type(left) is str and type(right) is str:
            self.budget.spend(min(len(left), len(right)) >> 10)
            return left < right
        return False

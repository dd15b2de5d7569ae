"""Conditions: ``sum.result > 2 and not input.dry``, read once, and nothing but comparisons.

Names are nodes, ``input`` and ``state``; what has other characters stands in braces: ``${my-node.result} > 2``. There
are numbers, texts, lists, ``and or not``, ``== != < <= > >= in``, ``+ - * / %`` and ``len(…)``; no calls, no powers.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from ares_plugin_graph.references import PATTERN, Lookup, Reference, ReferenceFault, parse

LONGEST = 2_000
MOST_PARTS = 200
COMPARE: Mapping[type[ast.cmpop], Callable[[Any, Any], Any]] = {
    ast.Eq: operator.eq, ast.NotEq: operator.ne, ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt,
    ast.GtE: operator.ge, ast.In: lambda one, many: one in many, ast.NotIn: lambda one, many: one not in many,
    ast.Is: lambda one, other: one is other, ast.IsNot: lambda one, other: one is not other,
}  # fmt: skip
WORDS = {"true": True, "false": False, "null": None}
Value = Callable[[Lookup], Any]


class Condition:
    """A condition that was read.

    >>> Condition("a.n > 2 and 'x' in a.tags").holds(lambda name: {"n": 3, "tags": ["x"]})
    True
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self.references: list[Reference] = []
        self._value = self._read(text)

    def holds(self, lookup: Lookup) -> bool:
        """Whether it holds; raises ``ReferenceFault`` in a sentence when it can't be told."""
        try:
            return bool(self._value(lookup))
        except ReferenceFault:
            raise
        except Exception as error:
            raise ReferenceFault(f"the condition {self.text!r:.200} can't be told: {error}") from None

    def _read(self, text: str) -> Value:
        if len(text) > LONGEST:
            raise ReferenceFault(f"a condition has at most {LONGEST} characters, this has {len(text)}")
        held: list[Reference] = []

        def hold(found: Any) -> str:
            held.append(parse(found[1] or ""))
            return f"_held_{len(held) - 1}_"

        self._held = held
        try:
            tree = ast.parse(PATTERN.sub(hold, text).strip(), mode="eval")
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            said = error.msg if isinstance(error, SyntaxError) else str(error)
            raise ReferenceFault(f"the condition {text!r:.200} can't be read: {said}") from None
        if sum(1 for _ in ast.walk(tree)) > MOST_PARTS:
            raise ReferenceFault(f"the condition {text!r:.80} has too many parts")
        return self._of(tree.body)

    def _of(self, node: ast.expr) -> Value:
        kind = type(node).__name__
        read = getattr(self, f"_{kind.lower()}", None)
        if read is None:
            raise ReferenceFault(
                f"the condition {self.text!r:.200} has {ast.unparse(node)!r:.60}, which is not allowed"
            )
        made: Value = read(node)
        return made

    def _constant(self, node: ast.Constant) -> Value:
        value = node.value
        if not isinstance(value, str | int | float | bool | None):
            raise ReferenceFault(f"{ast.unparse(node)} is no value of JSON")
        return lambda lookup: value

    def _boolop(self, node: ast.BoolOp) -> Value:
        parts = [self._of(part) for part in node.values]
        every = isinstance(node.op, ast.And)
        return lambda lookup: all(part(lookup) for part in parts) if every else any(part(lookup) for part in parts)

    def _unaryop(self, node: ast.UnaryOp) -> Value:
        part = self._of(node.operand)
        if isinstance(node.op, ast.Not):
            return lambda lookup: not part(lookup)
        if isinstance(node.op, ast.USub):
            return lambda lookup: -part(lookup)
        raise ReferenceFault(f"{ast.unparse(node)} is not allowed in a condition")

    def _binop(self, node: ast.BinOp) -> Value:
        known: Mapping[type[ast.operator], Callable[[Any, Any], Any]] = {
            ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: _times, ast.Div: operator.truediv,
            ast.Mod: _remainder,
        }  # fmt: skip
        work = known.get(type(node.op))
        if work is None:
            raise ReferenceFault(f"{ast.unparse(node)!r:.60} is not allowed in a condition")
        left, right = self._of(node.left), self._of(node.right)
        return lambda lookup: work(left(lookup), right(lookup))

    def _compare(self, node: ast.Compare) -> Value:
        values = [self._of(node.left), *(self._of(part) for part in node.comparators)]
        works = [COMPARE[type(one)] for one in node.ops]

        def holds(lookup: Lookup) -> bool:
            found = [value(lookup) for value in values]
            return all(work(found[place], found[place + 1]) for place, work in enumerate(works))

        return holds

    def _list(self, node: ast.List) -> Value:
        parts = [self._of(part) for part in node.elts]
        return lambda lookup: [part(lookup) for part in parts]

    _tuple = _list

    def _call(self, node: ast.Call) -> Value:
        if not (
            isinstance(node.func, ast.Name) and node.func.id == "len" and len(node.args) == 1 and not node.keywords
        ):
            raise ReferenceFault(f"{ast.unparse(node)!r:.60} is not allowed in a condition; only len(…) is")
        part = self._of(node.args[0])
        return lambda lookup: len(part(lookup))

    def _name(self, node: ast.Name) -> Value:
        if node.id in WORDS:
            value = WORDS[node.id]
            return lambda lookup: value
        return self._refer(node)

    def _attribute(self, node: ast.Attribute) -> Value:
        return self._refer(node)

    _subscript = _attribute

    def _refer(self, node: ast.expr) -> Value:
        name, path = self._path(node)
        if name.startswith("_held_"):
            held = self._held[int(name.removeprefix("_held_").rstrip("_"))]
            reference = Reference(held.text, held.name, (*held.path, *path), held.optional)
        else:
            reference = Reference(ast.unparse(node), name, tuple(path))
        self.references.append(reference)
        return reference.value

    def _path(self, node: ast.expr) -> tuple[str, list[str | int]]:
        path: list[str | int] = []
        while not isinstance(node, ast.Name):
            if isinstance(node, ast.Attribute):
                path.append(node.attr)
            elif isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
                step = node.slice.value
                if not isinstance(step, str | int):
                    raise ReferenceFault(f"{ast.unparse(node)!r:.60} is not allowed in a condition")
                path.append(step)
            else:
                raise ReferenceFault(f"{ast.unparse(node)!r:.60} is not allowed in a condition")
            node = node.value
        return node.id, path[::-1]

    def __iter__(self) -> Iterator[Reference]:
        return iter(self.references)


def _times(one: Any, other: Any) -> Any:
    if not all(isinstance(value, int | float) for value in (one, other)):
        raise ReferenceFault("only numbers can be multiplied")
    return one * other


def _remainder(one: Any, other: Any) -> Any:
    if isinstance(one, str):
        raise ReferenceFault("only numbers have a remainder")
    return one % other


__all__ = ["Condition"]

"""What an engine found becomes sentences: where, what was expected, what was there, what to do."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import Any

from ares_core.calls import Issue
from ares_core.schema.engines import FALSE, Fault
from ares_core.schema.example import sketch
from ares_core.schema.pointer import at, escape, pointer
from ares_core.schema.references import follow
from ares_core.schema.words import either, kind_of, nearest, show

LIMIT = 50
"""How many issues are told."""
Words = tuple[str, str]
MEMORY = 1_000


class Explainer:
    """Explains faults of one schema; what depends only on the schema is worked out once."""

    __slots__ = ("_root", "_said", "_secrets")

    def __init__(self, root: dict[str, Any], secrets: frozenset[str]) -> None:
        self._root = root
        self._secrets = secrets
        self._said: dict[tuple[Any, ...], Words] = {}

    def issues(self, faults: Iterable[Fault]) -> tuple[Issue, ...]:
        """Tell at most 50 issues, in the order of pointer and keyword, each once."""
        found = list(islice((issue for fault in faults for issue in self._explain(fault)), LIMIT * 4))
        if len(found) > 1:
            unique = {(issue.pointer, issue.keyword, issue.expected): issue for issue in found}
            found = [unique[key] for key in sorted(unique)][:LIMIT]
        return tuple(found)

    def _explain(self, fault: Fault) -> Iterable[Issue]:
        keyword = fault.keyword
        if keyword == "required":
            return [self._missing(fault)]
        if keyword in ("additionalProperties", "unevaluatedProperties") and isinstance(fault.limit, list):
            return self._unknown(fault)
        if fault.branches:
            return self._alternatives(fault)
        expected, hint = self._words(fault)
        where = pointer(fault.path)
        if keyword == "enum":
            hint = self._near_value(fault) or hint
        got = "a hidden value" if where in self._secrets else _got(fault.value)
        return [Issue(where, keyword, expected, got, hint)]

    def _words(self, fault: Fault) -> Words:
        key = (*fault.where, fault.keyword)
        words = self._said.get(key)
        if words is None:
            say = _SAY.get(fault.keyword)
            expected = say(fault.limit) if say is not None else f"a value that fits {fault.keyword}"
            words = (expected, self._example_of(fault) if fault.keyword == "type" else "")
            if len(self._said) < MEMORY:
                self._said[key] = words
        return words

    def _example_of(self, fault: Fault) -> str:
        example = sketch(self._root, self._node(fault))
        return "" if example is None else f"such as {show(example)}"

    def _node(self, fault: Fault) -> dict[str, Any]:
        """Give the subschema whose keyword found the fault."""
        try:
            node = at(self._root, fault.where[:-1])
        except (LookupError, ValueError):
            return {}
        return node if isinstance(node, dict) else {}

    def _missing(self, fault: Fault) -> Issue:
        key = (*fault.where, fault.limit, "required")
        words = self._said.get(key)
        if words is None:
            words = _describe(self._root, self._declared(fault).get(fault.limit))
            if len(self._said) < MEMORY:
                self._said[key] = words
        return Issue(f"{pointer(fault.path)}/{escape(fault.limit)}", "required", words[0], "nothing", words[1])

    def _unknown(self, fault: Fault) -> Iterator[Issue]:
        allowed = self._declared(fault)
        listed = f"allowed: {', '.join(islice(allowed, 30))}" if allowed else "it takes no arguments"
        where = pointer(fault.path)
        for name in islice(fault.limit, LIMIT):
            near = nearest(name, (known for known in allowed if known not in fault.value))
            hint = f"{listed}; did you mean {near}?" if near else listed
            got = _got(fault.value.get(name))
            yield Issue(f"{where}/{escape(name)}", fault.keyword, "no argument of this name", got, hint)

    def _declared(self, fault: Fault) -> dict[str, Any]:
        """Give the properties declared beside the keyword, in ``allOf`` and through ``$ref`` too."""
        return properties_of(self._root, self._node(fault))

    def _near_value(self, fault: Fault) -> str:
        if type(fault.value) is not str:
            return ""
        near = nearest(fault.value, (each for each in fault.limit if type(each) is str))
        return f"did you mean {show(near)}?" if near else ""

    def _alternatives(self, fault: Fault) -> Iterable[Issue]:
        depth = len(fault.path)
        open_branches = [branch for branch in fault.branches if not _is_other_kind(branch, depth)]
        if len(open_branches) > 1:
            open_branches = [branch for branch in open_branches if not _is_other_form(branch)] or open_branches
        if len(open_branches) == 1:
            return [issue for each in open_branches[0] for issue in self._explain(each)]
        kinds = [kind for branch in fault.branches for each in branch if each.keyword == "type" for kind in each.limit]
        expected = either(list(dict.fromkeys(kinds))) if not open_branches else f"one of {len(fault.branches)} forms"
        closest = min(open_branches or fault.branches, key=len, default=[])
        hint = next((f"closest: {issue}" for each in closest for issue in self._explain(each)), "")
        if not open_branches:
            hint = self._example_of(fault)
        return [Issue(pointer(fault.path), fault.keyword, expected, _got(fault.value), hint)]


def _is_other_kind(branch: list[Fault], depth: int) -> bool:
    """Whether a branch wants another type of value altogether."""
    return any(fault.keyword == "type" and len(fault.path) == depth for fault in branch)


def _is_other_form(branch: list[Fault]) -> bool:
    """Whether a branch is told apart by a constant that says something else."""
    return any(fault.keyword in ("const", "enum") for fault in branch)


def properties_of(root: Any, node: Any, depth: int = 8) -> dict[str, Any]:
    """Give the properties that a subschema declares, in ``allOf`` and through ``$ref`` too."""
    if not isinstance(node, dict) or depth == 0:
        return {}
    found = dict(node["properties"]) if isinstance(node.get("properties"), dict) else {}
    beside = list(node["allOf"]) if isinstance(node.get("allOf"), list) else []
    if isinstance(node.get("$ref"), str):
        beside.append(resolve(root, node))
    for part in beside:
        found = {**properties_of(root, part, depth - 1), **found}
    return found


def resolve(root: Any, node: Any) -> Any:
    """Follow a subschema's ``$ref`` to what it stands for, if it is local."""
    for _ in range(20):
        target = node.get("$ref") if isinstance(node, dict) else None
        if not isinstance(target, str) or not (target == "#" or target.startswith("#/")):
            break
        try:
            node = follow(root, target)
        except LookupError:
            break
    return node


def _describe(root: Any, node: Any) -> Words:
    """Say what a missing property has to be: its type or values, and its description."""
    target = resolve(root, node)
    if not isinstance(target, dict):
        return "a value", ""
    about = node.get("description") or target.get("description") or ""
    if "enum" in target:
        return _enum(target["enum"]), _clip(about)
    kinds = target.get("type")
    return (either([kinds] if isinstance(kinds, str) else kinds) if kinds else "a value"), _clip(about)


def _clip(text: Any, room: int = 120) -> str:
    line = " ".join(str(text)[: room * 2].split())
    return line if len(line) <= room else line[: room - 1] + "…"


def _got(value: Any) -> str:
    kind = type(value)
    if value is None or kind is bool:
        return show(value)
    return f"{show(value)} ({kind_of(value)})"


def _enum(options: list[Any]) -> str:
    shown = [show(option, 40) for option in options[:20]]
    return f"one of {either(shown)}" + (f" and {len(options) - 20} more" if len(options) > 20 else "")


def _count(words: str, thing: str) -> Callable[[Any], str]:
    return lambda limit: f"{words} {limit} {thing if limit == 1 else thing + 's'}".replace("propertys", "properties")


_SAY: dict[str, Callable[[Any], str]] = {
    "type": either,
    "enum": _enum,
    "const": lambda limit: f"exactly {show(limit)}",
    "minimum": lambda limit: f"at least {limit}",
    "maximum": lambda limit: f"at most {limit}",
    "exclusiveMinimum": lambda limit: f"more than {limit}",
    "exclusiveMaximum": lambda limit: f"less than {limit}",
    "multipleOf": lambda limit: f"a multiple of {limit}",
    "minLength": _count("text of at least", "character"),
    "maxLength": _count("text of at most", "character"),
    "pattern": lambda limit: f"text that matches {str(limit)[:200]}",
    "minItems": _count("at least", "item"),
    "maxItems": _count("at most", "item"),
    "uniqueItems": lambda limit: "no item twice",
    "contains": lambda limit: "an item that fits contains",
    "minProperties": _count("at least", "property"),
    "maxProperties": _count("at most", "property"),
    "propertyNames": lambda limit: "names that fit propertyNames",
    "not": lambda limit: f"a value that does not fit {show(limit)}",
    "unevaluatedItems": lambda limit: "no further items",
    "additionalItems": lambda limit: "no further items",
    "oneOf": lambda limit: "a value that fits exactly one of the forms",
    FALSE: lambda limit: "nothing here",
}

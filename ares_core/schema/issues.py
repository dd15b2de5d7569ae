"""What an engine found becomes sentences: where, what was expected, what was there, what to do."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import Any

from ares_core.calls import Issue
from ares_core.counts import counted
from ares_core.names import is_secret_key
from ares_core.schema.engines import FALSE, NESTED, SIZE, Fault
from ares_core.schema.example import sketch
from ares_core.schema.pointer import escape, pointer
from ares_core.schema.references import node_at, properties_of, resolve
from ares_core.schema.words import Vocabulary, either, kind_of, show

LIMIT = 50
"""How many issues are told."""
MEMORY = 1_000
UNKNOWN = frozenset({"additionalProperties", "unevaluatedProperties"})
LONGEST_KEPT = 200
HIDDEN = "a hidden value"
Words = tuple[str, str]
Place = tuple[str, bool]
"""A pointer, and whether what stands there is secret."""


class Explainer:
    """Explains faults of one schema; what depends only on the schema is worked out once."""

    __slots__ = ("_known", "_places", "_root", "_said", "_secrets")

    def __init__(self, root: dict[str, Any], secrets: frozenset[str]) -> None:
        self._root = root
        self._secrets = secrets
        self._said: dict[tuple[Any, ...], Words] = {}
        self._places: dict[tuple[str | int, ...], Place] = {}
        self._known: dict[tuple[Any, ...], Vocabulary] = {}

    def issues(self, faults: Iterable[Fault]) -> tuple[Issue, ...]:
        """Tell at most 50 issues, in the order of pointer and keyword, each once."""
        found: list[Issue] = []
        for fault in faults:
            found += self._explain(fault)
            if len(found) > LIMIT * 4:
                break
        if len(found) > 1:
            unique = {(issue.pointer, issue.keyword, issue.expected): issue for issue in found}
            found = [unique[key] for key in sorted(unique)][:LIMIT]
        return tuple(found)

    def _explain(self, fault: Fault) -> Iterable[Issue]:
        keyword = fault.keyword
        if keyword == "required":
            return (self._missing(fault),)
        if keyword in UNKNOWN:
            return self._unknown(fault)
        if fault.branches:
            return self._alternatives(fault)
        key = tuple(fault.where)
        expected, hint = self._said.get(key) or self._remember(key, self._words(fault))
        if keyword == "enum" and type(fault.value) is str:
            near = self._options(key, fault.limit).nearest(fault.value)
            hint = f"did you mean {show(near)}?" if near is not None else hint
        where, is_secret = self._place(fault.path)
        return (Issue(where, keyword, expected, HIDDEN if is_secret else got_of(fault.value), hint),)

    def _place(self, path: Sequence[str | int]) -> Place:
        """Give the pointer, and whether the name or the schema says that what stands there is secret."""
        key = tuple(path)
        place = self._places.get(key)
        if place is None:
            where = pointer(path)
            place = where, any(map(is_secret_key, path)) or self._is_secret(where)
            if len(where) <= LONGEST_KEPT and len(self._places) < MEMORY:
                self._places[key] = place
        return place

    def _got(self, path: Sequence[str | int], value: Any) -> str:
        """Write what was there, unless it is secret."""
        return HIDDEN if self._place(path)[1] else got_of(value)

    def _is_secret(self, where: str) -> bool:
        """Whether a secret stands there, above or below; ``*`` is any step."""
        steps = where.split("/")
        pairs = (zip(steps, secret.split("/"), strict=False) for secret in self._secrets)
        return any(all(known in {step, "*"} for step, known in pair) for pair in pairs)

    def _remember(self, key: tuple[Any, ...], words: Words) -> Words:
        if len(self._said) < MEMORY:
            self._said[key] = words
        return words

    def _words(self, fault: Fault) -> Words:
        say = _SAY.get(fault.keyword)
        expected = say(fault.limit) if say is not None else f"a value that fits {fault.keyword}"
        return expected, self._example_of(fault) if fault.keyword == "type" else ""

    def _example_of(self, fault: Fault) -> str:
        example = sketch(self._root, node_at(self._root, fault.where[:-1]))
        return "" if example is None else f"such as {show(example)}"

    def _options(self, key: tuple[Any, ...], options: Iterable[Any]) -> Vocabulary:
        known = self._known.get(key)
        if known is None:
            known = Vocabulary(option for option in options if type(option) is str)
            if len(self._known) < MEMORY:
                self._known[key] = known
        return known

    def _missing(self, fault: Fault) -> Issue:
        key = (*fault.where, fault.limit)
        words = self._said.get(key)
        if words is None:
            words = self._remember(key, _describe(self._root, self._declared(fault).words.get(fault.limit)))
        where = f"{pointer(fault.path)}/{escape(fault.limit)}"
        return Issue(where, "required", words[0], "nothing", words[1] + self._instead_of(fault, words[1]))

    def _instead_of(self, fault: Fault, said: str) -> str:
        """Name what was given that is no argument at all: one of them may have been meant."""
        declared = self._declared(fault).words
        if type(fault.value) is not dict or fault.value.keys() <= declared.keys():
            return ""
        unknown = [show(name, 40) for name in fault.value if name not in declared]
        return f"{'; ' if said else ''}there is no argument {either(unknown[:5])}"

    def _unknown(self, fault: Fault) -> Iterator[Issue]:
        declared = self._declared(fault)
        where = pointer(fault.path)
        for name in islice(fault.limit, LIMIT) if type(fault.limit) is list else ():
            near = declared.nearest(name, besides=fault.value)
            hint = f"{declared.listed}; did you mean {near}?" if near is not None else declared.listed
            got = self._got([*fault.path, name], fault.value.get(name))
            yield Issue(f"{where}/{escape(name)}", fault.keyword, "no argument of this name", got, hint)

    def _declared(self, fault: Fault) -> Vocabulary:
        """Give the properties declared beside the keyword, in ``allOf`` and through ``$ref`` too."""
        key = (*fault.where, "properties")
        known = self._known.get(key)
        if known is None:
            where = list(fault.where[:-1])
            names = dict(properties_of(self._root, node_at(self._root, where)))
            while where and where[-1] in ("then", "else"):
                where.pop()
                names = {**properties_of(self._root, node_at(self._root, where)), **names}
            known = self._known[key] = Vocabulary(names)
        return known

    def _alternatives(self, fault: Fault) -> Iterable[Issue]:
        depth = len(fault.path)
        branches = [branch for branch in fault.branches if not _is_other_kind(branch, depth)]
        if len(branches) > 1:
            branches = [branch for branch in branches if not _is_other_form(branch)] or branches
        if len(branches) == 1:
            return [issue for each in branches[0] for issue in self._explain(each)]
        if not branches:
            kinds = [each.limit for branch in fault.branches for each in branch if each.keyword == "type"]
            expected = either(list(dict.fromkeys(kind for several in kinds for kind in several)))
            got = self._got(fault.path, fault.value)
            return [Issue(pointer(fault.path), fault.keyword, expected, got, self._example_of(fault))]
        closest = min(branches, key=len)
        hint = next((f"closest: {issue}" for each in closest for issue in self._explain(each)), "")
        expected = f"one of {counted(len(fault.branches), 'form')}"
        return [Issue(pointer(fault.path), fault.keyword, expected, self._got(fault.path, fault.value), hint)]


def _is_other_kind(branch: list[Fault], depth: int) -> bool:
    """Whether a branch wants another type of value altogether."""
    return any(fault.keyword == "type" and len(fault.path) == depth for fault in branch)


def _is_other_form(branch: list[Fault]) -> bool:
    """Whether a branch is told apart by a constant that says something else."""
    return any(fault.keyword in ("const", "enum") for fault in branch)


def _describe(root: Any, node: Any) -> Words:
    """Say what a missing property has to be: its type or values, and its description."""
    target = resolve(root, node)
    if not isinstance(target, dict):
        return "a value", ""
    about = _clip(node.get("description") or target.get("description") or "").removesuffix(".")
    if isinstance(target.get("enum"), list):
        return _enum(target["enum"]), about
    kinds = target.get("type")
    return (either([kinds] if isinstance(kinds, str) else kinds) if kinds else "a value"), about


def _clip(text: Any, room: int = 120) -> str:
    line = " ".join(str(text)[: room * 2].split())
    return line if len(line) <= room else line[: room - 1] + "…"


def got_of(value: Any) -> str:
    """Write what was there, with its type where that is not plain."""
    if value is None or type(value) is bool:
        return show(value)
    return f"{show(value)} ({kind_of(value)})"


def _enum(options: list[Any]) -> str:
    shown = [show(option, 40) for option in options[:20]]
    if not shown:
        return "one of no options at all: the schema itself is at fault"
    return f"one of {either(shown)}" + (f" and {len(options) - 20} more" if len(options) > 20 else "")


def _count(words: str, one: str, many: str) -> Callable[[Any], str]:
    return lambda limit: f"{words} {limit} {one if limit == 1 else many}"


_SAY: dict[str, Callable[[Any], str]] = {
    "type": lambda kinds: either(sorted(kinds, key=lambda kind: (kind == "null", kind))),
    "enum": _enum,
    "const": lambda limit: f"exactly {show(limit)}",
    "minimum": lambda limit: f"at least {limit}",
    "maximum": lambda limit: f"at most {limit}",
    "exclusiveMinimum": lambda limit: f"more than {limit}",
    "exclusiveMaximum": lambda limit: f"less than {limit}",
    "multipleOf": lambda limit: f"a multiple of {limit}",
    "minLength": _count("text of at least", "character", "characters"),
    "maxLength": _count("text of at most", "character", "characters"),
    "pattern": lambda limit: f"text that matches {str(limit)[:200]}",
    "minItems": _count("at least", "item", "items"),
    "maxItems": _count("at most", "item", "items"),
    "uniqueItems": lambda limit: "no item twice",
    "contains": lambda limit: "an item that fits contains",
    "minProperties": _count("at least", "property", "properties"),
    "maxProperties": _count("at most", "property", "properties"),
    "propertyNames": lambda limit: "names that fit propertyNames",
    "not": lambda limit: f"a value that does not fit {show(limit)}",
    "unevaluatedItems": lambda limit: "no further items",
    "additionalItems": lambda limit: "no further items",
    "oneOf": lambda limit: "a value that fits exactly one of the forms",
    FALSE: lambda limit: "nothing here",
    NESTED: lambda limit: "values that all fit, or are nested less deeply so that each way to read them can be tried",
    SIZE: lambda limit: f"values that all fit, or at most {limit:,} so that each can be looked at",
}

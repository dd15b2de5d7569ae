"""Filling in defaults at any depth, and tidying two spellings that are valid but awkward.

A whole number written ``3.0`` becomes ``3`` where the schema wants an integer, and the text ``null`` for an optional
property with a format such as ``date`` is taken out. What there is to do is worked out once, as a tree of ``Plan``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from ares_core.calls import ArgumentEdit
from ares_core.schema.normalise import normalise
from ares_core.schema.pointer import escape, pointer, tokens
from ares_core.schema.references import follow

Part = tuple[tuple[str | int, ...], dict[str, Any]]
Filled = tuple[Any, tuple[ArgumentEdit, ...]]
Edits = list[ArgumentEdit]
LARGEST = 5_000
"""How many plans are made for one schema; what lies beyond is left as it is."""


class Plan:
    """What to do with one value, and which of its parts have something to do."""

    __slots__ = ("defaults", "is_useful", "is_whole", "items", "known", "notes", "parts", "rest")

    def __init__(self) -> None:
        self.defaults: dict[str, Any] = {}
        self.notes: list[str] = []
        self.known: frozenset[str] = frozenset()
        self.parts: dict[str, Plan] = {}
        self.rest: Plan | None = None
        self.items: Plan | None = None
        self.is_whole = False
        self.is_useful = False

    @property
    def is_leaf(self) -> bool:
        """Whether it is a whole number, and nothing else is to be done."""
        return not (self.defaults or self.notes or self.parts or self.rest or self.items)

    def below(self) -> list[Plan]:
        """The plans of the parts."""
        return [*self.parts.values(), *(each for each in (self.rest, self.items) if each is not None)]


def make_fill(root: dict[str, Any], fits: Callable[[str, Any], bool]) -> Callable[[Any], Filled]:
    """Make the function that fills arguments; ``fits(pointer, value)`` checks a default against its own subschema."""
    builder = _Builder(root, fits)
    plan = builder.plan([((), root)])
    builder.prune()
    if not plan.is_useful:
        return unchanged
    if plan.rest is None and not plan.notes and all(part.is_leaf for part in plan.parts.values()):
        return _flat_fill(plan)

    def fill(arguments: Any) -> Filled:
        edits: Edits = []
        return _fill(plan, arguments, "", edits), tuple(edits)

    return fill


def unchanged(arguments: Any) -> Filled:
    """Fill in nothing: the schema says nothing to fill in."""
    return arguments, ()


def _flat_fill(plan: Plan) -> Callable[[Any], Filled]:
    """The usual case, unrolled: nothing to do below the top level."""
    defaults = [
        (name, value, type(value) in (list, dict), ArgumentEdit(f"/{escape(name)}", None, value, "default"))
        for name, value in plan.defaults.items()
    ]
    integers = list(plan.parts)

    def fill(arguments: Any) -> Filled:
        if type(arguments) is not dict:
            return arguments, ()
        for name in integers:
            if type(arguments.get(name)) is float:
                edits: Edits = []
                return _fill_object(plan, arguments, "", edits), tuple(edits)
        added: Edits = []
        filled = arguments
        for name, value, is_shared, edit in defaults:
            if name not in filled:
                if not added:
                    filled = dict(arguments)
                filled[name] = normalise(value) if is_shared else value
                added.append(edit)
        return filled, tuple(added)

    return fill


def _fill(plan: Plan, value: Any, path: str, edits: Edits) -> Any:
    kind = type(value)
    if kind is dict:
        return _fill_object(plan, value, path, edits)
    if kind is list and plan.items is not None:
        return _fill_array(plan.items, value, path, edits)
    if kind is float and plan.is_whole and value.is_integer():
        edits.append(ArgumentEdit(path, value, int(value), "whole number"))
        return int(value)
    return value


def _fill_object(plan: Plan, value: dict[str, Any], path: str, edits: Edits) -> dict[str, Any]:
    filled = dict(value)
    before = len(edits)
    for name in plan.notes:
        if _is_null(filled.get(name)):
            edits.append(ArgumentEdit(f"{path}/{escape(name)}", filled.pop(name), None, "null left out"))
    for name, default in plan.defaults.items():
        if name not in filled:
            filled[name] = normalise(default)
            edits.append(ArgumentEdit(f"{path}/{escape(name)}", None, default, "default"))
    for name, part in plan.parts.items():
        if name in filled:
            filled[name] = _fill(part, filled[name], f"{path}/{escape(name)}", edits)
    if plan.rest is not None:
        for name in filled.keys() - plan.known:
            filled[name] = _fill(plan.rest, filled[name], f"{path}/{escape(name)}", edits)
    return filled if len(edits) > before else value


def _fill_array(plan: Plan, value: list[Any], path: str, edits: Edits) -> list[Any]:
    before = len(edits)
    filled = [
        _fill(plan, item, f"{path}/{index}", edits) if type(item) in (dict, list, float) else item
        for index, item in enumerate(value)
    ]
    return filled if len(edits) > before else value


def _is_null(value: Any) -> bool:
    return type(value) is str and len(value) < 20 and value.strip().casefold() == "null"


class _Builder:
    """Works out the plans of a schema; schemas that refer to themselves give plans that do."""

    def __init__(self, root: dict[str, Any], fits: Callable[[str, Any], bool]) -> None:
        self.root = root
        self.fits = fits
        self.made: dict[tuple[int, ...], Plan] = {}

    def plan(self, parts: list[Part]) -> Plan:
        """Give the plan of a value to which all ``parts`` apply."""
        key = tuple(sorted({id(part) for _, part in parts}))
        if (known := self.made.get(key)) is not None:
            return known
        plan = self.made[key] = Plan()
        if len(self.made) <= LARGEST:
            flat = list(self._flat(parts, set()))
            kinds = {kind for _, part in flat for kind in _kinds(part)}
            plan.is_whole = "integer" in kinds and "number" not in kinds
            self._properties(plan, flat)
            self._children(plan, flat)
        return plan

    def _properties(self, plan: Plan, flat: list[Part]) -> None:
        required = {name for _, part in flat for name in _list(part, "required")}
        for name, parts in _by_name(flat).items():
            below = list(self._flat(parts, set()))
            default = next((part["default"] for _, part in below if "default" in part), None)
            has_default = any("default" in part for _, part in below)
            if has_default and all(self.fits(pointer(path), default) for path, _ in parts):
                plan.defaults[name] = default
            if name not in required and _is_formatted(below):
                plan.notes.append(name)
            plan.parts[name] = self.plan(parts)
        plan.known = frozenset(plan.parts)

    def _children(self, plan: Plan, flat: list[Part]) -> None:
        rest = [((*path, "additionalProperties"), part["additionalProperties"]) for path, part in flat
                if isinstance(part.get("additionalProperties"), dict)]  # fmt: skip
        items = [((*path, "items"), part["items"]) for path, part in flat
                 if isinstance(part.get("items"), dict) and "prefixItems" not in part]  # fmt: skip
        plan.rest = self.plan(rest) if rest else None
        plan.items = self.plan(items) if items else None

    def _flat(self, parts: list[Part], seen: set[int]) -> Iterator[Part]:
        """Give all subschemas that surely apply: through ``$ref``, ``allOf`` and the only choice that isn't null."""
        for path, part in parts:
            if not isinstance(part, dict) or id(part) in seen:
                continue
            seen.add(id(part))
            yield path, part
            yield from self._flat(list(self._beside(path, part)), seen)

    def _beside(self, path: tuple[str | int, ...], part: dict[str, Any]) -> Iterator[Part]:
        target = part.get("$ref")
        if isinstance(target, str) and (target == "#" or target.startswith("#/")):
            try:
                yield tuple(tokens(target)), follow(self.root, target)
            except LookupError:
                pass
        for index, each in enumerate(_list(part, "allOf")):
            yield (*path, "allOf", index), each
        for key in ("anyOf", "oneOf"):
            choices = [(index, each) for index, each in enumerate(_list(part, key)) if each != {"type": "null"}]
            if len(choices) == 1:
                yield (*path, key, choices[0][0]), choices[0][1]

    def prune(self) -> None:
        """Keep only the parts with something to do."""
        plans = list(self.made.values())
        above: dict[int, list[Plan]] = {}
        for plan in plans:
            for part in plan.below():
                above.setdefault(id(part), []).append(plan)
        waiting = [plan for plan in plans if plan.defaults or plan.notes or plan.is_whole]
        while waiting:
            plan = waiting.pop()
            if not plan.is_useful:
                plan.is_useful = True
                waiting += above.get(id(plan), ())
        for plan in plans:
            plan.parts = {name: part for name, part in plan.parts.items() if part.is_useful}
            plan.rest = plan.rest if plan.rest and plan.rest.is_useful else None
            plan.items = plan.items if plan.items and plan.items.is_useful else None


def _list(part: Mapping[str, Any], key: str) -> list[Any]:
    value = part.get(key)
    return value if isinstance(value, list) else []


def _kinds(part: Mapping[str, Any]) -> list[str]:
    kind = part.get("type")
    return [kind] if isinstance(kind, str) else _list(part, "type")


def _by_name(flat: list[Part]) -> dict[str, list[Part]]:
    found: dict[str, list[Part]] = {}
    for path, part in flat:
        if isinstance(part.get("properties"), dict):
            for name, below in part["properties"].items():
                if isinstance(below, dict):
                    found.setdefault(name, []).append(((*path, "properties", name), below))
    return found


def _is_formatted(below: list[Part]) -> bool:
    """Whether only text of a certain format fits, so that ``null`` can't be meant as text."""
    kinds = {kind for _, part in below for kind in _kinds(part)}
    return kinds == {"string"} and any("format" in part for _, part in below)

"""Repairing arguments that don't fit, led by what the engine found: only where it found fault, never with loss."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ares_core.calls import ArgumentEdit
from ares_core.schema.convert import LEFT_OUT, Converted, to_option, to_type
from ares_core.schema.engines import Fault
from ares_core.schema.normalise import NotJSON, normalise
from ares_core.schema.pointer import at, pointer
from ares_core.schema.references import node_at, properties_of
from ares_core.schema.words import show

ROUNDS = 12
GUESSES = ("list of one", "null left out", "empty text left out", "the only argument")
"""Rules whose edits are taken back when the value still doesn't fit there."""
NAMES = frozenset({"required", "additionalProperties", "unevaluatedProperties"})
Path = tuple[str | int, ...]
Find = Callable[[Any], list[Fault]]


class Repair:
    """One attempt to make a value fit."""

    __slots__ = ("edits", "find", "original", "refused", "root", "value")

    def __init__(self, find: Find, root: dict[str, Any], value: Any) -> None:
        self.find = find
        self.root = root
        self.original = value
        self.value = value
        self.edits: list[tuple[Path, ArgumentEdit]] = []
        self.refused: set[Path] = set()

    def bind(self, name: str) -> None:
        """Take a bare value as the only argument that there can be."""
        self._set((), self.value, {name: self.value}, "the only argument")

    def run(self) -> list[Fault]:
        """Repair in rounds, since one repair may bring the next fault to light; gives what is left."""
        faults = self.find(self.value)
        for _ in range(ROUNDS):
            if not faults or not self._round(faults) and not (self.edits and self._take_back(faults)):
                break
            faults = self.find(self.value)
        return faults

    def _round(self, faults: list[Fault]) -> bool:
        done: set[Path] = set()
        above: set[Path] = set()
        for fault in faults:
            path = tuple(fault.path)
            if path in self.refused or done and (path in above or _is_within(path, done)):
                continue
            if self._mend(path, fault):
                done.add(path)
                above.update(path[:length] for length in range(len(path)))
        return bool(done)

    def _mend(self, path: Path, fault: Fault) -> bool:
        if (converted := repair_of(fault, self.root)) is not None:
            self._set(path, fault.value, *converted)
            return True
        return fault.keyword in NAMES and type(fault.value) is dict and self._unescape(path, fault)

    def _set(self, path: Path, before: Any, after: Any, rule: str) -> None:
        """Put a value into an own copy of the arguments."""
        if not path:
            self._record(path, before, None if after is LEFT_OUT else after, rule)
            self.value = after
            return
        self._own()
        parent = at(self.value, path[:-1])
        if after is not LEFT_OUT:
            parent[path[-1]] = after
        else:
            del parent[path[-1]]
        self._record(path, before, None if after is LEFT_OUT else after, rule)

    def _own(self) -> None:
        if self.value is self.original:
            self.value = normalise(self.value)

    def _record(self, path: Path, before: Any, after: Any, rule: str) -> None:
        self.edits.append((path, ArgumentEdit(pointer(path), before, after, rule)))

    def _unescape(self, path: Path, fault: Fault) -> bool:
        """Take Markdown's backslashes out of a name: ``search\\_query``."""
        escaped = [name for name in fault.value if "\\" in name]
        if not escaped:
            return False
        declared = properties_of(self.root, node_at(self.root, fault.where[:-1]))
        wanted = {*declared, *([fault.limit] if fault.keyword == "required" else ())} - fault.value.keys()
        plain = {name: shorter for name in escaped if (shorter := name.replace("\\", "")) in wanted}
        for name, shorter in plain.items():
            self._own()
            parent = at(self.value, path)
            parent[shorter] = parent.pop(name)
            self._record((*path, shorter), name, shorter, "backslash in a name")
        return bool(plain)

    def _take_back(self, faults: list[Fault]) -> bool:
        """Undo guesses that did not lead to a value that fits."""
        places = [(*fault.path, fault.limit) if fault.keyword == "required" else tuple(fault.path) for fault in faults]
        for index in range(len(self.edits) - 1, -1, -1):
            path, edit = self.edits[index]
            if edit.rule in GUESSES and any(place[: len(path)] == path for place in places):
                later = [each for each in self.edits[index + 1 :] if each[0][: len(path)] != path]
                self.edits = [*self.edits[:index], *later]
                self._restore(path, edit.before)
                self.refused.add(path)
                return True
        return False

    def _restore(self, path: Path, value: Any) -> None:
        if path:
            at(self.value, path[:-1])[path[-1]] = value
        else:
            self.value = value


def _is_within(path: Path, done: set[Path]) -> bool:
    return any(path[:length] in done for length in range(len(path) + 1))


def repair_of(fault: Fault, root: dict[str, Any]) -> Converted:
    """Give the value to put where a fault was found, and the rule; ``None`` if nothing is sure."""
    convert = _CONVERT.get(fault.keyword)
    if convert is None:
        return _from_branches(fault, root) if fault.branches else None
    converted = convert(fault.value, fault.limit)
    return None if converted is None or converted[0] is LEFT_OUT and not _may_go(fault, root) else converted


_CONVERT: dict[str, Callable[[Any, Any], Converted]] = {
    "type": to_type,
    "enum": to_option,
    "const": lambda value, option: to_option(value, [option]),
}


def _may_go(fault: Fault, root: dict[str, Any]) -> bool:
    """Whether what is faulty is a property that is not plainly required."""
    if not fault.path or type(fault.path[-1]) is int:
        return False
    where = fault.where
    if len(where) > 2 and where[-3] == "properties":
        return fault.path[-1] not in (node_at(root, where[:-3]).get("required") or ())
    return True


def _from_branches(fault: Fault, root: dict[str, Any]) -> Converted:
    """Repair one alternative, if only one can be repaired (or all to the same value)."""
    found = [repaired for branch in fault.branches if (repaired := _branch(fault, branch, root)) is not None]
    sure = [each for each in found if each[1] not in GUESSES] or found
    if not sure or any(show(each[0], 10_000) != show(sure[0][0], 10_000) for each in sure[1:]):
        return None
    return sure[0]


def _branch(fault: Fault, branch: list[Fault], root: dict[str, Any]) -> Converted:
    depth = len(fault.path)
    value, rule = fault.value, ""
    for each in branch:
        converted = repair_of(each, root)
        if converted is None:
            return None
        rule = rule or converted[1]
        if len(each.path) == depth:
            return converted
        try:
            value = normalise(value) if value is fault.value else value
        except NotJSON:
            return None
        _put(value, each.path[depth:], converted[0])
    return (value, rule) if branch else None


def _put(value: Any, path: list[str | int], item: Any) -> None:
    parent = at(value, path[:-1])
    if item is not LEFT_OUT:
        parent[path[-1]] = item
    elif type(parent) is dict:
        parent.pop(path[-1], None)

"""Projection: of a result only the fields that were asked for, by the model or by whoever set the tool up."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ares_core.errors import RegistrationError

Tree = dict[str, Any]
ARGUMENT = "result_fields"
"""What a tool that lets the model ask takes besides its own arguments; the tool itself never sees it."""
EVERY = "*"
DEEPEST = 16
NOTHING: Any = object()
"""Stands where a field leads into a plain value."""
SCHEMA: dict[str, Any] = {
    "type": "array",
    "items": {"type": "string", "minLength": 1, "maxLength": 200},
    "maxItems": 50,
    "description": "Which fields of the result to give, such as items.name or /items/0/name; all if left out.",
}


def asking(tool: str, parameters: Any) -> Any:
    """Give the parameters of a tool with the one more that lets the model ask for fields."""
    properties = parameters.get("properties", {}) if isinstance(parameters, Mapping) else None
    if not isinstance(properties, Mapping) or ARGUMENT in properties:
        raise RegistrationError(
            f"tool {tool!r}: fields='ask' needs parameters that are an object without an argument {ARGUMENT!r}"
        )
    return type(parameters)({**parameters, "properties": {**properties, ARGUMENT: SCHEMA}})


def tree_of(fields: Iterable[str]) -> Tree:
    """Read fields, dotted or as JSON pointers, into one tree; ``None`` below a name is all of it.

    >>> tree_of(["a.b", "/a/c~1d", "e[0].f", "e"])
    {'a': {'b': None, 'c/d': None}, 'e': None}
    """
    tree: Tree = {}
    for field in fields:
        *above, last = steps_of(field)
        part: Tree | None = tree
        for step in above:
            part = None if part is None else part.setdefault(step, {})
        if part is not None:
            part[last] = None
    return tree


def steps_of(field: str) -> list[str]:
    """Cut a field into its steps.

    >>> steps_of("items[].name"), steps_of("$.items.*.name"), steps_of("/items/0")
    (['items', '*', 'name'], ['items', '*', 'name'], ['items', '0'])
    """
    if field.startswith("/"):
        return [step.replace("~1", "/").replace("~0", "~") for step in field[1:].split("/", DEEPEST)[:DEEPEST]]
    dotted = field.removeprefix("$").replace("[]", ".*").replace("[", ".").replace("]", "")
    return [step for step in dotted.split(".", DEEPEST)[:DEEPEST] if step]


def project(data: Any, fields: Sequence[str]) -> tuple[Any, list[str]]:
    """Give the part of plain data that the fields name, in its old shape, and the fields that are not in it.

    A list that a field doesn't number is looked through: ``items.name`` is the name of every item. When nothing that
    was asked for is there the data stays whole.

    >>> project({"items": [{"name": "a", "size": 1}, {"name": "b"}], "count": 2}, ["items.name", "total"])
    ({'items': [{'name': 'a'}, {'name': 'b'}]}, ['total'])
    """
    missing = [field for field in fields if not _holds(data, steps_of(field))]
    if len(missing) == len(fields) or not all(map(steps_of, fields)):
        return data, missing
    return _part(data, tree_of(field for field in fields if field not in missing)), missing


def _holds(data: Any, steps: Sequence[str]) -> bool:
    if not steps:
        return True
    if isinstance(data, dict):
        if steps[0] in data:
            return _holds(data[steps[0]], steps[1:])
        return steps[0] == EVERY and any(_holds(item, steps[1:]) for item in data.values())
    if not isinstance(data, list):
        return False
    if _is_number(steps[0]):
        return int(steps[0]) < len(data) and _holds(data[int(steps[0])], steps[1:])
    return any(_holds(item, steps[1:] if steps[0] == EVERY else steps) for item in data)


def _part(data: Any, tree: Tree | None) -> Any:
    if tree is None:
        return data
    if isinstance(data, dict):
        every = EVERY in tree and EVERY not in data
        wanted = {name: tree[name if name in tree else EVERY] for name in data if name in tree or every}
        return _without_nothing({name: _part(data[name], below) for name, below in wanted.items()})
    return _part_of_list(data, tree) if isinstance(data, list) else NOTHING


def _part_of_list(items: list[Any], tree: Tree) -> list[Any]:
    numbered = {int(step): below for step, below in tree.items() if _is_number(step)}
    named = {step: below for step, below in tree.items() if not _is_number(step) and step != EVERY}
    found = []
    for number, item in enumerate(items):
        if number in numbered:
            found.append(_part(item, numbered[number]))
        elif EVERY in tree:
            found.append(_part(item, tree[EVERY]))
        elif named:
            found.append(_part(item, named))
    return [item for item in found if item is not NOTHING]


def _is_number(step: str) -> bool:
    return step.isdecimal() and step.isascii() and len(step) < 10


def _without_nothing(part: dict[str, Any]) -> dict[str, Any]:
    return {name: item for name, item in part.items() if item is not NOTHING}


def note_on(missing: Sequence[str], data: Any) -> str:
    """Say which of the fields that were asked for are not there, and which are."""
    if not missing:
        return ""
    first = data[0] if isinstance(data, list) and data else data
    known = ", ".join(str(name)[:40] for name in list(first)[:20]) if isinstance(first, dict) else ""
    asked = ", ".join(repr(field[:80]) for field in missing[:5])
    return f"[the result has no field {asked}{f'; there are {known}' if known else ''}]"

"""YAML with no surprises: the plain data of YAML 1.2, no aliases, no key twice, bounded depth."""

from __future__ import annotations

import re
from typing import Any

import yaml
from yaml.constructor import ConstructorError
from yaml.error import MarkedYAMLError
from yaml.nodes import MappingNode, Node, SequenceNode

from ares_core.errors import ConfigError

DEEPEST = 40
_SCALARS = (
    ("bool", r"true|True|TRUE|false|False|FALSE", "tTfF"),
    ("null", r"~|null|Null|NULL|", ["~", "n", "N", ""]),
    ("int", r"[-+]?[0-9]{1,20}", "-+0123456789"),
    (
        "float",
        r"[-+]?(\.[0-9]{1,20}|[0-9]{1,20}(\.[0-9]{0,20})?)([eE][-+]?[0-9]{1,3})?|[-+]?\.inf|\.nan",
        "-+0123456789.",
    ),
)


class PlainLoader(yaml.SafeLoader):
    """``no`` is the text no, ``010`` is ten, ``1:30`` and dates are text; an alias or a key given twice is an error."""

    depth = 0

    def compose_node(self, parent: Node | None, index: Any) -> Node | None:
        """Compose one value, unless it is an alias or too deep."""
        if self.check_event(yaml.AliasEvent):
            event = self.peek_event()
            raise ConstructorError(None, None, f"the alias *{event.anchor} is not allowed", event.start_mark)
        if self.depth >= DEEPEST:
            raise ConstructorError(None, None, f"nested deeper than {DEEPEST}", self.peek_event().start_mark)
        self.depth += 1
        try:
            return super().compose_node(parent, index)
        finally:
            self.depth -= 1

    def construct_mapping(self, node: MappingNode, deep: bool = False) -> dict[Any, Any]:
        """Construct a mapping whose keys are texts and differ."""
        seen: set[str] = set()
        for key, _ in node.value:
            if key.tag != "tag:yaml.org,2002:str":
                raise ConstructorError(None, None, "a key must be text; put it in quotes", key.start_mark)
            if key.value in seen:
                raise ConstructorError(None, None, f"the key {key.value!r} is given twice", key.start_mark)
            seen.add(key.value)
        return super().construct_mapping(node, deep)

    def construct_decimal(self, node: Any) -> int:
        """Read a whole number as decimal, also with leading zeros."""
        return int(self.construct_scalar(node))


_PLAIN = ("null", "bool", "float", "str", "seq", "map")
PlainLoader.yaml_constructors = {
    tag: make
    for tag, make in yaml.SafeLoader.yaml_constructors.items()
    if tag is None or tag.rpartition(":")[2] in _PLAIN
}
PlainLoader.yaml_implicit_resolvers = {}
PlainLoader.add_constructor("tag:yaml.org,2002:int", PlainLoader.construct_decimal)
for _name, _pattern, _first in _SCALARS:
    PlainLoader.add_implicit_resolver(f"tag:yaml.org,2002:{_name}", re.compile(rf"^(?:{_pattern})$"), list(_first))


def read_yaml(text: str) -> tuple[Any, dict[tuple[str | int, ...], int]]:
    """Read YAML or JSON as plain data; gives the value, and the line of each part of it by its path.

    Raises ``ConfigError`` with line and column for what can't be read.

    >>> read_yaml("nodes: [{id: a}]")
    ({'nodes': [{'id': 'a'}]}, {(): 1, ('nodes',): 1, ('nodes', 0): 1, ('nodes', 0, 'id'): 1})
    """
    loader = PlainLoader(text)
    lines: dict[tuple[str | int, ...], int] = {}
    try:
        node = loader.get_single_node()
        if node is None:
            return None, {(): 1}
        _locate(node, (), lines)
        return loader.construct_document(node), lines
    except (yaml.YAMLError, ValueError) as error:
        raise ConfigError(_unreadable(error)) from None
    finally:
        loader.dispose()


def _locate(node: Node, path: tuple[str | int, ...], lines: dict[tuple[str | int, ...], int]) -> None:
    lines[path] = node.start_mark.line + 1
    if isinstance(node, MappingNode):
        for key, value in node.value:
            _locate(value, (*path, str(key.value)), lines)
            lines[*path, str(key.value)] = key.start_mark.line + 1
    elif isinstance(node, SequenceNode):
        for place, value in enumerate(node.value):
            _locate(value, (*path, place), lines)


def _unreadable(error: Exception) -> str:
    if not isinstance(error, MarkedYAMLError) or error.problem_mark is None:
        return f"it can't be read: {error}"
    mark = error.problem_mark
    return f"line {mark.line + 1}, column {mark.column + 1}: {error.problem or error.context}"

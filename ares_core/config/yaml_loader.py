"""YAML with no surprises: the plain data of YAML 1.2, no aliases, no key twice, bounded depth."""

from __future__ import annotations

import re
from typing import Any

import yaml
from yaml.constructor import ConstructorError
from yaml.error import MarkedYAMLError
from yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode
from yaml.reader import ReaderError

from ares_core.errors import ConfigError

DEEPEST = 40
_DIGITS = 4000  # Python reads no whole number of more than 4,300 digits
_SCALARS = (
    ("bool", r"true|True|TRUE|false|False|FALSE", "tTfF"),
    ("null", r"~|null|Null|NULL|", ["~", "n", "N", ""]),
    ("int", rf"[-+]?[0-9]{{1,{_DIGITS}}}", "-+0123456789"),
    (
        "float",
        rf"[-+]?(\.[0-9]{{1,{_DIGITS}}}|[0-9]{{1,{_DIGITS}}}(\.[0-9]{{0,{_DIGITS}}})?)([eE][-+]?[0-9]{{1,3}})?"
        r"|[-+]?\.inf|\.nan",
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
            node = super().compose_node(parent, index)
        finally:
            self.depth -= 1
        if isinstance(node, ScalarNode) and node.style == '"':
            _join_halves(node)
        return node

    def scan_to_next_token(self) -> None:
        """Go to the next token; inside brackets a tab is a space, as in JSON."""
        super().scan_to_next_token()
        while self.flow_level and self.peek() == "\t":
            self.forward()
            super().scan_to_next_token()

    def stale_possible_simple_keys(self) -> None:
        """Forget what can be no key any more; inside brackets a key may be long, and its colon far, as in JSON.

        Brackets that are still open are forgotten all the same: all in them would be held back until they close.
        """
        latest = self.possible_simple_keys.pop(self.flow_level, None) if self.flow_level else None
        super().stale_possible_simple_keys()
        if latest is not None:
            self.possible_simple_keys[self.flow_level] = latest

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


def _join_halves(node: ScalarNode) -> None:
    r"""Make one character of two escapes such as ``\ud83d\ude00``, which is how JSON writes it in ASCII."""
    try:
        node.value.encode()
    except UnicodeEncodeError:
        try:
            node.value = node.value.encode("utf-16", "surrogatepass").decode("utf-16")
        except UnicodeDecodeError:
            raise ConstructorError(None, None, "an escape is half a character", node.start_mark) from None


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
    lines: dict[tuple[str | int, ...], int] = {}
    try:
        loader = PlainLoader(text)
    except ReaderError as error:
        line = text.count("\n", 0, error.position) + 1
        raise ConfigError(f"line {line}: the character U+{error.character:04X} may not stand in it") from None
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

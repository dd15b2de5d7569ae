"""Reading JSON: strictly, without loss, within bounds, and with the place of every fault."""

from __future__ import annotations

import json
import re
from collections import Counter
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from ares_core import ToolError
from ares_plugin_json.numbers import Number, escape, read_float, read_integer

LONGEST = 2_000_000
"""Characters of one document."""
DEEPEST = 100
MOST_VALUES = 200_000
WORDS = {
    "Expecting value": "a value is missing or unknown",
    "Extra data": "there is more after the end of the value",
    "Expecting property name enclosed in double quotes": "a key in double quotes is missing",
    "Expecting ',' delimiter": "a comma or a closing bracket is missing",
    "Expecting ':' delimiter": "a colon is missing after the key",
    "Unterminated string starting at": "a text has no closing quote; it begins",
    "Invalid control character at": "a text holds a control character that should be escaped,",
}
COMMAS = re.compile(r'"(?:[^"\\]|\\.)*+"?|,', re.DOTALL)
UNQUOTED = re.compile(r'"(?:[^"\\]|\\.)*+"?|NaN|-?Infinity', re.DOTALL)


class Fault(Struct, frozen=True):
    """Why a text is no JSON: in words, where (line and column from 1, position from 0), and what to do."""

    message: str
    line: int
    column: int
    position: int
    hint: str = ""


class NoJSON(Exception):
    """The text is no JSON; ``fault`` says why."""

    def __init__(self, fault: Fault) -> None:
        super().__init__(fault.message)
        self.fault = fault


class Document(Struct, frozen=True):
    """A value with what there is to say of it; ``has_odd`` if a number in it is no plain int or float."""

    value: Any
    size: int
    depth: int
    has_odd: bool = False
    notes: tuple[str, ...] = ()
    twice: tuple[dict[str, str], ...] = ()


def read(given: Any, what: str = "data") -> Document:
    """Read JSON text, or take a value as it is; a fault of the text is the caller's."""
    try:
        return read_text(given) if isinstance(given, str) else _bounded(given, what)
    except NoJSON as error:
        fault = error.fault
        raise ToolError(
            f"{what} is no JSON: {fault.message}; nothing was done", hint=fault.hint, blame="input"
        ) from None


def read_text(text: str) -> Document:
    """Read JSON text; raises ``NoJSON`` with the place of the fault.

    >>> read_text('{"a": [1.5, 12345678901234567890]}').value
    {'a': [1.5, 12345678901234567890]}
    """
    if len(text) > LONGEST:
        raise _too_much(f"the text has {len(text):,} characters, more than {LONGEST:,}")
    notes = ("a byte order mark at the start was left out",) if text.startswith("\ufeff") else ()
    bare = text.removeprefix("\ufeff")
    if not bare.strip():
        raise NoJSON(Fault("the text is empty", 1, 1, 0, "give a value, such as null or {}"))
    if bare.count(",") >= MOST_VALUES:
        _check_commas(bare)
    pairs = _Pairs()
    try:
        value = json.loads(
            bare, parse_float=read_float, parse_int=read_integer, parse_constant=_constant, object_pairs_hook=pairs
        )
    except json.JSONDecodeError as error:
        raise NoJSON(_fault(bare, *_said_alike(error.msg, bare, error.pos))) from None
    except RecursionError:
        raise _too_deep() from None
    except _Constant as error:
        raise NoJSON(_not_a_number(bare, str(error))) from None
    document = _bounded(value, "the text")
    twice = pairs.places(value)
    return replace(document, notes=(*notes, *map(_said_twice, twice)), twice=twice)


def _check_commas(text: str) -> None:
    """Refuse a text with too many values before they are made."""
    if sum(1 for found in COMMAS.finditer(text) if found[0] == ",") >= MOST_VALUES:
        raise _too_much(f"the text has more than {MOST_VALUES:,} values")


class _Constant(Exception):
    pass


def _constant(name: str) -> Any:
    raise _Constant(name)


class _Pairs:
    """Makes objects, and remembers those in which a key comes twice."""

    def __init__(self) -> None:
        self.found: list[tuple[dict[str, Any], list[str]]] = []

    def __call__(self, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        made = dict(pairs)
        if len(made) < len(pairs):
            again = [key for key, times in Counter(key for key, _ in pairs).items() if times > 1]
            self.found.append((made, again))
        return made

    def places(self, root: Any) -> tuple[dict[str, str], ...]:
        """Find where those objects are; one that another value of the same key has replaced is in no place."""
        if not self.found:
            return ()
        where = {id(part): path for path, part in _parts(root)}
        return tuple(
            {"pointer": f"{where[id(made)]}/{escape(key)}" if id(made) in where else "", "key": key}
            for made, keys in self.found[:100]
            for key in keys[:100]
        )


def _parts(root: Any) -> list[tuple[str, Any]]:
    """Give every object with its pointer."""
    waiting: list[tuple[str, Any]] = [("", root)]
    found = []
    while waiting:
        path, part = waiting.pop()
        if isinstance(part, dict):
            found.append((path, part))
            waiting += [(f"{path}/{escape(key)}", item) for key, item in part.items() if isinstance(item, dict | list)]
        elif isinstance(part, list):
            waiting += [(f"{path}/{index}", item) for index, item in enumerate(part) if isinstance(item, dict | list)]
    return found


def _said_twice(place: dict[str, str]) -> str:
    where = f" ({place['pointer']})" if place["pointer"] else ""
    return f"the key {place['key'][:80]!r} comes more than once in one object{where}; the last one counts"


def _bounded(value: Any, what: str) -> Document:
    """Count values and levels; refuse what is too much."""
    size, depth, has_odd = 0, 0, False
    level = [value]
    while level:
        size += len(level)
        if size > MOST_VALUES:
            raise _too_much(f"{what} has more than {MOST_VALUES:,} values")
        has_odd = has_odd or any(type(part) is Number for part in level)
        containers = [part for part in level if type(part) is dict or type(part) is list]
        depth += bool(containers)
        if depth > DEEPEST:
            raise _too_deep()
        level = [item for part in containers for item in (part.values() if type(part) is dict else part)]
    return Document(value, size, depth, has_odd)


def _too_deep() -> ToolError:
    return _too_much(f"it is nested too deeply, more than {DEEPEST} levels")


def _too_much(message: str) -> ToolError:
    return ToolError(f"{message}; nothing was done", hint="give a part of it", blame="input")


def _said_alike(said: str, text: str, at: int) -> tuple[str, int]:
    """Say of a comma before a bracket what Python says up to 3.12, and where: of the bracket."""
    if not said.startswith("Illegal trailing comma"):
        return said, at
    bracket = at + len(text[at:]) - len(text[at + 1 :].lstrip())
    return ("Expecting value" if text[bracket] == "]" else "Expecting property name enclosed in double quotes"), bracket


def _fault(text: str, said: str, at: int) -> Fault:
    line, column = text.count("\n", 0, at) + 1, at - text.rfind("\n", 0, at)
    words = WORDS.get(said, said if said.startswith(("NaN", "Inf", "-Inf")) else said[:1].lower() + said[1:])
    found = f", before {text[at : at + 20]!r}" if at < len(text) else ", where the text ends"
    message = f"{words} at line {line}, column {column}{found}"
    return Fault(message, line, column, at, _hint(text, said, at))


def _hint(text: str, said: str, at: int) -> str:
    rest, before = text[at : at + 20], text[max(at - 20, 0) : at].rstrip()
    if said == "Extra data":
        return "give one document; for JSON Lines put the lines into one array" if rest[0] in '{["' else "take it away"
    if rest.startswith("'"):
        return "texts stand in double quotes"
    if rest.startswith(("//", "/*", "#")):
        return "comments are no part of JSON"
    if rest.startswith(("True", "False", "None")):
        return "write true, false, null"
    if before.endswith(",") and rest[:1] in "]}" and rest:
        return "take the comma before it away"
    return "correct the text, and send it again"


def _not_a_number(text: str, name: str) -> Fault:
    at = next((found.start() for found in UNQUOTED.finditer(text) if found[0] == name), 0)
    return _fault(text, f"{name} is no JSON value", at)

"""Finding what is wrong with arguments that do not fit, in the cheapest way that is exact.

An engine says at once whether a value fits, but takes twenty times as long to say why not. So in arguments whose
properties are independent of each other it is only asked which of them don't fit, and what one of them does wrong is
read off the schema where that is plain. Everything else the engine has to find.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import cached_property
from typing import Any

from msgspec import Struct

from ares_core.schema.engines import Engine, Fault, make_engine
from ares_core.schema.pointer import escape

Test = Callable[[Any, Any], bool]
NOTES = frozenset({"title", "description", "default", "examples", "format", "deprecated", "readOnly", "writeOnly"})
FLAT = NOTES | {"type", "properties", "required", "additionalProperties", "$defs"}
INSIDE = frozenset({
    "items", "prefixItems", "contains", "minItems", "maxItems", "uniqueItems", "properties", "required",
    "additionalProperties", "patternProperties", "propertyNames", "minProperties", "maxProperties",
})  # fmt: skip
"""Keywords that only an array or an object can offend against."""
WIDEST = 100
ODD_NAME = re.compile(r"|[+0][0-9]{1,20}")
TYPES: dict[str, Test] = {
    "string": lambda value, _: type(value) is str,
    "integer": lambda value, _: type(value) is int or type(value) is float and value.is_integer(),
    "number": lambda value, _: type(value) is int or type(value) is float,
    "boolean": lambda value, _: type(value) is bool,
    "array": lambda value, _: type(value) is list,
    "object": lambda value, _: type(value) is dict,
}
LIMITS: dict[str, Test] = {
    "minimum": lambda value, limit: type(value) not in (int, float) or value >= limit,
    "maximum": lambda value, limit: type(value) not in (int, float) or value <= limit,
    "minLength": lambda value, limit: type(value) is not str or len(value) >= limit,
    "maxLength": lambda value, limit: type(value) is not str or len(value) <= limit,
}


class Property(Struct, frozen=True):
    """How it is known whether a property fits, and the tests of its keywords if these say all that can be wrong."""

    path: list[str | int]
    fits: Callable[[Any], bool]
    tests: list[tuple[str, Any, list[str | int], Test]]
    has_parts: bool

    def faults(self, value: Any) -> list[Fault]:
        """Tell what is wrong with a value that does not fit; nothing if that is not plain."""
        if self.has_parts and type(value) in (list, dict):
            return []
        return [
            Fault(self.path, keyword, limit, value, where)
            for keyword, limit, where, fits in self.tests
            if not fits(value, limit)
        ]


class Finder:
    """Finds the faults of values against one schema; ``engine`` is the fast one."""

    def __init__(self, schema: dict[str, Any], tool: str, engine: Engine) -> None:
        self._schema = schema
        self._tool = tool
        self._engine = engine
        self._required: list[str] = schema.get("required", [])
        self._is_closed = schema.get("additionalProperties", True) is False
        self._is_flat = schema.keys() <= FLAT and schema.get("additionalProperties", True) in (True, False)

    def faults(self, value: Any) -> list[Fault]:
        """Find what is wrong with a value: the first 1,000 faults."""
        if self._is_flat and type(value) is dict and len(value) <= WIDEST and (found := self._plain(value)):
            return found
        engine = self._careful if _has_odd_name(value) else self._engine
        return engine.faults(value)

    def _plain(self, value: dict[str, Any]) -> list[Fault]:
        found: list[Fault] = []
        unknown: list[str] = []
        for name, part in value.items():
            declared = self._properties.get(name)
            if declared is None:
                unknown.append(name)
            elif not declared.fits(part):
                faults = declared.faults(part)
                if not faults:
                    return []
                found += faults
        if unknown and self._is_closed:
            found.append(Fault([], "additionalProperties", unknown, value, ["additionalProperties"]))
        found += [Fault([], "required", name, value, ["required"]) for name in self._required if name not in value]
        return found

    @cached_property
    def _properties(self) -> dict[str, Property]:
        declared = self._schema.get("properties", {})
        return {name: self._property(name, part) for name, part in declared.items()}

    def _property(self, name: str, schema: Any) -> Property:
        fits = self._engine.part(f"/properties/{escape(name)}")
        own = schema if type(schema) is dict else {}
        told = [(keyword, own[keyword]) for keyword in own if keyword not in NOTES and keyword not in INSIDE]
        tests = [
            (keyword, [limit] if keyword == "type" else limit, ["properties", name, keyword], test)
            for keyword, limit in told
            if (test := _test(keyword, limit)) is not None
        ]
        return Property([name], fits, tests if len(tests) == len(told) else [], not INSIDE.isdisjoint(own))

    @cached_property
    def _careful(self) -> Engine:
        """The engine for odd names: the fast one loses those that are empty, and takes ``01`` for ``1``."""
        return make_engine(self._schema, self._tool, "reference")


def _test(keyword: str, limit: Any) -> Test | None:
    """Give the test of a keyword; ``None`` if it is left to the engine."""
    if keyword == "type":
        return TYPES.get(limit) if type(limit) is str else None
    if keyword == "enum":
        return _is_option if all(type(option) is str for option in limit) else None
    return LIMITS.get(keyword) if type(limit) is int else None


def _is_option(value: Any, options: list[str]) -> bool:
    return type(value) is str and value in options


def _has_odd_name(value: Any) -> bool:
    """Whether a name in it is empty or an oddly spelt figure; all of these come before ``1``."""
    try:
        return type(value) in (dict, list) and _has_odd_key(value)
    except (TypeError, RecursionError):
        return True


def _has_odd_key(value: dict[str, Any] | list[Any]) -> bool:
    items: Iterable[Any] = value
    if type(value) is dict:
        if value and min(value) < "1" and any(map(ODD_NAME.fullmatch, value)):
            return True
        items = value.values()
    for item in items:
        kind = type(item)
        if (kind is dict or kind is list) and _has_odd_key(item):
            return True
    return False

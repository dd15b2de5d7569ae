"""Two engines behind one interface: ``fast`` (jsonschema-rs) and ``reference`` (jsonschema), with equal verdicts.

Neither fetches anything. ``format`` is a note, as draft 2020-12 says, not a check. Patterns are ECMA-262; both
engines match them with the fast one's linear matcher. A pattern with look-around or back references can't be
matched in linear time: its work is bounded instead, and a value that needs more is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cached_property
from itertools import islice
from typing import Any, Protocol

import msgspec
from msgspec import Struct

from ares_core.errors import SchemaError
from ares_core.schema.looks import are_many, may_multiply
from ares_core.schema.pointer import at

BACKTRACKS = 100_000
FAULTS = 1_000
CHOICES = frozenset({"anyOf", "oneOf"})
NOTHING_FITS: tuple[Any, ...] = ({}, True)
MOST_VALUES = 5_000
"""How many values a call may hold for every fault in it to be looked for: an engine finds them all before the first."""
MOST_LOOKS = 20_000
"""How often its parts may be looked at for that, where references lead to them in many ways."""
SHARE = 1_000
"""How many values of an argument that holds too many are looked at."""
LACKING = frozenset({"required", "minItems", "minProperties", "contains", "dependentRequired"})
"""What the beginning of an argument may lack although the whole has it."""
SIZE = "size"
"""The keyword of what is faulty somewhere and too large to say where."""
NESTED = "nested"
"""The keyword of what is faulty somewhere and can be read in too many ways to say where."""
REFERENCES = (b'"$ref"', b'"$dynamicRef"', b'"$recursiveRef"')
FALSE = "false"
"""The keyword of faults that the schema ``false`` finds."""


class Fault(Struct):
    """One finding of an engine: where in the value, which keyword with which limit, and where in the schema.

    ``limit`` is what the keyword says; for ``required`` the missing name, for ``additionalProperties`` and
    ``unevaluatedProperties`` the names that are too many. ``branches`` are the findings of each alternative.
    """

    path: list[str | int]
    keyword: str
    limit: Any
    value: Any
    where: list[str | int]
    branches: list[list[Fault]] = []


class Engine(Protocol):
    """What checks values against one schema."""

    @property
    def is_valid(self) -> Callable[[Any], bool]:
        """Whether a value fits."""

    def faults(self, value: Any) -> list[Fault]:
        """Find what is wrong with a value: the first 1,000 faults."""

    def part(self, path: str) -> Callable[[Any], bool]:
        """Give the check of the subschema that the pointer ``path`` leads to."""

    @property
    def quick(self) -> FastEngine:
        """The engine whose verdict takes no longer however many ways there are to read a value."""


class FastEngine:
    """jsonschema-rs; making one checks the schema itself as well."""

    def __init__(self, schema: dict[str, Any], tool: str) -> None:
        self._schema = schema
        self._validator, self._options = _compile(schema, tool)
        self.is_valid: Callable[[Any], bool] = self._validator.is_valid

    def faults(self, value: Any) -> list[Fault]:
        return bounded(self, self._faults, value)

    @property
    def quick(self) -> FastEngine:
        return self

    def is_manifold(self, value: Any) -> bool:
        """Whether there are too many ways to read a value for its faults to be found."""
        return self._multiplies and are_many(self._schema, value, MOST_LOOKS)

    @cached_property
    def _multiplies(self) -> bool:
        text = msgspec.json.encode(self._schema)
        return any(sign in text for sign in REFERENCES) and may_multiply(self._schema)

    def _faults(self, value: Any) -> list[Fault]:
        return _fast_faults(islice(self._validator.iter_errors(value), FAULTS), value)

    def part(self, path: str) -> Callable[[Any], bool]:
        found = self._parts.get(f"#{path}")
        return found.is_valid if found is not None else lambda value: False

    @cached_property
    def _parts(self) -> Any:
        from jsonschema_rs import validator_map_for

        return validator_map_for(self._schema, **self._options)


def _compile(schema: dict[str, Any], tool: str) -> tuple[Any, dict[str, Any]]:
    from jsonschema_rs import FancyRegexOptions, RegexOptions, validator_for

    options: dict[str, Any] = {"offline": True, "validate_formats": False}
    try:
        return validator_for(schema, **options, pattern_options=RegexOptions()), options
    except ValueError:
        options["pattern_options"] = FancyRegexOptions(backtrack_limit=BACKTRACKS)
    try:
        return validator_for(schema, **options), options
    except ValueError as error:
        raise SchemaError(f"tool {tool!r}: its parameters are no usable JSON Schema: {_sentence(error)}") from None


def _sentence(error: Any) -> str:
    message = str(getattr(error, "message", error)).splitlines()[0]
    path = "/".join(map(str, getattr(error, "instance_path", ())))
    return f"{message} (at /{path})" if path else message


def _fast_faults(errors: Iterable[Any], root: Any) -> list[Fault]:
    """Take errors over; the engine misses a required name that is there where the schema allows no such argument."""
    return [_fast_fault(error, root) for error in errors if not _is_there(error)]


def _is_there(error: Any) -> bool:
    kind = error.kind
    return kind.name == "required" and isinstance(error.instance, dict) and kind.value in error.instance


def _fast_fault(error: Any, root: Any) -> Fault:
    kind = error.kind
    name = kind.name
    if name == "falseSchema" or name == "not" and kind.value in NOTHING_FITS:
        return _false_fault(error, root)
    fault = Fault(_named(error.instance_path, root), name, kind.value, error.instance, error.schema_path)
    if name in CHOICES:
        fault.branches = [_fast_faults(branch, root) for branch in kind.context]
    return fault


def _false_fault(error: Any, root: Any) -> Fault:
    """Say which keyword a schema that fits nothing belongs to, where the engine leaves it at ``false``."""
    path, where, value = _named(error.instance_path, root), error.schema_path, error.instance
    keyword = where[-1] if where and where[-2:-1] != ["properties"] else None
    if keyword == "propertyNames":
        return Fault(path, "propertyNames", None, value, where)
    if keyword == "additionalProperties" and isinstance(whole := _at(root, path), dict):
        return Fault(path, "additionalProperties", list(whole), whole, where)
    return Fault(path, FALSE, None, value, where)


def _named(path: list[str | int], root: Any) -> list[str | int]:
    """Give names back that the engine took for places in a list, such as ``"0"`` in ``{"0": …}``."""
    if int not in map(type, path):
        return path
    named: list[str | int] = []
    for token in path:
        named.append(str(token) if type(root) is dict else token)
        root = _at(root, named[-1:])
    return named


def _at(root: Any, path: list[str | int]) -> Any:
    """Follow a path, which may have lost a name that is empty."""
    try:
        return at(root, path)
    except LookupError:
        return None


class ReferenceEngine:
    """jsonschema, the slow and readable one."""

    def __init__(self, schema: dict[str, Any], tool: str) -> None:
        from ares_core.schema.reference import validator_of

        self._schema, self._tool = schema, tool
        self._validator = validator_of(schema)
        self.is_valid: Callable[[Any], bool] = self._validator.is_valid

    def faults(self, value: Any) -> list[Fault]:
        return bounded(self, self._faults, value)

    @cached_property
    def quick(self) -> FastEngine:
        return FastEngine(self._schema, self._tool)

    def _faults(self, value: Any) -> list[Fault]:
        return [_reference_fault(error) for error in islice(self._validator.iter_errors(value), FAULTS)]

    def part(self, path: str) -> Callable[[Any], bool]:
        found: Callable[[Any], bool] = self._validator.evolve(schema={"$ref": f"#{path}"}).is_valid
        return found


def _reference_fault(error: Any) -> Fault:
    fault = Fault(
        list(error.absolute_path), error.validator, error.validator_value, error.instance,
        list(error.absolute_schema_path),
    )  # fmt: skip
    if error.validator == "not" and error.validator_value in NOTHING_FITS:
        fault.keyword, fault.limit = FALSE, None
    elif error.validator in ("minContains", "maxContains"):
        fault.keyword = "contains"
    elif error.validator in CHOICES:
        fault.branches = _branches(error.context)
    elif error.validator == "type":
        fault.limit = [error.validator_value] if isinstance(error.validator_value, str) else error.validator_value
    elif error.validator == "const":
        fault.limit = error.validator_value
    return fault


def _branches(context: Iterable[Any]) -> list[list[Fault]]:
    branches: dict[int, list[Fault]] = {}
    for error in context:
        branches.setdefault(error.relative_schema_path[0], []).append(_reference_fault(error))
    return list(branches.values())


def bounded(engine: Engine, find: Callable[[Any], list[Fault]], value: Any) -> list[Fault]:
    """Find faults; of arguments that are too large to be searched only the beginning is."""
    if engine.quick.is_manifold(value):
        return [] if engine.quick.is_valid(value) else [Fault([], NESTED, None, value, [NESTED])]
    if not is_vast(value):
        return find(value)
    if engine.is_valid(value):
        return []
    vast = {name for name in value if is_vast(value[name])} if type(value) is dict else set()
    start = {name: _beginning(value[name], [SHARE]) if name in vast else value[name] for name in value} if vast else []
    faults = find(start) if vast and not is_vast(start) else []
    faults = [each for each in faults if each.keyword not in LACKING or not each.path or each.path[0] not in vast]
    _restore(faults, value)
    return faults or [Fault([], SIZE, MOST_VALUES, value, [SIZE])]


def _beginning(value: Any, left: list[int]) -> Any:
    """Copy what comes first, as many values as are ``left``."""
    if type(value) is not dict and type(value) is not list:
        return value
    kept: list[tuple[Any, Any]] = []
    for name, part in value.items() if type(value) is dict else enumerate(value):
        if left[0] <= 0:
            break
        left[0] -= 1
        kept.append((name, _beginning(part, left)))
    return dict(kept) if type(value) is dict else [part for _, part in kept]


def _restore(faults: Iterable[Fault], value: Any) -> None:
    """Put what was given in place of its beginning: a repair must lose nothing."""
    for fault in faults:
        fault.value = _at(value, fault.path)
        for branch in fault.branches:
            _restore(branch, value)


def is_vast(value: Any) -> bool:
    """Whether it holds too many values for each to be looked at.

    >>> is_vast({"a": [1] * 4_000}), is_vast({"a": [[1]] * 4_000})
    (False, True)
    """
    left, waiting = MOST_VALUES, [value]
    while waiting:
        part = waiting.pop()
        if type(part) is dict or type(part) is list:
            left -= len(part)
            if left < 0:
                return True
            waiting += part.values() if type(part) is dict else part
    return False


def make_engine(schema: dict[str, Any], tool: str, engine: str) -> Engine:
    """Make the engine of that name for a schema; ``SchemaError`` if the schema is none."""
    return ReferenceEngine(schema, tool) if engine == "reference" else FastEngine(schema, tool)


__all__ = ["FALSE", "NESTED", "SIZE", "Engine", "FastEngine", "Fault", "ReferenceEngine", "make_engine"]

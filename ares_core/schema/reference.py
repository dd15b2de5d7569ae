"""The reference engine's keywords, where jsonschema differs from what the fast engine (and the draft) says."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import lru_cache
from typing import Any

from jsonschema import ValidationError, validators
from jsonschema.protocols import Validator
from referencing import Registry

from ares_core.schema.references import LISTS, MAPS, SUBSCHEMAS

Matcher = Callable[[str], bool]
KEPT_FALSE = ("additionalProperties", "unevaluatedProperties", "unevaluatedItems", "additionalItems")


def validator_of(schema: dict[str, Any]) -> Validator:
    """Give the validator of a schema that is known to be legal; it fetches nothing."""
    made = validators.validator_for(schema, default=validators.Draft202012Validator)
    validator: Validator = _extended(made)(_without_false(schema), registry=Registry())
    return validator


@lru_cache(maxsize=8)
def _extended(made: Any) -> Any:
    ours = {
        "multipleOf": _multiple_of, "pattern": _pattern, "required": _required,
        "additionalProperties": _additional_properties,
        "patternProperties": _pattern_properties, "propertyNames": _property_names,
    }  # fmt: skip
    if "unevaluatedProperties" in made.VALIDATORS:
        ours["unevaluatedProperties"] = _unevaluated_properties(made.VALIDATORS["unevaluatedProperties"])
    if "dependentRequired" in made.VALIDATORS:
        ours["dependentRequired"] = _dependent_required
    extend: Any = validators.extend
    return extend(made, ours)


def _without_false(schema: Any) -> Any:
    """Write ``false`` as ``{"not": {}}``: jsonschema forgets where a ``false`` was met."""
    if schema is False:
        return {"not": {}}
    if not isinstance(schema, dict):
        return schema
    return {key: _part_without_false(key, value) for key, value in schema.items()}


def _part_without_false(key: str, value: Any) -> Any:
    if key in MAPS and isinstance(value, dict):
        return {name: _without_false(part) for name, part in value.items()}
    if key in LISTS and isinstance(value, list):
        return [_without_false(part) for part in value]
    if key in SUBSCHEMAS and not (value is False and key in KEPT_FALSE):
        return _without_false(value)
    return value


def _multiple_of(validator: Any, limit: Any, value: Any, schema: Any) -> Iterator[ValidationError]:
    """Exact: 0.07 is a multiple of 0.01."""
    if validator.is_type(value, "number") and Fraction(str(value)) % Fraction(str(limit)):
        yield ValidationError(f"{value!r} is not a multiple of {limit!r}")


@lru_cache(maxsize=1024)
def _matcher(pattern: str) -> Matcher:
    """Match as the fast engine does, in linear or bounded time."""
    from ares_core.schema.engines import FastEngine

    return FastEngine({"type": "string", "pattern": pattern}, "pattern").is_valid


def _pattern(validator: Any, pattern: str, value: Any, schema: Any) -> Iterator[ValidationError]:
    if validator.is_type(value, "string") and not _matcher(pattern)(value):
        yield ValidationError(f"{value!r} does not match {pattern!r}")


def _pattern_properties(validator: Any, patterns: Any, value: Any, schema: Any) -> Iterator[ValidationError]:
    if validator.is_type(value, "object"):
        for pattern, part in patterns.items():
            for name, item in value.items():
                if _matcher(pattern)(name):
                    yield from validator.descend(item, part, path=name, schema_path=pattern)


def _property_names(validator: Any, part: Any, value: Any, schema: Any) -> Iterator[ValidationError]:
    if validator.is_type(value, "object"):
        for name in value:
            for error in validator.descend(name, part):
                yield ValidationError(error.message, validator="propertyNames", validator_value=error)


def _required(validator: Any, names: Any, value: Any, schema: Any) -> Iterator[ValidationError]:
    if validator.is_type(value, "object"):
        yield from (_missing(name) for name in names if name not in value)


def _dependent_required(validator: Any, names: Any, value: Any, schema: Any) -> Iterator[ValidationError]:
    if validator.is_type(value, "object"):
        for name, others in names.items():
            if name in value:
                yield from (_missing(other) for other in others if other not in value)


def _missing(name: str) -> ValidationError:
    return ValidationError(f"{name!r} is a required property", validator="required", validator_value=name)


def _additional_properties(validator: Any, part: Any, value: Any, schema: Any) -> Iterator[ValidationError]:
    if not validator.is_type(value, "object"):
        return
    patterns = [_matcher(pattern) for pattern in schema.get("patternProperties", ())]
    known = schema.get("properties", ())
    extras = [name for name in value if name not in known and not any(fits(name) for fits in patterns)]
    if part is False and extras:
        yield ValidationError("unexpected", validator="additionalProperties", validator_value=extras)
    elif part is not False:
        for name in extras:
            yield from validator.descend(value[name], part, path=name)


def _unevaluated_properties(original: Any) -> Any:
    """Name the properties: jsonschema only says that there are some."""

    def unevaluated_properties(validator: Any, part: Any, value: Any, schema: Any) -> Iterator[ValidationError]:
        for error in original(validator, part, value, schema):
            names = [name for name in value if any(original(validator, part, {name: value[name]}, schema))]
            yield ValidationError(error.message, validator="unevaluatedProperties", validator_value=names)

    return unevaluated_properties

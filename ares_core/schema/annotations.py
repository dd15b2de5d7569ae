"""What stands behind the type in ``Annotated[…]``: pydantic's ``Field``, annotated-types, plain words."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

LIMITS = {
    "ge": "minimum", "gt": "exclusiveMinimum", "le": "maximum", "lt": "exclusiveMaximum", "multiple_of": "multipleOf",
}  # fmt: skip
SIZES = {
    "string": ("minLength", "maxLength"),
    "array": ("minItems", "maxItems"),
    "object": ("minProperties", "maxProperties"),
}
SINGLE = {
    "Ge": "ge", "Gt": "gt", "Le": "le", "Lt": "lt", "MultipleOf": "multiple_of", "MinLen": "min_length",
    "MaxLen": "max_length",
}  # fmt: skip
IGNORED = frozenset({"strict", "union_mode", "coerce_numbers_to_str", "allow_inf_nan", "defer_build", "discriminator"})


class Unreadable(Exception):
    """An annotation that only pydantic understands."""


def annotate(schema: dict[str, Any], metadata: Iterable[Any]) -> dict[str, Any]:
    """Add to a schema what the annotations say.

    >>> annotate({"type": "integer"}, ["How many."])
    {'type': 'integer', 'description': 'How many.'}
    """
    schema = dict(schema)
    for note in metadata:
        if note is None:
            continue
        if type(note) is str:
            schema["description"] = note
        elif type(note).__name__ == "FieldInfo":
            annotate_field(schema, note)
        elif isinstance(words := getattr(note, "documentation", None), str):
            schema["description"] = words
        else:
            _limit(schema, note)
    return schema


def is_by_hand(metadata: Iterable[Any]) -> bool:
    """Whether a part of the schema is written by hand: a pattern, or what ``Field`` was told to add."""
    for note in metadata:
        if type(note).__name__ == "FieldInfo":
            if note.json_schema_extra is not None or is_by_hand(note.metadata):
                return True
        elif getattr(note, "pattern", None) is not None:
            return True
    return False


def annotate_field(schema: dict[str, Any], field: Any) -> None:
    """Add what a pydantic ``FieldInfo`` says, read by its attributes."""
    if field.discriminator is not None:
        raise Unreadable
    for note in field.metadata:
        _limit(schema, note)
    if field.title:
        schema["title"] = field.title
    if field.description:
        schema["description"] = field.description
    if field.examples:
        schema["examples"] = list(field.examples)
    if field.deprecated:
        schema["deprecated"] = True
    if isinstance(field.json_schema_extra, dict):
        schema.update(field.json_schema_extra)
    elif field.json_schema_extra is not None:
        raise Unreadable


def _limit(schema: dict[str, Any], note: Any) -> None:
    """Add a limit of annotated-types (``Ge``, ``MinLen``, …) or of pydantic's general kind (``pattern``)."""
    if (single := SINGLE.get(type(note).__name__)) is not None and hasattr(note, single):
        _add(schema, single, getattr(note, single))
        return
    said = {name: value for name, value in _attributes(note).items() if value is not None}
    if not said or not said.keys() <= _KNOWN:
        raise Unreadable
    for name, value in said.items():
        _add(schema, name, value)


def _add(schema: dict[str, Any], name: str, value: Any) -> None:
    if name in LIMITS:
        schema[LIMITS[name]] = _number(value)
    elif name in ("min_length", "max_length"):
        if value or name == "max_length":
            schema[_size(schema)[name == "max_length"]] = value
    elif name == "pattern":
        schema["pattern"] = value if isinstance(value, str) else value.pattern


_KNOWN = frozenset({*LIMITS, "min_length", "max_length", "pattern", *IGNORED})


def _attributes(note: Any) -> dict[str, Any]:
    names = getattr(type(note), "__dataclass_fields__", None) or getattr(note, "__dict__", {})
    if isinstance(note, type) or callable(note):
        return {}
    return {name: getattr(note, name) for name in names}


def _number(value: Any) -> Any:
    if type(value) not in (int, float) or value - value != 0:
        raise Unreadable
    return value


def _size(schema: dict[str, Any]) -> tuple[str, str]:
    kinds = [schema.get("type"), *(choice.get("type") for choice in schema.get("anyOf", ()))]
    for kind in kinds:
        if kind in SIZES:
            return SIZES[kind]
    raise Unreadable

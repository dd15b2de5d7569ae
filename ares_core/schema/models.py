"""Types that only pydantic can describe: dataclasses, models, constrained and custom types."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ares_core.errors import RegistrationError

REFERENCE = "#/$defs/{model}"


def describe_models(hints: Mapping[str, Any], owner: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """Give the JSON Schema of each hint, and the definitions that they share."""
    from pydantic import TypeAdapter

    adapters: Any = [(name, "validation", adapter_of(name, hint, owner)) for name, hint in hints.items()]
    schemas, shared = TypeAdapter.json_schemas(adapters, ref_template=REFERENCE)
    return {name: schemas[name, "validation"] for name in hints}, shared.get("$defs", {})


def adapter_of(name: str, hint: Any, owner: str) -> Any:
    """Make pydantic's adapter of a parameter, or say which parameter can't be described and what to do."""
    from pydantic import TypeAdapter
    from pydantic.errors import PydanticUserError

    try:
        adapter = TypeAdapter(hint)
        adapter.json_schema(ref_template=REFERENCE)
    except (PydanticUserError, TypeError, NameError, AttributeError, RecursionError) as error:
        raise RegistrationError(
            f"parameter {name!r} of {owner} has the type {hint!r:.200}, which has no JSON Schema "
            f"({_first_line(error)}); annotate it with another type, or give parameters="
        ) from error
    return adapter


def _first_line(error: BaseException) -> str:
    return str(error).strip().split("\n", 1)[0].split(". ", 1)[0][:200]


def default_of(hint: Any, value: Any) -> Any:
    """Write a default as JSON; raises ``ValueError`` if that can't be done."""
    from pydantic import TypeAdapter

    return TypeAdapter(hint).dump_python(value, mode="json")

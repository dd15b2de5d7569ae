"""A form that a person fills in at the terminal: a question for each field, each answer checked by its schema."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from ares_core.cli.arguments import read_value
from ares_core.cli.output import json_text, printable
from ares_core.errors import SchemaError

if TYPE_CHECKING:
    from ares_core.schema import Checker

MOST_FIELDS = 50
MOST_TRIES = 3
WORDS = {"yes": "true", "y": "true", "no": "false", "n": "false"}
Schema = Mapping[str, Any]
Ask = Callable[[str], str]


def fields_of(form: Schema) -> dict[str, Schema]:
    """Give the fields that a person can fill in, by name; none where the form is no list of fields."""
    properties = form.get("properties")
    if not isinstance(properties, Mapping) or len(properties) > MOST_FIELDS:
        return {}
    return {str(name): part if isinstance(part, Mapping) else {} for name, part in properties.items()}


def fill(form: Schema, ask: Ask, say: Callable[[str], None]) -> dict[str, Any] | None:
    """Ask for each field; ``None`` if one that is required stays empty, or one does not fit in three tries.

    An empty line takes the default, or leaves the field out.

    >>> form = {"properties": {"n": {"type": "integer", "default": 3}, "why": {"type": "string"}}}
    >>> fill(form, lambda question: "", print)
    {'n': 3}
    """
    from ares_core.schema import compile_schema

    required = form["required"] if isinstance(form.get("required"), list) else ()
    filled: dict[str, Any] = {}
    try:
        shared = {name: form[name] for name in ("$defs", "definitions") if name in form}
        checker = compile_schema({**shared, "type": "object", "properties": form["properties"]}, tool="form")
    except SchemaError as error:
        say(printable(f"The form can't be filled in: {error}"))
        return None
    for name, part in fields_of(form).items():
        is_odd = "default" in part and not checker.is_valid({name: part["default"]})
        schema = {key: part[key] for key in part if key != "default" or not is_odd}
        given = _field(question(name, schema, name in required), name, checker, form, ask, say)
        if given is None or not given and name in required and "default" not in schema:
            return None
        filled |= given or ({name: schema["default"]} if "default" in schema else {})
    return filled


def _field(
    asked: str, name: str, checker: Checker, form: Schema, ask: Ask, say: Callable[[str], None]
) -> dict[str, Any] | None:  # fmt: skip
    """Ask until what is given fits; an empty line is no value, ``None`` that it never fitted."""
    for _ in range(MOST_TRIES):
        text = ask(f"{asked}: ").strip()
        if not text:
            return {}
        given = {name: _read(text, fields_of(form)[name], form)}
        if checker.is_valid(given):
            return given
        say(printable(f"  {'; '.join(map(str, checker.issues(given))) or 'that does not fit'}"))
    return None


def question(name: str, schema: Schema, required: bool) -> str:
    """Write what is asked for a field: its name, what it is, what may be given, and what an empty line means.

    >>> question("size", {"enum": ["s", "m"], "default": "m"}, True)
    'size (one of s, m; empty: m)'
    """
    facts = [str(schema["description"])[:300]] if schema.get("description") else []
    choices = schema.get("enum") or [one.get("const") for one in schema.get("oneOf") or () if isinstance(one, Mapping)]
    if choices:
        facts.append(f"one of {', '.join(_plain(one) for one in choices)}"[:300])
    elif schema.get("type") == "boolean":
        facts.append("yes or no")
    elif schema.get("type") in ("integer", "number"):
        facts.append("a whole number" if schema["type"] == "integer" else "a number")
    if "default" in schema:
        facts.append(f"empty: {_plain(schema['default'])}"[:100])
    else:
        facts.append("empty: decline" if required else "empty: leave out")
    asked = f"{str(schema.get('title') or name)[:100]} ({'; '.join(facts)})"
    return printable(" ".join(asked.split()))  # a line of its own could look like a question of ours


def _plain(value: Any) -> str:
    return value if isinstance(value, str) else json_text(value, indent=None)


def _read(text: str, schema: Schema, form: Schema) -> Any:
    if schema.get("type") == "boolean":
        text = WORDS.get(text.lower(), text)
    if schema.get("type") == "array" and not text.startswith("["):
        items = schema["items"] if isinstance(schema.get("items"), Mapping) else {}
        return [read_value(part.strip(), items, form) for part in text.split(",")]
    return read_value(text, schema, form)

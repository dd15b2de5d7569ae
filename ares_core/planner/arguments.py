"""Step 5: arguments that fit the schema of one tool, from those of a rule."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from msgspec import Struct, field

from ares_core.counts import counted
from ares_core.planner.drafts import Draft, Given
from ares_core.planner.plan import Binding, Place
from ares_core.tools import Tool

NAMES: dict[str, tuple[str, ...]] = {
    "expression": ("expression", "expr", "formula", "calculation", "equation", "math_expression"),
    "input": ("input", "text", "string", "content", "data", "value", "message", "body", "input_text", "source"),
    "text": ("text", "input", "string", "content", "document", "texts", "body"),
    "path": ("path", "file_path", "filepath", "file", "filename", "file_name"),
    "url": ("url", "uri", "link", "address", "href"),
    "query": ("query", "q", "search", "search_query", "keywords", "question", "term"),
    "data": ("data", "input", "json", "json_string", "text", "content"),
    "operation": ("operation", "op", "action", "method", "mode", "algorithm", "function", "command"),
    "type": ("type", "kind", "version", "operation", "format"),
    "count": ("count", "n", "number", "amount", "quantity", "num"),
    "code": ("code", "source", "script", "snippet", "program"),
    "zone": ("zone", "timezone", "tz", "time_zone"),
    "pages": ("pages", "page_range", "page", "range"),
}
"""By which names tools of others call the arguments of rules, the likeliest first."""
NUMERIC = frozenset({"integer", "number"})


class Fitted(Struct, frozen=True):
    """Arguments for one tool; ``rejected`` says why it can't take them, ``missing`` what is required besides."""

    arguments: dict[str, Any] = field(default_factory=dict)
    bindings: tuple[Binding, ...] = ()
    places: dict[str, Place] = field(default_factory=dict)
    missing: tuple[str, ...] = ()
    rejected: str = ""


def fit(tool: Tool, draft: Draft) -> Fitted:
    """Find a parameter of the tool for every argument of a draft."""
    properties = _properties(tool)
    arguments: dict[str, Any] = {}
    places: dict[str, Place] = {}
    bindings: list[Binding] = []
    if "expression" in draft.given and not _named(properties, "expression", draft.given["expression"]):
        return _numbers_for(tool, draft, properties)
    for name, given in draft.given.items():
        found = None if given.missing else _named(properties, name, given, taken=arguments)
        if found is None:
            if given.missing or given.optional or _said_by_the_tool(tool, given):
                continue
            return Fitted(rejected=f"it has no parameter for {name} = {given.value!r:.60}")
        parameter, value = found
        if given.step or given.steps:
            bindings += [Binding(parameter, step) for step in (given.step, *given.steps) if step]
        else:
            arguments[parameter] = value
        if given.place:
            places[parameter] = given.place
    filled = {*arguments, *(binding.argument for binding in bindings)}
    missing = tuple(name for name in tool.parameters.get("required", ()) if name not in filled)
    return Fitted(arguments, tuple(bindings), places, missing)


def _properties(tool: Tool) -> Mapping[str, Any]:
    properties = tool.parameters.get("properties")
    return properties if isinstance(properties, Mapping) else {}


def _named(
    properties: Mapping[str, Any], name: str, given: Given, taken: Mapping[str, Any] | None = None
) -> tuple[str, Any] | None:
    """Find the parameter for an argument, and the value as that parameter takes it."""
    for candidate in dict.fromkeys((name, *NAMES.get(name, ()))):
        schema = properties.get(candidate)
        if not isinstance(schema, Mapping) or candidate in (taken or ()):
            continue
        if given.steps and not _takes_many(schema):
            continue
        if given.step or given.steps:
            return candidate, None
        for value in given.value if isinstance(given.value, tuple) else (given.value,):
            shaped = as_schema(schema, value)
            if shaped is not None:
                return candidate, shaped
    return None


def _takes_many(schema: Mapping[str, Any]) -> bool:
    """Whether a parameter takes a list."""
    branches = [schema, *schema.get("anyOf", ()), *schema.get("oneOf", ())]
    return any("array" in (one.get("type") or "array") for one in branches if isinstance(one, Mapping))


def _said_by_the_tool(tool: Tool, given: Given) -> bool:
    """Whether the tool's own words say already what the argument would, as the name ``sha256`` does an operation."""
    values = given.value if isinstance(given.value, tuple) else (given.value,)
    said = " ".join((tool.name, *tool.capabilities, tool.description.split(". ")[0][:300]))
    words = name_words(said)
    return given.step is None and any(
        isinstance(value, str) and value and all(_is_said(word, words) for word in name_words(value))
        for value in values
    )


def _is_said(word: str, words: list[str]) -> bool:
    return word in words or (len(word) > 3 and any(other.startswith(word) for other in words))


def name_words(name: str) -> list[str]:
    """Cut a name into its words.

    >>> name_words("readFile_v2")
    ['read', 'file', 'v2']
    """
    return re.findall(r"[a-z0-9]+", re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", name).lower())


def as_schema(schema: Mapping[str, Any], value: Any) -> Any | None:
    """Give a value as a schema takes it, changed only without loss; ``None`` if it takes no such value."""
    options = schema.get("enum") or ([schema["const"]] if "const" in schema else None)
    if options is not None:
        return _option(options, value)
    kinds = schema.get("type")
    if kinds is None:
        branches = [
            branch for key in ("anyOf", "oneOf") for branch in schema.get(key, ()) if isinstance(branch, Mapping)
        ]
        found = (as_schema(branch, value) for branch in branches)
        return next((one for one in found if one is not None), None) if branches else value
    named = [kinds] if isinstance(kinds, str) else kinds
    if isinstance(value, str) and "string" not in named and {"object", "array"} & set(named):
        value = _as_json(value)
    for kind in sorted(named, key=lambda kind: kind != "string") if isinstance(value, str) else named:
        shaped = _of_type(kind, value, schema)
        if shaped is not None:
            return shaped
    return None


def _as_json(text: str) -> Any:
    """Read a text where data belongs; what is no JSON stays text."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def _option(options: Sequence[Any], value: Any) -> Any | None:
    if value in options:
        return value
    folded = "".join(name_words(str(value)))
    found = [
        option for option in options if isinstance(option, str) and "".join(name_words(option)) == folded and folded
    ]
    return found[0] if len(found) == 1 else None


def _of_type(kind: str, value: Any, schema: Mapping[str, Any]) -> Any | None:
    if kind == "boolean":
        return value if isinstance(value, bool) else None
    if kind in NUMERIC:
        whole = isinstance(value, int) or (isinstance(value, float) and value.is_integer())
        return (
            value
            if isinstance(value, int | float) and not isinstance(value, bool) and (whole or kind == "number")
            else None
        )
    if kind == "string":
        return str(value) if isinstance(value, str | int | float) and not isinstance(value, bool) else None
    if kind == "array":
        items = schema.get("items")
        one = as_schema(items, value) if isinstance(items, Mapping) and not isinstance(value, list) else value
        return value if isinstance(value, list) else ([one] if one is not None else None)
    return value if kind == "object" and isinstance(value, Mapping) else None


def _numbers_for(tool: Tool, draft: Draft, properties: Mapping[str, Any]) -> Fitted:
    """Give a tool without an expression the numbers themselves, if its name says that it does this very operation."""
    given = draft.given["expression"]
    if given.missing:
        return Fitted(missing=("expression",))
    if not draft.numbers or not set(name_words(tool.name)) & draft.hints:
        return Fitted(rejected="it takes no expression, and its name doesn't say that it does this operation")
    lists = [name for name, schema in properties.items() if schema.get("type") == "array"]
    if len(lists) == 1:
        return Fitted({lists[0]: list(draft.numbers)}, places=_everywhere(lists, given.place))
    names = [name for name, schema in properties.items() if schema.get("type") in NUMERIC]
    needed = [name for name in tool.parameters.get("required", ()) if name in names]
    if not len(needed) <= len(draft.numbers) <= len(names):
        return Fitted(rejected=f"it takes {counted(len(names), 'number')}, not {len(draft.numbers)}")
    arguments = {name: as_schema(properties[name], value) for name, value in zip(names, draft.numbers, strict=False)}
    if any(value is None for value in arguments.values()):
        return Fitted(rejected="it takes only whole numbers")
    others = tuple(name for name in tool.parameters.get("required", ()) if name not in arguments)
    return Fitted(arguments, places=_everywhere(arguments, given.place), missing=others)


def _everywhere(names: Iterable[str], place: Place | None) -> dict[str, Place]:
    return dict.fromkeys(names, place) if place else {}

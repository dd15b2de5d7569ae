"""What ``json_tools`` does, by the name of the operation."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from json.encoder import encode_basestring
from typing import Any

from ares_core import ToolError
from ares_plugin_json.changing import merge, patched
from ares_plugin_json.differences import difference
from ares_plugin_json.numbers import as_data
from ares_plugin_json.pointers import find, nearby, tokens, written
from ares_plugin_json.reading import Document, NoJSON, read, read_text
from ares_plugin_json.writing import write

OTHER_NAMES = {"prettify": "pretty", "format": "pretty", "get": "query"}
TAKES = {
    "parse": (),
    "validate": (),
    "pretty": ("indent",),
    "query": ("query", "pointer"),
    "merge": ("other", "patch"),
    "patch": ("patch",),
    "diff": ("other",),
}
LARGEST = 2_000_000
"""Characters of a result."""
PLAIN_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def with_usual_names(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Give the arguments under the names that are used here; two names for one thing are refused."""
    is_path = arguments.get("path", "")[:1] not in ("", "/")
    usual = {"text": "data", "document": "data", "path": "query" if is_path else "pointer"}
    named: dict[str, Any] = {}
    for name, value in arguments.items():
        if (here := usual.get(name, name)) in named:
            raise ToolError(f"{here!r} is given twice, also as {name!r}", hint=f"leave {name!r} out", blame="input")
        named[here] = value
    return named


def run(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Run the operation that the arguments name."""
    named = arguments["operation"]
    operation = OTHER_NAMES.get(named, named)
    _check_arguments(named, TAKES[operation], arguments)
    if operation == "validate":
        return {"operation": operation, **_validate(arguments["data"])}
    document = read(arguments["data"])
    return {"operation": operation, **OPERATIONS[operation](document, arguments)}


def _check_arguments(operation: str, takes: tuple[str, ...], arguments: Mapping[str, Any]) -> None:
    for name in arguments:
        if name not in ("operation", "data", *takes):
            advice = f"it takes data{''.join(f', {each}' for each in takes)}"
            raise ToolError(f"{operation} takes no {name!r}; nothing was done", hint=advice, blame="input")


def _one_of(operation: str, names: tuple[str, ...], arguments: Mapping[str, Any]) -> str:
    given = [name for name in names if name in arguments]
    if len(given) != 1:
        said = f"needs {' or '.join(names)}" if not given else f"takes only one of {' and '.join(names)}"
        raise ToolError(f"{operation} {said}; nothing was done", hint=f"give {names[0]!r}", blame="input")
    return given[0]


def _given(value: Any, *documents: Document, notes: Iterable[str] = ()) -> dict[str, Any]:
    """Give a value twice: as JSON text without any loss, and as data, where a number may have to be text."""
    odd: list[str] = []
    output = write(value)
    if len(output) > LARGEST:
        raise ToolError(
            f"the result has {len(output):,} characters, more than {LARGEST:,}; it was given up",
            hint="ask for a part",
            blame="input",
        )
    data = as_data(value, odd) if any(document.has_odd for document in documents) else value
    notes = [*(note for document in documents for note in document.notes), *notes, *_odd_numbers(odd)]
    places = {"numbers_as_text": odd[:1000]} if odd else {}
    return {"value": data, "output": output, **places, **_noted(notes)}


def _odd_numbers(odd: list[str]) -> list[str]:
    if not odd:
        return []
    places = ", ".join(place or "the root" for place in odd[:5]) + (", …" if len(odd) > 5 else "")
    return [f"no float holds the number at {places}: in the data it is text, in the output it stands as it was written"]


def _noted(notes: list[str] | tuple[str, ...]) -> dict[str, Any]:
    return {"notes": list(notes)} if notes else {}


def _parse(document: Document, arguments: Mapping[str, Any]) -> dict[str, Any]:
    return {"type": type_of(document.value), **_given(document.value, document)}


def _validate(data: Any) -> dict[str, Any]:
    try:
        document = read_text(data) if isinstance(data, str) else read(data)
    except NoJSON as error:
        fault = error.fault
        place = {"line": fault.line, "column": fault.column, "position": fault.position}
        return {"valid": False, "error": f"no JSON: {fault.message}", **place, **_noted([fault.hint])}
    facts = {"type": type_of(document.value), "values": document.size, "depth": document.depth}
    return {"valid": True, **facts, "duplicates": list(document.twice), **_noted(document.notes)}


def _pretty(document: Document, arguments: Mapping[str, Any]) -> dict[str, Any]:
    output = write(document.value, arguments.get("indent", 2))
    return {"output": output, **_noted(document.notes)}


def _query(document: Document, arguments: Mapping[str, Any]) -> dict[str, Any]:
    name = _one_of("query", TAKES["query"], arguments)
    asked = arguments[name]
    if name == "pointer" or not asked or asked.startswith("/"):
        parts = tokens(asked)
        found = _given(find(document.value, parts), document)
        return {"pointer": written(parts), "found": True, "count": 1, **found}
    from ares_plugin_json.paths import select  # which takes a tenth of a second to import

    path = asked if asked.startswith("$") else _with_root(document.value, asked)
    nodes, notes = select(document.value, path)
    ways = [node.way() for node in nodes]
    if sum(len(part) + 4 if isinstance(part, str) else 4 for way in ways for part in way) > LARGEST:
        raise ToolError(
            f"the query selects {len(nodes):,} values, whose paths are too long to give; it was given up",
            hint="ask for a part",
            blame="input",
        )
    notes += _nothing_found(document.value, nodes)
    found = _given([node.value for node in nodes], document, notes=notes)
    found["values"] = found.pop("value")
    return {"query": path, "found": bool(nodes), "count": len(nodes), "paths": [_path(way) for way in ways], **found}


def _with_root(root: Any, asked: str) -> str:
    """Read ``a.b`` as ``$.a.b``, unless a key is called just so."""
    path = "$" + (asked if asked.startswith((".", "[")) else f".{asked}")
    if type(root) is dict and asked in root and not PLAIN_NAME.fullmatch(asked):
        key = f"$[{json.dumps(asked, ensure_ascii=False)}]"
        raise ToolError(
            f"{asked[:80]!r} could be a path or the key of that name; nothing was read",
            hint=f"write {path} for the path, {key} for the key",
            blame="input",
        )
    return path


def _nothing_found(root: Any, nodes: list[Any]) -> list[str]:
    if nodes or type(root) is not dict or not root:
        return []
    return [f"the document is an object with the keys {nearby(root, '')}"]


def _path(way: list[str | int]) -> str:
    """Write a way as a normalised path of RFC 9535.

    >>> _path(["a", 0, "it's"])
    "$['a'][0]['it\\\\'s']"
    """
    return "$" + "".join(f"[{part}]" if isinstance(part, int) else f"['{_quoted(part)}']" for part in way)


def _quoted(key: str) -> str:
    return str(encode_basestring(key))[1:-1].replace('\\"', '"').replace("'", "\\'")


def _merge(document: Document, arguments: Mapping[str, Any]) -> dict[str, Any]:
    name = _one_of("merge", TAKES["merge"], arguments)
    other = read(arguments[name], name)
    return _given(merge(document.value, other.value), document, other)


def _patch(document: Document, arguments: Mapping[str, Any]) -> dict[str, Any]:
    name = _one_of("patch", TAKES["patch"], arguments)
    patch = read(arguments[name], name)
    changed = patched(document.value, patch.value)
    return {"operations": len(patch.value), **_given(changed, document, patch)}


def _diff(document: Document, arguments: Mapping[str, Any]) -> dict[str, Any]:
    name = _one_of("diff", TAKES["diff"], arguments)
    other = read(arguments[name], name)
    given = _given(difference(document.value, other.value), document, other)
    given["patch"] = given.pop("value")
    return {"equal": not given["patch"], "count": len(given["patch"]), **given}


OPERATIONS = {"parse": _parse, "pretty": _pretty, "query": _query, "merge": _merge, "patch": _patch, "diff": _diff}


def type_of(value: Any) -> str:
    """Give the name that JSON has for the kind of a value."""
    names: dict[type, str] = {dict: "object", list: "array", str: "string", bool: "boolean"}
    return "null" if value is None else names.get(type(value), "number")

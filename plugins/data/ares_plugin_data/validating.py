"""What ``data_validation`` does: each operation gives a verdict, and a reason if it is no."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from ares_core import ToolError
from ares_plugin_data.addresses import check_email, check_url
from ares_plugin_data.reading import NoJSON, key_given_twice, kind_of, read, read_text
from ares_plugin_data.schema_checks import check_schema

Answer = dict[str, Any] | Awaitable[dict[str, Any]]


def run(arguments: Mapping[str, Any]) -> Answer:
    """Run the operation that the arguments name; what a child process decides is to be awaited."""
    operation = f"validate_{arguments['operation'].removeprefix('validate_')}"
    if (operation == "validate_schema") != ("schema" in arguments):
        said = "needs a schema" if "schema" not in arguments else "takes no schema"
        raise ToolError(
            f"{operation} {said}; nothing was checked", hint="a schema is for validate_schema", blame="input"
        )
    answer = OPERATIONS[operation](arguments)
    return {"operation": operation, **answer} if isinstance(answer, dict) else _awaited(operation, answer)


async def _awaited(operation: str, answer: Awaitable[dict[str, Any]]) -> dict[str, Any]:
    return {"operation": operation, **await answer}


def invalid(reason: str, **facts: Any) -> dict[str, Any]:
    """Give the verdict no, with its reason."""
    return {"valid": False, "error": reason, **facts}


def _json(arguments: Mapping[str, Any]) -> dict[str, Any]:
    data = arguments["data"]
    try:
        value = read_text(data) if isinstance(data, str) else read(data)
    except NoJSON as error:
        place = {"line": error.place[0], "column": error.place[1]} if error.place else {}
        return invalid(f"no JSON: {error}", **place)
    twice = key_given_twice(data) if isinstance(data, str) else None
    notes = [] if twice is None else [f"the key {twice!r:.80} comes more than once in one object; the last one counts"]
    return {"valid": True, "type": kind_of(value), **({"notes": notes} if notes else {})}


def _text(arguments: Mapping[str, Any], what: str) -> str:
    data = arguments["data"]
    if not isinstance(data, str):
        raise ToolError(
            f"{what} is a text, not {kind_of(data)}; nothing was checked", hint="give a text", blame="input"
        )
    return data


def _email(arguments: Mapping[str, Any]) -> dict[str, Any]:
    return check_email(_text(arguments, "an email address"))


def _url(arguments: Mapping[str, Any]) -> dict[str, Any]:
    return check_url(_text(arguments, "a web address"))


def _schema(arguments: Mapping[str, Any]) -> Answer:
    schema, data = read(arguments["schema"], "schema"), arguments["data"]
    try:
        value = read_text(data) if isinstance(data, str) else read(data)
    except NoJSON as error:
        return invalid(f"the data is no JSON: {error}", errors=[], count=0)
    return check_schema(schema, value)


OPERATIONS: dict[str, Callable[[Mapping[str, Any]], Answer]] = {
    "validate_json": _json,
    "validate_email": _email,
    "validate_url": _url,
    "validate_schema": _schema,
}

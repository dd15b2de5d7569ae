"""What became of a call, for a person: the bare answer on stdout, what was done on stderr."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from msgspec import to_builtins

from ares_core.call.redact import Redactor
from ares_core.calls import Result
from ares_core.cli import output
from ares_core.cli.ending import FAILED, WRONG
from ares_core.cli.options import current
from ares_core.counts import lasting
from ares_core.hints import unframed

if TYPE_CHECKING:
    from ares_core.app import Ares

WRITTEN_WRONG = frozenset({
    "unknown_tool", "malformed_arguments", "truncated_arguments", "invalid_arguments", "key_conflict",
})  # fmt: skip
"""Refusals of ``ares call`` that are about the command line itself."""
LONGEST = 60


def show(ares: Ares, result: Result, **more: Any) -> None:
    """Write a result: as one JSON document, or answer and deeds apart."""
    if current().as_json:
        output.document({**as_document(result), **more})
        return
    if result.success:
        output.answer(answer_of(result))
    else:
        output.error(complaint(result))
        if result.error and result.error.code == "approval_required":
            output.note(_how_to_approve(result.metadata.get("approval")))
    for step in result.steps or (result,):
        if step.call is not None and step.metadata.get("attempts"):
            output.note(deed(step, ares.runner.redactor))


def _how_to_approve(id: str | None) -> str:
    if id is None:
        return "At a terminal a person is asked; --approve always approves it here, approvals.defer keeps it for later."
    return f"To decide: ares approvals show {id}, then ares approvals approve {id}, or deny {id}"


def exit_code(result: Result, *, called: bool = False) -> int:
    """Give the exit code; ``called`` says that the caller named the tool and wrote the arguments."""
    if result.success:
        return 0
    return WRONG if called and result.error and result.error.code in WRITTEN_WRONG else FAILED


def failed(message: str, code: str = "failed", **more: Any) -> int:
    """Tell of a failure that is no call's, as a sentence or a document, and give the exit code 1."""
    if current().as_json:
        output.document({"success": False, "error": {"code": code, "message": message}, **more})
    else:
        output.error(message)
    return FAILED


def as_document(result: Result) -> dict[str, Any]:
    """Give a result as plain data, without what is empty in a call."""
    found: dict[str, Any] = to_builtins(result, enc_hook=str)
    for part in (found, *found["steps"]):
        if part["call"]:
            part["call"] = {key: value for key, value in part["call"].items() if value is not None}
    return found


def answer_of(result: Result) -> str:
    """Give the bare answer: a value by itself, what a plugin wrote of it, or the data as JSON.

    >>> answer_of(Result(True, {"expression": "6*7", "result": 42}, text='{"expression":"6*7","result":42}'))
    '42'
    """
    data = result.data["result"] if isinstance(result.data, dict) and "result" in result.data else result.data
    if isinstance(data, str):
        return data
    if isinstance(data, bool | int | float):
        return output.json_text(data)
    return output.json_text(data) if _is_default(result) else unframed(result.text)


def complaint(result: Result) -> str:
    """Give a failure's words without what is for models: the slice of the schema, and frames."""
    lines = [line for line in unframed(result.text).splitlines() if not line.startswith("Schema: {")]
    return "\n".join(lines) or (result.error.message if result.error else "It failed.")


def deed(result: Result, redactor: Redactor) -> str:
    """Say in a line what was done: the tool, its arguments without secrets, how long it took.

    >>> from ares_core import ToolCall
    >>> deed(Result(True, call=ToolCall("add", {"a": 2}), metadata={"duration_ms": 0.25, "attempts": 1}), Redactor())
    'add(a=2) in 0.25 ms'
    """
    call = result.call
    if call is None:
        return ""
    given = redactor.data(call.arguments) if isinstance(call.arguments, Mapping) else {}
    arguments = ", ".join(f"{key}={_short(value)}" for key, value in given.items())
    failed = "" if result.success or not result.error else f", {result.error.code}"
    return f"{call.name}({arguments}) in {lasting(result.metadata.get('duration_ms', 0.0))}{failed}"


def _short(value: Any) -> str:
    text = output.json_text(value, indent=None)
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"


def _is_default(result: Result) -> bool:
    """Whether no plugin wrote the text, so that it is nothing but the data in one line."""
    from ares_core.call.plain import text_of

    return unframed(result.text) == text_of(result.data) or not result.text

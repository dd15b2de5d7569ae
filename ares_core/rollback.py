"""A turn that is taken back when one of its changes fails: what was done before is undone, last first."""

from __future__ import annotations

from collections.abc import Sequence

from ares_core.call import Runner, failed_alone, tell_undone
from ares_core.calls import Failure, Result, ToolCall, replace
from ares_core.tools import Tool
from ares_core.undo import take_back


async def roll_back(
    runner: Runner, calls: Sequence[ToolCall], results: Sequence[Result | None], failed: int,
    tools: Sequence[Tool | None],
) -> list[Result]:  # fmt: skip
    """Undo every change that succeeded, and say in each result what became of it."""
    why = f"because {_named(calls[failed])} of the same turn failed"
    ended = list(results)
    told = []
    for place in reversed(range(len(calls))):
        result = results[place]
        if place == failed or result is None or not _has_changed(result):
            continue
        reason = await take_back(tools[place], result)
        if runner.listeners:
            tell_undone(runner, result, why, reason)
        ended[place] = _undone(result, why) if reason is None else _remains(result, why, reason)
        told.append(f"{_named(calls[place])} {'was undone' if reason is None else f'could not be undone: {reason}'}.")
    return [
        _told(result, told) if place == failed and result is not None
        else result or failed_alone(calls[place], "cancelled", f"This call did not begin, {why}.")
        for place, result in enumerate(ended)
    ]  # fmt: skip


def _has_changed(result: Result) -> bool:
    effects = None if result.call is None else result.call.effects
    return result.success and effects is not None and effects.mutating


def _named(call: ToolCall) -> str:
    return f"{call.name!r:.80} ({call.id})" if call.id else f"{call.name!r:.80}"


def _undone(result: Result, why: str) -> Result:
    message = f"This took effect and was undone, {why}."
    metadata = {**result.metadata, "undone": True}
    return replace(result, success=False, error=Failure("step_failed", message), text=message, metadata=metadata)


def _remains(result: Result, why: str, reason: str) -> Result:
    text = f"{result.text}\nThis should have been undone, {why}, but could not be: {reason}. It is still in effect."
    return replace(result, text=text, metadata={**result.metadata, "undone": False})


def _told(result: Result, told: Sequence[str]) -> Result:
    """Tell with the failure what was done about the changes before it."""
    error = result.error
    if not told or error is None:
        return result
    said = " ".join(["Rolled back:", *told])
    return replace(
        result, error=replace(error, message=f"{error.message} {said}"), text=f"{result.text}\n{said}",
        metadata={**result.metadata, "rolled_back": list(told)},
    )  # fmt: skip

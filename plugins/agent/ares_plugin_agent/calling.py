"""Running the calls of a turn, telling of each as it happens, and leaving none unanswered when it is interrupted."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from ares_core import Ares, Event, Result, Scoped, ToolCall, Turn
from ares_plugin_agent.happenings import CallEnded, CallStarted, Happening

ENDS = frozenset({"finished", "failed", "denied", "unknown"})
PATIENCE = 5.0
"""Seconds that calls get to end once they are interrupted."""
SHORTEST = 0.01


class Caller:
    """Runs the calls of one run."""

    def __init__(self, door: Ares | Scoped, say: Callable[[Happening], None]) -> None:
        self._door = door
        self._say = say
        self._arguments: dict[str, Any] = {}

    async def run(
        self, turn: Turn, name: str, request: str | None, left: float | None, leave: Callable[[list[Result]], None]
    ) -> list[Result]:
        """Run the calls of a turn, for ``left`` seconds at most; ``request`` is what the planner looks at.

        When that is cancelled, the calls are interrupted, and ``leave`` gets a result for each all the same.
        """
        calls = [ToolCall(call.name, call.arguments, call.id, call.key, call.timeout, name) for call in turn]
        interrupt = asyncio.Event()
        left = None if left is None else max(left, SHORTEST)
        with self._listening(name):
            work = asyncio.ensure_future(
                self._door.call_many(calls, request=request, deadline=left, interrupt=interrupt)
            )
            try:
                results = await asyncio.shield(work)
            except asyncio.CancelledError:
                interrupt.set()
                await asyncio.wait([work], timeout=PATIENCE)
                if work.done() and not work.cancelled() and work.exception() is None:
                    leave(work.result())
                raise
        for call, result in zip(turn, results, strict=True):
            self._tell_instead(call.name, result.steps)
        return results

    def _tell_instead(self, name: str, steps: Sequence[Result]) -> None:
        """Tell of what the planner called where the model named no tool there is."""
        for number, step in enumerate(steps):
            if step.call is None or not step.metadata.get("attempts"):
                continue
            id, tool, arguments = step.call.id or f"step {number}", step.call.name, step.call.arguments
            self._say(CallStarted(id, tool, self._door.ares.runner.redactor.data(arguments)))
            code, spent = step.error.code if step.error else None, step.metadata.get("duration_ms", 0.0)
            self._say(CallEnded(id, tool, step.success, step.text, code, spent, instead_of=name))

    @contextmanager
    def _listening(self, turn: str) -> Iterator[None]:
        def hear(event: Event) -> None:
            if event.turn == turn and event.parent is None and event.call_id:
                self._hear(event, event.call_id)

        stop = self._door.ares.on_event(hear)
        try:
            yield
        finally:
            stop()

    def _hear(self, event: Event, call_id: str) -> None:
        if event.kind in ("validated", "rewritten"):
            self._arguments[call_id] = event.data.get("arguments")
        elif event.kind == "started":
            self._say(CallStarted(call_id, event.tool, self._arguments.pop(call_id, None)))
        elif event.kind in ENDS:
            self._arguments.pop(call_id, None)
            text, code, spent = (event.data.get(name) for name in ("text", "code", "duration_ms"))
            self._say(CallEnded(call_id, event.tool, event.kind == "finished", text or "", code, spent or 0.0))

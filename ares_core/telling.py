"""Who listens to what happens."""

from __future__ import annotations

import uuid
from collections import deque
from collections.abc import Awaitable, Callable, Collection
from typing import TYPE_CHECKING, Any

from ares_core.call import Runner, tell_of
from ares_core.calls import Result
from ares_core.events import ORIGIN, Event, within
from ares_core.hooks import Hooks

if TYPE_CHECKING:
    from ares_core.planner import ExecutionPlan


class Viewer:
    """A listener for somebody who looks on: keeps the newest events until they are taken, and counts what it drops.

    >>> viewer = Viewer(most=1)
    >>> for kind in ("requested", "finished"):
    ...     viewer(Event(kind, "1", 0.0, "add"))
    >>> [event.kind for event in viewer.take()], viewer.dropped
    (['finished'], 1)
    """

    def __init__(self, most: int = 1000) -> None:
        self._events: deque[Event] = deque(maxlen=most)
        self.dropped = 0

    def __call__(self, event: Event) -> None:
        """Keep an event."""
        if len(self._events) == self._events.maxlen:
            self.dropped += 1
        self._events.append(event)

    def take(self) -> list[Event]:
        """Give what has come since the last time, oldest first."""
        taken: list[Event] = []
        while self._events:
            taken.append(self._events.popleft())
        return taken


class Telling:
    """The part of an Ares that listeners hear."""

    runner: Runner
    hooks: Hooks

    def __init__(self) -> None:
        self._listeners: list[tuple[str, Callable[[Event], Any]]] = []

    def add_listener(self, name: str, listener: Callable[[Event], Any]) -> Callable[[], None]:
        """Give every event to ``listener(event)``; gives a function that ends it."""
        entry = (name, listener)
        self._listeners.append(entry)
        self.listen()

        def stop() -> None:
            if entry in self._listeners:
                self._listeners.remove(entry)
                self.listen()

        return stop

    def on_event(
        self, listener: Callable[[Event], Any], *, kinds: Collection[str] | None = None, tool: str | None = None,
        session: str | None = None, run: str | None = None,
    ) -> Callable[[], None]:  # fmt: skip
        """Give every event that fits to ``listener(event)``; gives a function that ends it.

        It is called where the event happens, so it has to be quick; ``ares_core.Viewer`` is for those who are not.
        """
        wanted = {name: value for name, value in (("tool", tool), ("session", session), ("run", run)) if value}
        if kinds is None and not wanted:
            return self.add_listener("a listener", listener)

        def filtered(event: Event) -> None:
            if kinds is not None and event.kind not in kinds:
                return
            if all(getattr(event, name) == value for name, value in wanted.items()):
                listener(event)

        return self.add_listener("a listener", filtered)

    def listen(self) -> None:
        """Count anew who listens, after plugins came or went."""
        self.runner.listeners = (*self.hooks.listeners(), *self._listeners)


async def tell_plan(runner: Runner, plan: ExecutionPlan, session: str | None, work: Awaitable[Result]) -> Result:
    """Run a plan's work; those who listen hear what was considered, and how it ended, around the calls."""
    if not runner.listeners:
        return await work
    outer, node = ORIGIN.get()
    run = f"{outer}/{node or 'plan'}" if outer else f"plan-{uuid.uuid4().hex[:12]}"
    steps = [{"id": step.id, "tool": step.tool, "depends_on": list(step.depends_on)} for step in plan.steps]
    considered = [f"{one.step} {one.tool}: {one.rejected or one.score}" for one in plan.candidates[:50]]
    data = {"request": plan.request[:500], "confidence": plan.confidence, "steps": steps, "candidates": considered}
    tell_of(runner, "plan.started", data, session, run, None)
    with within(run):
        result = await work
    code = {"code": result.error.code} if result.error else {}
    ended = {"duration_ms": result.metadata.get("duration_ms"), "text": result.text[:2000], **code}
    tell_of(runner, "plan.finished" if result.success else "plan.failed", ended, session, run, None)
    return result

"""The methods that Ares and each part of it have in common: call, ask, plan, parse, handle, definitions, bind."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from ares_core import sources
from ares_core.budget import Budget, join
from ares_core.call import CURRENT, call_model, tell_of
from ares_core.calls import Result, ToolCall
from ares_core.conversation import last_request
from ares_core.events import EventKind
from ares_core.names import is_pattern
from ares_core.table import View
from ares_core.tools import Tool

if TYPE_CHECKING:
    import asyncio

    from ares_core.app import Ares
    from ares_core.approvals import Approvals
    from ares_core.bridge import Bridge
    from ares_core.formats import Definitions, Turn
    from ares_core.planner import ExecutionPlan
    from ares_core.scoped import Scoped

R = TypeVar("R")
Call = str | ToolCall
Arguments = Mapping[str, Any] | str | None


class Door(ABC):
    """How calls come in. ``session`` of a bound part stands for calls that name none."""

    _ares: Ares
    _session: str | None = None
    _budget: Budget | None = None
    hides = False
    """Whether there may be tools that this door doesn't lead to."""
    bridge: tuple[int, Bridge] | None = None
    """What turns requests in words into calls, and for which version of the table it was made."""

    @property
    def ares(self) -> Ares:
        """The Ares that this door leads into."""
        return self._ares

    @property
    @abstractmethod
    def view(self) -> View:
        """The tools that can be reached through this door."""

    def call(
        self, call: Call, arguments: Arguments = None, *, request: str | None = None, session: str | None = None,
        timeout: float | None = None,
    ) -> Awaitable[Result]:  # fmt: skip
        """Call a tool by name, or with a ``ToolCall``; gives a ``Result`` whatever happens.

        ``request`` is what the user asked, in words: with it a tool that doesn't exist is planned for. ``session``
        names what guards and budgets remember. ``timeout`` is in seconds.
        """
        ares = self._ares
        if not ares.is_ready:
            ares.ready()
        if not isinstance(call, ToolCall):
            call = ToolCall(call, {} if arguments is None else arguments)
        if ares.sources and sources.is_missing(ares, self, (call := self._meant(call)).name):
            run = partial(self._call, call, request, session, timeout)
            return sources.call_late(ares, self, call, run, timeout)
        if request is not None:
            return self._call(call, request, session, timeout)
        return ares.runner.run(
            call, session=session or self._session, timeout=timeout, view=self._own_view(), budget=self._budget
        )

    def _call(
        self, call: ToolCall, request: str | None, session: str | None, timeout: float | None,
        until: float | None = None,
    ) -> Awaitable[Result]:  # fmt: skip
        ares, session = self._ares, session or self._session
        if request is not None:
            return ares.bridge_for(self).call(self._meant(call), request, session=session, timeout=timeout)
        return ares.runner.run(
            call, session=session, timeout=timeout, view=self._own_view(), budget=self._budget, until=until
        )

    def call_sync(
        self, call: Call, arguments: Arguments = None, *, request: str | None = None, session: str | None = None,
        timeout: float | None = None,
    ) -> Result:  # fmt: skip
        """Call a tool and wait; see ``call``."""
        work = self.call(call, arguments, request=request, session=session, timeout=timeout)
        return self._ares.wait_for(work, "call")

    async def call_many(
        self, calls: Iterable[ToolCall], *, request: str | None = None, session: str | None = None,
        timeout: float | None = None, deadline: float | None = None, max_parallel: int | None = None,
        rollback: bool = False, interrupt: asyncio.Event | None = None,
    ) -> list[Result]:  # fmt: skip
        """Run the calls of one turn: results in the order of the calls, side by side where effects allow.

        ``timeout`` is for each call, ``deadline`` for all together, in seconds. ``max_parallel`` may only lower
        ``limits.max_parallel``. Setting ``interrupt`` ends what runs; every call is answered all the same. With
        ``rollback`` a change that fails ends the turn, and what was changed before is undone, last first.
        """
        from ares_core.batch import Terms, run_batch

        self._ares.ready()
        calls = [self._meant(call) for call in calls]
        for name in self._missing(call.name for call in calls):
            outer = self.outer_name(name)
            await sources.bring(self._ares.sources, outer)  # what a call does is known only when its tool is

        def run(call: ToolCall, until: float | None) -> Awaitable[Result]:
            if self._ares.sources and (refused := sources.refusal(self._ares, self, call)) is not None:
                return sources.given(refused)
            return self._call(call, request, session, timeout, until)

        terms = Terms.of(self._ares.settings.limits, deadline, max_parallel, rollback, interrupt)
        return await run_batch(self._ares.runner, calls, run, self._view_here(), terms)

    def call_many_sync(
        self, calls: Iterable[ToolCall], *, request: str | None = None, session: str | None = None,
        timeout: float | None = None, deadline: float | None = None, max_parallel: int | None = None,
        rollback: bool = False,
    ) -> list[Result]:  # fmt: skip
        """Run the calls of one turn and wait; see ``call_many``."""
        work = self.call_many(
            calls, request=request, session=session, timeout=timeout, deadline=deadline, max_parallel=max_parallel,
            rollback=rollback,
        )  # fmt: skip
        return self._ares.wait_for(work, "call_many")

    async def call_model(
        self, request: Mapping[str, Any], send: Callable[[Mapping[str, Any]], Awaitable[R]], *,
        session: str | None = None,
    ) -> R:  # fmt: skip
        """Send a request to a model with ``await send(request)``, through the layers that plugins put around models.

        ``llm_request`` layers may change the request or deny it, ``llm_execution`` layers wrap the sending. Raises
        ``LayerError`` when a layer denies or breaks; what ``send`` raises comes through as it is.
        """
        self._ares.ready()
        return await call_model(self._ares.runner, request, send, session or self._session)

    def plan(self, request: str) -> ExecutionPlan:
        """Plan what a request in words needs; runs nothing."""
        self._ares.ready()
        plan = self._ares.bridge_for(self).plan(request)
        if not (coming := sources.better_than(plan, self._ares, self)):
            return plan
        for future in coming:
            future.result()
        return self._ares.bridge_for(self).plan(request)

    async def ask(self, request: str, *, session: str | None = None, timeout: float | None = None) -> Result:
        """Do what a request in words asks for, or say why not."""
        self._ares.ready()
        bridge = self._ares.bridge_for(self)
        plan = bridge.plan(request)
        if coming := sources.better_than(plan, self._ares, self):
            await sources.arrival(coming)
            bridge = self._ares.bridge_for(self)
            plan = bridge.plan(request)
        return await bridge.carry_out(await bridge.decide(plan), session=session or self._session, timeout=timeout)

    def ask_sync(self, request: str, *, session: str | None = None, timeout: float | None = None) -> Result:
        """Do what a request asks for and wait; see ``ask``."""
        return self._ares.wait_for(self.ask(request, session=session, timeout=timeout), "ask")

    def parse(self, body: Any, wire: str | None = None, *, model: str | None = None) -> Turn:
        """Read what a model said: a body, a stream's text, or its chunks. ``wire=None`` recognises the format.

        ``model`` is the one that was asked, if the body may name it otherwise than the profiles in ``models`` do.
        """
        finding = self._ares.runner.finding
        tools = self.tools()
        return self._ares.wires.parse(body, wire, tools if finding is None else {**finding.own(), **tools}, model)

    def answer(self, turn: Turn, results: Sequence[Result]) -> list[dict[str, Any]]:
        """Give the messages that go back to the provider: its own, then one answer for each call, in order."""
        return self._ares.wires.answer(turn, results)

    async def handle(
        self, body: Any, wire: str | None = None, request: str | None = None, session: str | None = None
    ) -> list[dict[str, Any]]:
        """Read what a model said, run its calls, and give the messages that go back to the provider.

        For calls of tools that don't exist, ``request`` is what the user asked; if it is left out, the last words of
        the user count, where the body has the conversation in it.
        """
        turn = self.parse(body, wire)
        if request is None and any(call.name not in self.view.entries for call in turn):
            request = last_request(body)
        results = await self.call_many(list(turn), request=request, session=session)
        return self._ares.wires.answer(turn, results)

    def handle_sync(
        self, body: Any, wire: str | None = None, request: str | None = None, session: str | None = None
    ) -> list[dict[str, Any]]:
        """Handle what a model said and wait; see ``handle``."""
        return self._ares.wait_for(self.handle(body, wire, request, session), "handle")

    def definitions(
        self, wire: str = "openai-chat", tool_choice: str | None = None, *, strict: bool = False,
        model: str | None = None,
    ) -> Definitions:  # fmt: skip
        """Publish the tools in a provider's dialect, in the order of their names.

        Where a plugin finds tools, and these are too many for ``model``, only those that find the others are published.
        """
        self._bring_all()
        ares, finding = self._ares, self._ares.runner.finding
        if finding is None:
            return ares.wires.definitions(self.tools(), wire, tool_choice, strict)
        tools = finding.published(self.view, ares.wires.context(model or ""), tool_choice)
        return ares.wires.definitions(tools, wire, tool_choice, strict)

    def bind(
        self, tools: Iterable[Any] | None = None, toolset: str | None = None, session: str | None = None,
        budget: Budget | None = None, *, prefix: str = "", rename: Mapping[str, str] | None = None,
    ) -> Scoped:  # fmt: skip
        """Give the same methods on a part of the tools: those named (or given), or those of a toolset.

        ``tools`` holds names, patterns such as ``"mcp.files.*"``, and tools or functions, which are private to this
        part. ``prefix`` goes before every name, ``rename`` gives single tools another one. Calls through it spend from
        ``budget``, beside what ``guard.budgets`` gives their session.
        """
        from ares_core.scoped import Scoped

        tools = [tools] if isinstance(tools, str) else None if tools is None else list(tools)
        self.bring(name for name in tools or () if isinstance(name, str) and not is_pattern(name))
        session, budget = session or self._session, join(budget, self._budget)
        return Scoped(self._ares, self, tools, toolset, session, budget, prefix, rename)

    @property
    def is_heard(self) -> bool:
        """Whether anybody listens: what nobody hears need not be made."""
        return bool(self._ares.runner.listeners)

    def tell(
        self, kind: EventKind, data: Mapping[str, Any] | None = None, *, run: str | None = None,
        node: str | None = None, session: str | None = None,
    ) -> None:  # fmt: skip
        """Tell those who listen what became of a run, a node or a turn; the data is redacted like a call's."""
        runner = self._ares.runner
        if runner.listeners:
            tell_of(runner, kind, data or {}, session or self._session, run, node)

    @property
    def approvals(self) -> Approvals:
        """The calls that wait for a person: list, get, approve, deny, resume."""
        from ares_core.approvals import Approvals

        self._ares.ready()
        return Approvals(self._ares)

    def tools(self) -> dict[str, Tool]:
        """The tools that can be reached through this door, by name."""
        self._ares.ready()
        entries = self.view.entries
        return {name: entries[name].shown for name in sorted(entries)}

    def bring(self, names: Iterable[str]) -> None:
        """Have the tools that these names may mean brought in, where they come from a source that is asked late."""
        for name in self._missing(names):
            sources.bring_and_wait(self._ares.sources, name)

    def may_come_late(self, name: str | None) -> bool:
        """Whether a tool that isn't there, or any at all (``None``), may come to be reachable through this door."""
        return True

    def outer_name(self, name: str) -> str:
        """Give the name by which a tool is known in the whole of Ares, for one by which it may be known here."""
        return name

    def _missing(self, names: Iterable[object]) -> list[str]:
        ares = self._ares
        ares.ready()
        return [str(name) for name in names if sources.is_missing(ares, self, name)] if ares.sources else []

    def _bring_all(self) -> None:
        self._ares.ready()
        if self._ares.sources and self.may_come_late(None):
            sources.bring_and_wait(self._ares.sources)

    @property
    def budget(self) -> Budget | None:
        """What calls through this door spend from, if anything is limited: its own budget, and its session's."""
        if self._session is None:
            return self._budget
        return join(self._budget, self._ares.runner.sessions.get(self._session).budget)

    def _own_view(self) -> View | None:
        return None

    def _meant(self, call: ToolCall) -> ToolCall:
        """The call that is meant by a call of a tool that finds others."""
        finding = self._ares.runner.finding
        return call if finding is None else finding.meant(call, self._view_here())

    def _view_here(self) -> View:
        """The tools that a call made here can reach: inside a tool those of its caller, unless this is a part."""
        above = CURRENT.get()
        is_child = above is not None and above.runner is self._ares.runner
        return above.view if above is not None and is_child and self._own_view() is None else self.view

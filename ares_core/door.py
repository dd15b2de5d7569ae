"""The methods that Ares and each part of it have in common: call, ask, plan, parse, handle, definitions, bind."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Awaitable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from ares_core.calls import Result, ToolCall
from ares_core.table import View
from ares_core.tools import Tool

if TYPE_CHECKING:
    from ares_core.app import Ares
    from ares_core.bridge import Bridge
    from ares_core.formats import Definitions, Turn
    from ares_core.planner import ExecutionPlan
    from ares_core.scoped import Scoped

Call = str | ToolCall
Arguments = Mapping[str, Any] | str | None


class Door(ABC):
    """How calls come in. ``session`` of a bound part stands for calls that name none."""

    _ares: Ares
    _session: str | None = None
    bridge: tuple[int, Bridge] | None = None
    """What turns requests in words into calls, and for which version of the table it was made."""

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
        if request is not None:
            return ares.bridge_for(self).call(call, request, session=session or self._session, timeout=timeout)
        return ares.runner.run(call, session=session or self._session, timeout=timeout, view=self._own_view())

    def call_sync(
        self, call: Call, arguments: Arguments = None, *, request: str | None = None, session: str | None = None,
        timeout: float | None = None,
    ) -> Result:  # fmt: skip
        """Call a tool and wait; see ``call``."""
        work = self.call(call, arguments, request=request, session=session, timeout=timeout)
        return self._ares.wait_for(work, "call")

    async def call_many(
        self, calls: Iterable[ToolCall], *, request: str | None = None, session: str | None = None,
        timeout: float | None = None,
    ) -> list[Result]:  # fmt: skip
        """Run the calls of one turn: results in the order of the calls, side by side where effects allow."""
        from ares_core.batch import run_batch

        self._ares.ready()

        def run(call: ToolCall) -> Awaitable[Result]:
            return self.call(call, request=request, session=session, timeout=timeout)

        return await run_batch(self._ares.runner, list(calls), run, self.view)

    def call_many_sync(
        self, calls: Iterable[ToolCall], *, request: str | None = None, session: str | None = None,
        timeout: float | None = None,
    ) -> list[Result]:  # fmt: skip
        """Run the calls of one turn and wait; see ``call_many``."""
        work = self.call_many(calls, request=request, session=session, timeout=timeout)
        return self._ares.wait_for(work, "call_many")

    def plan(self, request: str) -> ExecutionPlan:
        """Plan what a request in words needs; runs nothing."""
        return self._ares.bridge_for(self).plan(request)

    async def ask(self, request: str, *, session: str | None = None, timeout: float | None = None) -> Result:
        """Do what a request in words asks for, or say why not."""
        bridge = self._ares.bridge_for(self)
        return await bridge.ask(request, session=session or self._session, timeout=timeout)

    def ask_sync(self, request: str, *, session: str | None = None, timeout: float | None = None) -> Result:
        """Do what a request asks for and wait; see ``ask``."""
        return self._ares.wait_for(self.ask(request, session=session, timeout=timeout), "ask")

    def parse(self, body: Any, wire: str | None = None) -> Turn:
        """Read what a model said: a body, a stream's text, or its chunks. ``wire=None`` recognises the format."""
        return self._ares.wires.parse(body, wire, self.tools())

    async def handle(
        self, body: Any, wire: str | None = None, request: str | None = None, session: str | None = None
    ) -> list[dict[str, Any]]:
        """Read what a model said, run its calls, and give the messages that go back to the provider."""
        turn = self.parse(body, wire)
        results = await self.call_many(list(turn), request=request, session=session)
        return self._ares.wires.answer(turn, results)

    def handle_sync(
        self, body: Any, wire: str | None = None, request: str | None = None, session: str | None = None
    ) -> list[dict[str, Any]]:
        """Handle what a model said and wait; see ``handle``."""
        return self._ares.wait_for(self.handle(body, wire, request, session), "handle")

    def definitions(
        self, wire: str = "openai-chat", tool_choice: str | None = None, *, strict: bool = False
    ) -> Definitions:
        """Publish the tools in a provider's dialect, in the order of their names."""
        return self._ares.wires.definitions(self.tools(), wire, tool_choice, strict)

    def bind(
        self, tools: Iterable[Any] | None = None, toolset: str | None = None, session: str | None = None
    ) -> Scoped:
        """Give the same methods on a part of the tools: those named (or given), or those of a toolset."""
        from ares_core.scoped import Scoped

        return Scoped(self._ares, self, tools, toolset, session or self._session)

    def tools(self) -> dict[str, Tool]:
        """The tools that can be reached through this door, by name."""
        self._ares.ready()
        entries = self.view.entries
        return {name: entries[name].tool for name in sorted(entries)}

    def _own_view(self) -> View | None:
        return None

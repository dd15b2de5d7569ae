"""Tools that fail on purpose."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable
from typing import Any

from ares_core.call.deadline import DeadlineReached
from ares_core.calls import Failure, Result, ToolCall
from ares_core.hookspecs import hookimpl
from ares_core.protocols import Layer

OUTERMOST = -1_000_000


class Faults:
    """A plugin that lets tools fail instead of running: past their deadline, or with an error of the world.

    Example::

        ares.add(Faults(timeout=["web_search"], error=["http_request"]))
        assert ares.call_sync("web_search", {"query": "x"}).error.code == "timeout"
    """

    def __init__(self, timeout: Iterable[str] = (), error: Iterable[str] = ()) -> None:
        self._timeout = frozenset(timeout)
        self._error = frozenset(error)
        self._tools = tuple(sorted(self._timeout | self._error))
        self.__name__ = "_".join(["faults", *self._tools])

    @hookimpl
    def register_middleware(self) -> list[Layer]:
        """Stand around the tools."""
        return [Layer("faults", "tool_execution", self._fail, OUTERMOST, self._tools)] if self._tools else []

    async def _fail(self, call: ToolCall, next_call: Callable[[], Awaitable[Any]]) -> Any:
        if call.name in self._timeout:
            raise DeadlineReached
        text = f"{call.name!r} could not reach what it needs (injected by the test)"
        return Result(False, error=Failure("tool_error", text, retriable=True, blame="world"))

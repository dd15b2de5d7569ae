"""The way to a store that calls depend on: one in memory is asked at once, others in a thread."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from contextvars import copy_context
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

from ares_core.call.refusal import Refused, refuse

if TYPE_CHECKING:
    from ares_core.call.runner import Runner

log = logging.getLogger("ares")


class Keeper:
    """Asks one store. One that fails lets no call pass that depends on it.

    ``at_once`` says that the store answers from memory, so that a thread would only cost.
    """

    def __init__(
        self, runner: Runner, kind: Literal["ledger", "approvals"], store: Any, *, at_once: bool = False
    ) -> None:  # fmt: skip
        self.kind = kind
        self.store = store
        self.at_once = at_once
        self._runner = runner

    async def ask(self, tool: str, method: str, *given: Any, undo: Callable[[Any], None] | None = None) -> Any:
        """Call a method of the store for a call of a tool; ``undo`` gets the answer if nobody waits for it any more."""
        function = partial(getattr(self.store, method), *given)
        try:
            if self.at_once:
                return function()
            return await self._in_thread(function, undo)
        except (Refused, asyncio.CancelledError):
            raise
        except Exception as error:
            log.exception("stores.%s failed", self.kind)
            raise unusable(tool, self.kind, error) from error

    async def _in_thread(self, function: Callable[[], Any], undo: Callable[[Any], None] | None) -> Any:
        work = self._runner.threads.run(copy_context(), function)
        try:
            return await asyncio.shield(work)
        except asyncio.CancelledError:
            if undo is not None:
                work.add_done_callback(partial(_undo, undo))
            raise


def _undo(undo: Callable[[Any], None], work: asyncio.Future[Any]) -> None:
    if not work.cancelled() and work.exception() is None:
        undo(work.result())


def unusable(tool: str, kind: str, error: BaseException | str) -> Refused:
    """Refuse a call because a store that it depends on fails."""
    why = error if isinstance(error, str) else f"{type(error).__name__}: {error}"
    without = "nobody could tell whether it ran already" if kind == "ledger" else "no approval could be kept"
    message = f"{tool!r} may change something, and stores.{kind} can't be used ({why:.300}): {without}. Tell the user."
    return refuse("internal_error", message, blame="tool")

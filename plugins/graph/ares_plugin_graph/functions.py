"""Functions of the program's own: run in threads that never hold the process, with answers that can be kept."""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import inspect
import json
import threading
from collections.abc import Callable, Mapping
from typing import Any

import msgspec


async def called(function: Callable[..., Any], arguments: Mapping[str, Any]) -> Any:
    """Call a function, a plain one in a thread; gives plain JSON values or raises."""
    if inspect.iscoroutinefunction(function):
        return plain(await function(**arguments))
    value = await in_thread(lambda: function(**arguments))
    return plain(await value if inspect.isawaitable(value) else value)


async def in_thread(work: Callable[[], Any]) -> Any:
    """Run ``work`` in a daemon thread: unlike one of a pool, it keeps nobody from leaving when it hangs."""
    loop, context = asyncio.get_running_loop(), contextvars.copy_context()
    future: asyncio.Future[Any] = loop.create_future()

    def settle(value: Any, error: BaseException | None) -> None:
        if not future.done():
            future.set_result(value) if error is None else future.set_exception(error)

    def run() -> None:
        value, error = None, None
        try:
            value = context.run(work)
        except BaseException as raised:  # also SystemExit: it is the node's failure, not the thread's
            error = raised if isinstance(raised, Exception) else RuntimeError(f"{type(raised).__name__}: {raised}")
        with contextlib.suppress(RuntimeError):  # the loop is closed: nobody waits any more
            loop.call_soon_threadsafe(settle, value, error)

    threading.Thread(target=run, name="ares-graph-function", daemon=True).start()
    return await future


def plain(value: Any) -> Any:
    """Give a value as plain JSON; raises ``ValueError`` in a sentence for what has no such form."""
    try:
        made = msgspec.to_builtins(value, str_keys=True)
        json.dumps(made, ensure_ascii=False, allow_nan=False).encode()
    except (TypeError, ValueError, RecursionError) as error:
        raise ValueError(f"it has no form in JSON: {error}") from None
    return made


__all__ = ["called", "in_thread", "plain"]

"""Calls of stateless clients that wait for an answer: the request ends with a question, the call stays.

The answer comes with the client's next request, which names the call by a secret. So nothing that has run is run again.
"""

from __future__ import annotations

import asyncio
import re
import secrets
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from mcp_types import ElicitRequest, ElicitResult, InputRequiredResult

from ares_core import Result
from ares_plugin_mcp.server.asking import fits

MOST = 256
LONGEST = 600.0
KEY = re.compile(r"[A-Za-z_][A-Za-z0-9_-]{0,63}")


class Suspended:
    """One call that may stop for questions."""

    def __init__(self, meant: object) -> None:
        self.meant = meant
        self.task: asyncio.Task[Result]
        self._news: asyncio.Queue[ElicitRequest | None] = asyncio.Queue()
        self._open: tuple[ElicitRequest, asyncio.Future[ElicitResult]] | None = None
        self._one = asyncio.Lock()

    def start(self, work: Callable[[], Awaitable[Result]]) -> None:
        """Begin the call."""
        self.task = asyncio.ensure_future(_run(work))
        self.task.add_done_callback(lambda task: self._news.put_nowait(None))

    async def ask(self, request: ElicitRequest) -> ElicitResult:
        """Put a question to the client and wait for the request that answers it; one at a time."""
        async with self._one:
            answer: asyncio.Future[ElicitResult] = asyncio.get_running_loop().create_future()
            self._open = (request, answer)
            self._news.put_nowait(request)
            return await answer

    def answer(self, responses: Mapping[str, Any] | None) -> None:
        """Take the client's answer; what is none makes the same question be asked again."""
        if self._open is None:
            return
        request, waiting = self._open
        answer = fits((responses or {}).get(key_of(request)), request)
        if answer is None or waiting.done():
            self._news.put_nowait(request)
            return
        self._open = None
        waiting.set_result(answer)

    async def next(self) -> ElicitRequest | Result:
        """Wait until the call has a question or is done; when the client goes away, so does the call."""
        try:
            request = await self._news.get()
            return await self.task if request is None else request
        except asyncio.CancelledError:
            self.task.cancel()
            raise


def key_of(request: ElicitRequest) -> str:
    """Name a question: by the title of its form if that is a name."""
    form = getattr(request.params, "requested_schema", {})
    title = form.get("title")
    return title if isinstance(title, str) and KEY.fullmatch(title) else "answer"


async def _run(work: Callable[[], Awaitable[Result]]) -> Result:
    return await work()


class Shelf:
    """The calls that wait, the newest 256, each for ten minutes; what is dropped is cancelled, so it never runs."""

    def __init__(self) -> None:
        self._kept: dict[str, tuple[Suspended, asyncio.TimerHandle]] = {}

    def put(self, call: Suspended, request: ElicitRequest) -> InputRequiredResult:
        """Keep a call, and give what its client is told."""
        while len(self._kept) >= MOST:
            self.drop(next(iter(self._kept)))
        state = secrets.token_urlsafe(24)
        self._kept[state] = (call, asyncio.get_running_loop().call_later(LONGEST, self.drop, state))
        return InputRequiredResult(input_requests={key_of(request): request}, request_state=state)

    def take(self, state: str, meant: object) -> Suspended | None:
        """Give the call that a state stands for, once, if the request still means that call."""
        kept = self._kept.get(state)
        if kept is None or kept[0].meant != meant:
            return None
        del self._kept[state]
        kept[1].cancel()
        return kept[0]

    def drop(self, state: str) -> None:
        """End a call that nobody answered."""
        kept = self._kept.pop(state, None)
        if kept is not None:
            kept[1].cancel()
            kept[0].task.cancel()

    def close(self) -> None:
        """End them all."""
        for state in list(self._kept):
            self.drop(state)

"""``tools/call``: from a client's request to a call of Ares, and back."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextvars import ContextVar
from dataclasses import replace
from functools import partial
from typing import Any

import msgspec
from mcp import MCPError
from mcp.server import ServerRequestContext
from mcp.server.context import CallNext, HandlerResult
from mcp.shared.message import ServerMessageMetadata
from mcp_types import (
    INVALID_PARAMS,
    CallToolRequestParams,
    CallToolResult,
    ElicitRequest,
    ElicitResult,
    InputRequiredResult,
)
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from ares_core import Ares, Failure, Issue, Result, Scoped, ToolCall
from ares_plugin_mcp.server.exchange import EXCHANGE, Exchange, heard
from ares_plugin_mcp.server.listing import ASK, has_ask
from ares_plugin_mcp.server.results import answer_of
from ares_plugin_mcp.server.suspended import LONGEST, Shelf, Suspended

Context = ServerRequestContext[Any, Any]
Work = Callable[[], Awaitable[Result]]
LOOSE: ContextVar[Any] = ContextVar("ares_mcp_loose", default=None)
"""Arguments that a client sent as something else than an object, for Ares to repair."""


async def keep_loose_arguments(ctx: Context, call_next: CallNext) -> HandlerResult:
    """Take arguments that are no object past the SDK, which would refuse them without a word of help."""
    given = ctx.params.get("arguments") if ctx.method == "tools/call" and ctx.params else None
    if given is None or isinstance(given, dict):
        return await call_next(ctx)
    LOOSE.set(given if isinstance(given, str) else msgspec.json.encode(given).decode())
    return await call_next(replace(ctx, params={**(ctx.params or {}), "arguments": {}}))


class Calls:
    """Serves the calls of all clients of one server."""

    def __init__(self, door: Ares | Scoped, asks: bool) -> None:
        self._door = door
        self._asks = asks
        self._shelf = Shelf()
        self._listening = 0
        self._stop: Callable[[], None] = lambda: None

    def close(self) -> None:
        """End the calls that wait for an answer."""
        self._shelf.close()

    async def serve(self, context: Context, params: CallToolRequestParams) -> CallToolResult | InputRequiredResult:
        """Run one call through its whole life."""
        loose = LOOSE.get()
        arguments = (params.arguments or {}) if loose is None else loose
        work = self._work(params.name, arguments)
        if context.protocol_version in MODERN_PROTOCOL_VERSIONS:
            answer = await self._stateless(context, params, arguments, work)
        else:
            answer = await self._run(Exchange(self._door, context, _elicitation(context)), work)
        return answer if isinstance(answer, InputRequiredResult) else self._answer(params.name, answer)

    def _work(self, name: str, arguments: Any) -> Work:
        if name == ASK and self._asks and has_ask(self._door):
            return partial(_ask, self._door, arguments)
        return partial(self._door.call, ToolCall(name, arguments))

    def _answer(self, name: str, result: Result) -> CallToolResult:
        entries = self._door.view.entries
        if result.error is not None and result.error.code == "unknown_tool" and name not in entries and name != ASK:
            raise MCPError(INVALID_PARAMS, result.text, {"suggestions": list(result.error.suggestions)})
        called = result.call.name if result.call is not None and name != ASK else name
        entry = entries.get(name) or entries.get(called)
        return answer_of(self._door, result, None if entry is None else entry.tool)

    async def _run(self, exchange: Exchange, work: Work) -> Result:
        EXCHANGE.set(exchange)
        if not exchange.wants_progress:
            return await work()
        self._listen(1)
        telling = asyncio.create_task(exchange.tell())
        try:
            return await work()
        finally:
            self._listen(-1)
            await exchange.end(telling)

    def _listen(self, more: int) -> None:
        """Listen to events only while a client wants to be told of progress."""
        before, self._listening = self._listening, self._listening + more
        if not before:
            self._stop = self._door.ares.on_event(heard, kinds={"progress"})
        elif not self._listening:
            self._stop()

    async def _stateless(
        self, context: Context, params: CallToolRequestParams, arguments: Any, work: Work
    ) -> Result | InputRequiredResult:
        """Run a call that ends in a question if there is one, and go on with it when the answer comes."""
        if not _can_elicit(context):
            return await self._run(Exchange(self._door, context, None), work)
        meant = (params.name, msgspec.json.encode(arguments, order="deterministic"))
        if params.request_state is not None:
            call = self._shelf.take(params.request_state, meant)
            if call is None:
                raise MCPError(
                    INVALID_PARAMS,
                    "The requestState is not one that waits for an answer to this very call: it was answered, has "
                    "expired, or was changed. Nothing was executed; make the call without it.",
                )
            call.answer(params.input_responses)
        else:
            call = Suspended(meant)
            call.start(partial(self._run, Exchange(self._door, context, call.ask), work))
        news = await call.next()
        return self._shelf.put(call, news) if isinstance(news, ElicitRequest) else news


async def _ask(door: Ares | Scoped, arguments: Any) -> Result:
    """Ask the planner, if there is a request."""
    if isinstance(arguments, str):
        try:
            arguments = msgspec.json.decode(arguments)
        except msgspec.DecodeError:
            arguments = {"request": arguments}
    request = arguments.get("request") if isinstance(arguments, dict) else None
    if isinstance(request, str) and request.strip() and len(request) <= 10_000:
        return await door.ask(request)
    got = "nothing" if request is None else f"{type(request).__name__} {request!r:.40}"
    issue = Issue("/request", "type", "what is wanted, in words, at most 10,000 characters", got)
    text = f"{issue}. Not executed."
    return Result(False, error=Failure("invalid_arguments", str(issue), (issue,)), text=text, metadata={})


def _can_elicit(context: Context) -> bool:
    capabilities = context.session.client_capabilities
    elicitation = capabilities.elicitation if capabilities is not None else None
    return elicitation is not None and (elicitation.form is not None or elicitation.url is None)


def _elicitation(context: Context) -> Callable[[ElicitRequest], Awaitable[ElicitResult]] | None:
    """Give the way to ask a client that holds a connection, if it lets itself be asked."""
    if not _can_elicit(context) or not context.session.can_send_request:
        return None
    related = ServerMessageMetadata(related_request_id=context.request_id)

    async def ask(request: ElicitRequest) -> ElicitResult:
        return await context.session.send_request(request, ElicitResult, LONGEST, related)

    return ask

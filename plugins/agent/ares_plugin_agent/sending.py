"""One exchange with a provider: a request, and what came back, read while it comes in."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AsyncExitStack
from typing import Any, TypeVar

from msgspec import Struct

from ares_core import Network, ToolError
from ares_plugin_agent.models import Model
from ares_plugin_agent.reading import Events, weight
from ares_plugin_agent.waiting import PASSING, asked_for

LONGEST_ANSWER = 32_000_000
LONGEST_COMPLAINT = 1_000_000
LONGEST_EXCERPT = 80
CHARACTERS_OF_A_TOKEN = 4
T = TypeVar("T")
_TOO_LONG = re.compile(
    r"context.{0,20}(length|window|size)|too (long|large|many tokens)|token count.{0,40}exceeds", re.IGNORECASE
)


class Trouble(Exception):
    """Why a provider gave no answer.

    ``again`` says that it may give one if it is asked again, ``after`` when, ``most`` how often that is worth it.
    """

    def __init__(
        self, message: str, *, again: bool = False, after: float | None = None, most: int | None = None
    ) -> None:  # fmt: skip
        super().__init__(message)
        self.again = again
        self.after = after
        self.most = most


class Hearer(Struct, frozen=True):
    """Who hears what comes in: texts, tokens as they are estimated, and the rest of them at the end.

    ``text`` and ``tokens`` may raise to end the exchange; ``rest`` gets how many were
    heard before, how many it took in all, and whether the provider told that.
    """

    text: Callable[[str], None]
    tokens: Callable[[int], None]
    rest: Callable[[int, int, bool], None]
    patience: Callable[[], float]


class Reply(Struct):
    """What a provider sent: the whole in chunks, whether its end was seen, and the tokens that it says it took."""

    status: int = 200
    chunks: list[bytes] = []
    ended: bool = False
    streamed: bool = False
    used: dict[str, int] = {}
    estimated: int = 0
    headers: Mapping[str, str] = {}


async def exchange(network: Network, model: Model, path: str, body: Mapping[str, Any], hearer: Hearer) -> Reply:
    """Send a request and read the answer; raises ``Trouble`` for what has no answer at all."""
    data = json.dumps(body).encode()
    headers = {"Content-Type": "application/json", "Accept": "*/*", **model.provider.headers(model.key)}
    try:
        async with AsyncExitStack() as stack:
            client = await stack.enter_async_context(network.client("operator", base_url=model.address))
            opening = client.stream("POST", f"{model.address}/{path}", content=data, headers=headers)
            response = await _within(hearer, stack.enter_async_context(opening), model)
            return await _read(response, model, hearer, len(data))
    except ToolError as error:
        raise Trouble(str(error), again=error.retriable) from error


async def _read(response: Any, model: Model, hearer: Hearer, asked: int) -> Reply:
    reply = Reply(response.status_code, [], headers=dict(response.headers))
    kind = response.headers.get("content-type", "").partition(";")[0].strip().lower()
    reply.streamed = kind in ("text/event-stream", "application/x-ndjson")
    most = LONGEST_ANSWER if reply.status < 400 else LONGEST_COMPLAINT
    events, size = Events(), 0
    async for chunk in _chunks(response, hearer, model):
        size += len(chunk)
        if size > most:
            raise Trouble(f"the answer of {model.address} is longer than {most:,} bytes, and the rest was not read")
        reply.chunks.append(chunk)
        if reply.streamed and reply.status < 400:
            _hear(events.feed(chunk), reply, model, hearer)
    if reply.status < 400:
        if reply.streamed:
            _hear(events.end(), reply, model, hearer)
        heard = reply.estimated
        if not reply.streamed:
            _take_whole(reply, model)
        told = sum(reply.used.values())
        took = told or asked // CHARACTERS_OF_A_TOKEN + reply.estimated
        hearer.rest(heard, took, told > 0)
    return reply


def _hear(events: Any, reply: Reply, model: Model, hearer: Hearer) -> None:
    provider = model.provider
    for event in events:
        reply.ended = reply.ended or provider.has_ended(event)
        _count(reply, provider.used(event))
        if text := provider.said(event):
            hearer.text(text)
        if tokens := -(-weight(event) // CHARACTERS_OF_A_TOKEN):
            reply.estimated += tokens
            hearer.tokens(tokens)


def _take_whole(reply: Reply, model: Model) -> None:
    """Read what a body that came in one piece says it took."""
    reply.ended = True
    try:
        body = json.loads(b"".join(reply.chunks))
    except (ValueError, RecursionError):
        return
    if isinstance(body, Mapping):
        _count(reply, model.provider.used(body))
        reply.estimated = -(-weight(body) // CHARACTERS_OF_A_TOKEN)


def _count(reply: Reply, used: Mapping[str, int]) -> None:
    for what, tokens in used.items():
        reply.used[what] = max(reply.used.get(what, 0), tokens)


async def _chunks(response: Any, hearer: Hearer, model: Model) -> AsyncIterator[bytes]:
    chunks = response.aiter_bytes()
    try:
        while True:
            try:
                chunk = await _within(hearer, anext(chunks), model)
            except StopAsyncIteration:
                return
            yield chunk
    finally:
        await chunks.aclose()


async def _within(hearer: Hearer, work: Awaitable[T], model: Model) -> T:
    """Wait for the next sign of life as long as there is patience."""
    patience = hearer.patience()
    try:
        async with asyncio.timeout(patience):
            return await work
    except TimeoutError:
        hearer.tokens(0)  # says so if it is the budget's time that is over
        raise Trouble(f"{model.address} was silent for {patience:g} s", again=True) from None


def unreadable(reply: Reply, model: Model, why: str) -> Trouble:
    """Say that an answer is none of the provider's format: not much of a chance that the next one is."""
    begun = beginning(reply)[:LONGEST_EXCERPT]
    shown = f", and begins with {begun!r}" if begun else ""
    return Trouble(
        f"{model.address} did not answer in the format {model.provider.wire}: {why}{shown}; check the address "
        f"(--base-url, agent.base_url), and the provider before the model's name, which says what the server speaks",
        again=True, most=1,
    )  # fmt: skip


def beginning(reply: Reply) -> str:
    """Give the first words of what a provider sent."""
    return " ".join(b"".join(reply.chunks).decode("utf-8", "replace").split())[:200]


def refusal(reply: Reply, model: Model, why: str) -> Trouble:
    """Say what a status that is no success means, and whether to ask again."""
    after = asked_for(reply.headers)
    again = reply.status in PASSING and b"insufficient_quota" not in b"".join(reply.chunks)
    said = f"{model.address} answered {reply.status}{': ' + why if why else ''}"
    if reply.status in (400, 413, 422) and _TOO_LONG.search(why):
        said = f"the conversation is too long for the model ({said}); begin a new one, or take a larger model"
    elif reply.status in (401, 403):
        said += "; look at the key"
    elif reply.status == 404:
        said += "; look at the name of the model and at the address"
    return Trouble(said, again=again, after=after)

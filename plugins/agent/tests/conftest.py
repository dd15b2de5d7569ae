"""A network that follows a script in memory, and the smallest wire format with which a conversation can be led."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from types import SimpleNamespace
from typing import Any

import ares_plugin_agent
import pytest
from ares_plugin_agent import Agent

from ares_core import Ares, Definition, Definitions, NameRule, Result, ToolCall, ToolError, Turn, hookimpl

Reply = tuple[int, dict[str, str], list[bytes]] | ToolError


class Script:
    """The network of the tests: each request gets the next reply, the last one for ever."""

    def __init__(self) -> None:
        self.replies: list[Reply] = []
        self.opened: list[tuple[str, str | None]] = []
        self.asked: list[tuple[str, dict[str, str], Any]] = []

    def says(self, *replies: Reply) -> None:
        self.replies = list(replies)
        self.asked.clear()

    @asynccontextmanager
    async def client(self, purpose: str, base_url: str | None = None) -> AsyncIterator[Any]:
        self.opened.append((purpose, base_url))
        yield SimpleNamespace(stream=self.stream)

    @asynccontextmanager
    async def stream(self, method: str, url: str, content: bytes, headers: dict[str, str]) -> AsyncIterator[Any]:
        self.asked.append((url, headers, json.loads(content)))
        reply = self.replies[min(len(self.asked), len(self.replies)) - 1]
        if isinstance(reply, ToolError):
            raise reply
        status, more, pieces = reply

        async def aiter_bytes() -> AsyncIterator[bytes]:
            for piece in pieces:
                yield piece

        yield SimpleNamespace(status_code=status, headers=more, aiter_bytes=aiter_bytes)

    async def connect(self, purpose: str, host: str, port: int) -> Any:
        raise AssertionError("the plugin opens no connection itself")

    @hookimpl
    def open_network(self) -> Any:
        return self

    @hookimpl
    def register_wire_formats(self) -> list[Any]:
        return [Small()]


class Small:
    """As much of chat completions as these tests need; the formats themselves are another plugin's."""

    name = "openai-chat"
    names = NameRule()

    def recognises(self, part: Mapping[str, Any]) -> bool:
        return "choices" in part

    def assemble(self, events: Sequence[Mapping[str, Any]]) -> Mapping[str, Any]:
        deltas = [event["choices"][0]["delta"] for event in events]
        text = "".join(delta.get("content", "") for delta in deltas)
        calls = [call for delta in deltas for call in delta.get("tool_calls", ())]
        return {"choices": [{"message": {"role": "assistant", "content": text, "tool_calls": calls}}]}

    def read(self, body: Mapping[str, Any]) -> Turn:
        if "error" in body:
            return Turn(outcome="failed", wire=self.name, reason=body["error"]["message"])
        message = body["choices"][0]["message"]
        calls = tuple(
            ToolCall(call["function"]["name"], call["function"]["arguments"], id=call["id"])
            for call in message.get("tool_calls", ())
        )
        return Turn(calls, message["content"], "calls" if calls else "final", self.name, message)

    def write(self, turn: Turn, results: Sequence[Result]) -> list[dict[str, Any]]:
        pairs = zip(turn.calls, results, strict=True)
        return [turn.native, *({"role": "tool", "tool_call_id": c.id, "content": r.text} for c, r in pairs)]

    def definitions(self, tools: Sequence[Definition], choice: str | None, strict: bool) -> Definitions:
        functions = [{"type": "function", "function": {"name": tool.name}} for tool in tools]
        return Definitions(functions, {"tools": functions})


def streamed(text: str = "", *calls: tuple[str, str, Any], ends: bool = True) -> Reply:
    """A stream that says something and calls something."""
    asked = [
        {"id": id, "function": {"name": name, "arguments": json.dumps(arguments)}} for id, name, arguments in calls
    ]
    deltas: list[Any] = [*({"content": word} for word in text.split(" ") if word), {"tool_calls": asked}]
    chunks = [{"choices": [{"delta": delta}]} for delta in deltas]
    chunks += [{"choices": [{"delta": {}, "finish_reason": "stop"}]}] if ends else []
    return 200, {"content-type": "text/event-stream"}, [f"data: {json.dumps(chunk)}\n\n".encode() for chunk in chunks]


def failing(status: int, message: str = "no", **headers: str) -> Reply:
    return status, headers, [json.dumps({"error": {"message": message}}).encode()]


@pytest.fixture
def script() -> Script:
    return Script()


@pytest.fixture
def say() -> Callable[..., Reply]:
    return streamed


@pytest.fixture
def fail() -> Callable[..., Reply]:
    return failing


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ares_plugin_agent.waiting.FIRST", 0.001)


@pytest.fixture
def make(ares_home: Any, script: Script, quick: None) -> Iterator[Callable[..., Agent]]:
    """Makes an agent; ``config`` is its section of the configuration."""
    opened: list[Ares] = []

    def made(config: dict[str, Any] | None = None, **options: Any) -> Agent:
        ares = Ares(plugins=[ares_plugin_agent, script], config={"agent": config or {}})
        opened.append(ares)

        def add(a: int, b: int) -> int:
            """Add."""
            return a + b

        ares.register(add)
        given = {"model": "openai:m", "base_url": "http://localhost:1/v1", **options}
        return Agent(ares, **given)

    yield made
    for ares in opened:
        ares.close()

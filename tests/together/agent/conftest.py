"""A provider on loopback that follows a script: each request takes the next step of it."""

from __future__ import annotations

import json
import re
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from ares_plugin_agent import Agent
from msgspec import Struct

from ares_core import Ares, Effects, Tool, ToolError

Calls = Sequence[tuple[str, str, Any]]
"""Calls of a turn: id, name, arguments (text as it stands, anything else as JSON)."""


class Step(Struct):
    """One answer: a status, headers, the pieces of the body, and seconds to wait before each."""

    pieces: list[bytes]
    status: int = 200
    headers: Mapping[str, str] = {}
    kind: str = "text/event-stream"
    pause: float = 0.0
    breaks_off: bool = False


class Provider:
    """Serves steps in order, the last one for ever; keeps what it was asked."""

    def __init__(self, *steps: Step | Callable[[dict[str, Any]], Step]) -> None:
        self.steps = list(steps)
        self.asked: list[dict[str, Any]] = []
        self.paths: list[str] = []
        self.headers: list[dict[str, str]] = []
        self.times: list[float] = []
        provider = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                self.close_connection = True
                try:
                    self._follow(provider.next(self.path, dict(self.headers), body))
                except OSError:
                    return

            def _follow(self, step: Step) -> None:
                self.send_response_only(step.status)
                for name, value in {"Content-Type": step.kind, "Connection": "close", **step.headers}.items():
                    self.send_header(name, value)
                self.send_header("Transfer-Encoding", "chunked")
                self.end_headers()
                for piece in step.pieces:
                    time.sleep(step.pause)
                    self.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece))
                    self.wfile.flush()
                if not step.breaks_off:
                    self.wfile.write(b"0\r\n\r\n")

            def log_message(self, format: str, *args: Any) -> None:
                return

        self._http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._http.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._http.server_port}"
        threading.Thread(target=self._http.serve_forever, args=(0.01,), daemon=True).start()

    def next(self, path: str, headers: dict[str, str], body: dict[str, Any]) -> Step:
        self.paths.append(path)
        self.headers.append({name.lower(): value for name, value in headers.items()})
        self.asked.append(body)
        self.times.append(time.monotonic())
        step = self.steps[min(len(self.asked), len(self.steps)) - 1]
        return step(body) if callable(step) else step

    def close(self) -> None:
        self._http.shutdown()
        self._http.server_close()


def streamed(events: Iterable[Any], **more: Any) -> Step:
    """An event stream, an event to a piece."""
    return Step([f"data: {json.dumps(event)}\n\n".encode() for event in events], **more)


def error(status: int, body: Any, **headers: str) -> Step:
    """An error with a JSON body."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Step([json.dumps(body).encode()], status, named, "application/json")


def text_of(arguments: Any) -> str:
    return arguments if isinstance(arguments, str) else json.dumps(arguments)


class OpenAI:
    """Chat completions."""

    model = "openai:test"
    path = "/v1/chat/completions"

    def chunk(self, delta: Any, finish: str | None = None) -> dict[str, Any]:
        choice = {"index": 0, "delta": delta, "finish_reason": finish}
        return {"id": "c", "object": "chat.completion.chunk", "model": "test", "choices": [choice]}

    def events(self, text: str = "", calls: Calls = (), finish: str | None = None) -> list[Any]:
        said = [self.chunk({"content": word}) for word in re.findall(r"\S+\s*", text)]
        asked = [
            self.chunk({"tool_calls": [{"index": place, "id": id, "type": "function", "function": {
                "name": name, "arguments": text_of(arguments)}}]})
            for place, (id, name, arguments) in enumerate(calls)
        ]  # fmt: skip
        return [*said, *asked, self.chunk({}, finish or ("tool_calls" if calls else "stop"))]

    def step(self, text: str = "", calls: Calls = (), finish: str | None = None, **more: Any) -> Step:
        return streamed(self.events(text, calls, finish), **more)

    def cut(self, text: str, calls: Calls = ()) -> Step:
        return streamed(self.events(text, calls)[:-1], breaks_off=True)

    def refused(self) -> Step:
        return streamed([self.chunk({"refusal": "I won't do that."}), self.chunk({}, "stop")])

    def filtered(self) -> Step:
        return streamed([self.chunk({}, "content_filter")])

    def empty(self) -> Step:
        return streamed(
            [{"id": "c", "object": "chat.completion.chunk", "model": "test", "choices": []}, {"choices": []}]
        )

    def failing(self, status: int, **headers: str) -> Step:
        return error(status, {"error": {"message": "try later", "type": "server_error"}}, **headers)

    def answers(self, body: Mapping[str, Any]) -> list[tuple[str, str]]:
        """The ids that were answered, with the answer."""
        return [(m["tool_call_id"], m["content"]) for m in body["messages"] if m["role"] == "tool"]

    def called(self, body: Mapping[str, Any]) -> list[str]:
        """The ids of the calls that went back."""
        return [call["id"] for m in body["messages"] for call in m.get("tool_calls") or ()]


class Anthropic:
    """Anthropic's messages."""

    model = "anthropic:test"
    path = "/v1/messages"

    def events(self, text: str = "", calls: Calls = (), finish: str | None = None) -> list[Any]:
        usage = {"input_tokens": 5, "output_tokens": 1}
        message = {"id": "m", "type": "message", "role": "assistant", "model": "test", "content": [], "usage": usage}
        found: list[Any] = [{"type": "message_start", "message": message}]
        if text:
            found += self._block(0, {"type": "text", "text": ""}, {"type": "text_delta", "text": text})
        for place, (id, name, arguments) in enumerate(calls, bool(text)):
            block = {"type": "tool_use", "id": id, "name": name, "input": {}}
            found += self._block(place, block, {"type": "input_json_delta", "partial_json": text_of(arguments)})
        reason = finish or ("tool_use" if calls else "end_turn")
        found.append({"type": "message_delta", "delta": {"stop_reason": reason}, "usage": {"output_tokens": 7}})
        return [*found, {"type": "message_stop"}]

    def _block(self, index: int, block: Any, delta: Any) -> list[Any]:
        return [
            {"type": "content_block_start", "index": index, "content_block": block},
            {"type": "content_block_delta", "index": index, "delta": delta},
            {"type": "content_block_stop", "index": index},
        ]

    def step(self, text: str = "", calls: Calls = (), finish: str | None = None, **more: Any) -> Step:
        return streamed(self.events(text, calls, finish), **more)

    def cut(self, text: str, calls: Calls = ()) -> Step:
        return streamed(self.events(text, calls)[:-2], breaks_off=True)

    def refused(self) -> Step:
        return self.step(finish="refusal")

    def filtered(self) -> Step:
        return error(400, {"type": "error", "error": {"type": "content_filter", "message": "blocked"}})

    def empty(self) -> Step:
        return self.step()

    def failing(self, status: int, **headers: str) -> Step:
        return error(status, {"type": "error", "error": {"type": "api_error", "message": "try later"}}, **headers)

    def answers(self, body: Mapping[str, Any]) -> list[tuple[str, str]]:
        blocks = [b for m in body["messages"] for b in m["content"] if b["type"] == "tool_result"]
        return [(block["tool_use_id"], str(block["content"])) for block in blocks]

    def called(self, body: Mapping[str, Any]) -> list[str]:
        return [b["id"] for m in body["messages"] for b in m["content"] if b["type"] == "tool_use"]


class Gemini:
    """Gemini's ``generateContent``."""

    model = "gemini:test"
    path = "/v1beta/models/test:streamGenerateContent"

    def chunk(self, parts: list[Any], finish: str | None = None) -> dict[str, Any]:
        candidate = {"content": {"role": "model", "parts": parts}, **({"finishReason": finish} if finish else {})}
        return {"candidates": [candidate], "modelVersion": "test", "responseId": "r"}

    def events(self, text: str = "", calls: Calls = (), finish: str | None = None) -> list[Any]:
        said = [self.chunk([{"text": text}])] if text else []
        asked = [
            self.chunk([{"functionCall": {"id": id, "name": name, "args": arguments}}]) for id, name, arguments in calls
        ]
        return [*said, *asked, self.chunk([], finish or "STOP")]

    def step(self, text: str = "", calls: Calls = (), finish: str | None = None, **more: Any) -> Step:
        return streamed(self.events(text, calls, finish), **more)

    def cut(self, text: str, calls: Calls = ()) -> Step:
        return streamed(self.events(text, calls)[:-1], breaks_off=True)

    def refused(self) -> Step:
        return streamed([{"promptFeedback": {"blockReason": "SAFETY"}, "modelVersion": "test"}])

    def filtered(self) -> Step:
        return streamed([self.chunk([], "SAFETY")])

    def empty(self) -> Step:
        return streamed([{"candidates": [], "modelVersion": "test"}])

    def failing(self, status: int, **headers: str) -> Step:
        return error(status, {"error": {"code": status, "message": "try later", "status": "UNAVAILABLE"}}, **headers)

    def answers(self, body: Mapping[str, Any]) -> list[tuple[str, str]]:
        parts = [part for content in body["contents"] for part in content["parts"]]
        found = [part["functionResponse"] for part in parts if "functionResponse" in part]
        return [(answer["id"], str(answer["response"])) for answer in found]

    def called(self, body: Mapping[str, Any]) -> list[str]:
        return [part["functionCall"]["id"] for c in body["contents"] for part in c["parts"] if "functionCall" in part]


DIALECTS = (OpenAI(), Anthropic(), Gemini())


class World:
    """The tools of the tests, what they did, and the agents that use them."""

    def __init__(self, ares: Ares) -> None:
        self.ares = ares
        self.done: list[str] = []
        self.providers: list[Provider] = []
        for effects, tool in ((Effects(read_only=True, open_world=False), self.look), (Effects(), self.write)):
            ares.register(Tool.from_function(tool, effects=effects))

    def look(self, what: str) -> str:
        """Look at something."""
        self.done.append(f"look {what}")
        if what == "trouble":
            raise ToolError("it is dark", blame="world")
        return f"{what} seen"

    def write(self, what: str) -> str:
        """Write something down."""
        self.done.append(f"write {what}")
        return f"{what} written"

    def provider(self, *steps: Step | Callable[[dict[str, Any]], Step]) -> Provider:
        self.providers.append(Provider(*steps))
        return self.providers[-1]

    def agent(self, provider: Provider, dialect: Any, **more: Any) -> Agent:
        settings = {"retries": 3, "timeout": 20, **more}
        return Agent(self.ares, settings.pop("model", dialect.model), base_url=provider.url, **settings)


@pytest.fixture(params=DIALECTS, ids=lambda dialect: dialect.model.partition(":")[0])
def dialect(request: pytest.FixtureRequest) -> Any:
    return request.param


@pytest.fixture
def openai() -> OpenAI:
    return DIALECTS[0]


@pytest.fixture
def sse() -> Any:
    return streamed


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Waits between attempts are short."""
    monkeypatch.setattr("ares_plugin_agent.waiting.FIRST", 0.01)


@pytest.fixture
def world(ares_home: Any, monkeypatch: pytest.MonkeyPatch, quick: None) -> Iterator[World]:
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GEMINI_API_KEY"):
        monkeypatch.setenv(name, f"key-of-{name.partition('_')[0].lower()}")
    with Ares(plugins=["wires", "network", "agent"]) as ares:
        made = World(ares)
        yield made
        for provider in made.providers:
            provider.close()

"""Servers at an address that answer oddly: sessions that end, statuses, bodies that are not quite right."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from ares_core import Ares, ToolError, hookimpl

JSON = {"content-type": "application/json"}
TOKEN = "SECRET-TOKEN-1"
Answer = tuple[int, dict[str, str], bytes]


class Provider:
    """A network that opens what it is asked for."""

    @hookimpl
    def open_network(self) -> Any:
        return self

    def client(self, purpose: str, base_url: str | None = None) -> Any:
        raise NotImplementedError

    async def connect(self, purpose: str, host: str, port: int) -> Any:
        import httpcore2

        try:
            return await httpcore2.AnyIOBackend().connect_tcp(host, port, 5)
        except httpcore2.ConnectError:
            raise ToolError("no connection; nothing was sent", blame="world") from None


class Web:
    """A server with sessions, whose answers to calls a test gives; ``version`` is the only one it speaks."""

    def __init__(self) -> None:
        self.call: Callable[[dict[str, Any]], Answer] = lambda asked: said(asked, {"content": []})
        self.version = "2025-06-18"
        self.lost: Answer = (404, {}, b"")
        self.sessions = 0
        self.heard: list[tuple[str, dict[str, str]]] = []
        self.replies: dict[str, dict[str, Any]] = {}
        web = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
                if "method" not in asked:
                    web.replies[asked["id"]] = asked
                headers = {name.lower(): value for name, value in self.headers.items()}
                web.heard.append((asked.get("method", ""), headers))
                status, more, body = web.answer(asked, headers)
                self.send_response_only(status)
                for name, value in {**more, "content-length": str(len(body))}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(body)

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_port}/mcp"
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()

    def answer(self, asked: dict[str, Any], headers: dict[str, str]) -> Answer:
        method = asked.get("method", "")
        if method == "initialize":
            self.sessions += 1
            about = {"protocolVersion": self.version, "capabilities": {"tools": {}}}
            about["serverInfo"] = {"name": "w", "version": "1"}
            status, more, body = said(asked, about)
            return status, {**more, "mcp-session-id": f"s{self.sessions}"}, body
        if method.startswith("notifications/") or not method:
            return 202, {}, b""
        if method == "server/discover":
            return 404, JSON, failed(-32601, "Method not found", asked["id"])
        if headers.get("mcp-session-id") != f"s{self.sessions}":
            return self.lost
        if method == "tools/list":
            return said(asked, {"tools": [{"name": "t", "inputSchema": {"type": "object"}}]})
        return self.call(asked)

    def calls(self) -> int:
        return sum(method == "tools/call" for method, _ in self.heard)

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


def said(asked: dict[str, Any], result: Any) -> Answer:
    return 200, JSON, json.dumps({"jsonrpc": "2.0", "id": asked["id"], "result": result}).encode()


def failed(code: int, message: str, id: Any = None) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": message}}).encode()


@pytest.fixture
def web() -> Iterator[Web]:
    running = Web()
    yield running
    running.close()


@pytest.fixture
def ares(web: Web, ares_home: Path) -> Iterator[Ares]:
    servers = {"w": {"url": web.url, "bearer": TOKEN, "timeout": 60}}
    with Ares(plugins=[Provider(), "ares_plugin_mcp"], config={"mcp": {"servers": servers}}) as ares:
        yield ares


def call(ares: Ares) -> Any:
    return ares.call_sync("mcp.w.t", {})


@pytest.mark.parametrize(
    "lost",
    [
        (404, {}, b""), (404, JSON, failed(-32001, "Session not found")), (404, JSON, failed(-32600, "expired")),
        (400, JSON, failed(-32000, "Bad Request: No valid session ID provided")), (410, {}, b""),
    ],
)  # fmt: skip
def test_a_session_that_the_server_forgot_is_begun_anew_once_for_all_calls(web: Web, ares: Ares, lost: Answer) -> None:
    web.lost = lost
    assert call(ares).success
    web.sessions += 1  # as if it had been restarted

    async def all_at_once() -> list[Any]:
        return await asyncio.gather(*(ares.call("mcp.w.t", {}) for _ in range(3)))

    assert all(result.success for result in asyncio.run(all_at_once()))
    begun = [headers for method, headers in web.heard if method == "initialize"]
    assert len(begun) == 2
    assert all("mcp-session-id" not in headers for headers in begun)


def test_a_call_is_sent_at_most_twice_when_sessions_go_on_ending(web: Web, ares: Ares) -> None:
    web.call = lambda asked: (404, JSON, failed(-32001, "Session not found"))
    assert "status 404" in call(ares).text
    assert web.calls() == 2


@pytest.mark.parametrize("answer", [(401, {}, b"no"), (401, JSON, failed(-32001, f"bad token {TOKEN}"))])
def test_a_token_that_is_refused_is_told_and_not_shown(web: Web, ares: Ares, answer: Answer) -> None:
    web.call = lambda asked: answer
    result = call(ares)
    assert "does not accept what it was sent to sign in (HTTP status 401); check mcp.servers.w.bearer" in result.text
    assert TOKEN not in result.text
    assert web.calls() == 1


def test_an_error_that_repeats_the_token_is_told_without_it(web: Web, ares: Ares) -> None:
    web.call = lambda asked: (200, JSON, failed(-32000, f"upstream refused {TOKEN}", asked["id"]))
    frame = '<data from="mcp.w.t" trust="none">\nupstream refused [redacted]\n</data>'
    assert call(ares).text == f"MCP server 'w' answered with error -32000:\n{frame}"


@pytest.mark.parametrize(
    ("status", "code", "words"),
    [
        (500, "tool_error", "status 500"), (503, "tool_error", "asks to wait 7 s"),
        (429, "tool_error", "asks to wait 7 s"), (502, "outcome_unknown", "is unknown"),
    ],
)  # fmt: skip
def test_a_status_says_what_became_of_the_call(web: Web, ares: Ares, status: int, code: str, words: str) -> None:
    web.call = lambda asked: (status, {"retry-after": "7"}, b"<h1>oops</h1>")
    result = call(ares)
    assert (result.error.code, words in result.error.message) == (code, True)
    assert result.error.retriable is (status in (429, 503))


@pytest.mark.parametrize(
    ("mend", "kind"),
    [
        (lambda body: b"\xef\xbb\xbf" + body, JSON), (lambda body: b"[" + body + b"]", JSON),
        (lambda body: body.replace(b"hi", b"\xe9"), JSON), (lambda body: body.replace(b"hi", b"a\tb"), JSON),
        (lambda body: body.replace(b'"jsonrpc": "2.0", ', b""), JSON),
        (lambda body: json.dumps({**json.loads(body), "id": str(json.loads(body)["id"])}).encode(), JSON),
        (bytes, {"content-type": "text/plain"}), (bytes, {}),
    ],
)  # fmt: skip
def test_a_body_that_is_nearly_right_is_read(web: Web, ares: Ares, mend: Any, kind: dict[str, str]) -> None:
    web.call = lambda asked: (200, kind, mend(said(asked, {"content": [{"type": "text", "text": "hi"}]})[2]))
    assert call(ares).success


@pytest.mark.parametrize("body", [b"", b"oops", b'{"jsonrpc":"2.0","id":"other","result":{"content":[]}}', b"[]"])
def test_a_body_without_an_answer_fails_the_call_at_once(web: Web, ares: Ares, body: bytes) -> None:
    web.call = lambda asked: (200, JSON, body)
    assert "it sent no answer to this request" in call(ares).text


def test_an_older_server_is_not_sent_a_header_that_it_can_not_know(web: Web, ares: Ares) -> None:
    web.version = "2024-11-05"
    assert call(ares).success
    assert all("mcp-protocol-version" not in headers for method, headers in web.heard if method.startswith("tools/"))


def test_a_server_of_a_later_age_is_left_with_both_versions_named(web: Web, ares: Ares) -> None:
    web.version = "2099-01-01"
    text = call(ares).text
    assert "2099-01-01" in text
    assert "2025-06-18" in text


def test_what_servers_may_not_ask_is_refused_by_the_protocol(web: Web, ares: Ares) -> None:
    def answer(asked: dict[str, Any]) -> Answer:
        methods = enumerate(("ping", "roots/list", "sampling/createMessage", "x/y"))
        questions = [{"jsonrpc": "2.0", "id": f"s{place}", "method": method, "params": {}} for place, method in methods]
        events = [*(json.dumps(question).encode() for question in questions), said(asked, {"content": []})[2]]
        return 200, {"content-type": "text/event-stream"}, b"".join(b"data: %s\n\n" % event for event in events)

    web.call = answer
    assert call(ares).success
    until = time.monotonic() + 60
    while len(web.replies) < 4 and time.monotonic() < until:
        time.sleep(0.01)
    codes = {id: reply.get("error", {}).get("code", "result") for id, reply in web.replies.items()}
    assert codes == {"s0": "result", "s1": -32601, "s2": -32601, "s3": -32601}


def test_an_address_that_moved_within_the_server_is_followed(web: Web, ares: Ares) -> None:
    moved = iter([(307, {"location": "/other"}, b"")])
    web.call = lambda asked: next(moved, None) or said(asked, {"content": []})
    assert call(ares).success

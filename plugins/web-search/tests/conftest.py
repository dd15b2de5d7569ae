"""A server on loopback that stands for every provider, and a network that leads there."""

from __future__ import annotations

import asyncio
import http.client
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import SimpleNamespace
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

import ares_plugin_web_search
import pytest

from ares_core import Ares, ToolError, hookimpl


class Server:
    """Gives one answer to everything, and keeps what it was asked."""

    def __init__(self) -> None:
        self.status, self.kind, self.body = 200, "text/html", ""
        self.asked: list[dict[str, Any]] = []
        server = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                self._answer("")

            def do_POST(self) -> None:
                self._answer(self.rfile.read(int(self.headers["Content-Length"])).decode())

            def _answer(self, body: str) -> None:
                parts = urlsplit(self.path)
                values = {name: value[0] for name, value in parse_qs(body or parts.query).items()}
                server.asked.append({"path": parts.path, "cookie": self.headers.get("Cookie", ""), **values})
                data = server.body.encode()
                self.send_response_only(server.status)
                self.send_header("Content-Type", server.kind)
                self.end_headers()
                self.wfile.write(data)

        self._http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.port = self._http.server_port
        self.url = f"http://127.0.0.1:{self.port}"
        threading.Thread(target=self._http.serve_forever, args=(0.01,), daemon=True).start()

    def close(self) -> None:
        self._http.shutdown()
        self._http.server_close()


class Network:
    """Leads every client to the server, and keeps which client was asked for and for which host."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.opened: list[tuple[str, str | None, str]] = []

    @hookimpl
    def open_network(self) -> Any:
        return self

    @asynccontextmanager
    async def client(self, purpose: str, base_url: str | None = None) -> AsyncIterator[Any]:
        yield SimpleNamespace(stream=lambda *given, **options: self.stream(purpose, base_url, *given, **options))

    @asynccontextmanager
    async def stream(
        self, purpose: str, base_url: str | None, method: str, url: str, params: Any = None, data: Any = None,
        headers: Any = None,
    ) -> AsyncIterator[Any]:  # fmt: skip
        whole = url if "://" in url else f"{base_url}/{url}"
        self.opened.append((purpose, base_url, whole.partition("?")[0]))
        path = urlsplit(whole).path + (f"?{urlencode(params)}" if params else "")
        yield await asyncio.to_thread(self._exchange, method, path, urlencode(data or {}), headers)

    def _exchange(self, method: str, path: str, body: str, headers: Any) -> Any:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            connection.request(method, path, body, headers)
        except OSError:
            raise ToolError("no connection to the provider; nothing was sent", blame="world", retriable=True) from None
        answer = connection.getresponse()
        content = answer.read()
        connection.close()

        async def pieces() -> AsyncIterator[bytes]:
            for at in range(0, len(content), 65536):
                yield content[at : at + 65536]

        return SimpleNamespace(
            status_code=answer.status,
            headers=dict(answer.headers) | {"content-type": answer.headers["Content-Type"]},
            aiter_bytes=pieces,
        )

    async def connect(self, purpose: str, host: str, port: int) -> Any:
        raise AssertionError("the plugin opens no connection itself")


@pytest.fixture
def server() -> Iterator[Server]:
    running = Server()
    yield running
    running.close()


@pytest.fixture
def network(server: Server) -> Network:
    return Network(server.port)


@pytest.fixture
def search(ares_home: Any, network: Network) -> Iterator[Callable[..., Any]]:
    """Searches with a section ``web_search``."""
    opened: list[Ares] = []

    def run(config: dict[str, Any], **arguments: Any) -> Any:
        opened.append(Ares(plugins=[ares_plugin_web_search, network], config={"web_search": config}))
        return opened[-1].call_sync("web_search", arguments)

    yield run
    for ares in opened:
        ares.close()

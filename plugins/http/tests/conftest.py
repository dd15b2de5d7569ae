"""A server on loopback, and a network that reaches it: the plugin itself opens no connection."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import SimpleNamespace
from typing import Any, Self

import ares_plugin_http
import pytest

from ares_core import Ares, ToolError, hookimpl

Answer = tuple[int, dict[str, str], bytes]


class Url(str):
    """As much of an address as the plugin looks at."""

    __slots__ = ()

    @property
    def host(self) -> str:
        return self.split("/")[2]

    def copy_with(self, **parts: Any) -> Url:
        scheme, _, host, *path = self.split("/", 3)
        return Url("/".join([scheme, "", host, parts.get("path", "/" + "".join(path)).lstrip("/")]))


class Client:
    """Speaks the least HTTP that a client can."""

    def __init__(self) -> None:
        self.headers = {"user-agent": "ares-test/1"}

    def build_request(self, method: str, url: str) -> Any:
        return SimpleNamespace(url=Url(url))

    @asynccontextmanager
    async def stream(
        self, method: str, url: str, *, headers: dict[str, str] | None = None, content: bytes | None = None
    ) -> AsyncIterator[Any]:
        host, _, path = url.removeprefix("http://").partition("/")
        if not host.startswith("127.0.0.1:"):
            raise Failed(f"{url} is no address on loopback; nothing was sent", sent=False)
        try:
            reader, writer = await asyncio.open_connection(*host.split(":"))
        except OSError:
            raise Failed(f"no connection to {host}", sent=False) from None
        lines = [
            f"{method} /{path} HTTP/1.1",
            f"Host: {host}",
            *(f"{name}: {value}" for name, value in (headers or {}).items()),
        ]
        lines += [f"Content-Length: {len(content)}"] if content is not None else []
        writer.write("\r\n".join([*lines, "", ""]).encode("latin-1") + (content or b""))
        try:
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
            _, status, reason = [*head[0].split(" ", 2), ""][:3]
            found = {name.lower(): value for name, _, value in (line.partition(": ") for line in head[1:] if line)}
            yield SimpleNamespace(
                status_code=int(status), reason_phrase=reason, headers=found, history=[],
                request=SimpleNamespace(url=Url(url)), aiter_bytes=lambda: pieces(reader),
            )  # fmt: skip
        except asyncio.IncompleteReadError:
            raise Failed(f"{host} hung up", sent=True) from None
        finally:
            writer.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *error: object) -> None:
        return None


class Failed(ToolError):
    """What a network raises; ``sent``: whether the request may have arrived."""

    def __init__(self, message: str, sent: bool) -> None:
        super().__init__(message, retriable=True, blame="world")
        self.sent = sent


async def pieces(reader: asyncio.StreamReader) -> AsyncIterator[bytes]:
    while piece := await reader.read(4096):
        yield piece


class Network:
    @hookimpl
    def open_network(self) -> Any:
        return self

    def client(self, purpose: str, base_url: str | None = None) -> Client:
        assert (purpose, base_url) == ("argument", None)
        return Client()

    async def connect(self, purpose: str, host: str, port: int) -> Any:
        raise AssertionError("the plugin opens no connection itself")


class Server:
    """Answers each path with what a test set; a list is used up from the front, and its last answer stays."""

    def __init__(self) -> None:
        self.answers: dict[str, Answer | list[Answer] | Callable[[Any], Answer]] = {}
        self.requests: list[tuple[str, str, dict[str, str], bytes]] = []
        server = self

        class Handler(BaseHTTPRequestHandler):
            def handle_one_request(self) -> None:
                self.raw_requestline = self.rfile.readline(65537)
                if not self.raw_requestline or not self.parse_request():
                    self.close_connection = True
                    return
                body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                server.requests.append((self.command, self.path, {k.lower(): v for k, v in self.headers.items()}, body))
                answer = server.answers.get(self.path.partition("?")[0], (404, {}, b"nope"))
                if isinstance(answer, list):
                    answer = answer.pop(0) if len(answer) > 1 else answer[0]
                if callable(answer):
                    answer = answer(self)
                status, headers, content = answer
                if status:
                    self.send_response_only(status)
                    for name, value in headers.items():
                        self.send_header(name, value)
                    self.end_headers()
                    self.wfile.write(b"" if self.command == "HEAD" else content)
                self.close_connection = True

        self._http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._http.server_port}"
        threading.Thread(target=self._http.serve_forever, args=(0.01,), daemon=True).start()

    def says(self, path: str, body: str | bytes, status: int = 200, **headers: str) -> str:
        data = body.encode() if isinstance(body, str) else body
        self.answers[path] = (status, {name.replace("_", "-"): value for name, value in headers.items()}, data)
        return self.url + path

    def close(self) -> None:
        self._http.shutdown()
        self._http.server_close()


@pytest.fixture
def server() -> Iterator[Server]:
    running = Server()
    yield running
    running.close()


@pytest.fixture
def make(ares_home: Any) -> Iterator[Callable[..., Ares]]:
    """Makes an Ares with the plugin, the network and a section ``http``."""
    opened: list[Ares] = []

    def build(**http: Any) -> Ares:
        opened.append(Ares(plugins=[ares_plugin_http, Network()], config={"http": http}))
        return opened[-1]

    yield build
    for ares in opened:
        ares.close()


@pytest.fixture
def request_(make: Any) -> Any:
    ares = make()
    return lambda url, **arguments: ares.call_sync("http_request", {"url": url, **arguments})


@pytest.fixture
def scrape(make: Any) -> Any:
    ares = make()
    return lambda url, **arguments: ares.call_sync("web_scraper", {"url": url, **arguments})

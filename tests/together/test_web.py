"""The tools for the web behind the guard of the network, as a user's call meets them."""

from __future__ import annotations

import gzip
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from ares_core import Ares

SPELLINGS = [
    "http://127.0.0.1:{port}/", "http://2130706433:{port}/", "http://0x7f.1:{port}/", "http://0177.0.0.1:{port}/",
    "http://0:{port}/", "http://[::1]:{port}/", "http://[::ffff:7f00:1]:{port}/", "http://[64:ff9b::7f00:1]:{port}/",
    "http://[fe80::1%25lo]:{port}/", "http://localhost:{port}/", "http://LOCALHOST.:{port}/",
    "http://a.localhost:{port}/",
    "http://127\u30020\u30020\u30021:{port}/", "http://public.test@127.0.0.1:{port}/",
    "http://127.0.0.1:{port}\\@public.test/",
    "http://127.0.0.1:{port}#@public.test/", "ht\ntp://127.0.0.1:{port}/", "file:///etc/passwd", "//127.0.0.1:{port}/",
    "127.0.0.1:{port}/", "gopher://127.0.0.1:{port}/_INFO", "http://10.0.0.1/",
    "http://169.254.169.254/latest/meta-data/",
    "http://[fd00:ec2::254]/", "http://100.64.0.1/", "http://198.18.0.1/", "http://224.0.0.1/",
    "http://255.255.255.255/",
]  # fmt: skip


class Server:
    """Answers a path by calling what a test set for it, and counts connections."""

    def __init__(self) -> None:
        self.connections = 0
        self.seen: list[dict[str, str]] = []
        self.answers: dict[str, Callable[[Any], None]] = {}
        server = self

        class Handler(BaseHTTPRequestHandler):
            def setup(self) -> None:
                server.connections += 1
                super().setup()

            def do_GET(self) -> None:
                server.seen.append({name.lower(): value for name, value in self.headers.items()})
                server.answers[self.path](self)
                self.close_connection = True

            def log_message(self, *args: Any) -> None:
                pass

        self._http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._http.handle_error = lambda *args: None  # type: ignore[method-assign]
        self.port = self._http.server_port
        threading.Thread(target=self._http.serve_forever, args=(0.01,), daemon=True).start()

    def says(self, path: str, body: bytes = b"", status: int = 200, **headers: str) -> str:
        def answer(handler: Any) -> None:
            handler.send_response_only(status)
            for name, value in headers.items():
                handler.send_header(name.replace("_", "-"), value)
            handler.end_headers()
            handler.wfile.write(body)

        self.answers[path] = answer
        return f"http://127.0.0.1:{self.port}{path}"

    def never_ends(self, path: str, piece: bytes, pause: float) -> str:
        def answer(handler: Any) -> None:
            handler.send_response_only(200)
            handler.end_headers()
            while True:
                handler.wfile.write(piece)
                time.sleep(pause)

        self.answers[path] = answer
        return f"http://127.0.0.1:{self.port}{path}"

    def close(self) -> None:
        self._http.shutdown()
        self._http.server_close()


@pytest.fixture
def server() -> Iterator[Server]:
    running = Server()
    yield running
    running.close()


@pytest.fixture
def guarded(ares_home: Any) -> Iterator[Ares]:
    with Ares(plugins=["network", "http"]) as ares:
        yield ares


@pytest.fixture
def allowed(ares_home: Any) -> Iterator[Ares]:
    """An Ares that may reach loopback."""
    with Ares(plugins=["network", "http"], config={"http": {"allow_hosts": ["127.0.0.1"]}}) as ares:
        yield ares


@pytest.mark.parametrize("tool", ["http_request", "web_scraper"])
@pytest.mark.parametrize("spelling", SPELLINGS)
def test_no_tool_reaches_a_private_host(guarded: Ares, server: Server, tool: str, spelling: str) -> None:
    result = guarded.call_sync(tool, {"url": spelling.format(port=server.port)})
    assert (result.success, result.error and result.error.code, result.error and result.error.blame) == (
        False, "tool_error", "input",
    )  # fmt: skip
    assert "nothing was sent" in result.text
    assert server.connections == 0


def test_an_allowed_host_is_reached(allowed: Ares, server: Server) -> None:
    url = server.says(
        "/", gzip.compress(b"<title>T</title><p>hi</p>"), Content_Type="text/html", Content_Encoding="gzip"
    )
    assert allowed.call_sync("web_scraper", {"url": url}).data["content"] == "hi"
    assert allowed.call_sync("http_request", {"url": url}).data["body"].endswith("<p>hi</p>")


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_to_a_private_host_is_refused_and_told(allowed: Ares, server: Server, status: int) -> None:
    url = server.says("/priv", status=status, Location="http://169.254.169.254/")
    result = allowed.call_sync("http_request", {"url": url})
    assert f"GET {url} answered {status} and leads on to http://169.254.169.254/" in result.text
    assert "not public" in result.text
    assert server.connections == 1


def test_credentials_stay_with_their_host(ares_home: Any, server: Server) -> None:
    names = {"http": {"allow_hosts": ["127.0.0.0/8", "localhost"]}}
    server.says("/end", b"done")
    url = server.says("/go", status=302, Location=f"http://localhost:{server.port}/end")
    with Ares(plugins=["network", "http"], config=names) as ares:
        headers = {"Authorization": "Bearer T", "Cookie": "c=1", "X-Api-Key": "K"}
        result = ares.call_sync("http_request", {"url": url, "headers": headers})
    assert (result.data["body"], result.data["redirects"]) == ("done", [f"302 {url}"])
    assert {"authorization", "cookie", "x-api-key"} <= server.seen[0].keys()
    assert not {"authorization", "cookie", "x-api-key"} & server.seen[1].keys()


def test_an_endless_answer_is_cut_and_its_beginning_given(allowed: Ares, server: Server) -> None:
    result = allowed.call_sync("http_request", {"url": server.never_ends("/endless", b"x" * 4096, 0)})
    assert (result.success, result.data["truncated"], result.data["bytes"]) == (True, True, 1_000_000)


def test_a_bomb_is_cut_like_any_long_answer(allowed: Ares, server: Server) -> None:
    url = server.says("/bomb", gzip.compress(b"\n" * 100_000_000), Content_Encoding="gzip", Content_Type="text/plain")
    result = allowed.call_sync("http_request", {"url": url})
    assert (result.data["truncated"], result.data["bytes"]) == (True, 1_000_000)


def test_a_dripping_answer_ends_with_the_time_of_the_call(allowed: Ares, server: Server) -> None:
    url = server.never_ends("/drip", b"x", 0.1)
    started = time.monotonic()
    result = allowed.call_sync("http_request", {"url": url}, timeout=0.5)
    assert result.error is not None
    assert result.error.code == "timeout"
    assert time.monotonic() - started < 60


@pytest.mark.parametrize("arguments", [{"query": "AI news"}, {"query": "最新动态"}])
def test_a_search_reaches_a_configured_private_host(ares_home: Any, server: Server, arguments: Any) -> None:
    server.answers = _Any(server.answers)
    body = b'{"results": [{"url": "https://a.test/", "title": "A", "content": "b"}]}'
    base = server.says("", body, Content_Type="application/json").rstrip("/")
    with Ares(plugins=["network", "web-search"], config={"web_search": {"base_url": base}}) as ares:
        assert ares.call_sync("web_search", arguments).data["count"] == 1


@pytest.mark.parametrize(
    "request_", ["search the web for AI news", "\u641c\u7d22\u4e00\u4e0bGo\u8bed\u8a00\u7684\u6700\u65b0\u52a8\u6001"]
)
def test_a_search_in_words_names_its_tool_also_when_it_fails(ares_home: Any, request_: str) -> None:
    with Ares() as ares:
        result = ares.ask_sync(request_)
    assert result.call is not None
    assert result.call.name == "web_search"
    assert result.error is not None
    assert "web_search.base_url" in result.text


class _Any(dict[str, Any]):
    """Answers every path alike."""

    def __missing__(self, path: str) -> Any:
        return self[""]

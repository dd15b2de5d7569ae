"""A server that speaks as OpenAI's does, and one that doesn't."""

from __future__ import annotations

import asyncio
import threading
import tracemalloc
from collections.abc import AsyncIterator, Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from json import dumps, loads
from typing import Any, Self
from urllib.parse import urlsplit

import pytest

from ares_core import Ares, Result, hookimpl


def letters(text: str) -> list[int]:
    """How often a text has each letter: texts of the same letters have the same vector."""
    return [text.count(chr(97 + at)) for at in range(26)]


class Server:
    """Keeps requests, and answers with ``respond(texts)``: a status, and a body or pieces of one."""

    def __init__(self) -> None:
        self.requests: list[tuple[str, dict[str, str], dict[str, Any]]] = []
        self.respond: Callable[[list[str]], tuple[int, Any]] = lambda texts: (200, answer(map(letters, texts)))
        self._http = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self.base_url = f"http://127.0.0.1:{self._http.server_port}/v1"
        threading.Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()

    def close(self) -> None:
        self._http.shutdown()
        self._http.server_close()

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        server = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = loads(self.rfile.read(int(self.headers["Content-Length"])))
                server.requests.append((self.path, dict(self.headers.items()), body))
                status, pieces = server.respond(body["input"])
                self.send_response(status)
                self.end_headers()
                try:
                    for piece in [pieces] if isinstance(pieces, bytes) else pieces:
                        self.wfile.write(piece)
                except OSError:
                    self.close_connection = True

            def log_message(self, *args: Any) -> None:
                pass

        return Handler


def answer(vectors: Any, start: int = 0, step: int = 1) -> bytes:
    """Write vectors as a server does."""
    items = [
        {"object": "embedding", "index": at, "embedding": list(vector)} for at, vector in enumerate(vectors, start)
    ]
    return dumps({"object": "list", "data": items[::step], "model": "letters"}).encode()


class Exchange:
    """One request over a connection of its own, with the part of httpx's response that is used."""

    status_code = 0

    def __init__(self, method: str, url: str, body: bytes, headers: dict[str, str]) -> None:
        self._address = urlsplit(url)
        lines = [f"{method} {self._address.path} HTTP/1.0", f"Content-Length: {len(body)}"]
        lines += [f"{name}: {value}" for name, value in headers.items()]
        self._request = "\r\n".join([*lines, "", ""]).encode() + body

    async def __aenter__(self) -> Self:
        reader, self._writer = await asyncio.open_connection(self._address.hostname, self._address.port)
        self._writer.write(self._request)
        self.status_code = int((await reader.readline()).split()[1])
        while (await reader.readline()).strip():
            pass
        self._reader = reader
        return self

    async def __aexit__(self, *exception: object) -> None:
        self._writer.close()

    async def aiter_bytes(self) -> AsyncIterator[bytes]:
        while chunk := await self._reader.read(65_536):
            yield chunk


class Client:
    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *exception: object) -> None:
        pass

    def stream(self, method: str, url: str, *, json: Any, headers: dict[str, str]) -> Exchange:
        return Exchange(method, url, dumps(json).encode(), headers)


class Loopback:
    """A network provider without a guard, that remembers what was asked of it."""

    def __init__(self) -> None:
        self.clients: list[tuple[str, str | None]] = []

    def client(self, purpose: str, base_url: str | None = None) -> Client:
        self.clients.append((purpose, base_url))
        return Client()

    @hookimpl
    def open_network(self) -> Any:
        return self


@pytest.fixture
def server() -> Iterator[Server]:
    running = Server()
    yield running
    running.close()


@pytest.fixture
def network() -> Loopback:
    return Loopback()


@pytest.fixture
def ask(server: Server, network: Loopback, ares_home: Any) -> Iterator[Callable[..., Result]]:
    """Calls the tool with the server configured; ``settings`` are added to the section."""
    opened: dict[str, Ares] = {}

    def call(settings: dict[str, Any] | None = None, **arguments: Any) -> Result:
        section = {"base_url": server.base_url, "model": "letters", **(settings or {})}
        key = dumps(section)
        if key not in opened:
            opened[key] = Ares(plugins=["ares_plugin_embedding", network], config={"embedding": section})
        return opened[key].call_sync("embedding", arguments)

    yield call
    for ares in opened.values():
        ares.close()


def test_texts_go_to_the_configured_server(ask: Any, server: Any, network: Any) -> None:
    result = ask({"api_key": "sk-0123456789"}, operation="embed", text="abba")
    ((path, headers, body),) = server.requests
    assert (path, body) == ("/v1/embeddings", {"model": "letters", "input": ["abba"]})
    assert headers["Authorization"] == "Bearer sk-0123456789"
    assert network.clients == [("operator", server.base_url)]
    assert (result.data["vector"][:3], result.data["model"]) == ([2.0, 2.0, 0.0], "letters")
    assert "sk-0123456789" not in str(result)


def test_an_address_may_end_in_a_slash_or_in_what_is_asked_for(ask: Any, server: Any) -> None:
    for ending in ("/", "/embeddings"):
        assert ask({"base_url": server.base_url + ending}, operation="embed", text="a").success
    assert {path for path, _, _ in server.requests} == {"/v1/embeddings"}


def test_many_texts_go_in_batches_and_come_back_in_order(ask: Any, server: Any) -> None:
    server.respond = lambda texts: (200, answer(map(letters, texts), step=-1))
    texts = [chr(97 + number) for number in range(7)]
    result = ask({"batch_size": 3}, operation="embed_batch", texts=texts)
    assert [vector.index(1.0) for vector in result.data["vectors"]] == list(range(7))
    assert [body["input"] for _, _, body in server.requests] == [texts[:3], texts[3:6], texts[6:]]


def test_the_same_text_is_asked_for_once(ask: Any, server: Any) -> None:
    for _ in range(3):
        assert ask(operation="similarity", text="ab", other="ba").data["similarity"] == 1.0
    assert len(server.requests) == 1


def test_a_model_that_changes_is_noticed(ask: Any, server: Any) -> None:
    assert ask(operation="embed", text="ab").data["dimension"] == 26
    server.respond = lambda texts: (200, answer([1.0, 2.0] for _ in texts))
    result = ask(operation="embed_batch", texts=["ab", "cd"])
    assert [len(vector) for vector in result.data["vectors"]] == [2, 2]
    assert result.metadata["attempts"] == 2


def test_prefixes_and_dimensions_are_those_of_the_configuration(ask: Any, server: Any) -> None:
    settings = {"query_prefix": "query: ", "passage_prefix": "passage: ", "dimensions": "26"}
    ask(settings, operation="similarity", text="b", texts=["c"])
    assert [body["input"] for _, _, body in server.requests] == [["query: b"], ["passage: c"]]
    assert {body["dimensions"] for _, _, body in server.requests} == {26}


def test_a_server_is_said_to_be_outside(ask: Any, server: Any, network: Any, ares_home: Any) -> None:
    section = {"base_url": server.base_url, "model": "letters"}
    with Ares(plugins=["ares_plugin_embedding", network], config={"embedding": section}) as ares:
        ares.ready()
        tool: Any = ares.registry.get("embedding")
        effects = tool.effects
    assert (effects.read_only, effects.open_world, effects.resources) == (True, True, (f"host:{server.base_url}",))


def test_without_a_network_provider_nothing_is_sent(server: Any, ares_home: Any) -> None:
    section = {"base_url": server.base_url, "model": "letters"}
    with Ares(plugins=["ares_plugin_embedding"], config={"embedding": section}) as ares:
        error = ares.call_sync("embedding", {"operation": "embed", "text": "a"}).error
    assert error is not None
    assert "no network provider is installed" in error.message
    assert server.requests == []


@pytest.mark.parametrize(
    ("status", "body", "said"),
    [
        (400, {"error": {"message": "the input is too long"}}, "answered 400: the input is too long"),
        (
            401,
            {"error": {"message": "wrong key sk-0123456789"}},
            "wrong key …; nothing was embedded. Whoever runs Ares",
        ),
        (404, {"error": "no model"}, "has the model 'letters'"),
        (413, {"detail": [{"msg": "too many"}]}, "Send fewer or shorter texts"),
        (422, {"message": "no such\n field"}, "answered 422: no such field"),
        (302, {}, "answered 302"),
    ],
)
def test_what_the_server_refuses_is_told_without_the_key(
    ask: Any, server: Any, status: int, body: Any, said: str
) -> None:
    server.respond = lambda texts: (status, dumps(body).encode())
    result = ask({"api_key": "sk-0123456789"}, operation="embed", text="a")
    assert (result.error.code, result.error.blame) == ("tool_error", "world")
    assert said in result.error.message
    assert "sk-0123456789" not in str(result)
    assert (result.metadata["attempts"], len(server.requests)) == (1, 1)


def test_a_server_that_is_busy_is_asked_again(ask: Any, server: Any) -> None:
    answers = [(503, b"<html>busy</html>"), (429, b"")]
    server.respond = lambda texts: answers.pop(0) if answers else (200, answer(map(letters, texts)))
    result = ask(operation="embed", text="a")
    assert result.success
    assert result.metadata["attempts"] == 3


def test_a_long_page_of_an_error_is_cut(ask: Any, server: Any) -> None:
    server.respond = lambda texts: (400, (b"<p>no</p> " * 1000 for _ in range(1000)))
    error = ask(operation="embed", text="a").error
    assert len(error.message) < 400


USELESS = {
    "nothing": b"",
    "no JSON": b"<html>hello</html>",
    "an error with status 200": b'{"error": {"message": "no"}}',
    "a list": b"[]",
    "no vectors": answer([]),
    "one too few": answer([[1.0]]),
    "one too many": answer([[1.0]] * 3),
    "an empty vector": answer([[], []]),
    "different lengths": answer([[1.0], [1.0, 2.0]]),
    "words": answer([["a"], ["b"]]),
    "Base64": b'{"data": [{"index": 0, "embedding": "AACAPw=="}, {"index": 1, "embedding": "AACAPw=="}]}',
    "not a number": b'{"data": [{"index": 0, "embedding": [NaN]}, {"index": 1, "embedding": [1]}]}',
    "infinity": b'{"data": [{"index": 0, "embedding": [1e999]}, {"index": 1, "embedding": [1]}]}',
    "numbers that can't be multiplied": answer([[1e300], [1.0]]),
    "a number twice": b'{"data": [{"index": 1, "embedding": [1]}, {"index": 1, "embedding": [1]}]}',
    "numbers from 5": answer([[1.0], [1.0]], start=5),
    "brackets": b"[" * 1_000_000,
    "a vector without end": b'{"data": [{"index": 0, "embedding": [' + b"1," * 1_000_000,
    "half an answer": answer([[1.0], [1.0]])[:-20],
    "zeros": answer([[0.0], [0.0]]),
}


@pytest.mark.parametrize("body", USELESS.values(), ids=USELESS)
def test_what_is_no_vector_is_not_taken_for_one(ask: Any, server: Any, body: bytes) -> None:
    server.respond = lambda texts: (200, body)
    result = ask(operation="similarity", text="a", other="b")
    assert (result.error.code, result.error.blame) == ("tool_error", "world")
    assert len(result.error.message) > 40
    assert result.data is None


def test_an_answer_without_end_is_not_read_to_its_end(ask: Any, server: Any) -> None:
    sent: list[int] = []

    def endless() -> Any:
        for _ in range(2000):
            sent.append(1)
            yield b"1.0, " * 20_000

    server.respond = lambda texts: (200, endless())
    tracemalloc.start()
    try:
        error = ask({"batch_size": 128}, operation="embed_batch", texts=[str(number) for number in range(128)]).error
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert "the rest was not read" in error.message
    assert len(sent) < 1000
    assert peak < 100_000_000

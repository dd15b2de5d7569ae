"""A server on loopback that stands for the private host, and a resolver that says what a test wants."""

from __future__ import annotations

import contextlib
import socket
import ssl
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from ares_core import Ares

Answer = Callable[[socket.socket], None]


class Server:
    """Counts connections, keeps requests, and answers each path as it was told."""

    def __init__(self) -> None:
        self.connections = 0
        self.secured: ssl.SSLContext | None = None
        self.requests: list[tuple[str, str, dict[str, str], bytes]] = []
        self.answers: dict[str, Answer] = {}
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listening.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def says(self, path: str, body: bytes = b"", status: str = "200 OK", **headers: str) -> str:
        """Answer a path with a body; gives its address."""
        lines = [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
        if "Transfer_Encoding" not in headers and "Content_Length" not in headers:
            lines.append(f"Content-Length: {len(body)}")
        head = "\r\n".join([f"HTTP/1.1 {status}", *lines, "", ""]).encode("latin-1")
        return self.does(path, lambda peer: peer.sendall(head + body))

    def does(self, path: str, answer: Answer) -> str:
        """Answer a path by hand; gives its address."""
        self.answers[path] = answer
        return self.url(path)

    def url(self, path: str = "/", host: str = "127.0.0.1") -> str:
        return f"http://{host}:{self.port}{path}"

    def close(self) -> None:
        with contextlib.suppress(OSError):
            self._listening.shutdown(socket.SHUT_RDWR)  # wakes the thread that accepts, which would keep it open
        self._listening.close()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                peer, _ = self._listening.accept()
                self.connections += 1
                threading.Thread(target=self._serve, args=(peer,), daemon=True).start()

    def _spoken(self, peer: socket.socket) -> socket.socket:
        return self.secured.wrap_socket(peer, server_side=True) if self.secured else peer

    def _serve(self, peer: socket.socket) -> None:
        with contextlib.suppress(OSError), self._spoken(peer) as spoken, spoken.makefile("rb") as stream:
            while line := stream.readline().decode("latin-1").strip():
                method, path, *_ = [*line.split(" "), "", ""]
                headers = {}
                while header := stream.readline().decode("latin-1").strip():
                    name, _, value = header.partition(":")
                    headers[name.lower()] = value.strip()
                body = stream.read(int(headers.get("content-length", 0)))
                self.requests.append((method, path, headers, body))
                self.answers.get(path.partition("?")[0], _not_found)(spoken)


def _not_found(peer: socket.socket) -> None:
    peer.sendall(b"HTTP/1.1 404 Not Found\r\nContent-Length: 4\r\n\r\nnope")


@pytest.fixture
def server() -> Iterator[Server]:
    running = Server()
    yield running
    running.close()


@pytest.fixture
def names(monkeypatch: pytest.MonkeyPatch) -> dict[str, list[list[str]]]:
    """What the resolver answers for a name, the first time, the second time and so on; the last answer stays."""
    known: dict[str, list[list[str]]] = {}
    ask = socket.getaddrinfo

    def resolve(host: Any, port: Any, family: int = 0, type: int = 0, proto: int = 0, flags: int = 0) -> Any:
        name = host.decode() if isinstance(host, bytes) else host
        if name not in known:
            return ask(host, port, family, type, proto, flags | socket.AI_NUMERICHOST)
        answers = known[name]
        addresses = answers.pop(0) if len(answers) > 1 else answers[0]
        return [
            (socket.AF_INET6 if ":" in address else socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, port))
            for address in addresses
        ]

    monkeypatch.setattr(socket, "getaddrinfo", resolve)
    return known


@pytest.fixture
def make() -> Iterator[Callable[..., Any]]:
    """Makes a network that allows these hosts."""
    with contextlib.ExitStack() as stack:

        def opened(allow_hosts: list[str], **network: Any) -> Any:
            config = {"http": {"allow_hosts": allow_hosts}, "network": network}
            return stack.enter_context(Ares(plugins=["ares_plugin_network"], config=config)).host("test").network

        yield opened


@pytest.fixture
def network(make: Callable[..., Any]) -> Any:
    """A network that allows nothing besides what is public."""
    return make([])


@pytest.fixture
def local(make: Callable[..., Any]) -> Any:
    """A network that allows loopback, takes in little, and has time."""
    return make(["127.0.0.1", "*.test"], max_bytes=1_000_000, timeout=60, read_timeout=60, connect_timeout=60)


@pytest.fixture
def hasty(make: Callable[..., Any]) -> Any:
    """The same, and soon at the end of its time."""
    return make(["127.0.0.1", "*.test"], max_bytes=1_000_000, timeout=1, read_timeout=0.7, connect_timeout=1)

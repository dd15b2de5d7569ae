"""Servers that want to fill the memory or to be waited for."""

from __future__ import annotations

import asyncio
import gc
import gzip
import resource
import socket
import time
import zlib
from collections.abc import Callable
from typing import Any

import pytest

from ares_core import AresError

MEGABYTE = b"\0" * 1_000_000


def get(network: Any, url: str) -> Any:
    async def fetch() -> Any:
        async with network.client("argument") as client:
            return await client.get(url)

    return asyncio.run(fetch())


def failure(network: Any, url: str) -> Any:
    with pytest.raises(AresError) as caught:
        get(network, url)
    return caught.value


def bomb(wbits: int, megabytes: int = 150) -> bytes:
    packer = zlib.compressobj(9, wbits=wbits)
    return b"".join([*(packer.compress(MEGABYTE) for _ in range(megabytes)), packer.flush()])


@pytest.mark.parametrize(("encoding", "wbits"), [("gzip", 31), ("deflate", 15), ("deflate", -15)])
def test_a_bomb_does_not_go_off(local: Any, server: Any, encoding: str, wbits: int) -> None:
    url = server.says("/bomb", bomb(wbits), Content_Encoding=encoding)
    before, started = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.monotonic()
    assert "grew beyond 1,000,000 bytes" in failure(local, url).message
    assert time.monotonic() - started < 20
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 100_000


def endless(head: str, piece: bytes, pause: float = 0) -> Callable[[socket.socket], None]:
    def answer(peer: socket.socket) -> None:
        peer.sendall(head.encode())
        while True:
            peer.sendall(piece)
            time.sleep(pause)

    return answer


@pytest.mark.parametrize(("head", "piece"), [
    ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", b"1000\r\n" + b"x" * 4096 + b"\r\n"),
    ("HTTP/1.1 200 OK\r\n\r\n", b"x" * 4096), ("HTTP/1.1 200 OK\r\nContent-Length: 5000000000\r\n\r\n", b"x" * 4096),
    ("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n" , gzip.compress(b"x", mtime=0)),
])  # fmt: skip
def test_an_endless_body_ends_at_the_limit(local: Any, server: Any, head: str, piece: bytes) -> None:
    error = failure(local, server.does("/endless", endless(head, piece)))
    assert "too large" in error.message or "damaged" in error.message


def test_what_goes_on_after_the_announced_length_is_not_read(local: Any, server: Any) -> None:
    url = server.does("/lie", endless("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n", b"x" * 4096))
    assert get(local, url).text == "xxxxx"


@pytest.mark.parametrize(("head", "piece"), [
    ("HTTP/1.1 200 OK\r\n", b"X-A: " + b"y" * 10_000 + b"\r\n"), ("HTTP/1.1 200 ", b"O" * 10_000),
    ("", b"HTTP/1.1 100 Continue\r\n\r\n"), ("", b"\r\n"), ("SSH-2.0-x\r\n", b"hello\r\n"),
    ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", b"0" * 10_000),
])  # fmt: skip
def test_an_endless_head_ends_too(hasty: Any, server: Any, head: str, piece: bytes) -> None:
    started = time.monotonic()
    failure(hasty, server.does("/head", endless(head, piece, 0.0001)))
    assert time.monotonic() - started < 30


@pytest.mark.parametrize("head", ["", "HTTP/1.1 200 OK\r\n\r\n", "HTTP/1.1 200 OK\r\nX-A: "])
def test_the_slowest_server_is_given_up_after_the_time_for_the_whole(hasty: Any, server: Any, head: str) -> None:
    error = failure(hasty, server.does("/drip", endless(head, b"x", 0.2)))
    assert error.sent
    assert "did not answer in time" in error.message


def test_a_server_that_says_nothing_is_given_up(hasty: Any, server: Any) -> None:
    error = failure(hasty, server.does("/silent", lambda peer: time.sleep(3)))
    assert error.retriable
    assert "did not answer in time" in error.message


def test_a_body_in_pieces_of_one_letter_keeps_nobody_else_waiting(hasty: Any, server: Any) -> None:
    url = server.does(
        "/crumbs", endless("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", b"1\r\nx\r\n" * 20_000)
    )
    gaps: list[float] = []
    """What others waited, in the processor time of this thread: that of a busy machine counts in nothing."""

    async def watch() -> None:
        while True:
            before = time.thread_time()
            await asyncio.sleep(0.001)
            gaps.append(time.thread_time() - before)

    async def fetch() -> Any:
        watching = asyncio.ensure_future(watch())
        async with hasty.client("argument") as client:
            with pytest.raises(AresError) as caught:
                await client.get(url)
        watching.cancel()
        return caught.value

    gc.disable()  # to collect what thousands of other tests have left takes this thread long too
    try:
        assert "did not answer in time" in asyncio.run(fetch()).message
    finally:
        gc.enable()
    assert max(gaps) < max(sum(gaps) / 4, 0.1)

"""Messages that no caller and no worker should send: they end nothing."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import Any

import msgspec
import pytest
from ares_plugin_workers import Worker
from ares_plugin_workers.definitions import address, definition_of
from ares_plugin_workers.messages import PART, Hello, Parts, Unreadable, parts, read_order, read_reply
from ares_plugin_workers.roster import Roster
from hypothesis import given
from hypothesis import strategies as st

from ares_core import Ares, Effects, Tool, tool

Serve = Callable[..., Worker]
Caller = Callable[..., Ares]
READS = Effects(read_only=True, open_world=False)
CALL = {"type": "call", "tool": "add"}
ODD = [
    b"", b"{", b"[]", b"null", b"\xff\xfe", b"[" * 100_000, b"#", b"#a b c\n", b"#a 5 2\n", b"#a 1 2\nlate",
    b"#x 0 999999999\nhuge", b"{" + b'"a":' * 50_000, b"x" * 600_000, b'{"type":"nothing"}',
    b'{"type":"go","job":"none"}', b'{"type":"go","job":"none","arguments":{}}',
    b'{"type":"cancel","job":"none"}', b'{"type":"probe","job":"none"}',
    b'{"type":"probe","job":"ares.news"}', b'{"type":"call"}', b'{"type":"call","tool":17}',
    b'{"type":"call","tool":"rm"}', b'{"type":"answer","success":true}', b'{"type":"started","worker":"> *"}',
    b'{"type":"hello","worker":"h","name":"h","tools":{"x":{"name":"add","description":"","parameters":{}}}}',
    b'{"type":"bye","worker":"nobody"}', b'{"type":"progress","data":{"self":1,"message":2}}', b'{"type":"gone"}',
]  # fmt: skip


@tool(effects=READS)
def add(a: int, b: int = 1) -> dict[str, int]:
    """Add two whole numbers."""
    return {"sum": a + b}


def send(server: Any, *messages: tuple[str, str, bytes]) -> None:
    """Publish messages: subject, address for the answer, body."""

    async def publish() -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
        writer.write(b'CONNECT {"headers":true}\r\n')
        for subject, reply, body in messages:
            writer.write(f"PUB {subject} {reply} {len(body)}\r\n".encode() + body + b"\r\n")
        writer.write(b"PING\r\n")
        while (line := await reader.readline()) and not line.startswith(b"PONG"):
            pass
        writer.close()

    asyncio.run(publish())


def test_odd_messages_end_neither_a_worker_nor_a_caller(broker: Any, serve: Serve, caller: Caller) -> None:
    worker = serve(broker, add)
    here = caller(broker)
    assert here.call_sync("add", {"a": 1}).success
    source: Any = here.sources[-1]
    inbox = source.desk.inbox
    at = next(iter(worker.served))
    subjects = ["ares.tools", "ares.news", f"ares.worker.{worker.id}", f"ares.call.{at}", f"{inbox}.1.1",
                f"{inbox}.survey", f"{inbox}.x"]  # fmt: skip
    send(broker, *((subject, reply, odd) for odd in ODD for subject in subjects for reply in ("", "_INBOX.stranger")))
    assert here.call_sync("add", {"a": 2}).data == {"sum": 3}


def test_arguments_of_a_stranger_go_through_the_workers_own_life(fake: Any, serve: Serve, caller: Caller) -> None:
    worker = serve(fake, add)
    heard: list[bytes] = []
    fake.watch = heard.append
    at = next(iter(worker.served))
    stranger = json.dumps({**CALL, "arguments": {"a": "many", "rm": "-rf"}}).encode()
    send(fake, (f"ares.call.{at}", "_INBOX.stranger.1", stranger))
    caller(fake).call_sync("add", {"a": 1})
    answer = next(json.loads(body) for body in heard if b'"answer"' in body and b"invalid_arguments" in body)
    assert answer["success"] is False
    assert "Not executed." in answer["error"]["message"]


def test_a_worker_takes_calls_of_nothing_that_it_does_not_serve(fake: Any, serve: Serve, caller: Caller) -> None:
    ran = []

    @tool
    def private(what: str = "") -> str:
        """Not for others."""
        ran.append(what)
        return what

    there = caller(fake)
    there.register(add)
    there.register(private)
    worker = Worker(there, ["add"])
    there.wait_for(worker.start(), "start")
    at = next(iter(worker.served))
    send(fake, (f"ares.call.{at}", "_INBOX.stranger.1", b'{"type":"call","tool":"private"}'))
    here = caller(fake)
    assert here.call_sync("add", {"a": 1}).success
    assert here.registry.list_tool_names() == ["add"]
    assert ran == []
    there.wait_for(worker.stop(), "stop")


@given(st.binary(max_size=3 * PART), st.integers(0, 5))
def test_a_message_is_the_same_after_it_went_in_parts(body: bytes, copies: int) -> None:
    if body.startswith(b"#"):
        body = b"{" + body
    taker = Parts(10 * PART)
    for _ in range(copies + 1):
        whole = [found for part in parts(body * 1) if (found := taker.take(part)) is not None]
        assert whole == [body]


@given(st.lists(st.binary(max_size=200).map(lambda body: b"#" + body), max_size=20))
def test_parts_of_nothing_are_dropped_with_a_word(pieces: list[bytes]) -> None:
    taker = Parts(1_000)
    for piece in pieces:
        try:
            taker.take(piece)
        except Unreadable as error:
            assert str(error)


@given(
    st.binary(max_size=300) | st.from_regex(rb'\{"type":"[a-z]{2,8}","[a-z]{1,5}":("x"|1|null|\{\})\}', fullmatch=True)
)
def test_what_can_t_be_read_is_one_kind_of_error(body: bytes) -> None:
    for read in (read_order, read_reply):
        try:
            read(body)
        except Unreadable as error:
            assert str(error)


def test_a_message_of_more_than_may_be_is_refused_at_its_first_part() -> None:
    with pytest.raises(Unreadable, match="max_message_bytes"):
        Parts(PART).take(next(iter(parts(b"x" * (PART * 4)))))


def test_no_worker_tells_of_the_tool_of_another_in_words_of_its_own() -> None:
    honest = definition_of(Tool("add", "Add.", {"type": "object"}, lambda arguments, context: 1))
    at, lie = address(honest), msgspec.structs.replace(honest, effects=READS)
    roster = Roster(lambda: None)
    roster.take(Hello("liar", "liar", {at: lie}))
    assert roster.offered == {}
    roster.take(Hello("honest", "honest", {at: honest}))
    assert roster.offered == {"add": (at, honest)}
    roster.nobody(at)
    assert roster.offered == {}

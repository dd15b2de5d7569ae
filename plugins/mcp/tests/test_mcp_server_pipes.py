"""The server over stdin and stdout: nothing but messages, and clients that don't behave."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from ares_plugin_mcp.server.messages import Lines
from hypothesis import given
from hypothesis import strategies as st
from mcp import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

from ares_core import Ares

SHOWN = str(Path(__file__).parent / "servers" / "shown.py")
ERAS = pytest.mark.parametrize("era", ["legacy", "2026-07-28"])
HELLO = {
    "jsonrpc": "2.0", "id": "hello", "method": "initialize",
    "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "raw", "version": "1"}},
}  # fmt: skip


class Raw:
    """A client that writes what it likes."""

    def __init__(self, diary: Path) -> None:
        self.process = subprocess.Popen(
            [sys.executable, SHOWN, str(diary)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        self.answers: dict[Any, dict[str, Any]] = {}
        self.send(HELLO)
        self.answer("hello")

    def write(self, data: bytes) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def send(self, *messages: dict[str, Any]) -> None:
        self.write(b"".join(json.dumps(message).encode() + b"\n" for message in messages))

    def call(self, id: Any, name: str, arguments: Any) -> None:
        self.send(request(id, name, arguments))

    def cancel(self, id: Any) -> None:
        self.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id}})

    def answer(self, id: Any) -> dict[str, Any]:
        """Read until an answer to this comes; every line has to be a message."""
        assert self.process.stdout is not None
        while id not in self.answers:
            message = json.loads(self.process.stdout.readline())
            if "method" not in message:
                self.answers[message["id"]] = message
        return self.answers.pop(id)

    def text(self, id: Any) -> str:
        return str(self.answer(id)["result"]["content"][0]["text"])

    def end(self) -> tuple[bytes, bytes]:
        return self.process.communicate(timeout=60)


def request(id: Any, name: str, arguments: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {"name": name, "arguments": arguments}}


@pytest.fixture(scope="module")
def notes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("shown") / "diary"


@pytest.fixture(scope="module")
def raw(notes: Path) -> Iterator[Raw]:
    """Gives one server for all: whatever a test does to it, the next finds it well."""
    client = Raw(notes)
    yield client
    client.process.kill()
    client.process.communicate()


def seen(notes: Path, *wanted: str) -> bool:
    """Wait until the tools have noted all this."""
    until = time.monotonic() + 60
    while time.monotonic() < until:
        lines = notes.read_text().splitlines() if notes.exists() else []
        if set(wanted) <= set(lines):
            return True
        time.sleep(0.02)
    return False


def test_a_tool_that_prints_does_not_break_the_stream(notes: Path) -> None:
    raw = Raw(notes)
    raw.call(1, "shout", {"text": "hey"})
    assert raw.text(1) == "hey"
    rest, errors = raw.end()
    assert rest == b""
    assert b"hey\nraw\nfrom a program\n" in errors


def test_arguments_that_are_text_are_repaired_too(raw: Raw) -> None:
    raw.call(1, "add", '{"a": 2, "b": 3,}')
    raw.call(2, "add", [1])
    raw.call(3, "add", None)
    assert raw.text(1) == "5"
    assert "expected" in raw.text(2)
    assert "/a" in raw.text(3) or "required" in raw.text(3)


@pytest.mark.parametrize(
    ("line", "code"),
    [
        (b"Hello!", -32700),
        (b"\xff\xfe\x00", -32700),
        (b"[" * 100_000, -32700),
        (b"[]", -32600),
        (b"42", -32600),
        (b'{"jsonrpc":"1.0","id":7}', -32600),
        (b'{"jsonrpc":"2.0","id":7,"method":5}', -32600),
        (b'"' + b"x" * 5_000_000 + b'"', -32600),
    ],
    ids=["text", "bytes", "deep", "batch", "number", "old", "method", "long"],
)
def test_what_is_no_message_is_answered_and_the_next_one_served(raw: Raw, line: bytes, code: int) -> None:
    raw.write(line + b"\n\n")
    id = 7 if b'"id":7' in line else None
    assert raw.answer(id)["error"]["code"] == code
    raw.call(1, "add", {"a": 1})
    assert raw.text(1) == "2"


def test_answers_that_nobody_asked_for_are_passed_over(raw: Raw) -> None:
    raw.write(b'{"jsonrpc":"2.0","id":99,"result":{}}\n{"jsonrpc":"2.0","id":null,"error":{"code":1,"message":""}}\n')
    raw.write(b'{"id":98,"result":5}\n')
    raw.call(1, "add", {"a": 1})
    assert raw.text(1) == "2"


@pytest.mark.parametrize("tool", ["wait", "block"])
def test_the_clients_cancellation_reaches_the_tool(raw: Raw, notes: Path, tool: str) -> None:
    raw.call(1, tool, {"name": tool, **({"seconds": 60} if tool == "wait" else {})})
    assert seen(notes, f"begun {tool}")
    raw.cancel(1)
    assert seen(notes, f"cancelled {tool}")
    raw.call(2, "add", {"a": 1})
    assert raw.text(2) == "2"
    assert 1 not in raw.answers


def test_thousands_of_calls_at_once_are_all_answered(raw: Raw) -> None:
    calls = [request(number, "add", {"a": number}) for number in range(3_000)]
    threading.Thread(target=raw.send, args=calls, daemon=True).start()
    answers = [raw.answer(number) for number in range(3_000)]
    done = sum("result" in answer and not answer["result"]["isError"] for answer in answers)
    busy = sum("error" in answer and answer["error"]["code"] == -32000 for answer in answers)
    refused = sum("result" in answer and answer["result"]["isError"] for answer in answers)
    assert done + busy + refused == 3_000
    assert done > 0


def test_a_storm_of_calls_and_cancellations_leaves_the_server_well(raw: Raw) -> None:
    for number in range(500):
        raw.call(number, "wait", {"seconds": 60, "name": str(number)})
        raw.cancel(number)
        raw.cancel("nobody")
    raw.call("last", "add", {"a": 1})
    assert raw.text("last") == "2"


def test_text_without_a_place_in_utf_8_is_given_all_the_same(raw: Raw) -> None:
    raw.call(1, "odd_text", {})
    assert "a" in raw.text(1)


def test_what_was_asked_before_the_client_closed_its_side_is_still_answered(notes: Path) -> None:
    raw = Raw(notes)
    raw.call(1, "wait", {"seconds": 0.2, "name": "late"})
    assert seen(notes, "begun late")
    rest, _ = raw.end()
    assert b'"late"' in rest
    assert raw.process.returncode == 0


@ERAS
def test_progress_arrives_before_the_answer(notes: Path, era: str) -> None:
    heard: list[tuple[float, float | None, str | None]] = []

    async def note(progress: float, total: float | None, message: str | None) -> None:
        heard.append((progress, total, message))

    async def run() -> Any:
        parameters = StdioServerParameters(command=sys.executable, args=[SHOWN, str(notes)])
        async with Client(stdio_client(parameters), mode=era) as client:
            return await client.call_tool("steps", {}, progress_callback=note)

    assert asyncio.run(run()).is_error is False
    assert heard == [(1, 3, "step 1"), (2, 3, "step 2"), (3, 3, "step 3")]


def test_a_trace_goes_through_client_and_server(notes: Path, ares_home: Path) -> None:
    from opentelemetry import trace

    around = trace.SpanContext(0x1234, 0x5678, is_remote=False, trace_flags=trace.TraceFlags(1))
    servers = {"shown": {"command": sys.executable, "args": [SHOWN, str(notes)]}}
    span = trace.use_span(trace.NonRecordingSpan(around))
    with Ares(plugins=["mcp"], config={"mcp": {"servers": servers}}) as ares, span:
        result = ares.call_sync("mcp.shown.trace_id", {})
    assert result.data == {"result": f"{0x1234:032x}"}


def test_a_server_that_is_its_own_server_ends_somewhere(ares_home: Path, tmp_path: Path) -> None:
    serve = [sys.executable, "-m", "ares_core", "mcp", "serve"]
    config = tmp_path / "ares.yaml"
    args = ["-m", "ares_core", "--config", str(config), "mcp", "serve", "--no-ask"]
    config.write_text(json.dumps({"mcp": {"servers": {"self": {"command": serve[0], "args": args}}}}))
    listing = [HELLO, {"jsonrpc": "2.0", "id": 2, "method": "tools/list"}]

    with subprocess.Popen(
        [*serve, "--config", str(config)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write("".join(f"{json.dumps(message)}\n" for message in listing).encode())
        process.stdin.flush()
        answers = [json.loads(process.stdout.readline()) for _ in listing]
        process.stdin.close()
    names = {tool["name"] for tool in answers[1]["result"]["tools"]}
    assert "ask" in names
    assert not any(name.startswith("mcp.self.mcp.self.mcp.self.mcp.self.") for name in names)


@given(st.lists(st.binary(max_size=12).map(lambda part: part.replace(b"\n", b" ")), max_size=8), st.integers(1, 7))
def test_lines_are_the_same_however_they_are_cut(parts: list[bytes], size: int) -> None:
    whole = b"\n".join(parts)
    lines, found = Lines(longest=8), []
    for start in range(0, len(whole), size):
        found += lines.feed(whole[start : start + size])
    at_once = Lines(longest=8)
    assert found + lines.rest() == at_once.feed(whole) + at_once.rest()
    assert all(line is None or len(line) <= 8 for line in found)

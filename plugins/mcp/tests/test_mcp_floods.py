"""Servers that ask and write without end: each costs only itself."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from ares_plugin_mcp.client.answers import MOST_PARTS
from ares_plugin_mcp.client.asking import MOST_QUESTIONS, Asking
from ares_plugin_mcp.client.messages import Reader
from ares_plugin_mcp.client.results import result_of
from ares_plugin_mcp.client.stdio import MOST_WAITING, Process
from mcp_types import CallToolResult, ElicitRequestFormParams, JSONRPCRequest

from ares_core import Approval, ToolCall


def test_a_server_may_ask_only_so_often_in_one_call() -> None:
    asked: list[Approval] = []
    params = ElicitRequestFormParams(message="Give?", requested_schema={"type": "object", "properties": {}})

    def approve(approval: Approval) -> bool:
        asked.append(approval)
        return True

    async def main() -> list[str]:
        asking = Asking(approve, ToolCall("mcp.a.echo"), "a")
        return [(await asking.ask(params)).action for _ in range(MOST_QUESTIONS + 5)]

    assert asyncio.run(main())[-6:] == ["accept", *["decline"] * 5]
    assert len(asked) == MOST_QUESTIONS


def asking_without_end(process: Process, count: int) -> None:
    for number in range(count):
        process.pipe_data_received(1, json.dumps({"jsonrpc": "2.0", "id": number, "method": "ping"}).encode() + b"\n")


def process() -> Any:
    made: Any = Process(1_000, Reader(lambda text: None), 1.0)
    made._paused = True  # there is no pipe to stop reading from
    return made


def test_a_server_that_asks_and_reads_no_answer_is_given_up() -> None:
    deaf, open_ = process(), process()
    deaf.pause_writing()
    for one in (deaf, open_):
        asking_without_end(one, MOST_WAITING + 1)
    assert "without reading an answer" in deaf.trouble
    assert (open_.trouble, len(open_.messages)) == ("", MOST_WAITING + 1)


def test_a_server_that_reads_again_may_ask_again() -> None:
    slow = process()
    for _ in range(2):
        slow.pause_writing()
        asking_without_end(slow, MOST_WAITING)
        slow.resume_writing()
    assert slow.trouble == ""


@pytest.mark.parametrize(("odd", "left"), [(0, 0), (30_000, 20_001)], ids=["texts", "pictures"])
def test_an_answer_in_very_many_parts_is_taken_in_as_few(odd: int, left: int) -> None:
    notes: list[str] = []
    picture = {"type": "image", "data": "iVBORw0=", "mimeType": "image/png"}
    parts = [*[{"type": "text", "text": "x"}] * 200_000, *[picture] * odd]
    reader = Reader(notes.append)
    reader.open.sent(JSONRPCRequest(jsonrpc="2.0", id=1, method="tools/call", params={}))
    line = json.dumps({"jsonrpc": "2.0", "id": 1, "result": {"content": parts}}).encode()
    answer: Any = reader.read(line)[0].message
    result = result_of("t", CallToolResult.model_validate(answer.result))
    assert (result.text.startswith("x\nx\n"), result.text.count("x\n") + result.text.endswith("x")) == (True, 200_000)
    assert len(answer.result["content"]) <= MOST_PARTS + 1
    assert (f"{left:,} parts of the answer's content" in result.text, len(notes)) == (left > 0, left > 0)

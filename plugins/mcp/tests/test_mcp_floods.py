"""Servers that ask and write without end: each costs only itself."""

from __future__ import annotations

import asyncio
import json
from typing import Any

from ares_plugin_mcp.client.asking import MOST_QUESTIONS, Asking
from ares_plugin_mcp.client.messages import Reader
from ares_plugin_mcp.client.stdio import MOST_WAITING, Process
from mcp_types import ElicitRequestFormParams

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

"""What may run side by side is judged by the arguments that will run: decoded, coerced and filled."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from ares_core import Ares, Effects, Tool, ToolCall

READS = Effects(read_only=True)
SCHEMA = {"type": "object", "properties": {"operation": {"enum": ["read", "write"], "default": "write"}}}


@pytest.fixture
def most(ares: Ares) -> list[int]:
    """The tool ``store``, and how many of its calls ran at once at most."""
    at_once, most = [0], [0]

    async def execute(arguments: Any, context: Any) -> str:
        at_once[0] += 1
        most[0] = max(most[0], at_once[0])
        await asyncio.sleep(0.01)
        at_once[0] -= 1
        return "done"

    def effects(arguments: Any) -> Effects:
        return Effects() if arguments.get("operation") == "write" else READS

    ares.register(Tool("store", "Read or write.", SCHEMA, execute, effects=effects))
    return most


@pytest.mark.parametrize(
    "given", [{}, "", {"operation": "WRITE"}, '{"operation": "write",}', '{"operation": " Write "}']
)
def test_a_write_runs_alone_however_it_was_written(ares: Ares, most: list[int], given: Any) -> None:
    assert all(result.success for result in ares.call_many_sync([ToolCall("store", given)] * 3))
    assert most == [1]


def test_reads_run_together_however_they_were_written(ares: Ares, most: list[int]) -> None:
    calls = [ToolCall("store", {"operation": "READ"}), ToolCall("Store", "{'operation': 'read'}")]
    assert all(result.success for result in ares.call_many_sync(calls))
    assert most == [2]


def test_a_call_that_will_be_refused_holds_up_no_others(ares: Ares, most: list[int]) -> None:
    calls = [ToolCall("store", {"operation": operation}) for operation in ("read", "delete", "read")]
    assert [result.success for result in ares.call_many_sync(calls)] == [True, False, True]
    assert most == [2]

"""A tool that goes on after its deadline keeps nobody waiting, and nobody else's place."""

from __future__ import annotations

import asyncio
import threading

from ares_core import Ares, Effects, Tool, ToolContext

QUIET = Effects(read_only=True, open_world=False)
PATIENCE = 60
"""Seconds after which a test gives up; far more than anything here takes."""


def test_a_tool_that_ignores_its_cancellation_keeps_nobody_waiting(ares: Ares) -> None:
    given_up = threading.Event()

    async def deaf() -> str:
        """Hear nothing."""
        while not given_up.is_set():
            try:
                await asyncio.sleep(0.01)
            except asyncio.CancelledError:
                continue
        return "late"

    ares.register(Tool.from_function(deaf, effects=QUIET))
    try:
        result = ares.call_sync("deaf", timeout=0.05)
    finally:
        given_up.set()
    assert result.error
    assert result.error.code == "timeout"


def test_cleaning_up_after_the_deadline_is_done_behind_the_answer(ares: Ares) -> None:
    answered, cleaned = threading.Event(), threading.Event()

    async def tidy() -> None:
        """Clean up behind yourself."""
        try:
            await asyncio.sleep(PATIENCE)
        finally:
            while not answered.is_set():  # noqa: ASYNC110 - it is set in another thread
                await asyncio.sleep(0.001)
            cleaned.set()

    ares.register(Tool.from_function(tidy, effects=QUIET))
    assert not ares.call_sync("tidy", timeout=0.05).success
    assert not cleaned.is_set()
    answered.set()
    assert cleaned.wait(PATIENCE)


def test_what_is_left_behind_keeps_the_tools_own_place_until_it_ends(ares: Ares) -> None:
    given_up = threading.Event()

    async def deaf() -> str:
        """Hear nothing."""
        while not given_up.is_set():
            try:
                await asyncio.sleep(0.01)
            except asyncio.CancelledError:
                continue
        raise OSError("too late")

    async def echo() -> str:
        """Answer."""
        return "here"

    ares.register(Tool.from_function(deaf, effects=QUIET, max_concurrency=1))
    ares.register(Tool.from_function(echo, effects=QUIET))
    assert not ares.call_sync("deaf", timeout=0.05).success
    assert ares.call_sync("echo").data == "here"
    threading.Timer(0.1, given_up.set).start()
    second = ares.call_sync("deaf", timeout=PATIENCE)  # gets its place when the first ends
    assert second.error
    assert second.error.code == "tool_error"


def test_a_child_that_ignores_its_cancellation_holds_up_no_parent(ares: Ares) -> None:
    given_up = threading.Event()

    async def deaf() -> str:
        """Hear nothing."""
        while not given_up.is_set():
            try:
                await asyncio.sleep(0.01)
            except asyncio.CancelledError:
                continue
        return "late"

    async def parent(context: ToolContext) -> str:
        """Ask the child."""
        return (await context.call_tool("deaf")).text

    for function in (deaf, parent):
        ares.register(Tool.from_function(function, effects=QUIET))
    try:
        result = ares.call_sync("parent", timeout=0.05)
    finally:
        given_up.set()
    assert result.error
    assert result.error.code == "timeout"

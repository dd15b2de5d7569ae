"""Processes: forked children can call, and the end of a process waits for nobody."""

from __future__ import annotations

import asyncio
import gc
import os
import time
from typing import Any

import pytest

from ares_core import Ares, Effects, Result, Tool

QUIET = Effects(read_only=True, open_world=False)


def double(a: int) -> int:
    """Double, in a thread."""
    return 2 * a


async def hang() -> None:
    """Hang."""
    await asyncio.sleep(60)


def made() -> Ares:
    ares = Ares(plugins=[])
    ares.register(Tool.from_function(double, effects=QUIET))
    ares.register(Tool.from_function(hang, effects=QUIET))
    return ares


def code(result: Result) -> str | None:
    return result.error.code if result.error else None


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_a_forked_child_can_call_too() -> None:
    with made() as ares:
        assert ares.call_sync("double", {"a": 1}).data == 2
        read, write = os.pipe()
        child = os.fork()
        if child == 0:
            try:
                answers = [ares.call_sync("double", {"a": n}).data for n in range(3)]
                os.write(write, repr(answers).encode())
            finally:
                os._exit(0)
        os.close(write)
        with os.fdopen(read, "rb") as pipe:
            assert pipe.read() == b"[0, 2, 4]"
        os.waitpid(child, 0)
        assert ares.call_sync("double", {"a": 1}).data == 2


def test_an_ares_that_nobody_closed_takes_its_thread_along() -> None:
    ares = made()
    ares.call_sync("double", {"a": 1})
    loop = ares._loop._thread
    assert loop is not None
    assert loop.is_alive()
    del ares
    until = time.monotonic() + 60
    while loop.is_alive() and time.monotonic() < until:
        gc.collect()
        loop.join(0.1)
    assert not loop.is_alive()


def test_a_process_ends_although_a_thread_is_stuck_and_ares_was_not_closed(site: Any) -> None:
    code_ = """
import time
from ares_core import Ares, Effects, Tool
def stuck():
    "Block."
    time.sleep(300)
ares = Ares(plugins=[])
ares.register(Tool.from_function(stuck, timeout=0.1, effects=Effects(read_only=True)))
print(ares.call_sync("stuck").error.code)
"""
    began = time.monotonic()
    run = site.python("-c", code_)
    assert run.stdout.strip() == "timeout", run.stderr
    assert run.stderr == ""
    assert time.monotonic() - began < 100


def test_plugins_clean_up_when_the_process_ends_without_a_close(site: Any) -> None:
    site.install("uses-its-host")
    run = site.python("-c", "import uses_its_host, atexit\natexit.register(lambda: print(uses_its_host.log[-1]))\n"
                            "from ares_core import Ares\nares = Ares(plugins=['uses-its-host'])")  # fmt: skip
    assert run.stdout.strip() == "opened first, closed last", run.stderr

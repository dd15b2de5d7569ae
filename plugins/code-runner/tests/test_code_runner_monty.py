"""Attempts to get out of monty, and what it does with values, output and sleep."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from ares_core import Ares

ESCAPES = {
    "reads_the_environment": "import os\nprint(os.environ)",
    "reads_a_variable": "import os\nprint(os.getenv('CANARY'))",
    "reads_a_private_file": "print(open('@FILE@').read())",
    "reads_a_private_file_by_path": "from pathlib import Path\nprint(Path('@FILE@').read_text())",
    "reads_the_list_of_users": "open('/etc/passwd').read()\nprint('ESC' + 'APED')",
    "writes_outside": "from pathlib import Path\nPath('@FOLDER@/x').write_text('x')",
    "deletes_a_private_file": "from pathlib import Path\nPath('@FILE@').unlink()",
    "lists_a_private_folder": "import os\nprint(os.listdir('@FOLDER@'))",
    "imports_sockets": "import socket\nsocket.create_connection(('127.0.0.1', @PORT@))",
    "imports_processes": "import subprocess\nsubprocess.run(['/bin/sh'])",
    "imports_ctypes": "import ctypes\nctypes.CDLL(None)",
    "imports_what_the_host_has": "import ares_core\nprint('ESC' + 'APED')",
    "imports_by_name": "__import__('os').system('echo x')",
    "calls_the_system": "import os\nos.system('touch @FOLDER@/x')",
    "kills_the_host": "import os, signal\nos.kill(@US@, 9)",
    "forks": "import os\nos.fork()",
    "climbs_the_types": "print([c for c in ().__class__.__mro__[1].__subclasses__()])\nprint('ESC' + 'APED')",
    "looks_into_a_function": "def f(): pass\nprint(f.__globals__['__builtins__'])\nprint('ESC' + 'APED')",
    "looks_up_the_call_stack": "import sys\nprint(sys._getframe().f_back.f_locals)\nprint('ESC' + 'APED')",
    "looks_at_loaded_modules": "import sys\nprint(sys.modules['os'])\nprint('ESC' + 'APED')",
    "evaluates_text": "eval('open(\"@FILE@\").read()')\nprint('ESC' + 'APED')",
    "walks_by_format": "print('{0.__class__.__init__.__globals__}'.format(1))\nprint('ESC' + 'APED')",
}
BOMBS = {
    "runs_for_ever": "while True: pass",
    "runs_for_ever_and_catches_it": "while True:\n  try:\n    while True: pass\n  except BaseException: pass",
    "takes_memory_at_once": "[0] * 10 ** 9",
    "takes_memory_bit_by_bit": "kept = []\nwhile True: kept.append('x' * 1000)",
    "computes_a_tower": "9 ** 9 ** 9",
    "computes_a_factorial": "import math\nmath.factorial(10 ** 7)",
    "writes_a_huge_number": "str(1 << 50_000_000)",
    "pads_without_end": "f\"{'x':>9999999999}\"",
    "repeats_a_text": "'x' * 10 ** 12",
    "recurses_without_end": "def f(): return f()\nf()",
    "nests_parentheses": "(" * 20_000 + ")" * 20_000,
    "nests_lists": "[" * 20_000 + "]" * 20_000,
    "nests_json": "import json\njson.loads('[' * 100_000)",
    "backtracks": "import re\nre.match('(a+)+$', 'a' * 40 + 'b')",
    "sleeps_past_its_time": "import time\ntime.sleep(60)\nprint('ESC' + 'APED')",
    "sleeps_and_catches_it": "import time\nwhile True:\n  try: time.sleep(60)\n  except Exception: pass",
    "sleeps_many_times": "import time\nwhile True: time.sleep(0.001)",
    "sleeps_many_at_once": """
import asyncio
async def f(): await asyncio.gather(*[asyncio.sleep(60) for _ in range(99)])
asyncio.run(f())
""",
    "floods_the_output": "while True: print('x' * 10_000)",
    "prints_one_huge_line": "print('x' * 20_000_000)",
    "gives_a_shared_value": "a = [0] * 1000\nfor _ in range(6): a = [a] * 1000\na",
    "gives_a_value_that_holds_itself": "a = []\na.append(a)\na",
    "gives_a_deep_value": "a = []\nfor _ in range(200_000): a = [a]\na",
    "gives_a_wide_value": "list(range(300_000))",
    "gives_a_long_text": "'x' * 10_000_000",
    "gives_a_huge_number": "1 << 10_000_000",
}


@pytest.mark.parametrize("code", ESCAPES.values(), ids=ESCAPES)
def test_no_attempt_gets_out(attempt: Any, code: str) -> None:
    attempt("monty", code)


@pytest.mark.parametrize("code", BOMBS.values(), ids=BOMBS)
def test_no_bomb_takes_long_or_much(attempt: Any, code: str) -> None:
    attempt("monty", code)


def test_a_run_that_takes_too_long_is_stopped_and_says_so(attempt: Any) -> None:
    result = attempt("monty", "print('so far')\nwhile True: pass")
    assert "stopped after 1.2 s" in result.text
    assert "code_runner.seconds" in result.error.message
    assert result.data["stdout"] == "so far\n"


def test_a_flood_of_output_is_cut_and_stopped(attempt: Any) -> None:
    result = attempt("monty", "while True: print('x' * 1000)")
    assert len(result.data["stdout"]) <= 65_536
    assert result.data["truncated"]["stdout"] is True


@pytest.mark.parametrize(
    ("code", "value"),
    [
        ("6 * 7", 42), ("'a' + 'b'", "ab"), ("1 / 4", 0.25), ("[1, (2, 3)]", [1, [2, 3]]),
        ("{'a': {1: None}}", {"a": {"1": None}}),
        ("x = 1", None), ("True", True), ("float('inf')", "inf"), ("2 ** 100", 2**100), ("b'ab'", "b'ab'"),
        ("from decimal import Decimal\nDecimal('0.1') + Decimal('0.2')", "0.3"),
        ("import datetime\ndatetime.date(2024, 2, 29)", "2024-02-29"),
    ],
)  # fmt: skip
def test_the_value_of_the_last_expression_comes_back(attempt: Any, code: str, value: Any) -> None:
    result = attempt("monty", code, patient=True)
    assert result.success
    assert result.data["value"] == value
    assert result.data["truncated"]["value"] is False


def test_a_short_sleep_is_slept(attempt: Any) -> None:
    result = attempt(
        "monty", "import time\nstarted = time.time()\ntime.sleep(0.2)\ntime.time() - started", patient=True
    )
    assert result.data["value"] > 0.15


def test_what_monty_does_not_know_is_pointed_to_the_other_engine(attempt: Any) -> None:
    for code in ("import statistics", "class B(int): pass", "def f():\n  yield 1"):
        assert "'cpython'" in attempt("monty", code, patient=True).error.message


def test_a_traceback_names_the_line(attempt: Any) -> None:
    result = attempt("monty", "def f(x):\n  return 1 / x\nprint('before')\nf(0)", patient=True)
    assert result.error.message == "The code raised ZeroDivisionError: division by zero."
    assert "line 2, in f" in result.data["stderr"]
    assert result.data["stdout"] == "before\n"


def workers() -> list[int]:
    """Give the processes of monty that this process has started."""
    found = []
    for file in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            name, _, rest = file.read_text().partition(") ")
            if name.endswith("(monty") and rest.split()[1] == str(os.getpid()):
                found.append(int(file.parent.name))
    return found


@pytest.mark.parametrize("code", ["while True: pass", "import time\nwhile True: time.sleep(60)"])
def test_a_cancelled_call_ends_monty_at_once(code: str) -> None:
    patient = Ares(plugins=["code-runner"], config={"code_runner": {"enabled": True, "seconds": 60}})

    async def until(is_so: Callable[[], bool]) -> bool:
        for _ in range(6_000):
            if is_so():
                return True
            await asyncio.sleep(0.01)
        return False

    async def cancel() -> bool:
        call = asyncio.ensure_future(patient.call("code_runner", {"language": "python", "code": code}))
        was_seen = await until(lambda: bool(workers()) or sys.platform != "linux")
        call.cancel()
        await asyncio.gather(call, return_exceptions=True)
        return was_seen and await until(lambda: not workers())

    with patient:
        assert asyncio.run(cancel())

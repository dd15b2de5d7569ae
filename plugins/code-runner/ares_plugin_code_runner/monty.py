"""The engine monty: an interpreter of Python that has no files, no network and no processes to begin with.

It runs in a process of its own, which bounds its memory and time, and is gone after the snippet.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from ares_core import ToolError
from ares_plugin_code_runner.ran import FASTER, MOST_OUTPUT, Ran, kept, too_slow
from ares_plugin_code_runner.settings import Settings

if TYPE_CHECKING:
    import pydantic_monty

MOST_MEMORY = 64_000_000
"""A value may be as large as the memory of the snippet, and it comes into our own process."""
LEAST_SECONDS = 0.05
GRACE = 0.1
MOST_VALUE = 100_000
"""Characters and items of a value that are given."""
DEEPEST = 40
LONGEST_INTEGER = 14_000
"""Bits; Python writes up to 4,300 digits."""
OVER = ("time limit exceeded", "sleep limit exceeded")
PARTIAL = "monty knows only a part of Python; the engine cpython knows all of it, where the system can isolate it."


def run(code: str, until: float, settings: Settings) -> Ran:
    """Run a snippet; the value of its last expression comes back."""
    import pydantic_monty as library

    printed = library.CollectStreams(max_bytes=MOST_OUTPUT)
    ran = Ran("monty", isolation=("monty",))
    try:
        value = _feed(library, code, until, settings, printed)
        ran.value, ran.is_cut["value"] = _Plain().of(value)
    except library.MontyError as error:
        _explain(ran, error, settings)
    except OSError as error:
        raise ToolError(
            f"the engine monty can't be started ({error}); nothing was run",
            hint="Let the operator install the package pydantic-monty anew.",
            blame="world",
        ) from error
    _print(ran, printed.output, settings.output_kb * 1024)
    return ran

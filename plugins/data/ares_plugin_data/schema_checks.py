"""JSON Schema, checked by jsonschema-rs: offline, and in a process of its own where it could take long.

A schema that comes with a call may be made to hurt: references can double the work at each level, and the engine is
native code that can't be interrupted. So only small schemas without references and heavy patterns are checked here; for
all others a child process is started, limited and, if need be, killed.
"""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Awaitable
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from ares_core import ToolError

if TYPE_CHECKING:
    from asyncio.subprocess import Process

START_SECONDS = 20.0
SECONDS = 1.5
"""How long a check may take; its clock starts when the child begins, however long a busy machine took to start it."""
MOST_LISTED = 100
MOST_COUNTED = 1_000
SMALL = 20_000
MOST_PATTERNS = 20
REFERENCES = ("$ref", "$dynamicRef", "$recursiveRef")
HEAVY = re.compile(r"\\[pP]|\{\d{3}")
ENGINE = os.path.join(os.path.dirname(__file__), "schema_engine.py")
"""What the child runs: this one file, without the core, which would take longer to import than most checks."""


def check_schema(schema: Any, value: Any) -> dict[str, Any] | Awaitable[dict[str, Any]]:
    """Give the verdict on a value, with the place, the keyword and the words of each fault; perhaps to be awaited."""
    if not isinstance(schema, dict | bool):
        raise _refusal("a schema is an object, true or false", 'such as {"type": "object", "required": ["name"]}')
    written = json.dumps([schema, value], default=float)
    if len(written) <= SMALL and is_tame(schema):
        from ares_plugin_data.schema_engine import faults

        return _verdict(faults(*json.loads(written)))
    return _in_a_child(written)


def is_tame(schema: Any) -> bool:
    """Whether checking takes a time that is bounded by the sizes of schema and value.

    >>> is_tame({"type": "object"}), is_tame({"$ref": "#/$defs/a"})
    (True, False)
    """
    patterns = 0
    waiting = [schema]
    while waiting:
        part = waiting.pop()
        if isinstance(part, dict):
            if any(name in part for name in REFERENCES):
                return False
            own = [part.get("pattern"), *(part.get("patternProperties") or ())]
            texts = [text for text in own if isinstance(text, str)]
            patterns += len(texts)
            if patterns > MOST_PATTERNS or any(len(text) > 200 or HEAVY.search(text) for text in texts):
                return False
            waiting += part.values()
        elif isinstance(part, list):
            waiting += part
    return True


async def _in_a_child(written: str) -> dict[str, Any]:
    import asyncio

    pipe = asyncio.subprocess.PIPE
    job = json.dumps({"path": [path for path in sys.path if path], "job": written}).encode()
    try:
        child = await asyncio.create_subprocess_exec(
            sys.executable, "-I", ENGINE, stdin=pipe, stdout=pipe, stderr=asyncio.subprocess.DEVNULL
        )
    except OSError as error:
        raise ToolError(f"no process for the check could be started: {error}; nothing was decided") from None
    try:
        await _begins(child, job)
        answer, _ = await asyncio.wait_for(child.communicate(), SECONDS)
    except TimeoutError:
        raise _refusal(f"checking took more than {SECONDS:g} seconds and was given up", _SIMPLER) from None
    finally:
        if child.returncode is None:
            child.kill()
            await child.wait()
    if child.returncode != 0:
        raise _refusal("checking ended early: it needed too much memory or time", _SIMPLER)
    return _verdict(json.loads(answer))


async def _begins(child: Process, job: bytes) -> None:
    """Hand the child its job, and wait for the empty line that it writes before it checks."""
    import asyncio

    if child.stdin is None or child.stdout is None:
        return
    with suppress(BrokenPipeError, ConnectionResetError):
        child.stdin.write(job)
        await child.stdin.drain()
        child.stdin.write_eof()
    try:
        await asyncio.wait_for(child.stdout.readline(), START_SECONDS)
    except TimeoutError:
        message = f"the process for the check did not begin within {START_SECONDS:g} seconds; nothing was decided"
        raise ToolError(message, retriable=True, blame="world") from None


_SIMPLER = "use a smaller schema, with fewer references to one and the same place, or a part of the data"


def _verdict(found: dict[str, Any]) -> dict[str, Any]:
    if "no_schema" in found:
        raise _refusal(f"the schema can't be used: {found['no_schema']}", "correct the schema")
    faults = found["faults"]
    if not faults:
        return {"valid": True, "count": 0, "errors": []}
    count = min(len(faults), MOST_COUNTED)
    shown = "; ".join(f"{fault['pointer'] or 'the value'}: {fault['message']}" for fault in faults[:3])
    rest = f" (and {count - 3:,} more)" if count > 3 else ""
    listed = {"count": count, "errors": faults[:MOST_LISTED], "complete": found["complete"]}
    return {"valid": False, "error": f"{shown}{rest}", **listed}


def _refusal(message: str, hint: str) -> ToolError:
    return ToolError(f"{message}; nothing was decided", hint=hint, blame="input")

"""The work that everything is measured on: one tool, four fields, an OpenAI-style call in, a tool message out.

The floor is what nobody can leave out: read the arguments, check them with the compiled schema, run the tool, write
its result.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "expression": {"type": "string", "minLength": 1, "description": "What is computed."},
        "mode": {"type": "string", "enum": ["fast", "exact", "approx"], "description": "How to compute it."},
        "values": {"type": "array", "items": {"type": "number"}, "description": "The numbers to add."},
        "precision": {"type": "integer", "minimum": 0, "maximum": 12, "default": 2, "description": "Digits kept."},
    },
    "required": ["expression", "mode", "values"],
    "additionalProperties": False,
}
GOOD = json.dumps({"expression": "sum of values", "mode": "fast", "values": [1, 2, 3.5, 4]})
BAD = json.dumps({"expression": "sum of values", "mode": "quick", "values": [1, 2, 3.5, 4]})
ANSWER = {"result": 10.5, "mode": "fast"}


async def trivial(expression: str, mode: str, values: list[float], precision: int = 2) -> dict[str, Any]:
    """Add the values."""
    return {"result": round(sum(values), precision), "mode": mode}


async def sleeper(expression: str, mode: str, values: list[float], precision: int = 2) -> dict[str, Any]:
    """Add the values after a wait of a millisecond."""
    await asyncio.sleep(0.001)
    return {"result": round(sum(values), precision), "mode": mode}


def blocker(expression: str, mode: str, values: list[float], precision: int = 2) -> dict[str, Any]:
    """Add the values after blocking for ten milliseconds."""
    time.sleep(0.010)
    return {"result": round(sum(values), precision), "mode": mode}


FUNCTIONS: dict[str, Callable[..., Any]] = {"trivial": trivial, "sleeper": sleeper, "blocker": blocker}


def wire_call(name: str, arguments: str = GOOD, number: int = 1) -> dict[str, Any]:
    """Give a call as OpenAI's chat format has it."""
    return {"id": f"call_{number}", "type": "function", "function": {"name": name, "arguments": arguments}}


def floor() -> tuple[Callable[[dict[str, Any]], Awaitable[Any]], Callable[[list[Any]], Awaitable[Any]]]:
    """Make the hand-written dispatcher, for one call and for a turn."""
    import jsonschema_rs

    validate = jsonschema_rs.validator_for(SCHEMA).validate
    pool = ThreadPoolExecutor(64)

    def arguments_of(call: dict[str, Any]) -> dict[str, Any]:
        arguments: dict[str, Any] = json.loads(call["function"]["arguments"])
        validate(arguments)
        return {"precision": 2, **arguments}

    def message(call: dict[str, Any], data: Any) -> dict[str, Any]:
        return {"role": "tool", "tool_call_id": call["id"], "content": json.dumps(data)}

    async def one(call: dict[str, Any]) -> dict[str, Any]:
        function = FUNCTIONS[call["function"]["name"]]
        if function is blocker:
            loop = asyncio.get_running_loop()
            return message(call, await loop.run_in_executor(pool, lambda: function(**arguments_of(call))))
        return message(call, await function(**arguments_of(call)))

    async def turn(calls: list[dict[str, Any]]) -> list[Any]:
        return await asyncio.gather(*[one(call) for call in calls])

    return one, turn

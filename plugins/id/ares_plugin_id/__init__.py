"""The tool ``id_generator``: identifiers from the operating system's randomness."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ares_core import Capability, Effects, Result, Tool, ToolContext, hookimpl

MOST = 1000
LONGEST = 128
PARAMETERS: dict[str, Any] = {
    "type": "object",
    "properties": {
        "operation": {
            "type": "string",
            "enum": ["generate_uuid", "generate_short_id"],
            "description": "Which family; 'type' says it more exactly and suffices.",
        },
        "type": {
            "type": "string",
            "enum": ["uuid4", "uuid7", "ulid", "short", "nanoid"],
            "description": "uuid4 (if left out): random; uuid7 and ulid: sort in the order in which they were made; "
            "short: 8 hexadecimal digits, only for small sets; nanoid: 21 URL-safe characters.",
        },
        "count": {
            "type": "integer",
            "minimum": 1,
            "maximum": MOST,
            "description": "How many, all different; 1 if left out.",
        },
        "length": {
            "type": "integer",
            "minimum": 1,
            "maximum": LONGEST,
            "description": "For short and nanoid: how many characters.",
        },
        "alphabet": {
            "type": "string",
            "minLength": 2,
            "maxLength": 256,
            "description": "For short and nanoid: the characters to choose from, each once.",
        },
    },
    "additionalProperties": False,
}
EXAMPLES: tuple[dict[str, Any], ...] = (
    {},
    {"type": "uuid7", "count": 3},
    {"operation": "generate_short_id"},
    {"type": "nanoid", "length": 12, "alphabet": "23456789abcdefghjkmnpqrstuvwxyz"},
)


async def execute(arguments: Mapping[str, Any], context: ToolContext) -> dict[str, Any]:
    """Make the identifiers; they are few and short enough not to need a thread."""
    from ares_plugin_id.generators import generate

    return generate(arguments)


@hookimpl
def register_tools() -> list[Tool]:
    """Bring ``id_generator``."""
    return [
        Tool(
            "id_generator",
            f"Make up to {MOST} new unique identifiers: UUID version 4 or 7, ULID, or short ids of a chosen alphabet "
            "and length.",
            PARAMETERS,
            execute,
            capabilities=("IDGeneration",),
            effects=Effects(read_only=True, destructive=False, idempotent=False, open_world=False),
            examples=EXAMPLES,
            cost=1,
            latency_ms=1,
        )
    ]


@hookimpl
def declare_capabilities() -> list[Capability]:
    """Declare the making of identifiers: from nothing."""
    aliases = ("uuid", "guid", "ulid", "nanoid", "unique id", "identifier", "唯一标识", "标识符")
    return [Capability("IDGeneration", aliases=aliases, inputs=("None",), outputs=("Identifier",))]


@hookimpl
def format_result(result: Result) -> str | None:
    """Give the identifiers, one to a line."""
    return "\n".join(result.data["ids"]) if result.success and "ids" in result.data else None

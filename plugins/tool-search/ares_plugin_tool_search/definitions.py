"""What a model is told of the three tools. It stays the same whatever there is to be found: providers keep prompts."""

from __future__ import annotations

from typing import Any

LONGEST_QUERY = 2000
SEARCH: tuple[str, dict[str, Any]] = (
    "Find tools by what they do, in English or Chinese. Many tools are not listed here: before you say that something "
    "can't be done, look for a tool that does it. Gives names, parameters and what they do, the likeliest first; call "
    "one with tool_call.",
    {
        "type": "object",
        "properties": {
            "query": {
                "type": "string",
                "minLength": 1,
                "maxLength": LONGEST_QUERY,
                "description": "What the tool should do, in a few words.",
            },
            "limit": {"type": "integer", "minimum": 1, "maximum": 20, "description": "How many to give at most."},
        },
        "required": ["query"],
        "additionalProperties": False,
    },
)
DESCRIBE: tuple[str, dict[str, Any]] = (
    "Show everything about one tool: its description, the JSON Schema of its parameters, examples.",
    {
        "type": "object",
        "properties": {
            "name": {
                "type": "string",
                "minLength": 1,
                "maxLength": 256,
                "description": "The name, as tool_search gives it.",
            }
        },
        "required": ["name"],
        "additionalProperties": False,
    },
)
CALL: tuple[str, dict[str, Any]] = (
    "Call a tool that is not listed here, with the name and parameters that tool_search gives.",
    {
        "type": "object",
        "properties": {
            "name": {"type": "string", "minLength": 1, "description": "The name, as tool_search gives it."},
            "arguments": {"type": ["object", "string"], "description": "Its arguments, in an object."},
        },
        "required": ["name"],
        "additionalProperties": False,
    },
)

"""What the tool takes."""

from __future__ import annotations

from typing import Any

LONGEST = 32_000
MOST = 128


def _text(description: str) -> dict[str, Any]:
    return {"type": "string", "minLength": 1, "maxLength": LONGEST, "description": description}


def _only(operation: str, needs: str) -> dict[str, Any]:
    only = {"properties": {"operation": {"const": operation}}, "required": ["operation"]}
    return {"if": only, "then": {"required": [needs]}}


PARAMETERS: dict[str, Any] = {
    "type": "object",
    "properties": {
        "operation": {
            "type": "string",
            "enum": ["embed", "embed_batch", "similarity"],
            "description": "embed: the vector of 'text'; embed_batch: the vectors of 'texts', in order; similarity: "
            "how near 'text' is to 'other', or to each of 'texts', from -1 to 1 (two 'texts' alone are a pair too).",
        },
        "text": _text("For embed and similarity: the text."),
        "texts": {
            "type": "array",
            "items": {"type": "string", "minLength": 1, "maxLength": LONGEST},
            "minItems": 1,
            "maxItems": MOST,
            "description": "For embed_batch: the texts. For similarity: what 'text' is compared with.",
        },
        "other": _text("For similarity: the text to compare with."),
        "kind": {
            "type": "string",
            "enum": ["query", "passage"],
            "description": "What the texts are, for models that tell questions from documents: query (if left out) "
            "for questions and for comparing like with like; passage for documents that are searched (if left out, "
            "so are 'texts' that 'text' is compared with).",
        },
    },
    "required": ["operation"],
    **_only("embed", "text"),
    "else": _only("embed_batch", "texts"),
    "additionalProperties": False,
}
EXAMPLES: tuple[dict[str, Any], ...] = (
    {"operation": "similarity", "text": "How do I change a tyre?", "other": "Replacing a wheel of a car"},
    {"operation": "embed", "text": "a parrot"},
    {"operation": "embed_batch", "texts": ["a parrot", "一只鹦鹉"], "kind": "passage"},
)

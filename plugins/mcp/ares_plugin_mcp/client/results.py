"""What a tool of a server gave, as data and as text for a model."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Any

import msgspec
from mcp_types import CallToolResult

from ares_core import Failure, Result, SchemaError, compile_schema, counted

PLACES = {"image": "image", "audio": "audio"}


def result_of(tool: str, answer: CallToolResult) -> Any:
    """Give the structured data if there is any, else the text; and everything else beside it."""
    blocks = [_plain_block(block) for block in answer.content]
    structured = answer.structured_content
    text = text_of(blocks, structured)
    if answer.is_error:
        message = text or f"{tool!r} says that it failed, without a word why."
        return Result(False, None, Failure("tool_error", message, blame="tool"))
    data = structured if structured is not None else _plain(blocks, text)
    media = [block for block in blocks if block["type"] != "text"]
    metadata: dict[str, Any] = {"content": media} if media else {}
    if pictures := [_picture(block) for block in media if block["type"] == "image"]:
        metadata["images"] = pictures  # as provider formats take them
    return Result(True, data, text=text, metadata=metadata)


def misfit(answer: CallToolResult, schema: dict[str, Any]) -> str | None:
    """Say how an answer does not fit the tool's output schema; it is used all the same, for the tool has run."""
    if answer.is_error:
        return None
    if answer.structured_content is None:
        return "its answer has no structured content, although it has an output schema"
    checker = _checker(msgspec.json.encode(schema))
    if checker is None:
        return "its output schema can't be used"
    if checker.is_valid(answer.structured_content):
        return None
    return f"its answer does not fit its output schema: {checker.issues(answer.structured_content)[0]!s:.300}"


@lru_cache(maxsize=256)
def _checker(schema: bytes) -> Any:
    """Make what checks answers, as arguments are checked: no pattern and no reference can make it run for ever."""
    try:
        return compile_schema(msgspec.json.decode(schema), tool="output")
    except (SchemaError, ValueError, RecursionError):
        return None


def _picture(block: dict[str, Any]) -> dict[str, Any]:
    return {"media_type": block.get("mimeType", ""), "data": block.get("data", "")}


def _plain_block(block: Any) -> dict[str, Any]:
    if block.type == "text":
        return {"type": "text", "text": block.text}
    dumped: dict[str, Any] = block.model_dump(mode="json", by_alias=True, exclude_none=True)
    return dumped


def text_of(blocks: list[dict[str, Any]], structured: Any) -> str:
    """Write content for a model, in order; media and binary data are named, never written out.

    Structured data that the text says too is not said twice.
    """
    text = "\n".join(filter(None, map(_words, blocks)))
    if structured is None or text and structured == {} or _says_the_same(text, structured):
        return text
    bare = structured["result"] if isinstance(structured, dict) and list(structured) == ["result"] else structured
    if _says_the_same(text, bare) or text == str(bare) or _says_each(blocks, bare):
        return text
    written = bare if isinstance(bare, str) else msgspec.json.encode(bare).decode()
    return f"{text}\n{written}" if text else written


def _plain(blocks: list[dict[str, Any]], text: str) -> Any:
    if any(block["type"] != "text" for block in blocks):
        return {"text": text, "content": [_without_bulk(block) for block in blocks]}
    return text if blocks else None


def _without_bulk(block: dict[str, Any]) -> dict[str, Any]:
    """Give a block without its base64, which the metadata holds."""
    slim = {key: value for key, value in block.items() if key != "data"}
    if isinstance(slim.get("resource"), dict):
        slim["resource"] = {key: value for key, value in slim["resource"].items() if key != "blob"}
    return slim


def _words(block: dict[str, Any]) -> str:
    kind = block["type"]
    if kind == "text":
        return str(block["text"])
    if kind in PLACES:
        return f"[{kind} {block.get('mimeType', '')} {counted(_size(block.get('data', '')), 'byte')}]"
    if kind == "resource_link":
        return f"[link to {block.get('name', '')!s}: {block['uri']}]"
    return "\n".join(_resource(block["resource"]))


def _resource(resource: dict[str, Any]) -> Iterator[str]:
    if "text" in resource:
        yield str(resource["text"])
    else:
        kind = resource.get("mimeType", "unknown type")
        yield f"[binary resource {resource['uri']}, {kind}, {counted(_size(resource.get('blob', '')), 'byte')}]"


def _size(base64: str) -> int:
    return len(base64) * 3 // 4 - base64[-2:].count("=")


def _says_each(blocks: list[dict[str, Any]], values: Any) -> bool:
    """Whether each block is the text of one of several values."""
    if not isinstance(values, list) or len(values) != len(blocks):
        return False
    pairs = list(zip(map(_words, blocks), values, strict=True))
    return all(text == value if isinstance(value, str) else _says_the_same(text, value) for text, value in pairs)


def _says_the_same(text: str, value: Any) -> bool:
    try:
        return bool(msgspec.json.decode(text) == value)
    except msgspec.DecodeError:
        return False

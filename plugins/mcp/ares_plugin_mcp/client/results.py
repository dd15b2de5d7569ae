"""What a tool of a server gave, as data and as text for a model."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec
from mcp_types import CallToolResult

from ares_core import Failure, Result

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
    if structured is None or _says_the_same(text, structured):
        return text
    bare = structured["result"] if isinstance(structured, dict) and list(structured) == ["result"] else structured
    if _says_the_same(text, bare) or isinstance(bare, str) and bare == text:
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
        return f"[{kind} {block.get('mimeType', '')} {_size(block.get('data', ''))} bytes]"
    if kind == "resource_link":
        return f"[link to {block.get('name', '')!s}: {block['uri']}]"
    return "\n".join(_resource(block["resource"]))


def _resource(resource: dict[str, Any]) -> Iterator[str]:
    if "text" in resource:
        yield str(resource["text"])
    else:
        kind = resource.get("mimeType", "unknown type")
        yield f"[binary resource {resource['uri']}, {kind}, {_size(resource.get('blob', ''))} bytes]"


def _size(base64: str) -> int:
    return len(base64) * 3 // 4 - base64[-2:].count("=")


def _says_the_same(text: str, value: Any) -> bool:
    try:
        return bool(msgspec.json.decode(text) == value)
    except msgspec.DecodeError:
        return False

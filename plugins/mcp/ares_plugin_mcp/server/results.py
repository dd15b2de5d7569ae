"""What became of a call, as MCP says it: text, structured content, media, and what went wrong."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec
from mcp_types import AudioContent, CallToolResult, ContentBlock, ImageContent, TextContent
from pydantic import TypeAdapter, ValidationError

from ares_core import Ares, Result, Scoped, Tool
from ares_plugin_mcp.server.listing import WRAPPED, is_object

FIGURES = 4
"""Bytes for each token that a text may have: structured content is left out beyond what a model could read."""
BLOCK: TypeAdapter[Any] = TypeAdapter(ContentBlock)


def answer_of(door: Ares | Scoped, result: Result, tool: Tool | None) -> CallToolResult:
    """Give a client's answer; failures are answers too, so that a model can read what to do next."""
    text: list[ContentBlock] = [TextContent(text=result.text)] if result.text or not result.success else []
    content = [*text, *media(result.metadata)] or [TextContent(text="")]
    structured = structured_content(door, result, tool) if result.success else None
    about = notes(result) | ({"ares/trust": "none"} if structured is not None and _is_from_outside(result) else {})
    return CallToolResult(
        content=content, structured_content=structured, is_error=not result.success, _meta=about or None
    )


def _is_from_outside(result: Result) -> bool:
    """Whether the text is framed as data that nobody vouches for; structured content has no room for a frame."""
    effects = None if result.call is None else result.call.effects
    return effects is not None and effects.open_world


def structured_content(door: Ares | Scoped, result: Result, tool: Tool | None) -> dict[str, Any] | None:
    """Give the data without secrets, as an object.

    A tool with an output schema always gives it. Otherwise it is left out where the text was too long for a model, and
    where the arguments hold secrets that only the text is searched for.
    """
    schema = None if tool is None else tool.output_schema
    if schema is None and (result.data is None or tool is not None and _takes_secrets(tool)):
        return None
    try:
        written = msgspec.json.encode(door.ares.runner.redactor.data(result.data))
        if schema is None and len(written) > FIGURES * door.ares.settings.results.max_tokens:
            return None
        data = msgspec.json.decode(written)
    except Exception:  # what can't be shown without secrets, or has no JSON form, is not shown
        return None
    as_it_is = isinstance(data, dict) if schema is None else is_object(schema)
    return data if as_it_is else {WRAPPED: data}


def _takes_secrets(tool: Tool) -> bool:
    written = msgspec.json.encode(tool.parameters)
    return b'"writeOnly":true' in written or b'"format":"password"' in written


def media(metadata: Mapping[str, Any]) -> Iterator[ContentBlock]:
    """Give images, audio, resources and links of a result.

    ``metadata["content"]`` holds blocks as MCP has them, ``metadata["images"]`` pairs of ``media_type`` and ``data``.
    """
    blocks = metadata.get("content")
    for block in blocks if isinstance(blocks, list | tuple) else ():
        try:
            yield BLOCK.validate_python(block, by_name=False)
        except ValidationError:
            yield TextContent(text="(content of an unknown kind is left out)")
    if not blocks:
        images = metadata.get("images")
        yield from filter(None, map(_picture, images if isinstance(images, list | tuple) else ()))


def _picture(image: Any) -> ImageContent | AudioContent | None:
    if not isinstance(image, Mapping):
        return None
    kind, data = image.get("media_type"), image.get("data")
    if not isinstance(kind, str) or not isinstance(data, str):
        return None
    return (AudioContent if kind.startswith("audio/") else ImageContent)(data=data, mime_type=kind)


def notes(result: Result) -> dict[str, Any]:
    """Give what a program may want to know beside the text: the failure's code and issues, and what was repaired."""
    found: dict[str, Any] = {}
    if result.error is not None:
        issues = [{"pointer": issue.pointer, "keyword": issue.keyword} for issue in result.error.issues[:100]]
        found["ares/error"] = {"code": result.error.code, "retriable": result.error.retriable, "issues": issues}
    if repairs := [edit for edit in result.edits if edit.rule != "default"]:
        found["ares/repaired"] = [{"pointer": edit.pointer, "rule": edit.rule} for edit in repairs[:100]]
    return found

"""What a tool gave, made fit to be read: a part that is not as it should be must not cost the others."""

from __future__ import annotations

from collections.abc import Callable
from itertools import groupby
from typing import Any

import msgspec

from ares_core import counted

MIME_KEYS = ("mimeType", "mime_type", "mediaType", "media_type")
BEGINNINGS = {
    "iVBOR": "image/png", "/9j/": "image/jpeg", "R0lGOD": "image/gif", "UklGR": "image/webp", "PHN2Z": "image/svg+xml",
}  # fmt: skip
"""How the base64 of a picture begins that comes without its type."""
UNKNOWN = "application/octet-stream"
TOOL_PARTS = frozenset({"content", "structuredContent", "isError", "_meta", "resultType", "task"})
ROLES = ("user", "assistant")
BARE = {"type", "text"}
MOST_PARTS = 10_000
"""How many parts of one answer are taken in: all servers share one loop, and none may hold it up."""


def mend_answer(result: dict[str, Any]) -> None:
    """Mend the result of a call in place.

    >>> result = {"structuredContent": [1, 2], "isError": None}
    >>> mend_answer(result)
    >>> result
    {'structuredContent': {'result': [1, 2]}, 'content': []}
    """
    _mend_flags(result)
    structured = result.get("structuredContent")
    if structured is None:
        result.pop("structuredContent", None)
    elif not isinstance(structured, dict):
        result["structuredContent"] = {"result": structured}
    content = result.get("content")
    if content is None and result.get("resultType") != "input_required":
        content = _loose(result) if "structuredContent" not in result else []
    if content is not None:
        blocks = content if isinstance(content, list) else [content]
        result["content"] = [mend_block(block) for block in blocks]


def bound_lists(result: dict[str, Any], note: Callable[[str], None]) -> None:
    """Cut an answer that has too many parts in place; texts that follow each other become one before any is left out.

    >>> result = {"content": [{"type": "text", "text": "x"}] * 20_000}
    >>> bound_lists(result, print)
    >>> len(result["content"]), len(result["content"][0]["text"])
    (1, 39999)
    """
    for name, word in _LISTS.items():
        parts = result.get(name)
        if not isinstance(parts, list) or len(parts) <= MOST_PARTS:
            continue
        parts = _joined(parts) if name == "content" else parts
        if left := len(parts[MOST_PARTS:]):
            gone = f"{counted(left, 'part')} of the answer's {name} {'is' if left == 1 else 'are'} left out"
            said = f"{gone}; it may have {MOST_PARTS:,}"
            note(said)
            parts = [*parts[:MOST_PARTS], *word(f"[{said}]")]
        result[name] = parts


def _joined(parts: list[Any]) -> list[Any]:
    """Join bare texts that follow each other: as text for a model they are the same."""
    joined: list[Any] = []
    for is_text, group in groupby(parts, _is_bare_text):
        run = list(group)
        joined += [_words("\n".join(filter(None, map(_bare_text, run))))] if is_text else run
    return joined


def _is_bare_text(part: Any) -> bool:
    if not isinstance(part, dict):
        return isinstance(part, str)
    return part.keys() == BARE and part["type"] == "text" and isinstance(part["text"], str)


def _bare_text(part: Any) -> str:
    return str(part if isinstance(part, str) else part["text"])


def _mend_flags(result: dict[str, Any]) -> None:
    failed = result.get("isError")
    if isinstance(failed, str):
        result["isError"] = failed.strip().lower() in ("true", "1", "yes")
    elif failed is not None:
        result["isError"] = bool(failed)
    else:
        result.pop("isError", None)
    if not isinstance(result.get("_meta", {}), dict):
        del result["_meta"]


def _loose(result: dict[str, Any]) -> list[Any]:
    """Give what stands where the content should: data right in the result, as old servers sent it."""
    loose = {key: value for key, value in result.items() if key not in TOOL_PARTS}
    if list(loose) == ["toolResult"]:
        return [loose["toolResult"]]
    return [loose] if loose else []


def mend_block(block: Any) -> dict[str, Any]:
    """Give a block of content as it should be; one that can't be mended is named.

    >>> mend_block({"type": "image", "data": "iVBORw0="})
    {'type': 'image', 'data': 'iVBORw0=', 'mimeType': 'image/png'}
    """
    if isinstance(block, str):
        return _words(block)
    kind = block.get("type") if isinstance(block, dict) else None
    if not isinstance(block, dict) or kind is None and isinstance(block.get("text"), str):
        return _words(block["text"] if isinstance(block, dict) else _text(block))
    mended = _KINDS[kind](block) if isinstance(kind, str) and kind in _KINDS else None
    if mended is None and kind is None:
        return _words(_text(block))
    return mended or _words(f"[unsupported content: {kind!s:.60}]")


def _words(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}


def _text_block(block: dict[str, Any]) -> dict[str, Any]:
    text = block.get("text")
    return _common(block) | _words(text if isinstance(text, str) else "" if text is None else _text(text))


def _media(block: dict[str, Any]) -> dict[str, Any]:
    data = block.get("data")
    if not isinstance(data, str):
        return _words(f"[{block['type']} without data]")
    kind = next((block[key] for key in MIME_KEYS if isinstance(block.get(key), str)), "")
    if data.startswith("data:"):
        head, _, data = data.partition(",")
        kind = kind or head[5:].partition(";")[0]
    kind = kind or next((kind for start, kind in BEGINNINGS.items() if data.startswith(start)), UNKNOWN)
    return {"type": block["type"], "data": data, "mimeType": kind, **_common(block)}


def _resource(block: dict[str, Any]) -> dict[str, Any] | None:
    given = block.get("resource")
    if not isinstance(given, dict):
        return None
    uri = given["uri"] if isinstance(given.get("uri"), str) else ""
    made = {"uri": uri, **_texts(given, "mimeType"), **_common(given)}
    if isinstance(given.get("blob"), str):
        made["blob"] = given["blob"]
    elif given.get("text") is not None:
        made["text"] = given["text"] if isinstance(given["text"], str) else _text(given["text"])
    else:
        return _words(f"[resource {uri} without content]")
    return {"type": "resource", "resource": made, **_common(block)}


def _link(block: dict[str, Any]) -> dict[str, Any] | None:
    uri = block.get("uri")
    if not isinstance(uri, str):
        return None
    made = {
        "type": "resource_link",
        "uri": uri,
        "name": uri,
        **_texts(block, "name", "title", "description", "mimeType"),
    }
    if isinstance(block.get("size"), int):
        made["size"] = block["size"]
    return made | _common(block)


def _common(block: dict[str, Any]) -> dict[str, Any]:
    """Give what every block may have beside its content, as far as it is sound."""
    made: dict[str, Any] = {}
    if isinstance(block.get("_meta"), dict):
        made["_meta"] = block["_meta"]
    notes = block.get("annotations")
    if isinstance(notes, dict) and (sound := _annotations(notes)):
        made["annotations"] = sound
    return made


def _annotations(notes: dict[str, Any]) -> dict[str, Any]:
    sound = _texts(notes, "lastModified")
    audience, priority = notes.get("audience"), notes.get("priority")
    if isinstance(audience, list) and all(role in ROLES for role in audience):
        sound["audience"] = audience
    if isinstance(priority, int | float) and 0 <= priority <= 1:
        sound["priority"] = priority
    return sound


def _texts(given: dict[str, Any], *keys: str) -> dict[str, Any]:
    return {key: given[key] for key in keys if isinstance(given.get(key), str)}


def _text(value: Any) -> str:
    try:
        return msgspec.json.encode(value).decode()
    except (ValueError, RecursionError):
        return f"[{type(value).__name__} that can't be written]"


_KINDS = {"text": _text_block, "image": _media, "audio": _media, "resource": _resource, "resource_link": _link}

_LISTS: dict[str, Callable[[str], list[Any]]] = {
    "content": lambda text: [_words(text)],
    "contents": lambda text: [{"uri": "", "text": text}],
    "messages": lambda text: [{"role": "user", "content": _words(text)}],
    **dict.fromkeys(("prompts", "resources", "resourceTemplates"), lambda text: []),
}
"""The lists of answers, each with a part that says in it what was left out, where there is room for one."""

__all__ = ["bound_lists", "mend_answer", "mend_block"]

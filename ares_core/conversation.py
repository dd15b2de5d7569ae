"""The last thing that the user asked for, where a body has the conversation in it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

CONVERSATIONS = ("messages", "input", "contents", "chat_history")
"""Under which names the formats keep a conversation."""
MOST_MESSAGES = 200
LONGEST = 10_000


def last_request(body: Any) -> str | None:
    """Give the last words of the user; results of tools are none, and ``None`` says that there are no words.

    >>> last_request({"messages": [{"role": "user", "content": "add 2 and 3"}, {"role": "assistant", "content": ""}]})
    'add 2 and 3'
    """
    if not isinstance(body, Mapping):
        return None
    inner = body.get("request")
    holders = (body, inner) if isinstance(inner, Mapping) else (body,)
    found = (_last(holder.get(name)) for holder in holders for name in CONVERSATIONS)
    return next((words for words in found if words is not None), None)


def _last(conversation: Any) -> str | None:
    if isinstance(conversation, str):
        return conversation.strip()[:LONGEST] or None
    messages = conversation if isinstance(conversation, Sequence) else ()
    said = (_words(message) for message in messages[: -MOST_MESSAGES - 1 : -1] if _is_users(message))
    return next((words for words in said if words), None)


def _is_users(message: Any) -> bool:
    return isinstance(message, Mapping) and str(message.get("role", "")).lower() == "user"


def _words(message: Mapping[str, Any]) -> str:
    content = message.get("content", message.get("parts", message.get("message")))
    if isinstance(content, str):
        return content.strip()[:LONGEST]
    parts = content if isinstance(content, Sequence) else ()
    texts = [part["text"] for part in parts if isinstance(part, Mapping) and isinstance(part.get("text"), str)]
    return "\n".join(texts).strip()[:LONGEST]

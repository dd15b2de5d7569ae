"""Cohere's chat, version 2."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ares_plugin_agent.providers.chat import Chat
from ares_plugin_agent.providers.question import Question, at, count_at, text_at


class Cohere(Chat):
    """``/v2/chat``; a request looks like one of chat completions."""

    wire = "cohere"
    root = "/v2"

    def path(self, question: Question) -> str:
        """Give the path."""
        return "chat"

    def said(self, event: Mapping[str, Any]) -> str:
        """Give the text in a delta."""
        return text_at(event, "delta", "message", "content", "text")

    def has_ended(self, event: Mapping[str, Any]) -> bool:
        """Tell by the event that closes a message."""
        return event.get("type") == "message-end"

    def used(self, event: Mapping[str, Any]) -> dict[str, int]:
        """Give what question and answer took."""
        usage = at(event, "delta", "usage", "tokens") or at(event, "usage", "tokens")
        return {name: count_at(usage, name) for name in ("input_tokens", "output_tokens")}

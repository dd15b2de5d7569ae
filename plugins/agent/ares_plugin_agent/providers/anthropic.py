"""Anthropic's messages."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ares_plugin_agent.providers.question import Question, at, count_at, offered, text_at

LONGEST = 8192
"""The provider wants to be told how long the answer may be; every model of the last years takes this."""


class Anthropic:
    """``/v1/messages``."""

    wire = "anthropic"
    root = "/v1"
    streams = True

    def path(self, question: Question) -> str:
        """Give the path."""
        return "messages"

    def headers(self, key: str) -> dict[str, str]:
        """Give the key, and the version that the provider wants named."""
        return {"anthropic-version": "2023-06-01", **({"x-api-key": key} if key else {})}

    def body(self, question: Question) -> dict[str, Any]:
        """Give the body."""
        body: dict[str, Any] = {
            "model": question.model, "max_tokens": question.longest or LONGEST, "messages": list(question.messages),
            **offered(question.tools),
        }  # fmt: skip
        if question.system:
            body["system"] = question.system
        return {**body, "stream": True} if question.streams else body

    def user(self, text: str) -> dict[str, Any]:
        """Give a message of the user's."""
        return {"role": "user", "content": [{"type": "text", "text": text}]}

    def said(self, event: Mapping[str, Any]) -> str:
        """Give the text in a delta."""
        return text_at(event, "delta", "text") if at(event, "delta", "type") == "text_delta" else ""

    def has_ended(self, event: Mapping[str, Any]) -> bool:
        """Tell by the stop reason, or an error."""
        return event.get("type") in ("message_stop", "error") or bool(at(event, "delta", "stop_reason"))

    def used(self, event: Mapping[str, Any]) -> dict[str, int]:
        """Give what the question took, known at the start, and the answer, known at the end."""
        usage = at(event, "message", "usage") or event.get("usage")
        return {name: count_at(usage, name) for name in ("input_tokens", "output_tokens")}

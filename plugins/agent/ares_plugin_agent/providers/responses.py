"""OpenAI's Responses API."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ares_plugin_agent.providers.chat import Chat
from ares_plugin_agent.providers.question import Question, count_at, offered, text_at

_ENDS = frozenset({"response.completed", "response.incomplete", "response.failed", "response.cancelled", "error"})


class Responses(Chat):
    """``/v1/responses``; key and message of the user's are those of chat completions."""

    wire = "openai-responses"

    def path(self, question: Question) -> str:
        """Give the path."""
        return "responses"

    def body(self, question: Question) -> dict[str, Any]:
        """Give the body; the conversation is a list of input items."""
        body = {"model": question.model, "input": list(question.messages), **offered(question.tools)}
        if question.system:
            body["instructions"] = question.system
        if question.longest:
            body["max_output_tokens"] = question.longest
        return {**body, "stream": True} if question.streams else body

    def said(self, event: Mapping[str, Any]) -> str:
        """Give the text in a delta."""
        return text_at(event, "delta") if event.get("type") == "response.output_text.delta" else ""

    def has_ended(self, event: Mapping[str, Any]) -> bool:
        """Tell by the events that close a response."""
        return event.get("type") in _ENDS

    def used(self, event: Mapping[str, Any]) -> dict[str, int]:
        """Give the total, in the event that closes a response."""
        return {"total": count_at(event.get("response") or event, "usage", "total_tokens")}

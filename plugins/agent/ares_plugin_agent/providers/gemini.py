"""Gemini's ``generateContent``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ares_plugin_agent.providers.question import Question, at, count_at, offered


class Gemini:
    """``/v1beta/models/…``; the model stands in the path."""

    wire = "gemini"
    root = "/v1beta"
    streams = True

    def path(self, question: Question) -> str:
        """Give the path, with the model in it."""
        name = question.model if "/" in question.model else f"models/{question.model}"
        return f"{name}:streamGenerateContent?alt=sse" if question.streams else f"{name}:generateContent"

    def headers(self, key: str) -> dict[str, str]:
        """Give the key."""
        return {"x-goog-api-key": key} if key else {}

    def body(self, question: Question) -> dict[str, Any]:
        """Give the body."""
        body: dict[str, Any] = {"contents": list(question.messages), **offered(question.tools)}
        if question.system:
            body["systemInstruction"] = {"parts": [{"text": question.system}]}
        if question.longest:
            body["generationConfig"] = {"maxOutputTokens": question.longest}
        return body

    def user(self, text: str) -> dict[str, Any]:
        """Give a content of the user's."""
        return {"role": "user", "parts": [{"text": text}]}

    def said(self, event: Mapping[str, Any]) -> str:
        """Give the text in a chunk, without thoughts."""
        parts = at(event, "candidates", 0, "content", "parts")
        spoken = (part for part in parts or () if isinstance(part, Mapping) and not part.get("thought"))
        return "".join(text for part in spoken if isinstance(text := part.get("text"), str))

    def has_ended(self, event: Mapping[str, Any]) -> bool:
        """Tell by the finish reason, a blocked prompt, or an error."""
        finish = at(event, "candidates", 0, "finishReason") or at(event, "promptFeedback", "blockReason")
        return bool(finish or event.get("error"))

    def used(self, event: Mapping[str, Any]) -> dict[str, int]:
        """Give the total so far."""
        return {"total": count_at(event, "usageMetadata", "totalTokenCount")}

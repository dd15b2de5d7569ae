"""Chat completions, of OpenAI and of the many servers that follow it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ares_plugin_agent.providers.question import Question, at, count_at, offered, text_at


class Chat:
    """``/v1/chat/completions``."""

    wire = "openai-chat"
    root = "/v1"
    streams = True

    def path(self, question: Question) -> str:
        """Give the path."""
        return "chat/completions"

    def headers(self, key: str) -> dict[str, str]:
        """Give the key as a bearer's."""
        return {"Authorization": f"Bearer {key}"} if key else {}

    def body(self, question: Question) -> dict[str, Any]:
        """Give the body; the system's words are the first message."""
        first = [{"role": "system", "content": question.system}] if question.system else []
        body = {"model": question.model, "messages": [*first, *question.messages], **offered(question.tools)}
        if question.longest:
            body["max_tokens"] = question.longest
        return {**body, "stream": True} if question.streams else body

    def user(self, text: str) -> dict[str, Any]:
        """Give a message of the user's."""
        return {"role": "user", "content": text}

    def said(self, event: Mapping[str, Any]) -> str:
        """Give the text in a chunk."""
        return text_at(event, "choices", 0, "delta", "content")

    def has_ended(self, event: Mapping[str, Any]) -> bool:
        """Tell by the finish reason, an error, or the mark after the last chunk."""
        return bool(event.get("done") or event.get("error") or at(event, "choices", 0, "finish_reason"))

    def used(self, event: Mapping[str, Any]) -> dict[str, int]:
        """Give the total that some servers report in the last chunk."""
        return {"total": count_at(event, "usage", "total_tokens")}

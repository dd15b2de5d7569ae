"""Ollama's own chat."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ares_plugin_agent.providers.chat import Chat
from ares_plugin_agent.providers.question import Question, count_at, offered, text_at


class Ollama(Chat):
    """``/api/chat``; it answers in JSON lines, and streams unless it is told not to."""

    wire = "ollama"
    root = "/api"

    def path(self, question: Question) -> str:
        """Give the path."""
        return "chat"

    def body(self, question: Question) -> dict[str, Any]:
        """Give the body."""
        first = [{"role": "system", "content": question.system}] if question.system else []
        body = {"model": question.model, "messages": [*first, *question.messages], "stream": question.streams}
        if question.longest:
            body["options"] = {"num_predict": question.longest}
        return {**body, **offered(question.tools)}

    def said(self, event: Mapping[str, Any]) -> str:
        """Give the text in a line."""
        return text_at(event, "message", "content")

    def has_ended(self, event: Mapping[str, Any]) -> bool:
        """Tell by its mark, or an error."""
        return event.get("done") is True or bool(event.get("error"))

    def used(self, event: Mapping[str, Any]) -> dict[str, int]:
        """Give what question and answer took, in the last line."""
        return {name: count_at(event, name) for name in ("prompt_eval_count", "eval_count")}

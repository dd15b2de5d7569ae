"""Amazon Bedrock's ``Converse``, with one of Bedrock's own keys; signed requests need Amazon's SDK."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from ares_plugin_agent.providers.question import Question, count_at


class Bedrock:
    """``/model/…/converse``, answered in one piece: its streams are binary."""

    wire = "bedrock-converse"
    root = ""
    streams = False

    def path(self, question: Question) -> str:
        """Give the path, with the model in it."""
        return f"model/{quote(question.model, safe='')}/converse"

    def headers(self, key: str) -> dict[str, str]:
        """Give the key as a bearer's."""
        return {"Authorization": f"Bearer {key}"} if key else {}

    def body(self, question: Question) -> dict[str, Any]:
        """Give the body."""
        body: dict[str, Any] = {"messages": list(question.messages)}
        if question.tools.get("toolConfig", {}).get("tools"):
            body |= question.tools
        if question.system:
            body["system"] = [{"text": question.system}]
        if question.longest:
            body["inferenceConfig"] = {"maxTokens": question.longest}
        return body

    def user(self, text: str) -> dict[str, Any]:
        """Give a message of the user's."""
        return {"role": "user", "content": [{"text": text}]}

    def said(self, event: Mapping[str, Any]) -> str:
        """Give nothing: there are no events."""
        return ""

    def has_ended(self, event: Mapping[str, Any]) -> bool:
        """Tell by the stop reason of the body."""
        return "stopReason" in event

    def used(self, event: Mapping[str, Any]) -> dict[str, int]:
        """Give the total."""
        return {"total": count_at(event, "usage", "totalTokens")}

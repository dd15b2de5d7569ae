"""Chat completions of Mistral, which takes only ids of nine letters and figures."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from typing import Any

from ares_plugin_agent.providers.chat import Chat
from ares_plugin_agent.providers.question import Question

TAKEN = re.compile(r"[A-Za-z0-9]{9}")


class Mistral(Chat):
    """``/v1/chat/completions``; ids of calls that another model made are made to fit, the same one the same way."""

    def body(self, question: Question) -> dict[str, Any]:
        """Give the body."""
        body = super().body(question)
        return {**body, "messages": [_fitting(message) for message in body["messages"]]}


def _fitting(message: Mapping[str, Any]) -> Mapping[str, Any]:
    fitting = dict(message)
    if isinstance(message.get("tool_call_id"), str):
        fitting["tool_call_id"] = _nine(message["tool_call_id"])
    if isinstance(message.get("tool_calls"), list):
        fitting["tool_calls"] = [{**call, "id": _nine(str(call.get("id")))} for call in message["tool_calls"]]
    return fitting


def _nine(given: str) -> str:
    if TAKEN.fullmatch(given):
        return given
    return hashlib.sha256(given.encode("utf-8", "replace"), usedforsecurity=False).hexdigest()[:9]

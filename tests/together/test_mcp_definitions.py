"""Tools of MCP servers as models see them, among all plugins."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ares_core import Ares

SERVER = Path(__file__).parents[2] / "plugins" / "mcp" / "tests" / "servers" / "plain.py"


@pytest.fixture
def ares(ares_home: Path) -> Iterator[Ares]:
    servers = {
        name: {"command": sys.executable, "args": [str(SERVER), way, str(ares_home / "diary")]}
        for name, way in (("a", "good"), ("a server with a very long name, which no provider takes", "pages"))
    }
    with Ares(config={"mcp": {"servers": {**servers, "gone": {"command": "no-such-binary-xyz"}}}}) as ares:
        yield ares


def names(ares: Ares) -> list[str]:
    return [tool["function"]["name"] for tool in ares.definitions(wire="openai-chat")]


def test_definitions_connect_and_give_every_tool_a_legal_name_of_its_own(ares: Ares) -> None:
    sent = names(ares)
    assert {"a__echo", "calculator"} <= set(sent)
    assert len(set(sent)) == len(sent) == len(ares.registry)
    assert all(re.fullmatch("[a-zA-Z0-9_-]{1,64}", name) for name in sent)
    assert names(ares) == sent


def test_a_models_call_is_checked_here_and_answered(ares: Ares, ares_home: Path) -> None:
    ares.definitions()

    def call(number: int, arguments: dict[str, Any]) -> dict[str, Any]:
        return {"id": f"c{number}", "type": "function",
                "function": {"name": "a__count", "arguments": json.dumps(arguments)}}  # fmt: skip

    message = {"role": "assistant", "content": None, "tool_calls": [call(1, {"n": "5"}), call(2, {"n": "x"})]}
    body = {"object": "chat.completion", "choices": [{"index": 0, "finish_reason": "tool_calls", "message": message}]}
    _, good, wrong = ares.handle_sync(body)
    assert '{"n":5}' in good["content"]
    assert "/n: expected integer" in wrong["content"]
    assert (ares_home / "diary").read_text("utf-8").count("call count") == 1

"""Every builtin tool, called by an MCP client with its examples: the same answers as a call of Ares itself."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path
from typing import Any

import pytest
from mcp import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

from ares_core import Ares

ERAS = pytest.mark.parametrize("era", ["legacy", "2026-07-28"])
OFFLINE = (
    "import socket; look_up = socket.getaddrinfo; from ares_core.cli import main; "
    "socket.getaddrinfo = lambda *given: look_up(*given[:5], socket.AI_NUMERICHOST); main(['mcp', 'serve'])"
)
SERVE = ["-c", OFFLINE]
ROOT = Path(__file__).parents[2]
PLUGINS = sorted(path.parent.name for path in ROOT.glob("plugins/*/pyproject.toml"))
KEPT = {"session_search", "memory", "todo"}
"""Tools whose answers depend on the store of events, which the command has and the library has not."""
VARIES = {"id_generator", "datetime", "code_runner"}
"""Tools whose answers differ from call to call."""


async def asked(era: str, folder: Path) -> tuple[list[str], dict[tuple[str, int], Any]]:
    """Start ``ares mcp serve`` and call every tool with its examples."""
    command = StdioServerParameters(command=sys.executable, args=SERVE, cwd=folder, env=dict(os.environ))
    with Ares(plugins=PLUGINS) as ares:
        examples = {tool.name: tool.examples for tool in ares.registry.list_tools() if tool.name not in KEPT}
    async with Client(stdio_client(command), mode=era) as client:
        names = [tool.name for tool in (await client.list_tools()).tools]
        answers = {
            (name, place): await client.call_tool(name, dict(example))
            for name in names
            for place, example in enumerate(examples.get(name, ()))
        }
    return names, answers


@ERAS
def test_every_tool_gives_a_client_what_a_call_gives(era: str, tmp_path: Path) -> None:
    names, answers = asyncio.run(asked(era, tmp_path))
    with Ares(plugins=PLUGINS) as ares:
        assert set(names) == {*ares.registry.list_tool_names(), "ask"}
        for (name, place), answer in answers.items():
            tool = ares.registry.get(name)
            assert tool is not None
            result = ares.call_sync(name, tool.examples[place])
            assert answer.is_error is not result.success, name
            assert name in VARIES or answer.content[0].text == result.text, name


@ERAS
def test_a_request_in_words_is_planned(era: str, tmp_path: Path) -> None:
    command = StdioServerParameters(command=sys.executable, args=SERVE, cwd=tmp_path, env=dict(os.environ))

    async def ask() -> Any:
        async with Client(stdio_client(command), mode=era) as client:
            return await client.call_tool("ask", {"request": "sum from 1 to 1,000,000"})

    assert asyncio.run(ask()).structured_content["result"] == 500000500000

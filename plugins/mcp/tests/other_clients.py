"""Clients that others wrote, over stdio: every builtin tool called with its examples, answered as by ``ares call``.

The nox session ``conformance`` installs them: fastmcp next to this Python, the inspector in the folder that
``MCP_CONFORMANCE`` names. pytest does not collect this file by itself.
"""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

MODULES = Path(os.environ.get("MCP_CONFORMANCE", ".")) / "node_modules"
NODE = str(MODULES / ".bin" / "node")
INSPECTOR = str(MODULES / "@modelcontextprotocol" / "inspector" / "cli" / "build" / "cli.js")
ARES = [sys.executable, "-m", "ares_core"]
SERVE = [*ARES, "mcp", "serve"]
VARIES = {"id_generator", "datetime", "code_runner"}
"""Tools whose answers differ from call to call."""


def run(*command: str, folder: Path, fine: tuple[int, ...] = (0,)) -> Any:
    ran = subprocess.run(command, check=False, capture_output=True, text=True, timeout=120, cwd=folder)
    assert ran.returncode in fine, ran.stderr
    return json.loads(ran.stdout)


def examples() -> Iterator[tuple[str, dict[str, Any]]]:
    listed = subprocess.run([*ARES, "tools", "--json"], check=True, capture_output=True, timeout=120).stdout
    for tool in json.loads(listed):
        yield from ((tool["name"], example) for example in tool["examples"])


EXAMPLES = list(examples())
NAMES = sorted({name for name, _ in EXAMPLES})


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("work")


@pytest.fixture(scope="module")
def by_fastmcp(folder: Path) -> list[Any]:
    fastmcp, transports = import_module("fastmcp"), import_module("fastmcp.client.transports")

    async def call_all() -> list[Any]:
        transport = transports.StdioTransport(SERVE[0], SERVE[1:], cwd=str(folder))
        async with fastmcp.Client(transport) as client:
            found = {tool.name for tool in await client.list_tools()}
            assert found >= {*NAMES, "ask"}
            return [await client.call_tool(name, args, raise_on_error=False) for name, args in EXAMPLES]

    return asyncio.run(call_all())


def same(folder: Path, name: str, arguments: dict[str, Any], text: str, is_error: bool) -> None:
    expected = run(*ARES, "call", name, "--args", json.dumps(arguments), "--json", folder=folder, fine=(0, 1, 2))
    assert is_error is not expected["success"]
    assert name in VARIES or text == expected["text"]


@pytest.mark.parametrize("place", range(len(EXAMPLES)), ids=[name for name, _ in EXAMPLES])
def test_fastmcp_gets_what_a_call_gives(place: int, by_fastmcp: list[Any], folder: Path) -> None:
    answer = by_fastmcp[place]
    same(folder, *EXAMPLES[place], answer.content[0].text, answer.is_error)


def test_the_inspector_lists_every_tool(folder: Path) -> None:
    listed = run(NODE, INSPECTOR, *SERVE, "--method", "tools/list", folder=folder)
    assert {tool["name"] for tool in listed["tools"]} >= {*NAMES, "ask"}


@pytest.mark.parametrize("place", range(len(EXAMPLES)), ids=[name for name, _ in EXAMPLES])
def test_the_inspector_gets_what_a_call_gives(place: int, folder: Path) -> None:
    name, arguments = EXAMPLES[place]
    given = [f"{key}={value if isinstance(value, str) else json.dumps(value)}" for key, value in arguments.items()]
    words = [word for pair in given for word in ("--tool-arg", pair)]
    answer = run(
        NODE, INSPECTOR, *SERVE, "--method", "tools/call", "--tool-name", name, *words, folder=folder
    )  # fmt: skip
    same(folder, name, arguments, answer["content"][0]["text"], bool(answer.get("isError")))

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
ARES = [str(Path(sys.executable).parent / "ares")]
SERVE = [*ARES, "mcp", "serve"]
INSPECT = [NODE, INSPECTOR, "--cli", *SERVE, "--method"]
VARIES = {"id_generator", "datetime", "code_runner"}
"""Tools whose answers differ from call to call."""


def run(*command: str, folder: Path, fine: tuple[int, ...] = (0,)) -> Any:
    ran = subprocess.run(
        command, check=False, capture_output=True, text=True, timeout=120, cwd=folder, env=variables(folder)
    )
    assert ran.returncode in fine, ran.stderr
    return json.loads(ran.stdout)


def variables(folder: Path) -> dict[str, str]:
    """Give a home of its own, with a folder for files, to whoever starts Ares: examples build on each other's files."""
    config, files = folder / ".config" / "ares" / "ares.yaml", folder / "files"
    config.parent.mkdir(parents=True, exist_ok=True)
    files.mkdir(exist_ok=True)
    config.write_text(json.dumps({"tools": {"file_sandbox_dir": str(files)}}))
    return {"PATH": os.environ["PATH"], "HOME": str(folder)}


def examples() -> Iterator[tuple[str, dict[str, Any]]]:
    listed = subprocess.run([*ARES, "tools", "--json"], check=True, capture_output=True, timeout=120).stdout
    for tool in json.loads(listed):
        yield from ((tool["name"], example) for example in tool["examples"])


EXAMPLES = list(examples())
NAMES = sorted({name for name, _ in EXAMPLES})


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Gives the place of the inspector's calls."""
    return tmp_path_factory.mktemp("inspector")


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> list[Any]:
    place = tmp_path_factory.mktemp("calls")
    commands = [(*ARES, "call", name, "--args", json.dumps(arguments), "--json") for name, arguments in EXAMPLES]
    return [run(*command, folder=place, fine=(0, 1, 2)) for command in commands]


@pytest.fixture(scope="module")
def by_fastmcp(tmp_path_factory: pytest.TempPathFactory) -> list[Any]:
    folder = tmp_path_factory.mktemp("fastmcp")
    fastmcp, transports = import_module("fastmcp"), import_module("fastmcp.client.transports")

    async def call_all() -> list[Any]:
        transport = transports.StdioTransport(SERVE[0], SERVE[1:], cwd=str(folder), env=variables(folder))
        async with fastmcp.Client(transport) as client:
            found = {tool.name for tool in await client.list_tools()}
            assert found >= {*NAMES, "ask"}
            return [await client.call_tool(name, args, raise_on_error=False) for name, args in EXAMPLES]

    return asyncio.run(call_all())


def check(place: int, expected: list[Any], text: str, is_error: bool) -> None:
    assert is_error is not expected[place]["success"]
    assert EXAMPLES[place][0] in VARIES or text == expected[place]["text"]


@pytest.mark.parametrize("place", range(len(EXAMPLES)), ids=[name for name, _ in EXAMPLES])
def test_fastmcp_gets_what_a_call_gives(place: int, by_fastmcp: list[Any], expected: list[Any]) -> None:
    answer = by_fastmcp[place]
    check(place, expected, answer.content[0].text, answer.is_error)


def test_the_inspector_lists_every_tool(folder: Path) -> None:
    listed = run(*INSPECT, "tools/list", folder=folder)
    assert {tool["name"] for tool in listed["tools"]} >= {*NAMES, "ask"}


@pytest.mark.parametrize("place", range(len(EXAMPLES)), ids=[name for name, _ in EXAMPLES])
def test_the_inspector_gets_what_a_call_gives(place: int, expected: list[Any], folder: Path) -> None:
    name, arguments = EXAMPLES[place]
    given = [f"{key}={value if isinstance(value, str) else json.dumps(value)}" for key, value in arguments.items()]
    words = [word for pair in given for word in ("--tool-arg", pair)]
    answer = run(*INSPECT, "tools/call", "--tool-name", name, *words, folder=folder, fine=(0, 1))
    check(place, expected, answer["content"][0]["text"], bool(answer.get("isError")))

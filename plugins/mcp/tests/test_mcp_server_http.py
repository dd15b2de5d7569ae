"""The server over HTTP, and who may come in."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp_types import ElicitResult

SHOWN = str(Path(__file__).parent / "servers" / "shown.py")
WORD = "sesame-sesame-sesame"
ERAS = pytest.mark.parametrize("era", ["legacy", "2026-07-28"])
JSON = {"accept": "application/json, text/event-stream", "content-type": "application/json"}
RIGHT = {**JSON, "authorization": f"Bearer {WORD}"}
PING = {"jsonrpc": "2.0", "id": 1, "method": "ping"}


@pytest.fixture(scope="module")
def diary_of_server(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("shown") / "diary"


@pytest.fixture(scope="module")
def address(diary_of_server: Path) -> Iterator[str]:
    with subprocess.Popen([sys.executable, SHOWN, str(diary_of_server), "0", WORD]) as server:
        yield noted(diary_of_server, "address ").split()[1]
        server.terminate()


def noted(diary: Path, start: str) -> str:
    """Wait until the server has noted a line that begins so."""
    until = time.monotonic() + 60
    while time.monotonic() < until:
        lines = diary.read_text().splitlines(keepends=True) if diary.exists() else []
        for line in lines:
            if line.startswith(start) and line.endswith("\n"):
                return line
        time.sleep(0.02)
    raise TimeoutError(start)


def used(address: str, use: Any, era: str, **options: Any) -> Any:
    async def run() -> Any:
        async with (
            httpx2.AsyncClient(headers={"authorization": f"Bearer {WORD}"}, timeout=100) as http,
            Client(streamable_http_client(address, http_client=http), mode=era, **options) as client,
        ):
            return await use(client)

    return asyncio.run(run())


def posted(address: str, headers: dict[str, str], body: Any = PING) -> httpx2.Response:
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    return httpx2.post(address, headers=headers, content=content, timeout=60)


@ERAS
def test_tools_are_called_with_progress_and_errors_as_over_pipes(address: str, era: str) -> None:
    heard: list[float] = []

    async def note(progress: float, total: float | None, message: str | None) -> None:
        heard.append(progress)

    async def use(client: Client) -> list[Any]:
        await client.call_tool("steps", {}, progress_callback=note)
        return [await client.call_tool("add", arguments) for arguments in ({"a": "2"}, {"a": "x"})]

    right, wrong = used(address, use, era)
    assert (right.content[0].text, wrong.is_error) == ("3", True)
    assert heard == [1, 2, 3]


@ERAS
def test_the_user_is_asked_over_http(address: str, era: str) -> None:
    async def answer(context: Any, params: Any) -> ElicitResult:
        return ElicitResult(action="accept", content={"approve": "removed" in params.message or True})

    result = used(address, lambda client: client.call_tool("remove", {"name": era}), era, elicitation_callback=answer)
    assert (result.is_error, result.structured_content) == (False, {"result": era})


@ERAS
def test_a_client_that_gives_up_ends_its_tool(address: str, diary_of_server: Path, era: str) -> None:
    async def use(client: Client) -> None:
        call = asyncio.ensure_future(client.call_tool("wait", {"seconds": 100, "name": f"http {era}"}))
        await asyncio.to_thread(noted, diary_of_server, f"begun http {era}")
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call

    used(address, use, era)
    assert noted(diary_of_server, f"cancelled http {era}")


@pytest.mark.parametrize("word", ["", "Bearer", "Bearer wrong", f"Basic {WORD}", f"Bearer {WORD}x", "Bearer \xff"])
def test_without_the_token_nothing_is_read(address: str, word: str) -> None:
    headers = [(name.encode(), value.encode("latin-1")) for name, value in {**JSON, "authorization": word}.items()]
    answer = httpx2.post(address, headers=headers, content=b"{}", timeout=60)
    assert (answer.status_code, answer.headers["www-authenticate"]) == (401, "Bearer")


@pytest.mark.parametrize(
    "origin", ["https://evil.test", "http://localhost.evil.test", "null", "http://127.0.0.1@evil.test", "%", "http://["]
)
def test_a_page_from_elsewhere_is_turned_away(address: str, origin: str) -> None:
    assert posted(address, {**RIGHT, "origin": origin}).status_code == 403


@pytest.mark.parametrize("host", ["evil.test", "127.0.0.1.evil.test", ""])
def test_a_name_that_was_made_to_point_here_is_turned_away(address: str, host: str) -> None:
    assert posted(address, {**RIGHT, "host": host}).status_code == 421


def test_a_page_of_this_machine_may_come_in(address: str) -> None:
    hello = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "page", "version": "1"}}
    body = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello}
    assert posted(address, {**RIGHT, "origin": "http://localhost:3000"}, body).status_code == 200


@pytest.mark.parametrize("body", [b"", b"nonsense", b"[" * 50_000, b"[]", b"\xff"])
def test_a_body_that_is_no_message_is_refused(address: str, body: bytes) -> None:
    assert posted(address, RIGHT, body).status_code == 400


def test_a_body_that_is_too_large_is_refused(address: str) -> None:
    assert posted(address, RIGHT, b'"' + b"x" * 5_000_000 + b'"').status_code == 413


def test_a_session_that_nobody_opened_is_not_found(address: str) -> None:
    assert posted(address, {**RIGHT, "mcp-session-id": "x" * 32}).status_code == 404


def test_the_command_serves_until_it_is_told_to_end(ares_home: Path) -> None:
    command = [sys.executable, "-m", "ares_core", "mcp", "serve", "--http", "0", "--no-ask"]
    environment = {**os.environ, "ARES_MCP_TOKEN": WORD}
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment
    ) as server:
        assert server.stderr is not None
        address = server.stderr.readline().split()[-1]
        assert posted(address, JSON).status_code == 401
        assert posted(address, {**RIGHT, "mcp-session-id": "none"}).status_code == 404
        server.terminate()
        assert server.communicate(timeout=60) == ("", "")
    assert server.returncode == 0


@pytest.mark.parametrize(
    ("arguments", "variable", "said"),
    [
        (["--http", "0", "--host", "0.0.0.0", "--no-token"], "", "loopback only"),
        (["--http", "0"], "short", "at least 16"),
        (["--tools", "nosuch"], "", "no tool 'nosuch'"),
    ],
    ids=["open", "short", "unknown"],
)
def test_what_would_be_unsafe_or_wrong_is_refused(
    arguments: list[str], variable: str, said: str, ares_home: Path
) -> None:
    ran = subprocess.run(
        [sys.executable, "-m", "ares_core", "mcp", "serve", *arguments], check=False, capture_output=True, text=True,
        env={**os.environ, "ARES_MCP_TOKEN": variable}, stdin=subprocess.DEVNULL, timeout=100,
    )  # fmt: skip
    assert (ran.returncode, ran.stdout) == (2, "")
    assert said in ran.stderr


def test_hundreds_of_clients_at_once_are_answered(address: str) -> None:
    async def use(client: Client) -> int:
        calls = [client.call_tool("add", {"a": number}) for number in range(300)]
        answers = await asyncio.gather(*calls)
        return sum(not answer.is_error for answer in answers)

    assert used(address, use, "2026-07-28") == 300

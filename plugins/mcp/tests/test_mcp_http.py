"""Servers at an address: both eras, the older transport, sessions that end, tokens."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import json
import socket
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from ares_core import Ares, Event, Result, ToolError, hookimpl

FOLDER = Path(__file__).parent / "servers"


class Network:
    """A provider that notes what is opened for which purpose."""

    def __init__(self) -> None:
        self.opened: list[tuple[str, str]] = []

    def client(self, purpose: str, base_url: str | None = None) -> Any:
        raise NotImplementedError

    async def connect(self, purpose: str, host: str, port: int) -> Any:
        import httpcore2

        self.opened.append((purpose, host))
        try:
            return await httpcore2.AnyIOBackend().connect_tcp(host, port, 5)
        except httpcore2.ConnectError:
            raise ToolError(f"no connection to {host}:{port}; nothing was sent", blame="world") from None


class Provider:
    """A plugin that provides it."""

    def __init__(self) -> None:
        self.network = Network()

    @hookimpl
    def open_network(self) -> Network:
        return self.network


@pytest.fixture
def provider() -> Provider:
    return Provider()


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Callable[..., str]]:
    """Starts a server; gives where it listens."""
    running = []
    places = []

    def start(script: str, *before: str, after: tuple[str, ...] = (), port: int = 0) -> str:
        places.append(place := held(port))
        port = place.getsockname()[1]
        command = [sys.executable, str(FOLDER / script), *before, str(port), str(tmp_path / "diary"), *after]
        running.append(subprocess.Popen(command, stderr=subprocess.DEVNULL))
        wait_for(port)
        return f"http://127.0.0.1:{port}"

    yield start
    for process in running:
        process.kill()
        process.wait()
    for place in places:
        place.close()


def held(port: int = 0) -> socket.socket:
    """Hold a port where nothing listens yet, so that nobody else gets it before the server does."""
    place = socket.socket()
    place.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    place.bind(("127.0.0.1", port))
    return place


def wait_for(port: int) -> None:
    until = time.monotonic() + 60
    while time.monotonic() < until:
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
            return
        time.sleep(0.05)
    raise TimeoutError


@pytest.fixture
def connect(ares_home: Path, provider: Provider) -> Iterator[Callable[..., Ares]]:
    """Gives an Ares with one server ``w``."""
    opened: list[Ares] = []

    def connect(url: str, approver: Any = None, secrets: Any = None, **more: Any) -> Ares:
        servers = {"w": {"url": url, **more}}
        plugins = [provider, "ares_plugin_mcp"]
        opened.append(Ares(plugins=plugins, config={"mcp": {"servers": servers}}, approver=approver, secrets=secrets))
        return opened[-1]

    yield connect
    for ares in opened:
        ares.close()


def peers(ares: Ares) -> Any:
    return vars(ares.sources[0])["peers"]


def told(result: Result) -> str:
    assert not result.success
    return result.text


@pytest.mark.parametrize(
    ("transport", "path", "more", "protocol"),
    [
        ("streamable-http", "/mcp", {}, "2026-07-28"),
        ("streamable-http", "/mcp", {"era": "legacy"}, "2025-11-25"),
        ("sse", "/sse", {"type": "sse"}, "2025-11-25"),
    ],
)
def test_every_transport_and_era_calls_and_tells_progress(
    start: Any, connect: Any, transport: str, path: str, more: dict[str, str], protocol: str
) -> None:
    ares = connect(start("web.py", transport) + path, **more)
    assert ares.call_sync("mcp.w.add", {"a": "2", "b": 3}).data == {"result": 5}
    assert peers(ares)["w"].connection.client.protocol_version == protocol
    events: list[Event] = []
    ares.on_event(events.append)
    assert ares.call_sync("mcp.w.slow").data == {"result": "done"}
    assert "half" in [event.data["message"] for event in events if event.kind == "progress"]


def test_a_list_that_changes_without_a_session_holds_at_the_next_step(start: Any, connect: Any) -> None:
    ares = connect(start("web.py", "streamable-http") + "/mcp")
    assert ares.call_sync("mcp.w.grow").success
    assert ares.call_sync("mcp.w.grown").data == {"result": "new"}


def test_input_that_is_required_comes_from_the_approver(start: Any, connect: Any) -> None:
    ares = connect(start("web.py", "streamable-http") + "/mcp", lambda approval: {"colour": "red"})
    answer = ares.call_sync("mcp.w.paint")
    assert json.loads(answer.data["result"] if isinstance(answer.data, dict) else answer.data) == {
        "action": "accept", "content": {"colour": "red"},
    }  # fmt: skip


def test_connections_are_opened_by_the_provider_as_the_operators(start: Any, connect: Any, provider: Provider) -> None:
    assert connect(start("strict.py") + "/mcp").call_sync("mcp.w.work").success
    assert set(provider.network.opened) == {("operator", "127.0.0.1")}


def test_without_a_provider_nothing_is_opened(start: Any, ares_home: Path) -> None:
    servers = {"w": {"url": start("strict.py")}}
    with Ares(plugins=["ares_plugin_mcp"], config={"mcp": {"servers": servers}}) as ares:
        assert "no network provider is installed" in ares.call_sync("mcp.w.work").text


def test_a_session_that_is_gone_is_made_anew_and_the_call_sent_once_more(
    start: Any, connect: Any, diary: Any
) -> None:  # fmt: skip
    ares = connect(start("strict.py") + "/mcp")
    assert ares.call_sync("mcp.w.work", {"forget": True}).data == "s1"
    assert ares.call_sync("mcp.w.work").data == "s3"
    assert len(diary.lines("worked")) == 2
    assert diary.lines("initialize") == ["initialize -"] * 2


def test_calls_side_by_side_share_the_new_session(start: Any, connect: Any, diary: Any) -> None:
    ares = connect(start("strict.py") + "/mcp")
    assert ares.call_sync("mcp.w.work", {"forget": True}).success

    async def both() -> list[Result]:
        return list(await asyncio.gather(*(ares.call("mcp.w.work") for _ in range(4))))

    assert [result.data for result in asyncio.run(both())] == ["s3"] * 4
    assert len(diary.lines("initialize")) == 2
    assert len(diary.lines("worked")) == 5


def test_a_refused_token_is_told_at_once_and_never_shown(start: Any, connect: Any, diary: Any) -> None:
    ares = connect(start("strict.py", after=("right-token",)) + "/mcp", bearer="wrong-token-1")
    text = told(ares.call_sync("mcp.w.work"))
    assert "does not accept what it was sent to sign in" in text
    assert "wrong-token-1" not in text
    assert len(diary.lines("server/discover") + diary.lines("initialize")) <= 2


def test_a_token_comes_from_the_secrets(start: Any, connect: Any) -> None:
    url = start("strict.py", after=("right-token",)) + "/mcp"
    ares = connect(url, secrets={"WORK_TOKEN": "right-token"}, bearer="${WORK_TOKEN}")
    assert ares.call_sync("mcp.w.work").data == "s1"


def test_a_token_is_got_for_the_clients_own_secret(start: Any, connect: Any, diary: Any, ares_home: Path) -> None:
    url = start("strict.py", after=("right-token",))
    oauth = {"client_id": "me", "client_secret": "${WORK_SECRET}", "issuer": url}
    ares = connect(f"{url}/mcp", secrets={"WORK_SECRET": "s3cret"}, oauth=oauth)
    assert ares.call_sync("mcp.w.work").data == "s1"
    basic = base64.b64encode(b"me:s3cret").decode()
    assert diary.lines("token") == [f"token client_credentials Basic {basic}"]
    (kept,) = (ares_home / "xdg_state_home" / "ares" / "mcp" / "tokens").iterdir()
    assert kept.stat().st_mode & 0o077 == 0
    assert "s3cret" not in kept.read_text("utf-8")


def test_a_token_is_got_by_a_person_who_allows_it(start: Any, connect: Any, diary: Any) -> None:
    def approver(approval: Any) -> bool:
        threading.Thread(target=urllib.request.urlopen, args=(approval.call.arguments["url"],), daemon=True).start()
        return True

    url = start("strict.py", after=("right-token",))
    assert connect(f"{url}/mcp", approver, oauth={}).call_sync("mcp.w.work").data == "s1"
    assert diary.lines("token") == ["token authorization_code None"]


def test_without_anybody_to_allow_it_signing_in_fails_in_a_sentence(start: Any, connect: Any) -> None:
    url = start("strict.py", after=("right-token",))
    assert "wants somebody to sign in, and nobody is there" in told(
        connect(f"{url}/mcp", oauth={}).call_sync("mcp.w.work")
    )


def test_a_server_that_is_not_there_says_so_and_is_found_again(start: Any, connect: Any) -> None:
    with held() as place:
        port = place.getsockname()[1]
        ares = connect(f"http://127.0.0.1:{port}/mcp")
        assert f"no connection to 127.0.0.1:{port}" in told(ares.call_sync("mcp.w.work"))
        start("strict.py", port=port)
    time.sleep(0.6)
    assert ares.call_sync("mcp.w.work").success or ares.call_sync("mcp.w.work").success

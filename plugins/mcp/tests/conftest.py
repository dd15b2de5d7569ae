"""Servers of our own, good and bad, and what they wrote down."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from ares_core import Ares

collect_ignore = ["conformance_suite.py", "other_clients.py", "reference_servers.py", "servers"]
"""Programs, and suites that sessions of their own run."""
SERVER = str(Path(__file__).parent / "servers" / "plain.py")


class Diary:
    """What the servers of a test wrote down."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def lines(self, start: str = "") -> list[str]:
        text = self.path.read_text("utf-8") if self.path.exists() else ""
        return [line for line in text.splitlines() if line.startswith(start)]

    def wait_for(self, start: str, seconds: float = 60) -> list[str]:
        until = time.monotonic() + seconds
        while not (found := self.lines(start)) and time.monotonic() < until:
            time.sleep(0.02)
        return found


@pytest.fixture
def diary(tmp_path: Path) -> Diary:
    return Diary(tmp_path / "diary")


@pytest.fixture
def server(diary: Diary) -> Callable[..., dict[str, Any]]:
    """Gives the configuration of a server that goes its way."""

    def server(way: str = "good", **more: Any) -> dict[str, Any]:
        return {"command": sys.executable, "args": [SERVER, way, str(diary.path)], **more}

    return server


@pytest.fixture
def mcp(ares_home: Path) -> Iterator[Callable[..., Ares]]:
    """Gives an Ares with these servers; all are closed after the test."""
    opened = []

    def mcp(_approver: Any = None, _settings: dict[str, Any] | None = None, **servers: Any) -> Ares:
        section = {"servers": servers, **(_settings or {})}
        ares = Ares(plugins=["ares_plugin_mcp"], config={"mcp": section}, approver=_approver)
        opened.append(ares)
        return ares

    yield mcp
    for ares in opened:
        ares.close()

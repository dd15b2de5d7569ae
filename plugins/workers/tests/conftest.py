"""A NATS server, real or small, workers in this process and in others, and whoever calls them."""

from __future__ import annotations

import importlib.util
import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from ares_plugin_workers import Worker
from ares_plugin_workers.server import LocalServer, program

from ares_core import Ares

HERE = Path(__file__).parent
IS_ASKED_FOR = bool(os.environ.get("ARES_SERVICES"))  # looked up before a test takes such variables away


def load(name: str) -> ModuleType:
    """Import a file that lies beside this one."""
    spec = importlib.util.spec_from_file_location(f"workers_{name}", HERE / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[f"workers_{name}"] = module
    spec.loader.exec_module(module)
    return module


served = load("served")
small = load("broker")


class RealServer:
    """The program nats-server on a port of its own."""

    def __init__(self, *options: str) -> None:
        self._options = options
        self._place = socket.socket()  # so that nobody else gets the port while nothing is served there
        self._place.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self._place.bind(("127.0.0.1", 0))
        self.port = self._place.getsockname()[1]
        self.start()

    @property
    def url(self) -> str:
        return f"nats://127.0.0.1:{self.port}"

    def start(self) -> None:
        command = [program() or "nats-server", "-a", "127.0.0.1", "-p", str(self.port), *self._options]
        self._process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        until = time.monotonic() + 60
        while time.monotonic() < until:
            with suppress(OSError), socket.create_connection(("127.0.0.1", self.port), timeout=0.2):
                return
            time.sleep(0.02)

    def stop(self) -> None:
        self._process.kill()
        self._process.wait()

    def close(self) -> None:
        self.stop()
        self._place.close()


@pytest.fixture(params=["small", pytest.param("nats-server", marks=pytest.mark.services)])
def broker(request: pytest.FixtureRequest, ares_home: Path) -> Iterator[Any]:
    """A NATS server: the small one of the tests, and the real one where it is installed."""
    if request.param == "nats-server":
        need_program()
    server = small.Broker() if request.param == "small" else RealServer()
    yield server
    server.close()


def need_program() -> None:
    """Skip with a word where the program is missing, or fail where it was asked for."""
    if program() is not None:
        return
    if IS_ASKED_FOR:
        pytest.fail("the program nats-server is not installed, and ARES_SERVICES asks for it")
    pytest.skip("the program nats-server is not installed (Debian: apt install nats-server)")


@pytest.fixture
def real_server(opened: list[Any]) -> Callable[..., RealServer]:
    """Starts the real NATS server with some options."""

    def real_server(*options: str) -> RealServer:
        need_program()
        server = RealServer(*options)
        opened.append(server.close)
        return server

    return real_server


@pytest.fixture
def local_server(opened: list[Any], ares_home: Path) -> LocalServer:
    """The server that ``ares worker`` starts."""
    need_program()
    server = LocalServer()
    opened.append(server.close)
    return server


@pytest.fixture
def fake(ares_home: Path) -> Iterator[Any]:
    """The small NATS server, for what the real one can't be made to do."""
    server = small.Broker()
    yield server
    server.close()


@pytest.fixture
def plain() -> Callable[[], Any]:
    """Makes a plugin that provides the network."""
    make: Callable[[], Any] = served.Plain
    return make


@pytest.fixture
def add() -> Any:
    """A tool that adds."""
    return served.add


@pytest.fixture
def small_server() -> Callable[..., Any]:
    """Starts a small NATS server, for instance one that wants a token."""
    start: Callable[..., Any] = small.Broker
    return start


@pytest.fixture
def opened() -> Iterator[list[Any]]:
    """What is to be closed after the test, last first."""
    things: list[Any] = []
    yield things
    for thing in reversed(things):
        thing()


@pytest.fixture
def caller(opened: list[Any]) -> Callable[..., Ares]:
    """Gives an Ares that knows the NATS server."""

    def caller(server: Any, *plugins: Any, **settings: Any) -> Ares:
        section = {"url": server.url, "wait": 30, **settings}
        ares = Ares(plugins=[served.Plain(), *plugins, "workers"], config={"workers": section})
        opened.append(ares.close)
        return ares

    return caller


@pytest.fixture
def serve(opened: list[Any], caller: Callable[..., Ares]) -> Callable[..., Worker]:
    """Starts a worker in this process, on the loop of an Ares of its own."""

    def serve(server: Any, *tools: Any, name: str = "w1", **settings: Any) -> Worker:
        there = caller(server, **settings)
        for each in tools:
            there.register(each)
        worker = Worker(there, ["*"], name=name)
        there.wait_for(worker.start(), "start")
        opened.append(lambda: there.closed or there.wait_for(worker.stop(0.1), "stop"))
        return worker

    return serve


@pytest.fixture
def process(opened: list[Any], tmp_path: Path) -> Callable[..., subprocess.Popen[bytes]]:
    """Starts a worker in a process of its own; what its tools do they write down in ``effects``."""

    def process(server: Any, name: str = "w1") -> subprocess.Popen[bytes]:
        command = [sys.executable, str(HERE / "served.py"), server.url, name, str(tmp_path)]
        started = subprocess.Popen(command, stdout=subprocess.PIPE)
        opened.append(lambda: end(started))
        assert started.stdout is not None
        assert started.stdout.readline() == b"ready\n"
        return started

    return process


def end(started: subprocess.Popen[bytes]) -> None:
    started.kill()
    started.wait()
    if started.stdout is not None:
        started.stdout.close()


@pytest.fixture
def effects(tmp_path: Path) -> Callable[..., list[str]]:
    """Gives what the tools of worker processes wrote down, after waiting for a word if one is given."""

    def effects(word: str = "", seconds: float = 60) -> list[str]:
        path, until = tmp_path / "effects", time.monotonic() + seconds
        while True:
            lines = path.read_text("utf-8").splitlines() if path.exists() else []
            if not word or word in lines or time.monotonic() > until:
                return lines
            time.sleep(0.02)

    return effects

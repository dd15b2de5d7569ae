"""Things that a snippet must not reach, and the way in which every attempt to reach them is made."""

from __future__ import annotations

import os
import re
import resource
import secrets
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from ares_core import Ares, Result

LANGUAGES = {"monty": "python", "cpython": "python", "node": "javascript"}
USUAL_SECONDS = 2
MOST_GROWTH_MB = 100


class Canary:
    """A secret in a file and in the environment, a listening server, and a folder that must stay as it is."""

    def __init__(self, folder: Path) -> None:
        self.token = secrets.token_hex(16)
        self.folder = folder
        self.file = folder / "secret.txt"
        self.file.write_text(self.token)
        self.visits = 0
        self._tcp, self._udp, self.port = _listening()
        for wait in (self._accept, lambda: self._udp.recv(100)):
            threading.Thread(target=self._count, args=(wait,), daemon=True).start()

    def fill(self, code: str) -> str:
        """Put the places of this canary into an attempt."""
        places = {
            "@FILE@": str(self.file), "@FOLDER@": str(self.folder), "@PORT@": str(self.port), "@US@": str(os.getpid()),
            "@PATHS@": repr(sys.path),
        }  # fmt: skip
        for mark, place in places.items():
            code = code.replace(mark, place)
        return code

    def is_untouched(self) -> bool:
        return self.visits == 0 and os.listdir(self.folder) == ["secret.txt"] and self.file.read_text() == self.token

    def close(self) -> None:
        with suppress(OSError):
            self._tcp.shutdown(socket.SHUT_RDWR)
        with suppress(OSError):
            self._udp.shutdown(socket.SHUT_RDWR)
        self._tcp.close()
        self._udp.close()

    def _accept(self) -> bool:
        self._tcp.accept()[0].close()
        return True

    def _count(self, wait: Callable[[], Any]) -> None:
        with suppress(OSError):
            while wait():
                self.visits += 1


def _listening() -> tuple[socket.socket, socket.socket, int]:
    """Open one port for connections and for datagrams; where another process has half of it, the next will do."""
    for _ in range(100):
        tcp, udp = socket.create_server(("127.0.0.1", 0)), socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        with suppress(OSError):
            udp.bind(tcp.getsockname())
            return tcp, udp, tcp.getsockname()[1]
        tcp.close()
        udp.close()
    raise OSError("no port is free for connections and for datagrams")


@pytest.fixture
def canary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Canary]:
    folder = tmp_path / "private"
    folder.mkdir()
    canary = Canary(folder)
    monkeypatch.setenv("CANARY", canary.token)
    yield canary
    canary.close()


@pytest.fixture(scope="session")
def runner() -> Iterator[Ares]:
    """An Ares that may run code, with a little more time than usual: what is tested here is not the clock."""
    with Ares(plugins=["code-runner"], config={"code_runner": {"enabled": True, "seconds": 8}}) as ares:
        yield ares


@pytest.fixture(scope="session")
def strict() -> Iterator[Ares]:
    """An Ares that may run code, with everything else as it comes."""
    with Ares(plugins=["code-runner"], config={"code_runner": {"enabled": True}}) as ares:
        yield ares


@pytest.fixture(scope="session")
def walled(runner: Ares) -> dict[str, bool]:
    """Whether each engine can be used on this machine; where it can't, the refusal has been seen to say why."""
    return {engine: _is_there(runner, engine) for engine in LANGUAGES}


def _is_there(ares: Ares, engine: str) -> bool:
    code = "console.log(6 * 7)" if engine == "node" else "print(6 * 7)"
    result = ares.call_sync("code_runner", {"language": LANGUAGES[engine], "code": code, "engine": engine})
    if result.success:
        assert result.data["stdout"] == "42\n"
        return True
    assert engine != "monty"
    assert is_refusal(result)
    return False


def is_refusal(result: Result) -> bool:
    """Whether a result says that the engine can't be used here, why, and that nothing was run."""
    if result.success or result.error is None or result.data is not None:
        return False
    reasons = ("walls of the operating system, and they can't be put up here:", "no program 'node'")
    message = result.error.message.lower()
    return "nothing was run" in message and any(reason in message for reason in reasons)


@pytest.fixture
def run(runner: Ares, walled: dict[str, bool]) -> Callable[..., Result | None]:
    """Run code with an engine; ``None`` where the engine can't be used, after making sure that it says so."""

    def run(engine: str, code: str) -> Result | None:
        result = runner.call_sync("code_runner", {"language": LANGUAGES[engine], "code": code, "engine": engine})
        if walled[engine]:
            return result
        assert is_refusal(result)
        return None

    return run


@pytest.fixture
def attempt(strict: Ares, runner: Ares, walled: dict[str, bool], canary: Canary) -> Callable[..., Result]:
    """Make one attempt to get out, and check all that must hold whatever it does; ``patient``: with more time."""

    def attempt(engine: str, code: str, *, patient: bool = False) -> Result:
        arguments = {"language": LANGUAGES[engine], "code": canary.fill(code), "engine": engine}
        before, started = peak_mb(anew=True), time.monotonic()
        result = (runner if patient else strict).call_sync("code_runner", arguments)
        assert time.monotonic() - started < 10 * USUAL_SECONDS
        assert peak_mb() - before < MOST_GROWTH_MB
        shown = f"{result.text}{result.data}"
        assert "ESCAPED" not in shown
        assert canary.token not in shown
        assert canary.is_untouched()
        assert walled[engine] or is_refusal(result)
        assert runner.call_sync("code_runner", {"language": "python", "code": "6 * 7"}).data["value"] == 42
        return result

    return attempt


@pytest.fixture(scope="session")
def is_running() -> Callable[[str], bool]:
    """Tell whether any process of the machine has a name; a snippet can give itself one."""

    def is_running(name: str) -> bool:
        for file in Path("/proc").glob("[0-9]*/comm"):
            with suppress(OSError):
                if file.read_text().strip() == name:
                    return True
        return False

    return is_running


def peak_mb(*, anew: bool = False) -> float:
    """Give the most memory that this process has had, ``anew``: from now on, where the system counts so."""
    with suppress(OSError):
        if anew:
            Path("/proc/self/clear_refs").write_text("5")
        found = re.search(r"VmHWM:\s+(\d+)", Path("/proc/self/status").read_text())
        return int(found[1]) / 1024 if found else 0.0
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1_048_576

"""What several test files of the core share: sample plugins, and places on the disk."""

from __future__ import annotations

import importlib
import importlib.util
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from ares_core import Ares

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # in the background of a shell Ctrl-C is ignored, also by what is started from here; tests of it need it back
    signal.signal(signal.SIGINT, signal.default_int_handler)


SAMPLES = Path(__file__).parent / "samples"


@pytest.fixture(scope="session", autouse=True)
def _own_state(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """No test reads or changes what the user keeps, or what those running beside it keep."""
    with pytest.MonkeyPatch.context() as patch:
        for name in ("XDG_CONFIG_HOME", "XDG_STATE_HOME"):
            patch.setenv(name, str(tmp_path_factory.mktemp(name.lower())))
        yield


@pytest.fixture(scope="session", autouse=True)
def _offline() -> Iterator[None]:
    """No name is looked up, but that of this machine: what a resolver says, and how soon, is no matter of tests."""
    look_up = socket.getaddrinfo

    def known(host: Any, port: Any, family: int = 0, type: int = 0, proto: int = 0, flags: int = 0) -> Any:
        is_here = host in (None, "", b"", "localhost", b"localhost")
        return look_up(host, port, family, type, proto, flags if is_here else flags | socket.AI_NUMERICHOST)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(socket, "getaddrinfo", known)
        yield


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A project folder to work in, below a home of its own, with nothing of how the user likes files and terminals."""
    for name in [name for name in os.environ if name.startswith("ARES_") or name in ("COLUMNS", "NO_COLOR")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "home" / "config"))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "home" / "state"))
    folder = tmp_path / "project"
    (folder / ".git").mkdir(parents=True)
    monkeypatch.chdir(folder)
    mask = os.umask(0o022)
    yield folder
    os.umask(mask)


@pytest.fixture
def eventually() -> Callable[[Callable[[], object]], None]:
    """Waits until something is so, however slow the machine is; gives up after a minute."""

    def wait(is_so: Callable[[], object]) -> None:
        until = time.monotonic() + 60
        while not is_so():
            assert time.monotonic() < until, "it never came to pass"
            time.sleep(0.001)

    return wait


@pytest.fixture
def sample() -> Callable[[str], ModuleType]:
    """Gives a sample plugin, as a module of its own."""
    return _sample


@pytest.fixture
def load(ares: Ares) -> Callable[[str], ModuleType]:
    """Loads a sample plugin into ``ares``; gives its module."""

    def load(name: str) -> ModuleType:
        module = _sample(name)
        ares.add(module)
        return module

    return load


def _sample(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, SAMPLES / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Site:
    """A folder of installed distributions, on the path."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def install(self, name: str, source: str | None = None, *, version: str = "1.0", value: str | None = None) -> str:
        """Install a distribution with one plugin: a sample of that name, or this source."""
        module = name.replace("-", "_")
        text = (SAMPLES / f"{module}.py").read_text("utf-8") if source is None else source
        (self.folder / f"{module}.py").write_text(text, "utf-8")
        self.distribution(f"ares_plugin_{module}", f"[ares.plugins]\n{name} = {value or module}\n", version)
        return name

    def distribution(self, name: str, entry_points: str | bytes | None, version: str = "1.0") -> Path:
        """Write the metadata of a distribution."""
        folder = self.folder / f"{name}-{version}.dist-info"
        folder.mkdir()
        importlib.invalidate_caches()  # a file made within a tick of the last look at its folder is overlooked
        (folder / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
        if entry_points is not None:
            raw = entry_points.encode() if isinstance(entry_points, str) else entry_points
            (folder / "entry_points.txt").write_bytes(raw)
        return folder

    def python(self, *arguments: str, cwd: Path | None = None, **variables: str) -> subprocess.CompletedProcess[str]:
        """Run Python with this folder on its path."""
        clean = {name: value for name, value in os.environ.items() if not name.startswith("ARES_")}
        environment = {**clean, "PYTHONPATH": str(self.folder), "PYTHONDONTWRITEBYTECODE": "1", **variables}
        return subprocess.run(
            [sys.executable, *arguments], capture_output=True, text=True, timeout=240, env=environment, check=False,
            cwd=cwd or self.folder.parent,
        )  # fmt: skip


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    """A folder of installed distributions, on the path of this process too."""
    folder = tmp_path / "site"
    folder.mkdir()
    monkeypatch.syspath_prepend(str(folder))
    yield Site(folder)
    for name, module in list(sys.modules.items()):
        if str(getattr(module, "__file__", None)).startswith(str(tmp_path)):
            del sys.modules[name]

"""Attempts to get out of the folder: whatever is tried, nothing outside is read or changed, on both ways of opening."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from ares_plugin_file_sandbox.access import Sandbox
from ares_plugin_file_sandbox.beneath import Beneath, find_openat2
from ares_plugin_file_sandbox.roots import Root, Roots
from ares_plugin_file_sandbox.walk import Walk
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ares_core import ToolError

SECRET = b"the secret"
WAYS: dict[str, Callable[[Roots], Walk]] = {"walk": Walk}
if (openat2 := find_openat2()) is not None:
    WAYS["openat2"] = partial(Beneath, openat2=openat2)
LINKS = {
    "to-file": "../out/secret.txt",
    "to-folder": "../out",
    "to-file-absolute": "{top}/out/secret.txt",
    "to-folder-absolute": "{top}/out",
    "first-of-two": "second-of-two",
    "second-of-two": "../out/secret.txt",
    "to-new": "../out/new.txt",
    "in/to-file": "../../out/secret.txt",
    "in/over": "../../box-evil",
    "in/back": "..",
    "in/round": "../in/../in/../../out/secret.txt",
    "up": "..",
    "top": "/",
    "process": "/proc/self",
    "handles": "/proc/self/fd",
    "zero": "/dev/zero",
    "loop": "loop",
    "loop-a": "loop-b",
    "loop-b": "loop-a",
    "dots": "../../../../../../../../../../../../../../../..{top}/out/secret.txt",
    "slashes": "..//out///secret.txt",
}
ATTACKS = [
    "../out/secret.txt", "./../out/secret.txt", "in/../../out/secret.txt", "in//..//..//out//secret.txt",
    "missing/../../out/secret.txt", "../box-evil/secret.txt", "in/../../box-evil/secret.txt", "..", "../", "../..",
    "/", "//", "{top}", "{top}/out", "{top}/out/secret.txt", "//{top}/out/secret.txt", "{top}/box/../out/secret.txt",
    "{top}/box-evil/secret.txt", "{top}/box/../box-evil/secret.txt", "{TOP}/OUT/SECRET.TXT", "{top}/BOX/ok.txt",
    *LINKS, "to-file/", "to-folder/", "to-folder/secret.txt", "to-folder/new.txt", "to-folder/new/deep",
    "to-folder-absolute/secret.txt", "to-folder/../out/secret.txt", "in/over/secret.txt", "in/back/../out/secret.txt",
    "in/back/up/out/secret.txt", "up/out/secret.txt", "up/up/{top}/out/secret.txt", "top{top}/out/secret.txt",
    "process/root{top}/out/secret.txt", "process/cwd/out/secret.txt", "process/fd/{fd}", "handles/{fd}",
    "/proc/self/fd/{fd}", "/proc/thread-self/fd/{fd}", "/dev/fd/{fd}", "/proc/self/root{top}/out/secret.txt",
    "/proc/self/environ", "/dev/stdin", "/dev/zero", "/etc/passwd", "hard", "in/hard", "pipe", "socket", "device",
    "ok.txt\0", "ok.txt\0/../../out/secret.txt", "../out/secret.txt\0.txt", "..\\out\\secret.txt",
    "%2e%2e/out/secret.txt", "%2e%2e%2fout%2fsecret.txt", "..%2fout/secret.txt", "..%c0%af..%c0%afout/secret.txt",
    "~/secret.txt", "~root/.profile", "$HOME/secret.txt", "${{HOME}}/secret.txt", "file://{top}/out/secret.txt",
    "file:{top}/out/secret.txt", "....//out/secret.txt", ".. /out/secret.txt", "../out/secret.txt ", " /etc/passwd",
    "\u2025/out/secret.txt", "\uff0e\uff0e/out/secret.txt", "..\u2215out\u2215secret.txt", "..\u2044out/secret.txt",
    "C:\\Windows\\win.ini",
    "\\\\server\\share\\x", "..\n/out/secret.txt", "\ud800/../../out", "../" * 1000 + "etc/passwd",
    "in/../" * 600 + "../out/secret.txt", "x" * 300, "x/" * 2000, "x" * 5000, "in/" * 1300 + "x",
]  # fmt: skip


class World:
    """A folder that is allowed, and what lies around it."""

    def __init__(self, top: Path, way: str) -> None:
        self.top = top
        for folder in ("box/in", "out", "box-evil"):
            (top / folder).mkdir(parents=True)
        for folder in ("out", "box-evil"):
            (top / folder / "secret.txt").write_bytes(SECRET)
        (top / "box/ok.txt").write_bytes(b"ok")
        for name, target in LINKS.items():
            os.symlink(target.format(top=top), top / "box" / name)
        for name in ("hard", "in/hard"):
            os.link(top / "out/secret.txt", top / "box" / name)
        os.mkfifo(top / "box/pipe")
        with suppress(PermissionError):  # only root may make one
            os.mknod(top / "box/device", 0o20666, os.makedev(1, 5))
        self.socket = socket.socket(socket.AF_UNIX)
        self.fd = os.open(top / "out/secret.txt", os.O_RDWR)
        self.files = Sandbox(lambda: WAYS[way](Roots([Root(str(top / "box"))])))
        self.before = self.outside()

    def close(self) -> None:
        self.socket.close()
        os.close(self.fd)

    def outside(self) -> dict[str, Any]:
        """Everything that must stay as it is."""
        found: dict[str, Any] = {}
        for folder in ("out", "box-evil"):
            for path in [self.top / folder, *(self.top / folder).rglob("*")]:
                info = path.stat()
                content = path.read_bytes() if path.is_file() else sorted(os.listdir(path))
                found[str(path)] = (content, info.st_mode, info.st_mtime_ns)
        return found | {"top": sorted(os.listdir(self.top))}

    def path(self, attack: str) -> str:
        return attack.format(top=self.top, TOP=str(self.top).upper(), fd=self.fd)


def read(files: Sandbox, path: str) -> bytes:
    with files.open(path) as file:
        return file.read(100)


def tries(files: Sandbox, path: str) -> Iterator[Callable[[], Any]]:
    """Everything that a tool could do with a path."""

    def put(mode: Any) -> None:
        with files.open(path, mode) as file:
            file.write(b"changed")

    yield lambda: read(files, path)
    yield lambda: [entry.path for entry in files.list(path)]
    yield lambda: put("xb")
    yield lambda: put("ab")
    yield lambda: put("wb")
    yield lambda: files.write(path, b"changed")
    yield lambda: files.mkdir(path)
    yield lambda: files.rename("ok.txt", path)
    yield lambda: files.rename("ok.txt", path, overwrite=False)
    yield lambda: files.rename(path, "taken")
    yield lambda: read(files, "taken")
    yield lambda: files.remove(path)


@pytest.fixture
def world(tmp_path: Path, way: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[World]:
    made = World(tmp_path, way)
    monkeypatch.setenv("HOME", str(tmp_path / "out"))
    monkeypatch.chdir(tmp_path)
    made.socket.bind("box/socket")
    yield made
    made.close()


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: ascii(attack)[1:50])
def test_no_path_leads_out(world: World, attack: str) -> None:
    path = world.path(attack)
    for attempt in tries(world.files, path):
        with suppress(ToolError, OSError):
            assert "secret" not in repr(attempt())
    assert world.outside() == world.before


def test_there_are_enough_attacks() -> None:
    assert len(set(ATTACKS)) == len(ATTACKS) > 80


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(
    "path",
    [
        "ok.txt",
        "./ok.txt",
        "in/../ok.txt",
        "in/back/ok.txt",
        "{top}/box/ok.txt",
        "../box/ok.txt",
        "//{top}/box//ok.txt",
    ],
)
def test_what_lies_inside_is_reached_in_every_spelling(world: World, path: str) -> None:
    assert read(world.files, world.path(path)) == b"ok"


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("target", ["in/k.txt", "in/back/in/k.txt", "{top}/box/in/k.txt", "./in//k.txt", "chain"])
def test_a_link_that_stays_inside_is_followed(world: World, target: str) -> None:
    os.symlink("in/k.txt", world.top / "box/chain")
    os.symlink(target.format(top=world.top), world.top / "box/link")
    world.files.write("in/k.txt", b"k")
    assert read(world.files, "link") == b"k"
    world.files.write("link", b"new")
    assert (world.top / "box/in/k.txt").read_bytes() == b"new"
    assert (world.top / "box/link").is_symlink()


@pytest.mark.parametrize("way", WAYS)
def test_a_link_out_can_be_deleted_but_not_what_it_leads_to(world: World) -> None:
    world.files.remove("to-file")
    world.files.remove("to-folder")
    assert not os.path.lexists(world.top / "box/to-file")
    assert world.outside() == world.before


@pytest.mark.parametrize("way", WAYS)
def test_a_pipe_keeps_nobody_waiting(world: World) -> None:
    for mode in ("rb", "wb", "ab"):
        with pytest.raises(ToolError, match="no regular file"):
            world.files.open("pipe", mode)


@pytest.mark.parametrize("way", WAYS)
def test_a_file_with_a_second_name_is_refused_until_that_is_allowed(world: World, way: str) -> None:
    with pytest.raises(ToolError, match="3 names"):
        world.files.open("hard")
    trusting = Sandbox(lambda: WAYS[way](Roots([Root(str(world.top / "box"))], hard_links=True)))
    assert read(trusting, "hard") == SECRET


NAMES = [
    "in",
    "ok.txt",
    "..",
    ".",
    "",
    "up",
    "to-folder",
    "in/back",
    "secret.txt",
    "out",
    "box",
    "loop",
    "missing",
    "chain",
]


@given(st.lists(st.sampled_from(NAMES), min_size=1, max_size=8), st.booleans())
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_both_ways_give_the_same_verdict(both: tuple[World, Sandbox], names: list[str], is_absolute: bool) -> None:
    world, other = both
    path = "/".join([str(world.top / "box")] * is_absolute + names)
    assert verdict(world.files, path) == verdict(other, path)


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[World, Sandbox]]:
    world = World(tmp_path_factory.mktemp("world"), "walk")
    yield world, Sandbox(lambda: list(WAYS.values())[-1](Roots([Root(str(world.top / "box"))])))
    world.close()


def verdict(files: Sandbox, path: str) -> Any:
    try:
        return files.stat(path)
    except ToolError as error:
        return error.message
    except OSError as error:
        return error.errno

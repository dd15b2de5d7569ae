"""Somebody swaps folders, files and links while tools work: what is outside is neither read nor changed."""

from __future__ import annotations

import ctypes
import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from ares_plugin_file_sandbox.access import Sandbox
from ares_plugin_file_sandbox.beneath import Beneath, find_openat2
from ares_plugin_file_sandbox.roots import Root, Roots
from ares_plugin_file_sandbox.walk import Walk

from ares_core import ToolError

WAYS: dict[str, Callable[[Roots], Walk]] = {"walk": Walk}
if (openat2 := find_openat2()) is not None:
    WAYS["openat2"] = partial(Beneath, openat2=openat2)
ROUNDS = 1500
SECONDS = 1.0


def read(files: Sandbox, path: str) -> bytes:
    with files.open(path) as file:
        return file.read()


def put(files: Sandbox, path: str) -> None:
    with files.open(path, "wb") as file:
        file.write(b"changed")


def move_in(files: Sandbox) -> None:
    files.write("mine", b"mine")
    files.rename("mine", "d/f.txt")


WORK: dict[str, Callable[[Sandbox, int], Any]] = {
    "read": lambda files, number: read(files, "d/f.txt"),
    "read a file": lambda files, number: read(files, "f"),
    "read through a link": lambda files, number: read(files, "l"),
    "list": lambda files, number: [entry.path for entry in files.list("d")],
    "look": lambda files, number: b"outside" if files.stat("f").size == 7 else b"",
    "open to write": lambda files, number: put(files, "f"),
    "write": lambda files, number: files.write("d/f.txt", b"changed"),
    "write anew": lambda files, number: files.write(f"d/{number}", b"new"),
    "make a folder": lambda files, number: files.mkdir(f"d/{number}/x"),
    "move in": lambda files, number: move_in(files),
    "move out": lambda files, number: files.rename("d/f.txt", "taken", overwrite=False),
    "delete": lambda files, number: files.remove("d/f.txt"),
}


@pytest.fixture
def top(tmp_path: Path) -> Path:
    """A folder ``box`` with an honest folder and file, each with its evil double; ``out`` is what must stay."""
    for folder in ("box/d", "out"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "out/f.txt").write_bytes(b"outside")
    for name in ("box/d/f.txt", "box/f"):
        (tmp_path / name).write_bytes(b"in")
    os.symlink("../out", tmp_path / "box/d-double")
    os.symlink("../out/f.txt", tmp_path / "box/f-double")
    os.symlink("d/f.txt", tmp_path / "box/l")
    return tmp_path


def exchange(one: Path, other: Path) -> None:
    """Swap two names: in one step where the system can, so that neither is ever missing."""
    renameat2 = getattr(ctypes.CDLL(None), "renameat2", None)
    if renameat2 is None:
        aside = one.with_name(f"{one.name}-aside")
        for old, new in ((one, aside), (other, one), (aside, other)):
            os.rename(old, new)
    else:
        renameat2(-100, bytes(one), -100, bytes(other), 2)


@contextmanager
def swapping(box: Path) -> Iterator[None]:
    """Swap ``d`` and ``f`` with their doubles, again and again, until the work is done."""
    done = threading.Event()

    def swap() -> None:
        while not done.is_set():
            for name in ("d", "f"):
                with suppress(OSError):
                    exchange(box / name, box / f"{name}-double")

    swapper = threading.Thread(target=swap)
    swapper.start()
    try:
        yield
    finally:
        done.set()
        swapper.join()


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("work", WORK)
def test_swapping_while_tools_work_gains_nothing(top: Path, way: str, work: str) -> None:
    files = Sandbox(lambda: WAYS[way](Roots([Root(str(top / "box"))])))
    until = time.monotonic() + SECONDS
    with swapping(top / "box"):
        for number in count():
            if number >= ROUNDS or (number and time.monotonic() > until):
                break
            with suppress(ToolError, OSError):
                assert b"outside" not in repr(WORK[work](files, number)).encode()
    assert sorted(os.listdir(top / "out")) == ["f.txt"]
    assert (top / "out/f.txt").read_bytes() == b"outside"
    assert number > 0


def test_the_race_is_one_that_a_check_before_the_use_loses(top: Path) -> None:
    """The same race against paths that are resolved, checked and then opened again: there it must succeed."""
    box, until = str(top / "box"), time.monotonic() + 60 * SECONDS
    with swapping(top / "box"):
        while time.monotonic() < until:
            with suppress(OSError):
                if os.path.realpath(f"{box}/d/f.txt").startswith(box):
                    with open(f"{box}/d/f.txt", "rb") as file:
                        if file.read() == b"outside":
                            return
    pytest.fail("nothing got out in a minute, so the swapping is too tame to prove anything")

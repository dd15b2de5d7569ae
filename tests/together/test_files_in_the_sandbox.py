"""``file_tools``, ``hash_tool`` and the file sandbox together: what is inside works, and nothing outside is touched."""

from __future__ import annotations

import hashlib
import os
import tracemalloc
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from ares_core import Ares, Result

Call = Callable[..., Result]
MEGABYTE = 1_048_576


@pytest.fixture
def box(tmp_path: Path) -> Path:
    for name in ("box/in", "box-evil", "out"):
        (tmp_path / name).mkdir(parents=True)
    for name in ("box-evil/s.txt", "out/s.txt"):
        (tmp_path / name).write_text("secret")
    links = {"d": "../out", "f": "../out/s.txt", "dangling": "../out/created.txt", "loop": "loop", "ok": "in/k.txt"}
    for name, target in links.items():
        os.symlink(target, tmp_path / "box" / name)
    os.link(tmp_path / "out/s.txt", tmp_path / "box/hard")
    (tmp_path / "box/in/k.txt").write_text("k")
    return tmp_path / "box"


@pytest.fixture
def ares(box: Path) -> Iterator[Ares]:
    config = {"tools": {"file_sandbox_dir": str(box)}}
    with Ares(plugins=["file-sandbox", "files", "hash"], config=config) as ares:
        yield ares


@pytest.fixture
def call(ares: Ares) -> Call:
    return lambda **arguments: ares.call_sync("file_tools", arguments)


OUTSIDE = [
    "../box-evil/s.txt", "{top}/box-evil/s.txt", "{top}/out/s.txt", "in/../../out/s.txt", "/etc/passwd",
    "/proc/self/environ", "//server/share/x", "f", "d", "d/s.txt", "d/new.txt", "dangling", "hard",
]  # fmt: skip
READING = ("read", "list", "stat")
CHANGING = ("write", "append", "mkdir", "delete", "move", "copy")


def outside(box: Path) -> Any:
    folders = [box.parent / name for name in ("out", "box-evil")]
    return [(path.name, path.read_text(), path.stat().st_mtime_ns) for folder in folders for path in folder.iterdir()]


@pytest.mark.parametrize("path", OUTSIDE)
def test_no_operation_gets_outside(call: Call, box: Path, path: str) -> None:
    path, before = path.format(top=box.parent), outside(box)
    for operation in READING:
        assert "secret" not in str(call(operation=operation, path=path).data)
    for operation in CHANGING:
        more = {"content": "x"} if operation in ("write", "append") else {}
        destination = {"destination": "taken"} if operation in ("move", "copy") else {}
        call(operation=operation, path=path, **more, **destination)
    for operation in ("move", "copy"):
        call(operation=operation, path="in/k.txt", destination=path, overwrite=True)
    assert outside(box) == before
    assert "secret" not in call(operation="read", path="taken").text


@pytest.mark.parametrize("path", [path for path in OUTSIDE if path != "hard"])
def test_the_refusal_is_early_and_names_the_key(ares: Ares, call: Call, box: Path, path: str) -> None:
    path = path.format(top=box.parent)
    refusals = [call(operation="read", path=path), ares.call_sync("hash_tool", {"operation": "md5", "path": path})]
    for refused in refusals:
        assert refused.error is not None
        assert refused.error.code == "denied"
        assert "tools.file_sandbox_dir" in refused.text
        assert "Not executed." in refused.text


def test_a_file_is_hashed_inside_and_never_outside(ares: Ares) -> None:
    def hashed(path: str) -> Result:
        return ares.call_sync("hash_tool", {"operation": "sha256", "path": path})

    assert hashed("in/k.txt").data["output"] == hashed("ok").data["output"] == hashlib.sha256(b"k").hexdigest()
    assert hashlib.sha256(b"secret").hexdigest() not in hashed("hard").text
    assert "hard links" in hashed("hard").text


@pytest.mark.parametrize(
    ("raw", "changed"),
    [
        ("610d0a620d0a", "410d0a620d0a"),
        ("610d0a620a630d", "410d0a620a630d"),
        ("efbbbf610a", "efbbbf410a"),
        ("610a62", "410a62"),
        ("636166e90a", "634166e90a"),
        ("bac3b0c90a", "bac3b0c90a"),
        ("fffe61000a00", "fffe41000a00"),
        ("0000feff00000061", "0000feff00000041"),
    ],
)
def test_reading_changing_and_writing_changes_nothing_else(call: Call, box: Path, raw: str, changed: str) -> None:
    (box / "a.txt").write_bytes(bytes.fromhex(raw))
    content = call(operation="read", path="a.txt").data["content"]
    assert call(operation="write", path="a.txt", content=content.replace("a", "A")).success
    assert (box / "a.txt").read_bytes().hex() == changed


def test_a_mode_is_kept_and_a_second_process_never_sees_half_a_file(call: Call, box: Path) -> None:
    (box / "keep.txt").write_text("old\n")
    (box / "keep.txt").chmod(0o640)
    with open(box / "keep.txt", encoding="utf-8") as reader:
        assert "overwrote 4 bytes" in call(operation="write", path="keep.txt", content="new").text
        assert reader.read() == "old\n"
    assert (box / "keep.txt").stat().st_mode & 0o777 == 0o640
    assert sorted(os.listdir(box)) == sorted(["d", "dangling", "f", "hard", "in", "keep.txt", "loop", "ok"])


@pytest.mark.parametrize("path", ["%2e%2e/s.txt", "..\\s.txt", "$HOME/x", "....//s.txt", "loop", "x" * 300, "-rf"])
def test_what_only_looks_like_a_way_out_is_a_name_like_any_other(call: Call, path: str) -> None:
    result = call(operation="read", path=path)
    assert result.error is not None
    assert result.error.code == "tool_error"
    assert "Errno" not in result.text


def test_a_deep_and_wide_tree_is_listed_within_bounds(call: Call, box: Path) -> None:
    folder = os.open(box / "in", os.O_RDONLY)
    for _ in range(300):
        os.mkdir("d", dir_fd=folder)
        folder, above = os.open("d", os.O_RDONLY, dir_fd=folder), folder
        os.close(above)
    os.close(folder)
    (box / "many").mkdir()
    for number in range(3000):
        (box / "many" / f"{number:04}").touch()
    result = call(operation="list", recursive=True)
    assert (len(result.data["entries"]), result.data["complete"]) == (500, False)
    assert "64 levels down" in result.text
    found = call(operation="list", pattern="many/*", offset=2999)
    assert [entry["path"] for entry in found.data["entries"]] == ["many/2999"]
    assert call(operation="list", path="many", limit=10_000).data["total"] == 3000


def peak_of(work: Callable[[], Any]) -> int:
    """The most memory that the work had at any time."""
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_a_large_file_is_paged_and_hashed_in_little_memory(ares: Ares, call: Call, box: Path) -> None:
    with open(box / "large", "wb") as file:
        file.truncate(200 * MEGABYTE)

    def page_through() -> None:
        for start in range(0, 200 * MEGABYTE, 40 * MEGABYTE):
            page = call(operation="read", path="large", unit="bytes", offset=start, encoding="latin-1", limit=1_000_000)
            assert page.data["next"] == {"offset": start + 1_000_000, "unit": "bytes"}

    assert peak_of(page_through) < 30 * MEGABYTE
    assert peak_of(lambda: ares.call_sync("hash_tool", {"operation": "crc32", "path": "large"})) < 30 * MEGABYTE
    assert "a binary file" in call(operation="read", path="large").text


def test_in_a_folder_that_does_not_stay_one_is_told_which_setting_names_another() -> None:
    with Ares(plugins=["file-sandbox", "files"]) as ares:
        told: list[str] = []
        ares.on_event(lambda event: told.append(event.data.get("message", "")))
        missing = ares.call_sync("file_tools", {"operation": "read", "path": "a.txt"})
        assert "tools.file_sandbox_dir names one that stays" in missing.text
        assert ares.call_sync("file_tools", {"operation": "write", "path": "a.txt", "content": "a"}).success
    assert any("tools.file_sandbox_dir" in message for message in told)


def test_in_a_folder_that_stays_nothing_is_said_of_it(call: Call) -> None:
    assert "file_sandbox_dir" not in call(operation="read", path="missing.txt").text


def test_nothing_found_in_a_temporary_folder_says_that_it_is_one() -> None:
    told: list[str] = []
    with Ares(plugins=["files", "file-sandbox"]) as ares:
        ares.on_event(lambda event: told.append(str(event.data.get("message"))), kinds=["progress"])
        for arguments in ({"operation": "list"}, {"operation": "exists", "path": "a.txt"}):
            assert ares.call_sync("file_tools", arguments).success
    assert [message.split(";")[0] for message in told] == ["These files are in a temporary folder of this process"] * 2

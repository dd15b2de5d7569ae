"""What ``file_tools`` does, over a file provider that knows no walls."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import ares_plugin_files
import pytest
from ares_plugin_files.schema import EXAMPLES

from ares_core import Ares, FileStat, Result, hookimpl
from ares_core.testing import check_plugin


class Folder:
    """A provider for one folder, which trusts everybody."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.disk_is_full = False
        self.closed = ""

    @hookimpl
    def open_files(self) -> Any:
        return self

    def open(self, path: str, mode: str = "rb") -> Any:
        return open(self.root / path, mode)

    def write(self, path: str, data: bytes | Iterable[bytes], mode: int | None = None) -> int:
        if self.disk_is_full:
            raise OSError(28, "No space left on device", path)
        return (self.root / path).write_bytes(data if isinstance(data, bytes) else b"".join(data))

    def stat(self, path: str) -> FileStat:
        info, real = (self.root / path).stat(), self.root / path
        return FileStat(
            path, "directory" if real.is_dir() else "file", info.st_size, info.st_mtime, info.st_mode & 0o777
        )

    def list(self, path: str = ".") -> Iterator[FileStat]:
        if path == self.closed:
            raise PermissionError(13, "Permission denied", path)
        return map(
            self._entry,
            sorted(os.path.join("" if path == "." else path, name) for name in os.listdir(self.root / path)),
        )

    def _entry(self, path: str) -> FileStat:
        real = self.root / path
        info = real.lstat()
        kind: Any = "link" if real.is_symlink() else "directory" if real.is_dir() else "file"
        return FileStat(path, kind, info.st_size, info.st_mtime, info.st_mode & 0o777)

    def mkdir(self, path: str) -> None:
        (self.root / path).mkdir(parents=True, exist_ok=True)

    def rename(self, source: str, destination: str, overwrite: bool = True) -> None:
        os.rename(self.root / source, self.root / destination)

    def remove(self, path: str) -> None:
        real = self.root / path
        os.rmdir(real) if real.is_dir() and not real.is_symlink() else os.unlink(real)


Call = Callable[..., Result]


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    (tmp_path / "box").mkdir()
    return Folder(tmp_path / "box")


@pytest.fixture
def call(ares: Ares, folder: Folder) -> Call:
    ares.add(ares_plugin_files)
    ares.add(folder)
    return lambda **arguments: ares.call_sync("file_tools", arguments)


def tree(folder: Folder) -> dict[str, bytes | None]:
    found = sorted(folder.root.rglob("*"))
    return {str(path.relative_to(folder.root)): path.read_bytes() if path.is_file() else None for path in found}


def test_the_plugin_stands_what_every_plugin_should() -> None:
    check_plugin("ares_plugin_files")


def test_the_examples_run(call: Call, folder: Folder) -> None:
    folder.write("server.log", b"line\n" * 3000)
    for example in EXAMPLES:
        assert call(**example).success, example


def test_what_was_written_is_read_as_it_is(call: Call, folder: Folder) -> None:
    written = call(operation="write", path="notes/new/a.txt", content="one\r\ntwo\n你好")
    assert (written.data["bytes"], written.data["created"]) == (15, True)
    assert (folder.root / "notes/new/a.txt").read_bytes() == "one\r\ntwo\n你好".encode()
    page = call(operation="read", path="notes/new/a.txt")
    assert page.data["content"] == page.text == "one\r\ntwo\n你好"
    assert (page.data["lines"], page.data["total_lines"], page.data["encoding"]) == (3, 3, "utf-8")
    assert "next" not in page.data


def test_overwriting_is_said(call: Call) -> None:
    call(operation="write", path="a.txt", content="old!")
    result = call(operation="write", path="a.txt", content="new")
    assert result.data["overwrote"] == 4
    assert result.text == "wrote 3 bytes to a.txt, overwrote 4 bytes"


def test_appending_goes_on_where_the_file_ends(call: Call) -> None:
    assert call(operation="append", path="log/a.txt", content="one\n").data["created"]
    assert call(operation="append", path="log/a.txt", content="two\n").data["size"] == 8
    assert call(operation="read", path="log/a.txt").text == "one\ntwo\n"


def test_an_empty_file_says_so(call: Call) -> None:
    call(operation="write", path="a.txt", content="")
    assert call(operation="read", path="a.txt").text == "(a.txt is empty)"
    assert "empty" in call(operation="read", path="a.txt", offset=1).text


def test_a_full_disk_leaves_the_old_file(call: Call, folder: Folder) -> None:
    folder.write("a.txt", b"old")
    folder.disk_is_full = True
    result = call(operation="write", path="a.txt", content="new")
    assert result.error is not None
    assert "the disk is full" in result.error.message
    assert result.error.blame == "world"
    assert tree(folder) == {"a.txt": b"old"}


def test_lists_are_in_order_and_counted(call: Call, folder: Folder) -> None:
    for path in ("b.txt", "a/x.md", "a/deep/y.md", "c.MD"):
        call(operation="write", path=path, content="12")
    os.symlink("..", folder.root / "a/up")
    flat = call(operation="list")
    assert [entry["path"] for entry in flat.data["entries"]] == ["a", "b.txt", "c.MD"]
    assert flat.text.startswith("3 entries in . (1 folder, 2 files):\na/\nb.txt  2 bytes  20")
    deep = call(operation="list", path="a", recursive=True)
    assert [entry["path"] for entry in deep.data["entries"]] == ["a/deep", "a/deep/y.md", "a/up", "a/x.md"]
    assert "a/up  link" in deep.text
    page = call(operation="list", recursive=True, offset=1, limit=2)
    assert [entry["path"] for entry in page.data["entries"]] == ["a/deep", "a/deep/y.md"]
    assert (page.data["total"], page.data["next"]) == (7, {"offset": 3})
    assert page.text.endswith("[go on with offset 3]")


@pytest.mark.parametrize(
    ("pattern", "recursive", "found"),
    [
        ("*.md", False, ["r.md"]),
        ("*.md", True, ["r.md", "s/q.md", "s/t/u.md"]),
        ("**/*.md", False, ["r.md", "s/q.md", "s/t/u.md"]),
        ("s/*.md", False, ["s/q.md"]),
        ("s/**/*.md", False, ["s/q.md", "s/t/u.md"]),
        ("*/t/*", False, ["s/t/u.md"]),
        ("?.md", False, ["r.md"]),
        ("[!r].md", True, ["s/q.md", "s/t/u.md"]),
        ("**", False, ["r.md", "s", "s/q.md", "s/t", "s/t/u.md"]),
        ("*.MD", True, []),
        ("**/" * 60 + "*a" * 400, True, []),
    ],
)
def test_patterns_find_what_they_name(call: Call, pattern: str, recursive: bool, found: list[str]) -> None:
    for path in ("r.md", "s/q.md", "s/t/u.md"):
        call(operation="write", path=path, content="")
    result = call(operation="list", pattern=pattern, recursive=recursive)
    assert [entry["path"] for entry in result.data["entries"]] == found


@pytest.mark.parametrize("pattern", ["../*", "/etc/*", "a/../../*", "/", "."])
def test_a_pattern_leads_nowhere_else(call: Call, pattern: str) -> None:
    assert "leads elsewhere" in call(operation="list", pattern=pattern).text


def test_names_that_are_no_text_are_shown_on_one_line_each(call: Call, folder: Folder) -> None:
    for name in (b"bad\xff", b"two\nlines", b"good"):
        with open(os.path.join(bytes(folder.root), name), "wb"):
            pass
    result = call(operation="list")
    assert [entry["path"] for entry in result.data["entries"]] == ["bad\\udcff", "good", "two\\nlines"]
    assert [entry.get("escaped", False) for entry in result.data["entries"]] == [True, False, True]
    assert len(result.text.splitlines()) == 4


def test_a_folder_that_cant_be_looked_into_is_noted_and_the_rest_listed(call: Call, folder: Folder) -> None:
    for path in ("closed/a", "open/b"):
        call(operation="write", path=path, content="")
    folder.closed = "closed"
    result = call(operation="list", recursive=True)
    assert [entry["path"] for entry in result.data["entries"]] == ["closed", "open", "open/b"]
    assert not result.data["complete"]
    assert "closed can't be looked into: Permission denied" in result.text


def test_moving_renames_and_makes_the_folder(call: Call, folder: Folder) -> None:
    call(operation="write", path="a.txt", content="a")
    assert call(operation="move", path="a.txt", destination="new/b.txt").text == "moved a.txt to new/b.txt"
    assert tree(folder) == {"new": None, "new/b.txt": b"a"}
    assert call(operation="move", path="new", destination="newer").success
    assert tree(folder) == {"newer": None, "newer/b.txt": b"a"}


@pytest.mark.parametrize("operation", ["move", "copy"])
def test_nothing_is_replaced_unless_that_is_asked_for(call: Call, folder: Folder, operation: str) -> None:
    for path in ("a.txt", "b.txt", "c/d.txt"):
        call(operation="write", path=path, content=path)
    before = tree(folder)
    for destination, sentence in (
        ("b.txt", "overwrite: true"), ("c", "use 'c/a.txt'"), ("./a.txt", "the same"), ("a.txt/x", "lies within"),
    ):  # fmt: skip
        assert sentence in call(operation=operation, path="a.txt", destination=destination).text
    assert tree(folder) == before
    assert "overwrote 5 bytes" in call(operation=operation, path="a.txt", destination="b.txt", overwrite=True).text
    assert (folder.root / "b.txt").read_bytes() == b"a.txt"


def test_copying_a_folder_has_to_be_asked_for(call: Call, folder: Folder) -> None:
    call(operation="write", path="a/b/c.txt", content="c")
    call(operation="mkdir", path="a/empty")
    os.symlink("b", folder.root / "a/link")
    assert "recursive: true" in call(operation="copy", path="a", destination="z").text
    result = call(operation="copy", path="a", destination="z", recursive=True)
    assert (result.data["files"], result.data["skipped"]) == (1, ["a/link"])
    assert {path for path in tree(folder) if path.startswith("z")} == {"z", "z/b", "z/b/c.txt", "z/empty"}
    assert "lies within" in call(operation="copy", path="a", destination="a/b/a", recursive=True).text


def test_deleting_a_folder_with_something_in_it_has_to_be_asked_for(call: Call, folder: Folder) -> None:
    (folder.root.parent / "kept").mkdir()
    (folder.root.parent / "kept/x").write_text("kept")
    call(operation="write", path="a/b/c.txt", content="c")
    os.symlink(folder.root.parent / "kept", folder.root / "a/link")
    assert "recursive: true" in call(operation="delete", path="a").text
    assert call(operation="delete", path="a", recursive=True).text == "deleted a and 3 entries in it"
    assert tree(folder) == {}
    assert (folder.root.parent / "kept/x").read_text() == "kept"


def test_looking_at_one_path(call: Call, folder: Folder) -> None:
    call(operation="write", path="a/b.txt", content="1234")
    os.chmod(folder.root / "a/b.txt", 0o640)
    assert call(operation="exists", path="a/b.txt").data["exists"] is True
    assert call(operation="exists", path="a/none").data["exists"] is False
    assert call(operation="exists", path="a/b.txt/c").data["exists"] is False
    found = call(operation="stat", path="a/b.txt")
    assert (found.data["kind"], found.data["size"], found.data["mode"]) == ("file", 4, "640")
    assert found.text.startswith("a/b.txt: file, 4 bytes, changed 20")


def test_what_is_not_there_but_in_another_spelling_is_named(call: Call) -> None:
    for name in ("cafe\u0301.txt", "Readme.md"):
        call(operation="write", path=name, content="x")
    missing = call(operation="exists", path="caf\u00e9.txt")
    assert (missing.data["exists"], missing.data["similar"]) == (False, ["cafe\u0301.txt"])
    assert call(operation="exists", path="README.MD").text == "there is no README.MD; did you mean 'Readme.md'?"
    assert "similar" not in call(operation="exists", path="none").data


def test_making_a_folder_twice_is_no_error(call: Call) -> None:
    assert call(operation="mkdir", path="a/b").data["created"] is True
    assert call(operation="mkdir", path="a/b").data["created"] is False


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"operation": "read", "path": "."}, "a folder"),
        ({"operation": "list", "path": "a.txt"}, "a file"),
        ({"operation": "write", "path": "a.txt/new", "content": "x"}, "a file"),
        ({"operation": "mkdir", "path": "a.txt"}, "there already"),
        ({"operation": "copy", "path": "none", "destination": "x/new"}, "no file or folder 'none'"),
        ({"operation": "move", "path": "none", "destination": "x/new"}, "no file or folder 'none'"),
        ({"operation": "delete", "path": "none"}, "no file or folder 'none'"),
        ({"operation": "read", "path": "y" * 300}, "too long"),
    ],
)
def test_what_the_system_refuses_is_said_and_changes_nothing(
    call: Call, folder: Folder, arguments: dict[str, Any], sentence: str
) -> None:
    folder.write("a.txt", b"a")
    assert sentence in call(**arguments).text
    assert tree(folder) == {"a.txt": b"a"}


class Endless(Folder):
    """Folders in folders, without end and too many to look at."""

    def list(self, path: str = ".") -> Iterator[FileStat]:
        return (FileStat(f"{path}/{number}", "directory", 0, 0.0) for number in range(3))

    def remove(self, path: str) -> None:
        raise OSError(39, "Directory not empty", path)


def test_a_list_comes_to_an_end_wherever_it_is_asked_for(ares: Ares, tmp_path: Path) -> None:
    ares.add(ares_plugin_files)
    ares.add(Endless(tmp_path))
    result = ares.call_sync("file_tools", {"operation": "list", "recursive": True, "limit": 3})
    assert len(result.data["entries"]) == 3
    assert result.data["total"] == 200_000
    assert result.text.startswith("at least 200,000 entries")
    assert "64 levels down is not looked into" in result.text
    assert len(result.text) < 10_000
    refused = ares.call_sync("file_tools", {"operation": "delete", "path": "a", "recursive": True})
    assert "more than 10,000 entries; nothing was changed" in refused.text

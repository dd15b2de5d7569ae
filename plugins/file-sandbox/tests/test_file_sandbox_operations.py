"""What the file access does with files that are allowed, on both ways of opening them."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from ares_plugin_file_sandbox import beneath, opening
from ares_plugin_file_sandbox.access import Sandbox
from ares_plugin_file_sandbox.beneath import Beneath, find_openat2
from ares_plugin_file_sandbox.opening import choose_way
from ares_plugin_file_sandbox.roots import Root, Roots
from ares_plugin_file_sandbox.walk import Walk

from ares_core import FileAccess, FileStat, ToolError

WAYS: dict[str, Callable[[Roots], Walk]] = {"walk": Walk}
if (openat2 := find_openat2()) is not None:
    WAYS["openat2"] = partial(Beneath, openat2=openat2)


@pytest.fixture
def box(tmp_path: Path) -> Path:
    (tmp_path / "box/sub").mkdir(parents=True)
    (tmp_path / "box/a.txt").write_text("inside")
    (tmp_path / "box/sub/b.txt").write_text("12")
    os.symlink("../outside", tmp_path / "box/link")
    return tmp_path / "box"


@pytest.fixture(params=WAYS)
def files(box: Path, request: pytest.FixtureRequest) -> FileAccess:
    return Sandbox(lambda: WAYS[request.param](Roots([Root(str(box))])))


def test_it_is_a_file_access(files: FileAccess) -> None:
    assert isinstance(files, FileAccess)


def test_a_write_that_fails_leaves_the_old_file_and_nothing_else(files: FileAccess, box: Path) -> None:
    def broken() -> Iterator[bytes]:
        yield b"x"
        raise OSError(28, "No space left on device")

    before = sorted(os.listdir(box))
    with pytest.raises(OSError, match="No space left"):
        files.write("a.txt", broken())
    assert (box / "a.txt").read_text() == "inside"
    assert sorted(os.listdir(box)) == before


def test_a_write_keeps_permissions_and_gives_a_new_file_those_that_are_asked_for(files: FileAccess, box: Path) -> None:
    (box / "a.txt").chmod(0o640)
    assert files.write("a.txt", [b"ne", b"w"]) == 3
    assert (box / "a.txt").read_text() == "new"
    assert files.stat("a.txt").mode == 0o640
    files.write("run", b"#!", 0o4700)
    assert files.stat("run").mode == 0o700


def test_each_way_of_opening_does_what_its_name_says(files: FileAccess, box: Path) -> None:
    with files.open("a.txt", "ab") as file:
        file.write(b"+")
    assert (box / "a.txt").read_text() == "inside+"
    with files.open("a.txt", "wb") as file:
        file.write(b"new")
    with pytest.raises(FileExistsError):
        files.open("a.txt", "xb")
    wrong: Any = "r"
    with pytest.raises(ToolError, match="not 'r'"):
        files.open("a.txt", wrong)
    assert (box / "a.txt").read_text() == "new"


def test_errors_name_the_path_as_it_was_given(files: FileAccess) -> None:
    with pytest.raises(FileNotFoundError) as missing:
        files.open("sub/../none/x")
    assert missing.value.filename == "sub/../none/x"
    with pytest.raises(NotADirectoryError):
        files.open("a.txt/")
    with pytest.raises(NotADirectoryError):
        files.stat("a.txt/x")
    with pytest.raises(IsADirectoryError):
        files.open("sub")


def test_a_list_is_in_order_and_shows_links_as_links(files: FileAccess, box: Path) -> None:
    found = [(entry.path, entry.kind, entry.size) for entry in files.list()]
    assert found == [("a.txt", "file", 6), ("link", "link", 0), ("sub", "directory", 0)]
    assert [entry.path for entry in files.list(str(box / "sub"))] == [str(box / "sub/b.txt")]
    (entry,) = files.list("sub/")
    assert isinstance(entry, FileStat)
    assert files.stat(entry.path) == entry


def test_an_entry_that_goes_while_the_list_is_read_is_left_out(files: FileAccess, box: Path) -> None:
    listing = files.list()
    assert next(listing).path == "a.txt"
    (box / "link").unlink()
    assert [entry.path for entry in listing] == ["sub"]


def test_folders_are_made_with_those_above_them(files: FileAccess, box: Path) -> None:
    os.symlink("sub", box / "to-sub")
    files.mkdir("to-sub/x/y/z")
    files.mkdir("sub/x")
    assert (box / "sub/x/y/z").is_dir()
    for path in ("a.txt", "a.txt/x"):
        with pytest.raises((FileExistsError, NotADirectoryError)):
            files.mkdir(path)


def test_moving_without_overwrite_never_takes_the_place_of_something(files: FileAccess, box: Path) -> None:
    (box / "b.txt").write_text("b")
    for old, new in (("a.txt", "b.txt"), ("a.txt", "sub"), ("sub", "b.txt"), ("a.txt", "link")):
        with pytest.raises(FileExistsError):
            files.rename(old, new, overwrite=False)
    files.rename("sub", "moved", overwrite=False)
    files.rename("a.txt", "moved/a.txt", overwrite=False)
    files.rename("b.txt", "moved/a.txt")
    assert (box / "moved/a.txt").read_text() == "b"
    assert sorted(os.listdir(box)) == ["link", "moved"]


def test_removing_takes_files_links_and_empty_folders(files: FileAccess, box: Path) -> None:
    with pytest.raises(OSError, match="not empty"):
        files.remove("sub")
    for path in ("sub/b.txt", "sub", "link", "a.txt"):
        files.remove(path)
    assert os.listdir(box) == []


def test_the_allowed_folder_itself_stays(files: FileAccess, box: Path) -> None:
    for path in (".", str(box), "sub/.."):
        with pytest.raises(ToolError, match="it stays as it is"):
            files.remove(path)
        with pytest.raises(ToolError, match="it stays as it is"):
            files.rename(path, "x")
    files.mkdir(".")
    with pytest.raises(IsADirectoryError):
        files.open(".", "wb")


def test_a_program_that_may_not_be_written_stays(files: FileAccess, box: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "access", lambda *arguments, **options: False)  # what root would be allowed all the same
    with pytest.raises(PermissionError):
        files.write("a.txt", b"new")
    assert (box / "a.txt").read_text() == "inside"


def open_below(box: Path) -> list[str]:
    """Give what this process holds open in ``box``: others in the same process open and close files of their own."""
    found = []
    for name in os.listdir("/dev/fd"):
        with suppress(OSError):  # closed meanwhile, as the handle of this very listing
            found.append(os.readlink(f"/dev/fd/{name}"))
    return sorted(path for path in found if path.startswith(str(box)))


def test_no_handle_stays_open(files: FileAccess, box: Path) -> None:
    def use_everything() -> None:
        files.open("a.txt").close()
        files.mkdir("c")
        files.write("c/d", b"")
        list(files.list("sub"))
        next(files.list("sub"))
        for path in ("none", "sub/none/x", "link/x", "/etc", "a.txt/x"):
            with pytest.raises((OSError, ToolError)):
                files.open(path)

    use_everything()
    before = open_below(box)
    use_everything()
    assert open_below(box) == before


def test_the_kernels_way_is_taken_where_there_is_one(box: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    roots = Roots([Root(str(box))])
    assert type(choose_way(roots)) is (Beneath if openat2 else Walk)
    assert type(choose_way(Roots([Root(str(box))], deny=[".env"]))) is Walk
    monkeypatch.setattr(opening, "find_openat2", lambda: None)
    assert type(choose_way(roots)) is Walk


def test_a_kernel_that_lacks_or_forbids_it_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(folder: int, path: bytes, flags: int) -> int:
        raise OSError(38, "Function not implemented")

    monkeypatch.setattr(beneath, "_bind", lambda: refuse)
    assert find_openat2.__wrapped__() is None
    monkeypatch.setattr("sys.platform", "darwin")
    assert find_openat2.__wrapped__() is None


def test_a_rename_meanwhile_is_left_to_the_walk(box: Path) -> None:
    def interrupted(folder: int, path: bytes, flags: int) -> int:
        raise BlockingIOError(11, "Resource temporarily unavailable")

    files = Sandbox(lambda: Beneath(Roots([Root(str(box))]), interrupted))
    with files.open("sub/b.txt") as file:
        assert file.read() == b"12"
    assert files.write("sub/c.txt", b"3") == 1

"""Which folders tools may reach, what they can do there, and who is told what when they may not."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import ares_plugin_file_sandbox as plugin
import pytest

from ares_core import Ares, ConfigError, Effects, Result, Tool, ToolContext, ToolError, hookimpl
from ares_core.testing import check_plugin

KEY = "tools.file_sandbox_dir"
READS = Effects(read_only=True, destructive=False, idempotent=True, open_world=False, resources=("file:{path}",))
SCHEMA = {"type": "object", "properties": {"path": {"type": "string", "description": "A file."}}, "required": ["path"]}


def cat(arguments: Any, context: ToolContext) -> str:
    """What a third party writes: a tool that reads a file through its context."""
    with context.files.open(arguments["path"]) as file:
        return file.read().decode()


def peek(arguments: Any, context: ToolContext) -> str:
    """What a third party should not write: a tool that opens files itself."""
    return Path(arguments["path"]).read_text("utf-8")


def put(arguments: Any, context: ToolContext) -> int:
    return context.files.write(arguments["path"], b"new")


def names(arguments: Any, context: ToolContext) -> list[str]:
    return [entry.path for entry in context.files.list(arguments["path"])]


TOOLS = (
    Tool("names", "List a folder.", SCHEMA, names, effects=READS),
    Tool("cat", "Show a file.", SCHEMA, cat, effects=READS),
    Tool("cat_silently", "Show a file, and say nothing of it.", SCHEMA, cat, effects=Effects(read_only=True)),
    Tool("peek", "Show a file.", SCHEMA, peek, effects=READS),
    Tool("put", "Write a file.", SCHEMA, put, effects=Effects(resources=("file:{path}",))),
    Tool("put_silently", "Write a file.", SCHEMA, put, effects=Effects()),
)
Call = Callable[..., Result]


@pytest.fixture
def make(ares_home: Path) -> Iterator[Callable[..., Ares]]:
    """Make an Ares with the sandbox and a third party's tools."""
    made: list[Ares] = []

    def make_one(folder: Path | str = "", plugins: tuple[Any, ...] = (plugin,), **config: Any) -> Ares:
        ares = Ares(plugins=plugins, config={"tools": {"file_sandbox_dir": str(folder)}, **config})
        made.append(ares)
        for tool in TOOLS:
            ares.register(tool)
        return ares

    yield make_one
    for ares in made:
        ares.close()


@pytest.fixture
def box(tmp_path: Path) -> Path:
    (tmp_path / "box").mkdir()
    (tmp_path / "box/a.txt").write_text("inside")
    (tmp_path / "secret.txt").write_text("outside")
    os.symlink("../secret.txt", tmp_path / "box/link")
    return tmp_path / "box"


def call(ares: Ares, tool: str, path: Path | str) -> Result:
    return ares.call_sync(tool, {"path": str(path)})


def test_the_plugin_stands_what_every_plugin_should() -> None:
    check_plugin("ares_plugin_file_sandbox")


@pytest.mark.parametrize("tool", ["cat", "cat_silently"])
def test_a_third_partys_tool_reaches_what_is_inside_and_nothing_else(make: Any, box: Path, tool: str) -> None:
    ares = make(box)
    assert call(ares, tool, "a.txt").data == "inside"
    for path in ("../secret.txt", box.parent / "secret.txt", "link", "/proc/self/root/etc/passwd"):
        refused = call(ares, tool, path)
        assert not refused.success
        assert KEY in refused.text
        assert "outside" not in str(refused.data)


def test_a_tool_that_opens_files_itself_is_stopped_by_what_it_declares(make: Any, box: Path) -> None:
    ares = make(box)
    assert call(ares, "peek", box / "a.txt").data == "inside"
    for path in (box.parent / "secret.txt", box / "link"):
        refused = call(ares, "peek", path)
        assert refused.error is not None
        assert refused.error.code == "denied"
        assert KEY in refused.text
        assert "Not executed." in refused.text


@pytest.mark.parametrize("key", ["", "   "])
def test_without_a_key_files_lie_in_a_folder_of_this_process_only(
    make: Any, key: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    (tmp_path / "here.txt").write_text("in the working folder")
    ares, before = make(key), set(tmp_path.iterdir())
    assert not call(ares, "cat", "here.txt").success
    assert KEY in call(ares, "cat", tmp_path / "here.txt").text
    assert call(ares, "put", "new.txt").success
    (folder,) = set(tmp_path.iterdir()) - before
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert (folder / "new.txt").read_bytes() == b"new"
    files = ares.providers.files
    ares.close()
    with pytest.raises(ToolError, match="closed"):
        files.open("new.txt")
    assert set(tmp_path.iterdir()) == before


def test_a_fork_has_a_folder_of_its_own_and_leaves_its_parents(make: Any) -> None:
    ares = make()
    assert call(ares, "put", "mine.txt").success
    child = os.fork()
    if not child:
        is_mine = call(ares, "cat", "mine.txt").success
        ares.close()
        os._exit(is_mine)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert call(ares, "cat", "mine.txt").data == "new"


def test_files_stay_when_plugins_come_and_go(make: Any) -> None:
    ares = make()
    assert call(ares, "put", "mine.txt").success
    ares.remove(ares.add(Nothing()))
    assert call(ares, "cat", "mine.txt").data == "new"


def test_nothing_is_made_before_a_file_is_wanted(make: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    ares = make()
    assert not call(ares, "nothing_of_files", "a.txt").success
    assert list(tmp_path.glob("ares-files-*")) == []


def test_of_several_folders_each_is_read_only_or_not(make: Any, box: Path, tmp_path: Path) -> None:
    for name in ("docs", "work"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "b.txt").write_text(name)
    roots = [{"path": str(tmp_path / "docs"), "mode": "read-only"}, {"path": str(tmp_path / "work")}]
    ares = make(box, file_sandbox={"roots": roots})
    assert [call(ares, "cat", path).data for path in ("a.txt", tmp_path / "docs/b.txt", "../work/b.txt")] == [
        "inside", "docs", "work",
    ]  # fmt: skip
    assert call(ares, "put", tmp_path / "work/b.txt").success
    for tool in ("put", "put_silently"):
        refused = call(ares, tool, tmp_path / "docs/b.txt")
        assert "may only be read" in refused.text
    assert (tmp_path / "docs/b.txt").read_text() == "docs"


def test_a_link_between_two_allowed_folders_has_the_mode_of_the_one_it_leads_to(make: Any, tmp_path: Path) -> None:
    for name in ("docs", "work"):
        (tmp_path / name).mkdir()
    (tmp_path / "docs/b.txt").write_text("docs")
    os.symlink(tmp_path / "docs", tmp_path / "work/docs")
    roots = [{"path": str(tmp_path / "work")}, {"path": str(tmp_path / "docs"), "mode": "ro"}]
    ares = make(file_sandbox={"roots": roots})
    assert call(ares, "cat", "docs/b.txt").data == "docs"
    assert not call(ares, "put_silently", "docs/b.txt").success
    assert not call(ares, "put", "docs/new.txt").success


def test_a_writable_folder_in_a_read_only_one_can_be_written(make: Any, box: Path) -> None:
    (box / "out").mkdir()
    roots = [{"path": str(box), "mode": "read-only"}, {"path": str(box / "out"), "mode": "read-write"}]
    ares = make(file_sandbox={"roots": roots})
    assert call(ares, "put", "out/new.txt").success
    assert not call(ares, "put", "new.txt").success


@pytest.mark.parametrize(
    ("section", "sentence"),
    [
        ({"roots": [{"path": "{box}/in", "mode": "read-only"}, {"path": "{box}"}]}, "is read-only but lies in"),
        ({"roots": [{"path": "{box}/missing"}]}, "Create it"),
        ({"roots": [{"path": "{box}/a.txt"}]}, "can't be used"),
    ],
)
def test_a_wrong_configuration_opens_nothing_and_says_why(make: Any, box: Path, section: Any, sentence: str) -> None:
    (box / "in").mkdir()
    filled = eval(repr(section).replace("{box}", str(box)))
    refused = call(make(file_sandbox=filled), "cat", box / "a.txt")
    assert not refused.success
    assert sentence in refused.text


@pytest.mark.parametrize(
    ("section", "sentence"),
    [
        (
            {"roots": [{"path": "/srv", "mode": "maybe"}]},
            "file_sandbox.roots[0].mode in the config argument: expected",
        ),
        ({"roots": [{"mode": "rw"}]}, "path is missing"),
        ({"root": "/srv"}, "did you mean file_sandbox.roots?"),
        ({"deny": ["conf/secret"]}, "file_sandbox.deny: 'conf/secret' is no name"),
    ],
)
def test_a_wrong_section_is_a_configuration_error(make: Any, section: Any, sentence: str) -> None:
    with pytest.raises(ConfigError, match=re.escape(sentence)):
        make(file_sandbox=section)


def test_a_missing_folder_is_named_with_its_key_and_found_when_it_is_there(make: Any, tmp_path: Path) -> None:
    ares = make(tmp_path / "later")
    assert f"{KEY} is" in call(ares, "cat", "a.txt").text
    (tmp_path / "later").mkdir()
    assert call(ares, "put", "a.txt").success


def test_a_folder_that_was_deleted_and_made_again_is_used(make: Any, box: Path) -> None:
    ares = make(box)
    assert call(ares, "cat", "a.txt").success
    box.rename(box.with_name("gone"))
    for path in box.with_name("gone").iterdir():
        path.unlink()
    box.with_name("gone").rmdir()
    box.mkdir()
    (box / "a.txt").write_text("again")
    assert call(ares, "cat", "a.txt").data == "again"


def test_two_ares_in_one_process_each_keep_to_their_own_folder(make: Any, box: Path, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    (tmp_path / "other/b.txt").write_text("other")
    one, other = make(box), make(tmp_path / "other")
    assert call(one, "cat", "a.txt").data == "inside"
    assert call(other, "cat", "b.txt").data == "other"
    for tool in ("cat", "cat_silently"):
        assert not call(one, tool, tmp_path / "other/b.txt").success
        assert not call(other, tool, box / "a.txt").success


class Nothing:
    """A plugin that changes nothing."""

    @hookimpl
    def register_tools(self) -> list[Tool]:
        return []


class Elsewhere:
    """Another provider of files, where paths mean something else."""

    @hookimpl
    def open_files(self) -> Any:
        return self

    def open(self, path: str, mode: str = "rb") -> Any:
        import io

        return io.BytesIO(f"elsewhere {path}".encode())


def test_nothing_is_said_about_files_of_another_provider(make: Any, box: Path) -> None:
    ares = make(box, plugins=(plugin, Elsewhere()), files={"provider": "Elsewhere"})
    assert call(ares, "cat", "/not/here").data == "elsewhere /not/here"


@pytest.mark.parametrize(
    "path", ["", "a\0b", "x" * 5000, "a/" * 300, "\udcff", "..", "/", "//", "~", "C:\\x", "link/", "a.txt/b"]
)
def test_a_path_that_makes_no_sense_gets_a_sentence_and_changes_nothing(make: Any, box: Path, path: str) -> None:
    ares, before = make(box), sorted(os.listdir(box))
    for tool in ("cat", "cat_silently"):
        refused = call(ares, tool, path)
        assert refused.error is not None
        assert refused.error.message
        assert "Traceback" not in refused.text
    assert sorted(os.listdir(box)) == before


def test_closed_names_stay_closed_in_any_case_and_at_any_depth(make: Any, box: Path) -> None:
    for name in (".env", "sub/.env", "key.PEM", ".git/config", ".env.local"):
        (box / name).parent.mkdir(exist_ok=True)
        (box / name).write_text("secret")
    os.symlink(".env", box / "harmless")
    ares = make(box, file_sandbox={"deny": [".env", "*.pem", ".git/**"]})
    closed = [".env", "./.env", "a/../.env", "sub/.env", "key.PEM", ".git/config", ".git", "harmless"]
    for path in closed:
        assert "file_sandbox.deny" in call(ares, "cat", path).text, path
        assert not call(ares, "put_silently", path).success
    assert call(ares, "cat", ".env.local").data == "secret"
    assert call(ares, "names", ".").data == [".env.local", "a.txt", "harmless", "link", "sub"]

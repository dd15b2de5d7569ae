"""Finding installed plugins: from metadata alone, never in the working folder, whatever lies about."""

from __future__ import annotations

import json
import logging
import os
import shutil
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest

from ares_core import Ares
from ares_core.discovery import entry_points

ROWS = """
from ares_core import Ares
ares = Ares()
ares.ready()
print(*[row.name for row in ares.plugins.rows() if row.state == "loaded" and row.name in {wanted!r}])
"""


def names(*wanted: str) -> list[str]:
    return [entry.name for entry in entry_points()[0] if entry.name in wanted]


def problems(site: Any) -> list[str]:
    return [problem for problem in entry_points()[1] if str(site.folder) in problem]


def test_plugins_come_in_the_order_of_their_names_whatever_the_folder_says(site: Any) -> None:
    for name in ("adds", "denies", "asks"):
        site.install(name)
    assert names("denies", "asks", "adds") == ["adds", "asks", "denies"]


def test_a_scan_imports_nothing(site: Any) -> None:
    site.install("explodes", "raise SystemExit(1)")
    assert names("explodes") == ["explodes"]
    assert "explodes" not in sys.modules


def test_an_entry_knows_its_distribution_and_version(site: Any) -> None:
    site.install("adds", version="2.1")
    entry = next(entry for entry in entry_points()[0] if entry.name == "adds")
    assert (entry.value, entry.source) == ("adds", "ares-plugin-adds 2.1")


def test_the_working_folder_never_counts(site: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    site.install("adds")
    monkeypatch.chdir(site.folder)
    assert names("adds") == []


@pytest.mark.parametrize("how", [("-c", ROWS.format(wanted=["denies"])), ("-m", "shows_rows")], ids=["-c", "-m"])
def test_the_working_folder_never_counts_under(how: tuple[str, str], site: Any, tmp_path: Path) -> None:
    site.install("denies")
    working = tmp_path / "working"
    site.folder.rename(working)
    site.folder.mkdir()
    (working / "shows_rows.py").write_text(ROWS.format(wanted=["denies"]))
    run = site.python(*how, cwd=working)
    assert (run.stdout.strip(), run.returncode) == ("", 0), run.stderr


def test_under_m_the_folder_of_the_start_never_counts_even_after_a_change_of_folder(site: Any, tmp_path: Path) -> None:
    site.install("denies")
    working = tmp_path / "working"
    site.folder.rename(working)
    site.folder.mkdir()
    moved = f"import os\nfrom ares_core import Ares\nos.chdir({str(tmp_path)!r})\n"
    (working / "moves.py").write_text(moved + ROWS.format(wanted=["denies"]))
    run = site.python("-m", "moves", cwd=working)
    assert (run.stdout.strip(), run.returncode) == ("", 0), run.stderr


def test_the_command_line_takes_neither_plugins_nor_modules_from_the_working_folder(site: Any, tmp_path: Path) -> None:
    site.install("denies")
    working = tmp_path / "working"
    site.folder.rename(working)
    site.folder.mkdir()
    for name in ("click", "json", "yaml", "calculator"):
        (working / f"{name}.py").write_text("raise SystemExit('taken from the working folder')")
    run = site.python("-m", "ares_core", "plugins", cwd=working)
    assert run.returncode == 0, run.stderr
    assert "denies" not in run.stdout
    assert "taken from the working folder" not in run.stderr + run.stdout


def test_the_folder_of_an_editable_plugin_counts_when_work_goes_on_in_it(site: Any, tmp_path: Path) -> None:
    site.install("denies")
    working = tmp_path / "working"
    working.mkdir()
    (site.folder / "denies.py").rename(working / "denies.py")
    paths = os.pathsep.join(map(str, (site.folder, working)))
    run = site.python("-m", "ares_core", "plugins", "--json", cwd=working, PYTHONPATH=paths)
    assert [one["state"] for one in json.loads(run.stdout)["plugins"] if one["name"] == "denies"] == ["loaded"], (
        run.stderr
    )


def test_site_packages_below_the_working_folder_do_count(site: Any) -> None:
    site.install("denies")
    run = site.python("-c", ROWS.format(wanted=["denies"]), cwd=site.folder.parent)
    assert run.stdout.strip() == "denies", run.stderr


def test_a_working_folder_that_was_deleted_is_no_trouble(site: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    site.install("adds")
    gone = site.folder.parent / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    assert names("adds") == ["adds"]


def test_left_over_metadata_is_skipped_with_one_sentence_each_and_the_good_plugin_stands(site: Any) -> None:
    site.install("adds")
    (site.folder / "ghost-1.0.dist-info").mkdir()
    half = site.distribution("half", "[ares.plugins]\nhalf = half\n", "2.0")
    (half / "METADATA").unlink()
    site.distribution("~half", "[ares.plugins]\nhalf = half\n", "1.0")
    site.distribution("broken", "[ares.plugins]\nbad line without equals\nx = mod:attr:extra\n")
    site.distribution("binary", b"[ares.plugins]\nx = \xff\xfe\n")
    assert names("adds", "half", "x") == ["adds"]
    found = problems(site)
    assert len(found) == 5
    assert all(sum(name in problem for problem in found) for name in ("ghost", "half-2.0", "~half", "broken", "binary"))


def test_sentences_about_metadata_reach_the_log(site: Any, caplog: pytest.LogCaptureFixture) -> None:
    site.distribution("broken", "[ares.plugins]\nbad line\n")
    with caplog.at_level(logging.WARNING, logger="ares"), Ares(config={"plugins": {"only": ["nobody"]}}) as ares:
        ares.ready()
    assert "broken-1.0.dist-info" in caplog.text


def test_a_bad_line_in_another_group_is_not_our_business(site: Any) -> None:
    site.distribution("other", "[console_scripts]\nno equals here\n\n[ares.plugins]\nadds = adds\n")
    assert names("adds") == ["adds"]
    assert problems(site) == []


def test_comments_extras_and_a_byte_order_mark_are_read(site: Any) -> None:
    text = "\ufeff[ares.plugins]\n# ours\nadds = some.adds:plugin [fast]  ; # why not\n"
    site.distribution("marked", text.replace("  ; # why not", ""))
    entry = next(entry for entry in entry_points()[0] if entry.name == "adds")
    assert entry.value == "some.adds:plugin"


def test_the_same_distribution_twice_on_the_path_is_one_plugin(site: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    site.install("adds")
    shutil.copytree(site.folder, site.folder.parent / "lib64")
    monkeypatch.syspath_prepend(str(site.folder.parent / "lib64"))
    assert names("adds") == ["adds"]
    assert problems(site) == []


def test_two_distributions_with_one_plugin_name_are_named_and_the_first_on_the_path_is_used(site: Any) -> None:
    site.distribution("alpha", "[ares.plugins]\nshared = alpha\n")
    site.distribution("beta", "[ares.plugins]\nshared = beta\n")
    entries, found = entry_points()
    assert [entry.value for entry in entries if entry.name == "shared"] == ["alpha"]
    assert [problem for problem in found if "alpha 1.0" in problem and "beta 1.0" in problem]


def test_a_plugin_in_an_archive_is_found_and_loaded(site: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    archive = site.folder.parent / "packed-1.0-py3-none-any.whl"
    with zipfile.ZipFile(archive, "w") as file:
        file.writestr("packed.py", (Path(__file__).parent / "samples" / "adds.py").read_text("utf-8"))
        file.writestr("packed-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: packed\nVersion: 1.0\n")
        file.writestr("packed-1.0.dist-info/entry_points.txt", "[ares.plugins]\npacked = packed\n")
    monkeypatch.syspath_prepend(str(archive))
    with Ares(config={"plugins": {"only": ["packed"]}}) as ares:
        assert ares.call_sync("add", {"a": 1}).data == 2


def test_an_entry_may_name_an_object_in_a_module(site: Any) -> None:
    source = (
        "class Plugin:\n    from ares_core import hookimpl\n    @hookimpl\n    def pre_tool_call(self):\n        pass\n"
    )
    site.install("holder", source + "plugin = Plugin()\n", value="holder:plugin")
    with Ares(config={"plugins": {"only": ["holder"]}}) as ares:
        ares.ready()
        row = ares.plugins.row("holder")
    assert row is not None
    assert (row.state, row.hooks) == ("loaded", ("pre_tool_call",))


def test_two_plugins_are_found_among_four_hundred_distributions_in_one_scan(site: Any) -> None:
    for number in range(400):
        site.distribution(f"other_{number}", "[console_scripts]\nx = x:main\n" if number % 3 else None)
    site.install("adds")
    site.install("denies")
    code = f"""
import sys
scans = []
def count(event, arguments):
    if event == "os.listdir" and str(arguments[0]) == {str(site.folder)!r}:
        scans.append(arguments[0])
from ares_core import Ares
sys.addaudithook(count)
ares = Ares(plugins=["adds", "denies", "adds"])
print(ares.plugins.loaded(), len(scans), "importlib.metadata" in sys.modules)
"""
    run = site.python("-c", code)
    assert run.stdout.strip() == "['adds', 'denies'] 1 False", run.stderr


@pytest.mark.parametrize("variable", ["ARES_BLOCK_PLUGINS", "ARES_ONLY_PLUGINS"])
def test_a_variable_keeps_plugins_out_before_they_are_imported(
    variable: str, site: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    site.install("adds")
    site.install("explodes", "raise AssertionError('imported')")
    others = [entry.name for entry in entry_points()[0] if entry.name != "adds"]
    monkeypatch.setenv(variable, "adds" if variable == "ARES_ONLY_PLUGINS" else ",".join(others))
    with Ares() as ares:
        assert ares.registry.list_tool_names() == ["add"]
        states = {row.name: row.state for row in ares.plugins.rows()}
    assert (states["adds"], states["explodes"]) == ("loaded", "blocked")
    assert "explodes" not in sys.modules


def test_a_blocked_plugin_stays_out_even_if_the_program_names_it(site: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    site.install("explodes", "raise AssertionError('imported')")
    monkeypatch.setenv("ARES_BLOCK_PLUGINS", "explodes")
    with Ares(plugins=["explodes"]) as ares:
        assert [row.state for row in ares.plugins.rows()] == ["blocked"]


def test_a_name_of_no_plugin_in_only_or_block_is_said_with_the_nearest(
    site: Any, caplog: pytest.LogCaptureFixture
) -> None:
    site.install("adds")
    with Ares(config={"plugins": {"only": ["adds"], "block": ["addds"]}}) as ares:
        ares.ready()
    assert "no installed plugin is called 'addds'; did you mean 'adds'?" in caplog.text

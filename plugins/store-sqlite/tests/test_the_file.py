from __future__ import annotations

import contextlib
import logging
import sqlite3
import sys
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import ares_plugin_store_sqlite
import pytest
from ares_plugin_store_sqlite import schema
from ares_plugin_store_sqlite.errors import StoreError
from ares_plugin_store_sqlite.places import default_path

from ares_core import Ares, Event, EvidenceRow

GOOD = EvidenceRow("add", True, 4.0, 1.0, declared_latency_ms=100.0)


def look(path: Path, sql: str) -> Any:
    """Ask the file itself, from outside."""
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as connection:
        return connection.execute(sql).fetchone()


def event(number: int, **fields: Any) -> Event:
    return Event("finished", str(number), float(number), fields.pop("tool", "add"), **fields)


def test_rows_are_written_without_anybody_asking(open_store: Any, path: Path) -> None:
    open_store("evidence").record([GOOD])
    for _ in range(1200):
        if look(path, "SELECT count(*) FROM evidence") == (1,):
            return
        time.sleep(0.05)
    pytest.fail("nothing was written in a minute")


def test_the_file_is_its_owners_alone(open_store: Any, path: Path) -> None:
    open_store("evidence").record([GOOD])
    open_store("evidence").read("add")
    if sys.platform != "win32":
        assert {file.stat().st_mode & 0o777 for file in path.parent.iterdir()} == {0o600}


def test_a_damaged_file_is_moved_aside_and_begun_anew(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    path = default_path()
    path.parent.mkdir()
    path.write_bytes(b"no database at all " * 100)
    host: Any = SimpleNamespace(config={}, log=logging.getLogger("ares.plugin.store-sqlite"))
    store: Any = ares_plugin_store_sqlite.open_store("evidence", host)
    store.record([GOOD])
    store.close()
    (aside,) = path.parent.glob("ares.db.damaged-*")
    assert aside.read_bytes() == b"no database at all " * 100
    assert str(aside) in caplog.text


def test_damage_found_later_is_moved_aside_too(open_store: Any, path: Path) -> None:
    store = open_store("events")
    store.append([event(n, data={"text": "x" * 500}) for n in range(500)])
    store.close()
    whole = path.read_bytes()
    path.write_bytes(whole[:4096] + b"\xff" * (len(whole) - 4096))
    store = open_store("events")
    store.append([event(1000)])
    assert [found.time for found in store.query()] == [1000.0]
    assert len(list(path.parent.glob("ares.db.damaged-*"))) == 1


@pytest.mark.skipif(sys.platform == "win32", reason="Windows does not let an open file be deleted")
def test_a_file_that_was_deleted_is_begun_anew(open_store: Any, path: Path) -> None:
    evidence, events = open_store("evidence"), open_store("events")
    for file in path.parent.iterdir():
        file.unlink()
    evidence.record([GOOD])
    events.append([event(1)])
    assert evidence.all() == open_store("evidence").all() != {}
    assert events.query() == open_store("events").query() == [event(1)]


@pytest.mark.parametrize("content", [b"export PATH=/usr/bin\n" * 10, schema.MAGIC + b"\x00" * 200])
def test_a_named_file_that_is_none_of_ours_is_left_alone(open_store: Any, path: Path, content: bytes) -> None:
    path.parent.mkdir()
    path.write_bytes(content)
    with pytest.raises(StoreError, match="left alone"):
        open_store("evidence")
    assert path.read_bytes() == content
    assert not list(path.parent.glob("*damaged*"))


def test_the_database_of_another_program_is_left_alone(open_store: Any, path: Path) -> None:
    path.parent.mkdir()
    look(path, "CREATE TABLE bookmarks (url TEXT)")
    before = path.read_bytes()
    with pytest.raises(StoreError, match="another program"):
        open_store("events")
    assert path.read_bytes() == before


def test_a_file_of_a_newer_version_is_refused(open_store: Any, path: Path) -> None:
    open_store("evidence").close()
    look(path, "PRAGMA user_version = 99")
    with pytest.raises(StoreError, match="schema 99"):
        open_store("evidence")


def test_a_file_of_an_older_version_is_brought_up_to_date(
    open_store: Any, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = open_store("evidence")
    store.record([GOOD])
    store.close()
    later = (*schema.MIGRATIONS, ("CREATE TABLE later (key TEXT)", "CREATE INDEX by_key ON later (key)"))
    monkeypatch.setattr(schema, "MIGRATIONS", later)
    assert open_store("evidence").read("add").n == 1.0
    assert look(path, "SELECT count(*) FROM later") == (0,)


def test_a_migration_that_fails_changes_nothing(open_store: Any, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    open_store("evidence").close()
    monkeypatch.setattr(schema, "MIGRATIONS", (*schema.MIGRATIONS, ("CREATE TABLE half (a)", "CREATE TABLE half (a)")))
    with pytest.raises(StoreError, match="half"):
        open_store("evidence")
    assert look(path, "SELECT name FROM sqlite_master WHERE name = 'half'") is None


@pytest.mark.parametrize(("place", "named"), [("a-file/ares.db", "the folder .*a-file:"), ("a-folder", "a-folder")])
def test_a_place_where_no_file_can_be_is_an_error_that_names_it(
    open_store: Any, tmp_path: Path, place: str, named: str
) -> None:
    (tmp_path / "a-file").touch()
    (tmp_path / "a-folder").mkdir()
    with pytest.raises(StoreError, match=f"can't keep a store in .*{named}.*store_sqlite.path"):
        open_store("evidence", path=str(tmp_path / place))


def test_a_folder_that_can_not_be_written_is_told_of_once(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "a-file").touch()
    stores = dict.fromkeys(("evidence", "events", "ledger", "approvals"), "store-sqlite")
    section = {"path": str(tmp_path / "a-file" / "ares.db")}
    with Ares(plugins=["store-sqlite"], config={"stores": stores, "store_sqlite": section}) as ares:
        ares.ready()
    (warning,) = [record.getMessage() for record in caplog.records if record.name.startswith("ares")]
    assert warning.startswith("stores.evidence, stores.events, stores.ledger, stores.approvals: store-sqlite can't be")


def test_the_file_lies_in_the_users_state_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    assert default_path() == tmp_path / "ares" / "ares.db"
    monkeypatch.setenv("XDG_STATE_HOME", "not/a/full/path")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setattr(sys, "platform", "linux")
    assert default_path() == tmp_path / ".local" / "state" / "ares" / "ares.db"
    monkeypatch.setattr(sys, "platform", "darwin")
    assert default_path() == tmp_path / "Library" / "Application Support" / "ares" / "ares.db"
    monkeypatch.setattr(sys, "platform", "win32")
    monkeypatch.setenv("LOCALAPPDATA", str(tmp_path / "local"))
    assert default_path() == tmp_path / "local" / "ares" / "ares.db"

"""Runs in a SQLite file that any number of processes may share."""

from __future__ import annotations

import hashlib
import os
import sqlite3
import threading
import time
from collections.abc import Iterable
from pathlib import Path
from typing import IO, Any

import msgspec

from ares_core import AresError, ConfigError
from ares_plugin_graph.checkpoints import Saved
from ares_plugin_graph.results import NodeResult

VERSION = 1
BUSY_SECONDS = 10.0
SCHEMA = """
CREATE TABLE IF NOT EXISTS runs (
    run_id TEXT PRIMARY KEY, name TEXT NOT NULL, fingerprint TEXT NOT NULL, input BLOB NOT NULL, status TEXT NOT NULL,
    graph BLOB, begun REAL NOT NULL, ended REAL, cancelled INTEGER NOT NULL DEFAULT 0
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS nodes (
    run_id TEXT NOT NULL, node TEXT NOT NULL, started INTEGER NOT NULL DEFAULT 0, result BLOB,
    PRIMARY KEY (run_id, node)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS runs_begun ON runs (begun);
"""
encode = msgspec.json.encode
decode_result = msgspec.json.Decoder(NodeResult).decode


class SqliteCheckpoints:
    """Keeps runs in the file ``path``; what is saved survives a killed process.

    A run belongs to the process that holds its lock file, which the system lets go when the process ends. With
    ``keep`` the oldest runs that have ended are dropped when there are more.
    """

    def __init__(self, path: str | os.PathLike[str], keep: int | None = None) -> None:
        self._path = Path(path)
        self._keep = keep
        self._lock = threading.Lock()
        self._locks: dict[str, IO[bytes]] = {}
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            self._db = sqlite3.connect(self._path, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False)
            self._db.execute("PRAGMA journal_mode=WAL")
            self._db.execute("PRAGMA synchronous=NORMAL")
            self._check_version()
        except (OSError, sqlite3.Error) as error:
            raise ConfigError(f"runs can't be kept in {self._path}: {error}; choose another file: graph.path") from None

    def _check_version(self) -> None:
        (version,) = self._db.execute("PRAGMA user_version").fetchone()
        if version > VERSION:
            raise sqlite3.DatabaseError(f"it was written by a newer version ({version} > {VERSION})")
        self._db.executescript(SCHEMA)
        self._db.execute(f"PRAGMA user_version={VERSION}")

    def _do(self, sql: str, *values: Any) -> sqlite3.Cursor:
        with self._lock:
            return self._db.execute(sql, values)

    def begin(self, run: Saved) -> None:
        """Keep a new run."""
        graph = None if run.graph is None else encode(run.graph)
        row = (run.run_id, run.name, run.fingerprint, encode(run.input), "running", graph, time.time())
        try:
            self._do("INSERT INTO runs (run_id, name, fingerprint, input, status, graph, begun) VALUES (?,?,?,?,?,?,?)",
                     *row)  # fmt: skip
        except sqlite3.IntegrityError:
            raise ValueError(f"there is a run {run.run_id!r} already") from None
        if self._keep is not None and "/" not in run.run_id:
            self.prune(self._keep)

    def prune(self, keep: int) -> int:
        """Drop all but the newest ``keep`` runs, and those that go on or wait; tells how many were dropped."""
        old = self._do(OLD, keep).fetchall()
        for (run_id,) in old:
            self._drop(run_id)
        return len(old)

    def _drop(self, run_id: str) -> None:
        """Drop a run and those inside it."""
        for sql in (DROP_NODES, DROP_RUNS):
            self._do(sql, run_id, f"{run_id}/", f"{run_id}0")  # '0' comes after '/'

    def check(self) -> list[str]:
        """Say what is damaged: the file itself, and runs that can't be read."""
        try:
            found = [row[0] for row in self._do("PRAGMA quick_check(20)").fetchall() if row[0] != "ok"]
            names = [row[0] for row in self._do("SELECT run_id FROM runs ORDER BY begun").fetchall()]
        except sqlite3.DatabaseError as error:
            return [str(error)]
        return found + [said for said in map(self._fault, names) if said]

    def _fault(self, run_id: str) -> str:
        try:
            self.load(run_id)
        except StoreFault as error:
            return str(error)
        return ""

    def start(self, run_id: str, node: str) -> None:
        """Note that a node begins."""
        self._do("INSERT INTO nodes (run_id, node, started) VALUES (?,?,1) "
                 "ON CONFLICT (run_id, node) DO UPDATE SET started=1", run_id, node)  # fmt: skip

    def save(self, run_id: str, node: str, result: NodeResult) -> None:
        """Keep what became of a node."""
        self._do("INSERT INTO nodes (run_id, node, result) VALUES (?,?,?) "
                 "ON CONFLICT (run_id, node) DO UPDATE SET result=excluded.result",
                 run_id, node, encode(result, enc_hook=str))  # fmt: skip

    def forget(self, run_id: str, nodes: Iterable[str]) -> None:
        """Drop what was kept of nodes."""
        for node in nodes:
            self._do("DELETE FROM nodes WHERE run_id=? AND node=?", run_id, node)

    def drop_inside(self, run_id: str, node: str) -> None:
        """Drop the runs of the graphs inside a node."""
        self._drop(f"{run_id}/{node}")

    def status(self, run_id: str, status: str) -> None:
        """Keep what became of the run."""
        ended = None if status == "running" else time.time()
        self._do("UPDATE runs SET status=?, ended=? WHERE run_id=?", status, ended, run_id)

    def regraph(self, run_id: str, fingerprint: str, graph: Any) -> None:
        """Keep that the run has another graph."""
        made = None if graph is None else encode(graph)
        self._do("UPDATE runs SET fingerprint=?, graph=? WHERE run_id=?", fingerprint, made, run_id)

    def load(self, run_id: str) -> Saved | None:
        """Give a run with its nodes."""
        row = self._do(f"{SELECT} WHERE run_id=?", run_id).fetchone()
        if row is None:
            return None
        nodes = self._do("SELECT node, started, result FROM nodes WHERE run_id=?", run_id).fetchall()
        try:
            results = {node: decode_result(result) for node, _, result in nodes if result is not None}
            return _saved(row, results, frozenset(node for node, started, _ in nodes if started))
        except (msgspec.MsgspecError, TypeError) as error:
            raise StoreFault(f"run {run_id} is damaged in {self._path}: {error}; begin it anew") from None

    def newest(self, limit: int = 50) -> list[Saved]:
        """Give the newest runs, without their nodes."""
        rows = self._do(f"{SELECT} WHERE instr(run_id, '/') = 0 ORDER BY begun DESC LIMIT ?", limit).fetchall()
        return [_saved((*row[:3], b"{}", row[4], None, *row[6:]), {}, frozenset()) for row in rows]

    def take(self, run_id: str) -> bool:
        """Make the run this process's own."""
        if run_id in self._locks:
            return False
        lock = _locked(self._lock_path(run_id))
        if lock is None:
            return False
        self._locks[run_id] = lock
        self._do("UPDATE runs SET cancelled=0 WHERE run_id=?", run_id)
        return True

    def release(self, run_id: str) -> None:
        """Give the run up."""
        lock = self._locks.pop(run_id, None)
        if lock is not None:
            self._lock_path(run_id).unlink(missing_ok=True)
            lock.close()

    def state(self, saved: Saved) -> str:
        """Say how a run stands: one that runs nowhere although it was begun was interrupted."""
        if saved.status != "running" or not self.take(saved.run_id):
            return saved.status
        self.release(saved.run_id)
        return "interrupted"

    def _lock_path(self, run_id: str) -> Path:
        name = hashlib.sha256(run_id.encode()).hexdigest()[:32]
        return self._path.with_name(f"{self._path.name}.{name}.lock")

    def cancel(self, run_id: str) -> None:
        """Ask whoever runs it to stop."""
        self._do("UPDATE runs SET cancelled=1 WHERE run_id=?", run_id)

    def is_cancelled(self, run_id: str) -> bool:
        """Whether somebody asked for that."""
        row = self._do("SELECT cancelled FROM runs WHERE run_id=?", run_id).fetchone()
        return bool(row and row[0])

    def close(self) -> None:
        """Let the file go."""
        for run_id in list(self._locks):
            self.release(run_id)
        with self._lock:
            self._db.close()


class StoreFault(AresError):
    """A run that is kept, and can't be read."""


DROP_NODES = "DELETE FROM nodes WHERE run_id=? OR (run_id>=? AND run_id<?)"
DROP_RUNS = "DELETE FROM runs WHERE run_id=? OR (run_id>=? AND run_id<?)"
OLD = (
    "SELECT run_id FROM runs WHERE instr(run_id, '/') = 0 AND status NOT IN ('running', 'waiting') "
    "ORDER BY begun DESC LIMIT -1 OFFSET ?"
)
SELECT = "SELECT run_id, name, fingerprint, input, status, graph, begun, ended FROM runs"


def _saved(row: Any, results: dict[str, NodeResult], started: frozenset[str]) -> Saved:
    run_id, name, fingerprint, input_, status, graph, begun, ended = row
    document = None if graph is None else msgspec.json.decode(graph)
    return Saved(
        run_id, name, fingerprint, msgspec.json.decode(input_), status, results, started, document, begun, ended
    )


def _locked(path: Path) -> IO[bytes] | None:
    """Lock a file that other processes try to lock too; nothing when one of them has it."""
    try:
        import fcntl
    except ImportError:  # a system without such locks: whoever runs two of one run has been told not to
        return path.open("ab")
    while True:
        file = path.open("ab")
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            file.close()
            return None
        try:
            if path.stat().st_ino == os.fstat(file.fileno()).st_ino:
                return file
        except FileNotFoundError:
            pass
        file.close()  # its last owner has just taken the file away


__all__ = ["SqliteCheckpoints"]

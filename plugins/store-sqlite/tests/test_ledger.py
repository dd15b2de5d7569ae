"""The ledger in a file: what was begun in one process is known in the next, also if the first was killed."""

from __future__ import annotations

import logging
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import ares_plugin_store_sqlite
import pytest
from ares_plugin_store_sqlite.ledger import SqliteLedger

from ares_core import Ares, LedgerRow, Result, Tool, ToolCall

WORKER = """
import os, sys, time
from ares_core import Ares, ToolCall

path, effects, seconds, *keys = sys.argv[1:]

def change(to: int) -> int:
    "Change."
    with open(effects, "a") as file:
        file.write(f"{to}\\n")
    print("begun", flush=True)
    time.sleep(float(seconds))
    return to

config = {"stores": {"ledger": "store-sqlite"}, "store_sqlite": {"path": path}}
with Ares(plugins=["store-sqlite"], config=config) as ares:
    ares.register(change)
    ares.call_sync("change", {"to": "x"})  # everything is imported
    print("ready", flush=True)
    sys.stdin.readline()
    for key in keys:
        result = ares.call_sync(ToolCall("change", {"to": 1}, key=key))
        word = "replayed" if "replayed" in result.metadata else "ran"
        print(key, result.error.code if result.error else word, flush=True)
"""


def row(key: str, status: Any = "claimed") -> LedgerRow:
    return LedgerRow(key, "digest", "change", status, 1.0)


def start(path: Path, seconds: float, *keys: str) -> subprocess.Popen[str]:
    """Start a process that is about to call; a line on its stdin lets it go on."""
    effects = path.with_name("effects")
    command = [sys.executable, "-c", WORKER, str(path), str(effects), str(seconds), *keys]
    path.parent.mkdir(exist_ok=True)
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    return process


def go_on(*processes: subprocess.Popen[str]) -> list[list[str]]:
    """Let processes go on at one moment, and give what each said."""
    for process in processes:
        assert process.stdin is not None
        process.stdin.write("\n")
        process.stdin.flush()
    return [process.communicate(timeout=100)[0].splitlines() for process in processes]


def kill_in_the_middle(path: Path, key: str) -> None:
    process = start(path, 60, key)
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write("\n")
    process.stdin.flush()
    assert process.stdout.readline() == "begun\n"
    os.kill(process.pid, signal.SIGKILL)
    process.communicate(timeout=100)


def effects(path: Path) -> int:
    return len(path.with_name("effects").read_text("utf-8").split())


def test_a_claim_is_had_by_one_and_kept_for_all(open_store: Any) -> None:
    first, second = open_store("ledger"), open_store("ledger")
    assert first.claim(row("k")) is None
    assert second.claim(row("k")) == row("k")
    assert second.find("k") == row("k")
    first.settle(row("k", "done"))
    assert second.find("k").status == "done"
    assert open_store("ledger").claim(row("k")).status == "done"


def test_a_claim_that_is_taken_back_leaves_the_key_free(open_store: Any) -> None:
    first, second = open_store("ledger"), open_store("ledger")
    first.claim(row("k"))
    second.release("k")
    assert second.find("k") is not None, "another's claim is not to be taken back"
    first.release("k")
    assert second.claim(row("k")) is None


def test_what_its_owner_left_open_is_unknown(open_store: Any) -> None:
    first, second = open_store("ledger"), open_store("ledger")
    first.claim(row("k"))
    first.close()
    assert second.find("k").status == "unknown"
    assert second.claim(row("k")).status == "unknown"


def test_only_so_many_settled_calls_are_kept_and_every_unknown_one(
    open_store: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ares_plugin_store_sqlite.ledger.MOST", 10)
    monkeypatch.setattr("ares_plugin_store_sqlite.ledger.EVERY", 5)
    ledger = open_store("ledger")
    ledger.settle(LedgerRow("lost", "d", "t", "unknown", 0.0))
    for number in range(51):
        ledger.settle(LedgerRow(str(number), "d", "t", "done", float(number)))
    assert ledger.find("lost").status == "unknown"
    assert ledger.find("50") is not None
    assert sum(ledger.find(str(number)) is not None for number in range(51)) <= 15


def test_half_a_character_in_a_key_is_a_key(open_store: Any) -> None:
    ledger = open_store("ledger")
    assert ledger.claim(row("\ud800")) is None
    assert ledger.claim(row("\ud800")) is not None


@pytest.fixture
def config(path: Path) -> dict[str, Any]:
    kept = dict.fromkeys(("ledger", "approvals"), "store-sqlite")
    return {"stores": kept, "store_sqlite": {"path": str(path)}, "approvals": {"defer": True}}


def opened(config: dict[str, Any], changed: list[int]) -> Ares:
    def change(to: int) -> int:
        """Change."""
        changed.append(to)
        return to

    ares = Ares(plugins=[ares_plugin_store_sqlite], config=config)
    ares.register(change)
    return ares


def call(config: dict[str, Any], key: str, changed: list[int]) -> Result:
    with opened(config, changed) as ares:
        return ares.call_sync(ToolCall("change", {"to": 1}, key=key))


def test_the_next_process_gives_the_answer_of_the_one_before(path: Path, config: dict[str, Any]) -> None:
    assert go_on(start(path, 0, "k")) == [["begun", "k ran"]]
    assert go_on(start(path, 0, "k")) == [["k replayed"]]
    changed: list[int] = []
    result = call(config, "k", changed)
    assert (result.data, changed, effects(path)) == (1, [], 1)


def test_a_call_whose_process_was_killed_is_unknown_and_never_runs_again(
    path: Path, config: dict[str, Any], caplog: pytest.LogCaptureFixture
) -> None:
    kill_in_the_middle(path, "k")
    changed: list[int] = []
    for _ in range(2):
        result = call(config, "k", changed)
        assert result.error is not None
        assert result.error.code == "outcome_unknown"
        assert "whether it took effect is unknown" in result.text
    assert changed == []
    assert "1 call broken off when the process ended" in caplog.text


def test_a_killed_process_leaves_no_files_behind_for_long(path: Path, config: dict[str, Any]) -> None:
    kill_in_the_middle(path, "k")
    assert list(path.parent.glob("*-owner-*"))
    call(config, "other", [])
    assert not list(path.parent.glob("*-owner-*"))


def test_two_processes_with_one_key_at_one_moment_run_it_once(path: Path) -> None:
    for number in range(5):
        processes = [start(path, 0.05, f"k{number}") for _ in range(2)]
        said = sorted(lines[-1].split()[1] for lines in go_on(*processes))
        assert said == ["ran", "replayed"]
        assert effects(path) == number + 1


def test_the_claim_of_a_process_that_lives_is_awaited(path: Path, config: dict[str, Any]) -> None:
    process = start(path, 0.5, "k")
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write("\n")
    process.stdin.flush()
    assert process.stdout.readline() == "begun\n"
    result = call(config, "k", [])
    assert result.metadata.get("replayed")
    process.communicate(timeout=100)


def test_a_forked_child_has_claims_of_its_own(path: Path, config: dict[str, Any]) -> None:
    changed: list[int] = []
    with opened(config, changed) as ares:
        ares.call_sync(ToolCall("change", {"to": 1}, key="before"))
        child = os.fork()
        if child == 0:
            results = [ares.call_sync(ToolCall("change", {"to": 1}, key=key)) for key in ("before", "child")]
            os._exit(0 if [len(changed), *(result.success for result in results)] == [2, True, True] else 1)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        assert ares.call_sync(ToolCall("change", {"to": 1}, key="child")).metadata.get("replayed")
    assert changed == [1]


def test_a_damaged_ledger_is_left_where_it_is_and_nothing_is_changed(path: Path, config: dict[str, Any]) -> None:
    call(config, "k", [])
    file = path.with_name("ares-calls.db")
    for suffix in ("-wal", "-shm"):
        file.with_name(file.name + suffix).unlink(missing_ok=True)
    file.write_bytes(file.read_bytes()[:100] + b"\0" * 5000)
    changed: list[int] = []
    result = call(config, "k", changed)
    assert result.error is not None
    assert "is damaged" in result.text
    assert changed == []
    assert file.exists()


def test_secrets_do_not_reach_the_file(path: Path, config: dict[str, Any]) -> None:
    def log_in(arguments: Any, context: Any) -> dict[str, str]:
        return {"token": "abc123secret", "said": arguments["pin"]}

    schema = {"type": "object", "properties": {"pin": {"type": "string", "writeOnly": True}}}
    with opened(config, []) as ares:
        ares.register(Tool("log_in", "Log in.", schema, log_in))
        ares.call_sync(ToolCall("log_in", {"pin": "correct horse"}, key="k"))
    stored = b"".join(file.read_bytes() for file in path.parent.iterdir())
    assert b"abc123secret" not in stored
    assert b"correct horse" not in stored


def test_a_ledger_that_is_closed_lets_no_call_pass(open_store: Any) -> None:
    ledger: SqliteLedger = open_store("ledger")
    ledger.close()
    with pytest.raises(Exception, match="closed"):
        ledger.claim(row("k"))


def test_the_log_is_quiet_when_nothing_was_broken_off(open_store: Any, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        open_store("ledger").close()
        open_store("ledger")
    assert [record.getMessage() for record in caplog.records if record.name.startswith("ares")] == []

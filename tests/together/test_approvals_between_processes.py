"""A call of one ``ares`` process waits, is approved by another, and runs once, whoever resumes it how often."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

RULES = "approvals: {defer: true, rules: [{answer: ask, tool: file_tools, effect: mutating}]}\n"
WRITE = ("call", "file_tools", "operation=append", "path=a.txt", "content=x")
Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def ares(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run a command line in a home and a working folder of their own."""
    for variable in ("HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.setenv(variable, str(tmp_path))
    (tmp_path / "box").mkdir()
    monkeypatch.setenv("ARES_TOOLS__FILE_SANDBOX_DIR", str(tmp_path / "box"))
    monkeypatch.setenv("ARES_ONLY_PLUGINS", "files,file-sandbox,store-sqlite")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "ares.yaml").write_text(RULES, "utf-8")

    def run(*words: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "ares_core", *words]
        return subprocess.run(command, capture_output=True, text=True, timeout=240, check=False, input="")

    return run


def test_a_call_waits_is_approved_and_runs_once_in_five_processes_at_one_moment(ares: Run, tmp_path: Path) -> None:
    waits = ares(*WRITE, "--json")
    id = json.loads(waits.stdout)["metadata"]["approval"]
    assert waits.returncode == 1
    assert ares("approvals", "resume", id).returncode == 1
    assert ares("approvals", "approve", id).returncode == 0
    with ThreadPoolExecutor() as pool:
        ended = list(pool.map(lambda _: ares("approvals", "resume", id), range(5)))
    assert 0 in {process.returncode for process in ended}
    assert (tmp_path / "box" / "a.txt").read_text("utf-8") == "x"
    assert ares("approvals", "resume", id).returncode == 0
    assert (tmp_path / "box" / "a.txt").read_text("utf-8") == "x"


def test_a_denied_call_never_runs(ares: Run, tmp_path: Path) -> None:
    id = json.loads(ares(*WRITE, "--json").stdout)["metadata"]["approval"]
    assert ares("approvals", "deny", id, "--reason", "not today").returncode == 0
    ended = ares("approvals", "resume", id)
    assert ended.returncode == 1
    assert "not today" in ended.stderr
    assert not (tmp_path / "box" / "a.txt").exists()

"""``ares graph run --durable``: the same id again is the same run, as it stands now, and of no other input."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ares_core import cli

ASKS = "name: asks\ninput: {n: {type: integer}}\nnodes:\n  - {id: a, ask: 'Go on with ${input.n}?'}\n"


def test_a_durable_run_that_went_on_by_itself_is_given_as_it_stands_and_of_no_other_input(
    ares_home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("ARES_ONLY_PLUGINS", "durable,graph")
    (file := ares_home / "asks.yaml").write_text(ASKS)

    def shell(*words: str) -> tuple[int, Any]:
        with pytest.raises(SystemExit) as ended:
            cli.main([*words, "--json"])
        return int(ended.value.code or 0), json.loads(capsys.readouterr().out)

    def graph(*words: str) -> tuple[int, Any]:
        return shell("graph", *words)

    def run(n: int) -> tuple[int, Any]:
        return graph("run", str(file), "--durable", "--run-id", "r", "--input", f"n={n}")

    assert [(code, found["status"]) for code, found in (run(5), run(5))] == [(1, "waiting")] * 2
    kept = shell("durable", "show", "r")[1]
    assert (kept["status"], kept["since"]) == ("waiting", None)
    assert graph("resume", "r", "--approve", "always")[0] == 0
    kept = shell("durable", "show", "r")[1]
    assert (kept["status"], "see 'ares graph runs r'" in kept["since"]) == ("success", True)
    assert [job["status"] for job in shell("durable", "jobs")[1]] == ["success"]
    code, found = run(5)
    assert (code, found["status"], found["output"]) == (0, "done", {"approved": True})
    code, found = run(3)
    assert (code, found["error"]["code"]) == (2, "key_conflict")

"""A process that is killed at any moment makes no call twice, and forgets none that took effect."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

SCRIPT = Path(__file__).parents[2] / "benchmarks" / "kill.py"


def load() -> Any:
    spec = importlib.util.spec_from_file_location("kill", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_killed_at_random_moments_nothing_takes_effect_twice_and_nothing_is_lost(tmp_path: Path) -> None:
    figures = load().run(tmp_path, kills=25, seed=5)
    assert figures["effects twice"] == 0
    assert figures["effects that the ledger lost"] == 0
    assert figures["known as done without an effect"] == 0
    assert figures["calls without an answer"] == 0
    assert figures["killed in the middle of a call"] > 0

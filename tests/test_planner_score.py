from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ares_core import Effects, Evidence, Tool
from ares_core.planner.score import effects_of, score

READS, CHANGES = Effects(read_only=True), Effects()
DECLARED: dict[str, tuple[float, dict[str, Any]]] = {
    "calculator": (33.99, {"cost": 1, "latency_ms": 1, "deterministic": True, "effects": READS}),
    "http_request": (15.0, {"cost": 5, "latency_ms": 300, "effects": CHANGES}),
    "web_search": (18.0, {"cost": 5, "latency_ms": 500, "effects": READS}),
    "code_runner": (19.0, {"cost": 10, "latency_ms": 100, "deterministic": True, "effects": CHANGES}),
}


def tool(name: str = "one", **options: Any) -> Tool:
    return Tool(name, "", {}, lambda arguments, context: None, **options)


@pytest.mark.parametrize(("name", "expected"), [(name, total) for name, (total, _) in DECLARED.items()])
def test_without_history_the_score_is_what_the_tool_declares(name: str, expected: float) -> None:
    found = score(tool(name, **DECLARED[name][1]), Evidence(), {})
    assert found.total == pytest.approx(expected)
    assert sum(found.terms.values()) == pytest.approx(found.total)


def test_failures_count_twice_and_successes_outweigh_them_slowly() -> None:
    declared = tool(**DECLARED["calculator"][1])
    failing = score(declared, Evidence(n=5, successes=0, failures=5, latency_ms=1), {})
    assert failing.failures == -5
    assert failing.success == pytest.approx(20 * 4.75 / 10)
    recovered = score(declared, Evidence(n=45, successes=40, failures=5, latency_ms=1), {})
    assert failing.total < recovered.total < score(declared, Evidence(), {}).total


@given(st.floats(0, 49), st.floats(0, 1), st.floats(0, 1e9), st.floats(0, 1e6), st.booleans())
def test_every_score_lies_between_its_bounds(n: float, rate: float, latency: float, cost: float, reads: bool) -> None:
    evidence = Evidence(n=n, successes=n * rate, failures=n * (1 - rate), latency_ms=latency)
    total = score(tool(cost=cost, effects=READS if reads else CHANGES), evidence, {}).total
    assert -20 <= total <= 35


def test_effects_that_depend_on_the_arguments_are_those_of_the_arguments() -> None:
    def effects(arguments: Mapping[str, Any]) -> Effects:
        return READS if arguments["operation"] == "read" else CHANGES

    files = tool(effects=effects)
    assert score(files, Evidence(), {"operation": "read"}).side_effects == 0
    assert score(files, Evidence(), {"operation": "write"}).side_effects == -5
    assert effects_of(files, {}) == Effects()


def test_a_score_is_shown_term_by_term() -> None:
    assert str(score(tool(**DECLARED["http_request"][1]), Evidence(), {})) == (
        "15.00 = cost +2 composable +2 success +19 latency -3 side effects -5"
    )

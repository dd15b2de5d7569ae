"""The model that may be asked where the planner is not sure: it chooses among candidates, and nothing else."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from ares_core import Ares, Effects, UsageError, tool

READS = Effects(read_only=True)
REQUEST = "how does it look outside in the capital of Norway"


@tool(effects=READS)
def weather(city: str, days: int = 1) -> str:
    """Tell how it looks outside."""
    return f"rain in {city} for {days}"


@tool
def forget_city(city: str) -> str:
    """Forget a city, how it looks and all."""
    return f"forgot {city}"


def asked(answer: Any, request: str = REQUEST) -> tuple[Any, list[Any]]:
    """Ask with a model that answers so; gives the result and what the model was shown."""
    shown: list[Any] = []

    def choose(request: str, candidates: list[dict[str, Any]]) -> Any:
        shown.append((request, [one["tool"] for one in candidates]))
        if isinstance(answer, Exception):
            raise answer
        return answer

    with Ares(plugins=["rules-en"], config={"planner": {"min_confidence": 0.95}}, planner_model=choose) as ares:
        ares.register(weather)
        ares.register(forget_city)
        return ares.ask_sync(request), shown


def test_its_choice_among_the_candidates_runs() -> None:
    result, shown = asked({"tool": "weather", "arguments": {"city": "Oslo", "days": 2}})
    assert result.data == "rain in Oslo for 2"
    assert [request for request, _ in shown] == [REQUEST]
    assert set(shown[0][1]) <= {"weather", "forget_city"}


@pytest.mark.parametrize(
    "answer",
    [
        None,
        "weather",
        {"tool": "weather"},
        {"tool": "weather", "arguments": {"town": "Oslo"}},
        {"tool": "weather", "arguments": {"city": 5}},
        {"tool": "weather", "arguments": '{"city": "Oslo"}'},
        {"tool": "calculator", "arguments": {"expression": "1"}},
        {"tool": "weather", "arguments": {"city": "Oslo"}, "code": "print(1)"},
        RuntimeError("no answer"),
    ],
)
def test_anything_else_is_no_plan(answer: Any) -> None:
    result, _ = asked(answer)
    assert result.error is not None
    assert result.error.code == "no_plan"


def test_its_choice_changes_nothing_by_itself() -> None:
    result, _ = asked({"tool": "forget_city", "arguments": {"city": "Oslo"}})
    assert result.error is not None
    assert (result.error.code, result.error.suggestions) == ("no_plan", ("forget_city",))


@pytest.mark.parametrize("request_", ["don't tell me how it looks", "how would you tell how it looks outside?", ""])
def test_it_is_not_asked_what_was_forbidden_or_only_talked_about(request_: str) -> None:
    result, shown = asked({"tool": "weather", "arguments": {"city": "Oslo"}}, request_)
    assert result.error is not None
    assert shown == []


def test_a_tool_can_be_the_model() -> None:
    with Ares(plugins=["rules-en"], config={"planner": {"model": "chooser"}}) as ares:

        @tool(effects=READS)
        def chooser(request: str, candidates: list[dict[str, Any]]) -> Mapping[str, Any]:
            """Pick."""
            return {"tool": "weather", "arguments": {"city": request.rpartition(" ")[2]}}

        ares.register(weather)
        ares.register(chooser)
        assert ares.ask_sync("glance outside, over in Norway").data == "rain in Norway for 1"


def test_without_one_nothing_is_asked() -> None:
    with Ares(plugins=["rules-en"]) as ares:
        ares.register(weather)
        assert ares.ask_sync("qwerty uiop").error is not None


def test_what_is_no_function_is_refused() -> None:
    model: Any = "openai:some-model"
    with pytest.raises(UsageError, match="planner_model"):
        Ares(plugins=[], planner_model=model)

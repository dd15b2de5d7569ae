"""What a tool gives back or raises and nobody could write down still becomes one clean result."""

from __future__ import annotations

from fractions import Fraction
from ipaddress import ip_address
from types import SimpleNamespace
from typing import Any

import pytest

from ares_core import Ares, Effects, Result, Tool, ToolError

QUIET = Effects(read_only=True, open_world=False)
HALF = "\ud800"
"""Half of a surrogate pair, as a file name that is no UTF-8 holds it."""


class Mute(Exception):
    """An exception that can't be written."""

    def __str__(self) -> str:
        raise ValueError("no words")


def called(outcome: Any) -> Result:
    async def give(arguments: Any, context: Any) -> Any:
        if isinstance(outcome, BaseException):
            raise outcome
        return outcome

    with Ares(plugins=[]) as ares:
        ares.register(Tool("give", "Give.", {}, give, effects=QUIET))
        return ares.call_sync("give")


@pytest.mark.parametrize(
    ("answer", "data", "text"),
    [
        ({"a": HALF}, {"a": "?"}, '{"a":"?"}'),
        ({HALF: 1}, {"?": 1}, '{"?":1}'),
        ({"a": "x" * 40 + HALF}, {"a": "x" * 40 + "?"}, '{"a":"' + "x" * 40 + '?"}'),
        ([HALF], ["?"], '["?"]'),
        (HALF, "?", "?"),
        (Result(True, {"a": HALF}, text=f"it is {HALF}"), {"a": "?"}, "it is ?"),
    ],
)
def test_half_a_surrogate_pair_becomes_a_question_mark(answer: Any, data: Any, text: str) -> None:
    result = called(answer)
    assert (result.data, result.text) == (data, text)


@pytest.mark.parametrize("error", [ValueError(HALF), ToolError(HALF), Result(False, text=HALF)])
def test_the_words_of_a_failure_can_be_encoded(error: Any) -> None:
    result = called(error)
    assert result.error
    assert HALF not in result.text + result.error.message


def test_an_exception_that_cannot_be_written_is_the_tools_failure_not_ours() -> None:
    result = called(Mute())
    assert result.error
    assert (result.error.code, result.error.blame) == ("tool_error", "tool")
    assert "Mute" in result.text


@pytest.mark.parametrize("message", ["", "  "])
def test_a_failure_without_words_gets_some(message: str) -> None:
    assert called(ToolError(message)).text == "'give' failed."


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        (Fraction(1, 3), "1/3"),
        (1 + 2j, "(1+2j)"),
        ([ip_address("10.0.0.1")], '["10.0.0.1"]'),
        (SimpleNamespace(a=1), '{"a":1}'),
    ],
)
def test_numbers_and_addresses_of_other_types_are_written(answer: Any, text: str) -> None:
    assert called(answer).text == text


def test_keys_that_would_be_written_alike_are_an_error_and_lose_nothing_in_silence() -> None:
    assert "two of its keys are both written '1'" in called({1: "a", "1": "b"}).text

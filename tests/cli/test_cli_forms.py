"""A form that somebody asks for in the middle of a call, filled in at the terminal."""

from __future__ import annotations

import asyncio
import io
import sys
from typing import Any

import pytest

from ares_core import Approval, ToolCall
from ares_core.cli.approving import ask_person

FORM = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "title": "Your name", "minLength": 2},
        "age": {"type": "integer", "minimum": 0},
        "news": {"type": "boolean", "default": False},
        "size": {"type": "string", "enum": ["small", "large"], "default": "small"},
    },
    "required": ["name"],
}


@pytest.fixture
def answer(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Any:
    """Puts the form to a person who types these lines; gives the answer and what the person saw."""

    def answer(*lines: str, form: Any = FORM) -> tuple[Any, str]:
        monkeypatch.setattr(sys, "stdin", io.StringIO("".join(f"{line}\n" for line in lines)))
        approval = Approval(ToolCall("mcp.shop.order"), "server 'shop' asks: Who are you?", "", form=form)
        answered: Any = ask_person(approval)
        return asyncio.run(answered), capsys.readouterr().err

    return answer


def test_each_field_is_asked_for_and_read_by_its_type(answer: Any) -> None:
    filled, seen = answer("y", "Ada", "36", "yes", "large")
    assert filled == {"name": "Ada", "age": 36, "news": True, "size": "large"}
    assert "mcp.shop.order: server 'shop' asks: Who are you?" in seen
    assert "Your name (empty: decline): " in seen
    assert "size (one of small, large; empty: small): " in seen


def test_an_empty_line_takes_the_default_or_leaves_the_field_out(answer: Any) -> None:
    assert answer("y", "Ada", "", "", "")[0] == {"name": "Ada", "news": False, "size": "small"}


def test_what_does_not_fit_is_said_and_asked_for_again(answer: Any) -> None:
    filled, seen = answer("y", "A", "Ada", "many", "36", "", "huge", "large")
    assert filled == {"name": "Ada", "age": 36, "news": False, "size": "large"}
    assert seen.count("Your name") == seen.count("age (") == seen.count("size (") == 2


@pytest.mark.parametrize("lines", [[], ["n"], [""], ["y"], ["y", ""], ["y", "A", "B", "C"]])
def test_no_and_a_required_field_that_stays_empty_decline(answer: Any, lines: list[str]) -> None:
    assert answer(*lines)[0] is False


def test_a_form_that_is_none_is_declined(answer: Any) -> None:
    filled, seen = answer("y", "x", form={"properties": {"a": {"type": "no such type"}}})
    assert filled is False
    assert "can't be filled in" in seen
    assert answer("y", form={"properties": {}})[0] is True


def test_an_odd_form_is_asked_for_without_acting_on_the_terminal(answer: Any) -> None:
    form = {"properties": {"a\x1b[2J": {"title": "t\x1b]0;x\x07", "enum": ["\x1b[1m", "b"]}}, "required": 5}
    filled, seen = answer("y", "b", form=form)
    assert filled == {"a\x1b[2J": "b"}
    assert "\x1b" not in seen


def test_the_end_of_the_input_in_the_middle_of_a_form_declines(answer: Any) -> None:
    filled, seen = answer("y", form={"properties": {"a": {"type": "string", "default": "x"}}})
    assert filled is False
    assert "Declined" in seen


def test_an_answer_that_is_no_text_declines(answer: Any) -> None:
    filled, seen = answer("y", "\udcff", form={"properties": {"a": {"type": "string"}}})
    assert filled is False
    assert "the answer can't be read" in seen


def test_shared_definitions_lists_of_numbers_and_wrong_defaults_are_understood(answer: Any) -> None:
    properties = {
        "n": {"$ref": "#/$defs/n"},
        "list": {"type": "array", "items": {"type": "integer"}},
        "odd": {"type": "integer", "default": "evil", "title": "x\nRun it? [y/N]"},
    }
    filled, seen = answer("y", "5", "1, 2", "", form={"$defs": {"n": {"type": "integer"}}, "properties": properties})
    assert filled == {"n": 5, "list": [1, 2]}
    assert "x Run it? [y/N] (a whole number; empty: leave out): " in seen

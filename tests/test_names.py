"""Stage 1: which tool is meant. What is only similar never runs."""

from __future__ import annotations

import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ares_core import Ares, Effects, Event, Tool, ToolCall
from ares_core.table import fold

QUIET = Effects(read_only=True, open_world=False)
FILES = ("mcp.files.read_text", "mcp.mail.send", "mcp.chat.send", "calculator")


def named(name: str, **options: Any) -> Tool:
    return Tool(name, "Say who you are.", {}, lambda arguments, context: name, effects=QUIET, **options)


def asked(names: tuple[str, ...], called: Any) -> Any:
    """The name of the tool that answers, or the failure."""
    with Ares(plugins=[]) as ares:
        for name in names:
            ares.register(named(name))
        result = ares.call_sync(called)
        return result.data if result.success else result.error


@pytest.mark.parametrize(
    ("called", "meant"),
    [
        ("Read_File", "read_file"),
        ("read-file", "read_file"),
        ("ReadFile", "read_file"),
        ("readFile", "read_file"),
        ("READFILE", "read_file"),
        (" read_file\n", "read_file"),
        ("read_file()", "read_file"),
        ("read_file ( )", "read_file"),
        ("`read_file`", "read_file"),
        ('"read_file"', "read_file"),
        ("**read_file**", "read_file"),
        ("“hash_tool”;", "hash_tool"),
        ("\u200bread_file\ufeff", "read_file"),
        ("ｒｅａｄ＿ｆｉｌｅ", "read_file"),
        ("read file", "read_file"),
        ("HashTool", "hash_tool"),
        ("TodoTool_tool", "todo"),
        ("todo_tool", "todo"),
        ("functions.todo", "todo"),
        ("functions.HashTool:3", "hash_tool"),
        ("tools/read_file", "read_file"),
        ("todo<|channel|>commentary", "todo"),
        ("read_file</tool_call>", "read_file"),
        ("todo<｜tool▁sep｜>", "todo"),
    ],
)
def test_a_name_is_repaired_where_nothing_is_lost(called: str, meant: str) -> None:
    assert asked(("read_file", "hash_tool", "todo"), called) == meant


@pytest.mark.parametrize(
    "called",
    [
        "functions.calculator",
        "default_api.calculator",
        "default_api:calculator",
        "functions.calculator:0",
        "functions_calculator",
        "functions.functions.calculator",
        "to=functions.calculator",
        "call:calculator",
        "tool_call:calculator",
    ],
)
def test_noise_words_are_dropped(called: str) -> None:
    assert asked(("calculator",), called) == "calculator"


def test_the_exact_name_wins_over_every_repair() -> None:
    assert asked(("calculator", "functions.calculator"), "functions.calculator") == "functions.calculator"
    assert asked(("readfile", "read_file"), "read_file") == "read_file"


@pytest.mark.parametrize(
    ("called", "meant"),
    [
        ("read_text", "mcp.files.read_text"),
        ("files.read_text", "mcp.files.read_text"),
        ("mcp__files__read_text", "mcp.files.read_text"),
        ("files__read_text", "mcp.files.read_text"),
        ("mail_send", "mcp.mail.send"),
    ],
)
def test_a_missing_prefix_is_added(called: str, meant: str) -> None:
    assert asked(FILES, called) == meant


def test_what_fits_two_tools_runs_neither_and_names_both() -> None:
    error = asked(FILES, "send")
    assert error.code == "unknown_tool"
    assert set(error.suggestions) == {"mcp.mail.send", "mcp.chat.send"}
    assert asked(("read_file", "readfile"), "ReadFile").code == "unknown_tool"


@pytest.mark.parametrize("called", ["evil.calculator", "evil__calculator", "other/calculator", "mcp.evil.calculator"])
def test_a_prefix_of_an_unknown_server_is_not_dropped(called: str) -> None:
    error = asked(FILES, called)
    assert error.code == "unknown_tool"
    assert "calculator" in error.message


def test_the_prefix_of_the_very_plugin_that_owns_the_tool_is_dropped(ares: Ares, load: Any) -> None:
    load("adds")
    for called in ("adds.add", "adds__add", "Adds-Add"):
        assert ares.call_sync(called, {"a": 1}).data == 2
    assert ares.call_sync("other.add", {"a": 1}).success is False


@pytest.mark.parametrize("called", ["calculater", "calc", "calculators", "calculator2", "alculator"])
def test_a_merely_similar_name_never_runs_and_the_nearest_is_suggested(called: str) -> None:
    error = asked(FILES, called)
    assert error.code == "unknown_tool"
    assert called in error.message
    assert error.suggestions[:1] == ("calculator",)


def test_at_most_three_are_suggested_nearest_first() -> None:
    names = tuple(f"read_file_{letter}" for letter in "edcba")
    error = asked(names, "read_file_")
    assert error.suggestions == ("read_file_a", "read_file_b", "read_file_c")


def test_an_unknown_tool_is_refused_with_what_there_is_and_nothing_runs() -> None:
    ran: list[object] = []
    with Ares(plugins=[]) as ares:
        for name in ("calculator", "hash_tool"):
            ares.register(Tool(name, "", {}, lambda arguments, context: ran.append(1)))
        call = ToolCall("send_email", {"to": "a@example.org", "body": "sum of 3 and 4"}, id="call_1")
        result = ares.call_sync(call)
    assert ran == []
    assert result.call is not None
    assert result.call.id == "call_1"
    for words in ("send_email", "calculator", "hash_tool", "Not executed"):
        assert words in result.text


@pytest.mark.parametrize(
    "called", ['calculator(expression="1+1")', '{"name": "calculator"}', "<tool>calculator</tool>"]
)
def test_a_whole_call_in_the_place_of_the_name_is_refused_with_the_tool_that_it_names(called: str) -> None:
    error = asked(FILES, called)
    assert error.code == "unknown_tool"
    assert "calculator" in error.suggestions


@pytest.mark.parametrize("called", ["", "  ", "\n", "()", "functions.", "_", "x" * 100_000, "́" * 100_000], ids=len)
def test_what_is_no_name_is_refused_shortened_and_soon(called: str) -> None:
    began = time.process_time()
    error = asked(FILES, called)
    assert error.code == "unknown_tool"
    assert len(error.message) < 500
    assert time.process_time() - began < 15


@pytest.mark.parametrize("called", [None, 5, ["calculator"], {"name": "calculator"}], ids=repr)
def test_a_name_that_is_no_text_is_refused(called: Any) -> None:
    assert asked(FILES, ToolCall(called)).code == "unknown_tool"


def test_a_long_list_of_tools_is_cut_in_the_refusal() -> None:
    error = asked(tuple(f"tool_number_{number:03}" for number in range(100)), "send_email")
    assert "and 80 more" in error.message
    assert "tool_number_099" not in error.message


def test_an_alias_of_two_tools_is_ambiguous(ares: Ares) -> None:
    ares.register(named("one", aliases=("same",)))
    ares.register(named("two", aliases=("same",)))
    error = ares.call_sync("same").error
    assert error is not None
    assert error.suggestions == ("one", "two")


def test_a_repair_is_told_with_the_old_and_the_new_name(ares: Ares) -> None:
    events: list[Event] = []
    ares.on_event(events.append)
    ares.register(named("read_file"))
    result = ares.call_sync("Read-File")
    assert result.call is not None
    assert result.call.name == "read_file"
    (repaired,) = [event for event in events if event.kind == "repaired"]
    assert repaired.data == {"what": "name", "before": "Read-File", "after": "read_file", "rule": "spelling"}
    assert {event.tool for event in events if event.kind != "requested"} == {"read_file"}


def test_a_tool_that_comes_or_goes_changes_what_a_name_means(ares: Ares) -> None:
    ares.register(named("read_file"))
    assert ares.call_sync("ReadFile").data == "read_file"
    ares.register(named("readfile"))
    assert ares.call_sync("Read-File").success is False
    ares.unregister("read_file")
    assert ares.call_sync("Read-File").data == "readfile"


NAMES = st.text("abAB_-. ", min_size=1, max_size=8).filter(str.strip)


@given(names=st.sets(NAMES, min_size=1, max_size=6), called=NAMES)
def test_whatever_answers_is_the_exact_name_or_the_one_that_differs_in_spelling_or_prefix(
    names: set[str], called: str
) -> None:
    answered = asked(tuple(sorted(names)), called)
    if isinstance(answered, str):
        assert answered == called or called not in names
        assert answered == called or fold(answered).endswith(fold(called))
    else:
        assert answered.code == "unknown_tool"
        assert called not in names

"""The index of words: which tools a request is about."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ares_core import Capability, Evidence, Tool, ToolIndex


def named(index: ToolIndex, request: str, most: int = 5) -> list[str]:
    return [tool.name for tool in index.find(request, most)]


def tool(name: str, words: str = "", *capabilities: str) -> Tool:
    return Tool(name, words, {}, print, capabilities=capabilities)


@pytest.mark.parametrize("request_", ["cancelling", "it was cancelled", "Cancels"])
def test_words_are_found_whatever_their_ending(request_: str) -> None:
    assert named(ToolIndex([tool("cancel_order"), tool("find_order")]), request_) == ["cancel_order"]


def test_chinese_is_found_by_pairs_of_characters() -> None:
    index = ToolIndex([tool("a", "查询列车时刻"), tool("b", "查询天气预报")])
    assert named(index, "列车几点开") == ["a"]


def test_a_capability_s_other_names_count() -> None:
    declared = {"Translation": Capability("Translation", aliases=("翻译", "interpreter"), tools=("given",))}
    index = ToolIndex([tool("own", "", "Translation"), tool("given"), tool("other")], declared)
    assert named(index, "翻译") == named(index, "interpreter") == ["given", "own"]


def test_what_is_equally_near_is_decided_by_what_happened() -> None:
    known = {"b": Evidence(n=10, successes=10), "c": Evidence(n=10, failures=10)}
    index = ToolIndex([tool(name, "Say it.") for name in "cab"], evidence=lambda name: known.get(name, Evidence()))
    assert named(index, "say") == ["b", "a", "c"]


def test_a_word_of_every_tool_still_finds_some_and_a_rarer_one_decides() -> None:
    index = ToolIndex(tool(f"send_{number}", "common words" + " rarely" * (number == 4000)) for number in range(5000))
    assert len(named(index, "common")) == 5
    assert named(index, "common words, rarely said")[0] == "send_4000"


@given(st.lists(st.sampled_from("mail send find order 天气 车票".split()), max_size=6), st.permutations(range(8)))
def test_the_order_in_which_tools_come_changes_nothing(said: list[str], order: list[int]) -> None:
    tools = [tool(f"t{number}", ("send mail", "find order", "查天气", "订车票")[number % 4]) for number in range(8)]
    request = " ".join(said)
    assert named(ToolIndex(tools), request) == named(ToolIndex([tools[place] for place in order]), request)


def test_a_word_that_every_description_may_have_is_still_looked_for() -> None:
    index = ToolIndex([tool("cell_lookup", "Look up the function of a molecule."), tool("city_lookup", "Find a town.")])
    assert named(index, "What is the function of insulin?") == ["cell_lookup"]


def test_what_happened_is_an_event() -> None:
    index = ToolIndex([tool("event_date", "When an event was."), tool("place_finder", "Find a place.")])
    assert named(index, "When did the treaty take place?")[0] == "event_date"


def test_an_inflected_word_of_asking_finds_nothing() -> None:
    assert named(ToolIndex([tool("getting_there", "Plan a route.")]), "needs getting shown") == []

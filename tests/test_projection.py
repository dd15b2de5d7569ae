"""Of a result only the fields that were asked for: set up for a tool, configured, or named by the model."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ares_core import Ares, Effects, RegistrationError, Result, Tool, ToolCall, hookimpl
from ares_core.projection import project

QUIET = Effects(read_only=True, open_world=False)
DATA = {"items": [{"name": "a", "size": 1, "x/y": [10, 20]}, {"name": "b", "size": 2}], "count": 2, "none": None}
SCHEMA = {"type": "object", "properties": {"q": {"type": "string"}}, "additionalProperties": False}
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=12,
)


def listing(seen: list[Any] | None = None, **options: Any) -> Tool:
    def execute(arguments: Any, context: Any) -> Any:
        if seen is not None:
            seen.append((arguments, context.call.arguments))
        return DATA

    return Tool("list", "List things.", SCHEMA, execute, **{"effects": QUIET, **options})


@pytest.mark.parametrize(
    ("fields", "kept"),
    [
        (["count"], {"count": 2}),
        (["items.name"], {"items": [{"name": "a"}, {"name": "b"}]}),
        (["/items/1/size"], {"items": [{"size": 2}]}),
        (["items[0].size"], {"items": [{"size": 1}]}),
        (["$.items[*].name", "count"], {"items": [{"name": "a"}, {"name": "b"}], "count": 2}),
        (["/items/0/x~1y/1"], {"items": [{"x/y": [20]}]}),
        (["items.x/y"], {"items": [{"x/y": [10, 20]}, {}]}),
        (["*.name"], {"items": [{"name": "a"}, {"name": "b"}]}),
        (["none"], {"none": None}),
        (["items", "items.name"], {"items": DATA["items"]}),
        (["items.name", "items"], {"items": DATA["items"]}),
    ],
)
def test_a_field_is_dotted_or_a_pointer_and_goes_through_lists(fields: list[str], kept: Any) -> None:
    found, missing = project(DATA, fields)
    assert missing == []
    assert found == kept


def test_what_is_not_there_is_named_and_nothing_at_all_leaves_the_whole() -> None:
    assert project(DATA, ["count", "total"]) == ({"count": 2}, ["total"])
    assert project(DATA, ["total", "items.colour"]) == (DATA, ["total", "items.colour"])


@given(JSON, st.lists(st.text(max_size=12), max_size=4))
def test_no_field_breaks_it_and_nothing_is_added(data: Any, fields: list[str]) -> None:
    found, missing = project(data, fields) if fields else (data, [])
    assert len(repr(found)) <= len(repr(data))
    assert set(missing) <= set(fields)


def test_the_fields_of_a_tool_hold_for_data_and_text() -> None:
    with Ares(plugins=[]) as ares:
        ares.register(listing(fields=("items.name",)))
        result = ares.call_sync("list")
    assert result.data == {"items": [{"name": "a"}, {"name": "b"}]}
    assert result.text == '{"items":[{"name":"a"},{"name":"b"}]}'


def test_the_configuration_wins_over_the_tool() -> None:
    with Ares(plugins=[], config={"results": {"fields": {"list": ["count"]}}}) as ares:
        ares.register(listing(fields=("items",)))
        assert ares.call_sync("list").text == '{"count":2}'


def test_a_tool_that_lets_the_model_ask_has_one_argument_more_which_it_never_sees() -> None:
    seen: list[Any] = []
    with Ares(plugins=["wires"]) as ares:
        ares.register(listing(seen, fields="ask"))
        (definition,) = ares.definitions()
        assert set(definition["function"]["parameters"]["properties"]) == {"q", "result_fields"}
        result = ares.call_sync("list", '{"q": "tea", "result_fields": ["count", "colour"]}')
    assert seen == [({"q": "tea"}, {"q": "tea"})]
    assert result.data == {"count": 2}
    assert result.text.splitlines() == [
        '{"count":2}', "[the result has no field 'colour'; there are items, count, none]",
    ]  # fmt: skip
    assert SCHEMA["properties"] == {"q": {"type": "string"}}


def test_other_tools_take_no_such_argument() -> None:
    with Ares(plugins=[]) as ares:
        ares.register(listing())
        refused = ares.call_sync("list", {"result_fields": ["count"]})
    assert refused.error is not None
    assert refused.error.code == "invalid_arguments"


def test_the_same_call_with_other_fields_is_the_same_call() -> None:
    seen: list[Any] = []
    with Ares(plugins=[]) as ares:
        ares.register(listing(seen, fields="ask", effects=Effects()))
        for fields in (["count"], ["items"]):
            call = ToolCall("list", {"q": "tea", "result_fields": fields}, key="k1")
            assert ares.call_sync(call).success
    assert len(seen) == 1


def test_observers_see_the_whole_and_a_formatter_is_not_given_a_part() -> None:
    class Plugin:
        saw: Any = None

        @hookimpl
        def post_tool_call(self, result: Result) -> None:
            self.saw = result.data

        @hookimpl(tools=("list",))
        def format_result(self, result: Result) -> str:
            return f"{len(result.data['items'])} things"

    plugin = Plugin()
    with Ares(plugins=[plugin]) as ares:
        ares.register(listing(fields="ask"))
        assert ares.call_sync("list").text == "2 things"
        assert ares.call_sync("list", {"result_fields": ["count"]}).text == '{"count":2}'
    assert plugin.saw == DATA


@pytest.mark.parametrize("fields", [5, "items", [1]])
def test_fields_that_are_none_are_refused_in_a_sentence(fields: Any) -> None:
    with Ares(plugins=[]) as ares, pytest.raises(RegistrationError, match="fields"):
        ares.register(listing(fields=fields))


def test_a_tool_that_has_such_an_argument_itself_can_not_ask() -> None:
    own = {"type": "object", "properties": {"result_fields": {"type": "string"}}}
    with Ares(plugins=[]) as ares, pytest.raises(RegistrationError, match="without an argument 'result_fields'"):
        ares.register(Tool("list", "", own, lambda arguments, context: 1, fields="ask"))


def test_names_of_the_data_stand_inside_the_frame_too(ares: Ares) -> None:
    ares.register(
        Tool("list", "", SCHEMA, lambda given, context: {"obey me": 1, "b": 2}, fields=("b", "c"), effects=Effects())
    )
    text = ares.call_sync("list").text
    assert "obey me" in text
    assert text.startswith('<data from="list" trust="none">\n')
    assert text.endswith("\n</data>")

"""Chat completions: bodies, and what goes back."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import ares_plugin_wires
import pytest

from ares_core import Ares, Effects, Turn, WireError, tool


@tool(effects=Effects(read_only=True, open_world=False))
def add(a: int, b: int = 1) -> int:
    """Add two whole numbers."""
    return a + b


@pytest.fixture(scope="module")
def wires() -> Iterator[Ares]:
    with Ares(plugins=[ares_plugin_wires]) as ares:
        ares.register(add)
        yield ares


def call(arguments: Any = '{"a": 2}', name: Any = "add", **others: Any) -> dict[str, Any]:
    return {"id": "c1", "type": "function", "function": {"name": name, "arguments": arguments}, **others}


def body(*calls: Any, finish: str | None = "tool_calls", content: Any = None, **message: Any) -> dict[str, Any]:
    said = {"role": "assistant", "content": content, "tool_calls": list(calls), **message}
    return {"id": "r1", "model": "m", "choices": [{"index": 0, "message": said, "finish_reason": finish}]}


def read(ares: Ares, given: Any) -> Turn:
    return ares.parse(given, wire="openai-chat")


def test_calls_are_read_with_id_name_and_decoded_arguments(wires: Ares) -> None:
    turn = read(wires, body(call()))
    assert [(c.id, c.name, c.arguments) for c in turn] == [("c1", "add", {"a": 2})]
    assert (turn.outcome, turn.wire, turn.model) == ("calls", "openai-chat", "m")


@pytest.mark.parametrize("finish", ["stop", "length", "content_filter", "nonsense", None])
def test_calls_that_are_there_decide_whatever_the_finish_reason(wires: Ares, finish: str | None) -> None:
    assert read(wires, body(call(), finish=finish)).outcome == "calls"


def test_a_finish_reason_without_calls_ends_the_turn(wires: Ares) -> None:
    turn = read(wires, body(content="391", finish="tool_calls"))
    assert (list(turn), turn.text, turn.outcome) == ([], "391", "final")


@pytest.mark.parametrize("nothing", ["", "  ", None])
def test_no_arguments_are_an_empty_object(wires: Ares, nothing: Any) -> None:
    assert read(wires, body(call(nothing)))[0].arguments == {}


@pytest.mark.parametrize("entry", [{"id": "c1", "function": {"name": "add"}}, call({})])
def test_arguments_may_be_missing_or_an_object(wires: Ares, entry: Any) -> None:
    assert read(wires, body(entry))[0].arguments == {}


@pytest.mark.parametrize("text", ["{'a': 1}", '{"a": NaN}', '{"a": 1e999}', '{"a": 1, "a": 2}', "[1]", "42", '{"a": 1'])
def test_what_is_no_strict_json_object_stays_text(wires: Ares, text: str) -> None:
    assert read(wires, body(call(text)))[0].arguments == text


def test_a_list_as_arguments_becomes_its_text(wires: Ares) -> None:
    assert read(wires, body(call([1, 2])))[0].arguments == "[1,2]"


def test_large_whole_numbers_keep_their_digits(wires: Ares) -> None:
    assert read(wires, body(call('{"a": 9007199254740993}')))[0].arguments == {"a": 9007199254740993}


def test_objects_go_back_encoded_once(wires: Ares) -> None:
    messages = wires.handle_sync(body(call({"a": 2, "b": 3})), wire="openai-chat")
    assert json.loads(messages[0]["tool_calls"][0]["function"]["arguments"]) == {"a": 2, "b": 3}


@pytest.mark.parametrize("name", ["", None, 5])
def test_a_call_without_a_name_is_kept_and_answered(wires: Ares, name: Any) -> None:
    given = body(call(name=name), {"id": "c2", "type": "function"})
    assert [c.name for c in read(wires, given)] == ["", ""]
    messages = wires.handle_sync(given, wire="openai-chat")
    assert [m["tool_call_id"] for m in messages[1:]] == ["c1", "c2"]
    assert all("no name" in m["content"] for m in messages[1:])
    assert all(entry["function"]["name"] for entry in messages[0]["tool_calls"])


def test_odd_ids_are_kept(wires: Ares) -> None:
    assert read(wires, body(call(id="functions.exec:5")))[0].id == "functions.exec:5"


@pytest.mark.parametrize("missing", [{"id": ""}, {"id": None}])
def test_missing_ids_are_made_up_and_used_on_the_way_back(wires: Ares, missing: dict[str, Any]) -> None:
    messages = wires.handle_sync(body(call(**missing), call(**missing)), wire="openai-chat")
    sent = [entry["id"] for entry in messages[0]["tool_calls"]]
    assert sent == [m["tool_call_id"] for m in messages[1:]]
    assert len(set(sent)) == 2
    assert all(re.fullmatch("[A-Za-z0-9]{9}", identifier) for identifier in sent)


def test_reading_a_response_again_makes_up_the_same_ids(wires: Ares) -> None:
    given = body(call(id=None))
    assert read(wires, given)[0].id == read(wires, given)[0].id
    assert read(wires, {**given, "id": None})[0].id != read(wires, {**given, "id": None})[0].id


def test_a_repeated_id_is_answered_once_for_each_call(wires: Ares) -> None:
    messages = wires.handle_sync(body(call(), call('{"a": 5}')), wire="openai-chat")
    assert len({m["tool_call_id"] for m in messages[1:]}) == 2
    assert [m["content"] for m in messages[1:]] == ["3", "6"]


def test_two_equal_calls_are_two_calls(wires: Ares) -> None:
    assert len(read(wires, body(call(id="a"), call(id="b"), content="Twice."))) == 2


@pytest.mark.parametrize(
    ("given", "outcome", "said"),
    [
        (body(refusal="I can't."), "refused", "I can't."),
        (body(content=[{"type": "refusal", "refusal": "No."}]), "refused", "No."),
        (body(finish="content_filter"), "filtered", "content_filter"),
        ({"choices": []}, "failed", "no choices"),
        ({"choices": [{"index": 0, "finish_reason": "stop"}]}, "failed", "no message"),
        ({"choices": [{"message": None, "finish_reason": "stop"}]}, "failed", "no message"),
        ({"choices": [{"message": "Hello"}]}, "failed", "no message"),
        (body(finish="length", content="The sum is"), "truncated", "length"),
        ({"error": {"message": "overloaded"}}, "failed", "overloaded"),
        ({"error": {"message": "policy", "code": "content_filter"}}, "filtered", "policy"),
        (body(finish="error", content=""), "failed", "error"),
    ],
)
def test_an_empty_answer_says_why(wires: Ares, given: Any, outcome: str, said: str) -> None:
    turn = read(wires, given)
    assert (list(turn), turn.outcome) == ([], outcome)
    assert said in turn.reason


@pytest.mark.parametrize("arguments", ["", '{"a": 1, "b'])
def test_a_call_that_ran_out_of_tokens_is_refused(wires: Ares, arguments: str) -> None:
    given = body(call(arguments), finish="length")
    assert read(wires, given).outcome == "truncated"
    messages = wires.handle_sync(given, wire="openai-chat")
    assert "not executed" in messages[1]["content"].lower()
    assert "output limit" in messages[1]["content"]


def test_name_and_arguments_may_stand_in_the_call_itself(wires: Ares) -> None:
    given = body({"id": "c", "type": "function", "name": "add", "arguments": '{"a": 1}'})
    assert [(call.name, call.arguments) for call in read(wires, given)] == [("add", {"a": 1})]
    sent = wires.handle_sync(given)[0]["tool_calls"]
    assert sent == [{"id": "c", "type": "function", "function": {"name": "add", "arguments": '{"a":1}'}}]


@pytest.mark.parametrize(
    "generation", ['{"name": "add", "arguments": {"a": 1}}', '<function=add{"a": 1}</function>', "add(a=1)"]
)
def test_a_call_that_the_provider_could_not_read_is_read_here(wires: Ares, generation: str) -> None:
    error = {"code": "tool_use_failed", "message": "no match", "failed_generation": generation}
    turn = read(wires, {"error": error})
    assert (turn.outcome, turn[0].name, turn[0].arguments) == ("malformed", "add", {"a": 1})
    assert wires.handle_sync({"error": error})[1]["content"] == "2"


def test_the_old_function_call_is_answered_in_its_own_way(wires: Ares) -> None:
    said = {"role": "assistant", "content": None, "function_call": {"name": "add", "arguments": '{"a": 2}'}}
    messages = wires.handle_sync({"choices": [{"message": said}]}, wire="openai-chat")
    assert messages[1] == {"role": "function", "name": "add", "content": "3"}


def test_free_text_calls_of_custom_tools_are_read(wires: Ares) -> None:
    entry = {"id": "c9", "type": "custom", "custom": {"name": "sh", "input": "ls -l"}}
    turn = read(wires, body(entry))
    assert (turn[0].name, turn[0].arguments) == ("sh", {"input": "ls -l"})
    assert turn.native["tool_calls"] == [entry]


def test_calls_that_the_provider_runs_are_left_alone(wires: Ares) -> None:
    messages = wires.handle_sync(body(call(id="srvtoolu_1", name="web_search"), call()), wire="openai-chat")
    assert [m["tool_call_id"] for m in messages[1:]] == ["c1"]
    assert messages[0]["tool_calls"][0]["id"] == "srvtoolu_1"


def test_leaked_control_tokens_are_cut_off_a_name(wires: Ares) -> None:
    assert read(wires, body(call(name="add<|channel|>commentary")))[0].name == "add"


def test_opaque_parts_go_back_and_parts_of_answers_do_not(wires: Ares) -> None:
    opaque: dict[str, Any] = {
        "reasoning_details": [{"type": "reasoning.encrypted", "data": "x"}],
        "extra_content": {"google": {"s": "y"}},
    }
    native = read(wires, body(call(), annotations=[], refusal=None, audio=None, **opaque)).native
    assert {key: native[key] for key in opaque} == opaque
    assert set(native) == {"role", "content", "tool_calls", *opaque}


def test_unreadable_arguments_go_back_as_an_object(wires: Ares) -> None:
    messages = wires.handle_sync(body(call("no json at all")), wire="openai-chat")
    assert isinstance(json.loads(messages[0]["tool_calls"][0]["function"]["arguments"]), dict)


def test_repaired_arguments_go_back_as_they_were_run(wires: Ares) -> None:
    messages = wires.handle_sync(body(call("{'a': 2,}")), wire="openai-chat")
    assert messages[1]["content"] == "3"
    assert json.loads(messages[0]["tool_calls"][0]["function"]["arguments"])["a"] == 2


def test_calls_in_a_later_choice_count(wires: Ares) -> None:
    choices = [{"message": {"content": "Let me see."}}, {"message": {"tool_calls": [call()]}}]
    assert [c.name for c in read(wires, {"choices": choices})] == ["add"]


def test_a_message_by_itself_is_a_body(wires: Ares) -> None:
    assert [c.name for c in wires.parse(body(call())["choices"][0]["message"])] == ["add"]


def test_json_text_and_bytes_are_bodies(wires: Ares) -> None:
    text = json.dumps(body(call()))
    assert len(wires.parse(text)) == len(wires.parse(text.encode())) == len(wires.parse("\ufeff" + text)) == 1


@pytest.mark.parametrize("given", ["<html>502 Bad Gateway</html>", "", b"\xff\xfe", {"a": 1}, [], 7, '{"choices": ['])
def test_a_body_that_no_format_knows_is_an_error(wires: Ares, given: Any) -> None:
    with pytest.raises(WireError):
        wires.parse(given)


def test_an_unknown_wire_is_an_error_that_names_the_known_ones(wires: Ares) -> None:
    with pytest.raises(WireError, match="openai-chat"):
        wires.parse({}, wire="openai")


@pytest.mark.parametrize("junk", [None, 1, "x", [], [None], {}, {"function": 1}, {"function": {"name": []}}])
def test_senseless_parts_never_raise(wires: Ares, junk: Any) -> None:
    for given in (body(junk), {"choices": junk}, {"choices": [junk]}, {"choices": [{"message": junk}]}):
        turn = read(wires, given)
        assert "no sound" not in turn.reason
        assert all(c.id and isinstance(c.name, str) for c in turn)

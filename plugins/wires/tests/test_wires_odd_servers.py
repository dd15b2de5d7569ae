"""What servers send that keep to a format only nearly."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import ares_plugin_wires
import pytest

from ares_core import Ares, Effects, ToolFunc


@pytest.fixture(scope="module")
def wires() -> Iterator[Ares]:
    with Ares(plugins=[ares_plugin_wires]) as ares:
        effects = Effects(read_only=True, open_world=False)
        ares.register(ToolFunc(name="x", description="x", parameters={}, fn=lambda **given: given, effects=effects))
        yield ares


def calls(ares: Ares, body: Any) -> list[Any]:
    return [(call.id, call.name, call.arguments) for call in ares.parse(body)]


def completion(tool_calls: Any) -> dict[str, Any]:
    message = {"role": "assistant", "content": None, "tool_calls": tool_calls}
    return {"choices": [{"message": message, "finish_reason": "tool_calls"}]}


def call(name: Any = "x", arguments: Any = '{"a":1}', id: Any = "1") -> dict[str, Any]:
    return {"id": id, "type": "function", "function": {"name": name, "arguments": arguments}}


X = [("1", "x", {"a": 1})]


@pytest.mark.parametrize(
    "tool_calls",
    [
        json.dumps([call()]),
        {"0": call()},
        [{"id": "1", "function": '{"name": "x", "arguments": {"a": 1}}'}],
        [{"id": "1", "function": "x", "arguments": '{"a": 1}'}],
        [{"id": "1", "function": {"name": "x", "parameters": {"a": 1}}}],
        [{"id": "1", "function": {"name": "x", "args": '{"a": 1}'}}],
        [{"id": "1", "function": {"name": "x", "input": {"a": 1}}}],
        [None, call()],
    ],
)
def test_a_call_in_another_wrapping_is_read_and_goes_back_as_it_should(wires: Ares, tool_calls: Any) -> None:
    turn = wires.parse(completion(tool_calls))
    assert [(each.id, each.name, each.arguments) for each in turn] == X
    assert turn.native["tool_calls"] == [call()]


BODIES: dict[str, Any] = {
    "openai-chat": lambda name: completion([call(name)]),
    "openai-responses": lambda name: {
        "object": "response",
        "output": [{"type": "function_call", "call_id": "1", "name": name, "arguments": "{}"}],
    },
    "anthropic": lambda name: {
        "type": "message",
        "content": [{"type": "tool_use", "id": "1", "name": name, "input": {}}],
        "stop_reason": "tool_use",
    },
    "gemini": lambda name: {"candidates": [{"content": {"parts": [{"functionCall": {"name": name, "args": {}}}]}}]},
    "bedrock-converse": lambda name: {
        "output": {"message": {"content": [{"toolUse": {"toolUseId": "1", "name": name, "input": {}}}]}},
        "stopReason": "tool_use",
    },
    "cohere": lambda name: {"message": {"tool_calls": [call(name)]}, "finish_reason": "TOOL_CALL"},
    "ollama": lambda name: {"message": {"tool_calls": [{"function": {"name": name, "arguments": {}}}]}, "done": True},
}


@pytest.mark.parametrize("wire", BODIES)
@pytest.mark.parametrize("name", ["what is.this?", "y" * 90, "$x", "", "7 up"])
def test_a_name_that_the_provider_would_refuse_goes_back_in_a_form_that_it_takes(
    wires: Ares, wire: str, name: str
) -> None:
    said, *answers = wires.handle_sync(BODIES[wire](name), wire=wire)
    rule = wires.wires.format(wire).names
    for sent in re.findall('"name": "([^"]*)"', json.dumps([said, answers])):
        assert re.fullmatch(f"[{rule.first}][{rule.rest}]{{0,{rule.longest - 1}}}", sent)


def test_a_name_goes_back_without_the_word_that_the_provider_would_refuse(wires: Ares) -> None:
    said, answer = wires.handle_sync(completion([call("functions.x")]))
    assert said["tool_calls"] == [call("x")]
    assert answer["content"] == '{"a":1}'


def test_a_tool_that_the_provider_has_built_in_keeps_its_name(wires: Ares) -> None:
    wish = {**call("$web_search"), "type": "builtin_function"}
    assert wires.parse(completion([wish])).native["tool_calls"] == [wish]


def chunk(*fragments: Any, finish: str | None = None) -> dict[str, Any]:
    delta = {"tool_calls": list(fragments)} if fragments else {}
    return {"object": "chat.completion.chunk", "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}


def piece(arguments: Any = None, **fields: Any) -> dict[str, Any]:
    name = {"name": fields.pop("name")} if "name" in fields else {}
    return {**fields, "function": {**name, **({} if arguments is None else {"arguments": arguments})}}


XY = [("1", "x", {"a": 1}), ("2", "y", {"b": 2})]
TWO = [piece('{"a"', index=0, id="1", name="x"), piece('{"b"', index=1, id="2", name="y")]


@pytest.mark.parametrize(
    ("chunks", "expected"),
    [
        ([chunk(piece('{"a"', index=0, id="1", name="x")), chunk(piece(":1}", index=1))], X),
        ([chunk(piece('{"a":1}', index=0, id="1", name="x")), chunk(piece("", index=1, id="", name=""))], X),
        (
            [chunk(*({**each, "index": None} for each in TWO)), chunk(piece(":1}"), piece(":2}"))],
            XY,
        ),
        ([chunk(piece("null", index=0, id="1", name="x")), chunk(piece('{"a":1}', index=0))], X),
        ([chunk(piece({}, index=0, id="1", name="x")), chunk(piece('{"a":1}', index=0))], X),
        ([chunk(piece({"a": 1}, index=0, id="1", name="x")), chunk(piece({}, index=0))], X),
        ([chunk({"index": 0, "id": "1", "function": {"name": "x", "parameters": {"a": 1}}})], X),
    ],
)
def test_odd_fragments_find_their_call(wires: Ares, chunks: list[Any], expected: list[Any]) -> None:
    assert calls(wires, [*chunks, chunk(finish="tool_calls")]) == expected


def test_an_object_of_an_unknown_place_does_not_spoil_a_whole_call(wires: Ares) -> None:
    stray = [chunk(piece('{"a":1}', index=0, id="1", name="x")), chunk(piece('{"b":2}', index=1))]
    assert calls(wires, [*stray, chunk(finish="tool_calls")])[:1] == X


def added(place: int, number: str, name: str) -> dict[str, Any]:
    item = {"type": "function_call", "id": f"f{number}", "call_id": number, "name": name, "arguments": ""}
    return {"type": "response.output_item.added", "output_index": place, "item": item}


def delta(place: int, item: str, text: str) -> dict[str, Any]:
    return {
        "type": "response.function_call_arguments.delta", "output_index": place, "item_id": item, "delta": text,
    }  # fmt: skip


COMPLETED = {"type": "response.completed", "response": {"id": "r", "status": "completed", "output": []}}


def test_items_of_a_response_that_all_claim_one_place_are_told_apart(wires: Ares) -> None:
    events = [added(0, "1", "x"), delta(0, "f1", '{"a":1}'), added(0, "2", "y"), delta(0, "f2", '{"b":2}'), COMPLETED]
    assert calls(wires, events) == XY


def test_items_whose_ids_change_with_each_event_are_found_by_their_place(wires: Ares) -> None:
    assert calls(wires, [added(0, "1", "x"), delta(0, "u", '{"a"'), delta(0, "v", ":1}"), COMPLETED]) == X


def test_an_item_that_comes_whole_without_arguments_keeps_those_that_came_in_pieces(wires: Ares) -> None:
    done = {**added(0, "1", "x"), "type": "response.output_item.done"}
    assert calls(wires, [added(0, "1", "x"), delta(0, "f1", '{"a":1}'), done, COMPLETED]) == X


def test_arguments_of_an_item_that_never_began_are_a_call(wires: Ares) -> None:
    done = {"type": "response.function_call_arguments.done", "item_id": "1", "name": "x", "arguments": '{"a":1}'}
    assert calls(wires, [done, COMPLETED]) == X


def test_blocks_that_all_claim_one_place_are_told_apart_on_bedrock(wires: Ares) -> None:
    def start(number: str, name: str) -> dict[str, Any]:
        return {
            "contentBlockStart": {"contentBlockIndex": 0, "start": {"toolUse": {"toolUseId": number, "name": name}}}
        }

    def said(given: Any) -> dict[str, Any]:
        return {"contentBlockDelta": {"contentBlockIndex": 0, "delta": {"toolUse": {"input": given}}}}

    end = {"messageStop": {"stopReason": "tool_use"}}
    assert calls(wires, [start("1", "x"), said('{"a":1}'), start("2", "y"), said({"b": 2}), end]) == XY


def test_a_piece_of_input_may_be_an_object(wires: Ares) -> None:
    events = [
        {"type": "content_block_start", "index": 0, "content_block": {"type": "tool_use", "id": "1", "name": "x"}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "input_json_delta", "partial_json": {"a": 1}}},
        {"type": "message_delta", "delta": {"stop_reason": "tool_use"}},
    ]
    assert calls(wires, events) == X


def gemini(function: Any) -> dict[str, Any]:
    return {"candidates": [{"content": {"role": "model", "parts": [{"functionCall": function}]}, "index": 0}]}


def test_a_google_call_that_comes_in_pieces_is_put_together(wires: Ares) -> None:
    pieces = [
        [{"jsonPath": "$.city", "stringValue": "New ", "willContinue": True}],
        [{"jsonPath": "$.city", "stringValue": "York"}, {"jsonPath": "$.days[0].n", "numberValue": 1}],
        [{"jsonPath": "$['odd key']", "nullValue": "NULL_VALUE"}, {"jsonPath": "$.ok", "boolValue": True}],
    ]
    begun = gemini({"name": "x", "id": "1", "willContinue": True})
    parts = [gemini({"partialArgs": each, "willContinue": True}) for each in pieces]
    end = {"candidates": [{"finishReason": "STOP"}]}
    made = {"city": "New York", "days": [{"n": 1}], "odd key": None, "ok": True}
    assert calls(wires, [begun, *parts, gemini({}), end]) == [("1", "x", made)]
    ((_, _, unfinished),) = calls(wires, [begun, *parts, end])
    assert isinstance(unfinished, str)


EVENTS = [chunk(piece('{"a":', index=0, id="1", name="x")), chunk(piece("1}", index=0)), chunk(finish="tool_calls")]
TEXTS = [json.dumps(event) for event in EVENTS]


@pytest.mark.parametrize(
    "text",
    [
        "".join(TEXTS),
        " \n".join(TEXTS),
        "".join(f"data: {text}" for text in TEXTS),
        "".join(f"data: data: {text}\n\n" for text in TEXTS),
        f"data: {TEXTS[0]}{TEXTS[1]}\n\ndata: {TEXTS[2]}\n\ndata: [DONE]",
    ],
)
def test_events_may_stand_right_behind_each_other(wires: Ares, text: str) -> None:
    assert calls(wires, text) == X
    half = text[: text.index("1}") - 20]
    assert all(isinstance(arguments, str) for _, _, arguments in calls(wires, half))


@pytest.mark.parametrize(
    ("body", "wire", "outcome"),
    [
        ({"choices": [{"finish_reason": "content_filter", "content_filter_results": {}}]}, "openai-chat", "filtered"),
        ({"choices": [{"finish_reason": "length"}]}, "openai-chat", "truncated"),
        ({"choices": [{"finish_reason": "stop", "message": None}]}, "openai-chat", "failed"),
        ({"message": "Too many requests", "__type": "ThrottlingException"}, "bedrock-converse", "failed"),
        ({"type": "message", "role": "assistant", "content": None, "stop_reason": "refusal"}, "anthropic", "refused"),
    ],
)
def test_an_answer_without_a_message_is_no_empty_success(wires: Ares, body: Any, wire: str, outcome: str) -> None:
    turn = wires.parse(body)
    assert (turn.wire, turn.outcome, len(turn)) == (wire, outcome, 0)
    assert turn.reason

"""What else the other providers send: empty answers, errors, and calls in odd forms."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import ares_plugin_wires
import pytest

from ares_core import Ares, Effects, WireError, tool


@tool(effects=Effects(read_only=True, open_world=False))
def add(a: int, b: int = 1) -> int:
    """Add two whole numbers."""
    return a + b


@pytest.fixture(scope="module")
def wires() -> Iterator[Ares]:
    with Ares(plugins=[ares_plugin_wires]) as ares:
        ares.register(add)
        yield ares


OUTCOMES = [
    ({"candidates": [{"finishReason": "MALFORMED_FUNCTION_CALL", "finishMessage": "print(add("}]},
     "malformed", "print(add("),
    ({"candidates": [{"finishReason": "SAFETY"}]}, "filtered", "SAFETY"),
    ({"promptFeedback": {"blockReason": "OTHER"}}, "filtered", "OTHER"),
    ({"candidates": []}, "failed", "no candidates"),
    ({"error": {"code": 400, "status": "INVALID_ARGUMENT", "message": "bad"}}, "failed", "bad"),
    ({"type": "message", "content": [], "stop_reason": "refusal"}, "refused", "refusal"),
    ({"type": "error", "error": {"type": "overloaded_error", "message": "busy"}}, "failed", "busy"),
    ({"object": "response", "status": "failed", "error": {"message": "boom"}, "output": []}, "failed", "boom"),
    ({"object": "response", "status": "queued", "output": []}, "truncated", "queued"),
    ({"object": "response", "status": "incomplete", "incomplete_details": {"reason": "content_filter"}, "output": []},
     "filtered", "content_filter"),
    ({"object": "response", "status": "completed", "output": [
        {"type": "message", "content": [{"type": "refusal", "refusal": "No."}]}]}, "refused", "No."),
    ({"stopReason": "guardrail_intervened", "output": {"message": {"role": "assistant"}}}, "filtered", "guardrail"),
    ({"stopReason": "malformed_tool_use", "output": {"message": {"role": "assistant"}}}, "malformed", "tool_use"),
    ({"error": "model not found"}, "failed", "model not found"),
    ({"message": {"role": "assistant"}, "finish_reason": "ERROR"}, "failed", "ERROR"),
    ({"object": "error", "message": "too long", "type": "BadRequestError", "code": 400}, "failed", "too long"),
    ([{"error": {"code": 429, "status": "RESOURCE_EXHAUSTED", "message": "slower"}}], "failed", "slower"),
    ({"message": {"role": "assistant"}, "finish_reason": "ERROR_TOXIC"}, "filtered", "TOXIC"),
    ({"candidates": [{"finishReason": "STOP", "content": {"role": "model"}}]}, "failed", "no parts"),
    ({"choices": None}, "failed", "no choices"),
    ({"message": {"role": "assistant", "content": ""}, "done": True, "done_reason": "load"}, "failed", "load"),
    ([{"type": "message_start", "message": {"type": "message"}}], "truncated", "the stream was cut off"),
]  # fmt: skip


@pytest.mark.parametrize(("body", "outcome", "said"), OUTCOMES)
def test_an_empty_answer_says_why(wires: Ares, body: Any, outcome: str, said: str) -> None:
    turn = wires.parse(body)
    assert (list(turn), turn.outcome) == ([], outcome)
    assert said in turn.reason


@pytest.mark.parametrize(
    ("wire", "body"),
    [
        ("openai-chat", {"detail": [{"msg": "no such model"}]}),
        ("openai-chat", {"object": "error", "message": {"detail": "no such model"}}),
        ("bedrock-converse", {"message": "no such model"}),
        ("cohere", {"message": "no such model"}),
        ("ollama", {"error": "no such model"}),
        ("anthropic", {"type": "error", "error": {"message": "no such model"}}),
        ("gemini", {"error": {"message": "no such model"}}),
        ("openai-responses", {"error": {"message": "no such model"}}),
    ],
)
def test_what_the_provider_says_of_an_error_is_the_reason(wires: Ares, wire: str, body: Any) -> None:
    turn = wires.parse(body, wire)
    assert (turn.outcome, "no such model" in turn.reason, turn.native) == ("failed", True, None)


def test_content_that_is_plain_text_is_the_text(wires: Ares) -> None:
    turn = wires.parse({"type": "message", "role": "assistant", "content": "Good day"}, "anthropic")
    assert (turn.text, turn.native["content"]) == ("Good day", [{"type": "text", "text": "Good day"}])
    said = {"type": "message", "role": "assistant", "content": "Good day"}
    assert wires.parse({"object": "response", "status": "completed", "output": [said]}).text == "Good day"


@pytest.mark.parametrize("index", [None, 0])
def test_blocks_of_a_message_whose_indexes_do_not_differ_are_told_apart(wires: Ares, index: int | None) -> None:
    place: dict[str, Any] = {} if index is None else {"index": index}
    events: list[Any] = [{"type": "message_start", "message": {"type": "message"}}]
    for identifier in ("t1", "t2"):
        block: dict[str, Any] = {"type": "tool_use", "id": identifier, "name": "add", "input": {}}
        delta = {"type": "input_json_delta", "partial_json": f'{{"a": {identifier[1]}}}'}
        events += [{"type": "content_block_start", "content_block": block, **place}]
        events += [{"type": "content_block_delta", "delta": delta, **place}, {"type": "content_block_stop", **place}]
    turn = wires.parse([*events, {"type": "message_stop"}])
    assert [(call.id, call.arguments) for call in turn] == [("t1", {"a": 1}), ("t2", {"a": 2})]


def test_texts_of_two_parts_of_one_item_are_both_there_if_the_stream_is_cut(wires: Ares) -> None:
    events: list[Any] = [{"type": "response.created", "response": {"id": "r", "output": []}}]
    for part, text in enumerate(("Good ", "day")):
        where = {"output_index": 0, "content_index": part}
        events += [{"type": "response.output_text.delta", "delta": text, **where}]
        events += [{"type": "response.output_text.done", "text": text, **where}]
    assert (wires.parse(events).text, wires.parse(events).outcome) == ("Good day", "truncated")


@pytest.mark.parametrize("silence", [b"", ": processing\n\n", "data: [DONE]\n\n"])
def test_a_stream_that_ends_before_its_first_event_has_an_outcome(wires: Ares, silence: Any) -> None:
    for wire in ("openai-chat", "openai-responses", "anthropic", "gemini", "bedrock-converse", "cohere", "ollama"):
        turn = wires.parse(silence, wire)
        assert (list(turn), turn.outcome in ("failed", "truncated"), bool(turn.reason)) == ([], True, True)
        assert "no whole JSON" in wires.parse('{"id": "r", "cho', wire).reason
    with pytest.raises(WireError):
        wires.parse("<html>busy</html>", "openai-chat")


def test_calls_of_one_name_without_ids_are_answered_in_order(wires: Ares) -> None:
    parts = [{"functionCall": {"name": "add", "args": {"a": n}}} for n in (1, 5)]
    body = {"candidates": [{"finishReason": "STOP", "content": {"role": "model", "parts": parts}}]}
    assert len({call.id for call in wires.parse(body)}) == 2
    answers = wires.handle_sync(body)[1]["parts"]
    assert [part["functionResponse"] for part in answers] == [
        {"name": "add", "response": {"output": "2"}}, {"name": "add", "response": {"output": "6"}},
    ]  # fmt: skip


def test_interleaved_items_of_a_response_find_their_call(wires: Ares) -> None:
    def event(kind: str, n: int, **said: Any) -> dict[str, Any]:
        return {"type": f"response.{kind}", "output_index": n, "item_id": f"f{n}", **said}

    def item(n: int, arguments: str) -> dict[str, Any]:
        return {"type": "function_call", "id": f"f{n}", "call_id": f"c{n}", "name": "add", "arguments": arguments}

    turn = wires.parse([
        event("output_item.added", 0, item=item(0, "")), event("output_item.added", 1, item=item(1, "")),
        event("function_call_arguments.delta", 0, delta='{"a":'),
        event("function_call_arguments.delta", 1, delta='{"a": 7'),
        event("function_call_arguments.delta", 0, delta=" 1}"), event("output_item.done", 1, item=item(1, '{"a": 7}')),
        {"type": "response.completed", "response": {"status": "completed"}},
    ])  # fmt: skip
    assert [(call.id, call.arguments) for call in turn] == [("c0", {"a": 1}), ("c1", {"a": 7})]


def test_fragments_may_be_cut_inside_an_escape(wires: Ares) -> None:
    def delta(text: str) -> dict[str, Any]:
        return {"type": "content_block_delta", "index": 0, "delta": {"type": "input_json_delta", "partial_json": text}}

    start = {
        "type": "content_block_start",
        "index": 0,
        "content_block": {"type": "tool_use", "id": "t", "name": "add", "input": {}},
    }
    end = [{"type": "message_delta", "delta": {"stop_reason": "tool_use"}}, {"type": "message_stop"}]
    turn = wires.parse([start, delta('{"text": "a\\'), delta("n\\ud83d"), delta('\\ude00"}'), *end])
    assert turn[0].arguments == {"text": "a\n😀"}


def test_snake_case_of_google_s_libraries_is_read(wires: Ares) -> None:
    body = {
        "candidates": [{"content": {"parts": [{"function_call": {"name": "add", "args": {"a": 2}}}]}}],
        "model_version": "m",
    }
    turn = wires.parse(body)
    assert (turn[0].name, turn.model) == ("add", "m")


def test_a_google_call_that_comes_in_pieces_is_not_run_half(wires: Ares) -> None:
    part = {
        "functionCall": {"name": "add", "willContinue": True, "partialArgs": [{"jsonPath": "$.a", "numberValue": 1}]}
    }
    turn = wires.parse({"candidates": [{"content": {"role": "model", "parts": [part]}}]})
    assert isinstance(turn[0].arguments, str)

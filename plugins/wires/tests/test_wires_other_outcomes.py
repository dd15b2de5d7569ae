"""What else the other providers send: empty answers, errors, and calls in odd forms."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import ares_plugin_wires
import pytest

from ares_core import Ares, Effects, tool


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
]  # fmt: skip


@pytest.mark.parametrize(("body", "outcome", "said"), OUTCOMES)
def test_an_empty_answer_says_why(wires: Ares, body: Any, outcome: str, said: str) -> None:
    turn = wires.parse(body)
    assert (list(turn), turn.outcome) == ([], outcome)
    assert said in turn.reason


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

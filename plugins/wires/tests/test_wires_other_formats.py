"""The other providers: what is read of their bodies and streams, and what goes back to them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import ares_plugin_wires
import pytest

from ares_core import Ares, Effects, Turn, tool


@tool(effects=Effects(read_only=True, open_world=False))
def add(a: int, b: int = 1) -> int:
    """Add two whole numbers."""
    return a + b


@tool(effects=Effects(read_only=True, open_world=False))
def fail() -> None:
    """Fail."""
    raise RuntimeError


@pytest.fixture(scope="module")
def wires() -> Iterator[Ares]:
    with Ares(plugins=[ares_plugin_wires]) as ares:
        ares.register(add)
        ares.register(fail)
        yield ares


CALL = ("c1", "add", {"a": 2})

BODIES: dict[str, dict[str, Any]] = {
    "openai-responses": {
        "id": "r1", "object": "response", "status": "completed", "model": "m", "output": [
            {"type": "reasoning", "id": "rs1", "summary": [], "encrypted_content": "x"},
            {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Adding."}]},
            {"type": "function_call", "id": "f1", "call_id": "c1", "name": "add", "arguments": '{"a": 2}'},
        ],
    },
    "anthropic": {
        "id": "m1", "type": "message", "role": "assistant", "model": "m", "stop_reason": "tool_use", "content": [
            {"type": "thinking", "thinking": "…", "signature": "x"}, {"type": "text", "text": "Adding."},
            {"type": "tool_use", "id": "c1", "name": "add", "input": {"a": 2}},
        ],
    },
    "gemini": {
        "responseId": "r1", "modelVersion": "m", "candidates": [{"finishReason": "STOP", "content": {
            "role": "model", "parts": [
                {"text": "…", "thought": True}, {"text": "Adding."},
                {"functionCall": {"id": "c1", "name": "add", "args": {"a": 2}}, "thoughtSignature": "x"},
            ],
        }}],
    },
    "bedrock-converse": {
        "stopReason": "tool_use", "output": {"message": {"role": "assistant", "content": [
            {"reasoningContent": {"reasoningText": {"text": "…", "signature": "x"}}}, {"text": "Adding."},
            {"toolUse": {"toolUseId": "c1", "name": "add", "input": {"a": 2}}},
        ]}},
    },
    "cohere": {
        "id": "r1", "finish_reason": "TOOL_CALL", "message": {
            "role": "assistant", "tool_plan": "Adding.",
            "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "add", "arguments": '{"a": 2}'}}],
        },
    },
    "ollama": {
        "model": "m", "created_at": "now", "done": True, "message": {
            "role": "assistant", "content": "Adding.",
            "tool_calls": [{"id": "c1", "function": {"name": "add", "arguments": {"a": 2}}}],
        },
    },
}  # fmt: skip

STREAMS: dict[str, list[dict[str, Any]]] = {
    "openai-responses": [
        {"type": "response.created", "response": {"id": "r1", "model": "m", "status": "in_progress", "output": []}},
        {"type": "response.output_text.delta", "output_index": 0, "delta": "Add"},
        {"type": "response.output_text.delta", "output_index": 0, "delta": "ing."},
        {"type": "response.output_item.added", "output_index": 1,
         "item": {"type": "function_call", "id": "f1", "call_id": "c1", "name": "add", "arguments": ""}},
        {"type": "response.function_call_arguments.delta", "item_id": "f1", "delta": '{"a"'},
        {"type": "response.function_call_arguments.delta", "item_id": "f1", "delta": ": 2}"},
        {"type": "response.function_call_arguments.done", "item_id": "f1", "arguments": '{"a": 2}'},
        {"type": "response.completed", "response": {"id": "r1", "status": "completed"}},
    ],
    "anthropic": [
        {"type": "message_start", "message": {"id": "m1", "model": "m", "content": [], "stop_reason": None}},
        {"type": "ping"},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "Adding."}},
        {"type": "content_block_stop", "index": 0},
        {"type": "content_block_start", "index": 1,
         "content_block": {"type": "tool_use", "id": "c1", "name": "add", "input": {}}},
        {"type": "content_block_delta", "index": 1, "delta": {"type": "input_json_delta", "partial_json": ""}},
        {"type": "content_block_delta", "index": 1, "delta": {"type": "input_json_delta", "partial_json": '{"a":'}},
        {"type": "content_block_delta", "index": 1, "delta": {"type": "input_json_delta", "partial_json": " 2}"}},
        {"type": "content_block_stop", "index": 1},
        {"type": "message_delta", "delta": {"stop_reason": "tool_use"}},
        {"type": "message_stop"},
    ],
    "gemini": [
        {"candidates": [{"content": {"role": "model", "parts": [{"text": "Add"}]}}], "responseId": "r1"},
        {"candidates": [{"content": {"role": "model", "parts": [{"text": "ing."}]}}]},
        {"candidates": [{"content": {"parts": [{"functionCall": {"id": "c1", "name": "add", "args": {"a": 2}}}]}}]},
        {"candidates": [{"content": {"parts": [{"text": ""}]}, "finishReason": "STOP"}], "usageMetadata": {}},
    ],
    "bedrock-converse": [
        {"messageStart": {"role": "assistant"}},
        {"contentBlockDelta": {"contentBlockIndex": 0, "delta": {"text": "Adding."}}},
        {"contentBlockStop": {"contentBlockIndex": 0}},
        {"contentBlockStart": {"contentBlockIndex": 1, "start": {"toolUse": {"toolUseId": "c1", "name": "add"}}}},
        {"contentBlockDelta": {"contentBlockIndex": 1, "delta": {"toolUse": {"input": '{"a"'}}}},
        {"contentBlockDelta": {"contentBlockIndex": 1, "delta": {"toolUse": {"input": ": 2}"}}}},
        {"contentBlockStop": {"contentBlockIndex": 1}},
        {"messageStop": {"stopReason": "tool_use"}},
    ],
    "cohere": [
        {"type": "message-start", "id": "r1", "delta": {"message": {"role": "assistant", "tool_calls": []}}},
        {"type": "tool-plan-delta", "delta": {"message": {"tool_plan": "Add"}}},
        {"type": "tool-plan-delta", "delta": {"message": {"tool_plan": "ing."}}},
        {"type": "tool-call-start", "index": 0, "delta": {"message": {"tool_calls":
         {"id": "c1", "type": "function", "function": {"name": "add", "arguments": ""}}}}},
        {"type": "tool-call-delta", "index": 0, "delta": {"message": {"tool_calls":
         {"function": {"arguments": '{"a": 2}'}}}}},
        {"type": "tool-call-end", "index": 0},
        {"type": "message-end", "delta": {"finish_reason": "TOOL_CALL"}},
    ],
    "ollama": [
        {"model": "m", "created_at": "now", "message": {"role": "assistant", "content": "Add"}, "done": False},
        {"model": "m", "created_at": "now", "message": {"content": "ing."}, "done": False},
        {"model": "m", "created_at": "now", "done": False, "message": {"content": "", "tool_calls": [
            {"id": "c1", "function": {"name": "add", "arguments": {"a": 2}}}]}},
        {"model": "m", "created_at": "now", "message": {"content": ""}, "done": True, "done_reason": "stop"},
    ],
}  # fmt: skip

each_wire = pytest.mark.parametrize("wire", BODIES)


def calls(turn: Turn) -> list[Any]:
    return [(call.id, call.name, call.arguments) for call in turn]


@each_wire
def test_a_body_is_recognised_and_read(wires: Ares, wire: str) -> None:
    turn = wires.parse(BODIES[wire])
    assert (turn.wire, calls(turn), turn.text, turn.outcome) == (wire, [CALL], "Adding.", "calls")


@each_wire
def test_a_stream_is_recognised_and_amounts_to_its_body(wires: Ares, wire: str) -> None:
    turn = wires.parse(STREAMS[wire])
    assert (turn.wire, calls(turn), turn.text, turn.outcome) == (wire, [CALL], "Adding.", "calls")
    text = "".join(f"data: {json.dumps(event)}\r\n\r\n" for event in STREAMS[wire])
    assert calls(wires.parse(text.encode())) == [CALL]


@each_wire
def test_json_lines_are_a_stream_too(wires: Ares, wire: str) -> None:
    assert calls(wires.parse("\n".join(map(json.dumps, STREAMS[wire])))) == [CALL]


@each_wire
@pytest.mark.parametrize("kept", range(1, 4))
def test_a_stream_without_its_end_was_cut_off(wires: Ares, wire: str, kept: int) -> None:
    turn = wires.parse(STREAMS[wire][:-kept], wire=wire)
    whole = all(isinstance(call.arguments, dict) for call in turn)
    assert turn.outcome == ("calls" if turn and whole else "truncated")


@each_wire
def test_opaque_parts_go_back_unharmed_before_the_answers(wires: Ares, wire: str) -> None:
    messages = wires.handle_sync(BODIES[wire])
    assert ("x" in json.dumps(messages[: len(messages) - 1])) is (wire not in ("cohere", "ollama"))
    assert "3" in json.dumps(messages[-1])


ANSWERS: dict[str, Any] = {
    "openai-responses": {"type": "function_call_output", "call_id": "c1", "output": "3"},
    "anthropic": {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c1", "content": "3"}]},
    "gemini": {"role": "user", "parts": [
        {"functionResponse": {"id": "c1", "name": "add", "response": {"output": "3"}}}]},
    "bedrock-converse": {"role": "user", "content": [
        {"toolResult": {"toolUseId": "c1", "content": [{"text": "3"}], "status": "success"}}]},
    "cohere": {"role": "tool", "tool_call_id": "c1", "content": "3"},
    "ollama": {"role": "tool", "tool_call_id": "c1", "tool_name": "add", "content": "3"},
}  # fmt: skip


@each_wire
def test_the_answer_has_the_provider_s_form(wires: Ares, wire: str) -> None:
    assert wires.handle_sync(BODIES[wire])[-1] == ANSWERS[wire]


def test_all_results_come_in_one_message_and_failures_say_so(wires: Ares) -> None:
    blocks = [{"type": "tool_use", "id": f"t{n}", "name": name, "input": {"a": n} if name == "add" else {}}
              for n, name in enumerate(["add", "fail", "add"])]  # fmt: skip
    messages = wires.handle_sync({"type": "message", "role": "assistant", "content": blocks, "stop_reason": "tool_use"})
    assert len(messages) == 2
    assert [block["tool_use_id"] for block in messages[1]["content"]] == ["t0", "t1", "t2"]
    assert [block.get("is_error", False) for block in messages[1]["content"]] == [False, True, False]


@pytest.mark.parametrize(
    ("wire", "body"),
    [
        ("openai-responses", {"object": "response", "status": "completed", "output": [
            {"type": "web_search_call", "id": "w1", "status": "completed"},
            {"type": "mcp_call", "name": "add", "arguments": "{}"}]}),
        ("anthropic", {"type": "message", "role": "assistant", "stop_reason": "end_turn", "content": [
            {"type": "server_tool_use", "id": "s1", "name": "web_search", "input": {}}]}),
        ("gemini", {"candidates": [{"finishReason": "STOP", "content": {"role": "model", "parts": [
            {"toolCall": {"toolType": "FILE_SEARCH", "id": "t"}}, {"executableCode": {"code": "1"}}]}}]}),
        ("bedrock-converse", {"stopReason": "end_turn", "output": {"message": {"role": "assistant", "content": [
            {"toolUse": {"toolUseId": "s1", "name": "nova_grounding", "input": {}, "type": "server_tool_use"}}]}}}),
    ],
)  # fmt: skip
def test_what_the_provider_runs_itself_is_kept_and_not_run(wires: Ares, wire: str, body: Any) -> None:
    turn = wires.parse(body)
    assert (turn.wire, list(turn), turn.outcome) == (wire, [], "final")
    assert turn.native


def test_a_paused_turn_goes_on_with_the_message_unchanged(wires: Ares) -> None:
    content = [{"type": "server_tool_use", "id": "s1", "name": "web_search", "input": {"query": "x"}}]
    body = {"type": "message", "role": "assistant", "stop_reason": "pause_turn", "content": content}
    assert wires.parse(body).outcome == "calls"
    assert wires.handle_sync(body) == [{"role": "assistant", "content": content}]


def test_errors_in_the_middle_of_a_stream_fail_the_turn(wires: Ares) -> None:
    broken = {
        "anthropic": {"type": "error", "error": {"type": "overloaded_error", "message": "busy"}},
        "openai-responses": {"type": "error", "message": "busy", "code": "x"},
        "bedrock-converse": {"throttlingException": {"message": "busy"}},
    }
    for wire, event in broken.items():
        turn = wires.parse([*STREAMS[wire][:3], event])
        assert (turn.wire, turn.outcome) == (wire, "failed")
        assert "busy" in turn.reason


@pytest.mark.parametrize("wire", ["anthropic", "bedrock-converse"])
def test_the_call_that_ran_out_of_tokens_is_refused_although_the_provider_closed_it(wires: Ares, wire: str) -> None:
    body = json.loads(json.dumps(BODIES[wire]).replace("tool_use", "max_tokens", 1))
    turn = wires.parse(body)
    assert (turn.outcome, turn[0].arguments) == ("truncated", '{"a":2')
    assert "not executed" in json.dumps(wires.handle_sync(body)).lower()


@each_wire
def test_senseless_parts_never_raise(wires: Ares, wire: str) -> None:
    text = json.dumps(BODIES[wire])
    for word in ('"add"', '{"a": 2}', '"c1"', '"Adding."', '"{\\"a\\": 2}"'):
        for junk in ("null", "7", "[]", '[{"a": []}]', '{"type": "tool_use"}', '"\\ud83d"'):
            turn = wires.parse(json.loads(text.replace(word, junk)), wire=wire)
            assert "no sound" not in turn.reason
            assert len(wires.handle_sync(json.loads(text.replace(word, junk)), wire=wire)) >= 1

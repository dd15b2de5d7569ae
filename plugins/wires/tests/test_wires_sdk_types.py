"""What goes to a provider fits the types of its official library."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import ares_plugin_wires
import pytest
from anthropic.types import MessageParam, ToolChoiceParam
from anthropic.types import ToolParam as AnthropicTool
from google.genai import types as google
from openai.types.chat import (
    ChatCompletionMessageParam,
    ChatCompletionToolChoiceOptionParam,
    ChatCompletionToolParam,
)
from openai.types.responses import ResponseInputItemParam
from openai.types.responses import ToolParam as ResponsesTool
from openai.types.responses.response_create_params import ToolChoice as ResponsesChoice
from pydantic import TypeAdapter

from ares_core import Ares, Effects, Result, ToolCall, replace, tool


@tool(effects=Effects(read_only=True, open_world=False))
def add(a: int, b: int = 1) -> int:
    """Add two whole numbers."""
    return a + b


@pytest.fixture(scope="module")
def wires() -> Iterator[Ares]:
    with Ares(plugins=[ares_plugin_wires]) as ares:
        ares.register(add)
        yield ares


PICTURE = {"images": [{"media_type": "image/png", "data": "aGk="}]}

BODIES: list[dict[str, Any]] = [
    {"choices": [{"message": {"role": "assistant", "content": None, "refusal": None, "annotations": [], "tool_calls": [
        {"id": "c1", "type": "function", "function": {"name": "add", "arguments": '{"a": 2}'}},
        {"id": "", "index": 1, "function": {"name": None, "arguments": "{broken"}},
    ]}}]},
    {"choices": [{"message": {"role": "assistant", "function_call": {"name": "add", "arguments": ""}}}]},
    {"choices": [{"message": {"role": "assistant", "content": "Done.", "audio": {"id": "a", "data": "x"}}}]},
    {"object": "response", "status": "completed", "output": [
        {"type": "reasoning", "id": "rs", "summary": [], "encrypted_content": "x"},
        {"type": "function_call", "id": "f1", "call_id": "c1", "name": "add", "arguments": "{broken"},
        {"type": "custom_tool_call", "call_id": "c2", "name": "sh", "input": "ls"},
    ]},
    {"type": "message", "role": "assistant", "stop_reason": "tool_use", "content": [
        {"type": "thinking", "thinking": "x", "signature": "y"}, {"type": "text", "text": ""},
        {"type": "tool_use", "id": "t1", "name": "add", "input": {"a": 2}},
        {"type": "tool_use", "name": "", "input": "{broken"},
    ]},
    {"candidates": [{"finishReason": "STOP", "content": {"role": "model", "parts": [
        {"functionCall": {"name": "add", "args": {"a": 2}}, "thoughtSignature": "eA=="},
        {"functionCall": {"id": "g", "name": ""}},
    ]}}]},
]  # fmt: skip

MESSAGES: dict[str, Any] = {
    "openai-chat": TypeAdapter(ChatCompletionMessageParam),
    "openai-responses": TypeAdapter(ResponseInputItemParam),
    "anthropic": TypeAdapter(MessageParam),
    "gemini": TypeAdapter(google.Content),
}
TOOLS: dict[str, Any] = {
    "openai-chat": TypeAdapter(ChatCompletionToolParam),
    "openai-responses": TypeAdapter(ResponsesTool),
    "anthropic": TypeAdapter(AnthropicTool),
    "gemini": TypeAdapter(google.Tool),
}
CHOICES: dict[str, Any] = {
    "openai-responses": TypeAdapter(ResponsesChoice),
    "openai-chat": TypeAdapter(ChatCompletionToolChoiceOptionParam),
    "anthropic": TypeAdapter(ToolChoiceParam),
}


def check(adapter: Any, value: Any) -> None:
    """Validate, also the parts that pydantic only looks at when they are asked for."""
    exhaust(adapter.validate_python(value))


def exhaust(value: Any) -> None:
    if isinstance(value, Mapping):
        value = value.values()
    if isinstance(value, Iterable) and not isinstance(value, str | bytes):
        for part in value:
            exhaust(part)


@pytest.mark.parametrize("body", BODIES)
@pytest.mark.parametrize("metadata", [{}, PICTURE])
def test_messages_fit(wires: Ares, body: dict[str, Any], metadata: dict[str, Any]) -> None:
    turn = wires.parse(body)
    results = [Result(success=n % 2 == 0, text="5", call=call, metadata=metadata) for n, call in enumerate(turn)]
    for message in wires.wires.answer(turn, results):
        check(MESSAGES[turn.wire], message)


WRITTEN = '<tool_call>{"name": "add", "arguments": {"a": 2}}</tool_call>'
IN_TEXT: dict[str, dict[str, Any]] = {
    "openai-chat": {"choices": [{"message": {"role": "assistant", "content": WRITTEN}}]},
    "openai-responses": {"status": "completed", "output": [{"type": "message", "id": "m", "role": "assistant",
        "status": "completed", "content": [{"type": "output_text", "text": WRITTEN, "annotations": []}]}]},
    "anthropic": {"type": "message", "role": "assistant", "content": [{"type": "text", "text": WRITTEN}]},
    "gemini": {"candidates": [{"content": {"role": "model", "parts": [{"text": WRITTEN}]}, "finishReason": "STOP"}]},
}  # fmt: skip


@pytest.mark.parametrize("wire", IN_TEXT)
def test_answers_to_calls_in_text_fit(wires: Ares, wire: str) -> None:
    said, answer = wires.handle_sync(IN_TEXT[wire], wire="text")
    check(MESSAGES[wire], said)
    check(MESSAGES[wire], answer)
    assert "<tool_response>" in str(answer)


def test_results_that_are_objects_fit(wires: Ares) -> None:
    turn = wires.parse(BODIES[-1])
    results = [Result(success=True, text='{"sum": [5]}', call=call) for call in turn]
    for message in wires.wires.answer(turn, results):
        check(MESSAGES["gemini"], message)


@pytest.mark.parametrize("wire", TOOLS)
@pytest.mark.parametrize("strict", [False, True])
def test_definitions_fit(wires: Ares, wire: str, strict: bool) -> None:
    for entry in wires.definitions(wire, strict=strict):
        check(TOOLS[wire], entry)


@pytest.mark.parametrize("choice", ["auto", "none", "required", "add"])
def test_tool_choices_fit(wires: Ares, choice: str) -> None:
    for wire, adapter in CHOICES.items():
        check(adapter, wires.definitions(wire, choice).request["tool_choice"])
    google.ToolConfig.model_validate(wires.definitions("gemini", choice).request["toolConfig"])


def test_images_reach_the_providers_that_take_them(wires: Ares) -> None:
    for body in BODIES:
        turn = wires.parse(body)
        results = [Result(success=True, text="5", call=replace(call, id=None), metadata=PICTURE) for call in turn]
        if turn and "function_call" not in turn.native:
            assert "aGk=" in str(wires.wires.answer(turn, results))


def test_libraries_own_objects_are_bodies(wires: Ares) -> None:
    from openai.types.chat import ChatCompletion, ChatCompletionChunk

    call = {"id": "c1", "type": "function", "function": {"name": "add", "arguments": '{"a": 2}'}}
    known = {"id": "r", "created": 1, "model": "m"}
    choice = {
        "index": 0,
        "finish_reason": "tool_calls",
        "message": {"role": "assistant", "content": None, "tool_calls": [call]},
    }
    whole = ChatCompletion.model_validate({**known, "object": "chat.completion", "choices": [choice]})
    piece = {"index": 0, "finish_reason": "tool_calls", "delta": {"tool_calls": [{"index": 0, **call}]}}
    chunk = ChatCompletionChunk.model_validate({**known, "object": "chat.completion.chunk", "choices": [piece]})
    for body in (whole, [chunk], iter([chunk])):
        assert list(wires.parse(body)) == [ToolCall("add", {"a": 2}, id="c1", turn="r")]

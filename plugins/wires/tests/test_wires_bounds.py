"""What a hostile server sends is bounded before the work, or read in time that grows with its length only."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import repeat
from typing import Any

import ares_plugin_wires
import pytest

from ares_core import Ares, ToolFunc, WireError

MANY = 100_000
ITEM = {"output_index": 0, "delta": "x"}


@pytest.fixture(scope="module")
def wires() -> Iterator[Ares]:
    with Ares(plugins=[ares_plugin_wires]) as ares:
        yield ares


def fragment(id: str = "a", name: str | None = "add", arguments: str | None = "{") -> dict[str, Any]:
    call = {"index": 0, "id": id, "function": {"name": name, "arguments": arguments}}
    return {"choices": [{"index": 0, "delta": {"tool_calls": [call]}}]}


def delta(**said: Any) -> dict[str, Any]:
    return {"choices": [{"index": 0, "delta": said}]}


@pytest.mark.parametrize("chunk", [b"", "", {"choices": []}, b"x" * 65536, "data: {}\n\n" * 9999])
def test_a_stream_without_an_end_is_refused(wires: Ares, chunk: Any) -> None:
    with pytest.raises(WireError, match="longer"):
        wires.parse(repeat(chunk), "openai-chat")


@pytest.mark.timeout(240)
@pytest.mark.parametrize(
    ("wire", "event"),
    [
        ("openai-chat", lambda n: fragment()),
        ("openai-chat", lambda n: fragment(name=f"n{n}", arguments=None)),
        ("openai-chat", lambda n: delta(extra={f"k{n}": 1})),
        ("openai-responses", lambda n: {**ITEM, "type": "response.output_item.added", "item": {f"k{n}": ""}}),
        ("openai-responses", lambda n: {**ITEM, "type": "response.output_text.delta", "content_index": n}),
        ("anthropic", lambda n: {"type": "content_block_delta", "index": n, "delta": {"type": "text_delta"}}),
        ("bedrock-converse", lambda n: {"contentBlockDelta": {"delta": {"reasoningContent": {f"k{n}": "x"}}}}),
        ("gemini", lambda n: {"candidates": [{"content": {"parts": [{"text": "x"}]}}]}),
    ],
)
def test_very_many_events_are_read_in_one_pass(wires: Ares, wire: str, event: Callable[[int], Any]) -> None:
    turn = wires.parse([event(n) for n in range(MANY)], wire)
    assert turn.outcome in ("calls", "truncated")


@pytest.mark.timeout(240)
@pytest.mark.parametrize(
    "text",
    [
        "data: {}\n" * MANY,
        ": still here\n" * MANY,
        "data: [" * MANY,
        '{"a":' * MANY,
        "[" * MANY,
        "[" + "{}," * MANY,
        "\r" * MANY,
        "\0\0\0\x10" * MANY,
    ],
)
def test_lines_and_brackets_without_an_end_are_no_work(wires: Ares, text: str) -> None:
    for body in (text, text.encode()):
        try:
            assert not wires.parse(body, "openai-chat").calls
        except WireError as refused:
            assert len(str(refused)) < 500


def test_a_thousand_calls_in_a_turn_are_a_thousand_answers(wires: Ares) -> None:
    calls = [{"id": "same", "function": {"name": "nobody", "arguments": "{}"}}] * 1000
    messages = wires.handle_sync({"choices": [{"message": {"role": "assistant", "tool_calls": calls}}]})
    asked = [call["id"] for call in messages[0]["tool_calls"]]
    assert [message["tool_call_id"] for message in messages[1:]] == asked
    assert len(set(asked)) == 1000


@pytest.mark.parametrize("depth", [200, 100_000])
def test_arguments_nested_without_end_are_refused(wires: Ares, depth: int) -> None:
    call = {"id": "c", "function": {"name": "keep", "arguments": '{"a":' * depth + "1" + "}" * depth}}
    with Ares(plugins=[ares_plugin_wires]) as ares:
        ares.register(ToolFunc(name="keep", description="Keep.", parameters={"type": "object"}, fn=dict))
        answer = ares.handle_sync({"choices": [{"message": {"role": "assistant", "tool_calls": [call]}}]})[-1]
    assert answer["tool_call_id"] == "c"
    assert "Not executed" in answer["content"]

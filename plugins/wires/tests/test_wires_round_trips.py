"""Turns written in each format and read back: as a body, as a stream, whole and cut anywhere."""

from __future__ import annotations

import json
import operator
import re
import struct
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple, cast
from zlib import crc32

import ares_plugin_wires
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ares_core import Ares, Result, Turn

FIRST = 4096


class Said(NamedTuple):
    """What a model says in one turn: a text, and calls of an id, a name and arguments."""

    text: str
    calls: list[tuple[str, str, dict[str, Any]]]


@pytest.fixture(scope="module")
def wires() -> Iterator[Ares]:
    with Ares(plugins=[ares_plugin_wires]) as ares:
        yield ares


def pieces(text: str) -> list[str]:
    return [text[place : place + 12] for place in range(0, len(text), 12)]


def arguments_of(call: tuple[str, str, dict[str, Any]]) -> str:
    return json.dumps(call[2])


def chat_body(said: Said) -> dict[str, Any]:
    calls = [
        {"id": call[0], "type": "function", "function": {"name": call[1], "arguments": arguments_of(call)}}
        for call in said.calls
    ]
    message = {"role": "assistant", "content": said.text or None, **({"tool_calls": calls} if calls else {})}
    return {"object": "chat.completion", "choices": [{"index": 0, "message": message, "finish_reason": "stop"}]}


def chat_stream(said: Said) -> Iterator[dict[str, Any]]:
    for piece in pieces(said.text):
        yield {"choices": [{"index": 0, "delta": {"content": piece}}]}
    for index, call in enumerate(said.calls):
        head = {"index": index, "id": call[0], "type": "function", "function": {"name": call[1], "arguments": ""}}
        yield {"choices": [{"index": 0, "delta": {"tool_calls": [head]}}]}
        for piece in pieces(arguments_of(call)):
            part = {"index": index, "function": {"arguments": piece}}
            yield {"choices": [{"index": 0, "delta": {"tool_calls": [part]}}]}
    yield {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}


def responses_body(said: Said) -> dict[str, Any]:
    content = [{"type": "output_text", "text": said.text, "annotations": []}]
    output: list[dict[str, Any]] = [{"type": "message", "id": "m", "role": "assistant", "content": content}]
    for call in said.calls:
        output.append(
            {"type": "function_call", "call_id": call[0], "name": call[1], "arguments": arguments_of(call)}
        )  # fmt: skip
    return {"object": "response", "status": "completed", "output": output}


def responses_stream(said: Said) -> Iterator[dict[str, Any]]:
    for place, item in enumerate(responses_body(said)["output"]):
        field = "arguments" if "arguments" in item else "content"
        begun = {**item, field: "" if field == "arguments" else []}
        yield {"type": "response.output_item.added", "output_index": place, "item": begun}
        kind = "function_call_arguments" if field == "arguments" else "output_text"
        for piece in pieces(item[field] if field == "arguments" else said.text):
            yield {"type": f"response.{kind}.delta", "output_index": place, "delta": piece}
        yield {"type": "response.output_item.done", "output_index": place, "item": item}
    yield {"type": "response.completed", "response": {"status": "completed", "output": []}}


def anthropic_body(said: Said) -> dict[str, Any]:
    text = [{"type": "text", "text": said.text}] if said.text else []
    uses = [{"type": "tool_use", "id": call[0], "name": call[1], "input": call[2]} for call in said.calls]
    return {"type": "message", "role": "assistant", "content": [*text, *uses], "stop_reason": "end_turn"}


def anthropic_stream(said: Said) -> Iterator[dict[str, Any]]:
    yield {"type": "message_start", "message": {"type": "message", "role": "assistant", "content": []}}
    for place, block in enumerate(anthropic_body(said)["content"]):
        is_text = block["type"] == "text"
        begun = {**block, **({"text": ""} if is_text else {"input": {}})}
        yield {"type": "content_block_start", "index": place, "content_block": begun}
        yield {"type": "ping"}
        for piece in pieces(block["text"] if is_text else json.dumps(block["input"])):
            delta = {"type": "text_delta", "text": piece}
            delta = delta if is_text else {"type": "input_json_delta", "partial_json": piece}
            yield {"type": "content_block_delta", "index": place, "delta": delta}
        yield {"type": "content_block_stop", "index": place}
    yield {"type": "message_delta", "delta": {"stop_reason": "end_turn"}}
    yield {"type": "message_stop"}


def gemini_body(said: Said) -> dict[str, Any]:
    parts: list[Any] = [{"text": said.text}] if said.text else []
    parts += [{"functionCall": {"id": call[0], "name": call[1], "args": call[2]}} for call in said.calls]
    return {"candidates": [{"content": {"role": "model", "parts": parts}, "finishReason": "STOP"}]}


def gemini_stream(said: Said) -> Iterator[dict[str, Any]]:
    for part in [{"text": piece} for piece in pieces(said.text)] + gemini_body(Said("", said.calls))["candidates"][0][
        "content"
    ]["parts"]:
        yield {"candidates": [{"content": {"role": "model", "parts": [part]}}]}
    yield {"candidates": [{"content": {"role": "model", "parts": [{"text": ""}]}, "finishReason": "STOP"}]}


def bedrock_body(said: Said) -> dict[str, Any]:
    content: list[dict[str, Any]] = [{"text": said.text}] if said.text else []
    content += [{"toolUse": {"toolUseId": call[0], "name": call[1], "input": call[2]}} for call in said.calls]
    return {"output": {"message": {"role": "assistant", "content": content}}, "stopReason": "end_turn"}


def bedrock_stream(said: Said) -> Iterator[dict[str, Any]]:
    yield {"messageStart": {"role": "assistant"}}
    for piece in pieces(said.text):
        yield {"contentBlockDelta": {"contentBlockIndex": 0, "delta": {"text": piece}}}
    for place, call in enumerate(said.calls, 1):
        start = {"toolUse": {"toolUseId": call[0], "name": call[1]}}
        yield {"contentBlockStart": {"contentBlockIndex": place, "start": start}}
        for piece in pieces(arguments_of(call)):
            yield {"contentBlockDelta": {"contentBlockIndex": place, "delta": {"toolUse": {"input": piece}}}}
        yield {"contentBlockStop": {"contentBlockIndex": place}}
    yield {"messageStop": {"stopReason": "end_turn"}}


def cohere_body(said: Said) -> dict[str, Any]:
    message = chat_body(said)["choices"][0]["message"]
    content = [{"type": "text", "text": said.text}] if said.text else []
    return {"message": {**message, "content": content}, "finish_reason": "COMPLETE"}


def cohere_stream(said: Said) -> Iterator[dict[str, Any]]:
    yield {"type": "message-start", "id": "r", "delta": {"message": {"role": "assistant"}}}
    for piece in pieces(said.text):
        yield {"type": "content-delta", "index": 0, "delta": {"message": {"content": {"text": piece}}}}
    for place, call in enumerate(said.calls):
        head = {"id": call[0], "type": "function", "function": {"name": call[1], "arguments": ""}}
        yield {"type": "tool-call-start", "index": place, "delta": {"message": {"tool_calls": head}}}
        for piece in pieces(arguments_of(call)):
            delta = {"message": {"tool_calls": {"function": {"arguments": piece}}}}
            yield {"type": "tool-call-delta", "index": place, "delta": delta}
    yield {"type": "message-end", "delta": {"finish_reason": "COMPLETE"}}


def ollama_body(said: Said) -> dict[str, Any]:
    calls = [{"id": call[0], "function": {"name": call[1], "arguments": call[2]}} for call in said.calls]
    message = {"role": "assistant", "content": said.text, **({"tool_calls": calls} if calls else {})}
    return {"model": "m", "message": message, "done": True, "done_reason": "stop"}


def ollama_stream(said: Said) -> Iterator[dict[str, Any]]:
    for piece in pieces(said.text):
        yield {"model": "m", "message": {"role": "assistant", "content": piece}, "done": False}
    for call in ollama_body(said)["message"].get("tool_calls", []):
        yield {"message": {"role": "assistant", "content": "", "tool_calls": [call]}, "done": False}
    yield {"message": {"role": "assistant", "content": ""}, "done": True, "done_reason": "stop"}


Bodies = Callable[[Said], dict[str, Any]]
Streams = Callable[[Said], Iterable[dict[str, Any]]]

FORMATS: dict[str, tuple[Bodies, Streams]] = {
    "openai-chat": (chat_body, chat_stream),
    "openai-responses": (responses_body, responses_stream),
    "anthropic": (anthropic_body, anthropic_stream),
    "gemini": (gemini_body, gemini_stream),
    "bedrock-converse": (bedrock_body, bedrock_stream),
    "cohere": (cohere_body, cohere_stream),
    "ollama": (ollama_body, ollama_stream),
}


def plain(events: Iterable[dict[str, Any]]) -> bytes:
    """Events as most servers send them, with the mark that ends them."""
    return "".join(f"data: {json.dumps(event)}\n\n" for event in events).encode() + b"data: [DONE]\n\n"


def odd(events: Iterable[dict[str, Any]]) -> bytes:
    """Events as the standard allows them: carriage returns, comments, names, ids, data in several lines, no escapes."""
    lines = ["\ufeff: here it comes", "retry: 3000", ""]
    for place, event in enumerate(events):
        text = json.dumps(event, ensure_ascii=False, indent=1 if place % 2 else None)
        data = [f"data:{' ' if place % 3 else ''}{line}" for line in text.split("\n")]
        lines += [f"event: {event.get('type', 'message')}", f"id: {place}", *data, "", ": still here", ""]
    return "\r\n".join([*lines, "data: [DONE]", "", ""]).encode()


def json_lines(events: Iterable[dict[str, Any]]) -> bytes:
    return "".join(f"{json.dumps(event, ensure_ascii=False)}\r\n\n" for event in events).encode()


def json_list(events: Iterable[dict[str, Any]]) -> bytes:
    return json.dumps(list(events), ensure_ascii=False, indent=2).encode()


def binary(events: Iterable[dict[str, Any]]) -> bytes:
    frames = b""
    for event in events:
        (kind, inner), *_ = event.items()
        head = b"".join(
            bytes([len(name)]) + name + b"\x07" + struct.pack(">H", len(value)) + value
            for name, value in ((b":event-type", kind.encode()), (b":message-type", b"event"))
        )
        payload = json.dumps(inner, ensure_ascii=False).encode()
        begun = struct.pack(">II", 16 + len(head) + len(payload), len(head))
        frame = begun + struct.pack(">I", crc32(begun)) + head + payload
        frames += frame + struct.pack(">I", crc32(frame))
    return frames


FRAMINGS = [(wire, framing) for wire in FORMATS for framing in (plain, odd) if wire != "ollama"]
FRAMINGS += [("ollama", json_lines), ("gemini", json_list), ("bedrock-converse", binary)]
SAID = Said(
    '你好 "there" \\ 😀\n',
    [("c1", "add", {"a": "é\n😀", "b": [1.5, None]}), ("c2", "now", {}), ("c3", "add", {"{": "}"})],
)

words = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**18), 10**18)
    | st.floats(allow_nan=False, allow_infinity=False)
    | words,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(words, inner, max_size=3),
    max_leaves=6,
)
names = st.from_regex("[A-Za-z_][A-Za-z0-9_]{0,20}", fullmatch=True)
made = st.lists(st.tuples(names, st.dictionaries(words, values, max_size=3)), max_size=4)
turns = st.builds(
    lambda text, calls: Said(text, [(f"call_{place}", *call) for place, call in enumerate(calls)]), words, made
).filter(any)


def heard(turn: Turn) -> Said:
    return Said(turn.text, [(str(call.id), call.name, dict(cast("Any", call.arguments))) for call in turn])


@pytest.mark.parametrize("wire", FORMATS)
@settings(max_examples=40)
@given(said=turns)
def test_what_is_written_is_read(wires: Ares, wire: str, said: Said) -> None:
    body, stream = FORMATS[wire]
    whole = wires.parse(body(said), wire)
    assert heard(whole) == heard(wires.parse(list(stream(said)), wire)) == said
    assert whole.outcome == ("calls" if said.calls else "final")


AGAIN: dict[str, Callable[[list[dict[str, Any]]], Any]] = {
    "openai-responses": lambda said: {"output": [item for item in said if not item["type"].endswith("_output")]},
    "cohere": lambda said: {"message": said[0]},
    "ollama": lambda said: {"message": said[0], "done": True},
}


@pytest.mark.parametrize("wire", FORMATS)
@given(said=turns.filter(lambda said: said.calls))
@settings(max_examples=40)
def test_what_goes_back_says_the_same_and_answers_each_call_once(wires: Ares, wire: str, said: Said) -> None:
    turn = wires.parse(FORMATS[wire][0](said), wire)
    results = [Result(success=True, text=f"<<{call.id}>>", call=call) for call in turn]
    messages = wires.wires.answer(turn, results)
    assert heard(wires.parse(AGAIN.get(wire, operator.itemgetter(0))(messages), wire)) == said
    answered = re.findall("<<(call_[0-9]+)>>", json.dumps(messages))
    assert answered == [identifier for identifier, _, _ in said.calls]


@pytest.mark.parametrize(("wire", "framing"), FRAMINGS)
@settings(max_examples=40)
@given(said=turns, size=st.integers(1, 40))
def test_what_is_written_in_pieces_is_read(wires: Ares, wire: str, framing: Any, said: Said, size: int) -> None:
    data = framing(FORMATS[wire][1](said))
    assert heard(wires.parse((data[place : place + size] for place in range(0, len(data), size)), wire)) == said


@pytest.mark.parametrize(("wire", "framing"), FRAMINGS)
def test_a_stream_cut_at_any_byte_is_the_same_turn(wires: Ares, wire: str, framing: Any) -> None:
    data = framing(FORMATS[wire][1](SAID))
    whole = wires.parse(data, wire)
    assert heard(whole) == SAID
    assert all(wires.parse([data[:cut], data[cut:]], wire) == whole for cut in range(min(len(data), FIRST)))
    assert wires.parse((bytes([byte]) for byte in data), wire) == whole
    assert wires.parse(data) == whole


@pytest.mark.parametrize(("wire", "framing"), FRAMINGS)
def test_a_stream_that_ends_at_any_byte_runs_no_half_call(wires: Ares, wire: str, framing: Any) -> None:
    data = framing(FORMATS[wire][1](SAID))
    for end in range(len(data) // 3, len(data), 5):
        turn = wires.parse(data[:end], wire)
        read = [(call.id, call.name, call.arguments) for call in turn if not isinstance(call.arguments, str)]
        assert read == SAID.calls[: len(read)]

"""The other providers' formats, each once through a whole run over real HTTP."""

from __future__ import annotations

import json
from typing import Any

import pytest

CALL = {"id": "c1", "type": "function", "function": {"name": "look", "arguments": '{"what": "sky"}'}}


def ollama(sse: Any) -> tuple[list[Any], str, str]:
    asked = {
        "role": "assistant",
        "content": "",
        "tool_calls": [{"function": {"name": "look", "arguments": {"what": "sky"}}}],
    }
    lines = (
        {"model": "m", "message": asked, "done": False},
        {"model": "m", "message": {}, "done": True, "eval_count": 9},
    )
    said = {"model": "m", "message": {"role": "assistant", "content": "Blue."}, "done": True, "done_reason": "stop"}
    steps = [sse(lines), sse([said])]
    for step in steps:
        step.kind = "application/x-ndjson"
        step.pieces = [piece.removeprefix(b"data: ").replace(b"\n\n", b"\n") for piece in step.pieces]
    return steps, "/api/chat", '"role": "tool"'


def responses(sse: Any) -> tuple[list[Any], str, str]:
    call = {"type": "function_call", "id": "fc", "call_id": "c1", "name": "look", "arguments": '{"what": "sky"}'}
    said = {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Blue."}]}

    def stream(item: Any) -> Any:
        done = {"id": "r", "object": "response", "status": "completed", "model": "m", "output": [item]}
        text = {"type": "response.output_text.delta", "output_index": 0, "delta": "Blue."}
        return sse([*([text] if item is said else []), {"type": "response.completed", "response": done}])

    return [stream(call), stream(said)], "/v1/responses", "function_call_output"


def cohere(sse: Any) -> tuple[list[Any], str, str]:
    end = {"type": "message-end", "delta": {"finish_reason": "TOOL_CALL", "usage": {"tokens": {"input_tokens": 3}}}}
    calls = [{"type": "tool-call-start", "index": 0, "delta": {"message": {"tool_calls": CALL}}}, end]
    text = {"type": "content-delta", "index": 0, "delta": {"message": {"content": {"type": "text", "text": "Blue."}}}}
    said = [text, {"type": "message-end", "delta": {"finish_reason": "COMPLETE"}}]
    return [sse(calls), sse(said)], "/v2/chat", '"tool_call_id": "c1"'


def bedrock(sse: Any) -> tuple[list[Any], str, str]:
    use = {"toolUse": {"toolUseId": "c1", "name": "look", "input": {"what": "sky"}}}
    bodies = [
        {
            "output": {"message": {"role": "assistant", "content": [part]}},
            "stopReason": stop,
            "usage": {"totalTokens": 9},
        }
        for part, stop in ((use, "tool_use"), ({"text": "Blue."}, "end_turn"))
    ]
    steps = [sse([body]) for body in bodies]
    for step, body in zip(steps, bodies, strict=True):
        step.kind, step.pieces = "application/json", [json.dumps(body).encode()]
    return steps, "/model/m/converse", "toolResult"


@pytest.mark.parametrize(("model", "script"), [
    ("ollama:m", ollama), ("openai-responses:m", responses), ("cohere:m", cohere), ("bedrock:m", bedrock),
])  # fmt: skip
def test_a_call_is_run_and_the_answer_given(world: Any, openai: Any, sse: Any, model: str, script: Any) -> None:
    steps, path, answer = script(sse)
    provider = world.provider(*steps)
    agent = world.agent(provider, openai, model=model)
    run = agent.run_sync("Look.")
    assert (run.outcome, run.text, world.done) == ("final", "Blue.", ["look sky"])
    assert provider.paths == [path, path]
    assert answer in json.dumps(provider.asked[1])
    assert "sky seen" in json.dumps(provider.asked[1])
    assert run.tokens > 0


def test_a_stream_of_each_that_ends_too_soon_is_asked_for_again(world: Any, openai: Any, sse: Any) -> None:
    for model, script in (("ollama:m", ollama), ("cohere:m", cohere), ("openai-responses:m", responses)):
        steps, _, _ = script(sse)
        cut = sse([])
        cut.kind, cut.pieces, cut.breaks_off = steps[0].kind, steps[0].pieces[:-1], True
        provider = world.provider(cut, steps[1])
        assert world.agent(provider, openai, model=model).run_sync("Look.").text == "Blue."
    assert world.done == []

"""What a provider's dialect can't say is told, and what it takes in structured form it gets so."""

from __future__ import annotations

from typing import Any

import ares_plugin_wires
import pytest

from ares_core import Ares, Effects, Result, Tool, ToolFunc, replace, tool

HARD = {
    "type": "object",
    "properties": {
        "kind": {"oneOf": [{"type": "string"}, {"type": "integer"}]},
        "named": {"type": "object", "additionalProperties": {"type": "integer"}},
        "größe": {"type": "integer"},
    },
    "if": {"properties": {"kind": {"const": "a"}}},
    "then": {"required": ["named"]},
}


@pytest.fixture
def ares() -> Ares:
    return Ares(plugins=[ares_plugin_wires])


def query(name: str = "query", parameters: Any = HARD) -> Tool:
    return ToolFunc(name=name, description="Query.", parameters=parameters, fn=lambda **given: given)


@pytest.mark.parametrize(
    ("wire", "told"),
    [
        ("openai-chat", "query: if, then at the root left out"),
        ("gemini", "/named: additionalProperties left out"),
        ("gemini", "/kind: oneOf is published as anyOf"),
    ],
)
def test_what_a_dialect_cannot_say_is_told(ares: Ares, wire: str, told: str) -> None:
    ares.register(query())
    assert any(told in note for note in ares.definitions(wire).lost)


@pytest.mark.parametrize(
    ("wire", "choice", "told"),
    [
        ("bedrock-converse", "none", "no tools go out"),
        ("ollama", "none", "no tools go out"),
        ("ollama", "required", "no such choice"),
        ("cohere", "query", "offers only that one"),
        ("text", "required", "only asked for in words"),
    ],
)
def test_a_choice_that_a_provider_does_not_have_is_told(ares: Ares, wire: str, choice: str, told: str) -> None:
    ares.register(query(parameters={"type": "object", "properties": {}}))
    assert ares.definitions(wire).lost == ()
    assert any(told in note for note in ares.definitions(wire, choice).lost)


@pytest.mark.parametrize("wire", ["bedrock-converse", "ollama", "text", "cohere"])
def test_strict_mode_that_a_provider_does_not_have_is_told(ares: Ares, wire: str) -> None:
    ares.register(query(parameters={"type": "object", "properties": {}}))
    assert any("strict mode" in note for note in ares.definitions(wire, strict=True).lost)


def test_more_tools_than_a_request_takes_are_told(ares: Ares) -> None:
    for number in range(129):
        ares.register(query(f"q{number}", {"type": "object", "properties": {}}))
    for wire in ("openai-chat", "openai-responses"):
        assert "at most 128" in ares.definitions(wire).lost[0]


@tool(effects=Effects(read_only=True, open_world=False))
def place(name: str) -> dict[str, int]:
    """Find a place."""
    return {"x": 1, "y": 2}


def test_an_object_stays_one_where_the_provider_takes_objects(ares: Ares) -> None:
    ares.register(place)
    part = {"functionCall": {"name": "place", "args": {"name": "here"}}}
    said = ares.handle_sync({"candidates": [{"content": {"role": "model", "parts": [part]}}]})[1]
    assert said["parts"][0]["functionResponse"]["response"] == {"output": {"x": 1, "y": 2}}
    use = {"toolUse": {"toolUseId": "t", "name": "place", "input": {"name": "here"}}}
    said = ares.handle_sync({"output": {"message": {"role": "assistant", "content": [use]}}})[1]
    assert said["content"][0]["toolResult"]["content"] == [{"json": {"x": 1, "y": 2}}]


def test_a_failure_is_told_in_words_even_if_it_looks_like_an_object(ares: Ares) -> None:
    use = {"toolUse": {"toolUseId": "t", "name": "place", "input": {}}}
    turn = ares.parse({"output": {"message": {"role": "assistant", "content": [use]}}})
    said = ares.wires.answer(turn, [Result(success=False, text='{"a": 1}', call=turn[0])])[1]
    answer = said["content"][0]["toolResult"]
    assert (answer["status"], answer["content"]) == ("error", [{"text": '{"a": 1}'}])


@pytest.mark.parametrize("wire", ["cohere", "text"])
def test_images_that_cannot_be_sent_are_mentioned(ares: Ares, wire: str) -> None:
    call = {"id": "c", "type": "function", "function": {"name": "place", "arguments": "{}"}}
    turn = replace(ares.parse({"message": {"role": "assistant", "tool_calls": [call]}}, "cohere"), wire=wire)
    picture = {"images": [{"media_type": "image/png", "data": "aGk="}]}
    said = ares.wires.answer(turn, [Result(success=True, text="seen", call=turn[0], metadata=picture)])[1]
    assert "1 image left out" in said["content"]


def test_arguments_go_out_under_names_that_the_provider_takes_and_come_back_under_their_own(ares: Ares) -> None:
    parameters = {"type": "object", "properties": {"filter[id]": {"type": "integer"}}, "required": ["filter[id]"]}
    ares.register(query(parameters=parameters))
    (published,) = ares.definitions(wire="anthropic")
    assert list(published["input_schema"]["properties"]) == published["input_schema"]["required"] == ["filter_id_"]
    use = {"type": "tool_use", "id": "t1", "name": "query", "input": {"filter_id_": "7"}}
    body = {"type": "message", "role": "assistant", "content": [use], "stop_reason": "tool_use"}
    assert ares.parse(body)[0].arguments == {"filter[id]": "7"}
    said, answer = ares.handle_sync(body)
    assert said["content"] == [use]
    assert '{"filter[id]":7}' in answer["content"][0]["content"]


@pytest.mark.parametrize("wire", ["openai-chat", "openai-responses"])
def test_a_description_that_is_too_long_goes_on_in_the_parameters(ares: Ares, wire: str) -> None:
    words = " ".join(f"word{number}" for number in range(300))
    ares.register(ToolFunc(name="t", description=words, parameters={"type": "object"}, fn=lambda: 1))
    definitions = ares.definitions(wire=wire)
    item = definitions[0].get("function", definitions[0])
    assert len(item["description"]) <= 1024
    assert item["description"].rstrip("…") + item["parameters"]["description"].lstrip("…") == words
    assert "first 1024 characters" in definitions.lost[0]


def test_a_blank_answer_is_told_in_words(ares: Ares) -> None:
    effects = Effects(read_only=True, open_world=False)
    ares.register(ToolFunc(name="t", description="t", parameters={}, fn=lambda: " \n", effects=effects))
    call = {"id": "c1", "type": "function", "function": {"name": "t", "arguments": "{}"}}
    body = {"choices": [{"message": {"role": "assistant", "content": None, "tool_calls": [call]}}]}
    assert "(blank text)" in ares.handle_sync(body)[1]["content"]

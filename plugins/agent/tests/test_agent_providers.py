"""Who is asked for a model, where, with which key and in which words."""

from __future__ import annotations

import json
from typing import Any

import pytest
from ares_plugin_agent.models import find
from ares_plugin_agent.providers import PROVIDERS, Question
from ares_plugin_agent.reading import Events, weight
from hypothesis import given
from hypothesis import strategies as st

from ares_core import ConfigError

KEYS = {
    "openai": "OPENAI_API_KEY", "openai-responses": "OPENAI_API_KEY", "anthropic": "ANTHROPIC_API_KEY",
    "gemini": "GEMINI_API_KEY", "cohere": "CO_API_KEY", "groq": "GROQ_API_KEY", "mistral": "MISTRAL_API_KEY",
    "deepseek": "DEEPSEEK_API_KEY", "openrouter": "OPENROUTER_API_KEY", "bedrock": "AWS_BEARER_TOKEN_BEDROCK",
}  # fmt: skip
TOOLS = {"tools": [{"name": "add"}], "toolConfig": {"tools": [{"name": "add"}]}}


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch) -> None:
    places = [place for _, place in PROVIDERS.values()]
    for name in {*(key for place in places for key in place.keys), *(place.variable for place in places)}:
        if name:
            monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_REGION", "eu-west-1")


@pytest.mark.parametrize(("prefix", "variable"), KEYS.items())
def test_a_key_stands_in_its_usual_variable(prefix: str, variable: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ConfigError, match=variable):
        find(f"{prefix}:m")
    monkeypatch.setenv(variable, "secret")
    model = find(f"{prefix}:m")
    assert model.key == "secret"
    assert "secret" in str(model.provider.headers(model.key))
    assert model.address.startswith("https://")


@pytest.mark.parametrize("prefix", PROVIDERS)
def test_a_local_server_needs_no_key(prefix: str) -> None:
    for address in ("http://localhost:8080", "http://127.0.0.1:8080/v1", "http://10.1.2.3", "http://gpu.lan:1"):
        model = find(f"{prefix}:m", address)
        assert "Authorization" not in model.provider.headers(model.key)


def test_another_public_address_needs_the_key_too() -> None:
    with pytest.raises(ConfigError, match="OPENAI_API_KEY"):
        find("openai:m", "https://models.example.com/v1")


@pytest.mark.parametrize(("name", "base_url", "address", "model"), [
    ("openai:m", "http://localhost:1", "http://localhost:1/v1", "m"),
    ("openai:m", "http://localhost:1/api/v3/", "http://localhost:1/api/v3", "m"),
    ("qwen2.5:0.5b", "http://localhost:11434/v1", "http://localhost:11434/v1", "qwen2.5:0.5b"),
    ("mine", "http://localhost:1", "http://localhost:1/v1", "mine"),
    ("ollama:qwen3:8b", None, "http://localhost:11434/api", "qwen3:8b"),
    ("ollama:m", "localhost:1", "http://localhost:1/api", "m"),
    ("gemini:m", "http://localhost:1", "http://localhost:1/v1beta", "m"),
])  # fmt: skip
def test_names_and_addresses(name: str, base_url: str | None, address: str, model: str) -> None:
    found = find(name, base_url)
    assert (found.address, found.name) == (address, model)


@pytest.mark.parametrize(("name", "base_url", "words"), [
    ("", None, "no model"), ("gpt-4o", None, "openai:gpt-4o"), ("closedai:x", None, "names no provider"),
    ("openai", "http://localhost:1", "names no provider"), ("openai:", None, "names no provider"),
    ("openai:m", "http://[::1", "no address"), ("openai:m", "http://localhost:x", "no address"),
    ("openai:m", "file:///etc/passwd", "no address"), ("openai:m", "http:///v1", "no address"),
])  # fmt: skip
def test_what_names_nobody_is_an_error_that_says_what_to_write(name: str, base_url: str | None, words: str) -> None:
    with pytest.raises(ConfigError, match=words):
        find(name, base_url)


def test_a_variable_may_name_another_address(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OLLAMA_HOST", "10.0.0.7:11434")
    assert find("ollama:m").address == "http://10.0.0.7:11434/api"
    assert find("ollama:m", "http://localhost:1").address == "http://localhost:1/api"


def test_bedrock_needs_a_region(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_BEARER_TOKEN_BEDROCK", "secret")
    assert find("bedrock:m").address == "https://bedrock-runtime.eu-west-1.amazonaws.com"
    monkeypatch.delenv("AWS_REGION")
    with pytest.raises(ConfigError, match="AWS_REGION"):
        find("bedrock:m")


@pytest.mark.parametrize("prefix", PROVIDERS)
def test_a_question_carries_everything_and_no_empty_list_of_tools(prefix: str) -> None:
    provider, _ = PROVIDERS[prefix]
    message = provider.user("What is it?")
    asked = provider.body(Question("m", "Be brief.", [message], TOOLS, longest=77))
    words = json.dumps(asked) + provider.path(Question("m", "", [], {}))
    assert all(word in words for word in ("What is it?", "Be brief.", "add", "77", "m"))
    bare = provider.body(Question("m", "", [message], {"tools": [], "toolConfig": {"tools": []}}, streams=False))
    assert not {"tools", "toolConfig", "system", "instructions", "systemInstruction"} & bare.keys()
    assert bare.get("stream") in (None, False)


def test_ids_of_other_models_calls_are_made_to_fit_where_only_nine_letters_are_taken() -> None:
    given = ["call_0123456789abcdef", "call_0123456789abcdeg", "functions.exec:5", "a1B2c3D4e"]
    calls = [{"id": each, "type": "function", "function": {"name": "add", "arguments": "{}"}} for each in given]
    answers = [{"role": "tool", "tool_call_id": each, "content": "2"} for each in given]
    provider, _ = PROVIDERS["mistral"]
    first, *others = provider.body(Question("m", "", [{"role": "assistant", "tool_calls": calls}, *answers], {}))[
        "messages"
    ]
    ids = [call["id"] for call in first["tool_calls"]]
    assert [other["tool_call_id"] for other in others] == ids
    assert len(set(ids)) == 4
    assert ids[3] == given[3]
    assert all(len(each) == 9 and each.isascii() and each.isalnum() for each in ids)
    assert calls[0]["id"] == given[0]


@given(st.lists(st.dictionaries(st.text(max_size=5), st.text(max_size=5), max_size=3), max_size=5), st.data())
def test_events_are_read_wherever_the_stream_is_cut(events: list[Any], data: st.DataObject) -> None:
    ends = data.draw(st.sampled_from(["\n\n", "\r\n\r\n"]))
    text = "".join(f"data: {json.dumps(event, ensure_ascii=True)}{ends}" for event in events).encode()
    found: list[Any] = []
    reader, at = Events(), 0
    while at < len(text):
        step = data.draw(st.integers(1, 20))
        found += reader.feed(text[at : at + step])
        at += step
    assert [*found, *reader.end()] == events


def test_hostile_streams_cost_nothing() -> None:
    reader = Events()
    for _ in range(2000):
        assert list(reader.feed(b"x" * 10_000)) == []
    assert list(reader.feed(b'\ndata: {"a": 1}\n')) == [{"a": 1}]
    deep: Any = []
    for _ in range(50_000):
        deep = [deep]
    assert weight(deep) == 0

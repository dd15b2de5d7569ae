"""Tools that are looked up: in the formats of providers, among the builtin tools, in the agent's loop."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from ares_core import Ares, Effects, Layer, Tool, hookimpl

BUILTIN = [
    "calculator",
    "data",
    "datetime",
    "files",
    "hash",
    "http",
    "id",
    "json",
    "pdf",
    "regex",
    "strings",
    "web-search",
]
THREE = ["tool_call", "tool_describe", "tool_search"]
ADD = {"name": "add", "arguments": {"a": 2, "b": "3"}}


def add() -> Tool:
    numbers = {"a": {"type": "integer"}, "b": {"type": "integer"}}
    schema = {"type": "object", "properties": numbers, "required": ["a", "b"]}
    reads = Effects(read_only=True, open_world=False)
    return Tool("add", "Add two numbers.", schema, lambda given, context: given["a"] + given["b"], effects=reads)


@pytest.fixture
def searched() -> Iterator[Ares]:
    with Ares(plugins=["wires", "tool-search"], config={"tool_search": {"enabled": "on"}}) as ares:
        ares.register(add())
        yield ares


def test_a_chat_completion_gets_the_result_under_the_id_and_name_of_its_own_call(searched: Ares) -> None:
    function = {"name": "tool_call", "arguments": json.dumps(ADD)}
    message = {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": "c1", "type": "function", "function": function}],
    }
    told, answer = searched.handle_sync({"choices": [{"message": message}]}, wire="openai-chat")
    assert told["tool_calls"][0]["function"]["name"] == "tool_call"
    assert answer == {"role": "tool", "tool_call_id": "c1", "content": "5"}


def test_a_message_of_anthropic_gets_it_under_the_id_of_its_own_block(searched: Ares) -> None:
    blocks = [
        {"type": "tool_use", "id": "t1", "name": "tool_call", "input": ADD},
        {"type": "tool_use", "id": "t2", "name": "add", "input": {"a": 1, "b": 1}},
        {"type": "tool_use", "id": "t3", "name": "tool_call", "input": {"name": "sub", "arguments": {}}},
    ]
    body = {"type": "message", "role": "assistant", "content": blocks, "stop_reason": "tool_use"}
    told, answer = searched.handle_sync(body, wire="anthropic")
    assert [block["name"] for block in told["content"]] == ["tool_call", "add", "tool_call"]
    assert [block["tool_use_id"] for block in answer["content"]] == ["t1", "t2", "t3"]
    assert [bool(block.get("is_error")) for block in answer["content"]] == [False, False, True]


def test_gemini_gets_it_under_the_name_that_it_called(searched: Ares) -> None:
    call = {"functionCall": {"name": "tool_call", "args": ADD}}
    body = {"candidates": [{"content": {"role": "model", "parts": [call]}}]}
    _, answer = searched.handle_sync(body, wire="gemini")
    assert answer["parts"][0]["functionResponse"]["name"] == "tool_call"


@pytest.mark.parametrize(
    "wire", ["openai-chat", "openai-responses", "anthropic", "gemini", "bedrock-converse", "cohere", "ollama"]
)
def test_every_format_publishes_the_three_without_a_loss(searched: Ares, wire: str) -> None:
    definitions = searched.definitions(wire)
    said = json.dumps(definitions.request or list(definitions))
    assert all(f'"{name}"' in said for name in THREE)
    assert '"add"' not in said


def test_a_call_written_as_text_is_read_too(searched: Ares) -> None:
    text = f"<tool_call>{json.dumps({'name': 'tool_call', 'arguments': ADD})}</tool_call>"
    turn = searched.parse(text, wire="text")
    assert [call.name for call in turn] == ["tool_call"]


@pytest.fixture(scope="module")
def builtin() -> Iterator[Ares]:
    with Ares(plugins=[*BUILTIN, "tool-search"]) as ares:
        yield ares


@pytest.mark.parametrize(
    ("query", "tool"),
    [
        ("sha256 digest of a text", "hash_tool"), ("计算文本的哈希值", "hash_tool"), ("base64编码", "hash_tool"),
        ("read the pages of a pdf", "pdf_tool"), ("提取PDF里的文字", "pdf_tool"), ("search the web", "web_search"),
        ("在网上搜索新闻", "web_search"), ("what day is it in Tokyo", "datetime"), ("现在几点，什么日期", "datetime"),
        ("make a random uuid", "id_generator"), ("生成唯一标识符", "id_generator"),
        ("evaluate an expression", "calculator"),
        ("计算平均值和方差", "calculator"), ("convert to upper case", "string_utils"), ("write a file", "file_tools"),
        ("读取文件内容", "file_tools"), ("query some json", "json_tools"), ("converting csv", "data_transform"),
        ("matching regular expressions", "regex"), ("正则表达式", "regex"), ("send an http request", "http_request"),
    ],
)  # fmt: skip
def test_builtin_tools_are_found_in_both_languages(builtin: Ares, query: str, tool: str) -> None:
    found = [each["name"] for each in builtin.call_sync("tool_search", {"query": query}).data["tools"]]
    assert tool in found[:3]


class Rehearsal:
    """Answers in the model's place: it looks for a tool, calls it, and says the result."""

    def __init__(self) -> None:
        self.shown: list[list[str]] = []
        calls = [("tool_search", {"query": "adding numbers"}), ("tool_call", ADD)]
        self.turns = [{"tool_calls": [{"id": f"c{n}", "function": {"name": name, "arguments": json.dumps(given)}}]}
                      for n, (name, given) in enumerate(calls)] + [{"content": "It is 5."}]  # fmt: skip

    @hookimpl
    def register_middleware(self) -> list[Layer]:
        return [Layer("rehearsal", "llm_execution", self.answer)]

    async def answer(self, request: Any, next_call: Any) -> Any:
        self.shown.append([tool["function"]["name"] for tool in request["tools"]])
        return {"choices": [{"message": {"role": "assistant", "content": None, **self.turns[len(self.shown) - 1]}}]}


def test_an_agent_looks_its_tools_up_where_its_model_reads_little() -> None:
    from ares_plugin_agent import Agent

    rehearsal, config = Rehearsal(), {"models": {"tiny": {"context_tokens": 2_000}}}
    with Ares(plugins=["wires", "agent", "tool-search", rehearsal], config=config) as ares:
        for tool in (add(), *(Tool(f"other_{number}", "Do something else. " * 5, {}, print) for number in range(20))):
            ares.register(tool)
        run = Agent(ares, "openai:tiny", base_url="http://localhost:9").run_sync("What is 2 + 3?")
    assert rehearsal.shown == [THREE] * 3
    assert (run.outcome, run.calls) == ("final", 2)
    assert "It is 5." in run.text

"""Calls that models write into their text: read only when asked for, and only where they are meant."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import ares_plugin_wires
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ares_core import Ares, Effects, Tool, UsageError, tool


@tool(effects=Effects(read_only=True, open_world=False))
def add(a: int, b: int = 1) -> int:
    """Add two whole numbers."""
    return a + b


@pytest.fixture(scope="module")
def wires() -> Iterator[Ares]:
    with Ares(plugins=[ares_plugin_wires]) as ares:
        ares.register(add)
        yield ares


ONE = '{"name": "add", "arguments": {"a": 2}}'
ADD = [("add", {"a": 2})]


def found(ares: Ares, text: str) -> list[Any]:
    return [(call.name, call.arguments) for call in ares.parse(text, wire="text")]


MARKED = {
    "hermes": f"Let me see.\n<tool_call>\n{ONE}\n</tool_call>",
    "hermes, not closed": f"Let me see.\n<tool_call>\n{ONE}\n",
    "hermes, arguments as text": 'x <tool_call>{"name": "add", "arguments": "{\\"a\\": 2}"}</tool_call>',
    "hermes, a list": f"<tool_call>[{ONE}]</tool_call>",
    "function_call": f"<function_call>{ONE}</function_call>",
    "hermes, python": "<tool_call>add(a=2)</tool_call>",
    "qwen coder": f"<tools>{ONE}</tools>",
    "granite": f"<|tool_call|>[{ONE}]",
    "function": 'So: <function=add>{"a": 2}</function>',
    "function, sign forgotten": 'So: <function=add{"a": 2}</function>',
    "function, sign at the end": '<function=add{"a": 2}></function>',
    "function, in brackets": '<function=add({"a": 2})</function>',
    "function, other brackets": '<function(add){"a": 2}</function>',
    "llama": '<|python_tag|>{"name": "add", "parameters": {"a": 2}}<|eom_id|>',
    "llama, python": "<|python_start|>[add(a=2)]<|python_end|>",
    "mistral": f"[TOOL_CALLS] [{ONE}]",
    "mistral, new": '[TOOL_CALLS]add[ARGS]{"a": 2}',
    "mistral, no mark": '[TOOL_CALLS]add{"a": 2}',
    "mistral, with id": '[TOOL_CALLS]add[CALL_ID]123456789[ARGS]{"a": 2}',
    "harmony": '<|channel|>commentary to=functions.add <|constrain|>json<|message|>{"a": 2}<|call|>',
    "harmony, bare": 'commentary to=functions.add json{"a": 2}',
    "kimi": "<|tool_calls_section_begin|><|tool_call_begin|>functions.add:0<|tool_call_argument_begin|>"
    '{"a": 2}<|tool_call_end|><|tool_calls_section_end|>',
    "deepseek": "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>add\n```json\n"
    '{"a": 2}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
    "deepseek, new": "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>add<｜tool▁sep｜>"
    '{"a": 2}<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
    "labelled": f"Now:\n```tool_call\n{ONE}\n```",
    "gemma": "Now:\n```tool_code\nadd(a=2)\n```",
}

WHOLE = {
    "json": ONE,
    "parameters": '{"name": "add", "parameters": {"a": 2}}',
    "function": '{"type": "function", "function": {"name": "add", "arguments": {"a": 2}}}',
    "list": f"[{ONE}]",
    "wrapped": f'{{"tool_calls": [{ONE}]}}',
    "parameters beside": '{"tool_calls": [{"id": "x", "function": {"name": "add"}, "parameters": {"a": 2}}]}',
    "fenced": f"```json\n{ONE}\n```",
    "fenced, no label": f"\n```\n{ONE}\n```\n",
    "pythonic": "[add(a=2)]",
    "pythonic, one": "add(a=2)",
    "pythonic, a dict": "[add({'a': 2})]",
    "after a thought": f"<think>add? yes</think>\n{ONE}",
}


@pytest.mark.parametrize("text", MARKED.values(), ids=MARKED)
def test_calls_between_a_dialect_s_marks_are_read(wires: Ares, text: str) -> None:
    assert found(wires, text) == ADD


@pytest.mark.parametrize("text", WHOLE.values(), ids=WHOLE)
def test_calls_that_are_the_whole_message_are_read(wires: Ares, text: str) -> None:
    assert found(wires, text) == ADD


@pytest.mark.parametrize("text", WHOLE.values(), ids=WHOLE)
def test_a_whole_message_that_names_no_tool_is_text(wires: Ares, text: str) -> None:
    assert found(wires, text.replace("add", "adder")) == []


def test_values_in_xml_are_text_until_the_schema_says_more(wires: Ares) -> None:
    qwen = "<tool_call>\n<function=add>\n<parameter=a>\n2\n</parameter>\n</function>\n</tool_call>"
    glm = "<tool_call>add\n<arg_key>a</arg_key>\n<arg_value>2</arg_value>\n</tool_call>"
    assert found(wires, qwen) == found(wires, glm) == [("add", {"a": "2"})]
    assert "3" in wires.handle_sync(qwen, wire="text")[-1]["content"]


@pytest.mark.parametrize("separator", ["\n", "; ", ", ", ""])
def test_several_calls_in_a_row_are_read(wires: Ares, separator: str) -> None:
    assert found(wires, f"<|python_tag|>{ONE}{separator}{ONE}") == ADD * 2
    assert found(wires, f"<tool_call>{ONE}</tool_call>{separator}<tool_call>{ONE}</tool_call>") == ADD * 2


QUOTED = {
    "thought": f"<think>Maybe <tool_call>{ONE}</tool_call></think>No.",
    "unfinished thought": f"<think>Maybe <tool_call>{ONE}</tool_call>",
    "thought without its beginning": f"Maybe <tool_call>{ONE}</tool_call></think>No.",
    "code": f"Write `<tool_call>{ONE}</tool_call>` to call it.",
    "fence": f"Like this:\n```xml\n<tool_call>{ONE}</tool_call>\n```\nSee?",
    "block quote": f"The page says:\n> <tool_call>{ONE}</tool_call>\nOdd.",
    "quotation marks": f'The page says "<tool_call>{ONE}</tool_call>".',
    "output of a tool": f"<tool_response>\n<tool_call>{ONE}</tool_call>\n</tool_response>\nDone.",
    "prose around json": f"The call would be {ONE}, I think.",
    "prose before a fence": f"Send this:\n```json\n{ONE}\n```",
    "more keys than a call has": '{"name": "add", "arguments": {"a": 2}, "note": "an example"}',
    "no arguments": '{"name": "add"}',
    "python that computes": "add(a=1+1)",
    "python that reaches out": "add(a=__import__('os').getcwd())",
    "analysis": '<|channel|>analysis<|message|>to=functions.add {"a": 2}<|end|><|channel|>final<|message|>No.',
    "a tool of the provider": '<|channel|>commentary to=python<|message|>{"a": 2}<|call|>',
}


@pytest.mark.parametrize("text", QUOTED.values(), ids=QUOTED)
def test_thoughts_quotations_and_examples_are_no_calls(wires: Ares, text: str) -> None:
    assert found(wires, text) == []


def test_definitions_that_the_model_repeats_are_no_calls(wires: Ares) -> None:
    entry = '{"type": "function", "function": {"name": "add", "description": "Add.", "parameters": {}}}'
    assert found(wires, f"<tools>\n{entry}\n</tools>") == []


def test_the_call_after_a_thought_is_the_one_that_counts(wires: Ares) -> None:
    text = f'<think><tool_call>{{"name": "fail", "arguments": {{}}}}</tool_call></think><tool_call>{ONE}</tool_call>'
    assert found(wires, text) == ADD


def test_a_whole_message_may_use_the_name_from_the_definitions() -> None:
    with Ares(plugins=[ares_plugin_wires]) as ares:
        ares.register(Tool.from_function(add, name="画图"))
        sent = ares.definitions("text")[0]["function"]["name"]
        assert found(ares, ONE.replace("add", sent)) == [("画图", {"a": 2})]


def test_the_text_around_calls_is_kept(wires: Ares) -> None:
    assert wires.parse(f"1 < 2. <tool_call>{ONE}</tool_call>", wire="text").text == "1 < 2. "
    assert wires.parse(MARKED["hermes"], wire="text").text == "Let me see."
    channels = "<|channel|>analysis<|message|>Hm.<|end|><|start|>assistant<|channel|>final<|message|>Done."
    assert wires.parse(channels, wire="text").text == "Done."


@pytest.mark.parametrize(
    "text", ["<tool_call>{'name': 'add', 'arguments': {'a': 2}}</tool_call>", "{'name': 'add', 'arguments': {'a': 2,}}"]
)
def test_broken_json_is_left_to_the_repair_of_arguments(wires: Ares, text: str) -> None:
    assert "3" in wires.handle_sync(text, wire="text")[-1]["content"]


@pytest.mark.parametrize(
    "text",
    [
        '<tool_call>{"name": "add", "arguments": {"a": 2',
        '{"name": "add", "arguments": {"a": 2',
        "<tool_call><function=add><parameter=a>2",
    ],
)
def test_a_call_that_is_cut_off_is_refused(wires: Ares, text: str) -> None:
    assert "not executed" in wires.handle_sync(text, wire="text")[-1]["content"].lower()


def chat(text: str, model: str = "qwen2.5") -> dict[str, Any]:
    return {"model": model, "choices": [{"message": {"role": "assistant", "content": text}, "finish_reason": "stop"}]}


def test_text_is_never_read_as_calls_unasked(wires: Ares) -> None:
    for wire in (None, "openai-chat"):
        turn = wires.parse(chat(MARKED["hermes"]), wire=wire)
        assert (list(turn), turn.text, turn.outcome) == ([], MARKED["hermes"], "final")


def test_the_model_s_profile_turns_it_on() -> None:
    with Ares(plugins=[ares_plugin_wires], config={"models": {"qwen*": {"text_calls": "hermes"}}}) as ares:
        assert [call.name for call in ares.parse(chat(MARKED["hermes"]))] == ["add"]
        assert list(ares.parse(chat(MARKED["hermes"], model="gpt"))) == []
        assert list(ares.parse(chat(MARKED["mistral"]))) == []


def test_a_dialect_that_is_none_is_an_error_that_names_them() -> None:
    ares = Ares(plugins=[ares_plugin_wires], config={"models": {"*": {"text_calls": "klingon"}}})
    with ares, pytest.raises(UsageError, match="hermes"):
        ares.parse(chat("Hi"))


def test_streamed_text_is_read_whole(wires: Ares) -> None:
    pieces = ["1 <", " 2. <tool", '_call>{"name": "ad', 'd", "arguments": {"a": 2}}</tool_', "call>"]
    events = [{"choices": [{"delta": {"content": piece}}]} for piece in pieces]
    turn = wires.parse([*events, {"choices": [{"delta": {}, "finish_reason": "stop"}]}], wire="text")
    assert ([call.arguments for call in turn], turn.text) == ([{"a": 2}], "1 < 2. ")


def test_an_answer_cut_off_for_want_of_tokens_holds_no_call(wires: Ares) -> None:
    body = chat(f"<tool_call>{ONE}</tool_call>")
    body["choices"][0]["finish_reason"] = "length"
    assert list(wires.parse(body, wire="text")) == []


def test_results_go_back_as_the_user_s_words(wires: Ares) -> None:
    messages = wires.handle_sync(chat(MARKED["hermes"]), wire="text")
    assert messages[0]["content"] == MARKED["hermes"]
    assert messages[1] == {"role": "user", "content": '<tool_response>\n{"name":"add","content":"3"}\n</tool_response>'}


NATIVE = {
    "anthropic": {"type": "message", "role": "assistant", "content": [{"type": "text", "text": ONE}]},
    "gemini": {"candidates": [{"content": {"role": "model", "parts": [{"text": ONE}]}, "finishReason": "STOP"}]},
    "bedrock-converse": {"output": {"message": {"role": "assistant", "content": [{"text": ONE}]}}},
    "openai-responses": {
        "output": [{"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": ONE}]}],
        "status": "completed",
    },
}


@pytest.mark.parametrize("wire", NATIVE)
def test_results_go_back_in_the_form_of_the_provider_whose_model_wrote_the_call(wires: Ares, wire: str) -> None:
    said, words = wires.handle_sync(NATIVE[wire], wire="text")
    told = '<tool_response>\n{"name":"add","content":"3"}\n</tool_response>'
    parts = {"gemini": {"parts": [{"text": told}]}, "bedrock-converse": {"content": [{"text": told}]}}
    assert words == {"role": "user", **parts.get(wire, {"content": told})}
    assert "arguments" in str(said)


SHREDS = (
    "<tool_call>", "</tool_call>", "<think>", "</think>", "```", "\n", "{", "}", ONE, "[TOOL_CALLS]", "[ARGS]", "add",
    "(", ")", "<function=", "<parameter=", ">", "<|channel|>", "<|message|>", "commentary to=functions.add", '"', "'",
    "`", "[", "]",
)  # fmt: skip


@settings(deadline=None)
@given(st.lists(st.sampled_from(SHREDS), max_size=12).map("".join))
def test_no_text_breaks_the_reading(wires: Ares, text: str) -> None:
    for call in wires.parse(f"x{text}", wire="text"):
        assert call.id
        assert isinstance(call.arguments, str | dict)


@pytest.mark.timeout(120)
@pytest.mark.parametrize(
    "part",
    [
        "<tool_call>",
        "<tool_call>{",
        "<think>",
        "`",
        "```\n",
        "> a\n",
        "[TOOL_CALLS]a[ARGS]",
        "<function=a><parameter=b>",
        "(",
        "{",
        '{"name": "',
    ],
)
def test_hostile_text_takes_no_long_time(wires: Ares, part: str) -> None:
    wires.parse("x" + part * (250_000 // len(part)), wire="text")
    wires.parse(part * (250_000 // len(part)), wire="text")

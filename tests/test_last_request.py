"""A model names a tool that doesn't exist: what the user asked last, and the call itself, say what is meant."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from ares_core import Ares, Effects, Failure, ToolCall, tool
from ares_core.conversation import last_request

READS = Effects(read_only=True)
SAID = "what is the sum of 3 and 4?"


def chat(*messages: dict[str, Any]) -> dict[str, Any]:
    return {"messages": [{"role": "system", "content": "be kind"}, *messages]}


BODIES: dict[str, dict[str, Any]] = {
    "openai-chat": chat({"role": "user", "content": "hello"}, {"role": "user", "content": SAID}),
    "parts of text": chat({"role": "user", "content": [{"type": "text", "text": SAID}, {"type": "image_url"}]}),
    "openai-responses": {"input": [{"role": "user", "content": [{"type": "input_text", "text": SAID}]}, {"type": "x"}]},
    "openai-responses, plain": {"input": SAID},
    "anthropic": chat(
        {"role": "user", "content": SAID},
        {"role": "assistant", "content": [{"type": "tool_use", "id": "1", "name": "x", "input": {}}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "1", "content": "7"}]},
    ),
    "gemini": {"contents": [{"role": "user", "parts": [{"text": SAID}]}, {"role": "model", "parts": [{"text": "hm"}]}]},
    "bedrock-converse": chat({"role": "user", "content": [{"text": SAID}]}),
    "cohere": {"chat_history": [{"role": "USER", "message": SAID}]},
    "inside a request": {"request": chat({"role": "user", "content": SAID})},
}


@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES)
def test_the_last_words_of_the_user_are_found_in_each_format(body: dict[str, Any]) -> None:
    assert last_request(body) == SAID


@pytest.mark.parametrize(
    "body", [None, "text", [], {}, {"messages": 5}, {"messages": [5, None]}, {"input": ""}, chat(), {"contents": "  "}]
)
def test_where_nobody_said_anything_there_is_no_request(body: Any) -> None:
    assert last_request(body) is None


@pytest.fixture
def ares() -> Iterator[Ares]:
    with Ares(plugins=["wires", "rules-en", "calculator"]) as found:

        @tool(effects=READS)
        def exchange_rate(base: str, target: str) -> str:
            """Tell the exchange rate between two currencies."""
            return f"{base} to {target}"

        @tool
        def delete_customer(customer: int) -> str:
            """Delete a customer."""
            raise AssertionError("deleted")

        found.register(exchange_rate)
        found.register(delete_customer)
        yield found


def response(name: str, arguments: str, **more: Any) -> dict[str, Any]:
    call = {"id": "c1", "type": "function", "function": {"name": name, "arguments": arguments}}
    return {"choices": [{"index": 0, "message": {"role": "assistant", "tool_calls": [call]}}], **more}


def test_a_body_with_the_conversation_in_it_needs_no_request(ares: Ares) -> None:
    body = response("add_up", '{"numbers": [3, 4]}', **chat({"role": "user", "content": SAID}))
    assert "7" in json.dumps(ares.handle_sync(body)[-1])
    without = ares.handle_sync(response("add_up", '{"numbers": [3, 4]}'))
    assert "no tool 'add_up'" in json.dumps(without[-1])


def test_the_callers_own_request_counts_more(ares: Ares) -> None:
    body = response("add_up", "{}", **chat({"role": "user", "content": SAID}))
    assert "30" in json.dumps(ares.handle_sync(body, request="sum of 10 and 20")[-1])


def refused(ares: Ares, name: str, arguments: dict[str, Any], request: str) -> Failure:
    error = ares.call_sync(ToolCall(name, arguments), request=request).error
    assert error is not None
    assert error.code == "unknown_tool"
    return error


def test_a_request_that_says_little_leaves_the_name_and_the_arguments_to_say_what_is_meant(ares: Ares) -> None:
    error = refused(ares, "get_exchange_rates", {"base": "EUR", "target": "NOK"}, "and what about the other one")
    assert error.suggestions[0] == "exchange_rate"
    assert 'exchange_rate {"base":"EUR","target":"NOK"}' in error.message


@pytest.mark.parametrize("request_", ["don't look it up", "how would you find the exchange rate?"])
def test_what_is_forbidden_is_not_even_suggested_by_its_arguments(ares: Ares, request_: str) -> None:
    error = refused(ares, "get_exchange_rates", {"base": "EUR", "target": "NOK"}, request_)
    assert 'exchange_rate {"base"' not in error.message


def test_a_change_is_suggested_and_never_made(ares: Ares) -> None:
    error = refused(ares, "customer_delete", {"customer": 7}, "go on")
    assert 'delete_customer {"customer":7}' in error.message

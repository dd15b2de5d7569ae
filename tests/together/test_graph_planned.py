"""A node whose tool doesn't exist is planned for, with the builtin tools and rules, and the result says so."""

from __future__ import annotations

from typing import Any

import pytest
from ares_plugin_graph import Graph, ToolNode

from ares_core import Ares

HELLO = "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824"


@pytest.fixture(scope="module")
def ares() -> Any:
    with Ares() as ares:
        yield ares


@pytest.mark.parametrize(
    ("node", "tool", "part", "value"),
    [
        (ToolNode("a", "sha256_digest", {"text": "hello"}), "hash_tool", "output", HELLO),
        (ToolNode("a", "uppercase_text", {"text": "abc"}), "string_utils", "output", "ABC"),
        (ToolNode("a", "add_numbers", {"expression": "2+3"}), "calculator", "result", 5),
        (ToolNode("a", "mean", {"numbers": [1, 2, 3]}), "calculator", "result", 2),
        (ToolNode("a", "whatever", request="sum from 1 to ${input.n}"), "calculator", "result", 55),
    ],
)
def test_a_tool_that_does_not_exist_is_planned_for(ares: Ares, node: Any, tool: str, part: str, value: Any) -> None:
    result = Graph([node]).run_sync(ares, {"n": 10})["a"]
    assert (result.status, result.tool, result.planned) == ("done", tool, True), result.error
    assert result.data[part] == value
    assert result.to_dict()["planned"] is True


@pytest.mark.parametrize(
    "node",
    [
        ToolNode("a", "delete_user", {"id": 5}), ToolNode("a", "send_sms", {"number": "1+2"}),
        ToolNode("a", "eraser", {"path": "x"}, request="delete the file x"), ToolNode("a", "do_something"),
    ],
)  # fmt: skip
def test_what_is_unclear_or_would_change_something_is_not_planned_for(ares: Ares, node: Any) -> None:
    result = Graph([node]).run_sync(ares)["a"]
    assert (result.status, result.planned) == ("failed", False)
    assert result.error is not None
    assert result.error.code == "unknown_tool"


def test_what_was_planned_goes_on_into_the_next_node(ares: Ares) -> None:
    nodes = [
        ToolNode("a", "uppercase_text", {"text": "hello"}),
        ToolNode("b", "sha256_digest", {"text": "${a.output}"}),
    ]
    result = Graph(nodes).run_sync(ares)
    assert result["b"].data["input"] == "HELLO"


def test_an_argument_that_the_plan_has_under_another_name_is_not_given_twice(ares: Ares) -> None:
    result = ares.call_sync("sha256_digest", {"text": "hello"}, request="sha256 of 'hello'")
    assert (result.success, result.metadata.get("instead_of")) == (True, "sha256_digest"), result.text
    assert result.data["output"] == HELLO

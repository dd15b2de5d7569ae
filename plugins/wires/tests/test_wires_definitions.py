"""Definitions in every provider's dialect."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Iterator
from typing import Any

import ares_plugin_wires
import pytest

from ares_core import Ares, Definitions, Tool, UsageError

WIRES = ("openai-chat", "openai-responses", "anthropic", "gemini", "bedrock-converse", "cohere", "ollama", "text")
QUERY = {
    "type": "object", "required": ["q"], "properties": {
        "q": {"type": "string", "minLength": 1},
        "limit": {"type": "integer", "default": 10},
        "opts": {"type": "object", "properties": {"deep": {"type": "boolean"}}},
    },
}  # fmt: skip


def tool(name: str, parameters: Any = None) -> Tool:
    schema = {"type": "object", "properties": {}} if parameters is None else parameters
    return Tool(name, "Do it.", schema, lambda arguments, context: dict(arguments))


@pytest.fixture
def ares() -> Iterator[Ares]:
    with Ares(plugins=[ares_plugin_wires]) as ares:
        yield ares


def published(ares: Ares, wire: str = "openai-chat", **options: Any) -> dict[str, dict[str, Any]]:
    """Give name and schema of what is published, whatever the dialect wraps around them."""
    found = {}
    for entry in ares.definitions(wire, **options):
        for item in entry.get("functionDeclarations", [entry.get("function") or entry.get("toolSpec") or entry]):
            schema = item.get("parameters") or item.get("input_schema") or item.get("inputSchema", {}).get("json")
            found[item["name"]] = schema or {}
    return found


def test_openai_s_form(ares: Ares) -> None:
    ares.register(tool("query", QUERY))
    function = {"name": "query", "description": "Do it.", "parameters": QUERY}
    assert ares.definitions() == [{"type": "function", "function": function}]


@pytest.mark.parametrize("wire", WIRES)
def test_the_order_is_that_of_the_names_whenever_tools_came(ares: Ares, wire: str) -> None:
    for name in ("b", "c", "a"):
        ares.register(tool(name, QUERY))
    assert list(published(ares, wire)) == ["a", "b", "c"]


@pytest.mark.parametrize("wire", WIRES)
def test_names_become_legal_and_all_different(ares: Ares, wire: str) -> None:
    names = [
        "mcp.files.read",
        "mcp_files_read",
        "mcp.weather v2.get",
        "画图",
        "a/b",
        "a.b",
        "📁list",
        "x" * 200,
        "x" * 201,
        "9lives",
    ]
    for name in names:
        ares.register(tool(name, QUERY))
    sent = list(published(ares, wire))
    assert len(set(sent)) == len(names)
    assert all(re.fullmatch(r"[a-zA-Z0-9_.-]{1,64}", name) for name in sent)
    assert wire == "cohere" or "mcp_files_read" in sent


def test_a_call_by_the_name_on_the_wire_reaches_its_tool(ares: Ares) -> None:
    for name in ("画图", "mcp.files.read", "mcp_files_read"):
        ares.register(tool(name))
    for sent in published(ares):
        body = {"choices": [{"message": {"tool_calls": [{"id": "c", "function": {"name": sent, "arguments": "{}"}}]}}]}
        turn = ares.parse(body)
        assert turn[0].name in ("画图", "mcp.files.read", "mcp_files_read")
        assert ares.call_sync(turn[0]).success
        messages = ares.handle_sync(body)
        assert messages[0]["tool_calls"][0]["function"]["name"] == sent


def test_definitions_are_the_same_again_and_no_one_s_to_change(ares: Ares) -> None:
    ares.register(tool("query", QUERY))
    first = ares.definitions()
    first.clear()
    assert len(ares.definitions()) == 1
    ares.register(tool("other"))
    assert len(ares.definitions()) == 2


ROOTS = [
    {}, {"type": "object", "properties": None, "required": None}, {"type": "object", "required": ["a"]},
    {"properties": {"a": {"type": "string"}}}, {"type": ["object", "null"], "properties": {}},
    {"$ref": "#/$defs/A", "$defs": {"A": {"type": "object", "properties": {"a": {"type": "string"}}}}},
    {"anyOf": [{"type": "object", "properties": {"a": {"type": "string"}}}, {"properties": {"b": {}}}]},
]  # fmt: skip


@pytest.mark.parametrize("root", ROOTS)
@pytest.mark.parametrize("wire", [wire for wire in WIRES if wire != "gemini"])
def test_every_root_becomes_a_plain_object(wire: str, root: Any) -> None:
    given = copy.deepcopy(root)
    schema = next(iter(definitions_of(wire, root).values()))
    assert schema["type"] == "object"
    assert isinstance(schema["properties"], dict)
    assert not {"anyOf", "oneOf", "allOf", "$ref", "enum", "not"} & set(schema)
    assert root == given


def definitions_of(wire: str, schema: Any, **options: Any) -> dict[str, Any]:
    """Publish a schema without the door, which would refuse some of these at registration."""
    from ares_core import Definition

    formats = {wire_format.name: wire_format for wire_format in ares_plugin_wires.register_wire_formats()}
    found = formats[wire].definitions([Definition("t", "Do it.", schema)], None, options.get("strict", False))
    fields = found[0].get("function") or found[0].get("toolSpec") or found[0]
    return {"t": fields.get("parameters") or fields.get("input_schema") or fields["inputSchema"]["json"]}


@pytest.mark.parametrize("schema", [None, True, {"type": "string"}, {"type": "array"}, []])
def test_a_schema_that_is_no_object_has_no_parameters(schema: Any) -> None:
    assert definitions_of("openai-chat", schema)["t"] == {"type": "object", "properties": {}}


def test_strict_mode_requires_all_and_lets_null_stand_for_left_out(ares: Ares) -> None:
    given = copy.deepcopy(QUERY)
    ares.register(tool("query", QUERY))
    definitions = ares.definitions(strict=True)
    function = definitions[0]["function"]
    schema = function["parameters"]
    assert function["strict"] is True
    assert schema["required"] == ["q", "limit", "opts"]
    assert schema["properties"]["limit"] == {"type": ["integer", "null"]}
    assert schema["properties"]["opts"]["properties"]["deep"] == {"type": ["boolean", "null"]}
    assert schema["additionalProperties"] is schema["properties"]["opts"]["additionalProperties"] is False
    assert "minLength" not in json.dumps(schema)
    assert any("minLength" in note for note in definitions.lost)
    assert given == QUERY
    assert ares.call_sync("query", {"q": "x", "limit": None, "opts": None}).data == {"q": "x", "limit": 10}


@pytest.mark.parametrize(
    "part",
    [
        {},
        {"type": "object", "additionalProperties": True},
        {"allOf": [{}, {}]},
        {"patternProperties": {}, "type": "object"},
    ],
)
def test_a_schema_that_strict_mode_cannot_say_is_published_without_it(ares: Ares, part: Any) -> None:
    ares.register(tool("free", {"type": "object", "properties": {"x": part}}))
    definitions = ares.definitions(strict=True)
    assert definitions[0]["function"]["strict"] is False
    assert "strict mode is off" in definitions.lost[0]


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        ({"enum": ["a", None], "type": ["string", "null"]}, {"enum": ["a", None], "type": ["string", "null"]}),
        ({"enum": ["a"], "type": "string"}, {"enum": ["a", None], "type": ["string", "null"]}),
        ({"anyOf": [{"type": "string"}]}, {"anyOf": [{"type": "string"}, {"type": "null"}]}),
        ({"oneOf": [{"type": "string"}]}, {"anyOf": [{"type": "string"}, {"type": "null"}]}),
        ({"const": 1}, {"anyOf": [{"const": 1}, {"type": "null"}]}),
        ({"$ref": "#/$defs/n"}, {"anyOf": [{"$ref": "#/$defs/n"}, {"type": "null"}]}),
        ({"type": "array", "items": {"type": "integer"}}, {"type": ["array", "null"], "items": {"type": "integer"}}),
        ({"type": "string", "format": "uri"}, {"type": ["string", "null"]}),
    ],
)
def test_what_may_be_left_out_may_be_null_in_strict_mode(schema: Any, expected: Any) -> None:
    whole = {"type": "object", "properties": {"x": schema}, "$defs": {"n": {"type": "integer"}}}
    assert definitions_of("openai-chat", whole, strict=True)["t"]["properties"]["x"] == expected


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        ({"type": ["string", "null"]}, {"type": "string", "nullable": True}),
        ({"type": ["string", "integer"]}, {"anyOf": [{"type": "string"}, {"type": "integer"}]}),
        ({"anyOf": [{"type": "integer"}, {"type": "null"}]}, {"type": "integer", "nullable": True}),
        ({"oneOf": [{"type": "integer"}, {"type": "string"}]}, {"anyOf": [{"type": "integer"}, {"type": "string"}]}),
        ({"const": "a"}, {"type": "string", "enum": ["a"]}),
        ({"enum": [1, 2], "type": "integer"}, {"type": "integer", "description": "One of 1, 2."}),
        ({"const": True, "description": "Yes."}, {"type": "boolean", "description": "Yes. One of true."}),
        ({}, {"type": "string"}),
        ({"type": ["array", "null"]}, {"type": "array", "nullable": True, "items": {"type": "string"}}),
        ({"type": "string", "format": "date-time"}, {"type": "string", "format": "date-time"}),
        ({"type": "string", "format": "uri"}, {"type": "string"}),
        ({"type": "integer", "exclusiveMinimum": 0, "maximum": 9}, {"type": "integer", "minimum": 1, "maximum": 9}),
        ({"type": "number", "exclusiveMaximum": 9}, {"type": "number", "maximum": 9}),
        ({"type": "array"}, {"type": "array", "items": {"type": "string"}}),
        ({"$ref": "#/$defs/n"}, {"type": "integer"}),
        ({"allOf": [{"properties": {"a": {"type": "string"}}}, {"properties": {"b": {"type": "string"}}}]},
         {"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "string"}}}),
    ],
)  # fmt: skip
def test_gemini_s_part_of_openapi(ares: Ares, schema: Any, expected: Any) -> None:
    ares.register(tool("t", {"type": "object", "properties": {"x": schema}, "$defs": {"n": {"type": "integer"}}}))
    assert published(ares, "gemini")["t"]["properties"]["x"] == expected


def test_gemini_is_told_of_no_parameters_where_there_are_none(ares: Ares) -> None:
    ares.register(tool("now"))
    assert ares.definitions("gemini") == [{"functionDeclarations": [{"name": "now", "description": "Do it."}]}]


TREE = {
    "type": "object", "properties": {"root": {"$ref": "#/$defs/node"}},
    "$defs": {"node": {"type": "object", "properties": {"v": {"type": "integer"}, "next": {"$ref": "#/$defs/node"}}}},
}  # fmt: skip


@pytest.mark.parametrize("wire", ["gemini", "ollama"])
def test_references_are_put_in_place_and_loops_are_cut(ares: Ares, wire: str) -> None:
    ares.register(tool("tree", TREE))
    schema = published(ares, wire)["tree"]
    assert "$ref" not in json.dumps(schema)
    assert schema["properties"]["root"]["properties"]["v"] == {"type": "integer"}
    assert any("#/$defs/node" in note for note in ares.definitions(wire).lost)


@pytest.mark.timeout(120)
def test_references_that_multiply_are_bounded(ares: Ares) -> None:
    doubling = {
        f"d{n}": {"type": "object", "properties": {side: {"$ref": f"#/$defs/d{n + 1}"} for side in "ab"}}
        for n in range(40)
    }
    schema = {
        "type": "object",
        "properties": {"x": {"$ref": "#/$defs/d0"}},
        "$defs": {**doubling, "d40": {"type": "integer"}},
    }
    ares.register(tool("bomb", schema))
    assert len(json.dumps(ares.definitions("gemini"))) < 5_000_000


CHOICES: dict[str, list[Any]] = {
    "openai-chat": ["auto", "none", "required", {"type": "function", "function": {"name": "q_1"}}],
    "openai-responses": ["auto", "none", "required", {"type": "function", "name": "q_1"}],
    "anthropic": [{"type": "auto"}, {"type": "none"}, {"type": "any"}, {"type": "tool", "name": "q_1"}],
}


@pytest.mark.parametrize("wire", CHOICES)
def test_the_choice_of_a_tool_is_said_in_the_dialect(ares: Ares, wire: str) -> None:
    ares.register(tool("q 1", QUERY))
    chosen = [ares.definitions(wire, choice).request["tool_choice"] for choice in ("auto", "none", "required", "q 1")]
    assert chosen == CHOICES[wire]
    assert "tool_choice" not in ares.definitions(wire).request


def test_the_choice_of_a_tool_where_it_stands_elsewhere(ares: Ares) -> None:
    ares.register(tool("q1", QUERY))
    ares.register(tool("q2", QUERY))

    def request(wire: str, choice: str) -> dict[str, Any]:
        return ares.definitions(wire, choice).request

    named = {"functionCallingConfig": {"mode": "ANY", "allowedFunctionNames": ["q1"]}}
    assert request("gemini", "q1")["toolConfig"] == named
    assert request("gemini", "none")["toolConfig"] == {"functionCallingConfig": {"mode": "NONE"}}
    assert request("bedrock-converse", "q1")["toolConfig"]["toolChoice"] == {"tool": {"name": "q1"}}
    assert request("bedrock-converse", "required")["toolConfig"]["toolChoice"] == {"any": {}}
    assert request("bedrock-converse", "none") == request("ollama", "none") == {}
    assert request("cohere", "required")["tool_choice"] == "REQUIRED"
    assert [entry["function"]["name"] for entry in request("cohere", "q1")["tools"]] == ["q1"]
    assert ares.definitions("ollama", "q1").lost


def test_a_choice_of_an_unknown_tool_is_an_error(ares: Ares) -> None:
    ares.register(tool("q"))
    with pytest.raises(UsageError, match="nope"):
        ares.definitions("openai-chat", "nope")


def test_text_has_words_for_the_system_prompt(ares: Ares) -> None:
    ares.register(tool("query", QUERY))
    prompt = ares.definitions("text", "query").prompt
    assert '"name":"query"' in prompt
    assert "tool query" in prompt
    assert ares.definitions("text", "none").prompt == ""


def test_definitions_are_a_list_that_json_can_write(ares: Ares) -> None:
    ares.register(tool("query", QUERY))
    for wire in WIRES:
        definitions = ares.definitions(wire, strict=True)
        assert isinstance(definitions, Definitions)
        assert json.loads(json.dumps(definitions)) == definitions

"""What servers answer otherwise than they should: as much of it as is sure is used, and no call waits for ever."""

from __future__ import annotations

import json
from typing import Any

import pytest
from ares_plugin_mcp.client.answers import mend_answer, mend_block
from ares_plugin_mcp.client.messages import Reader
from ares_plugin_mcp.client.results import misfit, result_of, text_of
from ares_plugin_mcp.client.tidy import mend_schema, tidy_tools
from hypothesis import given, settings
from hypothesis import strategies as st
from mcp_types import (
    CallToolResult,
    InitializeResult,
    JSONRPCError,
    JSONRPCNotification,
    JSONRPCRequest,
    JSONRPCResponse,
)

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)
TEXT = {"type": "text", "text": "hi"}
ANSWER = {"jsonrpc": "2.0", "id": 1, "result": {"content": [TEXT]}}
LINE = json.dumps(ANSWER).encode()


def reader(*open_requests: int, method: str = "tools/call") -> tuple[Reader, list[str]]:
    notes: list[str] = []
    made = Reader(notes.append)
    for id in open_requests:
        made.open.sent(JSONRPCRequest(jsonrpc="2.0", id=id, method=method, params={}))
    return made, notes


def read(*lines: bytes, to: tuple[int, ...] = (1,)) -> list[Any]:
    made, _ = reader(*to)
    return [item.message for line in lines for item in made.read(line)]


def answered(value: Any, to: tuple[int, ...] = (1,)) -> Any:
    (message,) = read(json.dumps(value).encode(), to=to)
    return message


@pytest.mark.parametrize(
    "lines",
    [
        [b"loading... " + LINE],
        [LINE + b" <- sent"],
        [b"\0" + LINE + b"\0"],
        [b'{"jsonrpc":"2.0","method":"notifications/x"}' + LINE],
        json.dumps(ANSWER, indent=2).encode().splitlines(),
        [LINE.replace(b"hi", b"a\tb")],
        LINE.replace(b"hi", b"a\nb").splitlines(),
        [b"Content-Length: 70\r", b"\r", LINE],
        [b"{", LINE],
        [b'{"level":"info","id":1,"result":"ok"}', LINE],
        [b'{"msg":"received","id":1,"error":"none"}', LINE],
        [b'got {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{}}', LINE],
    ],
)
def test_an_answer_is_found_among_what_else_is_written(lines: list[bytes]) -> None:
    answers = [message for message in read(*lines) if not isinstance(message, JSONRPCNotification)]
    assert [(message.id, message.result["content"][0]["type"]) for message in answers] == [(1, "text")]


def test_a_long_answer_may_be_spread_over_many_lines() -> None:
    rows = {"rows": [{"n": n, "part": {"of": n}} for n in range(200)]}
    spread = json.dumps({**ANSWER, "result": {"content": [], "structuredContent": rows}}, indent=2)
    (message,) = read(*spread.encode().splitlines())
    assert message.result["structuredContent"] == rows


def test_what_begins_like_a_message_and_never_ends_is_a_flood_too() -> None:
    made, _ = reader(1)
    for _ in range(25):
        made.read(b'{"a": "')
        for _ in range(11):
            made.read(b"x" * 100_000)
    assert made.is_flooded


@pytest.mark.parametrize("id", [1, "1", 1.0])
def test_an_id_that_comes_back_in_another_form_is_known(id: Any) -> None:
    assert answered({**ANSWER, "id": id}).id == 1


@pytest.mark.parametrize(
    ("error", "said"),
    [
        ({"code": -32000, "message": "bad"}, (-32000, "bad")),
        ({"code": "-32000", "message": "bad"}, (-32000, "bad")),
        ({"code": -32000.0, "message": "bad"}, (-32000, "bad")),
        ({"message": "bad"}, (-32603, "bad")),
        ({"code": "E_BAD", "message": "bad"}, (-32603, "bad (E_BAD)")),
        ("bad", (-32603, "bad")),
        ({"code": 1, "message": None}, (1, "(without a word why)")),
        ([1], (-32603, "[1]")),
        ({"code": 1, "message": {"en": "bad"}}, (1, '{"en":"bad"}')),
    ],
)
@pytest.mark.parametrize("beside", [{}, {"result": None}, {"result": {}}])
def test_an_error_is_told_whatever_its_parts_are(error: Any, said: Any, beside: dict[str, Any]) -> None:
    message = answered({"jsonrpc": "2.0", "id": 1, "error": error, **beside})
    assert (message.error.code, message.error.message) == said


@pytest.mark.parametrize("ends", [{"result": {}}, {"error": {"code": -32700, "message": "Parse error"}}])
@pytest.mark.parametrize("id", [{"id": None}, {}])
def test_an_answer_without_id_fails_the_only_request_that_is_open(ends: dict[str, Any], id: dict[str, Any]) -> None:
    message = answered({"jsonrpc": "2.0", **id, **ends}, to=(7,))
    assert isinstance(message, JSONRPCError)
    assert message.id == 7


def test_an_answer_without_id_fails_none_of_several() -> None:
    assert read(json.dumps({"jsonrpc": "2.0", "result": {}}).encode(), to=(1, 2)) == []


def test_an_answer_that_is_not_quite_json_fails_its_request() -> None:
    (message,) = read(b'{"jsonrpc":"2.0","id":1,"result":{"content":[],}}')
    assert (message.id, message.error.message) == (1, "its answer is not valid JSON")


def test_an_answer_of_no_open_request_is_noted() -> None:
    made, notes = reader(1)
    made.read(json.dumps({**ANSWER, "id": 99}).encode())
    assert "id 99" in notes[0]


def test_what_was_cancelled_is_not_open_any_more() -> None:
    made, _ = reader(1)
    params = {"requestId": 1}
    made.open.sent(JSONRPCNotification(jsonrpc="2.0", method="notifications/cancelled", params=params))
    assert made.open.answer({"jsonrpc": "2.0", "id": None, "result": {}}) is None


@pytest.mark.parametrize(
    ("result", "content"),
    [
        ({}, []),
        ({"content": None}, []),
        ({"content": "hi"}, [TEXT]),
        ({"content": TEXT}, [TEXT]),
        ({"content": ["hi"]}, [TEXT]),
        ({"content": [{"text": "hi"}]}, [TEXT]),
        ("hi", [TEXT]),
        (None, []),
        ({"toolResult": 7}, [{"type": "text", "text": "7"}]),
        ({"rows": 1}, [{"type": "text", "text": '{"rows":1}'}]),
        ({"content": [{"type": "text", "text": None}]}, [{"type": "text", "text": ""}]),
        ({"content": [{"type": "text", "text": "hi", "annotations": [], "_meta": "x"}]}, [TEXT]),
    ],
)
def test_the_content_of_an_answer_is_found_where_it_stands(result: Any, content: Any) -> None:
    assert answered({"jsonrpc": "2.0", "id": 1, "result": result}).result["content"] == content


@pytest.mark.parametrize(("flag", "failed"), [("true", True), (1, True), ("false", False), (None, False)])
def test_a_failure_is_told_in_other_words_too(flag: Any, failed: bool) -> None:
    result = answered({"jsonrpc": "2.0", "id": 1, "result": {"content": [TEXT], "isError": flag}}).result
    assert bool(result.get("isError")) is failed


@settings(max_examples=40)
@given(st.dictionaries(st.sampled_from(["content", "structuredContent", "isError", "_meta", "x"]), JSON))
def test_every_answer_can_be_read_when_it_is_mended(result: dict[str, Any]) -> None:
    mend_answer(result)
    CallToolResult.model_validate(result, by_name=False)


KINDS = st.sampled_from(["text", "image", "audio", "resource", "resource_link"])
PARTS = ("text", "data", "mimeType", "resource", "uri", "name", "size", "annotations")


@settings(max_examples=40)
@given(st.fixed_dictionaries({"type": KINDS}, optional=dict.fromkeys(PARTS, JSON)))
def test_every_block_can_be_read_when_it_is_mended(block: dict[str, Any]) -> None:
    CallToolResult.model_validate({"content": [mend_block(block)]}, by_name=False)


@pytest.mark.parametrize("block", [{"data": "iVBORw0="}, {"data": "data:image/png;base64,AAEC"}])
def test_a_picture_without_its_type_is_recognised(block: dict[str, Any]) -> None:
    assert mend_block({"type": "image", **block})["mimeType"] == "image/png"


@pytest.mark.parametrize(
    ("texts", "structured", "shown"),
    [
        (["1", "2"], {"result": [1, 2]}, "1\n2"),
        (["a", "b"], {"result": ["a", "b"]}, "a\nb"),
        (["{'rows': [1]}"], {"rows": [1]}, "{'rows': [1]}"),
        (["hi"], {}, "hi"),
        ([], {}, "{}"),
    ],
)
def test_the_same_is_not_said_twice(texts: list[str], structured: Any, shown: str) -> None:
    assert text_of([{"type": "text", "text": text} for text in texts], structured) == shown


@pytest.mark.parametrize(
    ("schema", "sound"),
    [
        ({"properties": {"a": {}, "required": ["a"]}}, {"properties": {"a": {}}, "required": ["a"]}),
        ({"properties": []}, {"properties": {}}),
        ({"properties": ["a"]}, {"properties": {"a": {}}}),
        ({"properties": {"a": "string", "b": None}}, {"properties": {"a": {"type": "string"}, "b": {}}}),
        ({"required": "a"}, {"required": ["a"]}),
        ({"required": {}}, {}),
        ({"$schema": 7}, {}),
        ({"type": ["object", "null"]}, {}),
        ({"$defs": []}, {}),
    ],
)
def test_the_root_of_a_schema_is_mended(schema: dict[str, Any], sound: dict[str, Any]) -> None:
    assert mend_schema(schema) == {"type": "object", **sound}


def test_a_schema_that_says_no_properties_stays_as_it_was_pinned() -> None:
    (tool,) = tidy_tools([{"name": "t", "inputSchema": {"type": "object"}}], lambda text: None)
    assert tool == {"name": "t", "inputSchema": {"type": "object"}}


@pytest.mark.parametrize(
    "said", [{}, {"capabilities": None, "serverInfo": None}, {"capabilities": [], "instructions": 7}]
)
def test_what_a_server_forgets_to_say_of_itself_costs_nothing(said: dict[str, Any]) -> None:
    result = {"protocolVersion": "2025-06-18", **said}
    made, _ = reader(1, method="initialize")
    (item,) = made.read(json.dumps({"jsonrpc": "2.0", "id": 1, "result": result}).encode())
    assert isinstance(item.message, JSONRPCResponse)
    InitializeResult.model_validate(item.message.result, by_name=False)


OUTPUT = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}


@pytest.mark.parametrize(
    ("structured", "trouble"),
    [({"n": 1}, None), ({"n": "x"}, "does not fit its output schema: /n"), (None, "no structured content")],
)
def test_an_answer_that_does_not_fit_the_output_schema_is_noted_and_used(structured: Any, trouble: Any) -> None:
    answer = CallToolResult.model_validate({"content": [TEXT], "structuredContent": structured}, by_name=False)
    told = misfit(answer, OUTPUT)
    assert told is trouble or trouble in (told or "")
    assert "hi" in result_of("t", answer).text


@pytest.mark.parametrize("schema", [{"properties": {"n": {"$ref": "https://example.test/x"}}}, {"type": 7}])
def test_an_output_schema_that_can_not_be_used_costs_nothing(schema: dict[str, Any]) -> None:
    answer = CallToolResult.model_validate({"content": [], "structuredContent": {"n": 1}}, by_name=False)
    assert "can't be used" in (misfit(answer, schema) or "")


def bomb(depth: int) -> dict[str, Any]:
    twice = {f"l{place}": {"allOf": [{"$ref": f"#/$defs/l{place - 1}"}] * 2} for place in range(1, depth)}
    properties = {"n": {"$ref": f"#/$defs/l{depth - 1}"}}
    return {"type": "object", "properties": properties, "$defs": {"l0": {"type": "integer"}, **twice}}


@pytest.mark.parametrize(
    ("schema", "value"),
    [({"type": "object", "properties": {"n": {"pattern": "^(a+)+$"}}}, "a" * 60 + "!"), (bomb(40), 1)],
)
def test_an_output_schema_that_would_never_be_done_is_done_at_once(schema: dict[str, Any], value: Any) -> None:
    answer = CallToolResult.model_validate({"content": [TEXT], "structuredContent": {"n": value}}, by_name=False)
    assert "output schema" in (misfit(answer, schema) or "")

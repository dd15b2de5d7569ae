"""What comes from a server, byte by byte; and names."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from ares_plugin_mcp.client.configured import filled, read_server
from ares_plugin_mcp.client.messages import Reader
from ares_plugin_mcp.client.names import aliases, owner
from ares_plugin_mcp.client.results import result_of, text_of
from ares_plugin_mcp.client.tidy import tidy, tidy_tools
from hypothesis import given
from hypothesis import strategies as st
from mcp_types import CallToolResult

from ares_core import ConfigError

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)
ENTRY = st.fixed_dictionaries(
    {},
    optional={
        "name": JSON, "inputSchema": JSON, "outputSchema": JSON, "description": JSON, "annotations": JSON,
        "execution": JSON, "_meta": JSON,
    },
)  # fmt: skip
ANSWER = {"jsonrpc": "2.0", "id": 1, "result": {"content": []}}


def read(*lines: bytes) -> tuple[list[Any], list[str]]:
    notes: list[str] = []
    reader = Reader(notes.append)
    return [item.message for line in lines for item in reader.read(line)], notes


def line(value: Any) -> bytes:
    return json.dumps(value).encode()


@pytest.mark.parametrize(
    "raw",
    [
        line(ANSWER), b"\xef\xbb\xbf" + line(ANSWER), line(ANSWER) + b"\r", b"  " + line(ANSWER),
        line({**ANSWER, "id": "1"}), line([ANSWER]), line([7, ANSWER, None]),
    ],
)  # fmt: skip
def test_a_message_is_read_however_it_is_framed(raw: bytes) -> None:
    messages, notes = read(raw)
    assert [str(message.id) for message in messages] == ["1"]
    assert notes == []


def test_a_byte_that_is_no_utf8_spoils_only_itself() -> None:
    (message,), _ = read(b'{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"caf\xe9"}]}}')
    assert message.result["content"][0]["text"] == "caf�"


def test_numbers_that_json_does_not_have_are_let_pass() -> None:
    (message,), _ = read(b'{"jsonrpc":"2.0","id":1,"result":{"structuredContent":{"a":NaN}}}')
    assert message.id == 1


def test_an_error_of_no_request_is_noted() -> None:
    _, notes = read(line({"jsonrpc": "2.0", "id": None, "error": {"code": -32700, "message": "Parse error"}}))
    assert "Parse error" in notes[0]


def test_noise_is_noted_three_times_and_then_skipped_in_silence() -> None:
    messages, notes = read(*[b"noise"] * 50, line(ANSWER))
    assert len(messages) == 1
    assert len(notes) == 3


def test_endless_noise_is_a_flood() -> None:
    reader = Reader(lambda text: None)
    for _ in range(3_000):
        reader.read(b"x")
    assert reader.is_flooded


@given(st.binary(max_size=200))
def test_no_line_breaks_the_reader(raw: bytes) -> None:
    read(raw)


@given(JSON)
def test_no_value_breaks_the_reader(value: Any) -> None:
    read(json.dumps(value).encode("utf-8", "surrogatepass"))


@given(st.lists(ENTRY | JSON, max_size=6))
def test_what_is_listed_is_sound_or_left_out(entries: list[Any]) -> None:
    tools = tidy_tools(entries, lambda text: None)
    assert len({tool["name"] for tool in tools}) == len(tools)
    assert all(tool["inputSchema"]["type"] == "object" for tool in tools)


@given(st.dictionaries(st.sampled_from(["tools", "content", "task", "nextCursor"]), JSON))
def test_no_result_breaks_the_mending(result: dict[str, Any]) -> None:
    tidy(result, lambda text: None)


@pytest.mark.parametrize(
    ("content", "structured", "shown"),
    [
        ([], {"rows": [1, 2]}, '{"rows":[1,2]}'),
        (['{"rows": [1, 2]}'], {"rows": [1, 2]}, '{"rows": [1, 2]}'),
        (["2 rows, newest first"], {"rows": [1, 2]}, '2 rows, newest first\n{"rows":[1,2]}'),
        (["5"], {"result": 5}, "5"),
        (["hi"], {"result": "hi"}, "hi"),
        (["a", "b"], None, "a\nb"),
        ([], None, ""),
    ],
)
def test_structured_data_is_shown_and_never_twice(content: list[str], structured: Any, shown: str) -> None:
    assert text_of([{"type": "text", "text": text} for text in content], structured) == shown


@pytest.mark.parametrize(
    ("content", "shown"), [(["no such row"], "no such row"), ([], "'t' says that it failed, without a word why.")]
)
def test_a_failure_always_has_words(content: list[str], shown: str) -> None:
    answer = CallToolResult.model_validate(
        {"content": [{"type": "text", "text": text} for text in content], "isError": True}
    )
    result = result_of("t", answer)
    assert (result.success, result.error.message) == (False, shown)


KEYS = st.lists(st.tuples(st.text(min_size=1, max_size=80), st.text(min_size=1, max_size=80)), unique=True, max_size=8)


@given(KEYS)
def test_every_tool_has_a_name_of_its_own_that_every_provider_takes(keys: list[tuple[str, str]]) -> None:
    sent = [names[0] for names in aliases(keys).values()]
    assert len(set(sent)) == len(keys)
    assert all(re.fullmatch(r"[a-zA-Z_][a-zA-Z0-9_-]{0,63}", name) for name in sent)


def test_two_names_that_would_be_one_are_told_apart() -> None:
    named = aliases([("a", "b__c"), ("a__b", "c")])
    assert named["a", "b__c"][0] != named["a__b", "c"][0]
    assert all(name.startswith("a__b__c_") for name, *_ in named.values())


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("mcp.my-files.read", ("my-files", "read")), ("my_files__read", ("my-files", "read")), ("files.read", None),
        ("mcp__my_files__a.b", ("my-files", "a.b")), ("read", None), ("mcp", None), ("", None),
    ],
)  # fmt: skip
def test_a_server_is_known_by_the_beginning_of_a_name(name: str, found: Any) -> None:
    assert owner(name, ["my-files", "mail"]) == found


@pytest.mark.parametrize(
    ("given", "sent"),
    [
        ("--a=${SET}", "--a=1"), ("--a=${env:SET}", "--a=1"), ("--b=${UNSET:-词}", "--b=词"), ("${EMPTY:-x}", "x"),
        ("${EMPTY}", ""), ("$${SET}", "${SET}"), ("$$${SET}", "$${SET}"), ("cost $5", "cost $5"),
        ("${UNSET:-${SET}}", "1"), ("${UNSET:-}", ""), ("${SET}-${SET:-2}", "1-1"),
    ],
)  # fmt: skip
def test_a_variable_is_put_in_and_no_mark_of_one_is_ever_sent(
    given: str, sent: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EMPTY", "")
    server = read_server("s", {"command": "run", "args": [given], "env": {"K": given}})
    assert server is not None
    ready = filled(server, {"SET": "1"})
    assert (ready.args, ready.env["K"]) == ((sent,), sent)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"command": "run", "args": "--root ."}, "mcp.servers.s.args: expected a list, got text"),
        ({"command": ["npx", "s"]}, "mcp.servers.s.command: expected text, got a list"),
        ({"command": "run", "args": ["a", None]}, "mcp.servers.s.args[1]: expected text, got nothing"),
        ({"command": "run", "timeout": 0}, "mcp.servers.s.timeout: expected a number > 0"),
        ({"command": "run", "enviroment": {}}, "there is no key 'enviroment' (did you mean 'env'?)"),
        ({"httpUrl": "https://h"}, "there is no key 'httpUrl' (did you mean 'url'?)"),
    ],
)
def test_a_server_written_wrongly_is_told_in_words(given: dict[str, Any], said: str) -> None:
    with pytest.raises(ConfigError) as caught:
        read_server("s", given)
    assert said in str(caught.value)


def test_numbers_among_arguments_and_keys_that_hold_nothing_are_taken() -> None:
    server = read_server("s", {"command": "run", "args": ["--port", 8080], "env": None, "timeout": None})
    assert server is not None
    assert (server.args, server.env) == (("--port", "8080"), {})
    assert read_server("s", {"command": "run", "disabled": "true"}) is None

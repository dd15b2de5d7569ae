"""Provider formats as the core sees them: a plugin brings one, bodies find it, names go out and come back."""

from __future__ import annotations

import json
import re
import struct
import types
from collections.abc import Mapping, Sequence
from typing import Any
from zlib import crc32

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ares_core import (
    Ares,
    Definition,
    Definitions,
    Effects,
    NameRule,
    Result,
    Tool,
    ToolCall,
    Turn,
    UsageError,
    WireError,
    hookimpl,
    streams,
)  # fmt: skip
from ares_core.streams import gathered, parsed
from ares_core.wirenames import wire_names


class Telegram:
    """A provider that sends telegrams: ``{"telegram": "add STOP {…}"}``."""

    def __init__(self, name: str = "telegram") -> None:
        self.name = name
        self.names = NameRule(first="a-z", rest="a-z0-9_", longest=12)

    def recognises(self, part: Mapping[str, Any]) -> bool:
        return "telegram" in part

    def assemble(self, events: Sequence[Mapping[str, Any]]) -> Mapping[str, Any]:
        return {"telegram": "".join(event["telegram"] for event in events)}

    def read(self, body: Mapping[str, Any]) -> Turn:
        name, _, arguments = body["telegram"].partition(" STOP ")
        calls = (ToolCall(name, json.loads(arguments), id="1"),) if arguments else ()
        return Turn(calls, "" if calls else name, "calls" if calls else "final", self.name, body)

    def write(self, turn: Turn, results: Sequence[Result]) -> list[dict[str, Any]]:
        return [dict(turn.native), *({"reply": result.text} for result in results)]

    def definitions(self, tools: Sequence[Definition], choice: str | None, strict: bool) -> Definitions:
        return Definitions([{"wire": tool.name} for tool in tools], {"choice": choice, "strict": strict})


def plugin(*formats: Any, name: str = "post_office") -> types.ModuleType:
    def register_wire_formats() -> list[Any]:
        return list(formats)

    module = types.ModuleType(name)
    vars(module)["register_wire_formats"] = hookimpl(register_wire_formats)
    return module


def echo(name: str, **options: Any) -> Tool:
    quiet = Effects(read_only=True, open_world=False)
    schema = {"type": "object", "properties": {"a": {"type": "integer"}}}
    return Tool(name, "", schema, lambda arguments, context: dict(arguments), effects=quiet, **options)


def test_a_third_party_s_format_reads_runs_and_answers() -> None:
    with Ares(plugins=[plugin(Telegram())]) as ares:
        ares.register(echo("add.up"))
        assert [call.name for call in ares.parse({"telegram": 'add_up STOP {"a": 2}'}, wire="telegram")] == ["add.up"]
        messages = ares.handle_sync([{"telegram": "add_up STOP "}, {"telegram": '{"a": 2}'}])
        assert messages == [{"telegram": 'add_up STOP {"a": 2}'}, {"reply": '{"a":2}'}]


def test_of_two_formats_with_one_name_the_first_counts() -> None:
    other = Telegram()
    other.read = lambda body: Turn(text="other", wire="telegram")  # type: ignore[method-assign]
    with Ares(plugins=[plugin(other), plugin(Telegram(), name="post_office_2")]) as ares:
        assert ares.parse({"telegram": "Hi"}).text == "other"


def test_a_format_that_breaks_on_a_body_fails_the_turn() -> None:
    with Ares(plugins=[plugin(Telegram())]) as ares:
        turn = ares.parse({"telegram": None})
        assert (turn.outcome, turn.wire, len(turn)) == ("failed", "telegram", 0)
        assert ares.handle_sync({"telegram": None}) == []


def test_without_a_format_the_error_says_what_to_install() -> None:
    with Ares(plugins=[]) as ares:
        for wire in (None, "openai-chat"):
            with pytest.raises(WireError, match="ares-plugin-wires"):
                ares.parse({"choices": []}, wire=wire)


def test_a_body_that_nobody_knows_names_its_keys_and_the_formats() -> None:
    with Ares(plugins=[plugin(Telegram())]) as ares, pytest.raises(WireError, match=r"keys letter.*telegram"):
        ares.parse({"letter": 1})


def test_definitions_are_made_once_and_again_when_tools_change() -> None:
    with Ares(plugins=[plugin(Telegram())]) as ares:
        ares.register(echo("b.c"))
        ares.register(echo("a"))
        assert ares.definitions("telegram") == [{"wire": "a"}, {"wire": "b_c"}]
        assert ares.definitions("telegram", "b.c").request == {"choice": "b_c", "strict": False}
        ares.registry.unregister("a")
        assert ares.definitions("telegram") == [{"wire": "b_c"}]
        with pytest.raises(UsageError, match="'a'"):
            ares.definitions("telegram", "a")


def test_a_scope_publishes_and_reads_its_own_tools_only() -> None:
    with Ares(plugins=[plugin(Telegram())]) as ares:
        ares.register(echo("add"))
        ares.register(echo("sub"))
        scope = ares.bind(tools=["add"])
        assert scope.definitions("telegram") == [{"wire": "add"}]
        assert "unknown_tool" in str(scope.call_sync(scope.parse({"telegram": "sub STOP {}"})[0]).error)


def test_an_answer_needs_one_result_for_each_call() -> None:
    with Ares(plugins=[plugin(Telegram())]) as ares, pytest.raises(UsageError, match="1 call,"):
        ares.wires.answer(ares.parse({"telegram": "add STOP {}"}), [])


def test_a_turn_is_a_sequence_of_its_calls() -> None:
    calls = (ToolCall("a"), ToolCall("b"))
    turn = Turn(calls)
    assert isinstance(turn, Sequence)
    assert (list(turn), list(reversed(turn)), turn[1], turn[:1]) == ([*calls], [*calls[::-1]], calls[1], calls[:1])
    assert (calls[0] in turn, turn.index(calls[1]), turn.count(calls[0]), bool(Turn())) == (True, 1, 1, False)


NAMES = st.lists(st.text(st.sampled_from("aB_-. 9é画"), min_size=1, max_size=90), unique=True, max_size=12)
RULES = (NameRule(), NameRule(first="A-Za-z_", rest="A-Za-z0-9_"), NameRule(longest=16))


@given(names=NAMES, rule=st.sampled_from(RULES), data=st.data())
def test_names_on_the_wire_are_legal_different_and_depend_on_nothing_else(
    names: list[str], rule: NameRule, data: st.DataObject
) -> None:
    table = wire_names(dict.fromkeys(names, ()), rule)
    legal = re.compile(f"[{rule.first}][{rule.rest}]{{0,{rule.longest - 1}}}")
    assert all(legal.fullmatch(sent) for sent in table.values())
    assert len(set(table.values())) == len(names)
    assert all(table[name] == name for name in names if legal.fullmatch(name))
    assert wire_names(dict.fromkeys(data.draw(st.permutations(names)), ()), rule) == table


def test_a_name_on_the_wire_may_be_an_alias_of_the_tool_but_of_no_other() -> None:
    assert wire_names({"a.b": ["a_b"], "c": []}, NameRule())["a.b"] == "a_b"
    assert wire_names({"a.b": ["a_b"], "c": ["a_b"]}, NameRule())["a.b"] != "a_b"


@pytest.mark.parametrize("body", [7, None, [1], [None], object()])
def test_what_is_no_body_is_an_error(body: Any) -> None:
    with pytest.raises(WireError):
        gathered(body)


def test_a_body_that_is_too_long_is_refused_while_it_comes_in(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streams, "LONGEST_BODY", 100)

    def endless() -> Any:
        while True:
            yield b"x" * 30

    with pytest.raises(WireError, match="longer than 100"):
        gathered(endless())


@pytest.mark.parametrize(
    ("text", "events"),
    [
        ('data: {"a": 1}\n\ndata: {"a": 2}\n\n', 2),
        (': note\r\n\r\ndata:{"a": 1}\r\rdata: [DONE]', 1),
        ('data: {"a":\ndata: 1}\n\n', 1),
        ('data: {"a": 1}\ndata: {"a": 2}\n\n', 2),
        ('{"a": 1}\n{"a": 2}\n', 2),
        ('[{"a": 1},\n{"a": 2}]', 2),
        ('data: {"a": 1}\n\ndata: {"a"', 1),
        ('data: {"a": 1}\n\ndata: {"a"\n\ndata: {"a": 3}\n\n', 1),
        ('data: {"a": "\u2028\x85"}\n\n', 1),
    ],
)
def test_events_are_found_in_every_framing(text: str, events: int) -> None:
    assert len(parsed(text)) == events


def test_the_name_of_an_event_stands_in_for_a_missing_type() -> None:
    assert parsed('event: ping\ndata: {"a": 1}\n\n') == [{"type": "ping", "a": 1}]


def frame(kind: str, payload: str) -> bytes:
    header = b"\x0b:event-type\x07" + len(kind).to_bytes(2, "big") + kind.encode()
    body = payload.encode()
    prelude = struct.pack(">II", 16 + len(header) + len(body), len(header))
    message = prelude + crc32(prelude).to_bytes(4, "big") + header + body
    return message + crc32(message).to_bytes(4, "big")


def test_amazon_s_binary_streams_are_read_up_to_a_frame_that_is_broken() -> None:
    data = frame("messageStart", '{"role": "assistant"}') + frame("messageStop", '{"stopReason": "é"}')
    both = [{"messageStart": {"role": "assistant"}}, {"messageStop": {"stopReason": "é"}}]
    assert gathered(data) == gathered(data[i : i + 1] for i in range(len(data))) == both
    assert gathered(data[:-1]) == gathered(data[:-1] + b"x") == both[:1]


def test_lines_without_their_ends_are_lines_all_the_same() -> None:
    assert len(parsed(str(gathered(['data: {"a": 1}', "", 'data: {"a": 2}', ""])))) == 2


@pytest.mark.parametrize(
    ("text", "cut"), [('{"text": "{}{}"}', 12), ('data: {"a": 1}', 10), ('data: {"b:": "data:"}', 9)]
)
def test_pieces_of_one_line_are_no_lines(text: str, cut: int) -> None:
    assert gathered([text[:cut], text[cut:]]) == text


def test_a_list_that_is_cut_holds_what_came_whole() -> None:
    assert parsed('[{"a": 1},\n {"a": {}}\n,\n{"a": [') == [{"a": 1}, {"a": {}}]


def test_deep_json_is_no_body() -> None:
    assert isinstance(parsed("[" * 200_000), str)
    assert isinstance(parsed('{"a":' * 200_000), str)

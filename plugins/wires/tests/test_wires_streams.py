"""Streams: cut anywhere, and as servers really send them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import ares_plugin_wires
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ares_core import Ares, Turn


@pytest.fixture(scope="module")
def wires() -> Iterator[Ares]:
    with Ares(plugins=[ares_plugin_wires]) as ares:
        yield ares


def chunk(*fragments: Any, finish: str | None = None, **delta: Any) -> dict[str, Any]:
    said = {**({"tool_calls": list(fragments)} if fragments else {}), **delta}
    return {
        "id": "r",
        "object": "chat.completion.chunk",
        "choices": [{"index": 0, "delta": said, "finish_reason": finish}],
    }


def piece(arguments: Any = None, index: Any = None, id: str | None = None, name: str | None = None) -> dict[str, Any]:
    fragment: dict[str, Any] = {"function": {}}
    fragment |= {} if index is None else {"index": index}
    fragment |= {} if id is None else {"id": id}
    fragment["function"] |= {} if name is None else {"name": name}
    fragment["function"] |= {} if arguments is None else {"arguments": arguments}
    return fragment


END = chunk(finish="tool_calls")


def stream(*pieces: dict[str, Any]) -> list[dict[str, Any]]:
    return [*(chunk(part) for part in pieces), END]


def calls(turn: Turn) -> list[Any]:
    return [(call.id, call.name, call.arguments) for call in turn]


TWO = [("a", "add", {"n": 1}), ("b", "sub", {"n": 2})]


@pytest.mark.parametrize(
    "pieces",
    [
        pytest.param(
            [
                piece("", 0, "a", "add"),
                piece("", 1, "b", "sub"),
                piece('{"n"', 0),
                piece('{"n": ', 1),
                piece(": 1}", 0),
                piece("2}", 1),
            ],
            id="interleaved",
        ),
        pytest.param(
            [piece('{"n":', None, "a", "add"), piece(" 1}"), piece('{"n": 2}', None, "b", "sub")], id="no index"
        ),
        pytest.param([piece('{"n": 1}', 0, "a", "add"), piece('{"n": 2}', 0, "b", "sub")], id="every index 0"),
        pytest.param(
            [piece('{"n"', 0, "a", "add"), piece(": 1}", 0, "a", "add"), piece('{"n": 2}', 1, "b", "sub")],
            id="id and name repeated",
        ),
        pytest.param(
            [piece('{"n"', 0, "a", "add"), piece(": 1}", 0, "z9"), piece('{"n": 2}', 1, "b", "sub")], id="id changed"
        ),
        pytest.param(
            [
                piece(None, 0, "a", "a"),
                piece("", 0, None, "dd"),
                piece('{"n": 1}', 0),
                piece('{"n": 2}', 1, "b", "sub"),
            ],
            id="name in pieces",
        ),
        pytest.param(
            [piece(None, 0, None, "add"), piece('{"n": 1}', 0, "a"), piece('{"n": 2}', 1, "b", "sub")], id="id late"
        ),
        pytest.param(
            [piece('{"n"', 0, "a", "add"), piece('{"n": 1}', 0), piece('{"n": 2}', 1, "b", "sub")], id="growing"
        ),
        pytest.param(
            [piece('{"n"', 0, "a", "add"), piece(": 1}", 0), piece('{"n": 1}', 0), piece('{"n": 2}', 1, "b", "sub")],
            id="all again at the end",
        ),
        pytest.param(
            [piece('{"n"', 0, "a", "add"), piece('{"n": 1}', 0, "z9", "add"), piece('{"n": 2}', 1, "b", "sub")],
            id="growing under new ids",
        ),
        pytest.param([piece({"n": 1}, 0, "a", "add"), piece({"n": 2}, 1, "b", "sub")], id="objects"),
        pytest.param(
            [piece("{}", 0, "a", "add"), piece('{"n"', 0), piece(": 1}", 0), piece('{"n": 2}', 1, "b", "sub")],
            id="an empty object holds the place",
        ),
        pytest.param([piece('{"n": 2}', 1, "b", "sub"), piece('{"n": 1}', 0, "a", "add")], id="out of order"),
        pytest.param([piece('{"n": 1}', "0", "a", "add"), piece('{"n": 2}', "1", "b", "sub")], id="index as text"),
    ],
)
def test_fragments_find_their_call(wires: Ares, pieces: list[dict[str, Any]]) -> None:
    assert calls(wires.parse(stream(*pieces))) == TWO


@pytest.mark.parametrize("index", [None, 0])
def test_calls_of_one_tool_whose_fragments_alternate_are_told_apart_by_their_ids(
    wires: Ares, index: int | None
) -> None:
    turn = wires.parse(
        stream(
            piece('{"n":', index, "a", "add"),
            piece('{"n":', index, "b", "add"),
            piece(" 1}", index, "a"),
            piece(" 2}", index, "b"),
        )
    )
    assert calls(turn) == [("a", "add", {"n": 1}), ("b", "add", {"n": 2})]


def test_calls_without_ids_are_told_apart_by_their_names(wires: Ares) -> None:
    turn = wires.parse(stream(piece('{"n": 1}', 0, None, "add"), piece('{"n": 2}', 0, None, "sub")))
    assert [(call.name, call.arguments) for call in turn] == [("add", {"n": 1}), ("sub", {"n": 2})]


def test_two_calls_of_one_tool_without_arguments_stay_two(wires: Ares) -> None:
    turn = wires.parse(stream(piece("", 0, "a", "now"), piece("", 0, "b", "now")))
    assert calls(turn) == [("a", "now", {}), ("b", "now", {})]


def test_empty_deltas_usage_and_empty_choices_change_nothing(wires: Ares) -> None:
    events = [
        {"choices": []},
        chunk(),
        *stream(piece('{"n": 1}', 0, "a", "add")),
        {"choices": [], "usage": {"total_tokens": 3}},
    ]
    assert calls(wires.parse(events)) == [("a", "add", {"n": 1})]


def test_text_refusal_and_reasoning_are_joined(wires: Ares) -> None:
    events = [
        chunk(content="Good", reasoning_content="I "),
        chunk(content="bye", reasoning_content="think"),
        chunk(finish="stop"),
    ]
    turn = wires.parse(events)
    assert (turn.text, turn.outcome, turn.native["reasoning_content"]) == ("Goodbye", "final", "I think")
    assert wires.parse([chunk(refusal="I "), chunk(refusal="won't"), chunk(finish="stop")]).reason == "I won't"


def test_parts_of_reasoning_go_back_joined_with_their_signature(wires: Ares) -> None:
    def detail(**said: str) -> dict[str, Any]:
        return chunk(reasoning_details=[{"type": "reasoning.text", "index": 0, **said}])

    native = wires.parse(
        [detail(text="a"), detail(text="b"), detail(signature="s"), chunk(content="x", finish="stop")]
    ).native
    assert native["reasoning_details"] == [{"type": "reasoning.text", "index": 0, "text": "ab", "signature": "s"}]


def test_the_old_function_call_is_joined(wires: Ares) -> None:
    events = [
        chunk(function_call={"name": "add", "arguments": '{"n"'}),
        chunk(function_call={"arguments": ": 1}"}),
        END,
    ]
    assert [(call.name, call.arguments) for call in wires.parse(events)] == [("add", {"n": 1})]


def test_the_old_function_call_may_repeat_its_name_or_hold_an_object(wires: Ares) -> None:
    pieces = [chunk(function_call={"name": "add", "arguments": part}) for part in ('{"n"', ": 1}")]
    for events in (pieces, [chunk(function_call={"name": "add", "arguments": {"n": 1}})]):
        turn = wires.parse([*events, chunk(finish="function_call")])
        assert [(call.name, call.arguments) for call in turn] == [("add", {"n": 1})]


def test_free_text_of_a_custom_tool_is_joined(wires: Ares) -> None:
    begun = {"index": 0, "id": "c", "type": "custom", "custom": {"name": "sh", "input": ""}}
    more = [{"index": 0, "custom": {"input": part}} for part in ("ls ", "{a}", " -l")]
    assert calls(wires.parse([chunk(part) for part in (begun, *more)] + [END])) == [("c", "sh", {"input": "ls {a} -l"})]


def test_arguments_that_grow_under_new_ids_are_one_call(wires: Ares) -> None:
    grown = ['{"n"', '{"n": ', '{"n": 1}']
    turn = wires.parse(stream(*(piece(text, 0, f"a{n}", "add") for n, text in enumerate(grown))))
    assert [call.arguments for call in turn] == [{"n": 1}]


def test_a_stream_that_was_cut_off_runs_nothing(wires: Ares) -> None:
    for pieces in ([piece("", 0, "a", "add")], [piece('{"n": 1', 0, "a", "add")]):
        turn = wires.parse([chunk(part) for part in pieces])
        assert turn.outcome == "truncated"
        assert isinstance(turn[0].arguments, str)
    assert wires.parse([chunk(content="Half a sen")]).outcome == "truncated"


def test_an_error_in_the_middle_of_a_stream_fails_the_turn(wires: Ares) -> None:
    turn = wires.parse([chunk(content="Good"), {"error": {"message": "overloaded", "code": 502}}])
    assert (turn.outcome, turn.reason, len(turn)) == ("failed", "overloaded", 0)


def test_a_character_sent_in_two_halves_is_one(wires: Ares) -> None:
    turn = wires.parse([chunk(content="\ud83d"), chunk(content="\ude00"), chunk(finish="stop")])
    assert turn.text == "😀"


SSE = (
    ': keep-alive\r\n\r\nevent: message\ndata: {"choices": [{"index": 0, "delta": {"content": "汉\\u5b57 😀", '
    '"tool_calls": [{"index": 0, "id": "c", "function": {"name": "f", '
    '"arguments": "{\\"t\\": \\"\\u6c49\\\\n字\\"}"}}]}}]}\r\n\r\n'
    'data:{"choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]}\ndata: [DONE]\n\n'
).encode()  # fmt: skip


def is_as_a_whole(turn: Turn) -> bool:
    return calls(turn) == [("c", "f", {"t": "汉\n字"})] and turn.text == "汉字 😀" and turn.outcome == "calls"


@settings(deadline=None)
@given(cuts=st.lists(st.integers(0, len(SSE)), max_size=12))
def test_a_stream_may_be_cut_anywhere(wires: Ares, cuts: list[int]) -> None:
    places = [0, *sorted(cuts), len(SSE)]
    parts = (SSE[start:end] for start, end in pairwise(places))
    assert is_as_a_whole(wires.parse(parts))


def test_a_stream_may_come_byte_by_byte_as_text_or_line_by_line(wires: Ares) -> None:
    assert is_as_a_whole(wires.parse([SSE[i : i + 1] for i in range(len(SSE))]))
    assert is_as_a_whole(wires.parse(SSE.decode()))
    assert is_as_a_whole(wires.parse("\ufeff" + SSE.decode().removeprefix(": keep-alive\r\n\r\n")))
    assert is_as_a_whole(wires.parse(list(SSE.decode().replace("\r", "").split("\n"))))
    assert is_as_a_whole(wires.parse(SSE.replace(b"\r\n", b"\n").replace(b"\n", b"\r")))


@pytest.mark.parametrize("end", range(1, 40, 7))
def test_an_event_cut_off_at_the_end_of_a_stream_is_left_out(wires: Ares, end: int) -> None:
    whole = b"".join(
        b"data: " + json.dumps(event).encode() + b"\n\n" for event in [chunk(content="Hi"), chunk(content=" you")]
    )
    turn = wires.parse(whole[:-end] if end > 2 else whole)
    assert turn.text.startswith("Hi")
    assert turn.outcome == "truncated"


NAMES = st.sampled_from(["add", "sub", "list_files"])
ARGUMENTS = st.dictionaries(st.text(max_size=4), st.text(max_size=8) | st.integers() | st.booleans(), max_size=3)


@settings(deadline=None)
@given(said=st.lists(st.tuples(NAMES, ARGUMENTS), min_size=1, max_size=4), data=st.data())
def test_whatever_the_fragments_the_calls_are_those_of_the_body(
    wires: Ares, said: list[Any], data: st.DataObject
) -> None:
    queues: list[list[dict[str, Any]]] = []
    for place, (name, arguments) in enumerate(said):
        text = json.dumps(arguments)
        cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=3)))
        bounds = [0, *cuts, len(text)]
        queue = [piece("", place, f"c{place}", name)]
        queue += [piece(text[start:end], place) for start, end in pairwise(bounds)]
        queues.append(queue)
    order = data.draw(st.permutations([place for place, queue in enumerate(queues) for _ in queue]))
    events = stream(*(queues[place].pop(0) for place in order))
    assert calls(wires.parse(events)) == [(f"c{place}", *call) for place, call in enumerate(said)]

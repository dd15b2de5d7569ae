"""Argument text: strict first, repair second, one reading or none, and nothing added to what was cut off."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ares_core import Ares, ToolFunc, decode
from ares_core.errors import DecodeError

VALUE = {"path": "/tmp/a.txt", "limit": 3, "tags": ["x", "y"]}
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)
json_objects = st.dictionaries(st.text(), json_values, max_size=5)
odd_text = st.text("{}[]\":,'\\ \n/*#=ab1.-“”：，`()<>|tfn&;e+x", max_size=40)
odd_objects = st.dictionaries(odd_text, st.recursive(odd_text, lambda inner: st.lists(inner, max_size=3)), max_size=4)


def code_of(text: str) -> str:
    with pytest.raises(DecodeError) as refusal:
        decode(text)
    return refusal.value.code


@given(json_objects, st.booleans(), st.sampled_from([None, 1]))
def test_valid_json_is_taken_as_it_stands(value: Any, ascii_only: Any, indent: Any) -> None:
    text = json.dumps(value, ensure_ascii=ascii_only, indent=indent)
    decoded, edits = decode(text)
    assert repr(decoded) == repr(value)
    assert edits == ()


@given(odd_text | st.text() | st.builds('{{"a":{}'.format, odd_text) | st.builds("{{'a': '{}".format, odd_text))
def test_any_text_gives_json_or_a_refusal(text: str) -> None:
    try:
        value, _ = decode(text)
    except DecodeError as refusal:
        assert refusal.code in {"malformed_arguments", "truncated_arguments"}
    else:
        json.dumps(value, allow_nan=False).encode()


@given(json_objects | odd_objects, st.data(), st.sampled_from([None, 1]))
def test_what_was_cut_off_is_never_completed(value: Any, data: st.DataObject, indent: Any) -> None:
    text = json.dumps(value, ensure_ascii=False, indent=indent)
    cut = text[: data.draw(st.integers(1, len(text) - 1))]
    assert code_of(cut) == "truncated_arguments"


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"path": "/tmp/a.txt", "limit": 3, "tags": ["x", "y",],}', VALUE),
        ("{'path': '/tmp/a.txt', 'limit': 3, 'tags': ['x', 'y']}", VALUE),
        ('{path: "/tmp/a.txt", limit: 3, tags: ["x", "y"]}', VALUE),
        ("{'ok': True, 'no': False, 'none': None, 'xy': (1, 2), 'one': (3,)}",
         {"ok": True, "no": False, "none": None, "xy": [1, 2], "one": [3]}),
        ("{'name': 'O\\'Hara \"Jr\"', 'tab': 'a\\tb', 'hex': '\\x41'}",
         {"name": 'O\'Hara "Jr"', "tab": "a\tb", "hex": "A"}),
        ("{'text': 'it's Ann's best'}", {"text": "it's Ann's best"}),
        ('```json\n{"a": 1, "b": [1, 2,],}\n```}', {"a": 1, "b": [1, 2]}),
        (f"Sure! Here are the arguments: {json.dumps(VALUE)} Let me know.", VALUE),
        (f"<|tool_call|>{json.dumps(VALUE)}<|im_end|>", VALUE),
        (f"<tool_call>\n{json.dumps(VALUE)}\n</tool_call>", VALUE),
        (f"\ufeff{json.dumps(VALUE)}", VALUE),
        (json.dumps(VALUE) * 2, VALUE),
        ("{}" + json.dumps(VALUE), VALUE),
        (json.dumps(VALUE) + "}}", VALUE),
        (json.dumps(json.dumps(VALUE)), VALUE),
        (json.dumps(json.dumps(json.dumps(VALUE))), VALUE),
        (json.dumps(VALUE).replace('"', '\\"'), VALUE),
        (json.dumps(VALUE).replace('"', "&quot;"), VALUE),
        ('{"text": "line one\nline two\tend"}', {"text": "line one\nline two\tend"}),
        ('{"text": "he said "hello" to me", "n": 1}', {"text": 'he said "hello" to me', "n": 1}),
        ('{"html": "<a href="x.html">hi</a>"}', {"html": '<a href="x.html">hi</a>'}),
        ('{"path": "C:\\work\\data.txt"}', {"path": "C:\\work\\data.txt"}),
        ('{"a": "C:\\work", "b": "C:\\new\\table"}', {"a": "C:\\work", "b": "C:\\new\\table"}),
        ('{"share": "\\\\server\\docs"}', {"share": "\\\\server\\docs"}),
        ('{"pattern": "\\d+\\.\\w"}', {"pattern": "\\d+\\.\\w"}),
        ('{"a": "it\\\'s"}', {"a": "it's"}),
        ('{"a": 1, // one\n "b": 2 /* two */, # three\n "c": 3}', {"a": 1, "b": 2, "c": 3}),
        ('{"a": "x"\n"b": 2 "c": [1 2]}', {"a": "x", "b": 2, "c": [1, 2]}),
        ("{“a”: “x”, “b”: [“y”]}", {"a": "x", "b": ["y"]}),
        ('{"a"："x"，"b"：1}', {"a": "x", "b": 1}),
        ('{"a": 0x1F, "b": +5, "c": .5, "d": 5.}', {"a": 31, "b": 5, "c": 0.5, "d": 5.0}),
        ('{"a" = 1, "b" => 2}', {"a": 1, "b": 2}),
        ('{"mode": fast, "limit": 3}', {"mode": "fast", "limit": 3}),
        ('{"a": """x "y" z""", "b": `c`}', {"a": 'x "y" z', "b": "c"}),
        ('{"a": 1,, "b": 2}', {"a": 1, "b": 2}),
    ],
)  # fmt: skip
def test_text_with_one_reading_is_repaired(text: str, value: Any) -> None:
    decoded, edits = decode(text)
    assert decoded == value
    assert edits
    assert all(edit.pointer == "" and edit.rule for edit in edits)


@pytest.mark.parametrize(
    "text",
    [
        "{\"text\": \"it's Ann's 'best' day\"}",
        '{"path": "C:\\bin\\new\\table.txt"}',
        '{"body": "{\'a\': True,}"}',
        '{"tags": "[\\"x\\"]", "url": "http://x/?a=\\"b\\": c"}',
        '{"word": "True, None // no comment"}',
    ],
)
def test_valid_text_that_looks_broken_is_not_touched(text: str) -> None:
    assert decode(text) == (json.loads(text), ())


@pytest.mark.parametrize(
    "text",
    [
        "hello", "null null", '{"a": 1}{"a": 2}', '{"a": 1}, "b": 2}', '"a": 1, "opts": {"b": 2}',
        'path: /tmp\nopts: {"a": 1}', '{"a": 1} and "b": 2', '{"a": [1, 2}', '{"a": 1]', '{"a": [1,,2]}',
        '{"a": very fast}', '{"n": 007}', '{"n": 1_000}', '{"n": 1,000}', '{"d": 2026-01-31}', '{"a": (1)}',
        '{"a": f(1)}', '{"a": tru}', '{"a": "b"c"}', '{"a": "x", "b" 3, "c": "y"}', '{"a": "say "x", then", "b": 1}',
        '{"a": "\\ud83d"}', '{"a": "x\ud800"}', '{"k\ney": 1}', '{"a": "C:\\\\one\\two\\work"}', "{1, 2}", "...",
    ],
)  # fmt: skip
def test_text_with_no_reading_or_two_is_refused(text: str) -> None:
    assert code_of(text) == "malformed_arguments"


@pytest.mark.parametrize("word", ["NaN", "Infinity", "-Infinity", "1e400", "nan"])
def test_what_is_no_number_is_refused_by_name_and_key(word: str) -> None:
    with pytest.raises(DecodeError, match=f"{word} .*for 'x'") as refusal:
        decode(f'{{"x": {word}}}')
    assert refusal.value.code == "malformed_arguments"


@pytest.mark.parametrize(
    "text",
    [
        '{"path": "report.md", "content": "# Ti',
        '{"a": 1',
        '{"a": [1, 2',
        '{"a":',
        '{"a"',
        "{",
        "{'a': 'b",
        '```json\n{"a": 1',
        'Sure: {"a": "x',
        '{"a": tru',
        '{"a": 1.',
        '{"a": "\\',
        '{"a": 1 /* why',
        json.dumps('{"a": 1'),
    ],
)
def test_text_that_ends_in_the_middle_is_refused_as_cut_off(text: str) -> None:
    assert code_of(text) == "truncated_arguments"


@pytest.mark.parametrize("text", ['{"a" 1}', '{"a" "b"}', '{"a"}', '{"a", "b"}', '{"a": 1, "路径" "b"} ', "{'a' 1}"])
def test_a_whole_object_whose_colon_is_missing_is_not_called_cut_off(text: str) -> None:
    assert code_of(text) == "malformed_arguments"


def test_cut_off_text_never_runs(ares: Ares) -> None:
    ran = []
    ares.register(ToolFunc(name="write", description="", parameters={}, fn=lambda **arguments: ran.append(arguments)))
    result = ares.call_sync("write", '{"path": "report.md", "content": "# Ti')
    assert result.error is not None
    assert result.error.code == "truncated_arguments"
    assert not ran


@pytest.mark.parametrize("nothing", [None, "", "  \n", "null", "\ufeff", "{}", b"{}"])
def test_nothing_is_no_arguments(nothing: Any) -> None:
    assert decode(nothing) == ({}, ())


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ('{{"a": {"b": "x"}}}', "double braces"),
        ('{{{"a": {"b": "x"}}}}', "double braces"),
        ('{<|"|>a<|"|>: {"b": <|"|>x<|"|>}}', "a template's quotes"),
    ],
)
def test_what_a_template_left_is_taken_out(text: str, rule: str) -> None:
    value, edits = decode(text)
    assert value == {"a": {"b": "x"}}
    assert [edit.rule for edit in edits] == [rule]
    assert code_of(text[:-4]) in ("truncated_arguments", "malformed_arguments")


@pytest.mark.parametrize("said", ["None", " undefined\n", '"null"', '"None"'])
def test_a_text_that_says_nothing_is_no_arguments(said: str) -> None:
    value, edits = decode(said)
    assert value == {}
    assert said.startswith('"') or [edit.rule for edit in edits] == ["no arguments"]


@pytest.mark.parametrize("text", ['"hello"', "5", "true", "[1, 2]", '[{"a": 1}]'])
def test_any_other_json_value_is_left_to_the_schema(text: str) -> None:
    assert decode(text) == (json.loads(text), ())


def test_what_is_decoded_already_is_given_back() -> None:
    arguments = {"a": 1}
    assert decode(arguments)[0] is arguments


@pytest.mark.parametrize(
    "text", ['{"a": 1, "a": 1}', '{"a" : 1, "a": 1}', '{"b": {"a": [1], "a": [1]}}', "{'a': 1, 'a': 1}"]
)
def test_a_key_that_comes_twice_with_one_value_is_an_edit(text: str) -> None:
    assert "same key twice" in [edit.rule for edit in decode(text)[1]]


@pytest.mark.parametrize(
    "text",
    ['{"key": 1, "key": 2}', '{"key" : 1, "key": true}', '{"b": [{"key": 1, "key": 1.0}]}', "{'key': 1, 'key': 2}"],
)
def test_a_key_that_comes_twice_with_two_values_is_refused(text: str) -> None:
    with pytest.raises(DecodeError, match="'key' comes twice") as refusal:
        decode(text)
    assert refusal.value.code == "malformed_arguments"


@pytest.mark.parametrize("number", ["9007199254740993", "-0", "1E5", "123456789012345678901234567890", "0.1", "1e-400"])
def test_numbers_are_read_exactly(number: str) -> None:
    assert repr(decode(f"[{number}]")[0]) == repr(json.loads(f"[{number}]"))


def test_depth_is_bounded() -> None:
    assert decode('{"a":' * 127 + "1" + "}" * 127)[1] == ()
    assert code_of('{"a":' * 129 + "1" + "}" * 129) == "malformed_arguments"
    assert code_of('{"a":' * 5_000 + "1" + "}" * 5_000) == "malformed_arguments"


@pytest.mark.parametrize(
    "text",
    [
        "{" * 20_000,
        "[" * 100_000,
        '{"a":' * 20_000,
        '"' * 100_000,
        '{"a": "' + "\\" * 50_000,
        "{'a': '" + "\\" * 50_001,
        "{" + " " * 100_000,
        '{"a": "' + '" ' * 100_000,
        '{"a": "' + '", ' * 80_000,
        '{"a": "' + '" /* ' * 40_000,
        '{"a": "' + '" //x\n' * 40_000,
        "{}" + "}" * 200_000,
        "{}" * 100_000,
        "{" + "/*x*/" * 40_000,
        "x " * 100_000 + "{",
        "a: \n" * 60_000 + "{}",
        "<|x|>" * 40_000,
        "{'a': " + "1" * 200_000,
        '{"a": "' + "\\ud800" * 30_000 + '"}',
        "{'a':1," * 30_000,
        "{" + "'a':1," * 30_000 + "}",
    ],
)
def test_hostile_text_is_refused_in_linear_time(text: str) -> None:
    start = time.process_time()
    try:
        decode(text)
    except DecodeError:
        pass
    assert time.process_time() - start < 15


def test_text_that_is_too_long_is_not_repaired() -> None:
    assert code_of("{'a': '" + "x" * 300_000 + "'}") == "malformed_arguments"
    assert decode(json.dumps({"a": "x" * 300_000}))[1] == ()

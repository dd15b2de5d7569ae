from __future__ import annotations

import json
import re
from typing import Any

import ares_plugin_regex
import pytest
from ares_plugin_regex import replacing
from hypothesis import given
from hypothesis import strategies as st

from ares_core import ToolError
from ares_core.testing import check_plugin


@pytest.fixture
def call(ares: Any) -> Any:
    ares.add(ares_plugin_regex)
    return lambda **arguments: ares.call_sync("regex", arguments)


def test_the_plugin_stands_what_every_plugin_should() -> None:
    check_plugin("ares_plugin_regex")


def test_match_tells_where_and_what(call: Any) -> None:
    result = call(operation="match", pattern="an", text="banana")
    assert result.data["matches"] == [{"match": "an", "start": 1, "end": 3}, {"match": "an", "start": 3, "end": 5}]
    assert (result.data["matched"], result.data["count"]) == (True, 2)
    assert result.text == '2 matches:\n1-3: "an"\n3-5: "an"'


def test_no_match_is_an_answer(call: Any) -> None:
    result = call(operation="match", pattern="x", text="banana")
    assert (result.success, result.data["matched"], result.data["count"]) == (True, False, 0)
    assert result.text == "No match."


def test_the_empty_text_can_be_looked_at(call: Any) -> None:
    assert call(operation="match", pattern="^$", text="").data["count"] == 1


@pytest.mark.parametrize("text", ["日本 2024 年", "a😀b2024", "é2024é2025"])
def test_positions_are_counted_in_characters(call: Any, text: str) -> None:
    for found in call(operation="match", pattern=r"\d+", text=text).data["matches"]:
        assert text[found["start"] : found["end"]] == found["match"] != ""


def test_extract_gives_the_values(call: Any) -> None:
    assert call(operation="extract", pattern=r"\d+", text="7 and 42").data["values"] == ["7", "42"]
    assert call(operation="extract", pattern=r"(\w+)@", text="a@x b@y").data["values"] == ["a", "b"]
    assert call(operation="extract", pattern=r"(\w)=(\w)?", text="a=1 b=").data["values"] == [["a", "1"], ["b", None]]


@pytest.mark.parametrize("form", ["(?P<year>", "(?<year>"])
def test_named_groups_are_given_by_name(call: Any, form: str) -> None:
    result = call(operation="extract", pattern=rf"{form}\d{{4}})-(?P<month>\d\d)", text="2024-05")
    assert result.data["values"] == [{"year": "2024", "month": "05"}]
    assert result.data["matches"][0]["named"]["year"] == "2024"


def test_the_names_of_other_dialects_are_understood(call: Any) -> None:
    assert call(operation="search", pattern="a", text="a").data["operation"] == "match"
    assert call(operation="findall", pattern="a", text="a").data["values"] == ["a"]


@pytest.mark.parametrize("flags", ["i", ["i"], ["IGNORECASE"], "re.I", "gi", ["i", "g", "u"], "i, g", '["i"]', "I|M"])
def test_flags_in_any_spelling(call: Any, flags: Any) -> None:
    assert call(operation="extract", pattern="ab+c", text="ABBC abc", flags=flags).data["values"] == ["ABBC", "abc"]


def test_m_is_every_line_and_s_every_character(call: Any) -> None:
    text = "one\ntwo"
    assert call(operation="extract", pattern=r"^\w+$", text=text).data["count"] == 0
    assert call(operation="extract", pattern=r"^\w+$", text=text, flags="m").data["values"] == ["one", "two"]
    assert call(operation="extract", pattern="e.t", text=text, flags=["s"]).data["values"] == ["e\nt"]


@pytest.mark.parametrize("flags", ["iq", "x", ["verbose"], ["i", "-"]])
def test_an_unknown_flag_is_named(call: Any, flags: Any) -> None:
    result = call(operation="match", pattern="a", text="a", flags=flags)
    assert "there is no flag" in result.error.message
    assert result.error.blame == "input"


def test_replace_puts_groups_where_they_are_wanted(call: Any) -> None:
    swap = call(operation="replace", pattern=r"(\w+) (?P<last>\w+)", text="hello world", replacement=r"\g<last> \1")
    assert (swap.data["output"], swap.data["count"]) == ("world hello", 1)
    assert swap.text == "1 replacement:\nworld hello"
    assert call(operation="replace", pattern="a", text="cat", replacement=r"[\g<0>]").data["output"] == "c[a]t"


def test_replace_with_nothing_takes_away(call: Any) -> None:
    assert call(operation="replace", pattern="a", text="banana", replacement="").data["output"] == "bnn"


def test_replace_may_stop_after_some(call: Any) -> None:
    result = call(operation="replace", pattern="a", text="banana", replacement="o", max_results=2)
    assert (result.data["output"], result.data["count"]) == ("bonona", 2)


def test_replace_without_a_match_leaves_the_text(call: Any) -> None:
    result = call(operation="replace", pattern="x", text="banana", replacement="y")
    assert result.text == "No match; the text is as it was:\nbanana"


@pytest.mark.parametrize("replacement", ["$2 $1", "${2}", "$&", "$0", "$last", "$<last>", "${last}"])
def test_a_group_in_another_dialect_is_not_guessed_at(call: Any, replacement: str) -> None:
    result = call(operation="replace", pattern=r"(\w+) (?P<last>\w+)", text="hello world", replacement=replacement)
    assert "nothing was replaced" in result.error.message
    assert r"\g<" in result.text


@pytest.mark.parametrize(("replacement", "output"), [("$5", "$5"), (r"\$1", "$1"), ("$ 1", "$ 1"), ("a$", "a$")])
def test_a_dollar_sign_that_is_no_group_stays(call: Any, replacement: str, output: str) -> None:
    assert call(operation="replace", pattern="(x)", text="x", replacement=replacement).data["output"] == output


@pytest.mark.parametrize(
    ("replacement", "reason"),
    [
        (r"\g<1>0\2", "group '2'"),
        (r"\g<who>", "group 'who'"),
        (r"\q", "unknown escape"),
        (r"\0", r"\g<0>"),
        ("\\", "escape"),
    ],
)
def test_a_group_or_escape_that_is_not_there_is_refused(call: Any, replacement: str, reason: str) -> None:
    assert reason in call(operation="replace", pattern="(a)", text="a", replacement=replacement).text


def test_replace_needs_a_replacement_and_others_take_none(call: Any) -> None:
    assert call(operation="replace", pattern="a", text="a").error.code == "invalid_arguments"
    assert "takes no replacement" in call(operation="match", pattern="a", text="a", replacement="b").text


def test_split_gives_the_parts_between(call: Any) -> None:
    assert call(operation="split", pattern=r"\s*[,;]\s*", text="a , b;c,").data["parts"] == ["a", "b", "c", ""]
    assert call(operation="split", pattern=",", text="abc").data["parts"] == ["abc"]


def test_the_result_limit_is_told_when_it_is_reached(call: Any) -> None:
    result = call(operation="match", pattern="a.", text="ab" * 500, max_results=3)
    assert (len(result.data["matches"]), result.data["count"], result.data["truncated"]) == (3, 500, True)
    assert "497 more are not listed" in result.text
    parts = call(operation="split", pattern="b", text="ab" * 500, max_results=3)
    assert (parts.data["parts"], parts.data["count"], parts.data["truncated"]) == (["a"] * 3, 501, True)


def test_a_hundred_matches_are_listed_if_nothing_is_said(call: Any) -> None:
    assert len(call(operation="extract", pattern="ab", text="ab" * 500).data["values"]) == 100


@pytest.mark.parametrize("pattern", [".", "a", "[a-c]", r"\w"])
def test_millions_of_single_characters_are_counted(call: Any, pattern: str) -> None:
    result = call(operation="findall", pattern=pattern, text="a" * 3_000_000, max_results=2)
    assert (result.data["values"], result.data["count"], result.data["complete"]) == (["a", "a"], 3_000_000, True)


def test_counting_ends_at_a_limit_and_says_so(call: Any) -> None:
    result = call(operation="match", pattern="ab", text="ab" * 400_000, max_results=1)
    assert not result.data["complete"]
    assert result.text.startswith("at least ")
    assert "Counting stopped" in result.text


@pytest.mark.parametrize(
    ("pattern", "reason"),
    [
        ("[a-", "not closed, '[a-' at character 0"),
        (r"ab\([(](c", "not closed, '(' at character 7"),
        ("a)", "')' at character 1"),
        ("*a", "nothing to repeat, '*' at character 0"),
        ("a**", "one repetition after another"),
        ("a{5,2}", "'{5,2}' at character 1"),
        ("a{1001}", "too large"),
        ("[z-a]", "'z-a' at character 1"),
        ("\\", "backslash stands at the end"),
        (r"\p{Klingon}", r"\p{Klingon}"),
        ("(?P<>a)", "no proper name"),
        ("(?P<a>x)(?P<a>y)", "two groups are named 'a'"),
        ("(a)" * 101, "101 groups"),
    ],
)  # fmt: skip
def test_a_pattern_that_is_none_is_refused_with_place_and_reason(call: Any, pattern: str, reason: str) -> None:
    result = call(operation="match", pattern=pattern, text="a")
    assert reason in result.error.message.replace("\\\\", "\\")
    assert "nothing was matched" in result.error.message


@pytest.mark.parametrize(
    ("pattern", "name"),
    [
        ("a(?=b)", "look-around"),
        ("(?<!a)b", "look-around"),
        (r"(a)\1", "back reference"),
        (r"(?P<n>a)(?P=n)", "back reference"),
        (r"(?<n>a)\k<n>", "back reference"),
        ("a++", "possessive"),
        ("(?>a+)b", "atomic"),
        (r"\((?R)*\)", "recursion"),
        ("(a)(?(1)b|c)", "condition"),
        ("a(?#why)b", "comment"),
        ("(?x) a b", "flag x"),
        (r"end\Z", r"write \z"),
        (r"\h+", r"write [ \t]"),
        (r"\C", "half of a character"),
        (r"\ud83d", "half of a character"),
    ],
)
def test_what_linear_matching_cannot_express_is_refused_with_a_way_out(call: Any, pattern: str, name: str) -> None:
    result = call(operation="match", pattern=pattern, text="a")
    assert (result.success, result.error.blame) == (False, "input")
    assert name in result.text


@pytest.mark.parametrize(
    ("pattern", "text", "found"),
    [
        (r"[\u4e00-\u9fff]+", "ab汉字", "汉字"),
        (r"\u{1F600}", "a😀", "😀"),
        (r"\ud83d\ude00", "a😀", "😀"),
        (r"\p{Han}", "x汉", "汉"),
        (r"\p{L}+", "día", "día"),
        (r"\Q\u0041.\E", r"x\u0041.", r"\u0041."),
    ],
)
def test_characters_may_be_written_by_their_code(call: Any, pattern: str, text: str, found: str) -> None:
    assert call(operation="extract", pattern=pattern, text=text).data["values"] == [found]


@given(
    st.text(alphabet="ab汉é\n😀", max_size=30), st.sampled_from(["b*", "a|", r"\b", "(?m)^", "(?m)$", "é?", "ab?", "."])
)
def test_matches_are_those_of_python_where_both_agree_on_the_dialect(text: str, pattern: str) -> None:
    from ares_plugin_regex.operations import run

    if pattern == r"\b" and not text.isascii():
        text = "".join(character for character in text if character.isascii())
    ours = run({"operation": "match", "pattern": pattern, "text": text})["matches"]
    assert [(one["start"], one["end"]) for one in ours] == [match.span() for match in re.finditer(pattern, text)]


@given(st.text(alphabet=r"a\\g<1>0$&{}", max_size=20))
def test_a_replacement_is_read_or_refused(template: str) -> None:
    try:
        parts = replacing.parts_of(template, 1, {})
    except ToolError as error:
        assert error.hint
    else:
        assert all(part in (0, 1) or isinstance(part, bytes) for part in parts)


@given(st.text(max_size=40))
def test_a_replacement_without_signs_is_taken_as_it_stands(template: str) -> None:
    plain = template.replace("\\", "").replace("$", "")
    assert replacing.parts_of(plain, 3, {}) == ([plain.encode()] if plain else [])


@pytest.mark.parametrize(
    "arguments",
    [
        {},
        {"operation": "match", "pattern": "a"},
        {"operation": "match", "text": "a"},
        {"pattern": "a", "text": "a"},
        {"operation": "explode", "pattern": "a", "text": "a"},
        {"operation": "match", "pattern": "", "text": "a"},
        {"operation": "match", "pattern": "a" * 4_001, "text": "a"},
        {"operation": "match", "pattern": "a", "text": "a" * 5_000_001},
        {"operation": "match", "pattern": "a", "text": ["a"]},
        {"operation": "match", "pattern": None, "text": "a"},
        {"operation": "match", "pattern": "a", "text": "a", "max_results": 0},
        {"operation": "match", "pattern": "a", "text": "a", "max_results": 10_001},
        {"operation": "match", "pattern": "a", "text": "a", "flags": {"i": True}},
        {"operation": "match", "pattern": "a", "text": "a", "flags": ["i"] * 11},
        {"operation": "match", "pattern": "a", "text": "a", "engine": "re"},
    ],
)
def test_wrong_arguments_are_refused_before_anything_runs(call: Any, arguments: dict[str, Any]) -> None:
    result = call(**arguments)
    assert result.error.code == "invalid_arguments"
    assert "Not executed" in result.text


@pytest.mark.parametrize(
    ("pattern", "text", "said"),
    [
        (r"\w+", "été", r"[\p{L}\p{N}_]"),
        (r"\d", "٣", r"\p{Nd}"),
        (r"\s", "a\u00a0b", r"[\s\p{Z}]"),
        (r"\d+", "价格100元", ""),
        (r"\\w", "é", ""),
        (r"\w", "plain", ""),
    ],
)
def test_a_class_that_passes_over_other_scripts_says_so(call: Any, pattern: str, text: str, said: str) -> None:
    notes = call(operation="match", pattern=pattern, text=text).data.get("notes", [])
    assert bool(notes) == bool(said)
    assert said in "".join(notes)


def test_a_repetition_that_is_too_large_is_told(call: Any) -> None:
    assert "at most 1,000" in call(operation="match", pattern="a{1000000000}", text="a").text


@pytest.mark.parametrize("where", ["pattern", "text", "replacement"])
def test_half_a_character_is_refused(call: Any, where: str) -> None:
    result = call(**{"operation": "replace", "pattern": "a", "text": "a", "replacement": "b", where: "\ud800"})
    assert not result.success
    assert json.dumps(result.error.message)

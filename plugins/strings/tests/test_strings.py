from __future__ import annotations

from typing import Any

import ares_plugin_strings
import pytest
from ares_plugin_strings.graphemes import clusters, count
from hypothesis import given
from hypothesis import strategies as st

FAMILY = "\U0001f468\u200d\U0001f469\u200d\U0001f467"
FRANCE, GERMANY = "\U0001f1eb\U0001f1f7", "\U0001f1e9\U0001f1ea"
THUMB = "\U0001f44d\U0001f3fd"
E_ACUTE = "e\u0301"
MIXED = st.text(st.sampled_from(["a", " ", "\r", "\n", "\u0301", "\u200d", "\U0001f468", *FRANCE, "汉", "\u1100"]))


@pytest.fixture
def call(ares: Any) -> Any:
    ares.add(ares_plugin_strings)
    return lambda **arguments: ares.call_sync("string_utils", arguments)


@pytest.fixture
def output(call: Any) -> Any:
    return lambda **arguments: call(**arguments).data["output"]


@pytest.mark.parametrize(
    ("operation", "text", "expected"),
    [
        ("upper", "hello world", "HELLO WORLD"),
        ("upper", "straße", "STRASSE"),
        ("upper", "i", "I"),
        ("lower", "ÀÉ", "àé"),
        ("lower", "ΟΔΟΣ", "οδος"),
        ("capitalize", "hELLO World", "Hello world"),
        ("title", "they're bill's friends-of (the) 3rd", "They're Bill's Friends-Of (The) 3rd"),
        ("title", f"caf{E_ACUTE}s ok", f"Caf{E_ACUTE}s Ok"),
        ("trim", "  a b\n", "a b"),
        ("upper", "", ""),
    ],
)
def test_changing_case_and_trimming(output: Any, operation: str, text: str, expected: str) -> None:
    assert output(operation=operation, input=text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"caf{E_ACUTE}", f"{E_ACUTE}fac"),
        (f"{FAMILY}x", f"x{FAMILY}"),
        (FRANCE + GERMANY, GERMANY + FRANCE),
        ("a\r\nb", "b\r\na"),
        ("汉字", "字汉"),
        ("", ""),
    ],
)
def test_reverse_keeps_each_character_whole(output: Any, text: str, expected: str) -> None:
    assert output(operation="reverse", input=text) == expected


def test_length_states_all_three_units(call: Any) -> None:
    result = call(operation="length", input=FAMILY)
    assert (result.data["output"], result.data["unit"]) == (1, "graphemes")
    assert (result.data["code_points"], result.data["bytes"]) == (5, 18)
    assert result.text == "1 grapheme (5 code points, 18 bytes in UTF-8)"


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ({"start": 1, "end": 3}, f"{THUMB}b"),
        ({"start": 1, "length": 2}, f"{THUMB}b"),
        ({"end": 2}, f"a{THUMB}"),
        ({"start": 3}, ""),
        ({}, f"a{THUMB}b"),
    ],
)
def test_substring_counts_characters(output: Any, arguments: dict[str, int], expected: str) -> None:
    assert output(operation="substring", input=f"a{THUMB}b", **arguments) == expected


@pytest.mark.parametrize("arguments", [{"end": 6}, {"start": 6}, {"start": 3, "end": 2}, {"start": 4, "length": 2}])
def test_a_substring_beyond_the_text_is_told_the_length(call: Any, arguments: dict[str, int]) -> None:
    result = call(operation="substring", input="hello", **arguments)
    assert not result.success
    assert "5 characters long" in result.error.message


def test_end_and_length_must_agree(call: Any) -> None:
    assert not call(operation="substring", input="hello", end=2, length=4).success


@pytest.mark.parametrize(
    ("text", "length", "suffix", "expected"),
    [
        (f"ab{THUMB}cd", 3, "", f"ab{THUMB}"),
        (f"ab{THUMB}cd", 3, "…", "ab…"),
        ("abc", 3, "…", "abc"),
        ("abc", 0, "", ""),
    ],
)
def test_truncate_never_leaves_half_a_character(
    output: Any, text: str, length: int, suffix: str, expected: str
) -> None:
    assert output(operation="truncate", input=text, length=length, suffix=suffix) == expected


def test_truncate_refuses_a_suffix_that_does_not_fit(call: Any) -> None:
    assert "suffix" in call(operation="truncate", input="abcdef", length=2, suffix="...").error.message


def test_split_trims_its_parts(call: Any) -> None:
    result = call(operation="split", input="a, b ,c")
    assert (result.data["output"], result.data["count"]) == (["a", "b", "c"], 3)
    assert result.text == "3 parts:\na\nb\nc"


def test_split_by_nothing_gives_the_characters(output: Any) -> None:
    assert output(operation="split", input=f"a{FAMILY}", delimiter="") == ["a", FAMILY]


@pytest.mark.parametrize("items", [["a", "b", "c"], "a, b ,c", '["a","b","c"]', ' ["a", "b", "c"]'])
def test_join_takes_a_list_or_a_text_of_one(output: Any, items: Any) -> None:
    assert output(operation="join", join_items=items, delimiter="-") == "a-b-c"


def test_join_without_items_is_refused_by_name(call: Any) -> None:
    result = call(operation="join", input="a")
    assert result.error.code == "invalid_arguments"
    assert "/join_items" in result.text


def test_replace_takes_text_literally_and_counts(call: Any) -> None:
    result = call(operation="replace", input="a.b.c", old=".", new="\\1")
    assert (result.data["output"], result.data["replacements"]) == ("a\\1b\\1c", 2)


def test_replace_with_nothing_deletes(output: Any) -> None:
    assert output(operation="replace", input="a.b", old=".") == "ab"


@pytest.mark.parametrize("arguments", [{}, {"old": ""}])
def test_replace_needs_something_to_look_for(call: Any, arguments: dict[str, str]) -> None:
    assert "'old'" in call(operation="replace", input="abc", **arguments).error.message


@pytest.mark.parametrize(
    ("operation", "search", "expected", "words"),
    [("contains", "ell", True, "yes"), ("starts_with", "ell", False, "no"), ("ends_with", "llo", True, "yes")],
)
def test_searching(call: Any, operation: str, search: str, expected: bool, words: str) -> None:
    result = call(operation=operation, input="hello", search=search)
    assert result.data["output"] is expected
    assert result.text == words


@pytest.mark.parametrize(
    ("arguments", "number", "text"),
    [
        ({"unit": "words"}, 3, "3 words"),
        ({}, 3, "3 words"),
        ({"unit": "lines"}, 2, "2 lines"),
        ({"unit": "characters"}, 14, "14 characters"),
        ({"search": "t"}, 2, "2 occurrences"),
        ({"search": "three"}, 1, "1 occurrence"),
    ],
)
def test_counting(call: Any, arguments: dict[str, str], number: int, text: str) -> None:
    result = call(operation="count", input="one two\nthree" + E_ACUTE, **arguments)
    assert (result.data["output"], result.text) == (number, text)


@pytest.mark.parametrize(
    ("side", "expected"), [("end", f"{THUMB}b**"), ("start", f"**{THUMB}b"), ("both", f"*{THUMB}b*")]
)
def test_pad_counts_characters(output: Any, side: str, expected: str) -> None:
    assert output(operation="pad", input=f"{THUMB}b", length=4, fill="*", side=side) == expected


def test_pad_takes_one_character_to_fill_with(call: Any) -> None:
    assert "one character" in call(operation="pad", input="a", length=5, fill="ab").error.message


@pytest.mark.parametrize(
    "arguments",
    [
        {"operation": "repeat", "input": "ab" * 100, "times": 1_000_000},
        {"operation": "replace", "input": "a" * 1000, "old": "a", "new": "b" * 10_000},
        {"operation": "join", "join_items": ["a"] * 10_000, "delimiter": "-" * 1000},
        {"operation": "pad", "input": "a" * 900_000, "length": 1_000_000, "fill": THUMB},
    ],
)
def test_a_result_that_would_be_too_long_is_refused_before_it_is_made(call: Any, arguments: dict[str, Any]) -> None:
    result = call(**arguments)
    assert not result.success
    assert "1,000,000" in result.error.message


def test_an_operation_without_its_text_is_refused_by_name(call: Any) -> None:
    result = call(operation="trim")
    assert result.error.code == "invalid_arguments"
    assert "/input" in result.text


def test_text_is_another_name_of_input(output: Any) -> None:
    assert output(operation="upper", text="a") == "A"


def test_both_names_at_once_are_refused(call: Any) -> None:
    assert not call(operation="upper", input="a", text="b").success


def test_an_unknown_operation_is_answered_with_those_there_are(call: Any) -> None:
    result = call(operation="rot13", input="a")
    assert result.error.code == "invalid_arguments"
    assert "reverse" in result.text


def test_a_long_text_is_neither_echoed_nor_too_much(call: Any) -> None:
    result = call(operation="reverse", input="汉字" * 50_000)
    assert result.data["output"] == "字汉" * 50_000
    assert "input" not in result.data


def test_a_hundred_thousand_flags_take_no_time_to_speak_of() -> None:
    assert count("\U0001f1eb" * 100_001) == 50_001


@given(MIXED)
def test_characters_together_are_the_text(text: str) -> None:
    assert "".join(clusters(text)) == text
    assert count(text) == len(clusters(text))


@given(MIXED)
def test_no_character_falls_apart_when_it_stands_alone(text: str) -> None:
    assert all(clusters(character) == [character] for character in clusters(text))


@given(st.text(st.characters(max_codepoint=127)))
def test_plain_text_is_cut_as_all_text_is(text: str) -> None:
    assert clusters(text) == clusters(text + "\u00e9")[:-1]


def test_length_counts_in_the_unit_that_is_asked_for(call: Any) -> None:
    assert call(operation="length", input="one two", unit="words").data["output"] == 2
    assert call(operation="length", input="one two", unit="characters").data["output"] == 7


@pytest.mark.parametrize("operation", ["reverse", "upper", "truncate"])
def test_what_works_on_characters_refuses_another_unit(operation: str, call: Any) -> None:
    result = call(operation=operation, input="one two", length=1, unit="words")
    assert f"{operation} works on characters, not on words; nothing was done" in result.error.message


def test_the_examples_run(ares: Any, call: Any) -> None:
    for example in ares.registry.get("string_utils").examples:
        assert call(**example).success


@pytest.mark.parametrize(
    "given",
    [
        {"operation": "contains", "search": "caf\u00e9"},
        {"operation": "count", "search": "\u00e9"},
        {"operation": "replace", "old": "\u00e9", "new": "e"},
    ],
)
def test_what_is_there_in_another_unicode_form_is_told(call: Any, given: dict[str, str]) -> None:
    assert "another Unicode form" in call(**given, input="cafe\u0301").text
    assert "note" not in call(**given, input="caf\u00e9").data
    assert "note" not in call(**given, input="cafe").data

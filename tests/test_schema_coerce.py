"""Arguments are repaired only where the schema finds fault, only without loss, and every change is told."""

from __future__ import annotations

from typing import Any

import pytest

from ares_core import Ares, ToolFunc
from ares_core.schema import compile_schema


def correct(schema: dict[str, Any], arguments: Any) -> Any:
    return compile_schema(schema, tool="t").correct(arguments)


def prop(required: bool = True, **schema: Any) -> dict[str, Any]:
    return {"type": "object", "properties": {"x": schema}, **({"required": ["x"]} if required else {})}


def repaired(schema: dict[str, Any], value: Any) -> Any:
    corrected = correct(schema, {"x": value})
    assert corrected.issues == ()
    return corrected.arguments["x"]


def refused(schema: dict[str, Any], value: Any) -> bool:
    corrected = correct(schema, {"x": value})
    return bool(corrected.issues) and corrected.arguments == {"x": value}


@pytest.mark.parametrize(
    ("text", "number"),
    [("5", 5), (" 5 ", 5), ("-3", -3), ("5.0", 5), ("1e3", 1000), ("9007199254740993", 9007199254740993), ("0", 0)],
)
def test_text_that_is_a_whole_number_becomes_one(text: str, number: int) -> None:
    assert repr(repaired(prop(type="integer"), text)) == repr(number)


@pytest.mark.parametrize(
    "value", ["5.5", "0x10", "1_000", "1,000", "٣", "", "five", "007", "1e999", "NaN", "5 6", True, [5]]
)
def test_anything_else_does_not_become_a_whole_number(value: Any) -> None:
    assert refused(prop(type="integer"), value)


@pytest.mark.parametrize(("text", "number"), [("2.50", 2.5), ("1e3", 1000), ("-0.5", -0.5), ("7", 7)])
def test_text_that_is_a_number_becomes_one(text: str, number: float) -> None:
    assert repaired(prop(type="number"), text) == number


@pytest.mark.parametrize("value", ["inf", "1e400", "NaN", "1/2", "50%", "12px", True])
def test_anything_else_does_not_become_a_number(value: Any) -> None:
    assert refused(prop(type="number"), value)


@pytest.mark.parametrize(("text", "value"), [("true", True), ("False", False), (" TRUE ", True)])
def test_true_and_false_become_booleans(text: str, *, value: bool) -> None:
    assert repaired(prop(type="boolean"), text) is value


@pytest.mark.parametrize("value", ["yes", "no", "1", "0", "on", 1, 0, "maybe", "", None])
def test_nothing_else_becomes_a_boolean(value: Any) -> None:
    assert refused(prop(type="boolean"), value)


@pytest.mark.parametrize(("number", "text"), [(5, "5"), (2.5, "2.5"), (-1, "-1"), (10**20, str(10**20))])
def test_a_number_becomes_text_where_only_text_fits(number: float, text: str) -> None:
    assert repaired(prop(type="string"), number) == text


def test_what_fits_is_never_touched() -> None:
    schema = {
        "properties": {"body": {"type": "string"}, "zip": {"type": "string"}, "id": {"type": ["string", "integer"]},
                       "n": {"type": "integer"}},
    }  # fmt: skip
    value = correct(schema, {"body": '{"a": 1}', "zip": "00123", "id": "007", "n": "5"}).arguments
    assert value == {"body": '{"a": 1}', "zip": "00123", "id": "007", "n": 5}


@pytest.mark.parametrize(
    ("schema", "text", "value"),
    [
        ({"type": "array"}, '["x", "y"]', ["x", "y"]),
        ({"anyOf": [{"type": "array", "items": {"type": "string"}}, {"type": "null"}]}, '["x"]', ["x"]),
        ({"type": "object"}, '{"state": "open"}', {"state": "open"}),
        ({"type": "array", "items": {"type": "integer"}}, '["1", 2]', [1, 2]),
        ({"type": "array"}, "['a', 'b']", ["a", "b"]),
    ],
)
def test_json_in_text_is_opened(schema: Any, text: str, value: Any) -> None:
    assert repaired(prop(**schema), text) == value


@pytest.mark.parametrize("text", ["[x, y]", '["x", "y"', "{broken", '{"a": 1} and more', "x, y", "a;b", "one\ntwo"])
def test_text_that_only_looks_like_a_list_or_object_is_refused(text: str) -> None:
    assert refused(prop(type="array", items={"type": "string"}), text)


@pytest.mark.parametrize(("value", "made"), [("x", ["x"]), (5, ["5"]), ({"a": 1}, [{"a": 1}])])
def test_one_value_becomes_a_list_of_one(value: Any, made: Any) -> None:
    items = {"type": "object"} if isinstance(value, dict) else {"type": "string"}
    assert repaired(prop(type="array", items=items), value) == made


def test_an_empty_list_becomes_an_empty_object() -> None:
    assert repaired(prop(type="object"), []) == {}
    assert correct({"type": "object"}, []).arguments == {}
    assert refused(prop(type="object"), [1])


def test_a_list_of_one_that_does_not_fit_is_taken_back() -> None:
    corrected = correct(prop(type="array", items={"type": "integer"}), {"x": "five"})
    assert corrected.arguments == {"x": "five"}
    assert [issue.pointer for issue in corrected.issues] == ["/x"]


@pytest.mark.parametrize(
    ("options", "given", "option"),
    [(["asc", "desc"], "DESC", "desc"), (["asc", "desc"], " desc ", "desc"), ([1, 2, 3], "2", 2), (["1", "2"], 2, "2"),
     ([True, "x"], "true", True)],
)  # fmt: skip
def test_an_option_is_known_by_case_blanks_and_type(options: list[Any], given: Any, option: Any) -> None:
    assert repr(repaired(prop(enum=options), given)) == repr(option)


@pytest.mark.parametrize(
    ("options", "given"), [(["asc", "desc"], "descending"), (["open", "Open"], "OPEN"), ([1], 1.5)]
)
def test_an_option_that_is_not_clear_is_refused(options: list[Any], given: Any) -> None:
    assert refused(prop(enum=options), given)


@pytest.mark.parametrize("null", [None, "null", " NULL "])
def test_null_for_an_optional_property_means_not_given(null: Any) -> None:
    schema = {"properties": {"q": {}, "limit": {"type": "integer", "default": 10}, "after": {"type": "integer"}}}
    assert correct(schema, {"q": "tea", "limit": null, "after": null}).arguments == {"q": "tea", "limit": 10}


@pytest.mark.parametrize("nothing", [None, "null", "", " "])
@pytest.mark.parametrize("part", [{"enum": ["asc", "desc"]}, {"enum": ["升", "降"]}, {"enum": [1, 2]}, {"const": 3}])
def test_nothing_for_an_optional_choice_means_not_given(part: dict[str, Any], nothing: Any) -> None:
    assert correct(prop(required=False, **part), {"x": nothing}).arguments == {}
    assert refused(prop(**part), nothing)


@pytest.mark.parametrize("nothing", ["", "  ", "None", "undefined"])
@pytest.mark.parametrize("kind", ["integer", "number", "boolean", "object"])
def test_text_that_says_nothing_is_left_out_where_no_text_fits(kind: str, nothing: str) -> None:
    assert correct(prop(required=False, type=kind), {"x": nothing}).arguments == {}
    assert refused(prop(type=kind), nothing)


@pytest.mark.parametrize("option", ["", "null", None])
def test_an_option_that_is_empty_or_null_stays(option: Any) -> None:
    assert correct(prop(required=False, enum=["a", option]), {"x": option}).arguments == {"x": option}


def test_null_for_a_required_property_is_an_error() -> None:
    assert refused(prop(type="string"), None)
    hidden = {"allOf": [{"required": ["x"]}], "properties": {"x": {"type": "integer"}}}
    assert refused(hidden, None)


def test_the_text_null_is_null_where_null_fits() -> None:
    assert repaired(prop(anyOf=[{"type": "integer"}, {"type": "null"}]), "null") is None


def test_a_title_may_be_the_word_null() -> None:
    assert correct(prop(required=False, type="string"), {"x": "null"}).arguments == {"x": "null"}


@pytest.mark.parametrize(
    "arguments",
    [
        {"properties": {"city": "Oslo"}, "type": "object"},
        {"arguments": '{"city": "Oslo"}'},
        {"name": "weather", "parameters": {"city": "Oslo"}},
        {"input": {"arguments": {"city": "Oslo"}}},
        {"id": "call_1", "type": "function", "function": {"name": "weather", "arguments": '{"city": "Oslo"}'}},
        [{"city": "Oslo"}],
        "Oslo",
    ],
)
def test_arguments_are_taken_out_of_an_envelope(arguments: Any) -> None:
    schema = {"properties": {"city": {"type": "string"}}, "required": ["city"]}
    corrected = correct(schema, arguments)
    assert (corrected.arguments, corrected.issues) == ({"city": "Oslo"}, ())
    assert corrected.edits


def test_an_envelope_that_is_declared_or_whose_content_does_not_fit_stays() -> None:
    own = {"properties": {"data": {"type": "object"}}, "required": ["data"]}
    assert compile_schema(own, tool="t").is_valid({"data": {"data": {"k": 1}}})
    city = {"properties": {"city": {"type": "string"}}, "required": ["city"]}
    corrected = correct(city, {"arguments": {"town": "Oslo"}})
    assert corrected.arguments == {"arguments": {"town": "Oslo"}}
    assert [issue.pointer for issue in corrected.issues] == ["/city"]


def test_a_backslash_in_a_name_is_taken_out() -> None:
    schema = {"properties": {"search_query": {"type": "string"}}, "required": ["search_query"]}
    assert correct(schema, {"search\\_query": "tea"}).arguments == {"search_query": "tea"}


def test_unknown_names_are_never_dropped() -> None:
    schema = {"properties": {"path": {}}, "additionalProperties": False}
    corrected = correct(schema, {"path": "a", "reason": "because"})
    assert corrected.arguments == {"path": "a", "reason": "because"}
    assert [issue.pointer for issue in corrected.issues] == ["/reason"]


@pytest.mark.parametrize(
    "schema",
    [
        {"properties": {"a": {"properties": {"b": {"items": {"type": "integer"}}}}}},
        {
            "properties": {"a": {"$ref": "#/$defs/a"}},
            "$defs": {"a": {"properties": {"b": {"items": {"type": "integer"}}}}},
        },
        {"allOf": [{"properties": {"a": {"additionalProperties": {"prefixItems": [{"type": "integer"}]}}}}]},
        {"patternProperties": {"^a": {"properties": {"b": {"contains": {}, "items": {"type": "integer"}}}}}},
    ],
)
def test_repairs_reach_any_depth(schema: Any) -> None:
    assert correct(schema, {"a": {"b": ["1"]}}).arguments == {"a": {"b": [1]}}


def test_two_ways_to_repair_are_one_too_many() -> None:
    assert refused(prop(anyOf=[{"type": "integer"}, {"type": "boolean"}, {"enum": ["X"]}, {"enum": ["x "]}]), "x")
    assert repaired(prop(anyOf=[{"type": "integer"}, {"type": "number"}]), "5") == 5


@pytest.mark.parametrize("name", ["0", "7", "01", "+1", "", "-1", "1.0"])
def test_a_name_that_looks_like_a_place_in_a_list_stays_a_name(name: str) -> None:
    schema = prop(type="object", additionalProperties={"type": "object", "additionalProperties": {"type": "integer"}})
    assert repaired(schema, {name: {"1": "5"}, "x": {}}) == {name: {"1": 5}, "x": {}}
    assert [issue.pointer for issue in correct(schema, {"x": {name: {"1": "five"}}}).issues] == [f"/x/{name}/1"]


def test_every_change_is_told() -> None:
    (edit,) = correct(prop(type="integer"), {"x": "5"}).edits
    assert (edit.pointer, edit.before, edit.after, edit.rule) == ("/x", "5", 5, "number from text")


def test_many_faults_are_repaired_in_bounded_time() -> None:
    schema = prop(type="array", items={"type": "integer"})
    assert len(correct(schema, {"x": ["1"] * 900}).edits) == 900


def test_a_call_is_repaired_and_says_so(ares: Ares) -> None:
    ares.register(ToolFunc(name="double", description="", parameters=prop(type="integer"), fn=lambda x: x * 2))
    result = ares.call_sync("double", '{"x": "21"}')
    assert result.data == 42
    assert [edit.pointer for edit in result.edits] == ["/x"]


def test_a_repair_inside_a_list_of_one_changes_neither_what_was_given_nor_its_record() -> None:
    inner = {"type": "object", "properties": {"n": {"type": "integer"}}}
    given = {"x": {"n": "5"}}
    corrected = correct(prop(type="array", items=inner), given)
    assert (corrected.arguments, given) == ({"x": [{"n": 5}]}, {"x": {"n": "5"}})
    assert [(edit.pointer, edit.before) for edit in corrected.edits] == [("/x", {"n": "5"}), ("/x/0/n", "5")]

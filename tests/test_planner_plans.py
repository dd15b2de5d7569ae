"""Which tools are chosen, with which arguments, and how a plan is shown."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

import pytest

from ares_core import Capability, Effects, Evidence, Planner, Rule, RuleSet, Tool
from ares_core.settings import Planning

READS = Effects(read_only=True, destructive=False, idempotent=True, open_world=False)
RULES = RuleSet(
    "small",
    "en",
    (
        Rule("add", ("add {a} and {b}",), ("Arithmetic",), "{a}+{b}"),
        Rule("minus", ("{a} minus {b}",), ("Arithmetic",), "{a}-{b}"),
        Rule("sum", ("sum of {values}",), ("Summation", "Arithmetic"), "sum({values})"),
        Rule("digest", ("{how} of {text}",), ("Hashing",), arguments={"operation": "{how}", "input": "{text}"}),
        Rule("md5", ("md5",), reads="how", arguments={"value": "md5"}),
        Rule("sha256", ("sha256",), reads="how", arguments={"value": "sha256"}),
        Rule("embed", ("embed {text}",), ("Embedding",), arguments={"text": "{text}"}),
        Rule("search", ("search for {query:rest}",), ("WebSearch",), arguments={"query": "{query}"}),
        Rule("bare", ("{value}",), ("Arithmetic",), "{value}"),
    ),
)
DECLARED = {
    "Summation": Capability("Summation", inputs=("Expression",), outputs=("Number",), implies=("Arithmetic",)),
    "Arithmetic": Capability("Arithmetic", aliases=("maths",), inputs=("Expression",), outputs=("Number",)),
    "Hashing": Capability("Hashing", inputs=("Text",), outputs=("Text",), tools=("declared_elsewhere",)),
    "Embedding": Capability("Embedding", inputs=("Text",), outputs=("Vector",)),
}
NUMBERS = {"type": "object", "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}}, "required": ["a"]}
EXPRESSION = {"type": "object", "properties": {"expression": {"type": "string"}}, "required": ["expression"]}
DIGEST: dict[str, Any] = {
    "type": "object",
    "properties": {"operation": {"type": "string"}, "input": {"type": "string"}},
    "required": ["operation", "input"],
}


def tool(name: str, parameters: Mapping[str, Any], *capabilities: str, **options: Any) -> Tool:
    return Tool(name, "", parameters, lambda arguments, context: None, capabilities, **{"effects": READS, **options})


def planner(*tools: Tool, evidence: Callable[[str], Evidence] = lambda name: Evidence(), **settings: Any) -> Planner:
    return Planner(tools, DECLARED, [RULES], evidence, Planning(**settings))


def test_the_best_score_wins_and_the_runner_up_stands_by() -> None:
    dear, cheap = tool("a_dear", EXPRESSION, "Arithmetic", cost=10), tool("z_cheap", EXPRESSION, "Arithmetic", cost=1)
    found = planner(dear, cheap).plan("2 minus 1")
    assert found.steps[0].tool == "z_cheap"
    assert [other.tool for other in found.steps[0].fallbacks] == ["a_dear"]


def test_equal_scores_go_by_name() -> None:
    tools = [tool(name, EXPRESSION, "Arithmetic") for name in ("b", "a", "c")]
    assert planner(*tools).plan("2 minus 1").steps[0].tool == "a"


def test_evidence_turns_the_choice() -> None:
    def evidence(name: str) -> Evidence:
        return Evidence(n=20, failures=20, latency_ms=1) if name == "a" else Evidence()

    tools = [tool(name, EXPRESSION, "Arithmetic") for name in ("a", "b")]
    assert planner(*tools, evidence=evidence).plan("2 minus 1").steps[0].tool == "b"


def test_a_tool_that_changes_something_is_no_fallback() -> None:
    reads = tool("reads", EXPRESSION, "Arithmetic")
    changes = tool("changes", EXPRESSION, "Arithmetic", effects=Effects())
    assert planner(reads, changes).plan("2 minus 1").steps[0].fallbacks == ()


@pytest.mark.parametrize("capability", ["Summation", "maths", "Arithmetic"])
def test_a_capability_is_found_by_what_implies_it_and_by_its_alias(capability: str) -> None:
    assert planner(tool("t", EXPRESSION, capability)).plan("2 minus 1").steps[0].tool == "t"


def test_the_first_capability_that_a_tool_has_is_used() -> None:
    assert planner(tool("t", EXPRESSION, "Arithmetic")).plan("sum of 1, 2").steps[0].capability == "Arithmetic"


def test_a_capability_may_be_declared_for_a_tool_by_another() -> None:
    assert planner(tool("declared_elsewhere", DIGEST)).plan("md5 of abc").steps[0].tool == "declared_elsewhere"


def test_without_a_tool_the_capability_is_named() -> None:
    error = planner().plan("md5 of abc").error
    assert error is not None
    assert error.code == "no_plan"
    assert "No installed tool can do Hashing" in error.message


@pytest.mark.parametrize(
    ("name", "properties", "arguments"),
    [
        (
            "hasher",
            {"algorithm": {"enum": ["MD5", "SHA-256"]}, "text": {"type": "string"}},
            {"algorithm": "SHA-256", "text": "abc"},
        ),
        ("sha256", {"data": {"type": "string"}}, {"data": "abc"}),
        ("hasher", {"op": {"type": "string"}, "content": {"type": "string"}}, {"op": "sha256", "content": "abc"}),
    ],
)
def test_arguments_find_the_parameters_of_other_peoples_tools(
    name: str, properties: dict[str, Any], arguments: dict[str, Any]
) -> None:
    other = tool(name, {"type": "object", "properties": properties, "required": list(properties)}, "Hashing")
    assert planner(other).plan("sha256 of abc").steps[0].arguments == arguments


@pytest.mark.parametrize(
    "properties", [{"operation": {"enum": ["sha1"]}, "input": {"type": "string"}}, {"input": {"type": "string"}}]
)
def test_a_tool_that_cannot_take_an_argument_is_rejected_with_the_reason(properties: dict[str, Any]) -> None:
    found = planner(tool("other", {"type": "object", "properties": properties}, "Hashing")).plan("sha256 of abc")
    assert found.error is not None
    assert "no parameter for operation = 'sha256'" in found.rejected[0].rejected
    assert "no parameter for operation" in found.error.message


def test_a_required_parameter_without_a_value_is_missing() -> None:
    parameters = {
        **DIGEST,
        "properties": {**DIGEST["properties"], "salt": {"type": "string"}},
        "required": ["input", "salt"],
    }
    error = planner(tool("salted", parameters, "Hashing")).plan("md5 of abc").error
    assert error is not None
    assert (error.code, error.suggestions) == ("missing_input", ("salted",))
    assert "'salt' is missing" in error.message


def test_a_tool_of_numbers_gets_them_if_its_name_says_that_it_does_this() -> None:
    add = tool("add", NUMBERS, "Arithmetic")
    assert planner(add).plan("add 2 and 3").steps[0].arguments == {"a": 2, "b": 3}
    for request in ("5 minus 3", "add 2.5 and 3", "2+3+4", "add 2 and 3 minus 1"):
        assert planner(add).plan(request).error is not None


def test_steps_that_do_not_fit_together_block_the_plan() -> None:
    tools = (
        tool("hash_tool", DIGEST, "Hashing"),
        tool("embedding", {"properties": {"text": {"type": "string"}}}, "Embedding"),
    )
    error = planner(*tools).plan("md5 of embed 'abc'").error
    assert error is not None
    assert error.code == "invalid_plan"
    assert "hash_tool needs text, but the step before it (embedding) gives a vector" in error.message


def test_guessed_words_lower_the_confidence_below_which_nothing_runs() -> None:
    hasher = tool("hash_tool", DIGEST, "Hashing")
    assert planner(hasher).plan("md5 of 'old salt sea dog'").confidence == 1
    found = planner(hasher, min_confidence=0.9).plan("md5 of old salt sea dog")
    assert found.confidence == pytest.approx(0.84)
    assert found.error is not None
    assert found.error.suggestions == ("hash_tool",)


def test_a_plan_is_plain_json() -> None:
    found = planner(tool("calculator", EXPRESSION, "Arithmetic", cost=1, latency_ms=1, deterministic=True)).plan(
        "2 minus 1"
    )
    shown = json.loads(json.dumps(found.to_dict()))
    assert shown["steps"][0]["arguments"] == {"expression": "2-1"}
    assert shown["candidates"][0]["total"] == pytest.approx(33.99)
    assert shown["intents"][0]["capabilities"] == ["Arithmetic"]
    assert (shown["error"], shown["sinks"]) == (None, ["s1"])


def test_an_explanation_tells_rule_candidates_scores_places_and_what_was_rejected() -> None:
    good = tool("calculator", EXPRESSION, "Arithmetic", cost=1, latency_ms=1, deterministic=True)
    told = planner(good, tool("adder", NUMBERS, "Arithmetic")).plan("7 minus 2").explain()
    for part in (
        "rule 'minus' of small",
        "calculator 33.99 = cost +10",
        "adder rejected",
        "'7-2' from '7 minus 2' at 0–9",
        "confidence: 1.00",
    ):
        assert part in told


def test_the_answer_to_a_chinese_request_is_chinese() -> None:
    error = planner().plan("请计算").error
    assert error is not None
    assert error.message.endswith("未执行。")

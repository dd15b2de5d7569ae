"""Text that wants to hang the planner, or to make it run what should not run."""

from __future__ import annotations

import time
from collections.abc import Callable
from types import ModuleType

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ares_core import Effects, Evidence, Planner, Rule, RuleSet, Tool, Words
from ares_core.planner.generic import fill

FAR_TOO_LONG = 6.0
"""Seconds of work, far above the bound that plans keep on any machine."""
EXPRESSION = {"properties": {"expression": {"type": "string"}}, "required": ["expression"]}
RULES = RuleSet(
    "tiny",
    "en",
    (
        Rule("sum", ("sum [of] {values}",), ("Arithmetic",), "sum({values})"),
        Rule(
            "range",
            ("from {first:number} to {last:number}",),
            reads="series",
            arguments={"first": "{first}", "last": "{last}"},
        ),
        Rule("factorial", ("{n} factorial",), ("Arithmetic",), "factorial({n})"),
        Rule("root", ("root of {a}",), ("Arithmetic",), "sqrt({a})"),
        Rule("times", ("{a} times {b}",), ("Arithmetic",), "{a}*{b}"),
        Rule("shout", ("shout {text}", "{text} loudly"), ("Shouting",), arguments={"input": "{text}"}),
        Rule("bare", ("{value}",), ("Arithmetic",), "{value}"),
    ),
    words=Words(
        openers=("please", "what is"),
        closers=("please",),
        ignored=("the",),
        separators=("and",),
        joiners=("then", "and"),
    ),
)
TOOLS = [
    Tool(
        "calculator", "", EXPRESSION, lambda arguments, context: None, ("Arithmetic",), effects=Effects(read_only=True)
    ),
    Tool("parrot", "", {"properties": {"input": {}}}, lambda arguments, context: None, ("Shouting",)),
    Tool(
        "weather",
        "Weather forecast of a city.",
        {"properties": {"city": {"type": "string"}}},
        lambda arguments, context: None,
    ),
]
PLAN = Planner(TOOLS, {}, [RULES], lambda name: Evidence()).plan
VOCABULARY = "sum of 1 and 2 from to ( ) , + - * factorial shout then it the 'a b' loudly please times"
HOSTILE = {
    "a megabyte": "sum from " + "1 " * 500_000 + "to",
    "digits": "1" * 200_000 + " factorial",
    "digits within the limit": "1" * 9_000 + " factorial",
    "ones": "sum of " + "1 " * 4_900,
    "commas": "sum of " + "1," * 4_900 + "2",
    "open parentheses": "(" * 9_000,
    "closed parentheses": "(" * 4_000 + "1" + ")" * 4_000,
    "functions": "sqrt(" * 1_500 + "4" + ")" * 1_500,
    "roots": "root of " * 1_200 + "4",
    "factorials": "10" + " factorial" * 900,
    "exclamation marks": "5" + "!" * 9_000,
    "powers": "**".join(["2"] * 2_000),
    "minus signs": "-" * 9_900 + "1",
    "quotation marks": '"' * 9_999,
    "apostrophes": "'a " * 3_300,
    "braces": '{"a":' * 1_900,
    "brackets": "[" * 9_900,
    "joiners": "and " * 2_400,
    "joiners and wishes": "shout it then " * 600,
    "openers": "please " * 1_400,
    "ignored": "the " * 2_400,
    "loudly": "loudly " * 1_400,
    "nested wishes": "shout " * 1_600 + "x",
    "dots": "a." * 4_900,
    "slashes": "a/" * 4_900,
    "addresses": "http://" * 1_400,
    "sentences": "what is 1+1? " * 700,
    "numerals": "一" * 9_900,
    "fractions of fractions": "三分之" * 3_300,
    "control characters": "\x00" * 9_000,
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_hostile_text_gets_its_answer_soon_and_no_plan(text: str) -> None:
    started = time.process_time()
    found = PLAN(text)
    assert time.process_time() - started < FAR_TOO_LONG
    assert found.steps == () or all(step.tool == "calculator" for step in found.steps)
    assert len(found.request) <= 10_000


@pytest.mark.parametrize("text", ["\ud800", "sum of 1 and \udfff", "shout \ud83d"])
def test_a_lone_surrogate_is_no_text(text: str) -> None:
    error = PLAN(text).error
    assert error is not None
    assert "lone surrogates" in error.message


@pytest.mark.parametrize(
    "text",
    [
        "sum of __import__('os').getcwd()",
        "sum of 1; import os",
        "sum from 1 to 9**9**9",
        "1+1 if True else 2",
        "x+1",
        "lambda: 1",
        "eval(1)",
        "1+os",
        "sum(1,2,x)",
        "sqrt(4",
        "sqrt 4)",
        "1 2",
        "1+",
        "*2",
        "()",
        "(1+2",
        "2(3)",
        "..5",
        "1...3",
        "3 % 5%",
        "1,2",
        "5",
        "-5",
        "pi",
        "15%",
        "",
        " ",
        "?!",
        "please",
        "sum",
        "sum of",
        "sum of 3",
    ],
)
def test_what_is_no_calculation_is_not_calculated(text: str) -> None:
    assert PLAN(text).steps == ()


@settings(max_examples=300)
@given(st.text(max_size=80))
def test_any_text_gets_a_plan_or_a_reason(text: str) -> None:
    found = PLAN(text)
    assert (found.error is None) == bool(found.steps)
    assert found.explain()


@settings(max_examples=200)
@given(
    st.lists(
        st.sampled_from(
            "sum of 1 and 2 from to ( ) , + - * factorial shout then it the 'a b' loudly please times".split()
        ),
        max_size=14,
    )
)
def test_rules_in_any_mixture_come_to_an_end(words: list[str]) -> None:
    found = PLAN(" ".join(words))
    assert (found.error is None) == bool(found.steps)


@pytest.mark.parametrize(
    "text",
    [
        "A, " * 600,
        "Aa Bb " * 300,
        "1 " * 900,
        '"a" ' * 400,
        "in x " * 400,
        "[1,2] " * 300,
        "may 1 2022 " * 150,
        "(" * 2_000,
    ],
)
def test_filling_a_schema_is_bounded_too(text: str) -> None:
    kinds = ("string", "integer", "number", "array", "boolean", "object")
    schema = {"properties": {f"{kind}_{n}": {"type": kind} for kind in kinds for n in range(5)}}
    started = time.process_time()
    fill(schema, text)
    assert time.process_time() - started < FAR_TOO_LONG


def test_the_pirates_rules_are_bounded_like_others(sample: Callable[[str], ModuleType]) -> None:
    found = Planner(TOOLS, {}, [sample("pirate_rules").PIRATE], lambda name: Evidence())
    for text in HOSTILE.values():
        assert found.plan(text).error is not None or text


def test_a_choice_named_without_end_for_many_parameters_gets_its_answer_soon() -> None:
    names = [f"{what}_{number}" for what in ("city", "address", "person") for number in range(20)]
    said = {"type": "string", "description": "the city, e.g. abc, def"}
    tools = [
        Tool(f"forecast_{number}", "Forecast of a city.", {"properties": dict.fromkeys(names, said)}, print)
        for number in range(5)
    ]
    planner = Planner(tools, {}, [RULES], lambda name: Evidence())
    for text in ("abc, ", "city ", "1 ", "12 Main Street, ", "天气"):
        started = time.process_time()
        planner.plan(("forecast of city " + text * 1_000)[:1_990])
        assert time.process_time() - started < FAR_TOO_LONG

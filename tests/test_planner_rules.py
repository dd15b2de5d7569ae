"""What rule sets can say, shown with those of a pirate."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ares_core import Capability, Effects, Evidence, ExecutionPlan, Planner, RegistrationError, Rule, RuleSet, Tool
from ares_core.planner.grammar import Grammar
from ares_core.settings import Planning

READS = Effects(read_only=True, destructive=False, idempotent=True, open_world=False)
EXPRESSION = {"type": "object", "properties": {"expression": {"type": "string"}}, "required": ["expression"]}
TEXT = {
    "type": "object",
    "properties": {"operation": {"enum": ["upper", "md5"]}, "input": {"type": "string"}},
    "required": ["operation", "input"],
}
CAPABILITIES = {
    one.name: one
    for one in (
        Capability("Summation", inputs=("Expression",), outputs=("Number",), implies=("Arithmetic",)),
        Capability("Arithmetic", inputs=("Expression",), outputs=("Number",)),
        Capability("Shouting", inputs=("Text",), outputs=("Text",)),
        Capability("Hashing", inputs=("Text",), outputs=("Text",)),
        Capability("Painting", inputs=("Vector",), outputs=("Vector",)),
    )
}


def tool(name: str, *capabilities: str, parameters: dict[str, Any] = TEXT, **options: Any) -> Tool:
    def execute(arguments: Any, context: Any) -> Any:
        return dict(arguments)

    return Tool(name, f"The tool {name}.", parameters, execute, capabilities, **{"effects": READS, **options})


CREW = (tool("abacus", "Summation", parameters=EXPRESSION), tool("parrot", "Shouting"), tool("chest", "Hashing"))


@pytest.fixture
def pirate(sample: Callable[[str], ModuleType]) -> RuleSet:
    found: RuleSet = sample("pirate_rules").PIRATE
    return found


@pytest.fixture
def plan(pirate: RuleSet) -> Callable[[str], ExecutionPlan]:
    return planner(pirate).plan


def planner(*rule_sets: RuleSet, tools: tuple[Tool, ...] = CREW, **options: Any) -> Planner:
    return Planner(tools, CAPABILITIES, rule_sets, lambda name: Evidence(), Planning(**options))


@pytest.mark.parametrize(
    ("request_", "expression"),
    [
        ("tally 3, 4 an' 5", "sum(3,4,5)"),
        ("ahoy matey, tally up the 3 an' 4, aye", "sum(3,4)"),
        ("how big be the booty of 1,000 an' 2,000", "sum(1000,2000)"),
        ("tally from 1 to 4", "sum(1..4)"),
        ("3 plundered from 10", "10-3"),
        ("2+3 plundered from 10", "10-(2+3)"),
        ("2 plundered from 10 shared by 4", "10/4-2"),
        ("2 pieces o' doubloon", "2*8"),
        ("-2 pieces o' guinea", "-2*21"),
        ("would ye 2*(3+4)", "2*(3+4)"),
        ("tally 3 an' 4, then 1 plundered from it", "sum(3,4)-1"),
    ],
)
def test_words_become_the_expression_that_they_mean(
    plan: Callable[[str], ExecutionPlan], request_: str, expression: str
) -> None:
    found = plan(request_)
    assert [(step.tool, step.arguments) for step in found.steps] == [("abacus", {"expression": expression})]


def test_an_argument_knows_its_place_in_the_request(plan: Callable[[str], ExecutionPlan]) -> None:
    found = plan("Arr, shout Land Ho!")
    (step,) = found.steps
    place = step.places["input"]
    assert step.arguments == {"operation": "upper", "input": "Land Ho"}
    assert found.request[place.start : place.end] == "Land Ho"


@pytest.mark.parametrize(
    ("request_", "word"),
    [
        ("tallyho 3 an' 4", "tallyho"),
        ("tally lucky 3 an' 4", "lucky"),
        ("tally 3 an' 4 mermaids", "mermaids"),
        ("3 4 plundered", "4"),
        ("outshout 'hello'", "outshout"),
    ],
)
def test_a_word_that_no_rule_accounts_for_leads_to_no_plan(
    plan: Callable[[str], ExecutionPlan], request_: str, word: str
) -> None:
    found = plan(request_)
    assert found.error is not None
    assert (found.error.code, found.steps) == ("no_plan", ())
    assert word in found.error.message
    assert found.error.message.endswith("Not executed.")


@pytest.mark.parametrize(
    "request_", ["nay, tally 3 an' 4", "belay shout hello", "legend has it tally 3 an' 4", "'tally 3 an' 4'"]
)
def test_what_is_forbidden_told_or_quoted_is_not_done(plan: Callable[[str], ExecutionPlan], request_: str) -> None:
    found = plan(request_)
    assert found.error is not None
    assert found.error.code == "no_plan"


@pytest.mark.parametrize(
    ("request_", "missing"),
    [
        ("shout this here scroll", "input"),
        ("shout", "input"),
        ("tally 3", "expression"),
        ("bury it like blackbeard", "input"),
    ],
)
def test_what_is_missing_is_named_with_the_candidates(
    plan: Callable[[str], ExecutionPlan], request_: str, missing: str
) -> None:
    found = plan(request_)
    assert found.error is not None
    assert found.error.code == "missing_input"
    assert f"'{missing}' is missing" in found.error.message
    assert set(found.error.suggestions) <= {"abacus", "parrot", "chest"}
    assert found.error.suggestions


def test_bare_text_of_words_that_begin_something_else_is_not_taken(plan: Callable[[str], ExecutionPlan]) -> None:
    assert plan("shout fire an' brimstone").error is not None
    assert plan('shout "fire an\' brimstone"').steps[0].arguments["input"] == "fire an' brimstone"


def test_an_excluded_word_switches_a_rule_off(plan: Callable[[str], ExecutionPlan]) -> None:
    assert plan("shout hello").error is None
    assert plan("shout whisper").error is not None


def test_alternatives_and_optional_arguments_follow_the_schema(plan: Callable[[str], ExecutionPlan]) -> None:
    (step,) = plan("bury 'gold' like blackbeard").steps
    assert step.arguments == {"operation": "md5", "input": "gold"}


def test_what_stands_inside_another_wish_becomes_a_step_before_it(plan: Callable[[str], ExecutionPlan]) -> None:
    found = plan("shout tally 3 an' 4")
    assert [(step.id, step.tool, step.depends_on) for step in found.steps] == [
        ("s1", "abacus", ()),
        ("s2", "parrot", ("s1",)),
    ]
    assert [(binding.argument, binding.step) for binding in found.steps[1].bindings] == [("input", "s1")]
    assert found.sinks == ("s2",)


def test_wishes_one_after_the_other_become_steps_and_it_means_the_one_before(
    plan: Callable[[str], ExecutionPlan],
) -> None:
    found = plan("shout 'ahoy', then bury it like blackbeard")
    assert [(step.tool, step.depends_on) for step in found.steps] == [("parrot", ()), ("chest", ("s1",))]
    apart = plan("shout 'ahoy'. bury 'gold' like blackbeard.")
    assert [step.depends_on for step in apart.steps] == [(), ()]
    assert apart.sinks == ("s1", "s2")


def test_a_rule_set_is_chosen_by_its_name(pirate: RuleSet) -> None:
    landlubber = RuleSet("landlubber", "en", (Rule("sum", ("add {values}",), ("Summation",), "sum({values})"),))
    both = planner(pirate, landlubber)
    assert both.plan("add 3, 4").error is None
    assert both.plan("tally 3 an' 4").error is None
    swapped = planner(pirate, landlubber, rule_sets=("pirate",))
    assert swapped.plan("add 3, 4").error is not None
    assert swapped.plan("tally 3 an' 4").error is None


def test_a_rule_set_that_nobody_brings_is_told(pirate: RuleSet) -> None:
    (problem,) = planner(pirate, rule_sets=("pirate", "mermaid")).problems
    assert problem == "planner.rule_sets names 'mermaid', but no plugin brings such a rule set (there are: pirate)"


def test_without_rules_a_plan_says_what_to_install() -> None:
    found = planner(tools=())
    error = found.plan("tally 3 an' 4").error
    assert error is not None
    assert "planner.rule_sets" in error.message


@settings(max_examples=25)
@given(st.permutations(CREW), st.booleans())
def test_the_plan_is_the_same_whatever_the_order(tools: list[Tool], turned: bool) -> None:
    one = RuleSet(
        "one", "en", (Rule("a", ("shout {text}",), ("Shouting",), arguments={"operation": "upper", "input": "{text}"}),)
    )
    two = RuleSet(
        "two", "en", (Rule("b", ("shout {text}",), ("Hashing",), arguments={"operation": "md5", "input": "{text}"}),)
    )
    found = Planner(tools, CAPABILITIES, (two, one) if turned else (one, two), lambda name: Evidence())
    assert found.plan("shout ahoy").to_dict() == planner(one, two).plan("shout ahoy").to_dict()


@pytest.mark.parametrize(
    ("phrase", "said"),
    [
        ("sum [of {values}", "no partner"),
        ("sum of) {values}", "no partner"),
        ("sum of {values", "no partner"),
        ("{a:b:c}", "no partner"),
        ("sum " * 300, "longer than"),
    ],
)
def test_a_phrase_that_cannot_be_read_is_refused_in_a_sentence(phrase: str, said: str) -> None:
    with pytest.raises(RegistrationError, match=said):
        Grammar([RuleSet("broken", "en", (Rule("broken", (phrase,), ("Summation",)),))])


def test_a_broken_rule_set_loses_only_its_own_rules(pirate: RuleSet) -> None:
    found = planner(pirate, RuleSet("broken", "en", (Rule("broken", ("add [",), ("Summation",)),)))
    assert found.plan("tally 3 an' 4").error is None
    assert len(found.problems) == 1
    assert "rule set 'broken' is not used" in found.problems[0]


def test_an_expression_of_slots_that_a_phrase_lacks_is_refused() -> None:
    rule = Rule("half", ("half of {a}", "halve it"), ("Arithmetic",), "{a}/2")
    with pytest.raises(RegistrationError, match=r"'half' of rule set 'broken': its expression uses a, .*'halve it'"):
        Grammar([RuleSet("broken", "en", (rule,))])


def test_a_slot_of_a_kind_that_nothing_reads_is_refused() -> None:
    with pytest.raises(RegistrationError, match="'treasure'"):
        Grammar([RuleSet("broken", "en", (Rule("broken", ("find {x:treasure}",), ("Summation",)),))])


def test_an_extractor_may_not_take_the_place_of_a_built_in_kind() -> None:
    with pytest.raises(RegistrationError, match="'number' is built in"):
        Grammar([RuleSet("broken", "en", (), {"number": lambda text, start: ()})])


@pytest.mark.parametrize("said", ["hail 'x'", "salute 'x' [now]", "'x' be hailed", "'x' be saluted"])
def test_any_of_the_wordings_between_bars_will_do(said: str) -> None:
    phrases = ("hail {text}|salute {text} [now]", "{text} be (hailed|{text}|[nearly] saluted)")
    rules = RuleSet("hail", "en", (Rule("hail", phrases, ("Hailing",), arguments={"input": "{text}"}),))
    hailer = Tool("hailer", "", {"properties": {"input": {}}}, print, ("Hailing",))
    found = Planner([hailer], {}, [rules], lambda name: Evidence()).plan(said.replace("[now]", "now"))
    assert [step.arguments for step in found.steps] == [{"input": "x"}]

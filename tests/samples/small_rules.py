"""A calculator, a counter that changes something, and rules to ask for both."""

from __future__ import annotations

from ares_core import Effects, Rule, RuleSet, Tool, Words, hookimpl, tool

READS = Effects(read_only=True, destructive=False, idempotent=True, open_world=False)
counted: list[int] = []


@tool(capabilities=["Arithmetic"], effects=READS)
def calculator(expression: str) -> dict[str, object]:
    """Calculate a sum such as 1+2.

    Args:
        expression: Numbers with + between them.
    """
    return {"expression": expression, "result": sum(int(part) for part in expression.split("+"))}


@tool(capabilities=["Counting"])
def counter(steps: int) -> int:
    """Move the counter.

    Args:
        steps: How far.
    """
    counted.append(steps)
    return sum(counted)


@hookimpl
def register_tools() -> list[Tool]:
    return [Tool.from_function(calculator), Tool.from_function(counter)]


@hookimpl
def register_rule_sets() -> list[RuleSet]:
    rules = (
        Rule("plus", ("{a} plus {b}",), ("Arithmetic",), "{a}+{b}"),
        Rule("count", ("count {steps:count} steps",), ("Counting",), arguments={"steps": "{steps}"}),
    )
    return [RuleSet("small", "en", rules, words=Words(openers=("what is", "please")))]

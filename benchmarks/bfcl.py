"""The planner on the Berkeley Function Calling Leaderboard: choosing, filling, saying no, finding, without a model.

Needs the data in the package of the suite: pip install --no-deps bfcl-eval
Run: python benchmarks/bfcl.py [--json] [--errors 20] [--only simple_python]
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import time
from collections.abc import Iterator, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import ares_plugin_rules_en
import ares_plugin_rules_zh

from ares_core import Effects, Evidence, ExecutionPlan, Planner, Tool

TUNED, CHECKED = ("simple_python", "multiple"), ("live_simple", "live_multiple")
NOTHING = ("irrelevance", "live_irrelevance")
TYPES = {"dict": "object", "float": "number", "tuple": "array", "HashMap": "object"}
PYTHON: dict[str, tuple[type, ...]] = {
    "string": (str,), "integer": (int,), "float": (float, int), "boolean": (bool,), "array": (list,),
    "tuple": (list,), "dict": (dict,), "any": (str,),
}  # fmt: skip
RULES = (*ares_plugin_rules_en.register_rule_sets(), *ares_plugin_rules_zh.register_rule_sets())
_IGNORED = re.compile(r"[ ,./\-_*^]")


class Case(NamedTuple):
    """One question, the functions given with it, and what the suite takes for an answer."""

    id: str
    question: str
    functions: list[dict[str, Any]]
    answer: Mapping[str, Mapping[str, list[Any]]]

    @property
    def function(self) -> str:
        return next(iter(self.answer))


class Row(NamedTuple):
    """One figure: of how many cases which share came out as wanted."""

    what: str
    data: str
    cases: int
    share: float


def data() -> Path:
    """Where the package keeps the questions."""
    found = find_spec("bfcl_eval")
    if found is None or not found.submodule_search_locations:
        sys.exit("the data is not installed: pip install --no-deps bfcl-eval")
    return Path(found.submodule_search_locations[0]) / "data"


def load(name: str) -> list[Case]:
    """Read a set of questions with its answers."""
    answers = {}
    if name not in NOTHING:
        lines = (data() / "possible_answer" / f"BFCL_v4_{name}.json").read_text("utf-8").splitlines()
        answers = {row["id"]: row["ground_truth"][0] for row in map(json.loads, lines)}
    lines = (data() / f"BFCL_v4_{name}.json").read_text("utf-8").splitlines()
    return [
        Case(row["id"], asked(row["question"]), row["function"], answers.get(row["id"], {}))
        for row in map(json.loads, lines)
    ]


def asked(turns: list[list[dict[str, str]]]) -> str:
    """What the user says."""
    return "\n".join(message["content"] for message in turns[0] if message["role"] == "user")


def schema(given: Any) -> Any:
    """Write a function's parameters as JSON Schema names its types."""
    if isinstance(given, list):
        return [schema(each) for each in given]
    if not isinstance(given, dict):
        return given
    made = {key: schema(value) for key, value in given.items()}
    kind = made.get("type")
    if kind == "any":
        del made["type"]
    elif isinstance(kind, str):
        made["type"] = TYPES.get(kind, kind)
    return made


def tool(function: Mapping[str, Any]) -> Tool:
    """Make a tool of a function; none of them does anything."""
    reads = Effects(read_only=True)
    return Tool(
        function["name"], function["description"], schema(function["parameters"]), lambda a, c: None, effects=reads
    )


def planner(functions: list[dict[str, Any]]) -> Planner:
    """Make a planner that knows these functions and nothing of their past."""
    tools = {function["name"]: tool(function) for function in functions}
    return Planner(tools.values(), {}, RULES, lambda name: Evidence())


def plain(value: Any) -> Any:
    """Write a value as the suite compares it: text without blanks, some signs and capitals."""
    if isinstance(value, str):
        return _IGNORED.sub("", value).lower().replace("'", '"')
    return [plain(each) for each in value] if isinstance(value, list | tuple) else value


def is_listed(value: Any, listed: list[Any]) -> bool:
    """Whether a value is one of those listed; of an object each member must be, of an array of objects each object."""
    if isinstance(value, dict):
        return any(isinstance(one, dict) and has_members(value, one) for one in listed)
    if isinstance(value, list) and any(isinstance(one, dict) for one in value):
        return any(
            isinstance(one, list) and len(one) == len(value) and all(map(is_listed, value, ([each] for each in one)))
            for one in listed
        )
    return any(same(value, one) for one in listed)


def has_members(value: Mapping[str, Any], listed: Mapping[str, list[Any]]) -> bool:
    """Whether an object has the members listed, each with one of its values; here objects must be the very same."""
    return all(any(same(each, one) for one in listed.get(name, ())) for name, each in value.items()) and all(
        name in value or "" in each for name, each in listed.items()
    )


def same(value: Any, listed: Any) -> bool:
    """Whether two values are equal; a truth is no number."""
    return plain(value) == plain(listed) and isinstance(value, bool) == isinstance(listed, bool)


def wrong(arguments: Mapping[str, Any], answer: Mapping[str, list[Any]]) -> str:
    """Say which argument is not what the suite lists; one that may be left out lists an empty text."""
    for name, value in arguments.items():
        if name not in answer:
            return f"{name} = {value!r} is not wanted"
        if not is_listed(value, answer[name]):
            return f"{name} = {value!r}, wanted {answer[name]!r}"
    lacking = [name for name, listed in answer.items() if name not in arguments and "" not in listed]
    return f"{lacking[0]} is missing, wanted {answer[lacking[0]]!r}" if lacking else ""


def mistyped(case: Case, arguments: Mapping[str, Any]) -> str:
    """Say which argument has another type than its parameter and than what is listed for it."""
    function = next(one for one in case.functions if one["name"] == case.function)
    for name, value in arguments.items():
        declared = PYTHON.get(function["parameters"]["properties"][name]["type"], (object,))
        listed = {type(one) for one in case.answer[case.function][name] if one != ""}
        if not isinstance(value, declared) and type(value) not in listed:
            return f"{name} = {value!r} has the wrong type"
    return ""


def first(plan: ExecutionPlan) -> str:
    """The tool that a plan puts first."""
    return plan.candidates[0].tool if plan.candidates else ""


def fault(case: Case, plan: ExecutionPlan) -> str:
    """What is wrong with a plan as a whole call; nothing if the suite would take it."""
    if len(plan.steps) != 1 or plan.error:
        return plan.error.message if plan.error else "more than one step"
    step = plan.steps[0]
    if step.tool != case.function:
        return f"{step.tool} instead of {case.function}"
    return wrong(step.arguments, case.answer[case.function]) or mistyped(case, step.arguments)


def calling(name: str, errors: list[str]) -> Iterator[Row]:
    """Plan each question with the functions given: which is chosen, is it called, is the whole call right."""
    cases = load(name)
    plans = [planner(case.functions).plan(case.question) for case in cases]
    faults = [fault(case, plan) for case, plan in zip(cases, plans, strict=True)]
    errors += [f"{case.id}: {case.question}\n    {why}" for case, why in zip(cases, faults, strict=True) if why]
    chosen = sum(first(plan) == case.function for case, plan in zip(cases, plans, strict=True))
    called = sum([step.tool for step in plan.steps] == [case.function] for case, plan in zip(cases, plans, strict=True))
    size = len(cases)
    yield Row("function found", name, size, chosen / size)
    yield Row("function called", name, size, called / size)
    yield Row("whole call right", name, size, sum(not why for why in faults) / size)


def refusing(name: str, errors: list[str]) -> Iterator[Row]:
    """Plan questions for which no function given is any good: nothing may be called."""
    cases = load(name)
    plans = [planner(case.functions).plan(case.question) for case in cases]
    for case, plan in zip(cases, plans, strict=True):
        if plan.steps:
            errors.append(f"{case.id}: {case.question}\n    {plan.steps[0].tool}({dict(plan.steps[0].arguments)})")
    yield Row("refused", name, len(cases), sum(not plan.steps for plan in plans) / len(cases))


def finding(errors: list[str]) -> Iterator[Row]:
    """Find the function of each question among those of all sets: is it one of the first five."""
    sets = {name: load(name) for name in (*TUNED, *CHECKED)}
    functions = {one["name"]: one for cases in sets.values() for case in cases for one in case.functions}
    known = planner(list(functions.values()))
    for name, cases in sets.items():
        found = [[candidate.tool for candidate in known.plan(case.question).candidates[:5]] for case in cases]
        for case, names in zip(cases, found, strict=True):
            if case.function not in names:
                errors.append(f"{case.id}: {case.question}\n    {case.function} is not among {', '.join(names)}")
        hits = sum(case.function in names for case, names in zip(cases, found, strict=True))
        yield Row(f"among the first 5 of {len(functions):,}", name, len(cases), hits / len(cases))


def measure(only: str | None, errors: list[str]) -> Iterator[Row]:
    """Give all rows, or those of one set; ``all`` is the search among the functions of all sets."""
    for name in (*TUNED, *CHECKED):
        if only in (None, name):
            yield from calling(name, errors)
    for name in NOTHING:
        if only in (None, name):
            yield from refusing(name, errors)
    if only in (None, "all"):
        yield from finding(errors)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--errors", type=int, default=0, metavar="N", help="also print the first N misses")
    parser.add_argument("--only", choices=(*TUNED, *CHECKED, *NOTHING, "all"))
    options = parser.parse_args()
    errors: list[str] = []
    started = time.process_time()
    rows = list(measure(options.only, errors))
    if options.json:
        print(json.dumps([row._asdict() for row in rows], indent=1))
    else:
        for row in rows:
            print(f"{row.what:28} {row.data:18} {row.cases:6} {100 * row.share:6.1f} %")
        print(f"{time.process_time() - started:.1f} s of CPU time")
    for error in errors[: options.errors]:
        print(error)


if __name__ == "__main__":
    main()

"""``ares rules``: list the planner's rule sets, or test requests."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click
from msgspec import Struct, ValidationError, convert, field, to_builtins

from ares_core.cli import completing, options, output
from ares_core.cli.choosing import no_such
from ares_core.cli.ending import FAILED
from ares_core.cli.opening import opened
from ares_core.counts import counted
from ares_core.errors import ConfigError

if TYPE_CHECKING:
    from ares_core.planner import ExecutionPlan


class Case(Struct, frozen=True, forbid_unknown_fields=True):
    """A request, and what its plan should be: the tools of its steps in order, or the code of its refusal.

    ``arguments`` are those of the last step that matter. ``rule`` names the rules that should hit; with it alone the
    case tests a rule set for which no tools need to be installed.
    """

    request: str
    tool: str | list[str] = ""
    rule: str | list[str] = ""
    arguments: dict[str, Any] = field(default_factory=dict)
    error: str = ""


@click.group(cls=options.Section, invoke_without_command=True)
@click.pass_context
def command(context: click.Context) -> None:
    """List the planner's rule sets, or test requests."""
    if context.invoked_subcommand is None:
        context.invoke(list_sets)


@command.command("list")
@click.argument("name", required=False, shell_complete=completing.rule_sets)
def list_sets(name: str | None = None) -> int:
    """List the planner's rule sets and who brought them, or with NAME the rules of one and how they are worded."""
    return _list_all() if name is None else _list_one(name)


def _list_one(name: str) -> int:
    """Show each rule of a set: what it needs, and how it may be worded."""
    with opened() as ares:
        found = [(plugin, one) for plugin, one in ares.hooks.rule_sets() if one.name == name]
        known = {one.name for _, one in ares.hooks.rule_sets()}
    if not found:
        raise no_such("rule set", name, known)
    rows = [
        {"rule": rule.name, "capabilities": list(rule.capabilities), "reads": rule.reads, "phrases": list(rule.phrases),
         "excludes": list(rule.excludes), "plugin": plugin}
        for plugin, one in found for rule in one.rules
    ]  # fmt: skip
    if options.current().as_json:
        output.document(rows)
    else:
        for row in rows:
            what = " or ".join(row["capabilities"]) or f"reads {row['reads']}"
            output.answer(f"{row['rule']}: {what}")
            output.answer("\n".join(f"  {phrase}" for phrase in row["phrases"]))
    return 0


def _list_all() -> int:
    with opened() as ares:
        wanted = ares.settings.planner.rule_sets
        rows = [
            {"name": one.name, "language": one.language, "rules": len(one.rules), "plugin": plugin,
             "used": wanted is None or one.name in wanted}
            for plugin, one in ares.hooks.rule_sets()
        ]  # fmt: skip
    if options.current().as_json:
        output.document(rows)
    elif rows:
        output.table(list(rows[0]), [[_cell(value) for value in row.values()] for row in rows])
    else:
        output.note("No plugin brings rules; install ares-plugin-rules-en.")
    return 0


def _cell(value: object) -> str:
    return ("no", "yes")[value] if isinstance(value, bool) else str(value)


@command.command("test")
@click.argument("file", type=click.Path(dir_okay=False, exists=True))
def test_requests(file: str) -> int:
    """Plan the requests of a file and compare; run nothing.

    FILE is YAML or JSON: a list of cases, each with 'request' and 'tool' (one, or a list for several steps),
    'arguments' of the last step that matter, or 'error', the code of a refusal; 'rule' names the rules that hit.

    \b
    - {request: sum from 1 to 100, tool: calculator}
    - {request: 'hash "a" with md5', tool: hash_tool, arguments: {operation: md5}}
    - {request: hash this file, error: missing_input}
    - {request: sum of 1 and 2, rule: sum}
    """
    cases = read_cases(file)
    with opened() as ares:
        wrong = [(case, found) for case in cases if (found := "; ".join(differences(case, ares.plan(case.request))))]
    if options.current().as_json:
        failures = [{"case": to_builtins(case), "problem": found} for case, found in wrong]
        output.document({"success": not wrong, "cases": len(cases), "failures": failures})
    else:
        for case, found in wrong:
            output.answer(f"{case.request}: {found}")
        output.answer(f"{len(cases) - len(wrong)} of {counted(len(cases), 'request')} planned as expected")
    return FAILED if wrong else 0


def read_cases(file: str) -> list[Case]:
    """Read the cases of a file."""
    from ares_core.config.yaml_loader import read_yaml

    try:
        with open(file, "rb") as opened_file:
            found, lines = read_yaml(opened_file.read().decode("utf-8-sig"))
    except ConfigError as error:
        raise click.UsageError(f"{file} holds no list of cases: {' '.join(str(error).split())}") from None
    except UnicodeDecodeError as error:
        raise click.UsageError(f"{file} is no UTF-8 text (byte {error.start}).") from None
    if not isinstance(found, list):
        raise click.UsageError(f"{file} holds no list of cases, such as '- {{request: 1+1, tool: calculator}}'.")
    return [_case(one, f"{file} holds no list of cases: line {lines[(place,)]}") for place, one in enumerate(found)]


def _case(given: Any, where: str) -> Case:
    try:
        return convert(given, Case)
    except ValidationError as error:
        raise click.UsageError(f"{where}: {error}") from None


def differences(case: Case, plan: ExecutionPlan) -> Iterator[str]:
    """Say where a plan is not what a case expects."""
    got = plan.error.code if plan.error else ", ".join(step.tool for step in plan.steps)
    wanted = case.error or _listed(case.tool)
    hit = ", ".join(intent.rule for intent in plan.intents)
    if case.rule and hit != _listed(case.rule):
        yield f"expected rule {_listed(case.rule)}, got {hit or 'none'}"
    if got != wanted and (wanted or not case.rule):
        yield f"expected {wanted or 'a tool or an error to be named'}, got {got}"
    elif plan.steps:
        found = plan.steps[-1].arguments
        for name, value in case.arguments.items():
            if found.get(name) != value:
                yield f"expected {name}={value!r}, got {found.get(name)!r}"


def _listed(names: str | list[str]) -> str:
    return names if isinstance(names, str) else ", ".join(names)

"""What runs in the place of a tool that doesn't exist: a plan, if it only reads and leaves nothing out."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from ares_plugin_graph.nodes import ToolNode
from ares_plugin_graph.references import compiled

if TYPE_CHECKING:
    from ares_core import ExecutionPlan, Result
    from ares_plugin_graph.run import Run

CERTAIN = 0.9
LONGEST = 2_000
QUOTES = (('"', '"'), ("'", "'"), ("“", "”"), ("「", "」"))


async def planned(run: Run, node: ToolNode, arguments: Mapping[str, Any]) -> Result | None:
    """Run what the node's request asks for, or what its name and arguments say in words; ``None`` if that is unclear.

    A plan of a ``request`` is taken as it is if it only reads. What is made of a name and arguments is one call, by
    a rule, that has every one of their values; what is made of the arguments alone must also take them by their names.
    """
    for request in requests_of(run, node, arguments):
        plan = run.ares.plan(request)
        if _is_sure(plan) and (node.request is not None or _has_all(plan, arguments)):
            return await run.ares.ask(request, session=run.session, timeout=node.timeout)
    request = _plain(arguments)
    if node.request is None and request:
        plan = run.ares.plan(request)
        if _is_sure(plan) and _has_all(plan, arguments) and arguments.keys() <= plan.steps[0].arguments.keys():
            return await run.ares.ask(request, session=run.session, timeout=node.timeout)
    return None


def requests_of(run: Run, node: ToolNode, arguments: Mapping[str, Any]) -> Iterator[str]:
    """Say in words what a node wants whose tool doesn't exist, the likeliest words first."""
    if node.request is not None:
        make = compiled(node.request)
        yield node.request if make is None else str(make(run.state))
        return
    name = node.tool.replace("_", " ").replace("-", " ").replace(".", " ")
    plain = _plain(arguments)
    quoted = [_quoted(value) if isinstance(value, str) else json.dumps(value) for value in arguments.values()]
    yield " ".join([name, *quoted])[:LONGEST]
    yield f"{name} {plain}"[:LONGEST]


def _quoted(text: str) -> str:
    opening, closing = next((pair for pair in QUOTES if not set(pair) & set(text)), ("", ""))
    return f"{opening}{text}{closing}"


def _plain(arguments: Mapping[str, Any]) -> str:
    values = (value if isinstance(value, str) else json.dumps(value) for value in arguments.values())
    return " ".join(values)[:LONGEST]


def _is_sure(plan: ExecutionPlan) -> bool:
    return plan.error is None and plan.read_only and plan.confidence >= CERTAIN


def _has_all(plan: ExecutionPlan, arguments: Mapping[str, Any]) -> bool:
    if len(plan.steps) != 1 or plan.is_guessed:
        return False
    made = json.dumps(dict(plan.steps[0].arguments), ensure_ascii=False, default=str).lower()
    return all(json.dumps(value, ensure_ascii=False).strip('"').lower() in made for value in _leaves(arguments))


def _leaves(value: Any) -> Iterator[Any]:
    if isinstance(value, Mapping):
        value = list(value.values())
    if isinstance(value, list):
        for one in value:
            yield from _leaves(one)
    else:
        yield value


__all__ = ["planned", "requests_of"]

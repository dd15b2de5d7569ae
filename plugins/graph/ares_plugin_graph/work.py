"""What each kind of node does when its turn comes."""

from __future__ import annotations

import asyncio
import inspect
import random
import time
from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec.structs import replace

from ares_core import Effects, Result, Tool, ToolCall, ToolError, UsageError
from ares_plugin_graph.functions import called, in_thread
from ares_plugin_graph.instead import planned, requests_of
from ares_plugin_graph.nodes import AgentNode, AskNode, FunctionNode, Node, SubGraph, ToolNode
from ares_plugin_graph.references import ReferenceFault, compiled
from ares_plugin_graph.results import NodeError, NodeResult, not_done

if TYPE_CHECKING:
    from ares_plugin_graph.prepared import Step
    from ares_plugin_graph.run import Run

PAUSE = 0.1
LONGEST_PAUSE = 10.0
STATUS = {"approval_required": "waiting", "outcome_unknown": "unknown", "cancelled": "cancelled"}
PASSING = frozenset({"timeout", "rate_limited", "queue_full"})
ASK = Tool(
    "ask_person",
    "Ask a person whether the work may go on.",
    {
        "type": "object",
        "properties": {"question": {"type": "string"}, "show": {"type": "object"}},
        "required": ["question"],
        "additionalProperties": False,
    },
    lambda arguments, context: {"approved": True},
    effects=Effects(read_only=True, destructive=False, open_world=False, interactive=True),
    requires_approval=True,
)


def work(run: Run, step: Step, arguments: Any) -> Awaitable[NodeResult]:
    """Do what a node is for; gives its result, whatever happens, unless it is cancelled."""
    node = step.node
    if node.id in run.approvals:
        return _after_approval(run, node, arguments, run.approvals.pop(node.id))
    return _kind(node)(run, node, arguments)


def _kind(node: Node) -> Callable[[Run, Any, Any], Awaitable[NodeResult]]:
    kind = KINDS.get(type(node)) or next((kind for made, kind in KINDS.items() if isinstance(node, made)), None)
    if kind is None:
        raise TypeError(f"node {node.id!r} is a {type(node).__name__}, which can't be run")
    return kind


async def _after_approval(run: Run, node: Node, arguments: Any, approval: str) -> NodeResult:
    made = await _approved(run, node, approval)
    return await _kind(node)(run, node, arguments) if made is None else made


async def _inner(run: Run, node: SubGraph, arguments: Any) -> NodeResult:
    from ares_plugin_graph.inner import run_inner

    return await run_inner(run, node, arguments)


async def _ask(run: Run, node: AskNode, arguments: Any) -> NodeResult:
    return of_result(await run.ares.bind(tools=[ASK]).call(ToolCall(ASK.name, arguments), session=run.session))


async def _approved(run: Run, node: Node, approval: str) -> NodeResult | None:
    """Go on with a node that waited for a person; ``None`` when they have to be asked anew."""
    approvals = getattr(run.ares, "approvals", None)
    try:
        found = approvals.get(approval) if approvals is not None else None
    except UsageError:
        return None
    if approvals is None or found is None or (found.status == "waiting" and found.expires <= time.time()):
        return None
    if isinstance(node, ToolNode) and found.status != "waiting" and _changes(run, node.tool, found.arguments):
        run.note_start(node.id)
    if not isinstance(node, AskNode):
        return of_result(await approvals.resume(approval))
    if found.status == "approved" and not approvals.use(approval):
        found = approvals.get(approval)  # it was denied at this moment
    if found.status == "waiting":
        return not_done("waiting", "approval_required", "it still waits for a person", approval=approval)
    if found.status == "denied":
        return not_done("failed", "denied", f"a person said no{': ' + found.note if found.note else ''}")
    return NodeResult("done", {"approved": True})


async def _tool(run: Run, node: ToolNode, arguments: Mapping[str, Any]) -> NodeResult:
    changes = _changes(run, node.tool, arguments)
    request = None
    if node.tool not in run.ares.view.entries:
        found = await planned(run, node, arguments)
        if found is not None:
            return replace(of_result(found), planned=True)
        request = next(requests_of(run, node, arguments))
    if changes:
        run.note_start(node.id)
    attempt = 0
    while True:
        attempt += 1
        key = f"{run.run_id}/{node.id}/{run.round}/{attempt}" if changes else None
        call = ToolCall(node.tool, arguments, node.id, key, node.timeout)
        result = await run.ares.call(call, request=request, session=run.session)
        if result.success or attempt > node.retries or not _may_pass(result, changes):
            made = of_result(result, attempt)
            return made if result.call is not None else replace(made, tool=node.tool)
        await asyncio.sleep(min(PAUSE * 2 ** (attempt - 1), LONGEST_PAUSE) * random.uniform(0.5, 1.5))


def _changes(run: Run, tool: str, arguments: Mapping[str, Any]) -> bool:
    entry = run.ares.view.entries.get(tool)
    return entry is not None and may_change(entry.tool, arguments)


def may_change(tool: Tool, arguments: Mapping[str, Any]) -> bool:
    """Whether a call may change something; in doubt it may."""
    effects = tool.effects
    try:
        found = effects if isinstance(effects, Effects) else effects(arguments)
    except Exception:
        return True
    return not found.read_only


def _may_pass(result: Result, changes: bool) -> bool:
    error = result.error
    if error is None or (changes and error.code not in ("rate_limited", "queue_full")):
        return bool(error and error.retriable and not result.metadata.get("attempts"))
    return error.retriable or error.code in PASSING or (error.code == "tool_error" and error.blame != "input")


def of_result(result: Result, attempts: int = 1) -> NodeResult:
    """Make a node's result of a call's."""
    tool = result.call.name if result.call is not None else None
    took = float(result.metadata.get("duration_ms", 0.0))
    if result.success:
        return NodeResult("done", result.data, None, tool, took, attempts, "instead_of" in result.metadata)
    error = result.error
    code, message = (error.code, error.message) if error else ("tool_error", result.text)
    status: Any = STATUS.get(code, "failed")
    return NodeResult(
        status, None, NodeError(code, message), tool, took, attempts, "instead_of" in result.metadata,
        result.metadata.get("approval"),
    )  # fmt: skip


async def _function(run: Run, node: FunctionNode, arguments: Mapping[str, Any]) -> NodeResult:
    if not node.read_only:
        run.note_start(node.id)
    attempt = 0
    while True:
        attempt += 1
        try:
            async with asyncio.timeout(node.timeout) as limit:
                data = await called(node.fn, arguments)
            return NodeResult("done", data, attempts=attempt)
        except TimeoutError as error:
            if limit.expired():
                return _late(node, node.read_only, attempt)
            return not_done("failed", "tool_error", f"TimeoutError: {error}"[:500], attempts=attempt)
        except ToolError as error:
            if not error.retriable or attempt > node.retries:
                return not_done("failed", "tool_error", str(error), attempts=attempt)
        except Exception as error:
            return not_done("failed", "tool_error", f"{type(error).__name__}: {error}"[:500], attempts=attempt)
        await asyncio.sleep(min(PAUSE * 2 ** (attempt - 1), LONGEST_PAUSE) * random.uniform(0.5, 1.5))


def _late(node: FunctionNode | AgentNode, reads: bool, attempts: int = 1) -> NodeResult:
    says = f"{node.id} did not end within {node.timeout:g} s"
    if reads:
        return not_done("failed", "timeout", says, attempts=attempts)
    return not_done("unknown", "outcome_unknown", f"{says}, and may have changed something", attempts=attempts)


async def _agent(run: Run, node: AgentNode, arguments: Mapping[str, Any]) -> NodeResult:
    run.note_start(node.id)
    if node.agent is None:
        task = {"task": arguments["prompt"], **({"tools": list(node.tools)} if node.tools else {})}
        return of_result(await run.ares.call(ToolCall("delegate_task", task, node.id, None, node.timeout)))
    try:
        async with asyncio.timeout(node.timeout) as limit:
            answer = await node.agent.run(arguments["prompt"])
    except Exception as error:
        if limit.expired():
            return _late(node, reads=False)
        return not_done("failed", "tool_error", f"{type(error).__name__}: {error}"[:500])
    outcome = getattr(answer, "outcome", "final")
    text = getattr(answer, "text", answer)
    if outcome not in ("final", "done"):
        status: Any = "waiting" if outcome == "approval_required" else "failed"
        return not_done(status, str(outcome), str(text)[:500])
    return NodeResult("done", {"text": text} if isinstance(text, str) else msgspec.to_builtins(text, enc_hook=str))


async def take_back(run: Run, node: ToolNode, result: NodeResult, arguments: Mapping[str, Any]) -> tuple[bool, str]:
    """Undo what a node did; tells whether that worked, and what to say of it."""
    reason = await (_by_call(run, node) if isinstance(node.undo, Mapping) else _by_tool(run, node, result, arguments))
    return not reason, f"{node.id} could not be undone: {reason}"[:300] if reason else f"{node.id} was undone"


async def _by_call(run: Run, node: ToolNode) -> str:
    given: Mapping[str, Any] = node.undo if isinstance(node.undo, Mapping) else {}
    template = given.get("arguments") or {}
    make = compiled(template)
    try:
        arguments = make(run.state) if make else template
    except ReferenceFault as error:
        return str(error)
    result = await run.ares.call(
        ToolCall(str(given.get("tool")), arguments, f"{node.id}-undo"), session=run.session
    )  # fmt: skip
    return "" if result.success else result.text


async def _by_tool(run: Run, node: ToolNode, result: NodeResult, arguments: Mapping[str, Any]) -> str:
    entry = run.ares.view.entries.get(result.tool or node.tool)
    undo = entry.tool.undo if entry is not None else None
    if undo is None:
        return "its tool has no undo"
    try:
        made = undo(arguments, result.data) if inspect.iscoroutinefunction(undo) else None
        await (made if made is not None else in_thread(lambda: undo(arguments, result.data)))
    except (Exception, asyncio.CancelledError) as error:
        return f"{type(error).__name__}: {error}"
    return ""


KINDS: Mapping[type, Callable[[Run, Any, Any], Awaitable[NodeResult]]] = {
    ToolNode: _tool, FunctionNode: _function, SubGraph: _inner, AskNode: _ask, AgentNode: _agent,
}  # fmt: skip

__all__ = ["ASK", "may_change", "of_result", "take_back", "work"]

"""The tool ``delegate_task``: a task is given to a sub-agent, which has a part of its caller's tools and budget."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ares_core import Effects, Failure, Host, Result, Tool, ToolContext, ToolError, counted
from ares_plugin_agent_tools.cleaning import cut
from ares_plugin_agent_tools.database import Database
from ares_plugin_agent_tools.schema import needing
from ares_plugin_agent_tools.settings import Settings

if TYPE_CHECKING:
    from ares_plugin_agent_tools.children import Child, Children
    from ares_plugin_agent_tools.records import Record

PARAMETERS: dict[str, Any] = {
    "type": "object",
    "properties": {
        "operation": {
            "type": "string",
            "enum": ["run", "result", "list", "stop", "resume"],
            "default": "run",
            "description": "run a task; by its handle get the result of an earlier one, stop it, or resume one that "
            "waited for a person's approval; list those of this session.",
        },
        "task": {
            "type": "string",
            "minLength": 1,
            "maxLength": 50_000,
            "description": "For run: what to do, with all that the sub-agent has to know. It sees nothing of this "
            "conversation.",
        },
        "tools": {
            "type": "array",
            "maxItems": 200,
            "items": {"type": "string", "minLength": 1, "maxLength": 256},
            "description": "For run: the names of the tools it gets, of those you have; all of them if left out.",
        },
        "handle": {"type": "string", "minLength": 1, "maxLength": 64, "description": "For result, stop, resume."},
        "wait": {
            "type": "number",
            "minimum": 0,
            "maximum": 3600,
            "description": "Seconds to wait for the end; then it goes on and its handle is given. With 0 several can "
            "work side by side. As long as it takes if left out.",
        },
    },
    **needing({"result": ["handle"], "stop": ["handle"], "resume": ["handle"], "run": ["task"]}, default="run"),
    "additionalProperties": False,
}
EXAMPLES = (
    {"task": "Read notes.txt and list the names in it.", "tools": ["file_tools"]},
    {"operation": "result", "handle": "d-0123456789ab", "wait": 30},
)
RUNS = Effects()
READS = Effects(read_only=True, destructive=False, open_world=True)
LOOKS = Effects(read_only=True, destructive=False, idempotent=True, open_world=True, polling=True)
STOPS = Effects(idempotent=True, open_world=True)
MARGIN = 0.5
"""Seconds before the call's own deadline in which it still answers."""
PATIENCE = 5.0


class Delegating:
    """The operations of the tool, for one Ares; what they need is imported at the first call."""

    def __init__(self, host: Host, settings: Settings, database: Database) -> None:
        self._host = host
        self._settings = settings
        self._database = database
        self._children: Children | None = None
        self._lock = threading.Lock()

    @property
    def children(self) -> Children:
        """The sub-agents."""
        from ares_plugin_agent_tools.children import Children

        with self._lock:
            if self._children is None:
                self._children = Children(self._host, self._settings, self._database)
            return self._children

    def effects(self, arguments: Mapping[str, Any]) -> Effects:
        """Say what a call does: a sub-agent may do whatever its tools do, and only reads if they do."""
        operation, tools = str(arguments.get("operation")), arguments.get("tools")
        if operation in ("result", "list"):
            return LOOKS
        if operation == "stop":
            return STOPS
        return READS if tools and all(_only_reads(self._host, name) for name in tools) else RUNS

    async def execute(self, arguments: Mapping[str, Any], context: ToolContext) -> Any:
        """Run one operation."""
        operation, children = arguments["operation"], self.children
        if operation == "run":
            return await _run(children, self._settings, arguments, context)
        if operation == "list":
            records = await asyncio.to_thread(children.list, context)
            return {"sub_agents": [_line(record) for record in records]}
        found = await asyncio.to_thread(children.find, arguments["handle"], context)
        if operation == "resume":
            return await _resume(children, found, arguments, context)
        return await (_stop if operation == "stop" else _look)(found, arguments, context)


def delegate_tool(host: Host, settings: Settings, database: Database) -> Tool:
    """Make the tool."""
    delegating = Delegating(host, settings, database)
    return Tool(
        "delegate_task",
        "Give a task to a sub-agent that works on it by itself with some of your tools and reports back. For work that "
        "can be described completely and would fill this conversation.",
        PARAMETERS,
        delegating.execute,
        capabilities=("Delegation",),
        toolset="agent",
        effects=delegating.effects,
        examples=EXAMPLES,
        timeout=settings.seconds + PATIENCE,
        cost=50,
        latency_ms=30_000,
        deterministic=False,
        composable=False,
    )


def _only_reads(host: Host, name: Any) -> bool:
    tool = host.registry.get(name) if isinstance(name, str) else None
    return tool is not None and isinstance(tool.effects, Effects) and tool.effects.read_only


async def _run(children: Children, settings: Settings, arguments: Mapping[str, Any], context: ToolContext) -> Any:
    child = await children.begin(arguments["task"], arguments.get("tools"), context)
    context.emit("sub-agent begun", handle=child.record.handle)
    try:
        return await _waited(child, arguments.get("wait"), context)
    except asyncio.CancelledError:
        if settings.when_interrupted == "stop":
            child.stop()
        raise


async def _look(found: Child | Record, arguments: Mapping[str, Any], context: ToolContext) -> Any:
    from ares_plugin_agent_tools.records import Record

    if isinstance(found, Record):
        return answered(found, is_asked=True)
    return await _waited(found, arguments.get("wait", 0), context)


async def _resume(children: Children, found: Child | Record, arguments: Mapping[str, Any], context: ToolContext) -> Any:
    from ares_plugin_agent_tools.records import Record

    if isinstance(found, Record):
        raise ToolError(f"sub-agent {found.handle} worked in a process that ended, and can't go on; nothing was done",
                        hint="Give the task anew.", blame="input")  # fmt: skip
    children.resume(found)
    return await _waited(found, arguments.get("wait"), context)


async def _stop(found: Child | Record, arguments: Mapping[str, Any], context: ToolContext) -> Any:
    from ares_plugin_agent_tools.records import Record

    if isinstance(found, Record):
        return _row(found)
    found.stop()
    return _row(await found.wait(min(PATIENCE, context.remaining - MARGIN)))


async def _waited(child: Child, wait: float | None, context: ToolContext) -> Any:
    longest = max(context.remaining - MARGIN, context.remaining * 0.8)
    record = await child.wait(longest if wait is None else min(wait, longest))
    return answered(record, is_asked=wait is not None)


def answered(record: Record, *, is_asked: bool) -> Any:
    """Give the answer of a sub-agent, or a failure that says how it ended; one still at work is none if asked so."""
    data = _row(record)
    if record.status == "done" or record.status == "running" and is_asked:
        return data
    if record.status == "running":
        message = f"sub-agent {record.handle} has not ended yet and goes on"
        hint = f'Ask for it later: {{"operation": "result", "handle": "{record.handle}", "wait": 60}}.'
        return Result(False, data, Failure("timeout", f"{message}. {hint}", blame="world"))
    said = f" It had said: {cut(record.said, 2_000)}" if record.said else ""
    message = f"Sub-agent {record.handle} gave no answer ({record.outcome or record.status}): {record.text}{said}"
    return Result(False, data, Failure("tool_error", message, blame="world"))


def _row(record: Record) -> dict[str, Any]:
    from msgspec import to_builtins

    row: dict[str, Any] = to_builtins(record)
    return {key: value for key, value in row.items() if key != "until"}


def _line(record: Record) -> dict[str, Any]:
    return {"handle": record.handle, "status": record.status, "task": cut(record.task, 200), "begun": record.begun,
            "ended": record.ended}  # fmt: skip


def said(result: Result) -> str | None:
    """Write the sub-agent's answer, and a line on what it took."""
    data = result.data
    if "sub_agents" in data:
        rows = [f"{one['handle']} {one['status']}: {cut(one['task'], 100)}" for one in data["sub_agents"]]
        return "\n".join(rows) or "this session has had no sub-agents"
    if data["status"] == "running":
        return f"sub-agent {data['handle']} is at work; ask for its result with this handle"
    spent = f"{counted(data['turns'], 'turn')}, {counted(data['calls'], 'call')}"
    return f"{data['text']}\n[sub-agent {data['handle']} {data['status']}, {spent}]"

"""The tool ``todo``: the list of tasks of a session, for an agent that works through many steps."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from ares_core import Effects, Result, Tool, ToolContext, ToolError
from ares_plugin_agent_tools.cleaning import cleaned

STATUSES = ("pending", "in_progress", "completed", "cancelled")
MARKS = {"pending": "[ ]", "in_progress": "[>]", "completed": "[x]", "cancelled": "[-]"}
MOST = 256
MOST_SESSIONS = 1_000
PARAMETERS: dict[str, Any] = {
    "type": "object",
    "properties": {
        "todos": {
            "type": "array",
            "maxItems": MOST,
            "description": "The tasks, the most important first. Left out: the list is only read.",
            "items": {
                "type": "object",
                "properties": {
                    "id": {"type": "string", "minLength": 1, "maxLength": 64, "description": "Names the task."},
                    "content": {
                        "type": "string",
                        "minLength": 1,
                        "maxLength": 4_000,
                        "description": "What is to be done; may be left out for a task that is known.",
                    },
                    "status": {
                        "type": "string",
                        "enum": list(STATUSES),
                        "description": "How far it is; one that is new is pending.",
                    },
                },
                "required": ["id"],
                "additionalProperties": False,
            },
        },
        "merge": {
            "type": "boolean",
            "default": False,
            "description": "true: change or add only these tasks; false: the list becomes these tasks.",
        },
    },
    "additionalProperties": False,
}
EXAMPLES: tuple[dict[str, Any], ...] = (
    {"todos": [{"id": "1", "content": "Read the log", "status": "in_progress"}, {"id": "2", "content": "Mend it"}]},
    {},
)
READS = Effects(read_only=True, destructive=False, idempotent=True, open_world=False)
WRITES = Effects(destructive=False, idempotent=True, open_world=False)
Task = dict[str, str]


def effects(arguments: Mapping[str, Any]) -> Effects:
    """Say whether a call changes the list."""
    return READS if arguments.get("todos") is None else WRITES


class Lists:
    """The lists of the sessions used last."""

    def __init__(self) -> None:
        self._lists: dict[str, list[Task]] = {}
        self._lock = threading.Lock()

    def read(self, session: str | None) -> list[Task]:
        """Give the list of a session."""
        return list(self._lists.get(session or "", ()))

    def write(self, session: str | None, given: Sequence[Mapping[str, str]], *, merge: bool) -> list[Task]:
        """Change or replace the list, in one step; a task of the same id is one task, and what was said last holds."""
        with self._lock:
            known = {task["id"]: task for task in self._lists.get(session or "", ())}
            tasks = dict(known) if merge else {}
            for change in given:
                task = _changed(tasks.get(change["id"]) or known.get(change["id"]), change)
                tasks[task["id"]] = task
            if len(tasks) > MOST:
                raise ToolError(f"the list would have {len(tasks)} tasks, more than {MOST}; it was left as it is",
                                hint="Leave out what is completed.", blame="input")  # fmt: skip
            if session is not None:
                self._keep(session, list(tasks.values()))
        return list(tasks.values())

    def _keep(self, session: str, tasks: list[Task]) -> None:
        self._lists.pop(session, None)
        self._lists[session] = tasks
        if len(self._lists) > MOST_SESSIONS:
            del self._lists[next(iter(self._lists))]


def _changed(known: Task | None, change: Mapping[str, str]) -> Task:
    content = cleaned(change.get("content", "")).strip() or (known or {}).get("content", "")
    if not content:
        raise ToolError(
            f"task {change['id']!r} is new and says nothing; the list was left as it is",
            hint="Give it a content.", blame="input",
        )  # fmt: skip
    return {"id": change["id"], "content": content,
            "status": change.get("status") or (known or {}).get("status", "pending")}  # fmt: skip


def todo_tool() -> Tool:
    """Make the tool, with lists of its own."""
    lists = Lists()

    async def execute(arguments: Mapping[str, Any], context: ToolContext) -> dict[str, Any]:
        """Read or write the list of this session."""
        given, session = arguments.get("todos"), context.session
        tasks = lists.read(session) if given is None else lists.write(session, given, merge=arguments["merge"])
        counts = Counter(task["status"] for task in tasks)
        return {"todos": tasks, "counts": {status: counts[status] for status in STATUSES}, "kept": session is not None}

    return Tool(
        "todo",
        "Keep the list of tasks of this session: write it down before work of many steps, mark what is in progress and "
        "completed as you go. Gives the whole list back.",
        PARAMETERS,
        execute,
        capabilities=("TaskList",),
        toolset="agent",
        effects=effects,
        examples=EXAMPLES,
        cost=1,
        latency_ms=1,
        deterministic=False,
        composable=False,
    )


def said(result: Result) -> str:
    """Write the list as a person would."""
    data = result.data
    lines = [f"{MARKS[task['status']]} {task['id']}: {task['content']}" for task in data["todos"]]
    if not lines:
        return "no tasks"
    counts = ", ".join(f"{count} {status.replace('_', ' ')}" for status, count in data["counts"].items() if count)
    note = "" if data["kept"] else "\n(this call belongs to no session, so the list is not kept)"
    return "\n".join([*lines, counts]) + note

"""The tool ``read_terminal``: what the tools of a session, and the program around it, have put out."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Iterator, Mapping
from typing import Any

from ares_core import Effects, Event, Host, Result, Tool, ToolContext, ToolError
from ares_plugin_agent_tools.cleaning import cut, lines_of
from ares_plugin_agent_tools.settings import Settings

MOST_LINES = 1_000
MOST_SESSIONS = 1_000
MOST_EVENTS = 2_000
LINES_OF_ONE = 200
LONGEST_OF_ONE = 64_000
KINDS = ("progress", "finished", "failed", "denied", "unknown")
OWN = frozenset({"read_terminal", "session_search"})
PARAMETERS: dict[str, Any] = {
    "type": "object",
    "properties": {
        "lines": {
            "type": "integer",
            "minimum": 1,
            "maximum": 500,
            "default": 50,
            "description": "How many lines, counted from the end.",
        },
        "skip": {
            "type": "integer",
            "minimum": 0,
            "maximum": 100_000,
            "default": 0,
            "description": "How many of the last lines to leave out, to read further back.",
        },
    },
    "additionalProperties": False,
}
NO_SESSION = "this call belongs to no session, and output is captured for sessions; nothing was read"


class Screens:
    """The last lines of the sessions used last."""

    def __init__(self, most_lines: int = MOST_LINES, most_sessions: int = MOST_SESSIONS) -> None:
        self._most_lines = most_lines
        self._most_sessions = most_sessions
        self._screens: dict[str, deque[str]] = {}
        self._lock = threading.Lock()

    def hear(self, event: Event) -> None:
        """Take in what an event shows."""
        if event.session is None or event.tool in OWN:
            return
        with self._lock:
            screen = self._screens.pop(event.session, None)
            self._screens[event.session] = screen = deque(maxlen=self._most_lines) if screen is None else screen
            screen.extend(shown(event))
            if len(self._screens) > self._most_sessions:
                del self._screens[next(iter(self._screens))]

    def lines(self, session: str) -> list[str]:
        """Give what a session shows, oldest first."""
        with self._lock:
            return list(self._screens.get(session, ()))


def shown(event: Event) -> Iterator[str]:
    """Give the lines that an event puts out: who says it, and what.

    >>> list(shown(Event("progress", "1", 0.0, "build", data={"message": "step 1\\nstep 2"})))
    ['build: step 1', 'build: step 2']
    """
    said = event.data.get("message" if event.kind == "progress" else "text")
    if event.kind not in KINDS or not isinstance(said, str) or not said:
        return
    who = f"{event.tool}: " if event.tool else ""
    for line in lines_of(cut(said, LONGEST_OF_ONE))[-LINES_OF_ONE:]:
        yield f"{who}{line}"


class Capture:
    """Where the lines come from: the store of events if there is one, otherwise what was heard since it began."""

    def __init__(self, host: Host, at_once: bool) -> None:
        self._host = host
        self._screens: Screens | None = None
        self._lock = threading.Lock()
        if at_once:
            self._begin()

    def lines(self, session: str) -> tuple[list[str], bool]:
        """Give the lines of a session, and whether they were captured before this call."""
        store = self._host.events
        if store is not None and self._screens is None:
            events = store.query(limit=MOST_EVENTS, session=session)
            lines = [line for event in events if event.tool not in OWN for line in shown(event)]
            return lines[-MOST_LINES:], True
        was_there = self._screens is not None
        return self._begin().lines(session), was_there

    def _begin(self) -> Screens:
        with self._lock:
            if self._screens is None:
                self._screens = Screens()
                self._host.on_event(self._screens.hear, kinds=KINDS)
            return self._screens


def terminal_tool(host: Host, settings: Settings) -> Tool:
    """Make the tool; it listens from now on if the configuration says so, otherwise when it is first called."""
    capture = Capture(host, settings.capture)

    def execute(arguments: Mapping[str, Any], context: ToolContext) -> dict[str, Any]:
        """Give the last lines of this session."""
        if context.session is None:
            raise ToolError(NO_SESSION, hint="Call it in a named session.", blame="input")
        lines, was_captured = capture.lines(context.session)
        end = max(len(lines) - arguments["skip"], 0)
        begin = max(end - arguments["lines"], 0)
        return {"lines": lines[begin:end], "first": begin + 1, "total": len(lines), "captured": was_captured}

    return Tool(
        "read_terminal",
        "Read the latest output of this session: what its tools told while they worked, what they gave, and what the "
        "program put out. Never that of another session.",
        PARAMETERS,
        execute,
        capabilities=("OwnOutput",),
        toolset="agent",
        effects=Effects(read_only=True, destructive=False, idempotent=True, open_world=True, polling=True),
        examples=({"lines": 20}, {"lines": 50, "skip": 50}),
        cost=1,
        latency_ms=5,
        deterministic=False,
        composable=False,
    )


def said(result: Result) -> str:
    """Write the lines, and how to read further back."""
    data = result.data
    if not data["captured"]:
        return "nothing was captured before this call; from now on it is (from the start: agent_tools.capture: true)"
    if not data["lines"]:
        return "there is no output" + (" so far back" if data["total"] else " yet")
    last = data["first"] + len(data["lines"]) - 1
    return "\n".join([*data["lines"], f"(lines {data['first']} to {last} of {data['total']})"])

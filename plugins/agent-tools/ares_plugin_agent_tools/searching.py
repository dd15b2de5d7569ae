"""The tool ``session_search``: what was done earlier, out of the store of events."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from msgspec import Struct

from ares_core import Effects, Event, Host, Result, Tool, ToolContext, ToolError, counted
from ares_plugin_agent_tools.cleaning import cleaned, cut
from ares_plugin_agent_tools.settings import Settings

MOST_EVENTS = 5_000
LONGEST_PART = 2_000
SNIPPET = 300
OWN = frozenset({"read_terminal", "session_search"})
ENDS = ("finished", "failed", "denied", "unknown")
PARAMETERS: dict[str, Any] = {
    "type": "object",
    "properties": {
        "query": {
            "type": "string",
            "maxLength": 500,
            "description": "Words to look for in arguments and results; left out: the latest calls.",
        },
        "tool": {"type": "string", "maxLength": 256, "description": "Only calls of this tool."},
        "session": {
            "type": "string",
            "maxLength": 256,
            "description": "Another session than this one, as far as that is allowed.",
        },
        "limit": {
            "type": "integer",
            "minimum": 1,
            "maximum": 50,
            "default": 10,
            "description": "How many calls at most.",
        },
    },
    "additionalProperties": False,
}
NO_STORE = "no events are kept here, so there is nothing to search"
KEEP = "Whoever runs Ares can keep them with stores.events: store-sqlite (or memory)."


class Past(Struct):
    """One call as the events tell of it."""

    id: str
    tool: str
    time: float
    session: str | None
    outcome: str = "begun"
    arguments: str = ""
    text: str = ""

    def take(self, event: Event) -> None:
        """Take in what one more event of this call tells."""
        if "arguments" in event.data:
            arguments = json.dumps(event.data["arguments"], ensure_ascii=False, default=str)
            self.arguments = cleaned(cut(arguments, LONGEST_PART))
        if event.kind in ENDS:
            self.outcome = str(event.data.get("code") or event.kind)
            self.text = cleaned(cut(str(event.data.get("text", "")), LONGEST_PART))

    def found(self, words: Sequence[str]) -> int:
        """Count which of the words it has."""
        text = f"{self.tool}\n{self.arguments}\n{self.text}".casefold()
        return sum(word in text for word in words)

    def shown(self, words: Sequence[str]) -> dict[str, Any]:
        """Show it, with the part of its text where the words are."""
        time = dt.datetime.fromtimestamp(self.time, dt.UTC).isoformat(timespec="seconds")
        return {"id": self.id, "time": time, "session": self.session, "tool": self.tool, "outcome": self.outcome,
                "arguments": cut(self.arguments, SNIPPET), "text": _around(self.text, words)}  # fmt: skip


def told(events: Iterable[Event]) -> list[Past]:
    """Put the events of each call together, newest call first; those of looking back are left out."""
    calls: dict[str, Past] = {}
    for event in events:
        if not event.tool or event.tool in OWN:
            continue
        call = calls.get(event.execution_id)
        if call is None:
            call = calls[event.execution_id] = Past(event.execution_id, event.tool, event.time, event.session)
        call.take(event)
    return list(reversed(calls.values()))


def best(calls: Sequence[Past], query: str, limit: int) -> tuple[list[Past], list[str]]:
    """Give the calls that have all the words of a query, newest first; if none has, those that have most of them."""
    words = list(dict.fromkeys(cleaned(query).casefold().split()))[:16]
    if not words:
        return list(calls[:limit]), words
    counted = [(call.found(words), call) for call in calls]
    most = max((count for count, _ in counted), default=0)
    return [call for count, call in counted if count == most > 0][:limit], words


def search_tool(host: Host, settings: Settings) -> Tool:
    """Make the tool."""

    def execute(arguments: Mapping[str, Any], context: ToolContext) -> dict[str, Any]:
        """Search the events of the sessions that this one may see."""
        store = host.events
        if store is None:
            raise ToolError(NO_STORE, hint=KEEP, blame="world")
        session = _session(arguments.get("session"), context.session, all_sessions=settings.all_sessions)
        events = store.query(limit=MOST_EVENTS, session=session, tool=arguments.get("tool"))
        found, words = best(told(events), arguments.get("query", ""), arguments["limit"])
        return {"calls": [call.shown(words) for call in found], "searched": len(events)}

    return Tool(
        "session_search",
        "Look up what was done earlier in this session: calls with arguments and results, by words or the latest.",
        PARAMETERS,
        execute,
        capabilities=("OwnPast",),
        toolset="agent",
        effects=Effects(read_only=True, destructive=False, idempotent=True, open_world=True),
        examples=({"query": "invoice 2024", "limit": 5}, {"tool": "file_tools"}),
        cost=1,
        latency_ms=30,
        deterministic=False,
        composable=False,
    )


def _session(wanted: str | None, own: str | None, *, all_sessions: bool) -> str | None:
    """Say which session may be read: the own one and those below it, unless all may."""
    if all_sessions:
        return wanted
    if own is None:
        raise ToolError("this call belongs to no session, so there is nothing of its own to search",
                        hint="Call it in a named session.", blame="input")  # fmt: skip
    if wanted is None or wanted == own or wanted.startswith(f"{own}/"):
        return wanted or own
    raise ToolError("only this session and its sub-agents' can be searched; nothing was read",
                    hint="Leave 'session' out.", blame="input")  # fmt: skip


def _around(text: str, words: Sequence[str]) -> str:
    folded = text.casefold()
    places = [place for word in words if (place := folded.find(word)) >= 0]
    begin = max(min(places, default=0) - SNIPPET // 3, 0)
    part = text[begin : begin + SNIPPET]
    return f"{'…' if begin else ''}{part}{'…' if begin + SNIPPET < len(text) else ''}"


def said(result: Result) -> str:
    """Write one paragraph for each call."""
    rows = [
        f"{call['time']} {call['tool']} {call['arguments']} [{call['outcome']}]\n{call['text']}".rstrip()
        for call in result.data["calls"]
    ]
    return "\n\n".join(rows) or f"nothing fits; looked at {counted(result.data['searched'], 'event')}"

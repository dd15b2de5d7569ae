"""Spans and metrics made of events: one span a call, with the calls inside it below it; one a run; one a turn.

A listener is called where the event happens, in the context of the call. So a span can be made the current one there,
and what the tool itself traces lies below it.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping
from typing import Any

from opentelemetry import context as contexts
from opentelemetry import metrics, trace
from opentelemetry.context import Context
from opentelemetry.trace import Span, SpanKind, Status, StatusCode

from ares_core import Event, __version__
from ares_plugin_otel import names

MOST_OPEN = 100_000
LONGEST = 8_000
NO_FAULT = frozenset({"approval_required"})
"""Codes of calls that wait: nothing has gone wrong."""


class _Open:
    """One span that has begun, and the context to go back to when it ends."""

    __slots__ = ("attempts", "before", "began", "edits", "queued", "span", "waited")

    def __init__(self, span: Span, before: Context, began: float) -> None:
        self.span, self.before, self.began = span, before, began
        self.edits, self.attempts, self.queued, self.waited = 0, 1, 0.0, 0.0


class Tracing:
    """A listener that makes spans and metrics."""

    def __init__(self, registry: Any, *, content: bool) -> None:
        self._registry = registry
        self._content = content
        self._open: dict[str, _Open] = {}
        self._lock = threading.Lock()
        self._tracer = trace.get_tracer("ares", __version__)
        meter = metrics.get_meter("ares", __version__)
        self._duration = meter.create_histogram(names.DURATION, "s", "How long calls take, waiting included.")
        self._wait = meter.create_histogram(names.QUEUE_WAIT, "s", "How long calls wait for a place.")
        self._refusals = meter.create_counter(names.REFUSALS, "{call}", "Calls that did not succeed, by code.")

    def __call__(self, event: Event) -> None:
        """Take an event in."""
        kind, _, what = event.kind.rpartition(".")
        if not kind:
            self._of_call(event)
        elif kind == "run":
            self._of_whole(event, f"run {event.run}", what, self._run_started)
        elif kind == "plan":
            self._of_whole(event, f"plan {event.run}", what, self._plan_started)
        elif kind == "turn":
            self._of_whole(event, f"turn {event.run} {event.session}", what, self._turn_started)
        elif what == "skipped":
            trace.get_current_span().add_event("node skipped", {names.NODE: event.node or ""})

    def _of_call(self, event: Event) -> None:
        if event.kind == "requested":
            self._begin(event.execution_id, event, f"execute_tool {event.tool}", SpanKind.INTERNAL, _of(event))
            return
        open_ = self._open.get(event.execution_id)
        if open_ is None:
            return
        step = getattr(self, f"_{event.kind}", None)
        if step is not None:
            step(open_, event)

    def _begin(self, key: str, event: Event, name: str, kind: SpanKind, attributes: Mapping[str, Any]) -> None:
        before = contexts.get_current()
        span = self._tracer.start_span(name, before, kind, dict(attributes), start_time=_nanoseconds(event))
        with self._lock:
            while len(self._open) >= MOST_OPEN:
                self._open.pop(next(iter(self._open))).span.end()
            self._open[key] = _Open(span, before, event.time)
        contexts.attach(trace.set_span_in_context(span, before))

    def _end(self, key: str, event: Event) -> _Open | None:
        with self._lock:
            open_ = self._open.pop(key, None)
        if open_ is None:
            return None
        try:
            open_.span.end(_nanoseconds(event))
        finally:  # whatever a processor of spans raises, what comes next does not lie below this one
            if trace.get_current_span() is open_.span:
                contexts.attach(open_.before)
        return open_

    def _resolved(self, open_: _Open, event: Event) -> None:
        open_.span.update_name(f"execute_tool {event.tool}")
        open_.span.set_attribute(names.TOOL, event.tool)
        tool = self._registry.get(event.tool)
        if tool is not None:
            open_.span.set_attribute(names.DESCRIPTION, tool.description[:LONGEST])

    def _repaired(self, open_: _Open, event: Event) -> None:
        open_.edits += 1

    def _validated(self, open_: _Open, event: Event) -> None:
        if event.call_id:
            open_.span.set_attribute(names.CALL_ID, event.call_id)
        if self._content:
            open_.span.set_attribute(names.ARGUMENTS, _json(event.data.get("arguments")))

    _rewritten = _validated

    def _approval_requested(self, open_: _Open, event: Event) -> None:
        open_.span.add_event("approval requested", {"reason": str(event.data.get("reason", ""))}, _nanoseconds(event))

    def _approved(self, open_: _Open, event: Event) -> None:
        open_.span.add_event("approved", {}, _nanoseconds(event))

    def _queued(self, open_: _Open, event: Event) -> None:
        open_.queued = event.time

    def _started(self, open_: _Open, event: Event) -> None:
        if open_.queued:
            open_.waited = max(event.time - open_.queued, 0.0)
            open_.span.set_attribute(names.QUEUE_WAIT, open_.waited)
            self._wait.record(open_.waited, {names.TOOL: event.tool})

    def _retried(self, open_: _Open, event: Event) -> None:
        open_.attempts += 1

    def _progress(self, open_: _Open, event: Event) -> None:
        said = {"message": str(event.data.get("message", ""))[:LONGEST]} if self._content else {}
        open_.span.add_event("progress", said, _nanoseconds(event))

    def _finished(self, open_: _Open, event: Event) -> None:
        self._close(open_, event, None)

    def _failed(self, open_: _Open, event: Event) -> None:
        self._close(open_, event, str(event.data.get("code", "failed")))

    _denied = _failed
    _unknown = _failed

    def _close(self, open_: _Open, event: Event, code: str | None) -> None:
        span, labels = open_.span, {names.OPERATION: "execute_tool", names.TOOL: event.tool}
        if open_.edits:
            span.set_attribute(names.EDITS, open_.edits)
        if open_.attempts > 1:
            span.set_attribute(names.ATTEMPTS, open_.attempts)
        if self._content:
            span.set_attribute(names.RESULT, str(event.data.get("text", ""))[:LONGEST])
        if code is not None:
            span.set_attribute(names.ERROR_TYPE, code)
            labels[names.ERROR_TYPE] = code
            self._refusals.add(1, {names.TOOL: event.tool, names.ERROR_TYPE: code})
            if code not in NO_FAULT:
                span.set_status(
                    Status(StatusCode.ERROR, str(event.data.get("text", ""))[:200] if self._content else code)
                )
        self._duration.record(max(event.time - open_.began, 0.0), labels)
        self._end(event.execution_id, event)

    def _of_whole(self, event: Event, key: str, what: str, begin: Any) -> None:
        if what == "started":
            begin(key, event)
            return
        open_ = self._open.get(key)
        if open_ is None:
            return
        open_.span.set_attribute(names.STATUS, what)
        for name, attribute in (("input_tokens", names.INPUT_TOKENS), ("output_tokens", names.OUTPUT_TOKENS)):
            if isinstance(event.data.get(name), int):
                open_.span.set_attribute(attribute, event.data[name])
        if what == "failed":
            open_.span.set_attribute(names.ERROR_TYPE, str(event.data.get("code", "failed")))
            open_.span.set_status(Status(StatusCode.ERROR))
        self._end(key, event)

    def _run_started(self, key: str, event: Event) -> None:
        agent = event.data.get("agent")
        name = str(agent or event.data.get("graph") or "run")
        operation, attribute = ("invoke_agent", names.AGENT) if agent else ("invoke_workflow", names.WORKFLOW)
        attributes = {**_of(event), names.OPERATION: operation, attribute: name}
        self._begin(key, event, f"{operation} {name}", SpanKind.INTERNAL, attributes)

    def _plan_started(self, key: str, event: Event) -> None:
        attributes = {**_of(event), names.OPERATION: "invoke_workflow", names.WORKFLOW: "plan"}
        self._begin(key, event, "invoke_workflow plan", SpanKind.INTERNAL, attributes)

    def _turn_started(self, key: str, event: Event) -> None:
        model = str(event.data.get("model") or "model")
        attributes = {**_of(event), names.OPERATION: "chat", names.MODEL: model}
        if event.data.get("provider"):
            attributes[names.PROVIDER] = str(event.data["provider"])
        self._begin(key, event, f"chat {model}", SpanKind.CLIENT, attributes)


def _of(event: Event) -> dict[str, Any]:
    """Give the attributes that every span has."""
    found: dict[str, Any] = {}
    if "." not in event.kind:
        found = {names.OPERATION: "execute_tool", names.TOOL: event.tool, names.TOOL_TYPE: "function"}
        if event.tool.startswith("mcp."):
            found[names.MCP_METHOD] = "tools/call"
    more = {names.CONVERSATION: event.session, names.RUN: event.run, names.NODE: event.node, names.TURN: event.turn}
    return {**found, **{name: value for name, value in more.items() if value}}


def _nanoseconds(event: Event) -> int:
    return int(event.time * 1e9)


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, default=str)[:LONGEST]


__all__ = ["Tracing"]

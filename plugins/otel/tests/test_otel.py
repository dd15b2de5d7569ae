"""Spans and metrics: one tree for calls, runs and turns; content only on demand; silence when nobody listens."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Iterator, Sequence
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

import pytest
from opentelemetry import metrics, trace
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor, SpanExportResult
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from ares_core import Ares, Deny, Effects, Event, ToolContext, hookimpl, tool, within
from ares_core.testing import check_plugin

EXPORTER, READER = InMemorySpanExporter(), InMemoryMetricReader()
READS = Effects(read_only=True)


@pytest.fixture(scope="module", autouse=True)
def providers() -> None:
    """The program's own providers, which may be set once in a process: an example of a page may have been before."""
    if not isinstance(trace.get_tracer_provider(), TracerProvider):
        trace.set_tracer_provider(TracerProvider())
    provider = trace.get_tracer_provider()
    assert isinstance(provider, TracerProvider)
    provider.add_span_processor(SimpleSpanProcessor(EXPORTER))
    metrics.set_meter_provider(MeterProvider([READER]))


@tool(effects=READS)
async def add(a: int, secret_key: str = "") -> int:
    """Add one."""
    with trace.get_tracer("tool").start_as_current_span("inside"):
        return a + 1


@tool(effects=READS)
async def twice(a: int, context: ToolContext) -> int:
    """Add one twice."""
    first = await context.call_tool("add", {"a": a})
    found: int = (await context.call_tool("add", {"a": first.data})).data
    return found


@tool(effects=READS)
def fails() -> None:
    """Fail."""
    raise ValueError("no")


@tool(requires_approval=True)
def careful() -> int:
    """Do what needs a yes."""
    return 1


@pytest.fixture
def door(request: Any) -> Iterator[Ares]:
    EXPORTER.clear()
    with Ares(plugins=["otel"], config={"otel": getattr(request, "param", {})}) as ares:
        for one in (add, twice, fails):
            ares.register(one)
        yield ares


def spans() -> dict[str, Any]:
    return {span.name: span for span in EXPORTER.get_finished_spans()}


def test_a_call_is_a_span_with_the_attributes_of_the_convention(door: Ares) -> None:
    door.call_sync("add", {"a": "1"}, session="s")
    span = spans()["execute_tool add"]
    assert dict(span.attributes) == {
        "gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "add", "gen_ai.tool.type": "function",
        "gen_ai.conversation.id": "s", "gen_ai.tool.description": "Add one.",
        "gen_ai.tool.call.id": span.attributes["gen_ai.tool.call.id"], "ares.edits": 1,
    }  # fmt: skip
    assert span.kind is trace.SpanKind.INTERNAL
    assert spans()["inside"].parent.span_id == span.context.span_id


def test_calls_inside_a_call_lie_below_it_also_side_by_side(door: Ares) -> None:
    async def main() -> None:
        await asyncio.gather(*(door.call("twice", {"a": n}) for n in range(3)))

    asyncio.run(main())
    found: Any = EXPORTER.get_finished_spans()
    outer = {span.context.span_id for span in found if span.name == "execute_tool twice"}
    assert [span.parent.span_id in outer for span in found if span.name == "execute_tool add"] == [True] * 6
    assert all(span.parent is None for span in found if span.name == "execute_tool twice")
    assert trace.get_current_span().get_span_context().span_id == 0


@pytest.mark.parametrize(("name", "code"), [("fails", "tool_error"), ("missing", "unknown_tool")])
def test_a_failure_and_a_refusal_are_errors_with_their_code(door: Ares, name: str, code: str) -> None:
    door.call_sync(name)
    (span,) = spans().values()
    assert (span.attributes["error.type"], span.status.status_code.name) == (code, "ERROR")


def test_a_call_that_waits_for_a_person_is_no_error(door: Ares) -> None:
    door.register(careful)
    door.call_sync("careful")
    span = spans()["execute_tool careful"]
    assert (span.attributes["error.type"], span.status.status_code.name) == ("approval_required", "UNSET")
    assert [event.name for event in span.events] == ["approval requested"]


@pytest.mark.parametrize("door", [{"content": True}, {"content": False}], indirect=True)
def test_arguments_and_results_are_there_only_when_asked_for_and_without_secrets(door: Ares, request: Any) -> None:
    door.call_sync("add", {"a": 1, "secret_key": "hunter2hunter2"})
    attributes = spans()["execute_tool add"].attributes
    has_content = "gen_ai.tool.call.arguments" in attributes
    assert has_content is request.node.callspec.params["door"]["content"]
    assert "hunter2" not in str(dict(attributes))
    if has_content:
        assert json.loads(attributes["gen_ai.tool.call.arguments"])["a"] == 1
        assert attributes["gen_ai.tool.call.result"] == "2"


def test_runs_and_turns_are_spans_around_their_calls(door: Ares) -> None:
    async def main() -> None:
        door.tell("run.started", {"graph": "g"}, run="r")
        with within("r", "n"):
            await door.call("add", {"a": 1})
        door.tell("run.finished", {}, run="r")
        door.tell("turn.started", {"model": "m", "provider": "p"}, session="s")
        door.tell("turn.finished", {"input_tokens": 5, "output_tokens": 7}, session="s")

    asyncio.run(main())
    run, call, turn = spans()["invoke_workflow g"], spans()["execute_tool add"], spans()["chat m"]
    assert call.parent.span_id == run.context.span_id
    assert (call.attributes["ares.run"], call.attributes["ares.node"]) == ("r", "n")
    assert (turn.attributes["gen_ai.usage.output_tokens"], turn.kind.name) == (7, "CLIENT")


def test_metrics_count_durations_and_refusals_by_code(door: Ares) -> None:
    door.call_sync("add", {"a": 1})
    door.call_sync("missing")
    data: Any = READER.get_metrics_data()
    found = {m.name: m for part in data.resource_metrics for scope in part.scope_metrics for m in scope.metrics}
    assert "gen_ai.client.operation.duration" in found
    codes = [point.attributes["error.type"] for point in found["ares.refusals"].data.data_points]
    assert "unknown_tool" in codes


def test_nothing_is_listened_to_when_nobody_wants_traces() -> None:
    with Ares(plugins=["otel"], config={"otel": {"enabled": False}}) as ares:
        assert ares.runner.listeners == ()


def test_a_policy_s_no_is_a_refusal_in_the_trace(door: Ares) -> None:
    class Policy:
        @hookimpl
        def pre_tool_call(self, call: Any) -> Deny:
            return Deny("not today")

    door.add(Policy())
    door.call_sync("add", {"a": 1})
    assert spans()["execute_tool add"].attributes["error.type"] == "denied"
    assert len(EXPORTER.get_finished_spans()) == 1


class ForOneTest(OTLPSpanExporter):
    """Ends with its test, and is quiet when the provider, which lives on, uses and ends it again."""

    has_ended = False

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        return SpanExportResult.SUCCESS if self.has_ended else super().export(spans)

    def shutdown(self) -> None:
        if not self.has_ended:
            self.has_ended = True
            super().shutdown()  # type: ignore[no-untyped-call]


def test_a_collector_gets_the_spans(door: Ares) -> None:
    got: list[bytes] = []

    class Collector(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            got.append(self.rfile.read(int(self.headers["content-length"])))
            self.send_response(200)
            self.end_headers()

        def log_message(self, *args: Any) -> None:
            return

    server = HTTPServer(("127.0.0.1", 0), Collector)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    processor = SimpleSpanProcessor(ForOneTest(endpoint=f"http://127.0.0.1:{server.server_port}/v1/traces"))
    provider: Any = trace.get_tracer_provider()
    provider.add_span_processor(processor)
    door.call_sync("add", {"a": 1})
    processor.shutdown()
    server.shutdown()
    server.server_close()
    assert any(b"execute_tool add" in body for body in got)


def test_the_plugin_is_in_order() -> None:
    check_plugin("otel")


def test_a_plan_is_a_span_around_its_calls(door: Ares) -> None:
    from opentelemetry.trace import SpanContext

    listeners = [listener for _, listener in door.runner.listeners]
    for kind in ("plan.started", "plan.failed"):
        for listener in listeners:
            listener(Event(kind, "x", 1.0, "", run="plan-1", data={"code": "step_failed"}))
    span = spans()["invoke_workflow plan"]
    assert isinstance(span.context, SpanContext)
    assert span.attributes["error.type"] == "step_failed"


def test_a_processor_that_raises_leaves_no_span_above_later_calls(door: Ares, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(self: Any, span: Any) -> None:
        raise RuntimeError("the exporter is broken")

    async def main() -> None:
        with monkeypatch.context() as patch:
            patch.setattr(SimpleSpanProcessor, "on_end", broken)
            await door.call("fails")
        assert not trace.get_current_span().get_span_context().is_valid

    asyncio.run(main())

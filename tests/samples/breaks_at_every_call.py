"""Its observer, formatter and listener raise at every call."""

from __future__ import annotations

from ares_core import Event, Result, hookimpl


@hookimpl
def post_tool_call(result: Result) -> None:
    raise RuntimeError("observer down")


@hookimpl(tools=("add",))
def format_result(result: Result) -> str:
    raise SystemExit("formatter down")


@hookimpl
def on_event(event: Event) -> None:
    raise RuntimeError("listener down")

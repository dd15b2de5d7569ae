"""Remembers every event."""

from __future__ import annotations

from ares_core import Event, hookimpl

events: list[Event] = []


@hookimpl
def on_event(event: Event) -> None:
    events.append(event)

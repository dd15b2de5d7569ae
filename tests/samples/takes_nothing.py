"""Denies without looking at the call."""

from __future__ import annotations

from ares_core import Deny, hookimpl


@hookimpl
def pre_tool_call() -> Deny:
    return Deny("closed today")

"""Raises whenever it is asked while plugins are loaded."""

from __future__ import annotations

from ares_core import Capability, Layer, RuleSet, Tool, WireFormat, hookimpl


@hookimpl
def register_tools() -> list[Tool]:
    raise RuntimeError("no tools today")


@hookimpl
def declare_capabilities() -> list[Capability]:
    raise RuntimeError("no capabilities today")


@hookimpl
def register_rule_sets() -> list[RuleSet]:
    raise RuntimeError("no rules today")


@hookimpl
def register_wire_formats() -> list[WireFormat]:
    raise RuntimeError("no formats today")


@hookimpl
def register_middleware() -> list[Layer]:
    raise SystemExit("no layers today")

"""Keeps the host it is given, looks at the registry, and cleans up after itself."""

from __future__ import annotations

from ares_core import Host, Tool, hookimpl

hosts: list[Host] = []
log: list[str] = []


@hookimpl
def register_tools(host: Host) -> list[Tool]:
    hosts.append(host)
    log.append(f"asked; tools so far: {host.registry.list_tool_names()}")
    host.on_close(lambda: log.append("opened first, closed last"))
    host.on_close(lambda: log.append("opened last, closed first"))

    async def relay(a: int) -> object:
        """Have another tool add one."""
        return (await host.call("add", {"a": a})).data

    return [Tool.from_function(relay)]

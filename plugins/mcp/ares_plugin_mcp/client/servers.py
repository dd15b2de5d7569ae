"""All servers of one Ares: where its tools come from, and the way from a call to a connection."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping
from concurrent.futures import Future
from typing import Any

from msgspec.structs import replace

from ares_core import Background, Effects, Failure, Host, Tool, ToolContext, ToolError
from ares_plugin_mcp.client.configured import Server, read_servers
from ares_plugin_mcp.client.names import aliases, owner, registry_name
from ares_plugin_mcp.client.offers import key_of, offers
from ares_plugin_mcp.client.peer import Peer, Unavailable

MARGIN = 0.05
"""Seconds before a call's deadline at which waiting for a connection ends, so that the answer can say so."""

SILENT = 2.0
"""Seconds of waiting for servers before it is told which."""


class Servers:
    """The source of all tools of servers; nothing is started before it is needed."""

    def __init__(self, host: Host) -> None:
        self._host = host
        self._background = Background("mcp")
        servers, self.wrong = read_servers(host.config)
        self.peers = {name: Peer(server, host, self._changed) for name, server in servers.items()}
        self._known: dict[str, tuple[str, Tool]] = {}
        for sentence in self.wrong.values():
            host.log.warning("an MCP server is left out: %s", sentence)
        host.add_source(self)
        host.on_close(self.close)

    def tools(self) -> list[Tool]:
        """Give the tools that are known of, each with the names that only it has."""
        found = {(peer.name, _own_name(peer, tool)): tool for peer in self.peers.values() for tool in self._of(peer)}
        named = aliases(list(found))
        return [self._same(replace(tool, aliases=named[key])) for key, tool in found.items()]

    def _of(self, peer: Peer) -> list[Tool]:
        return offers(peer, self._run)

    def _same(self, tool: Tool) -> Tool:
        """Give the tool that is in the table already if nothing about it changed."""
        key = key_of(tool)
        known = self._known.get(tool.name)
        if known is None or known[0] != key:
            known = self._known[tool.name] = (key, tool)
        return known[1]

    def waiting(self) -> dict[str, str]:
        """Give the servers whose tools are not known, and the tools that are withheld."""
        peers = self.peers.values()
        unknown = {f"mcp.{peer.name}": peer.state() for peer in peers if peer.pins.is_new}
        withheld = {
            registry_name(peer.name, name): peer.why_withheld(name) for peer in peers for name in peer.pins.changed
        }
        return {**unknown, **withheld, **{f"mcp.{name}": sentence for name, sentence in self.wrong.items()}}

    def bring(self, name: str | None = None) -> Future[None] | None:
        """Connect the servers that a name may mean, or all."""
        self._leave_to_parent()
        return self._connected(self._meant(name), name)

    def bring_for_plan(self, by_rules: bool) -> Future[None] | None:
        """Connect the servers that were never connected, unless rules have led to a plan: never to tools of a server.

        Those that were are planned with as they are known; a call connects them.
        """
        self._leave_to_parent()
        return None if by_rules else self._connected([peer for peer in self.peers.values() if peer.pins.is_new], None)

    def _connected(self, peers: list[Peer], name: str | None) -> Future[None] | None:
        wanted = [peer for peer in peers if peer.wants_asking(by_name=name is not None)]
        again = [] if name is not None else [peer for peer in wanted if peer.was_asked and not peer.is_stale]
        if again:  # nobody waits for a server for the second time, unless it is called
            self._background.submit(self._connect(again, tells=False))
        first = [peer for peer in wanted if peer not in again]
        return self._background.submit(self._connect(first, name)) if first else None

    def _meant(self, name: str | None) -> list[Peer]:
        if name is None:
            return list(self.peers.values())
        found = owner(name, self.peers)
        if found is not None:
            return [self.peers[found[0]]]
        return [peer for peer in self.peers.values() if peer.pins.is_new]

    async def _connect(self, peers: list[Peer], name: str | None = None, *, tells: bool = True) -> None:
        """Connect servers side by side; which of them are waited for is told when it takes long."""
        wait: float = self._host.config.wait
        found = None if name is None else owner(name, self.peers)
        asked_for = found[1] if found else name or ""
        warns = found is None
        tasks = {asyncio.ensure_future(_quietly(peer, wait, asked_for, warns)): peer.name for peer in peers}
        _, slow = await asyncio.wait(tasks, timeout=SILENT if tells else None)
        if slow:
            names = " and ".join(sorted(tasks[task] for task in slow))
            told = "waiting for MCP server %s to start, for %g s at most; the setting mcp.wait changes that"
            self._host.log.warning(told, names, wait)
            await asyncio.wait(slow)

    def why_not(self, name: str) -> Failure | ToolError | None:
        """Say why a tool of a server can't be called."""
        for peer in self._meant(name):
            peer.breaker.told()
        found = owner(name, {**self.peers, **self.wrong})
        if found is not None and found[0] in self.wrong:
            return Failure("unknown_tool", f"{self.wrong[found[0]]}.")
        if found is not None:
            return self.peers[found[0]].why_not(found[1])
        changed = (peer for peer in self.peers.values() if name in peer.pins.changed)
        return next((peer.why_not(name) for peer in changed), None) or self._no_server(name)

    def _no_server(self, name: str) -> Failure | None:
        """Say that there is no such server, if the name is written out in full."""
        begun, _, rest = name.partition(".")
        server, dot, _ = rest.partition(".")
        if begun != "mcp" or not dot:
            return None
        there = f"There are: {', '.join(list(self.peers)[:20])}." if self.peers else "There is none."
        return Failure("unknown_tool", f"There is no MCP server {server!r:.80}. {there}")

    def submit(self, work: Any) -> Future[Any]:
        """Run a coroutine where the connections live."""
        return self._background.submit(work)

    async def _run(self, peer: Peer, kind: str, name: str, arguments: Mapping[str, Any], context: ToolContext) -> Any:
        from ares_plugin_mcp.client.asking import Asking
        from ares_plugin_mcp.client.connection import Underway
        from ares_plugin_mcp.client.requests import request

        self._leave_to_parent()
        underway = Underway(
            context.emit if context.is_heard else None, Asking(self._host.approver, context.call, peer.name)
        )
        effects = context.call.effects or Effects()
        patience = context.remaining - MARGIN
        work = request(peer, kind, name, arguments, underway, effects, patience)
        return await self._background.run(work)

    def _leave_to_parent(self) -> None:
        """Make connections of one's own in a forked child; those that came along belong to the parent."""
        if self._background.is_inherited:
            for peer in self.peers.values():
                peer.disown()

    def _changed(self) -> None:
        self._host.tools_changed()

    def close(self) -> None:
        """End all connections and the processes behind them."""
        self._background.close(self._close_all)

    async def _close_all(self) -> None:
        await asyncio.gather(*(peer.close() for peer in self.peers.values()), return_exceptions=True)


async def _quietly(peer: Peer, patience: float, asked_for: str, warns: bool) -> None:
    """Connect; one that can't be costs only its own tools, which say why: who asked for one hears it anyway."""
    try:
        await peer.ready(patience)
        await peer.settled()
        peer.tell_withheld(but=asked_for)
    except Unavailable as error:
        level = logging.WARNING if warns else logging.INFO
        peer.host.log.log(level, "MCP server %s can't be used: %s", peer.name, error)


def _own_name(peer: Peer, tool: Tool) -> str:
    return tool.name.removeprefix(registry_name(peer.name, ""))


__all__ = ["Server", "Servers"]

"""``ares mcp list|tools|call|trust``: what servers there are, what they offer, and agreeing to what changed."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import click

from ares_core import Ares, cli
from ares_plugin_mcp.client.names import registry_name
from ares_plugin_mcp.client.peer import Peer, Unavailable
from ares_plugin_mcp.client.pins import Definition, what_changed
from ares_plugin_mcp.client.servers import Servers

MOST_SHOWN = 2_000
NONE = "No MCP server is configured; add one: ares mcp add NAME COMMAND…"


def file_option(fn: Callable[..., Any]) -> Callable[..., Any]:
    """Add ``--file``: a ``mcpServers`` file that counts for this command line."""

    def keep(context: click.Context, parameter: click.Parameter, value: str | None) -> None:
        if value:
            context.with_resource(_variable("ARES_MCP__FILE", os.path.abspath(value)))

    option = click.option("--file", metavar="FILE", expose_value=False, callback=keep, is_eager=True,
                          help="A JSON file with mcpServers, read as it is.")  # fmt: skip
    return option(fn)


@contextmanager
def _variable(name: str, value: str) -> Iterator[None]:
    """Set a variable of the environment as long as the command runs."""
    before = os.environ.get(name)
    os.environ[name] = value
    try:
        yield
    finally:
        if before is None:
            del os.environ[name]
        else:
            os.environ[name] = before


@contextmanager
def with_servers() -> Iterator[tuple[Ares, Servers | None]]:
    """Give an ``Ares``, and its servers if any are configured."""
    with cli.opened() as ares:
        yield ares, next((source for source in ares.sources if isinstance(source, Servers)), None)


@contextmanager
def with_server(name: str) -> Iterator[tuple[Ares, Servers, Peer]]:
    """Give an ``Ares`` and one of its servers; a name that no server has is wrong usage."""
    with with_servers() as (ares, servers):
        if servers is None:
            raise click.UsageError(NONE)
        if name in servers.wrong:
            raise click.UsageError(servers.wrong[name])
        if name not in servers.peers:
            raise cli.no_such("MCP server", name, servers.peers)
        yield ares, servers, servers.peers[name]


def connect(servers: Servers, peer: Peer) -> None:
    """Connect a server; one that can't be is a failure in a sentence."""
    with cli.working(peer.name):
        try:
            servers.submit(peer.ready()).result()
        except Unavailable as error:
            code = cli.failed(f"MCP server {peer.name!r} can't be used: {error}.", "tool_error")
            raise click.exceptions.Exit(code) from None


@cli.command("list")
@file_option
def list_servers() -> int:
    """List the servers; none is started."""
    with with_servers() as (_, servers):
        peers = [] if servers is None else list(servers.peers.values())
        rows = [_row(peer) for peer in peers]
        wrong = {} if servers is None else servers.wrong
    if cli.current().as_json:
        cli.document([*rows, *({"name": name, "error": why} for name, why in wrong.items())])
    elif rows or wrong:
        header = ("name", "transport", "target", "tools", "trusted")
        if rows:
            cli.table(header, [[_cell(row, part) for part in header] for row in rows])
        for peer in peers:
            for name in peer.pins.changed:
                cli.note(f"MCP server {peer.name!r}: {peer.withheld(name)}.")
        for sentence in wrong.values():
            cli.error(sentence)
    else:
        cli.note(NONE)
    return 2 if wrong and not rows else 0


def _row(peer: Peer) -> dict[str, Any]:
    server = peer.server
    return {
        "name": server.name,
        "transport": server.transport,
        "target": server.target,
        "tools": None if peer.pins.is_new else len(peer.definitions()),
        "withheld": sorted(peer.pins.changed),
        "trusted": server.trusted,
    }


def _cell(row: dict[str, Any], part: str) -> str:
    value = row[part]
    if value is None:
        return "not connected yet"
    if part == "tools" and row["withheld"]:
        return f"{value}, {len(row['withheld'])} withheld"
    return ("yes" if value else "no") if isinstance(value, bool) else str(value)


@cli.command("tools")
@click.argument("server")
@file_option
def tools(server: str) -> None:
    """Connect a server and list its tools."""
    with with_server(server) as (ares, servers, peer):
        connect(servers, peer)
        rows = [_tool_row(ares, peer, tool) for tool in peer.definitions()]
        rows += [_withheld_row(peer, name) for name in peer.pins.changed]
        if cli.current().as_json:
            cli.document(rows)
        elif rows:
            cli.table(
                ("tool", "state", "description"), [[row["tool"], row["state"], row["description"]] for row in rows]
            )
        else:
            cli.note(f"MCP server {server!r} has no tools.")


def _tool_row(ares: Ares, peer: Peer, tool: Definition) -> dict[str, Any]:
    name = registry_name(peer.name, tool["name"])
    state = "ok" if name in ares.registry else "left out"
    return {"tool": name, "state": state, "description": tool.get("description", ""), "parameters": tool["inputSchema"]}


def _withheld_row(peer: Peer, name: str) -> dict[str, Any]:
    return {"tool": registry_name(peer.name, name), "state": "withheld", "description": peer.withheld(name)}


@cli.command("call")
@click.argument("server")
@click.argument("tool")
@cli.arguments_options()
@click.option("--timeout", type=click.FloatRange(min=0, min_open=True), metavar="SECONDS", help="For this call.")
@file_option
@click.pass_context
def call(context: click.Context, /, server: str, tool: str, values: tuple[str, ...], **options: Any) -> int:
    """Call a tool of a server: 'ares call' with the tool's full name."""
    command = cli.main.get_command(context, "call")
    code = context.invoke(command, tool=registry_name(server, tool), values=values, **options) if command else 2
    return int(code)


@cli.command("trust")
@click.argument("server")
@click.argument("names", nargs=-1, metavar="[TOOL]...")
@click.option("--yes", is_flag=True, help="Agree without being asked.")
@file_option
def trust(server: str, names: tuple[str, ...], yes: bool) -> int:
    """Show which tools of a server changed since they were first used, and agree to what they are now."""
    with with_server(server) as (_, servers, peer):
        connect(servers, peer)
        changed = [name for name in peer.pins.changed if not names or name in names]
        unknown = [name for name in names if name not in peer.pins.changed]
        if unknown:
            raise click.UsageError(f"Tool {unknown[0]!r} of {server!r} did not change.")
        agreed = bool(changed) and (yes or _agrees(peer, changed))
        if agreed:
            peer.agree(changed)
        _tell_agreed(server, changed if agreed else [], changed)
    return 0 if agreed or not changed else 1


def _agrees(peer: Peer, changed: list[str]) -> bool:
    for name in changed:
        before, after = peer.pins.pinned[name], peer.pins.changed[name]
        for part in what_changed(before, after):
            for sign, value in (("-", before.get(part)), ("+", after.get(part))):
                cli.note(f"{name}: {sign} {part}: {str(value)[:MOST_SHOWN]}")
    if cli.current().as_json or not cli.is_terminal(sys.stdin):
        cli.note("Nobody is there to ask; --yes agrees.")
        return False
    return click.confirm("Use them as they are now?", err=True)


def _tell_agreed(server: str, agreed: list[str], changed: list[str]) -> None:
    if cli.current().as_json:
        cli.document({"server": server, "changed": changed, "agreed": agreed})
    elif agreed:
        cli.note(f"Agreed: {', '.join(agreed)}.")
    elif not changed:
        cli.note(f"No tool of {server!r} changed.")

"""``ares mcp check``: connect a server, list its tools, check every schema, call what only reads, and report."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import click

from ares_core import Ares, RegistrationError, cli, counted
from ares_plugin_mcp.client.commands import connect, file_option, with_server
from ares_plugin_mcp.client.names import registry_name
from ares_plugin_mcp.client.offers import effects_of
from ares_plugin_mcp.client.peer import Peer
from ares_plugin_mcp.client.pins import Definition
from ares_plugin_mcp.client.servers import Servers

OK, WRONG, SKIPPED = "ok", "wrong", "not called"


@cli.command("check")
@click.argument("server")
@click.option("--no-calls", is_flag=True, help="Call nothing.")
@file_option
def check(server: str, no_calls: bool) -> int:
    """Connect a server, check every tool's schema, and call those that only read, as far as an example is known.

    What only reads is what the server says so of, so --no-calls is for servers whose word you do not take.
    """
    with with_server(server) as (ares, servers, peer):
        connect(servers, peer)
        rows = [_checked(ares, servers, peer, tool, calls=not no_calls) for tool in peer.definitions()]
        rows += [_row(peer, name, WRONG, peer.withheld(name) or "") for name in peer.pins.changed]
        notes = list(peer.notes)
        protocol = peer.connection.client.protocol_version if peer.connection is not None else None
    failed = [row for row in rows if row["state"] == WRONG]
    if cli.current().as_json:
        cli.document({"server": server, "protocol": protocol, "tools": rows, "notes": notes, "success": not failed})
    else:
        cli.table(("tool", "state", "why"), [[row["tool"], row["state"], row["why"]] for row in rows])
        cli.note(f"{server}: protocol {protocol}, {counted(len(rows), 'tool')}, {len(failed)} with something wrong.")
    return 1 if failed else 0


def _row(peer: Peer, name: str, state: str, why: str) -> dict[str, str]:
    return {"tool": registry_name(peer.name, name), "state": state, "why": why}


def _checked(ares: Ares, servers: Servers, peer: Peer, tool: Definition, *, calls: bool) -> dict[str, str]:
    name = tool["name"]
    if (trouble := _trouble(ares, servers, registry_name(peer.name, name))) is not None:
        return _row(peer, name, WRONG, trouble)
    if not calls or effects_of(tool.get("annotations") or {}).mutating:
        return _row(peer, name, SKIPPED, "its schema is sound; it may change something" if calls else "")
    arguments = example(tool["inputSchema"])
    if arguments is None:
        return _row(peer, name, SKIPPED, "its schema is sound; it shows no example of arguments")
    with cli.working(name):
        result = ares.call_sync(registry_name(peer.name, name), arguments)
    return _row(peer, name, OK if result.success else WRONG, "" if result.success else result.text[:300])


def _trouble(ares: Ares, servers: Servers, name: str) -> str | None:
    """Say why a tool was not taken in: the core's own check, once more."""
    if name in ares.registry:
        return None
    tool = next(each for each in servers.tools() if each.name == name)
    with Ares(plugins=[]) as scratch:
        try:
            scratch.register(tool)
        except RegistrationError as error:
            return str(error)
    return "another tool has its name"


def example(schema: Mapping[str, Any]) -> dict[str, Any] | None:
    """Give the arguments that a schema shows as an example; ``None`` if it leaves one open.

    >>> example({"properties": {"zone": {"type": "string", "examples": ["UTC"]}}, "required": ["zone"]})
    {'zone': 'UTC'}
    """
    shown = schema.get("examples")
    if isinstance(shown, list) and shown and isinstance(shown[0], dict):
        return shown[0]
    found: dict[str, Any] = {}
    properties = schema.get("properties") or {}
    for name in schema.get("required") or ():
        values = _shown(properties.get(name))
        if not values:
            return None
        found[name] = values[0]
    return found


def _shown(part: Any) -> list[Any]:
    if not isinstance(part, Mapping):
        return []
    for key in ("examples", "enum"):
        if isinstance(part.get(key), list) and part[key]:
            return list(part[key])
    return [part[key] for key in ("const", "default", "example") if key in part]

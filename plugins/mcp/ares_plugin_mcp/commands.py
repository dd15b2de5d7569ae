"""``ares mcp``: servers whose tools are used here, and the one that shows tools to others.

Each command stands in the module that it belongs to: ``client.commands`` looks at servers and calls their tools,
``client.editing`` adds and takes away, ``server.commands`` serves. A further one is added to ``COMMANDS``.
"""

from __future__ import annotations

from importlib import import_module

import click

from ares_core import cli

COMMANDS = {
    "list": "client.commands:list_servers",
    "tools": "client.commands:tools",
    "call": "client.commands:call",
    "add": "client.editing:add",
    "remove": "client.editing:remove",
    "trust": "client.commands:trust",
    "check": "client.checking:check",
    "serve": "server.commands:serve",
}
"""The commands, and where each is; only the one that is called is imported."""


class Commands(cli.Section):
    """The command ``ares mcp``."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Give the names, in the order of the table."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import a command."""
        if cmd_name not in COMMANDS:
            return None
        module, _, attribute = COMMANDS[cmd_name].partition(":")
        found: click.Command = getattr(import_module(f"ares_plugin_mcp.{module}"), attribute)
        return found


command = Commands(
    "mcp",
    help="Use the tools of MCP servers, or serve your own.",
    context_settings={"help_option_names": ["-h", "--help"]},
)
"""The entry point."""

"""``ares mcp serve``: show the tools to MCP clients."""

from __future__ import annotations

import asyncio
import os
import secrets
import signal
from collections.abc import Awaitable, Coroutine
from contextlib import suppress
from socket import socket
from typing import TYPE_CHECKING, Any

import click

from ares_core import Ares, cli, counted
from ares_plugin_mcp.settings import DEPTH

if TYPE_CHECKING:
    from mcp.server.lowlevel import Server

VARIABLE = "ARES_MCP_TOKEN"
SHORTEST = 16
MADE = ""
"""In place of a token: one that is made when everything else is ready."""
DEEPEST = 4


@cli.command("serve")
@click.option("--http", "port", type=click.IntRange(0, 65_535), metavar="PORT", help="Serve over HTTP; 0: a free port.")
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen on.")
@cli.tools_option()
@click.option("--toolset", metavar="NAME", help="Only the tools of this toolset.")
@click.option("--no-ask", is_flag=True, help="Without the tool 'ask', which finds tools for a request in words.")
@click.option("--origin", "origins", multiple=True, metavar="URL", help="Let web pages of this origin use the server.")
@click.option("--no-token", is_flag=True, help="Ask for no token; on loopback only.")
def serve(
    port: int | None, host: str, tools: list[str], toolset: str | None, no_ask: bool, origins: tuple[str, ...],
    no_token: bool,
) -> None:  # fmt: skip
    """Show the tools to MCP clients, over stdin and stdout or over HTTP.

    \b
    ares mcp serve                                 # in a client's configuration: command "ares", args ["mcp", "serve"]
    ares mcp serve --http 8000 --tools calculator,datetime

    Over HTTP clients need a bearer token: that of the variable ARES_MCP_TOKEN, or one that is made and shown at start.
    """
    _count_nesting()
    if port is None:
        _over_stdio(tools, toolset, asks=not no_ask)
    else:
        token = _token(host, no_token)
        with _listening(host, port) as opened:
            _over_http(opened, host, token, origins, tools, toolset, asks=not no_ask)


def _over_stdio(names: list[str], toolset: str | None, *, asks: bool) -> None:
    from ares_plugin_mcp.server.stdio import claimed, serve_stdio

    with claimed() as (source, sink), _opened() as ares:
        server = _server(ares, names, toolset, asks)
        _run(_until_told_to_end(serve_stdio(server, source, sink)))


def _over_http(
    opened: socket, host: str, token: str | None, origins: tuple[str, ...], names: list[str], toolset: str | None, *,
    asks: bool,
) -> None:  # fmt: skip
    from ares_plugin_mcp.server import http

    with _opened() as ares:
        server = _server(ares, names, toolset, asks)
        if token == MADE:  # shown, as nobody could know it otherwise
            token = secrets.token_urlsafe(32)
            click.echo(f"Bearer token: {token}", err=True)
        click.echo(f"MCP server at {http.address(host, opened)}", err=True)
        signal.signal(signal.SIGTERM, signal.SIG_IGN)  # uvicorn heeds it, and raises it again when it has ended
        _run(http.serve_http(http.app(server, host, token, origins), opened))


def _listening(host: str, port: int) -> socket:
    """Open the port before anything else is done or said."""
    from ares_plugin_mcp.server import http

    try:
        return http.listen(host, port)
    except OSError as error:
        raise click.UsageError(
            f"Port {port} of {host} can't be opened: {error.strerror or error}. Give another; 0 takes a free one."
        ) from None


def _opened() -> Any:
    from ares_plugin_mcp.server.asking import client_approver

    ways: dict[str, Any] = {"ask": client_approver(), "always": lambda approval: True, "never": None}
    return cli.opened(approved_by=ways[cli.current().approve])


def _server(ares: Ares, names: list[str], toolset: str | None, asks: bool) -> Server[dict[str, Any]]:
    from ares_plugin_mcp.server.making import make_server

    return make_server(cli.chosen(ares, names, toolset, cli.current().session), asks=asks)


def _token(host: str, no_token: bool) -> str | None:
    """Give the token that clients need, or that one is to be made."""
    from ares_plugin_mcp.server.http import is_local

    if no_token:
        if not is_local(f"//[{host}]" if ":" in host else f"//{host}"):
            raise click.UsageError(f"--no-token is for loopback only; {host} can be reached from other machines.")
        return None
    given = os.environ.pop(VARIABLE, "")  # programs that tools start have no business with it
    if given:
        if len(given) < SHORTEST:
            raise click.UsageError(
                f"{VARIABLE} has {counted(len(given), 'character')}; at least {SHORTEST} are needed."
            )
        return given
    return MADE


async def _until_told_to_end(work: Awaitable[None]) -> None:
    task = asyncio.current_task()
    with suppress(NotImplementedError):  # not on Windows
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, lambda: task and task.cancel())
    await work


def _run(work: Coroutine[Any, Any, None]) -> None:
    """Serve until it is over; Ares is closed afterwards in any case."""
    with suppress(asyncio.CancelledError, KeyboardInterrupt):
        asyncio.run(work)


def _count_nesting() -> None:
    """Refuse to start servers of this kind without end, as when one is configured to use itself."""
    depth = int(os.environ.get(DEPTH) or 0)
    if depth >= DEEPEST:
        raise click.UsageError(f"{depth} servers of this kind have started each other: one uses itself.")
    os.environ[DEPTH] = str(depth + 1)

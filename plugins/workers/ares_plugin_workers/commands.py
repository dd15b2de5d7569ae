"""``ares worker``: serve tools of this process to others."""

from __future__ import annotations

import asyncio
import os
import signal
from contextlib import ExitStack, suppress
from typing import TYPE_CHECKING

import click

from ares_core import AresError, cli

if TYPE_CHECKING:
    from ares_core import Ares
    from ares_plugin_workers.serving import Worker

UNLIMITED = "10000000"


@cli.command("worker")
@cli.tools_option("What to serve")
@click.argument("names", nargs=-1, metavar="", shell_complete=cli.completing.tools)
@click.option("--url", metavar="nats://HOST:PORT", help="The NATS server; otherwise workers.url, or one of its own.")
@click.option("--name", metavar="NAME", default="", help="What the worker is called; otherwise host and process.")
@click.option("--list", "lists", is_flag=True, help="List the workers that are there, and what they serve.")
def command(tools: list[str], names: tuple[str, ...], url: str | None, name: str, lists: bool) -> int:
    """Serve tools of this process to every Ares that knows the same NATS server, until Ctrl-C.

    \b
    ares worker --tools calculator,hash_tool --url nats://10.0.0.5:4222
    ares worker --tools 'mcp.files.*' --name files-1
    ares worker --list
    """
    if url and not url.startswith(("nats://", "tls://", "${")):
        raise click.UsageError(f"--url is {url!r:.80}; give nats://HOST:PORT or tls://HOST:PORT.")
    if url:
        os.environ["ARES_WORKERS__URL"] = url
    if lists:
        return _list()
    wanted = [*tools, *cli.names_in(names)]  # --tools A B is taken too
    if not wanted:
        raise click.UsageError("Name the tools to serve: ares worker --tools NAME…; to serve all: --tools '*'.")
    # the text of a result is cut where a model reads it, which is on the caller's side
    os.environ["ARES_RESULTS__MAX_TOKENS"] = UNLIMITED
    with cli.opened() as ares, ExitStack() as stack:
        cli.chosen(ares, wanted)
        address = ares.host("workers").config.url or _own_server(stack)
        return asyncio.run(_serve(ares, wanted, address, name))


def _own_server(stack: ExitStack) -> str:
    from ares_plugin_workers.server import LocalServer

    server = LocalServer()
    stack.callback(server.close)
    cli.note(f"No NATS server is configured; one was started for this machine. For others: workers.url={server.url}")
    return server.url


async def _serve(ares: Ares, wanted: list[str], url: str, name: str) -> int:
    from ares_plugin_workers.link import Unavailable
    from ares_plugin_workers.serving import Worker
    from ares_plugin_workers.settings import without_secret

    over = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        with suppress(NotImplementedError):  # Windows: Ctrl-C ends it without a word
            asyncio.get_running_loop().add_signal_handler(number, over.set)
    try:
        worker = Worker(ares, wanted, url=url, name=name)
        await worker.start()
    except Unavailable as error:
        return cli.failed(f"the NATS server at {without_secret(url)} can't be used: {error}.")
    except AresError as error:
        raise click.UsageError(str(error)) from None
    _tell(worker, url)
    await over.wait()
    await worker.stop()
    return 0


def _tell(worker: Worker, url: str) -> None:
    from ares_plugin_workers.settings import without_secret

    tools = sorted(name for name, _ in worker.served.values())
    if cli.current().as_json:
        cli.document({"worker": worker.id, "name": worker.name, "tools": tools, "url": url})
    else:
        what = ", ".join(tools) or "nothing so far"
        cli.answer(f"{worker.name} serves {what} at {without_secret(url)}; Ctrl-C ends it")


def _list() -> int:
    from ares_plugin_workers.source import Workers

    with cli.opened(warns=False) as ares, cli.working("workers"):
        source = next((source for source in ares.sources if isinstance(source, Workers)), None)
        if source is None:
            raise click.UsageError("No NATS server is configured: set workers.url, or give --url.")
        future = source.bring()
        if future is not None:
            future.result()
        workers = source.roster.workers
        trouble = source.waiting().get("workers")
    if trouble:
        return cli.failed(f"{trouble.removeprefix('failed: ')}.")
    rows = [(each.name, each.worker, sorted(tool.name for tool in each.tools.values())) for each in workers]
    if cli.current().as_json:
        cli.document([dict(zip(("name", "worker", "tools"), row, strict=True)) for row in rows])
    elif rows:
        cli.table(("name", "worker", "tools"), [[name, worker, ", ".join(tools)] for name, worker, tools in rows])
    else:
        cli.note("No worker is there.")
    return 0

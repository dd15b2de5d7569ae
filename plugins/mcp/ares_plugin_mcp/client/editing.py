"""``ares mcp add|remove``: the user's own ``mcpServers`` file, which the user's configuration names."""

from __future__ import annotations

import json
import os
import re
import sys
from typing import Any

import click

from ares_core import ConfigError, cli
from ares_plugin_mcp.client.commands import file_option, with_servers
from ares_plugin_mcp.client.configured import read_server
from ares_plugin_mcp.client.pins import Pins

FILE = "mcp.json"
LOCAL = re.compile(r"localhost\b|127\.|\[::1\]|0\.0\.0\.0", re.IGNORECASE)
ADDRESS = re.compile(r"(?:[\w.-]+|\[[0-9a-fA-F:]+\])(?::\d{1,5}(?:/\S*)?)|(?:localhost|[\w-]+(?:\.[\w-]+)+)/\S*")
"""An address as people write it by hand: a host with a port, or with dots and a path."""


@cli.command("add", context_settings={"ignore_unknown_options": True})
@click.argument("name")
@click.argument("words", nargs=-1, type=click.UNPROCESSED, metavar="COMMAND [ARGUMENT]...|URL")
@click.option("--env", multiple=True, metavar="KEY=VALUE", help="A variable for the process; ${NAME} stays a name.")
@click.option("--header", multiple=True, metavar="KEY=VALUE", help="A header for every request.")
@click.option("--transport", type=click.Choice(["stdio", "http", "sse"]), help="Otherwise by what is given.")
@click.option("--trusted", is_flag=True, help="Believe what the server says its tools do.")
@file_option
def add(name: str, words: tuple[str, ...], env: tuple[str, ...], header: tuple[str, ...], **options: Any) -> None:
    """Add a server, by the command that starts it or by its address; options of Ares stand before NAME.

    \b
    ares mcp add time uvx mcp-server-time
    ares mcp add --header 'Authorization=Bearer ${TOKEN}' tickets https://tickets.example/mcp
    """
    _check(name, words)
    path, is_named = _file()
    document = _read(path)
    words, made = _from_anywhere(words) if path == os.path.join(_config_folder(), FILE) else (words, [])
    is_address = words[0].startswith(("http://", "https://"))
    given: dict[str, Any] = {"url": words[0]} if is_address else {"command": words[0], "args": list(words[1:])}
    given |= {"env": _pairs(env)} if env else {}
    given |= {"headers": _pairs(header)} if header else {}
    given |= {"type": options["transport"]} if options["transport"] else {}
    given |= {"trusted": True} if options["trusted"] else {}
    try:
        read_server(name, given)
    except ConfigError as error:
        raise click.UsageError(f"{error}.") from None
    if name in document["mcpServers"]:
        raise click.UsageError(f"There is a server {name!r} in {path} already; remove it first: ares mcp remove {name}")
    document["mcpServers"][name] = given
    os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
    _write(path, document)
    if not is_named:
        _name_it(os.path.join(_config_folder(), "ares.yaml"), path)
    for before, after in made:
        cli.note(f"{before!r} is written as {after!r}: the server may be started from any folder.")
    _tell({"added": name, "file": path}, f"Added {name!r} to {path}; to try it: ares mcp check {name}")


def _check(name: str, words: tuple[str, ...]) -> None:
    """Refuse a name that is none in the names of tools, and an address that would be taken for a command."""
    if not words:
        raise click.UsageError("Give the command that starts the server, or its address.")
    if re.fullmatch(r"[\w-]{1,60}", name) is None:
        legal = re.sub(r"[^\w-]+", "-", name).strip("-_")[:60]
        hint = f"Write {legal!r}." if legal else "Write such as 'files'."
        raise click.UsageError(
            f"{name[:60]!r} is no name for a server: it becomes part of its tools' names, so it has only letters, "
            f"digits, '-' and '_'. {hint}"
        )
    found = ADDRESS.fullmatch(words[0])
    if found is not None and len(words) == 1 and not os.path.exists(words[0]):
        scheme = "http" if LOCAL.match(words[0]) else "https"
        raise click.UsageError(
            f"{words[0]!r:.200} looks like an address without its scheme: {scheme}://{words[0]:.200}"
        )


def _from_anywhere(words: tuple[str, ...]) -> tuple[tuple[str, ...], list[tuple[str, str]]]:
    """Make paths of what is there absolute; also give those that were not, before and after.

    A bare word is one only as a file with an ending: others are names of programs and of what these can do.
    """
    if "://" in words[0]:
        return words, []
    found = tuple(os.path.abspath(word) if _is_relative_path(word, first=not at) else word
                  for at, word in enumerate(words))  # fmt: skip
    return found, [pair for pair in zip(words, found, strict=True) if pair[0] != pair[1]]


def _is_relative_path(word: str, *, first: bool) -> bool:
    if os.path.isabs(word) or word.startswith("-") or not os.path.exists(word):
        return False
    is_path = os.path.dirname(word) != "" or word in (".", "..")
    return is_path or not first and os.path.isfile(word) and os.path.splitext(word)[1] != ""


@cli.command("remove")
@click.argument("name")
@file_option
def remove(name: str) -> None:
    """Take a server away, and forget what is remembered of it."""
    with with_servers() as (_, servers):
        peer = servers.peers.get(name) if servers is not None else None
    path, _ = _file()
    document = _read(path)
    if name not in document["mcpServers"]:
        where = "it stands in a configuration file; take it out there" if peer else "'ares mcp list' shows them"
        raise click.UsageError(f"{path} has no server {name!r}: {where}.")
    del document["mcpServers"][name]
    _write(path, document)
    if peer is not None:
        Pins(peer.server).forget()
    _tell({"removed": name, "file": path}, f"Removed {name!r} from {path}.")


def _tell(document: dict[str, Any], sentence: str) -> None:
    if cli.current().as_json:
        cli.document(document)
    else:
        cli.note(sentence)


def _pairs(texts: tuple[str, ...]) -> dict[str, str]:
    wrong = next((text for text in texts if "=" not in text), None)
    if wrong is not None:
        raise click.UsageError(f"{wrong[:80]!r} has no '='; write KEY=VALUE.")
    return {key: value for key, _, value in (text.partition("=") for text in texts)}


def _file() -> tuple[str, bool]:
    """Give the file that is configured, otherwise the user's own, and whether a configuration names it."""
    with cli.opened(warns=False) as ares:
        configured: str = ares.host("mcp").config.file
    if configured:
        return os.path.abspath(os.path.expanduser(configured)), True
    return os.path.join(_config_folder(), FILE), False


def _name_it(configuration: str, path: str) -> None:
    """Write ``mcp.file`` into the user's configuration, and leave every other line as it is."""
    text = ""
    if os.path.exists(configuration):
        with open(configuration, encoding="utf-8") as file:
            text = file.read()
    line = f"  file: {json.dumps(path)}\n"
    lines = text.splitlines(keepends=True)
    at = next((number for number, each in enumerate(lines) if each.rstrip() == "mcp:"), None)
    if at is None:
        gap = "" if not text or text.endswith("\n") else "\n"
        text = f"{text}{gap}mcp:\n{line}"
    else:
        text = "".join([*lines[: at + 1], line, *lines[at + 1 :]])
    with open(configuration, "w", encoding="utf-8") as file:
        file.write(text)


def _read(path: str) -> dict[str, Any]:
    if not os.path.exists(path):
        return {"mcpServers": {}}
    try:
        with open(path, encoding="utf-8") as file:
            document = json.load(file)
    except (OSError, ValueError, RecursionError) as error:
        raise ConfigError(f"{path} can't be read ({error})") from None
    if not isinstance(document, dict) or not isinstance(document.setdefault("mcpServers", {}), dict):
        raise ConfigError(f"{path} is no file of MCP servers")
    return document


def _write(path: str, document: dict[str, Any]) -> None:
    with open(f"{path}.new", "w", encoding="utf-8") as file:
        json.dump(document, file, indent=2)
        file.write("\n")
    os.replace(f"{path}.new", path)


def _config_folder() -> str:
    base = os.environ.get("APPDATA" if sys.platform == "win32" else "XDG_CONFIG_HOME", "")
    if not os.path.isabs(base):
        base = os.path.join(os.path.expanduser("~"), ".config")
    return os.path.join(base, "ares")

"""Which servers are configured: in the section ``mcp``, or in a ``mcpServers`` file of another program."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from typing import Annotated, Any

import msgspec
from msgspec import Meta, Struct

from ares_core import ConfigError
from ares_plugin_mcp.settings import Seconds, Settings

LARGEST = 1_000_000
LONGEST_IN_SECONDS = 3_600
TRANSPORTS = {"stdio": "stdio", "http": "http", "streamable-http": "http", "streamableHttp": "http", "sse": "sse"}
ERAS = ("auto", "legacy", "2026-07-28")
_NAME = re.compile(r"[\w][\w .@/-]{0,99}")
_VARIABLE = re.compile(r"\$\$\{|\$\{(?:(?:env:)?([A-Za-z_][A-Za-z0-9_]*)(?::-((?:\$\{[^}]*\}|[^}])*))?|[^}]*)\}")
OTHER_KEYS = frozenset({"type", "enabled", "disabled"})
MEANT = {"environment": "env", "arguments": "args", "cmd": "command", "httpUrl": "url", "serverUrl": "url"}
"""Keys of other programs, and ours that says the same."""
KINDS = {"array": "a list", "object": "a mapping", "str": "text", "int": "a whole number", "float": "a number",
         "bool": "true or false", "null": "nothing"}  # fmt: skip


class OAuth(Struct, frozen=True):
    """How to get a token: with a secret of the client's own, or, without one, by asking a person.

    ``client_metadata_url`` is where a client describes itself, for servers that take that for a registration.
    """

    client_id: str = ""
    client_secret: str = ""
    scope: str = ""
    issuer: str = ""
    client_metadata_url: str = ""


class Server(Struct, frozen=True):
    """One server as it is configured.

    ``trusted`` believes what the server says its tools do. ``timeout`` is for a call, ``startup_timeout`` for
    starting and listing. ``tools`` names the only tools to be used. ``era`` is the protocol: sessions (``legacy``),
    without (``2026-07-28``), or whichever the server speaks.
    """

    name: str
    transport: str
    command: str = ""
    args: tuple[str, ...] = ()
    env: Mapping[str, str] = {}
    cwd: str = ""
    url: str = ""
    headers: Mapping[str, str] = {}
    bearer: str = ""
    oauth: OAuth | None = None
    trusted: bool = False
    resources: bool = False
    prompts: bool = False
    tools: tuple[str, ...] | None = None
    timeout: Seconds | None = None
    startup_timeout: Seconds = 60.0
    max_message_bytes: Annotated[int, Meta(ge=1_000, le=1_000_000_000)] = 16_000_000
    era: str = "auto"

    @property
    def target(self) -> str:
        """What is started or called, for sentences; without secrets, which stand elsewhere."""
        return " ".join([self.command, *self.args]) if self.command else self.url.partition("?")[0]


def read_servers(settings: Settings) -> tuple[dict[str, Server], dict[str, str]]:
    """Give the servers that can be used, and a sentence for each that can't."""
    found: dict[str, Server] = {}
    wrong: dict[str, str] = {}
    try:
        listed = read_file(settings.file)
    except ConfigError as error:
        listed, wrong = {}, {"file": str(error)}
    for name, given in {**listed, **settings.servers}.items():
        try:
            if (server := read_server(name, given)) is not None:
                found[name] = server
        except ConfigError as error:
            wrong[name] = str(error)
    return found, wrong


def read_file(path: str) -> dict[str, Any]:
    """Read the servers of a ``mcpServers`` file; other things in it are left alone."""
    if not path:
        return {}
    import json

    try:
        with open(os.path.expanduser(path), "rb") as file:
            text = file.read(LARGEST + 1)
        document = json.loads(text.decode("utf-8-sig"))
    except OSError as error:
        raise ConfigError(f"mcp.file: {path} can't be read ({error.strerror})") from None
    except (ValueError, RecursionError) as error:
        raise ConfigError(f"mcp.file: {path} is no JSON ({error})") from None
    servers = document.get("mcpServers", document.get("servers")) if isinstance(document, dict) else None
    if not isinstance(servers, dict):
        raise ConfigError(f"mcp.file: {path} has no 'mcpServers' with an entry for each server")
    return {str(name): _in_seconds(given) for name, given in servers.items()}


def _in_seconds(given: Any) -> Any:
    """Read a time limit of another program: some count in milliseconds."""
    timeout = given.get("timeout") if isinstance(given, dict) else None
    if isinstance(timeout, int | float) and timeout > LONGEST_IN_SECONDS:
        return {**given, "timeout": timeout / 1000}
    return given


def read_server(name: str, given: Any) -> Server | None:
    """Check one server; one that is switched off is none. Keys that other programs use besides are left alone.

    >>> read_server("files", {"command": "files-server", "args": ["--root", "."]}).transport
    'stdio'
    """
    where = f"mcp.servers.{name}"
    if not _NAME.fullmatch(name):
        raise ConfigError(f"{where}: {name!r:.60} is no name for a server; use letters, digits, '-' and '_'")
    if not isinstance(given, Mapping):
        raise ConfigError(f"{where}: expected a mapping with 'command' or 'url', got {given!r:.60}")
    if str(given.get("disabled")).lower() == "true" or str(given.get("enabled")).lower() == "false":
        return None
    _check_keys(where, given)
    own = [key for key in Server.__struct_fields__ if key not in ("name", "transport")]
    values = {key: given[key] for key in own if given.get(key) is not None}
    if isinstance(values.get("args"), list):
        values["args"] = [_text(one) if isinstance(one, int | float) else one for one in values["args"]]
    for key in ("env", "headers"):
        if isinstance(values.get(key), Mapping):
            values[key] = {str(variable): _text(value) for variable, value in values[key].items()}
    try:
        server = msgspec.convert({"name": name, "transport": _transport(where, given), **values}, Server, strict=False)
    except msgspec.ValidationError as error:
        raise ConfigError(_worded(where, error)) from None
    if server.era not in ERAS:
        raise ConfigError(f"{where}.era: expected one of {', '.join(ERAS)}, got {server.era!r}")
    return server


def _check_keys(where: str, given: Mapping[str, Any]) -> None:
    """Refuse a key that is nearly one of ours: what it says would be passed over in silence."""
    from difflib import get_close_matches

    known = (*Server.__struct_fields__, *OTHER_KEYS)
    for key in given:
        if key not in known and (near := get_close_matches(str(key)[:60], (*known, *MEANT), n=1, cutoff=0.8)):
            meant = MEANT.get(near[0], near[0])
            raise ConfigError(f"{where}: there is no key {key!r:.60} (did you mean {meant!r}?)")


def _worded(where: str, error: msgspec.ValidationError) -> str:
    """Say in words, and with the whole key, what msgspec says of a value."""
    said, _, place = str(error).partition(" - at `$")
    said = re.sub("`([^`]*)`", lambda found: " or ".join(KINDS.get(kind, kind) for kind in found[1].split(" | ")), said)
    return f"{where}{place.rstrip('`')}: {said[:1].lower()}{said[1:]}"


def _transport(where: str, given: Mapping[str, Any]) -> str:
    wanted = given.get("transport", given.get("type"))
    if bool(given.get("command")) == bool(given.get("url")):
        raise ConfigError(f"{where}: give either 'command', to start it, or 'url', to reach it")
    if wanted is None:
        return "http" if given.get("url") else "stdio"
    transport = TRANSPORTS.get(str(wanted))
    if transport is None or (transport == "stdio") != bool(given.get("command")):
        raise ConfigError(f"{where}: transport {wanted!r:.40} doesn't fit; 'command' takes stdio, 'url' http or sse")
    return transport


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return "" if value is None else str(value)


def filled(server: Server, secrets: Mapping[str, str]) -> Server:
    """Put in what ``${NAME}`` stands for: a secret of the program's, else a variable of the environment.

    ``${NAME:-default}`` has a default for what is missing or empty; ``$${`` is the text ``${``.
    """

    def fill(text: str) -> str:
        return _VARIABLE.sub(value_of, text)

    def value_of(found: re.Match[str]) -> str:
        name, default = found[1], found[2]
        if found[0] == "$${":
            return "${"
        value = secrets.get(name, os.environ.get(name)) if name else None
        if not value and default is not None:
            return fill(default)
        if value is None:
            raise ConfigError(f"mcp.servers.{server.name}: {found[0]:.80} is neither a secret nor a variable")
        return value

    return _filled(server, fill)


def _filled(server: Server, fill: Callable[[str], str]) -> Server:
    oauth = server.oauth and OAuth(**{key: fill(getattr(server.oauth, key)) for key in OAuth.__struct_fields__})
    return msgspec.structs.replace(
        server,
        args=tuple(map(fill, server.args)),
        env={key: fill(value) for key, value in server.env.items()},
        headers={key: fill(value) for key, value in server.headers.items()},
        **{key: fill(getattr(server, key)) for key in ("command", "cwd", "url", "bearer")},
        oauth=oauth,
    )

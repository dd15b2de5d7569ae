"""Serving many clients over streamable HTTP: on loopback unless told otherwise, and only to those who may."""

from __future__ import annotations

import hmac
import ipaddress
import socket
from collections.abc import Collection
from typing import Any
from urllib.parse import urlsplit

import uvicorn
from mcp.server.lowlevel import Server
from mcp.server.transport_security import TransportSecuritySettings
from starlette.datastructures import Headers
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from ares_plugin_mcp.server.messages import LONGEST

MOST_CONNECTIONS = 1_000
MOST_SESSIONS = 1_000
LAST_ANSWERS = 2
PATH = "/mcp"


class Gate:
    """Turns away who may not come in, before anything of the request is read.

    The token has to be the right one, if there is one. A request that a web page makes has to be made by a page that
    is allowed: one of this machine, or of ``origins``. On loopback the request must be addressed to this machine, so
    that no name can be made to point here.
    """

    def __init__(self, app: ASGIApp, token: str | None, origins: Collection[str], loopback: bool) -> None:
        self._app = app
        self._token = None if token is None else token.encode()
        self._origins = frozenset(origin.rstrip("/").lower() for origin in origins)
        self._loopback = loopback

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request in, or answer it here."""
        refusal = self._refusal(Headers(scope=scope)) if scope["type"] == "http" else None
        await (refusal or self._app)(scope, receive, send)

    def _refusal(self, headers: Headers) -> Response | None:
        if self._loopback and not is_local(f"//{headers.get('host', '')}"):
            return _said(421, "This server answers only requests that are addressed to this machine (header Host).")
        origin = headers.get("origin")
        if origin is not None and origin.lower() not in self._origins and not (self._loopback and is_local(origin)):
            return _said(403, f"Pages of {origin:.200} may not use this server; --origin lets one.")
        if self._token is not None and not hmac.compare_digest(_bearer(headers), self._token):
            return _said(401, "A bearer token is needed (header Authorization).", {"WWW-Authenticate": "Bearer"})
        return None


def _bearer(headers: Headers) -> bytes:
    scheme, _, token = headers.get("authorization", "").partition(" ")
    return token.strip().encode("latin-1", "replace") if scheme.lower() == "bearer" else b""


def _said(status: int, message: str, headers: dict[str, str] | None = None) -> Response:
    error = {"jsonrpc": "2.0", "id": None, "error": {"code": -32600, "message": message}}
    return JSONResponse(error, status, headers)


def is_local(address: str) -> bool:
    """Whether an address leads to this machine by its very name.

    >>> is_local("http://localhost:3000"), is_local("//[::1]:8000"), is_local("http://localhost.evil.test")
    (True, True, False)
    """
    try:
        host = urlsplit(address).hostname or ""
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def app(server: Server[Any], host: str, token: str | None, origins: Collection[str] = ()) -> ASGIApp:
    """Make the application: the server's own, behind the gate."""
    inner = server.streamable_http_app(
        streamable_http_path=PATH,
        max_request_body_size=LONGEST,
        max_sessions=MOST_SESSIONS,
        transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),  # the gate has done it
    )
    return Gate(inner, token, origins, loopback=is_local(f"//{_bracketed(host)}"))


def listen(host: str, port: int) -> socket.socket:
    """Open the port; 0 is any that is free."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    return socket.create_server((host, port), family=family, backlog=MOST_CONNECTIONS)


def address(host: str, opened: socket.socket) -> str:
    """Give the address of a server."""
    return f"http://{_bracketed(host)}:{opened.getsockname()[1]}{PATH}"


def _bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host else host


async def serve_http(application: ASGIApp, opened: socket.socket) -> None:
    """Serve until a signal ends it."""
    config = uvicorn.Config(
        application,
        log_config=None,
        access_log=False,
        limit_concurrency=MOST_CONNECTIONS,
        timeout_graceful_shutdown=LAST_ANSWERS,
        server_header=False,
        ws="none",
    )
    await uvicorn.Server(config).serve(sockets=[opened])

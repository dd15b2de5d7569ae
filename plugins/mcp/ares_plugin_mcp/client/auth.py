"""Tokens: a fixed one, one for a client's own secret, or one that a person allows in the browser."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
from collections.abc import Awaitable, Callable
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx2
from mcp.client.auth import AuthorizationCodeResult, OAuthClientProvider
from mcp.client.auth.extensions.client_credentials import ClientCredentialsOAuthProvider
from mcp.shared.auth import OAuthClientInformationFull, OAuthClientMetadata, OAuthToken

from ares_core import ToolError
from ares_plugin_mcp.client.configured import Server
from ares_plugin_mcp.client.pins import state_folder

Open = Callable[[str], Awaitable[bool]]
"""Asks a person to open an address."""
PATIENCE = 300.0
ANSWER = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nConnection: close\r\n\r\nDone; this page can be closed.\n"


class TokenFile:
    """Tokens and the client's registration, kept for the user alone."""

    def __init__(self, server: Server) -> None:
        self._path = os.path.join(state_folder(), "tokens", f"{server.name.replace('/', '_')}.json")
        self._url = server.url

    async def get_tokens(self) -> OAuthToken | None:
        """Give the tokens."""
        found = self._read().get("tokens")
        return OAuthToken.model_validate(found) if found else None

    async def set_tokens(self, tokens: OAuthToken) -> None:
        """Keep the tokens."""
        self._write("tokens", tokens.model_dump(mode="json", exclude_none=True))

    async def get_client_info(self) -> OAuthClientInformationFull | None:
        """Give the registration."""
        found = self._read().get("client")
        return OAuthClientInformationFull.model_validate(found) if found else None

    async def set_client_info(self, client_info: OAuthClientInformationFull) -> None:
        """Keep the registration."""
        self._write("client", client_info.model_dump(mode="json", exclude_none=True))

    def _read(self) -> dict[str, Any]:
        try:
            with open(self._path, encoding="utf-8") as file:
                found = json.load(file)
        except (OSError, ValueError):
            return {}
        return found if isinstance(found, dict) and found.get("url") == self._url else {}

    def _write(self, key: str, value: Any) -> None:
        content = {**self._read(), "url": self._url, key: value}
        os.makedirs(os.path.dirname(self._path), mode=0o700, exist_ok=True)
        with open(os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8") as file:
            json.dump(content, file)


class Browser:
    """Waits on a loopback port for the answer that a browser brings back."""

    def __init__(self, server: str, ask: Open) -> None:
        self._server = server
        self._ask = ask
        self._answer: asyncio.Future[dict[str, str]] | None = None
        self._listener: asyncio.Server | None = None
        self.address = ""

    async def listen(self) -> None:
        """Open the port."""
        self._listener = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self.address = f"http://127.0.0.1:{self._listener.sockets[0].getsockname()[1]}/callback"

    async def aclose(self) -> None:
        """Close the port."""
        if self._listener is not None:
            self._listener.close()

    async def open(self, url: str) -> None:
        """Have a person open the address where access is allowed."""
        self._answer = asyncio.get_running_loop().create_future()
        if not await self._ask(url):
            raise ToolError(
                f"server {self._server!r} wants somebody to sign in, and nobody is there", blame="world",
                hint=f"Run at a terminal: ares mcp check {self._server}",
            )  # fmt: skip

    async def wait(self) -> AuthorizationCodeResult:
        """Wait for the answer."""
        found = await asyncio.wait_for(self._answer, PATIENCE) if self._answer is not None else {}
        return AuthorizationCodeResult(code=found.get("code", ""), state=found.get("state"), iss=found.get("iss"))

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError, ValueError):
            line = (await reader.readline()).decode("latin-1").split(" ")
            asked = {key: values[0] for key, values in parse_qs(urlsplit(line[1]).query).items()} if line[1:] else {}
            if self._answer is not None and not self._answer.done() and ("code" in asked or "error" in asked):
                self._answer.set_result(asked)
            writer.write(ANSWER)
            await writer.drain()
        writer.close()


async def auth_of(server: Server, ask: Open, stack: contextlib.AsyncExitStack) -> httpx2.Auth | None:
    """Give what adds tokens to requests, if OAuth is configured."""
    oauth = server.oauth
    if oauth is None:
        return None
    storage = TokenFile(server)
    if oauth.client_secret:
        return ClientCredentialsOAuthProvider(
            server.url, storage, oauth.client_id, oauth.client_secret, scope=oauth.scope or None,
            issuer=oauth.issuer or None,
        )  # fmt: skip
    browser = Browser(server.name, ask)
    await browser.listen()
    stack.push_async_callback(browser.aclose)
    metadata = OAuthClientMetadata.model_validate({
        "client_name": "Ares", "redirect_uris": [browser.address], "scope": oauth.scope or None,
        "grant_types": ["authorization_code", "refresh_token"], "response_types": ["code"],
        "token_endpoint_auth_method": "none",
    })  # fmt: skip
    return OAuthClientProvider(
        server.url, metadata, storage, browser.open, browser.wait, oauth.client_metadata_url or None
    )

"""The HTTP client that the SDK is given: every connection goes through the network provider of Ares.

The configured server is reached as the operator said; whatever else the SDK is led to, such as where tokens are
given out, counts as an address that came from outside.
"""

from __future__ import annotations

import asyncio
import json
import ssl
from collections.abc import AsyncIterator, Iterable
from typing import Any

import httpcore2
import httpx2
from mcp_types import INTERNAL_ERROR, METHOD_NOT_FOUND, ErrorData, JSONRPCError, JSONRPCRequest

from ares_core import Network, ToolError
from ares_plugin_mcp.client.matching import Answer
from ares_plugin_mcp.client.messages import Reader

CONNECT_SECONDS, READ_SECONDS = 30.0, 600.0
LARGEST_ERROR = 65_536
VERSION, OLDEST_TOLD = "mcp-protocol-version", "2025-06-18"
SESSION = "mcp-session-id"
GONE, BAD_REQUEST, UNAUTHORIZED = (404, 410), 400, 401
UNREACHABLE, REFUSED = -32_098, -32_097
"""Codes of errors that are made here, where a server gave none: nothing was sent, and an HTTP status."""


class Backend(httpcore2.AsyncNetworkBackend):
    """Opens connections through the provider."""

    def __init__(self, network: Network, url: str) -> None:
        self._network = network
        self._own = _origin(httpx2.URL(url))

    async def connect_tcp(
        self, host: str, port: int, timeout: float | None = None, local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore2.AsyncNetworkStream:  # fmt: skip
        """Open a connection; what is refused was not sent."""
        try:
            own = (host, port) == self._own
            stream = await self._network.connect("operator" if own else "argument", host, port)
        except ToolError as error:
            raise httpcore2.ConnectError(error.message) from error
        return Stream(stream)

    async def connect_unix_socket(
        self, path: str, timeout: float | None = None, socket_options: Iterable[Any] | None = None
    ) -> httpcore2.AsyncNetworkStream:
        """Refuse: a socket in the file system is no address on the network."""
        raise httpcore2.ConnectError(f"the socket {path} is not opened")

    async def sleep(self, seconds: float) -> None:
        """Wait."""
        await asyncio.sleep(seconds)


class Stream(httpcore2.AsyncNetworkStream):
    """A stream of the provider, whose errors are turned into those that the pool knows."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        """Read what has come."""
        try:
            data: bytes = await self._stream.read(max_bytes, timeout)
        except Exception as error:
            raise _known(error, httpcore2.ReadError) from error
        return data

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:
        """Send."""
        try:
            await self._stream.write(buffer, timeout)
        except Exception as error:
            raise _known(error, httpcore2.WriteError) from error

    async def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore2.AsyncNetworkStream:
        """Go on encrypted."""
        try:
            return Stream(await self._stream.start_tls(ssl_context, server_hostname, timeout))
        except Exception as error:
            raise _known(error, httpcore2.ConnectError) from error

    def get_extra_info(self, info: str) -> Any:
        """Give what is known of the connection."""
        return self._stream.get_extra_info(info)

    async def aclose(self) -> None:
        """Close it."""
        await self._stream.aclose()


class Transport(httpx2.AsyncHTTPTransport):
    """Sends requests over the provider's connections.

    An error that has no message of the protocol in its body gets one, so that it costs the one request that it
    answers and says what happened.
    """

    def __init__(self, network: Network, url: str, limit: int) -> None:
        super().__init__(verify=_trust(), trust_env=False)
        self._limit = limit
        self._url = url
        self._pool = httpcore2.AsyncConnectionPool(
            ssl_context=_trust(), max_connections=100, max_keepalive_connections=5, keepalive_expiry=15,
            network_backend=Backend(network, url),
        )  # fmt: skip

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Send one request."""
        if request.headers.get(VERSION, OLDEST_TOLD) < OLDEST_TOLD:
            del request.headers[VERSION]  # the revisions before know no such header, and some servers refuse it
        is_call = request.method == "POST" and _origin(request.url) == _origin(httpx2.URL(self._url))
        try:
            response = await super().handle_async_request(request)
        except (httpx2.ConnectError, httpx2.ConnectTimeout) as error:
            if not is_call:
                raise
            return _error(502, UNREACHABLE, str(error), request)
        if response.status_code >= 400 and is_call:
            return await _explained(response, request)
        if response.status_code == 200 and is_call and (asked := await _asked(request)) and _may_be_json(response):
            return await _mended(response, request, asked, self._limit)
        if not response.headers.get("content-type", "").startswith("text/event-stream"):
            response.stream = Bounded(response.stream, self._limit)
        return response


class Bounded(httpx2.AsyncByteStream):
    """A body that is cut when it is longer than a message may be."""

    def __init__(self, stream: Any, limit: int) -> None:
        self._stream = stream
        self._limit = limit

    async def __aiter__(self) -> AsyncIterator[bytes]:
        came = 0
        async for chunk in self._stream:
            came += len(chunk)
            if came > self._limit:
                raise httpx2.StreamError(f"it sent more than {self._limit:,} bytes (max_message_bytes)")
            yield chunk

    async def aclose(self) -> None:
        """Let the connection go."""
        await self._stream.aclose()


def client_of(
    network: Network, url: str, headers: dict[str, str], limit: int, auth: httpx2.Auth | None
) -> httpx2.AsyncClient:
    """Make the client of one server."""
    return httpx2.AsyncClient(
        transport=Transport(network, url, limit), headers=headers, auth=auth, trust_env=False,
        timeout=httpx2.Timeout(CONNECT_SECONDS, read=READ_SECONDS),
    )  # fmt: skip


def _trust() -> ssl.SSLContext:
    context = httpx2.create_ssl_context(trust_env=False)
    context.load_default_certs()
    return context


def _origin(url: httpx2.URL) -> tuple[str, int]:
    return url.host, url.port or (443 if url.scheme == "https" else 80)


def _known(error: Exception, otherwise: type[Exception]) -> Exception:
    kind = getattr(httpcore2, type(error).__name__, otherwise)
    return kind(str(error)) if isinstance(kind, type) and issubclass(kind, Exception) else otherwise(str(error))


async def _explained(response: httpx2.Response, request: httpx2.Request) -> httpx2.Response:
    """Keep an error that speaks the protocol; otherwise say its status in one that does."""
    body = await _taken(response, LARGEST_ERROR) or b""
    status = response.status_code
    if _is_of_the_session(status, body) and SESSION in request.headers:
        return _error(GONE[0], REFUSED, "its session is over", request)
    headers = httpx2.Headers(response.headers)
    if _is_message(body) and status != UNAUTHORIZED:
        return httpx2.Response(status, headers=_plain_headers(headers), content=body, request=request)
    made = _error(status, REFUSED, f"HTTP status {status}", request, headers.get("retry-after", "")[:40])
    for name in ("www-authenticate", "retry-after"):
        if name in headers:
            made.headers[name] = headers[name]
    return made


def _is_of_the_session(status: int, body: bytes) -> bool:
    """Whether an error says that the session is over, of which a request may be sent once more in a new one."""
    if status in GONE:
        return f'"code":{METHOD_NOT_FOUND}'.encode() not in body.replace(b" ", b"")
    return status == BAD_REQUEST and b"session" in body.lower()


async def _taken(response: httpx2.Response, limit: int) -> bytes | None:
    """Read a body, unpacked; of one that is too long ``None``."""
    body = bytearray()
    try:
        async for chunk in response.aiter_bytes():
            body += chunk
            if len(body) > limit:
                return None
    except httpx2.DecodingError:
        return b""
    finally:
        await response.aclose()
    return bytes(body)


async def _asked(request: httpx2.Request) -> JSONRPCRequest | None:
    """Give the request that a body holds, if it holds one."""
    try:
        return JSONRPCRequest.model_validate_json(await request.aread())
    except (ValueError, httpx2.StreamError):
        return None


def _may_be_json(response: httpx2.Response) -> bool:
    kind = response.headers.get("content-type", "").partition(";")[0].strip().lower()
    return kind in ("", "text/plain") or kind == "application/json" or kind.endswith("+json")


async def _mended(
    response: httpx2.Response, request: httpx2.Request, asked: JSONRPCRequest, limit: int
) -> httpx2.Response:  # fmt: skip
    """Give the answer to a request as the protocol wants it, or an error that says what is wrong with it."""
    body = await _taken(response, limit)
    reader = Reader(lambda text: None)
    reader.open.sent(asked)
    found = [] if body is None else [item.message for item in reader.read(body)]
    answer: Any = next((one for one in found if isinstance(one, Answer) and one.id == asked.id), None)
    if answer is None:
        why = f"more than {limit:,} bytes (max_message_bytes)" if body is None else "no answer to this request"
        answer = JSONRPCError(
            jsonrpc="2.0", id=asked.id, error=ErrorData(code=INTERNAL_ERROR, message=f"it sent {why}")
        )
    headers = {**_plain_headers(response.headers), "content-type": "application/json"}
    content = answer.model_dump_json(by_alias=True).encode("utf-8", "replace")
    return httpx2.Response(200, headers=headers, content=content, request=request)


def _plain_headers(headers: httpx2.Headers) -> dict[str, str]:
    dropped = ("content-length", "transfer-encoding", "content-encoding")
    return {name: value for name, value in headers.items() if name.lower() not in dropped}


def _is_message(body: bytes) -> bool:
    try:
        value = json.loads(body)
    except (ValueError, RecursionError):
        return False
    return isinstance(value, dict) and isinstance(value.get("error"), dict) and "code" in value["error"]


def _error(
    status: int, code: int, message: str, request: httpx2.Request, retry_after: str = ""
) -> httpx2.Response:  # fmt: skip
    data = {"status": status} | ({"retry_after": retry_after} if retry_after else {})
    error = {"code": code, "message": message, "data": data}
    return httpx2.Response(status, json={"jsonrpc": "2.0", "id": None, "error": error}, request=request)

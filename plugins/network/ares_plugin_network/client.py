"""The HTTP client: the one module that imports httpx, itself imported when a client is first asked for."""

from __future__ import annotations

import asyncio
import re
import ssl
import zlib
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from itertools import count
from typing import Any

import httpcore
import httpx
from msgspec import Struct

from ares_core import ConfigError
from ares_plugin_network import sentences as say
from ares_plugin_network.errors import NetworkError
from ares_plugin_network.gates import Gate
from ares_plugin_network.inflate import OFFERED, Inflate
from ares_plugin_network.streams import Backend, target

MOST_REDIRECTS = 5
SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
KEPT_ELSEWHERE = frozenset({
    "accept", "accept-encoding", "accept-language", "cache-control", "content-length", "content-type", "host",
    "if-modified-since", "if-none-match", "range", "transfer-encoding", "user-agent",
})  # fmt: skip
"""The headers that another origin gets to see after a redirect: any other name may carry a secret."""
DEADLINE = "ares_deadline"
IN_A_ROW = 32
"""So many pieces of a body may come without a look at the clock and at others: a server can send one letter in each."""
_ODD = re.compile(r"[\x00-\x1f\x7f]|\A[^?#]*\\")


class Failed(NetworkError, httpx.TransportError):
    """A ``NetworkError`` that those who know httpx recognise too."""


class TooLate(NetworkError, httpx.TimeoutException):
    """The same for time that is over."""


class Limits(Struct, frozen=True):
    """Of one client: seconds for a whole exchange (``None``: no limit of its own), and bytes of an answer."""

    connect: float
    read: float
    total: float | None
    max_bytes: int


class Client(httpx.AsyncClient):
    """An ``httpx.AsyncClient`` whose every connection passes a gate, and whose failures are ``NetworkError``s.

    Redirects are followed here: another origin gets no credentials and no body, and an error names the way.
    """

    def __init__(
        self, gate: Gate, limits: Limits, context: ssl.SSLContext, user_agent: str, base_url: str = ""
    ) -> None:
        super().__init__(
            transport=Transport(gate, limits, context),
            base_url=base_url,
            timeout=httpx.Timeout(limits.read, connect=limits.connect),
            headers={"User-Agent": user_agent},
            follow_redirects=True,
            trust_env=False,
        )
        self._total = limits.total

    def build_request(self, method: str, url: httpx.URL | str, **options: Any) -> httpx.Request:
        """Build a request; an address that can't be requested is a ``NetworkError``."""
        if isinstance(url, str) and _ODD.search(url):
            raise Failed(say.no_url(url, "it has a backslash or a control character"), blame="input")
        try:
            if isinstance(given := options.get("headers"), dict) and not all(map(str.isascii, given.values())):
                options["headers"] = httpx.Headers(given, encoding="latin-1")
            request = super().build_request(method, url, **options)
        except (httpx.InvalidURL, ValueError):
            raise Failed(say.no_url(str(url)), blame="input") from None
        _check(request.url, str(url))
        return request

    async def send(
        self, request: httpx.Request, *, stream: bool = False, auth: Any = httpx.USE_CLIENT_DEFAULT,
        follow_redirects: Any = httpx.USE_CLIENT_DEFAULT,
    ) -> httpx.Response:  # fmt: skip
        """Send a request and follow where it is led."""
        follows = self.follow_redirects if follow_redirects is httpx.USE_CLIENT_DEFAULT else follow_redirects
        if self._total is not None:
            request.extensions.setdefault(DEADLINE, asyncio.get_running_loop().time() + self._total)
        way: list[httpx.Response] = []
        while True:
            with _told(request, way):
                response = await super().send(request, stream=True, auth=auth, follow_redirects=False)
            if not follows or response.next_request is None:
                break
            await response.aclose()
            way.append(response)
            request, auth = self._onward(response, response.next_request, len(way)), None
        response.history = way
        if not stream:
            await _read(response)
        return response

    def _onward(self, response: httpx.Response, onward: httpx.Request, hops: int) -> httpx.Request:
        """Make the request that a redirect asks for fit to be sent."""
        told = _redirected(response, onward.url)
        if hops > MOST_REDIRECTS:
            raise Failed(f"{told}; that is one redirect too many after {MOST_REDIRECTS}", sent=True)
        if _origin(onward.url) != _origin(response.request.url):
            if onward.method not in SAFE_METHODS:
                raise Failed(f"{told}, another origin; a {onward.method} is not sent on to one", sent=True)
            kept = [(name, value) for name, value in onward.headers.raw if name.lower().decode() in KEPT_ELSEWHERE]
            onward.headers = httpx.Headers(kept)
        onward.url = onward.url.copy_with(username=None, password=None)
        return onward


class Transport(httpx.AsyncBaseTransport):
    """Sends single requests over connections that passed the gate, and measures what comes back."""

    def __init__(self, gate: Gate, limits: Limits, context: ssl.SSLContext) -> None:
        self._limits = limits
        self._pool = httpcore.AsyncConnectionPool(
            ssl_context=context, max_connections=20, max_keepalive_connections=5, keepalive_expiry=5,
            network_backend=Backend(gate, limits.connect),
        )  # fmt: skip

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Send one request; the answer's body is still on its way."""
        url = request.url
        _check(url)
        request.headers["Accept-Encoding"] = OFFERED
        core = httpcore.Request(
            request.method,
            httpcore.URL(scheme=url.raw_scheme, host=url.raw_host, port=url.port, target=url.raw_path),
            headers=request.headers.raw,
            content=request.stream,
            extensions=request.extensions,
        )
        deadline = request.extensions.get(DEADLINE)
        with _translated(url):
            async with asyncio.timeout_at(deadline):
                answer = await self._pool.handle_async_request(core)
        return self._response(request, answer, deadline)

    def _response(self, request: httpx.Request, answer: httpcore.Response, deadline: float | None) -> httpx.Response:
        headers = httpx.Headers(answer.headers)
        encoding = headers.pop("Content-Encoding", "").strip().lower()
        if encoding:
            headers.pop("Content-Length", None)
        body = Body(answer, request.url, encoding, self._limits.max_bytes, deadline)
        return httpx.Response(answer.status, headers=headers, stream=body, extensions=answer.extensions)

    async def aclose(self) -> None:
        """Close every connection."""
        await self._pool.aclose()


class Body(httpx.AsyncByteStream):
    """The body of an answer: decompressed in small pieces, counted, and timed as a whole."""

    def __init__(
        self, answer: httpcore.Response, url: httpx.URL, encoding: str, limit: int, deadline: float | None
    ) -> None:
        self._answer = answer
        self._url = url
        self._encoding = encoding
        self._limit = limit
        self._deadline = deadline

    async def __aiter__(self) -> AsyncIterator[bytes]:
        came = gave = 0
        with _translated(self._url):
            inflated = _inflate(self._encoding, self._url)
            async for chunk in self._chunks():
                came += len(chunk)
                for piece in inflated.feed(chunk):
                    gave += len(piece)
                    if max(came, gave) > self._limit:
                        raise Failed(say.too_large(_shown(self._url), self._limit, came, gave), sent=True)
                    yield piece
            if inflated.is_cut_off:
                raise Failed(say.broken_off(_shown(self._url)), retriable=True, sent=True)

    async def _chunks(self) -> AsyncIterator[bytes]:
        chunks = self._answer.aiter_stream()
        for number in count():
            try:
                async with asyncio.timeout_at(self._deadline):
                    chunk = await anext(chunks)
                    if not number % IN_A_ROW:
                        await asyncio.sleep(0)
            except StopAsyncIteration:
                return
            yield chunk

    async def aclose(self) -> None:
        """Let the connection go; unread, it is closed."""
        await self._answer.aclose()


async def _read(response: httpx.Response) -> None:
    try:
        await response.aread()
    except BaseException:
        await response.aclose()
        raise


def _inflate(encoding: str, url: httpx.URL) -> Inflate:
    try:
        return Inflate(encoding)
    except ValueError:
        raise Failed(say.unknown_encoding(_shown(url), encoding), sent=True) from None


def address_of(base_url: str) -> tuple[str, int]:
    """Give the host and the port that a configured address means."""
    try:
        url = httpx.URL(base_url)
        port = url.port or {"http": 80, "https": 443}[url.scheme]
        return target(url.raw_host.decode("ascii"), port)[0], port
    except (httpx.InvalidURL, KeyError, NetworkError):
        raise ConfigError(
            f"{say.shortened(base_url)!r} is no address of a server, such as http://localhost:8080"
        ) from None


def _check(url: httpx.URL, given: str = "") -> None:
    """Refuse what is no address on the web, a redirect's too; ``given`` is how it was written."""
    if url.scheme not in ("http", "https") or not url.host:
        raise Failed(say.no_url(given or str(url), "it needs http:// or https:// and a host"), blame="input")
    if url.port is not None and not 0 < url.port < 65536:
        raise Failed(say.no_url(given or str(url), "a port is a number from 1 to 65535"), blame="input")


def _origin(url: httpx.URL) -> tuple[str, str, int | None]:
    return url.scheme, url.host, url.port


def _shown(url: httpx.URL) -> str:
    """Write an address without the password that may stand in it."""
    return say.shortened(str(url.copy_with(username=None, password=None, fragment=None)))


@contextmanager
def _told(request: httpx.Request, way: list[httpx.Response]) -> Iterator[None]:
    """Turn what httpx itself finds wrong into our error, and put the way in front of an error at its end."""
    try:
        with _as_ours(request):
            yield
    except NetworkError as error:
        if not way:
            raise
        raise error.after(_redirected(way[-1], request.url)) from None


def _redirected(response: httpx.Response, to: httpx.URL) -> str:
    before = response.request
    return say.redirected(before.method, _shown(before.url), response.status_code, _shown(to))


@contextmanager
def _as_ours(request: httpx.Request) -> Iterator[None]:
    try:
        yield
    except NetworkError:
        raise
    except (httpx.HTTPError, httpx.InvalidURL, httpx.StreamError):
        raise Failed(say.bad_redirect(request.method, _shown(request.url)), sent=True) from None


@contextmanager
def _translated(url: httpx.URL) -> Iterator[None]:
    """Turn what the layers below raise into our error, in a sentence."""
    try:
        yield
    except (Failed, TooLate):
        raise
    except NetworkError as error:
        raise Failed(error.message, error.retriable, error.hint, error.blame, sent=error.sent) from None
    except (httpcore.ConnectError, httpcore.ConnectTimeout) as error:
        raise Failed(say.no_tls(_shown(url), error)) from None
    except (TimeoutError, httpcore.TimeoutException):
        raise TooLate(say.too_late(_shown(url)), retriable=True, sent=True) from None
    except httpcore.LocalProtocolError:
        raise Failed(say.no_request(_shown(url)), blame="input") from None
    except (httpcore.RemoteProtocolError, httpcore.NetworkError) as error:
        raise Failed(say.broken_off(_shown(url), error), retriable=True, sent=True) from None
    except zlib.error:
        raise Failed(say.damaged(_shown(url)), sent=True) from None

"""What ``http_request`` does."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping
from typing import Any

import msgspec
from msgspec import Struct

from ares_core import Failure, Result, ToolContext, ToolError
from ares_plugin_http import bodies, headers, saving
from ares_plugin_http.settings import Settings

ATTEMPTS = 3
LONGEST_PAUSE = 10.0
PASSING = frozenset({429, 502, 503, 504})
"""Statuses that say: later perhaps."""
REPEATABLE = frozenset({"GET", "HEAD", "OPTIONS", "PUT", "DELETE"})
WITHOUT_BODY = frozenset({"GET", "HEAD", "OPTIONS"})


class Request(Struct, frozen=True):
    """One request, checked."""

    method: str
    url: str
    headers: dict[str, str]
    content: bytes | None
    secrets: tuple[str, ...]
    save_to: str = ""


class Answer(Struct, frozen=True):
    """One answer, read."""

    status: int
    reason: str
    url: str
    headers: dict[str, str]
    body: bodies.Body
    way: tuple[str, ...]
    retry_after: float | None


async def run(arguments: Mapping[str, Any], context: ToolContext, settings: Settings) -> Result:
    """Send the request; a repeatable one again if the server asks to wait and there is time."""
    request = _request(arguments)
    async with context.network.client("argument") as client:
        for attempt in range(1, ATTEMPTS):
            answer = await _send(client, request, settings.max_bytes)
            pause = _pause(request, answer, attempt, context.remaining)
            if pause is None:
                return await _result(request, answer, context)
            context.emit("trying again", pause_s=pause)
            await asyncio.sleep(pause)
        return await _result(request, await _send(client, request, settings.max_bytes), context)


def _request(arguments: Mapping[str, Any]) -> Request:
    method = arguments.get("method", "GET")
    given = headers.checked(arguments.get("headers", {}))
    if "body" in arguments and "json" in arguments:
        raise ToolError("'body' and 'json' are both given; nothing was sent.", hint="Give one of them.", blame="input")
    content = _content(arguments)
    if content is not None and method in WITHOUT_BODY:
        message = f"a {method} request has no body; nothing was sent."
        raise ToolError(message, hint="Use POST, or put the values into the address.", blame="input")
    if "json" in arguments and "content-type" not in map(str.lower, given):
        given["Content-Type"] = "application/json"
    secrets = tuple(headers.secrets_in(given))
    return Request(method, arguments["url"].strip(), given, content, secrets, arguments.get("save_to", ""))


def _content(arguments: Mapping[str, Any]) -> bytes | None:
    if "json" in arguments:
        return msgspec.json.encode(arguments["json"])
    return arguments["body"].encode("utf-8") if "body" in arguments else None


async def _send(client: Any, request: Request, limit: int) -> Answer:
    """Send once; what is not repeatable and may have arrived ends in an outcome that is unknown."""
    try:
        async with client.stream(
            request.method, request.url, headers=request.headers, content=request.content
        ) as response:  # fmt: skip
            is_saved = request.save_to and response.status_code < 400
            return _answer(response, await (saving.read(response) if is_saved else bodies.read(response, limit)))
    except ToolError as error:
        if request.method in REPEATABLE or not getattr(error, "sent", False):
            raise
        message = (
            f"{error.message}; whether the {request.method} took effect is unknown. Look before you send it again."
        )
        raise ToolError(message, blame="world").with_words(code="outcome_unknown") from None


def _answer(response: Any, body: bodies.Body) -> Answer:
    way = tuple(f"{hop.status_code} {_shown(hop.request.url)}" for hop in response.history)
    wait = _seconds(response.headers.get("retry-after", ""))
    return Answer(
        response.status_code,
        response.reason_phrase,
        _shown(response.request.url),
        dict(response.headers),
        body,
        way,
        wait,
    )


def _shown(url: Any) -> str:
    return str(url.copy_with(username=None, password=None, fragment=None))


def _seconds(retry_after: str) -> float | None:
    """Read Retry-After: seconds, or a time."""
    if re.fullmatch(r"[0-9]{1,9}", retry_after):
        return float(retry_after)
    from datetime import UTC, datetime
    from email.utils import parsedate_to_datetime

    try:
        at = parsedate_to_datetime(retry_after[:64])
        at = at if at.tzinfo else at.replace(tzinfo=UTC)
        return max(0.0, (at - datetime.now(UTC)).total_seconds())
    except (TypeError, ValueError, OverflowError):
        return None


def _pause(request: Request, answer: Answer, attempt: int, remaining: float) -> float | None:
    """Seconds to wait before the next attempt; ``None`` when there is to be none."""
    if answer.status not in PASSING or request.method not in REPEATABLE:
        return None
    pause = answer.retry_after if answer.retry_after is not None else 0.25 * 2**attempt
    return pause if pause <= min(LONGEST_PAUSE, remaining - 1) else None


async def _result(request: Request, answer: Answer, context: ToolContext) -> Result:
    data = _data(request, answer)
    if answer.body.raw is not None:
        data["path"] = saving.place(request.save_to, answer.url)
        await asyncio.to_thread(saving.write, context.files, data["path"], answer.body.raw)
    if answer.status < 400:
        return Result(True, data)
    return Result(False, data, failure(request.method, answer.url, answer.status, answer.retry_after))


def failure(method: str, url: str, status: int, retry_after: float | None = None) -> Failure:
    """Say what a status of 400 or more means for the one who asked; the words are not the server's."""
    from http import HTTPStatus

    meaning = f" {HTTPStatus(status).phrase}" if status in {*HTTPStatus} else ""
    wait = "" if retry_after is None else f" It asks to wait {retry_after:.0f} s."
    passing = status in PASSING
    blame = "world" if status >= 500 or status == 429 else "input"
    return Failure(
        "tool_error", f"{method} {url:.300} was answered {status}{meaning}.{wait}", retriable=passing, blame=blame
    )


def _data(request: Request, answer: Answer) -> dict[str, Any]:
    kind, text = answer.headers.get("content-type", ""), answer.body.text
    data: dict[str, Any] = {
        "status": answer.status,
        "reason": answer.reason,
        "url": answer.url,
        "headers": {name: headers.masked(value, request.secrets) for name, value in answer.headers.items()},
        "bytes": answer.body.size,
        "truncated": answer.body.is_cut,
    }
    if text is None:
        data |= {"binary": True} if answer.body.raw is None else {}
    else:
        data["body"] = headers.masked(text, request.secrets)
        value = None if answer.body.is_cut else bodies.parsed(data["body"], kind)
        data |= {} if value is None else {"json": value}
    data |= {"redirects": list(answer.way)} if answer.way else {}
    return data | ({} if answer.retry_after is None else {"retry_after_s": answer.retry_after})

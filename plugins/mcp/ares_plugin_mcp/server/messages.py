"""Messages of a client as bytes: cut into lines that are bounded, read, and refused in the protocol's own words."""

from __future__ import annotations

from typing import Any

import msgspec
from mcp_types import (
    INTERNAL_ERROR,
    INVALID_REQUEST,
    PARSE_ERROR,
    ErrorData,
    JSONRPCError,
    JSONRPCMessage,
    JSONRPCResponse,
    jsonrpc_message_adapter,
)

LONGEST = 4 * 1024 * 1024
"""Bytes of one message; HTTP has the same bound."""
BOM = b"\xef\xbb\xbf"
BLANK = b" \t\r\n"


class Lines:
    """Cuts what comes into lines; of one that is too long nothing is kept but that it was there, as ``None``.

    >>> lines = Lines(longest=5)
    >>> lines.feed(b'{"a"'), lines.feed(b':1}\\n[]\\n[')
    ([], [None, b'[]'])
    >>> lines.rest()
    [b'[']
    """

    def __init__(self, longest: int = LONGEST) -> None:
        self._longest = longest
        self._begun = bytearray()
        self._skips = False

    def feed(self, data: bytes) -> list[bytes | None]:
        """Take in some bytes and give the lines that are complete."""
        found: list[bytes | None] = []
        *ended, begun = data.split(b"\n")
        for part in ended:
            self._add(part)
            found += self._taken()
        self._add(begun)
        return found

    def rest(self) -> list[bytes | None]:
        """Give the last line, which nothing ended."""
        return self._taken()

    def _add(self, part: bytes) -> None:
        if self._skips or len(self._begun) + len(part) > self._longest:
            self._skips = True
            self._begun.clear()
        else:
            self._begun += part

    def _taken(self) -> list[bytes | None]:
        line = bytes(self._begun.removeprefix(BOM).strip(BLANK))
        skipped, self._skips = self._skips, False
        self._begun.clear()
        return [None] if skipped else [line] if line else []


class Refused(msgspec.Struct, frozen=True):
    """What is no message, and the error that answers it."""

    answer: JSONRPCError


def read(line: bytes | None) -> JSONRPCMessage | Refused | None:
    """Read a message; ``None`` for what is none and needs no answer."""
    if line is None:
        return refused(None, INVALID_REQUEST, f"The message is longer than {LONGEST:,} bytes, so it was not read.")
    try:
        return jsonrpc_message_adapter.validate_json(line, by_name=False)
    except ValueError:
        return _refused(line)


def _refused(line: bytes) -> Refused | None:
    try:
        value = msgspec.json.decode(line)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
        return refused(None, PARSE_ERROR, f"The message is no JSON ({error}); each one is a line of JSON in UTF-8.")
    if not isinstance(value, dict):
        kind = "a batch; send each message by itself" if isinstance(value, list) else "no JSON object"
        return refused(None, INVALID_REQUEST, f"The message is {kind}.")
    if "method" not in value and ("result" in value or "error" in value):
        return None
    id: Any = value.get("id")
    known = isinstance(id, str | int) and not isinstance(id, bool)
    return refused(id if known else None, INVALID_REQUEST, "The message is no request of JSON-RPC 2.0.")


def refused(id: str | int | None, code: int, message: str) -> Refused:
    """Refuse a message."""
    return Refused(JSONRPCError(jsonrpc="2.0", id=id, error=ErrorData(code=code, message=message)))


def write(message: JSONRPCMessage) -> bytes:
    """Write a message as a line; an answer that has no JSON form becomes an error."""
    try:
        text = message.model_dump_json(by_alias=True, exclude_unset=True)
    except ValueError:
        if not isinstance(message, JSONRPCResponse):
            return b""
        answer = refused(message.id, INTERNAL_ERROR, "The answer has no JSON form.").answer
        text = answer.model_dump_json(by_alias=True, exclude_unset=True)
    return text.encode("utf-8", "replace") + b"\n"

"""Reading lines as JSON-RPC messages: noise is skipped, what can be understood is."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import msgspec
from mcp.shared.message import SessionMessage
from mcp_types import JSONRPCError, JSONRPCMessage, JSONRPCResponse, jsonrpc_message_adapter
from pydantic import ValidationError

from ares_plugin_mcp.client.tidy import tidy

MOST_NOISE_LINES, MOST_NOISE_BYTES = 2_000, 20_000_000
WARNED = 3
BOM = b"\xef\xbb\xbf"


class Reader:
    """Reads the lines of one server; ``note`` is told what was skipped and mended."""

    def __init__(self, note: Callable[[str], None]) -> None:
        self._note = note
        self._lines = self._bytes = self._warned = 0

    @property
    def is_flooded(self) -> bool:
        """Whether there was far more noise than a server has reason to write since its last message."""
        return self._lines > MOST_NOISE_LINES or self._bytes > MOST_NOISE_BYTES

    def read(self, line: bytes) -> list[SessionMessage]:
        """Give the messages of one line: one, several in a batch, or none."""
        text = line.removeprefix(BOM).strip()
        if not text:
            return []
        value = _decoded(text)
        found = [message for part in _parts(value) if (message := self._message(part)) is not None]
        if found:
            self._lines = self._bytes = 0
        else:
            self._skip(text)
        return [SessionMessage(message) for message in found]

    def _message(self, value: Any) -> JSONRPCMessage | None:
        if not isinstance(value, dict):
            return None
        if isinstance(result := value.get("result"), dict) and isinstance(value.get("id"), int | str):
            tidy(result, self._note)
            # Only the SDK reads this, and it checks the result against the request's own type.
            return JSONRPCResponse.model_construct(jsonrpc="2.0", id=value["id"], result=result)
        try:
            message = jsonrpc_message_adapter.validate_python(value, by_name=False)
        except ValidationError:
            return None
        if isinstance(message, JSONRPCError) and message.id is None:
            self._note(f"it reports an error without saying of which request: {message.error.message[:200]}")
        return message

    def _skip(self, text: bytes) -> None:
        self._lines += 1
        self._bytes += len(text)
        self._warned += 1
        if self._warned <= WARNED:
            last = " (more of it is skipped without a word)" if self._warned == WARNED else ""
            self._note(f"it wrote to stdout what is no message: {text[:80].decode('utf-8', 'replace')!r}{last}")


def _decoded(text: bytes) -> Any:
    """Decode JSON; bytes that are no UTF-8 become question marks, and NaN is let pass as others do."""
    if text[:1] not in (b"{", b"["):
        return None
    try:
        return msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError):
        pass
    try:
        return json.loads(text.decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return None


def _parts(value: Any) -> Iterator[Any]:
    yield from value if isinstance(value, list) else [value]

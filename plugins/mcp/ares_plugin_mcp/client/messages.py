"""Reading lines as JSON-RPC messages: noise is skipped, what can be understood is."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from typing import Any

import msgspec
from mcp.shared.message import SessionMessage
from mcp_types import JSONRPCMessage, jsonrpc_message_adapter
from pydantic import ValidationError

from ares_plugin_mcp.client.matching import Open

MOST_NOISE_LINES, MOST_NOISE_BYTES = 2_000, 20_000_000
WARNED = 3
BOM = b"\xef\xbb\xbf"
BLANK = b" \t\r\n\0"
MOST_BEGUN, MOST_TRIES = 1_000_000, 20
"""Bytes of a message that is spread over several lines, and how often its end is looked for."""
MOST_STARTS = 8
LONGEST_NUMBER = 4_000
_START = re.compile(r'\{\s{0,9}"(?:jsonrpc|id|result|error|method|params)"\s{0,9}:')
_ID = re.compile(rb'"id"\s{0,9}:\s{0,9}"?([0-9]{1,18})"?\s{0,9}[,}]')


class Reader:
    """Reads the lines of one server; ``note`` is told what was skipped and mended."""

    def __init__(self, note: Callable[[str], None]) -> None:
        self._note = note
        self._lines = self._bytes = self._warned = 0
        self._begun = bytearray()
        self._tries = 0
        self.open = Open(note)

    @property
    def is_flooded(self) -> bool:
        """Whether there was far more noise than a server has reason to write since its last message."""
        return self._lines > MOST_NOISE_LINES or self._bytes > MOST_NOISE_BYTES

    def read(self, line: bytes) -> list[SessionMessage]:
        """Give the messages of one line: one, several, or none; a last line may end what others have begun."""
        text = line.strip(BLANK).removeprefix(BOM)
        if not text:
            return []
        may_end = text.endswith(b"}}") or line.rstrip(BLANK) == b"}"
        found = self._messages(text) or self._among(text) or self._joined(text, may_end)
        if found:
            self._lines = self._bytes = self._tries = 0
            self._begun.clear()
        elif not self._begun:
            self._skip(text)
        return [SessionMessage(message) for message in found]

    def _messages(self, text: bytes) -> list[JSONRPCMessage]:
        value = _decoded(text)
        return [message for part in _parts(value) if (message := self._message(part)) is not None]

    def _message(self, value: Any) -> JSONRPCMessage | None:
        if not isinstance(value, dict):
            return None
        if (answer := self.open.answer(value)) is not None:
            return answer
        try:
            return jsonrpc_message_adapter.validate_python(value, by_name=False)
        except ValidationError:
            return None

    def _among(self, text: bytes) -> list[JSONRPCMessage]:
        """Give what stands among other words in a line: answers and notifications, for a log may repeat requests."""
        values = list(_embedded(text)) if b'"jsonrpc"' in text else []
        meant = [value for value in values if self.open.is_of(value) or _is_notification(value)]
        return [message for value in meant if (message := self._message(value)) is not None]

    def _joined(self, text: bytes, may_end: bool) -> list[JSONRPCMessage]:
        """Put together a message whose text has line ends in it, which no message may have."""
        if not self._begun and not _is_begun(text):
            return self._unreadable(text)
        self._begun += text + b"\n"
        if may_end:
            self._tries += 1
            if found := self._messages(bytes(self._begun)):
                return found
        if len(self._begun) > MOST_BEGUN or self._tries > MOST_TRIES:
            self._bytes += len(self._begun)
            self._begun.clear()
            self._tries = 0
        return []

    def _unreadable(self, text: bytes) -> list[JSONRPCMessage]:
        """Fail the request that is answered with nearly JSON, rather than have it wait for ever."""
        looks_so = text.startswith(b"{") and b'"jsonrpc"' in text and b'"method"' not in text
        id = _ID.search(text[:MOST_BEGUN]) if looks_so else None
        failed = self.open.unreadable(id[1].decode()) if id is not None else None
        return [] if failed is None else [failed]

    def _skip(self, text: bytes) -> None:
        self._lines += 1
        self._bytes += len(text)
        self._warned += 1
        if self._warned <= WARNED:
            last = " (more of it is skipped without a word)" if self._warned == WARNED else ""
            self._note(f"it wrote to stdout what is no message: {text[:80].decode('utf-8', 'replace')!r}{last}")


def _whole(digits: str) -> int | float:
    """Read a whole number; one that Python would not read is as good as endless."""
    return int(digits) if len(digits) <= LONGEST_NUMBER else float(digits)


_DECODER = json.JSONDecoder(strict=False, parse_int=_whole)


def _decoded(text: bytes) -> Any:
    """Decode JSON; bytes that are no UTF-8 become question marks, and what others let pass is let pass."""
    if text[:1] not in (b"{", b"["):
        return None
    try:
        return msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError):
        pass
    for encoding in ("utf-8", "gb18030"):  # of the older Chinese encoding half a character may be a backslash
        try:
            return _DECODER.decode(text.decode(encoding, "replace"))
        except (ValueError, RecursionError):
            if text.isascii():
                break
    return None


def _embedded(text: bytes) -> Iterator[dict[str, Any]]:
    """Give the objects that stand in a line one after another, or among other words."""
    words, end = text.decode("utf-8", "replace"), 0
    for number, found in enumerate(_START.finditer(words)):
        if number >= MOST_STARTS:
            return
        if found.start() < end:
            continue
        try:
            value, end = _DECODER.raw_decode(words, found.start())
        except (ValueError, RecursionError):
            continue
        if isinstance(value, dict) and "jsonrpc" in value:
            yield value


def _is_notification(value: dict[str, Any]) -> bool:
    return "id" not in value and str(value.get("method", "")).startswith("notifications/")


def _is_begun(text: bytes) -> bool:
    """Whether a text is the beginning of an object, and nothing else."""
    if not text.startswith(b"{") or len(text) > MOST_BEGUN:
        return False
    words = text.decode("utf-8", "replace")
    try:
        _DECODER.decode(words)
    except json.JSONDecodeError as error:
        return error.pos >= len(words) - 1 or error.msg.startswith("Unterminated string")
    except (ValueError, RecursionError):
        return False
    return False


def _parts(value: Any) -> Iterator[Any]:
    yield from value if isinstance(value, list) else [value]

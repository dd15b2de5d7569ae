"""From what a server sent, in pieces cut anywhere, to parsed JSON.

A server sends a body, server-sent events, JSON lines, or Amazon's binary event stream.
"""

from __future__ import annotations

import codecs
import json
import re
import struct
from collections.abc import Iterable, Iterator, Mapping
from typing import Any
from zlib import crc32

from ares_core.errors import WireError

LONGEST_BODY = 32 * 1024 * 1024
"""In characters or bytes; anything longer is refused before it is parsed."""

EVENT_WEIGHT = 32
"""What an event that comes as an object counts, and an empty chunk; so a stream has about a million at most."""

Event = Mapping[str, Any]
Content = Event | list[Event] | str
"""A body, the events of a stream, or text that is neither."""

_OBJECT = re.compile(r"[\s,]*\{")
_NEXT = re.compile(r"\s*(?:data:)?\s{0,8}\{")
_DECODER = json.JSONDecoder()
_TEXT_HEADER = b"\x07"
_FIELDS = ("data:", "event:", "id:", "retry:", ":")


def gathered(body: Any) -> Content:
    """Give what a caller handed over, in one piece: a body, events, or text that is still to be parsed.

    >>> gathered([b'{"a"', ": 1}"])
    '{"a": 1}'
    """
    if isinstance(body, Mapping):
        return body
    if isinstance(body, str | bytes | bytearray | memoryview):
        return _read([body])
    if (plain := _as_mapping(body)) is not None:
        return plain
    if isinstance(body, Iterable):
        return _read(body)
    raise WireError(
        f"a {type(body).__name__} is no provider body; give a dict, JSON or event-stream text, or an iterable of its "
        "chunks (of an async stream: the collected chunks)"
    )


def _read(chunks: Iterable[Any]) -> Content:
    pieces = _Pieces()
    size = 0
    for chunk in chunks:
        size += pieces.add(chunk) or EVENT_WEIGHT
        if size > LONGEST_BODY:
            raise WireError(f"the body is longer than {LONGEST_BODY} characters; nothing of it was read")
    return pieces.whole()


class _Pieces:
    """What came in so far: text, events, or a binary stream."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self.events: list[Event] = []
        self.frames = bytearray()
        self.decoder = codecs.getincrementaldecoder("utf-8-sig")(errors="replace")

    def add(self, chunk: Any) -> int:
        """Take in a chunk and give what it weighs."""
        if isinstance(chunk, str):
            self.texts.append(chunk)
            return len(chunk)
        if isinstance(chunk, bytes | bytearray | memoryview):
            return self._add_bytes(bytes(chunk))
        event = chunk if isinstance(chunk, Mapping) else _as_mapping(chunk)
        if event is None:
            raise WireError(f"a chunk of a stream is text, bytes or a dict, not {type(chunk).__name__}")
        self.events.append(event)
        return EVENT_WEIGHT

    def _add_bytes(self, data: bytes) -> int:
        """No text begins with a zero byte, and every message of a binary stream does."""
        if self.frames or (not self.texts and data.startswith(b"\0")):
            self.frames += data
        elif data:
            self.texts.append(self.decoder.decode(data))
        return len(data)

    def whole(self) -> Content:
        """Give all of it."""
        self.texts.append(self.decoder.decode(b"", True))
        return self.events or list(frames_in(bytes(self.frames))) or _joined(self.texts)


def frames_in(data: bytes) -> Iterator[Event]:
    """Give the messages of an Amazon event stream, each under the name of its kind, up to one that is cut or broken.

    A message is two lengths (of all, of its headers) and their checksum, the headers, the payload, a checksum.
    """
    place = 0
    while place + 16 <= len(data):
        length, headers_length = struct.unpack_from(">II", data, place)
        message = data[place : place + length]
        if not 16 + headers_length <= length == len(message) or crc32(message[:-4]) != int.from_bytes(
            message[-4:], "big"
        ):
            return
        headers = _headers(message[12 : 12 + headers_length])
        payload = _object(message[12 + headers_length : -4].decode("utf-8", "replace"))
        kind = headers.get(":event-type") or headers.get(":exception-type")
        if kind and payload is not None:
            yield {kind: payload}
        place += length


def _headers(data: bytes) -> dict[str, str]:
    """Give the headers up to the first that is no text; those that matter are."""
    headers = {}
    place = 0
    while place < len(data):
        start = place + 1 + data[place]
        if data[start : start + 1] != _TEXT_HEADER or start + 3 > len(data):
            break
        end = start + 3 + int.from_bytes(data[start + 1 : start + 3], "big")
        headers[data[place + 1 : start].decode("utf-8", "replace")] = data[start + 3 : end].decode("utf-8", "replace")
        place = end
    return headers


def _as_mapping(value: Any) -> Event | None:
    """Read an object of a provider's SDK, without importing the SDK."""
    if callable(to_dict := getattr(value, "to_dict", None)):
        plain = to_dict()
    elif callable(dump := getattr(value, "model_dump", None)):
        plain = dump(mode="json", by_alias=True, exclude_unset=True)
    else:
        return None
    return plain if isinstance(plain, Mapping) else None


def _joined(chunks: list[str]) -> str:
    """Join chunks; those that are whole lines without their ends, as line iterators give, get the ends back."""
    text = "".join(chunks)
    filled = [chunk for chunk in chunks if chunk]
    if len(filled) < 2 or "\n" in text or "\r" in text:
        return text
    are_lines = all(chunk.startswith(_FIELDS) for chunk in filled) or all(
        chunk.startswith("{") and chunk.endswith("}") for chunk in filled
    )
    is_one = are_lines and _object(text.removeprefix("data:").strip()) is not None
    return "\n".join(chunks) if are_lines and not is_one else text


def parsed(text: str) -> Content:
    """Give the body or the events in a text, or the text if there are none.

    >>> parsed('{"choices": []}'), parsed('data: {"a": 1}')
    ({'choices': []}, [{'a': 1}])
    """
    start = text.lstrip("\ufeff \t\r\n")
    if start.startswith(("{", "[")):
        try:
            value = json.loads(start)
        except (ValueError, RecursionError):
            pass
        else:
            return _body(value, text)
        if start.startswith("["):
            return list(_begun_list(start)) or text
    return list(events_in(text)) or text


def is_silent(text: str) -> bool:
    """Tell whether a text is an event stream that ended before its first event.

    >>> is_silent(": still here\\n\\ndata: [DONE]\\n"), is_silent("<html>")
    (True, False)
    """
    lines = text.replace("\r", "\n").split("\n")
    return all(not line.strip() or line.startswith(_FIELDS) for line in lines)


def _begun_list(text: str) -> Iterator[Event]:
    """Give the objects of a JSON list, as Google streams one, up to an object that is cut or broken."""
    decoder = json.JSONDecoder()
    place = 1
    while opening := _OBJECT.match(text, place):
        try:
            value, place = decoder.raw_decode(text, opening.end() - 1)
        except (ValueError, RecursionError):
            return
        yield value


def _body(value: Any, text: str) -> Content:
    if isinstance(value, dict):
        return value
    if value and all(isinstance(part, dict) for part in value):
        return list(value)
    return text


def events_in(text: str) -> Iterator[Event]:
    """Give the JSON objects of an event stream or of JSON lines; the stream ends where one is cut or broken."""
    data: list[str] = []
    name = ""
    text = text.removeprefix("\ufeff")
    starts = "{" if text.lstrip().startswith("{") else "\0"
    for line in text.replace("\r\n", "\n").replace("\r", "\n").split("\n"):
        if line and not line.startswith(starts):
            field, _, value = line.partition(":")
            if field == "data":
                data.append(_data(value))
            elif field == "event":
                name = value.strip()
            continue
        data += [line] if line else []
        found, whole = _event(data, name)
        yield from found
        if not whole:
            return
        data, name = [], ""
    yield from _event(data, name)[0]


def _event(data: list[str], name: str) -> tuple[list[Event], bool]:
    """Read the data lines of one event: one JSON text over all of them, or one on each."""
    if len(data) > 1 and (whole := _object("\n".join(data))) is not None:
        return [_named(whole, name)], True
    found: list[Event] = []
    for line in data:
        values, is_whole = _objects(line)
        found += [_named(value, name) for value in values]
        if not is_whole:
            return found, False
    return found, True


def _data(value: str) -> str:
    """Give the data of a line; some gateways write the field's name once more."""
    value = value.removeprefix(" ")
    return value.removeprefix("data:").removeprefix(" ") if value.startswith("data:") else value


def _objects(line: str) -> tuple[list[dict[str, Any]], bool]:
    """Give the objects of a line, of which some servers put several behind each other, up to one that is cut."""
    if (alone := _object(line)) is not None:
        return [alone], True
    found: list[dict[str, Any]] = []
    place = 0
    while opening := _NEXT.match(line, place):
        try:
            value, place = _DECODER.raw_decode(line, opening.end() - 1)
        except (ValueError, RecursionError):
            return found, False
        found.append(value)
    return found, True


def _object(text: str) -> dict[str, Any] | None:
    if not text.lstrip().startswith("{"):
        return None
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _named(event: dict[str, Any], name: str) -> Event:
    return {"type": name, **event} if name and name != "message" and "type" not in event else event

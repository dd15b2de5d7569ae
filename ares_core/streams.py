"""From what a server sent to parsed JSON: whole bodies, server-sent events, JSON lines, in pieces cut anywhere."""

from __future__ import annotations

import codecs
import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ares_core.errors import WireError

LONGEST_BODY = 64 * 1024 * 1024
"""In characters or bytes; anything longer is refused before it is parsed."""

Event = Mapping[str, Any]
Content = Event | list[Event] | str
"""A body, the events of a stream, or text that is neither."""

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
    texts: list[str] = []
    events: list[Event] = []
    decoder = codecs.getincrementaldecoder("utf-8-sig")(errors="replace")
    size = 0
    for chunk in chunks:
        if isinstance(chunk, str):
            texts.append(chunk)
        elif isinstance(chunk, bytes | bytearray | memoryview):
            texts.append(decoder.decode(bytes(chunk)))
        elif (event := chunk if isinstance(chunk, Mapping) else _as_mapping(chunk)) is not None:
            events.append(event)
            continue
        else:
            raise WireError(f"a chunk of a stream is text, bytes or a dict, not {type(chunk).__name__}")
        size += len(texts[-1])
        if size > LONGEST_BODY:
            raise WireError(f"the body is longer than {LONGEST_BODY} characters; nothing of it was read")
    texts.append(decoder.decode(b"", True))
    return events or _joined(texts)


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
    if all(chunk.startswith(_FIELDS) for chunk in filled):
        return "\n".join(chunks)
    if all(chunk.startswith("{") and chunk.endswith("}") for chunk in filled):
        return "\n".join(chunks)
    return text


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
    return list(events_in(text)) or text


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
    starts = "{" if text.lstrip("\ufeff \t\r\n").startswith("{") else "\0"
    for line in text.replace("\r\n", "\n").replace("\r", "\n").split("\n"):
        if line and not line.startswith(starts):
            field, _, value = line.partition(":")
            if field == "data":
                data.append(value.removeprefix(" "))
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
    found = []
    for line in data:
        value = _object(line)
        if value is not None:
            found.append(_named(value, name))
        elif line.lstrip().startswith("{"):
            return found, False
    return found, True


def _object(text: str) -> dict[str, Any] | None:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _named(event: dict[str, Any], name: str) -> Event:
    return {"type": name, **event} if name and name != "message" and "type" not in event else event

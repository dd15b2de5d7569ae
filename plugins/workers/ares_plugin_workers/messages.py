"""What callers and workers say to each other, as JSON; long messages go in parts.

A caller's ``Call`` goes to whichever worker is free. A call that may change something holds back its arguments: the
worker says ``Started``, and begins when ``Go`` brings them. So a caller that has not said so knows that nothing began.
"""

from __future__ import annotations

import json
import secrets
import time
from collections.abc import Iterator
from typing import Any

import msgspec
from msgspec import Raw, Struct

from ares_core import Effects, Failure

PART = 256 * 1024
"""Bytes of one part; servers take a megabyte unless they were told otherwise."""
MOST_HALF_SENT = 64
STALE = 30.0
_PARTED = b"#"


class Definition(Struct, frozen=True):
    """A tool as its worker offers it.

    ``by`` names the argument that its effects depend on, if they do, and ``effects_by`` has them for each value.
    """

    name: str
    description: str
    parameters: dict[str, Any]
    capabilities: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    toolset: str | None = None
    effects: Effects = Effects()
    by: str | None = None
    effects_by: dict[str, Effects] = {}
    timeout: float | None = None
    requires_approval: bool = False
    examples: tuple[dict[str, Any], ...] = ()
    output_schema: dict[str, Any] | None = None
    cost: float = 5
    latency_ms: float = 100
    deterministic: bool = False
    composable: bool = True
    max_concurrency: int | None = None


class Call(Struct, frozen=True, tag="call"):
    """Run a tool. With ``hold`` only say that you are there, and wait for ``Go``. ``heard``: progress is wanted."""

    tool: str
    arguments: Raw = Raw(b"{}")
    hold: bool = False
    timeout: float = 30.0
    id: str | None = None
    key: str | None = None
    session: str | None = None
    turn: str | None = None
    heard: bool = False


class Go(Struct, frozen=True, tag="go"):
    """Begin the call that was held."""

    job: str
    arguments: Raw


class Cancel(Struct, frozen=True, tag="cancel"):
    """Nobody waits for this call any more."""

    job: str


class Probe(Struct, frozen=True, tag="probe"):
    """Say how this call stands; if it is over, say what came of it again."""

    job: str


class Ask(Struct, frozen=True, tag="ask"):
    """Say which tools you serve."""


class Started(Struct, frozen=True, tag="started"):
    """The call was taken by this worker; one that is held has not begun."""

    worker: str


class Alive(Struct, frozen=True, tag="alive"):
    """The call still runs."""


class Gone(Struct, frozen=True, tag="gone"):
    """No such call is known here."""


class Progress(Struct, frozen=True, tag="progress"):
    """How far the work has come."""

    data: dict[str, Any]


class Answer(Struct, frozen=True, tag="answer"):
    """What came of a call. ``text`` is empty where it is nothing but the data."""

    success: bool
    data: Raw = Raw(b"null")
    error: Failure | None = None
    text: str = ""
    metadata: dict[str, Any] = {}


class Hello(Struct, frozen=True, tag="hello"):
    """A worker, and the tools that it serves, each under the address for calls of it."""

    worker: str
    name: str
    tools: dict[str, Definition]


class Bye(Struct, frozen=True, tag="bye"):
    """A worker that takes no calls any more."""

    worker: str


Order = Call | Go | Cancel | Probe | Ask
Reply = Started | Alive | Gone | Progress | Answer | Hello | Bye
_order = msgspec.json.Decoder(Order).decode
_reply = msgspec.json.Decoder(Reply).decode
_encode = msgspec.json.Encoder().encode


class Unreadable(Exception):
    """A message that can't be used, and why."""


def encode(message: Order | Reply) -> bytes:
    """Write a message."""
    return _encode(message)


def encode_data(value: Any) -> bytes:
    """Write plain data, also what holds halves of characters."""
    try:
        return _encode(value)
    except UnicodeEncodeError:
        return json.dumps(value).encode()


def read_order(body: bytes) -> Order:
    """Read what a caller said."""
    try:
        return _order(body)
    except (ValueError, RecursionError) as error:
        raise Unreadable(f"{error}"[:200]) from None


def read_reply(body: bytes) -> Reply:
    """Read what a worker said."""
    try:
        return _reply(body)
    except (ValueError, RecursionError) as error:
        raise Unreadable(f"{error}"[:200]) from None


def read_data(raw: Raw) -> Any:
    """Read plain data."""
    try:
        return msgspec.json.decode(raw)
    except (ValueError, RecursionError) as error:
        raise Unreadable(f"{error}"[:200]) from None


def parts(body: bytes, size: int = PART) -> Iterator[bytes]:
    """Cut a message into parts of a size that the server takes.

    >>> [part.partition(b" ")[2] for part in parts(b"abcde", 2)]
    [b'0 3\\nab', b'1 3\\ncd', b'2 3\\ne']
    """
    if len(body) <= size:
        yield body
        return
    name, count = secrets.token_hex(8), -(-len(body) // size)
    for index in range(count):
        head = f"#{name} {index} {count}\n".encode()
        yield head + body[index * size : (index + 1) * size]


class Parts:
    """Puts messages together again; what is too long, out of order or never ends is dropped, with a word.

    >>> whole = [Parts(10_000_000).take(part) for part in parts(b"short")]
    >>> whole
    [b'short']
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._begun: dict[bytes, tuple[float, list[bytes]]] = {}

    def take(self, data: bytes) -> bytes | None:
        """Give the message that is whole now, if one is."""
        if not data.startswith(_PARTED):
            return data
        name, index, count, body = _head(data)
        if index == 0:
            self._make_room()
            self._begun[name] = (time.monotonic(), [])
        kept = self._begun.get(name, (0.0, []))[1]
        if len(kept) != index:
            self._begun.pop(name, None)
            raise Unreadable("a part that does not follow the one before")
        kept.append(body)
        # all parts but the last are of one size, so the first tells already how long it will be at least
        if max((count - 1) * len(kept[0]), sum(map(len, kept)) if index + 1 == count else 0) > self._most:
            del self._begun[name]
            raise Unreadable(f"a message of more than {self._most} bytes (workers.max_message_bytes)")
        if index + 1 < count:
            return None
        del self._begun[name]
        return b"".join(kept)

    def _make_room(self) -> None:
        now = time.monotonic()
        for name in [name for name, (since, _) in self._begun.items() if since < now - STALE]:
            del self._begun[name]
        while len(self._begun) >= MOST_HALF_SENT:
            del self._begun[next(iter(self._begun))]


def _head(data: bytes) -> tuple[bytes, int, int, bytes]:
    head, end, _ = data[:80].partition(b"\n")
    words = head[1:].split(b" ")
    if not end or len(words) != 3 or not (words[1].isdigit() and words[2].isdigit()) or len(data) > 2 * PART:
        raise Unreadable("a part without a head")
    index, count = int(words[1][:9]), int(words[2][:9])
    if not 0 <= index < count:
        raise Unreadable("a part without a place")
    return words[0], index, count, data[len(head) + 1 :]

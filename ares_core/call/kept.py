"""Results that were too long for a model, kept behind handles so that it can page through them."""

from __future__ import annotations

import secrets
import sys
import threading

from msgspec import Struct

from ares_core.call.tokens import Count

MOST = 512
MOST_OF_ONE = 32
MOST_BYTES = 64_000_000
MOST_BYTES_OF_ONE = 16_000_000


class Kept(Struct, frozen=True):
    """One text that was too long, and whose it is."""

    session: str | None
    tool: str
    text: str
    is_open_world: bool

    @property
    def size(self) -> int:
        """Bytes of memory."""
        return sys.getsizeof(self.text)


class Shelf:
    """The texts of one Ares: the latest, bounded in number and bytes in all and for each session.

    >>> shelf = Shelf()
    >>> handle = shelf.put(Kept("s", "read", "a long text", False))
    >>> shelf.get(handle, "s").text, shelf.get(handle, "another")
    ('a long text', None)
    """

    def __init__(self) -> None:
        self._kept: dict[str, Kept] = {}
        self._lock = threading.Lock()

    def put(self, kept: Kept) -> str | None:
        """Keep a text, for which older ones may have to go; ``None`` if it is too large by itself."""
        if kept.size > MOST_BYTES_OF_ONE:
            return None
        handle = f"r{secrets.token_hex(8)}"
        with self._lock:
            self._kept[handle] = kept
            self._drop([name for name, other in self._kept.items() if other.session == kept.session],
                       MOST_OF_ONE, MOST_BYTES_OF_ONE)  # fmt: skip
            self._drop(list(self._kept), MOST, MOST_BYTES)
        return handle

    def _drop(self, names: list[str], most: int, most_bytes: int) -> None:
        size = sum(self._kept[name].size for name in names)
        while len(names) > most or size > most_bytes:
            size -= self._kept.pop(names.pop(0)).size

    def get(self, handle: str, session: str | None) -> Kept | None:
        """Give a text of that session."""
        kept = self._kept.get(handle)
        return kept if kept is not None and kept.session == session else None


def head(text: str, room: int, count: Count) -> str:
    """Give as much of the beginning of a text as makes at most ``room`` tokens."""
    part = text[: room * 16]
    while part and (tokens := count(part)) > room:
        part = part[: min(int(len(part) * room / tokens), len(part) - 1)]
    return part


def tail(text: str, room: int, count: Count) -> str:
    """Give as much of the end of a text as makes at most ``room`` tokens."""
    part = text[-room * 16 :] if room else ""
    while part and (tokens := count(part)) > room:
        part = part[len(part) - min(int(len(part) * room / tokens), len(part) - 1) :]
    return part

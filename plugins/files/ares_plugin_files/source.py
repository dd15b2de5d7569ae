"""A file that is being read: its size, its first bytes, and pieces of it, however large it is."""

from __future__ import annotations

from typing import BinaryIO

from ares_core import ToolContext, ToolError
from ares_plugin_files.encodings import SAMPLE

CHUNK = 1_048_576


class Source:
    """An open file; a small one is in memory already."""

    def __init__(self, path: str, file: BinaryIO, context: ToolContext) -> None:
        self.path = path
        self._file = file
        self._context = context
        self.head = file.read(SAMPLE)
        self.is_small = len(self.head) < SAMPLE
        self.size = len(self.head) if self.is_small else file.seek(0, 2)

    def piece(self, start: int, size: int) -> bytes:
        """Read some bytes."""
        if self.is_small:
            return self.head[start : start + size] if start or size < self.size else self.head
        self._file.seek(start)
        return self._file.read(min(size, max(self.size - start, 0)))

    def count(self, wanted: bytes) -> int:
        """Count how often a byte stands in the whole file."""
        if self.is_small:
            return self.head.count(wanted)
        return sum(self._chunk(start).count(wanted) for start in range(0, self.size, CHUNK))

    def after(self, wanted: bytes, times: int, start: int) -> tuple[int, int]:
        """Find the place after a byte has come some times; gives how often it was missing, and where it stopped."""
        while times and start < self.size:
            chunk = self.head[start:] if self.is_small else self._chunk(start)
            found = chunk.count(wanted)
            if found >= times:
                rest = chunk.split(wanted, times)[-1]
                return 0, start + len(chunk) - len(rest)
            times -= found
            start += len(chunk) or self.size
        return times, min(start, self.size)

    def _chunk(self, start: int) -> bytes:
        check_wanted(self._context)
        return self.piece(start, CHUNK)


def check_wanted(context: ToolContext) -> None:
    """Stop when nobody waits for the answer any more."""
    if context.cancelled:
        raise ToolError("nobody waits for the answer any more", blame="world")


__all__ = ["CHUNK", "Source", "check_wanted"]

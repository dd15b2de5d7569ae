"""Lets tools read the files that it holds in memory."""

from __future__ import annotations

from collections.abc import Iterator
from io import BytesIO
from typing import BinaryIO, Literal

from ares_core import FileAccess, FileStat, hookimpl


class Memory:
    def open(self, path: str, mode: Literal["rb", "wb", "ab", "xb"] = "rb") -> BinaryIO:
        return BytesIO(f"contents of {path}".encode())

    def stat(self, path: str) -> FileStat:
        return FileStat(path, "file", len(self.open(path).read()), 0.0)

    def list(self, path: str = ".") -> Iterator[FileStat]:
        return iter(())

    def mkdir(self, path: str) -> None:
        """Everything is a folder here."""

    def rename(self, source: str, destination: str) -> None:
        """Nothing has a name of its own here."""

    def remove(self, path: str) -> None:
        """Nothing can be removed here."""


@hookimpl
def open_files() -> FileAccess:
    return Memory()

"""Lets tools read files that it makes up."""

from __future__ import annotations

from io import BytesIO
from typing import Any, BinaryIO

from ares_core import hookimpl


class MadeUp:
    def open(self, path: str, mode: str = "rb") -> BinaryIO:
        return BytesIO(f"contents of {path}".encode())


@hookimpl
def open_files() -> Any:
    return MadeUp()

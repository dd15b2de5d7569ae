"""A second provider of files."""

from __future__ import annotations

from io import BytesIO

from ares_core import hookimpl


class Second:
    def open(self, path: str, mode: str = "rb") -> BytesIO:
        return BytesIO(b"the second provider")


@hookimpl
def open_files() -> Second:
    return Second()

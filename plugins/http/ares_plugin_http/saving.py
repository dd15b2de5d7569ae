"""Bodies that are put into a file instead of being shown."""

from __future__ import annotations

import re
from contextlib import suppress
from typing import Any

from ares_core import FileAccess, ToolError
from ares_plugin_http.bodies import Body

LARGEST = 50_000_000
"""Bytes of a file that are fetched."""
_UNSAFE = re.compile(r"[^\w.\- ()]+")


async def read(response: Any, limit: int = LARGEST) -> Body:
    """Read the whole body; one that is too long is refused, for half a file is none."""
    data = bytearray()
    async for chunk in response.aiter_bytes():
        data += chunk
        if len(data) > limit:
            message = f"the answer is longer than the {limit:,} bytes that can be saved; nothing was saved."
            raise ToolError(message, hint="Fetch a smaller file.", blame="input")
    return Body(None, len(data), is_cut=False, raw=bytes(data))


def write(files: FileAccess, path: str, data: bytes) -> None:
    """Put the file in place, with the folder that it is to be in."""
    folder = path.rpartition("/")[0]
    if folder:
        with suppress(FileExistsError):
            files.mkdir(folder)
    files.write(path, data)


def place(save_to: str, url: str) -> str:
    """Give the path of the file: in a folder it is called as in the address.

    >>> place("downloads/", "https://example.com/a%20b/report.pdf?x=1"), place("x.pdf", "https://example.com/")
    ('downloads/report.pdf', 'x.pdf')
    """
    if not save_to.endswith("/"):
        return save_to
    from urllib.parse import unquote, urlsplit

    name = _UNSAFE.sub("_", unquote(urlsplit(url).path).rpartition("/")[2])[-100:].lstrip(".")
    return f"{save_to}{name or 'download'}"

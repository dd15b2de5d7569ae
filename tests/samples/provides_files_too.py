"""A second provider of files."""

from __future__ import annotations

from ares_core import hookimpl


@hookimpl
def open_files() -> object:
    return "the second provider"

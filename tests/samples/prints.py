"""Prints when it is imported and when it is asked."""

from __future__ import annotations

import sys

from ares_core import Tool, hookimpl

sys.stdout.write("printed at import\n")


@hookimpl
def register_tools() -> list[Tool]:
    sys.stdout.write("printed by a hook\n")
    return []

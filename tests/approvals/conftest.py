"""A world in which rows can be deleted, if a person agrees."""

from __future__ import annotations

from typing import Any

import pytest

from ares_core import Ares, Result, Tool


class World:
    """A table whose rows can be deleted, with approval."""

    def __init__(self) -> None:
        self.deleted: list[Any] = []

    def delete_rows(self, table: str, limit: int = 1) -> str:
        """Delete rows."""
        self.deleted.append((table, limit))
        return f"{limit} gone from {table}"

    def log_in(self, user: str, password: str) -> str:
        """Log in."""
        self.deleted.append((user, password))
        return f"hello {user}"

    def ares(self, *plugins: Any, approver: Any = None, **approvals: Any) -> Ares:
        ares = Ares(plugins=list(plugins), config={"approvals": {"defer": True, **approvals}}, approver=approver)
        for function in (self.delete_rows, self.log_in):
            ares.register(Tool.from_function(function, requires_approval=True))
        return ares

    def code(self, result: Result) -> str | None:
        return result.error.code if result.error else None

    def wait(self, ares: Ares, arguments: Any = None, tool: str = "delete_rows") -> str:
        result = ares.call_sync(tool, arguments or {"table": "t", "limit": "10"})
        assert self.code(result) == "approval_required"
        return str(result.metadata["approval"])


@pytest.fixture
def world() -> World:
    return World()

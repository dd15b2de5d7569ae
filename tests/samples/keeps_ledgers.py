"""Keeps the ledger and approvals in memory, until it is told to fail."""

from __future__ import annotations

from typing import Any

from ares_core import LedgerRow, PendingApproval, StoreKind, hookimpl


class Ledger:
    def __init__(self) -> None:
        self.rows: dict[str, LedgerRow] = {}
        self.failing: set[str] = set()
        self.closed = False

    def _reached(self, what: str) -> None:
        if what in self.failing:
            raise OSError(f"disk full at {what}")

    def find(self, key: str) -> LedgerRow | None:
        self._reached("find")
        return self.rows.get(key)

    def claim(self, row: LedgerRow) -> LedgerRow | None:
        self._reached("claim")
        there = self.rows.setdefault(row.key, row)
        return None if there is row else there

    def settle(self, row: LedgerRow) -> None:
        self._reached("settle")
        self.rows[row.key] = row

    def release(self, key: str) -> None:
        self.rows.pop(key, None)

    def close(self) -> None:
        self.closed = True


class Approvals:
    def __init__(self) -> None:
        self.failing = False
        self.kept: dict[str, PendingApproval] = {}

    def add(self, approval: PendingApproval) -> None:
        if self.failing:
            raise OSError("disk full")
        self.kept[approval.id] = approval

    def get(self, id: str) -> PendingApproval | None:
        return self.kept.get(id)

    def list(self) -> list[PendingApproval]:
        return list(self.kept.values())

    def change(self, approval: PendingApproval, before: str) -> bool:
        there = self.kept.get(approval.id)
        if there is None or there.status != before:
            return False
        self.kept[approval.id] = approval
        return True

    def close(self) -> None:
        pass


ledger = Ledger()
approvals = Approvals()


@hookimpl
def open_store(kind: StoreKind) -> Any:
    return {"ledger": ledger, "approvals": approvals}.get(kind)

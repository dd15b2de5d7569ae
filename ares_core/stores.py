"""What stores keep of calls that must run once: the ledger's rows, and approvals that wait for a person."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, Protocol

from msgspec import Struct

__all__ = ["ApprovalStatus", "ApprovalStore", "LedgerRow", "LedgerStatus", "LedgerStore", "PendingApproval"]

LedgerStatus = Literal["claimed", "done", "failed", "unknown"]
ApprovalStatus = Literal["waiting", "approved", "denied", "resumed", "done"]


class LedgerRow(Struct, frozen=True, gc=False):
    """What is known of one idempotency key.

    ``digest`` is the hash of tool and final arguments, ``time`` when the call was begun, in seconds since the epoch,
    ``outcome`` what came of it, as JSON without secrets.
    """

    key: str
    digest: str
    tool: str
    status: LedgerStatus
    time: float
    outcome: str = ""


class LedgerStore(Protocol):
    """Keeps which calls were begun. What it says must be written down when it returns.

    A row that is ``claimed`` by a process that lives no more is given as ``unknown``.
    """

    def find(self, key: str) -> LedgerRow | None:
        """Give the row of a key."""

    def claim(self, row: LedgerRow) -> LedgerRow | None:
        """Put the row in its place if the key has none, and give ``None``; otherwise give the one that is there.

        Of all who claim one key at one moment, in whatever process, exactly one gets ``None``.
        """

    def settle(self, row: LedgerRow) -> None:
        """Put the outcome in place of the claim."""

    def release(self, key: str) -> None:
        """Take back a claim whose call did not begin."""

    def close(self) -> None:
        """Let go; claims that are still open belong to nobody from here on."""


class PendingApproval(Struct, frozen=True):
    """A call that waits for a person, or waited for one.

    ``arguments`` are the final ones, ``asked`` what the caller wrote if that was something else; both without
    secrets. ``hidden`` says that secrets were left out: what runs then needs them from elsewhere. ``fingerprint`` is
    the hash of definition and final arguments, by which the approval is bound. Times are seconds since the epoch.
    """

    id: str
    tool: str
    arguments: dict[str, Any]
    reason: str
    fingerprint: str
    created: float
    expires: float
    status: ApprovalStatus = "waiting"
    asked: Any = None
    hidden: bool = False
    note: str = ""
    call_id: str | None = None
    key: str | None = None
    session: str | None = None
    turn: str | None = None
    timeout: float | None = None


class ApprovalStore(Protocol):
    """Keeps approvals. What it says must be written down when it returns."""

    def add(self, approval: PendingApproval) -> None:
        """Take in a new one; one of the same id that is there already is replaced."""

    def get(self, id: str) -> PendingApproval | None:
        """Give one."""

    def list(self) -> Sequence[PendingApproval]:
        """Give all that are kept, oldest first."""

    def change(self, approval: PendingApproval, before: ApprovalStatus) -> bool:
        """Put it in place of the one with its id if that still has the status ``before``; tells whether it had.

        Of all who change one approval at one moment, in whatever process, one succeeds.
        """

    def close(self) -> None:
        """Let go."""

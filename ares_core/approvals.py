"""Calls that wait for a person: looked at, decided, and resumed, in this process or another."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from ares_core.call import failed_alone
from ares_core.calls import Code, Result, ToolCall
from ares_core.errors import UsageError
from ares_core.stores import ApprovalStatus, PendingApproval
from ares_core.table import View

if TYPE_CHECKING:
    from ares_core.app import Ares

Found = tuple[Code, str]


class Approvals:
    """What ``ares.approvals`` gives.

    >>> from ares_core import Ares, tool
    >>> @tool(requires_approval=True)
    ... def erase(name: str) -> str:
    ...     "Erase something."
    ...     return f"erased {name}"
    >>> with Ares(plugins=[], config={"approvals": {"defer": True}}) as ares:
    ...     _ = ares.register(erase)
    ...     id = ares.call_sync("erase", {"name": "x"}).metadata["approval"]
    ...     _ = ares.approvals.approve(id)
    ...     ares.approvals.resume_sync(id).data
    'erased x'
    """

    def __init__(self, ares: Ares) -> None:
        self._ares = ares
        self._runner = ares.runner

    def list(self, status: ApprovalStatus | None = None) -> list[PendingApproval]:
        """Give all that are kept, oldest first; or those of one status, and then none whose time is over."""
        kept = self._runner.approvals.store.list()
        now = time.time()
        return [one for one in kept if status is None or one.status == status and one.expires > now]

    def get(self, id: str) -> PendingApproval:
        """Give one; ``UsageError`` if there is none of that id."""
        found: PendingApproval | None = self._runner.approvals.store.get(id)
        if found is None:
            raise UsageError(f"there is no approval {id!r:.80}; ares.approvals.list() gives those there are")
        return found

    def approve(self, id: str) -> PendingApproval:
        """Approve a call that waits; nothing runs before it is resumed."""
        return self._decide(id, "approved", "")

    def deny(self, id: str, reason: str = "") -> PendingApproval:
        """Deny a call that waits, or was approved and is not resumed yet; the model gets to know the reason."""
        return self._decide(id, "denied", reason)

    def use(self, id: str) -> bool:
        """Note that an approved question was taken as answered, so that it can't be denied any more.

        For what asks without a call to resume. Tells whether it was approved until now; it can be used once.
        """
        approval = self.get(id)
        return approval.status == "approved" and self._change(replace(approval, status="done"), "approved")

    async def resume(self, id: str, arguments: Mapping[str, Any] | None = None) -> Result:
        """Run an approved call, once, through the life of every call; a second time gives the outcome again.

        It runs only if tool and arguments are still exactly what was approved. ``arguments`` gives back those that
        held secrets, which are not stored; the process that made the call still has them.
        """
        approval = self._runner.approvals.store.get(id)
        if approval is None:
            gone = f"There is no approval {id!r:.80} here any more; the call has to be made again."
            return _told(failed_alone(ToolCall(""), "denied", gone), id)
        exact, view = self._exact(approval, arguments)
        call = ToolCall(approval.tool, exact, approval.call_id, approval.key, approval.timeout, approval.turn)
        if refused := _not_now(approval, exact is approval.arguments):
            return _told(failed_alone(call, *refused), id)
        approved = approval.status == "approved"
        if approved and not self._change(replace(approval, status="resumed"), "approved"):
            return await self.resume(id, arguments)
        result = await self._runner.run(call, session=approval.session, view=view, approved=approval)
        if approved:
            self._change(replace(approval, status="done" if _has_begun(result) else "approved"), "resumed")
        return _told(result, id)

    def resume_sync(self, id: str, arguments: Mapping[str, Any] | None = None) -> Result:
        """Resume and wait; see ``resume``."""
        return self._ares.wait_for(self.resume(id, arguments), "approvals.resume")

    def _decide(self, id: str, status: ApprovalStatus, note: str) -> PendingApproval:
        approval = self.get(id)
        may_be = ("waiting", "approved") if status == "denied" else ("waiting",)
        if approval.expires <= time.time():
            raise UsageError(f"approval {id} has expired; the call has to be made again")
        decided = replace(approval, status=status, note=note)
        if approval.status not in may_be or not self._change(decided, approval.status):
            raise UsageError(f"approval {id} can't be {status}: it is {self.get(id).status} already")
        return decided

    def _change(self, approval: PendingApproval, before: ApprovalStatus) -> bool:
        return bool(self._runner.approvals.store.change(approval, before))

    def _exact(self, approval: PendingApproval, given: Mapping[str, Any] | None) -> tuple[Mapping[str, Any], View]:
        """The arguments that were approved, secrets and all, and the tools that the call could reach."""
        kept = self._runner.exact.get(approval.id)
        if kept is not None:
            return kept
        return {**approval.arguments, **given} if given else approval.arguments, self._ares.view


def _not_now(approval: PendingApproval, as_stored: bool) -> Found | None:
    """Say why an approval can't be resumed."""
    name, id = approval.tool, approval.id
    if approval.status == "denied":
        return "denied", f"The call of {name!r} was denied: {approval.note or 'a person declined it'}."
    if approval.status == "waiting" and approval.expires > time.time():
        return "approval_required", f"The call of {name!r} still waits for a person, as approval {id}."
    if approval.status in ("waiting", "approved") and approval.expires <= time.time():
        return "denied", f"Approval {id} of {name!r} has expired; the call has to be made again."
    if approval.hidden and as_stored:
        return "missing_input", (
            f"Some arguments of {name!r} hold secrets, which are not stored with approval {id}; give them again "
            "(--args) to resume it, or resume it where the call was made."
        )
    return None


def _has_begun(result: Result) -> bool:
    return bool(result.metadata["attempts"]) or "replayed" in result.metadata or (
        result.error is not None and result.error.code == "outcome_unknown"
    )  # fmt: skip


def _told(result: Result, id: str) -> Result:
    return replace(result, metadata={**result.metadata, "approval": id})

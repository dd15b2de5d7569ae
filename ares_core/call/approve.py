"""Stage 8, approve: a person decides, about exactly what will run, now or later.

What is decided later is kept without its secrets; they stay in this process, and whoever resumes the call in another
one has to give them again. The fingerprint tells whether they are the same.
"""

from __future__ import annotations

import asyncio
import hashlib
import inspect
import os
import time
from collections.abc import Mapping
from copy import deepcopy
from functools import partial
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec.structs import replace

from ares_core.answers import BROKEN
from ares_core.call.authorise import denied
from ares_core.call.ledger import is_kept
from ares_core.call.redact import secret_values
from ares_core.call.refusal import Refused, refuse
from ares_core.call.run import SORTED, Run
from ares_core.calls import Defer, Deny
from ares_core.decode import decode
from ares_core.errors import DecodeError, said_by
from ares_core.hints import TELL_USER, TELL_WAITS
from ares_core.protocols import Approval, Approver
from ares_core.stores import ApprovalStatus, PendingApproval
from ares_core.tools import Tool

if TYPE_CHECKING:
    from ares_core.table import View

MOST_KEPT = 1_000
ROUNDS = 200_000
"""Of the slow hash that stands for arguments whose secrets were left out: nobody shall guess a short one from it."""
Exact = tuple[Mapping[str, Any], "View"]


class MemoryApprovals:
    """The approvals of one process, the last 1,000.

    >>> MemoryApprovals().get("nobody") is None
    True
    """

    def __init__(self, most: int = MOST_KEPT) -> None:
        self._most = most
        self._kept: dict[str, PendingApproval] = {}

    def add(self, approval: PendingApproval) -> None:
        """Take in a new one, and forget the oldest beyond the bound."""
        self._kept.pop(approval.id, None)
        self._kept[approval.id] = approval
        while len(self._kept) > self._most:
            self._kept.pop(next(iter(self._kept)), None)

    def get(self, id: str) -> PendingApproval | None:
        """Give one."""
        return self._kept.get(id)

    def list(self) -> list[PendingApproval]:
        """Give all, oldest first."""
        return list(self._kept.values())

    def change(self, approval: PendingApproval, before: ApprovalStatus) -> bool:
        """Put it in place of the one with its id if that still has the status ``before``."""
        there = self._kept.get(approval.id)
        if there is None or there.status != before:
            return False
        self._kept[approval.id] = approval
        return True

    def close(self) -> None:
        """Nothing is kept beyond the process."""


def fingerprint(tool: Tool, canonical: bytes) -> str:
    """Hash the tool's definition and the final arguments: what an approval is bound to."""
    definition = SORTED.encode([tool.name, tool.description, tool.parameters])
    return hashlib.sha256(definition + b"\0" + canonical).hexdigest()


async def _bound(run: Run, tool: Tool, id: str, hidden: bool) -> str:
    """Give the form of a fingerprint that is kept: slow to guess from where secrets were left out."""
    found = fingerprint(tool, run.canonical_arguments)
    if not hidden:
        return found
    slow = await asyncio.to_thread(hashlib.pbkdf2_hmac, "sha256", found.encode(), id.encode(), ROUNDS)
    return slow.hex()


async def approve(run: Run, tool: Tool, reason: str, approver: Approver | None) -> None:
    """Wait for the approver; without one the call is kept for later, if that is configured, or not approved.

    What was approved is what runs: from here on the call has arguments that nobody else holds.
    """
    canonical = run.canonical_arguments
    await _decide(run, tool, reason, approver)
    arguments = deepcopy(run.arguments)
    if SORTED.encode(arguments) != canonical:
        raise denied("its arguments changed after it was approved")
    run.arguments, run.call = arguments, replace(run.call, arguments=arguments)


async def _decide(run: Run, tool: Tool, reason: str, approver: Approver | None) -> None:
    if run.approved is not None:
        await _check_approved(run, tool, run.approved)
    elif approver is not None:
        await _ask(run, tool, reason, approver)
    elif run.runner.settings.approvals.defer:
        raise await _deferred(run, tool, reason)
    else:
        raise refuse(
            "approval_required",
            f"{tool.name!r} needs a person's approval ({reason}), and nobody is there to give it. {TELL_USER}",
        )


async def _ask(run: Run, tool: Tool, reason: str, approver: Approver) -> None:
    canonical = run.canonical_arguments
    final = replace(run.call, arguments=msgspec.json.decode(canonical))
    shown, asked = _shown(run)
    try:
        answer = approver(Approval(final, reason, fingerprint(tool, canonical), shown=shown, asked=asked))
        if inspect.isawaitable(answer):
            answer = await answer
    except BROKEN as error:
        raise denied(f"the approver raised {said_by(error)}"[:300]) from error
    if isinstance(answer, Defer):
        raise await _deferred(run, tool, answer.reason or reason)
    if isinstance(answer, Deny):
        raise denied(answer.reason)
    if answer is not True:
        raise denied("a person declined it")


async def _check_approved(run: Run, tool: Tool, approval: PendingApproval) -> None:
    """Let a resumed call go on only if it is what was approved, and was not begun before."""
    if approval.status != "approved":
        raise refuse(
            "outcome_unknown",
            f"The approved call of {tool.name!r} was resumed before, and nothing is known of its outcome. It was not "
            "run again. Look before you make the call anew.",
            blame="world",
        )
    if await _bound(run, tool, approval.id, approval.hidden) != approval.fingerprint:
        raise denied(f"the definition of {tool.name!r} or its arguments are no longer what was approved")


async def _deferred(run: Run, tool: Tool, reason: str) -> Refused:
    """Keep the call until somebody has decided, and say under which name."""
    kept = is_kept(run)
    id = hashlib.sha256(run.idempotency_key.encode("utf-8", "backslashreplace")).hexdigest()[:12] if kept else _new_id()
    keeper = run.runner.approvals
    approval = await keeper.ask(tool.name, "get", id) if kept else None
    now = time.time()
    if approval is not None and (approval.status in ("resumed", "done") or approval.expires <= now):
        approval, id = None, _new_id()
    if approval is not None and approval.status == "denied":
        return denied(approval.note or "a person declined it")
    if approval is None:
        approval = await _added(run, tool, reason, id, now)
    run.notes = {**(run.notes or {}), "approval": approval.id}
    waits = "is approved and waits to be resumed" if approval.status == "approved" else "waits for a person"
    return refuse(
        "approval_required",
        f"{tool.name!r} needs a person's approval ({approval.reason}). The call {waits} as approval {approval.id}, "
        f"until {_clock(approval.expires)}. {TELL_WAITS}",
    )


async def _added(run: Run, tool: Tool, reason: str, id: str, now: float) -> PendingApproval:
    final = msgspec.json.decode(run.canonical_arguments)
    shown, asked = _shown(run)
    hidden = shown != final
    key = run.call.key if is_kept(run) else f"approval-{id}"
    found = await _bound(run, tool, id, hidden)
    approval = PendingApproval(
        id, tool.name, shown if isinstance(shown, dict) else {}, _redacted(run, reason), found, now,
        now + run.runner.settings.approvals.expires, asked=asked, hidden=hidden, call_id=run.call.id, key=key,
        session=run.call.session, turn=run.call.turn, timeout=run.call.timeout,
    )  # fmt: skip
    await run.runner.approvals.ask(tool.name, "add", approval)
    exact = run.runner.exact
    exact[id] = (final, run.view)
    while len(exact) > MOST_KEPT:
        exact.pop(next(iter(exact)), None)
    return approval


def _shown(run: Run) -> tuple[Any, Any]:
    """Give the final arguments without secrets and, if they are others, those that the caller wrote."""
    final, asked = msgspec.json.decode(run.canonical_arguments), _written(run.given.arguments)
    show = partial(_without_secrets, run)
    return show(final), None if asked == final or asked is None else show(asked)


def _written(arguments: Any) -> Any:
    try:
        value = decode(arguments)[0] if isinstance(arguments, str) else arguments
        return msgspec.json.decode(SORTED.encode(value))
    except (DecodeError, ValueError, TypeError, OverflowError):
        return None


def _without_secrets(run: Run, value: Any) -> Any:
    try:
        shown = run.runner.redactor.data(value, _secrets(run, value))
    except Exception:
        return "(withheld)"
    return {**shown, **_defaults(run, value)} if isinstance(shown, dict) else shown


def _defaults(run: Run, arguments: Any) -> dict[str, Any]:
    """The arguments that only hold what the schema says anyway, which is no secret."""
    properties = run.route.tool.parameters.get("properties") if run.route else None
    known = properties if isinstance(properties, dict) else {}
    return {
        name: value
        for name, value in arguments.items()
        if isinstance(part := known.get(name), dict) and "default" in part and part["default"] == value
    }


def _secrets(run: Run, value: Any) -> list[str]:
    return secret_values(value, run.route.checker.secrets) if run.route else []


def _redacted(run: Run, text: str) -> str:
    try:
        return run.runner.redactor.text(text, _secrets(run, run.arguments))
    except Exception:
        return "(withheld)"


def _new_id() -> str:
    return os.urandom(6).hex()


def _clock(seconds: float) -> str:
    return time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime(seconds))

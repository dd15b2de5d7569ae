"""Stage 8, approve: a person decides, about exactly what will run."""

from __future__ import annotations

import hashlib
import inspect

import msgspec
from msgspec.structs import replace

from ares_core.answers import BROKEN
from ares_core.call.authorise import denied
from ares_core.call.refusal import refuse
from ares_core.call.run import SORTED, Run
from ares_core.calls import Deny
from ares_core.protocols import Approval, Approver
from ares_core.tools import Tool


def fingerprint(tool: Tool, canonical: bytes) -> str:
    """Hash the tool's definition and the final arguments: what an approval is bound to."""
    definition = SORTED.encode([tool.name, tool.description, tool.parameters])
    return hashlib.sha256(definition + b"\0" + canonical).hexdigest()


async def approve(run: Run, tool: Tool, reason: str, approver: Approver | None) -> None:
    """Wait for the approver; without one the call is not approved."""
    canonical = run.canonical_arguments
    if approver is None:
        raise refuse(
            "approval_required",
            f"{tool.name!r} needs a person's approval ({reason}), and nobody is there to give it. "
            "Tell the user what you would do and why.",
        )
    shown = replace(run.call, arguments=msgspec.json.decode(canonical))
    try:
        answer = approver(Approval(shown, reason, fingerprint(tool, canonical)))
        if inspect.isawaitable(answer):
            answer = await answer
    except BROKEN as error:
        raise denied(f"the approver raised {type(error).__name__}: {error}"[:300]) from error
    if isinstance(answer, Deny):
        raise denied(answer.reason)
    if answer is not True:
        raise denied("a person declined it")
    if SORTED.encode(run.call.arguments) != canonical:
        raise denied("its arguments changed after it was approved")

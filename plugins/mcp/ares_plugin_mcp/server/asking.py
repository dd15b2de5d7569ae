"""Approvals and the questions of tools, put to the client whose call it is."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Mapping
from typing import Any

import msgspec
from mcp import MCPError
from mcp_types import ElicitRequest, ElicitRequestFormParams, ElicitResult
from pydantic import ValidationError

from ares_core import Approval, Ares, Defer, Deny, Scoped
from ares_plugin_mcp.server.exchange import EXCHANGE, Ask

LONGEST_SHOWN = 4_000
YES: dict[str, Any] = {
    "type": "object",
    "properties": {
        "approve": {"type": "boolean", "title": "Run it", "description": "Whether exactly this call may run."},
    },
    "required": ["approve"],
}
Answer = bool | Deny | Defer | Mapping[str, Any]


def client_approver(otherwise: Any = None) -> Any:
    """Give an approver for ``Ares(approver=…)`` that asks the MCP client whose call it is, by elicitation.

    ``otherwise`` approves what no client called, and what comes from clients that can't be asked.
    """

    async def approver(approval: Approval) -> Answer:
        exchange = EXCHANGE.get()
        if exchange is not None and exchange.ask is not None:
            if exchange.loop is asyncio.get_running_loop():
                return await _asked(exchange.ask, approval)
            work = asyncio.run_coroutine_threadsafe(_asked(exchange.ask, approval), exchange.loop)
            return await asyncio.wrap_future(work)
        if otherwise is not None:
            answer: Answer = otherwise(approval)
            return await answer if inspect.isawaitable(answer) else answer
        return _nobody(exchange.door if exchange is not None else None, approval)

    return approver


def _nobody(door: Ares | Scoped | None, approval: Approval) -> Answer:
    if door is not None and door.ares.settings.approvals.defer:
        return Defer(approval.reason)
    return Deny(
        f"it needs a person's approval ({approval.reason}), and this client can't ask one: it offers no elicitation. "
        "Tell the user what you would do and why"
    )


async def _asked(ask: Ask, approval: Approval) -> Answer:
    try:
        answer = await ask(question(approval))
    except MCPError as error:
        return Deny(f"the client did not answer the question whether it may run ({error.error.message})")
    except ValidationError:
        return Deny("the client's answer to the question whether it may run can't be read")
    if answer.action != "accept":
        return Deny("the user declined it" if answer.action == "decline" else "the user closed the question")
    content = answer.content or {}
    return dict(content) if approval.form is not None else content.get("approve") is True


def _written(shown: Any) -> str:
    text = msgspec.json.encode(shown).decode()
    return text if len(text) <= LONGEST_SHOWN else f"{text[:LONGEST_SHOWN]} … ({len(text):,} characters)"


def question(approval: Approval) -> ElicitRequest:
    """Write the question: the tool, the final arguments without secrets, and why it is asked."""
    if approval.form is not None:
        message, form = approval.reason, dict(approval.form)
    elif approval.question is not None:
        text, more = approval.question
        message, form = f"{text[:LONGEST_SHOWN]} {_written(more) if more else ''}".rstrip(), YES
    else:
        message, form = f"May {approval.call.name} run with {_written(approval.shown)}? {approval.reason}".strip(), YES
    return ElicitRequest(params=ElicitRequestFormParams(message=message, requested_schema=form))


def fits(answer: Any, request: ElicitRequest) -> ElicitResult | None:
    """Give an answer if it is one to this question: accepted forms have what is required."""
    if not isinstance(answer, ElicitResult) or not isinstance(request.params, ElicitRequestFormParams):
        return None
    if answer.action == "accept":
        form = request.params.requested_schema
        content = answer.content or {}
        if any(name not in content for name in form.get("required") or ()):
            return None
    return answer

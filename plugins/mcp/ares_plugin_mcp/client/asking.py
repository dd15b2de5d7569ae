"""What a server asks in the middle of a call, put to whoever approves calls."""

from __future__ import annotations

import asyncio
import hashlib
import inspect
from collections.abc import Mapping
from typing import Any

import msgspec
from mcp_types import ElicitRequestURLParams, ElicitResult

from ares_core import Approval, Deny, ToolCall

DECLINED = ElicitResult(action="decline")
MOST_QUESTIONS = 20
"""How often a server may ask in one call; who asks without end would have people say yes just to be rid of it."""


class Asking:
    """The way back from a call's server to the approver, on the event loop that the call came from."""

    def __init__(self, approver: Any, call: ToolCall, server: str) -> None:
        self._approver = approver
        self._call = call
        self._server = server
        self._loop = asyncio.get_running_loop()
        self._asked = 0

    async def ask(self, params: Any) -> ElicitResult:
        """Put a server's question to the approver; nobody there means no."""
        self._asked += 1
        if self._approver is None or self._asked > MOST_QUESTIONS:
            return DECLINED
        is_url = isinstance(params, ElicitRequestURLParams)
        form = None if is_url else dict(params.requested_schema)
        what = f" and wants this address opened: {params.url}" if is_url else _fields(form or {})
        approval = Approval(self._call, f"server {self._server!r} asks: {params.message}{what}", "", form=form)
        approval = msgspec.structs.replace(approval, fingerprint=_fingerprint(approval))
        answer = await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(self._put(approval), self._loop))
        return _result(answer, form)

    async def _put(self, approval: Approval) -> Any:
        answer = self._approver(approval)
        return await answer if inspect.isawaitable(answer) else answer


def _result(answer: Any, form: dict[str, Any] | None) -> ElicitResult:
    """Turn an answer into the protocol's; a plain yes to a form means its defaults, if they are enough."""
    if isinstance(answer, Deny) or answer is False or answer is None:
        return DECLINED
    if form is None:
        return ElicitResult(action="accept") if answer is True else DECLINED
    properties = form.get("properties") or {}
    content = {name: part["default"] for name, part in properties.items() if "default" in part}
    if isinstance(answer, Mapping):
        content |= {name: value for name, value in answer.items() if name in properties}
    elif answer is not True:
        return DECLINED
    if any(name not in content for name in form.get("required") or ()):
        return DECLINED
    return ElicitResult(action="accept", content=content)


def _fields(form: Mapping[str, Any]) -> str:
    required = form.get("required") or ()
    names = [f"{name} (required)" if name in required else name for name in form.get("properties") or {}]
    return f" ({', '.join(names)})" if names else ""


def _fingerprint(approval: Approval) -> str:
    bound = [approval.call.name, approval.call.arguments, approval.reason, approval.form]
    return hashlib.sha256(msgspec.json.encode(bound, order="sorted")).hexdigest()

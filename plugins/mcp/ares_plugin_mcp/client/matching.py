"""Answers and the requests that they are of: matched as far as that is sure, and mended so that they can be read."""

from __future__ import annotations

from typing import Any

import msgspec
from mcp_types import INTERNAL_ERROR, ErrorData, JSONRPCError, JSONRPCNotification, JSONRPCRequest, JSONRPCResponse

from ares_plugin_mcp.client.answers import bound_lists, mend_answer
from ares_plugin_mcp.client.tidy import Note, mend_hello, tidy

Answer = JSONRPCResponse | JSONRPCError
Id = int | str
MOST_OPEN = 10_000
WARNED = 3
LONGEST_ID, LONGEST_CODE = 18, 9
ENDLESS = "subscriptions/listen"
"""The request whose answer is the end of a stream, so that it is open all the time."""
CALLS = ("tools/call", "tasks/result")


class Open:
    """The requests that wait for an answer; ``note`` is told what is odd about one."""

    def __init__(self, note: Note) -> None:
        self._note = note
        self._methods: dict[Id, str] = {}
        self._has_sent = False
        self._strays = 0

    def sent(self, message: Any) -> None:
        """Take note of what goes out."""
        if isinstance(message, JSONRPCRequest):
            self._has_sent = True
            self._methods[message.id] = message.method
            if len(self._methods) > MOST_OPEN:
                del self._methods[next(iter(self._methods))]
        elif isinstance(message, JSONRPCNotification) and message.method == "notifications/cancelled":
            self._methods.pop((message.params or {}).get("requestId", ""), None)

    def is_of(self, value: dict[str, Any]) -> bool:
        """Whether an object answers a request that is open."""
        return "method" not in value and self._known(value.get("id")) is not None

    def answer(self, value: dict[str, Any]) -> Answer | None:
        """Read an object as an answer; ``None`` if it is none."""
        if not _is_answer(value):
            return None
        id = value.get("id")
        known = self._known(id)
        if known is not None:
            return self._made(known, self._methods.pop(known), value)
        if id is None:
            return self._without_id(value) if "jsonrpc" in value else None
        if not isinstance(id, Id) or "result" not in value:
            return None
        self._strays += self._has_sent
        if 0 < self._strays <= WARNED:
            self._note(f"it answered a request that is not open: id {id!r:.40}; it may have come too late")
        return self._made(id, "", value)  # the SDK passes over it

    def unreadable(self, id: str) -> JSONRPCError | None:
        """Fail the request that was answered with what is no JSON."""
        return self.overdue(id, {"message": "its answer is not valid JSON"})

    def overdue(self, id: Id, error: dict[str, Any]) -> JSONRPCError | None:
        """Fail a request if it is still open."""
        known = self._known(id)
        if known is None:
            return None
        del self._methods[known]
        return _error(known, error)

    def mended(self, message: JSONRPCResponse) -> JSONRPCResponse:
        """Mend the result of an answer that was read already."""
        self._mend(message.result, self._methods.pop(self._known(message.id) or "", ""))
        return message

    def _known(self, id: Any) -> Id | None:
        """Give the id as it was sent; some send a number back as text, or with a fraction."""
        is_text = isinstance(id, str) and id.isdecimal() and len(id) <= LONGEST_ID and id not in self._methods
        if is_text or isinstance(id, float) and id.is_integer():
            id = int(id)
        return id if isinstance(id, Id) and not isinstance(id, bool) and id in self._methods else None

    def _without_id(self, value: dict[str, Any]) -> Answer | None:
        """Fail the only request that is open; which of several is meant nobody knows."""
        error = value.get("error")
        if error is not None:
            said = _error("", error).error.message
            self._note(f"it reports an error without saying of which request: {said:.200}")
        waiting = [id for id, method in self._methods.items() if method != ENDLESS]
        if len(waiting) != 1:
            return None if error is None else _error(None, error)
        del self._methods[waiting[0]]
        return _error(waiting[0], error or {"message": "its answer does not say of which request it is"})

    def _made(self, id: Id, method: str, value: dict[str, Any]) -> Answer:
        error, result = value.get("error"), value.get("result")
        if error is not None:
            return _error(id, error)
        if not isinstance(result, dict):
            if method not in CALLS or "result" not in value:
                return _error(id, {"message": f"its answer has no result that can be read: {_text(result):.200}"})
            result = {"content": [] if result is None else [result if isinstance(result, str) else _text(result)]}
        self._mend(result, method)
        # Only the SDK reads this, and it checks the result against the request's own type.
        return JSONRPCResponse.model_construct(jsonrpc="2.0", id=id, result=result)

    def _mend(self, result: dict[str, Any], method: str) -> None:
        if method == "tools/list" and result.get("tools") is None:
            result["tools"] = []
        if method == "initialize":
            mend_hello(result)
        tidy(result, self._note)
        bound_lists(result, self._note)
        if method in CALLS or "content" in result:
            mend_answer(result)


def _is_answer(value: dict[str, Any]) -> bool:
    """Whether an object can be an answer; without the protocol's mark it has to look like one all the more."""
    if "method" in value:
        return False
    if "jsonrpc" in value:
        return "result" in value or "error" in value or "id" in value
    error = value.get("error")
    return isinstance(value.get("result"), dict) or isinstance(error, dict) and "code" in error


def _error(id: Id | None, error: Any) -> JSONRPCError:
    """Read an error, whatever its parts are."""
    given = error if isinstance(error, dict) else {"message": error}
    code, message = given.get("code"), given.get("message")
    words = "(without a word why)" if message is None else _text(message)
    number = _whole(code)
    if number is None and code is not None:
        words = f"{words} ({_text(code):.60})"
    data = ErrorData(code=INTERNAL_ERROR if number is None else number, message=words, data=given.get("data"))
    return JSONRPCError(jsonrpc="2.0", id=id, error=data)


def _whole(code: Any) -> int | None:
    if isinstance(code, str) and len(code) <= LONGEST_CODE and code.removeprefix("-").isdecimal():
        return int(code)
    whole = isinstance(code, int | float) and not isinstance(code, bool) and abs(code) < 10**LONGEST_CODE
    return int(code) if whole else None


def _text(value: Any) -> str:
    """Write a value for a person."""
    try:
        return value if isinstance(value, str) else msgspec.json.encode(value).decode()
    except (ValueError, RecursionError):
        return str(type(value).__name__)


__all__ = ["Open"]

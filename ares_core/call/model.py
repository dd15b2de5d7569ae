"""Calls of the model itself: ``llm_request`` layers may change what is sent, ``llm_execution`` layers wrap the sending.

A call of the model is no call of a tool: it has no schema, no place and no record of its own here; the events tell
what layers changed.
"""

from __future__ import annotations

import copy
from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from ares_core.answers import BROKEN
from ares_core.call.layers import Broken, answer_of, changed_at, raised_by, wrap
from ares_core.call.tell import tell_of
from ares_core.calls import Deny
from ares_core.errors import LayerError, UsageError
from ares_core.events import EventKind

if TYPE_CHECKING:
    from ares_core.call.runner import Runner
    from ares_core.protocols import Layer

Request = Mapping[str, Any]
R = TypeVar("R")


async def call_model(
    runner: Runner, request: Request, send: Callable[[Request], Awaitable[R]], session: str | None
) -> R:
    """Send a request to a model through its layers; gives what ``send``, or a layer in its place, answers."""
    if not isinstance(request, Mapping):
        raise UsageError(f"the request is {request!r:.60}; give a mapping, such as the body that is to be sent")
    before = [layer for layer in runner.layers if layer.kind == "llm_request"]
    around = [layer for layer in runner.layers if layer.kind == "llm_execution"]
    for layer in before:
        request = await _rewritten(runner, layer, request, session)
    if not around:
        return await send(request)
    final = request

    async def innermost() -> R:
        return await send(final)

    def note(layer: Layer, did: str, **more: Any) -> None:
        _tell(runner, "rewritten", layer, session, did=did, **more)

    try:
        answer: R = await wrap(around, lambda: _copy(final), innermost, note)()
    except Broken as error:
        raise LayerError(f"the model was not heard: {error}", error.layer) from error
    return answer


async def _rewritten(runner: Runner, layer: Layer, request: Request, session: str | None) -> Request:
    try:
        answer = await answer_of(layer, _copy(request), runner.settings.limits.timeout)
    except BROKEN as error:
        message = raised_by(layer, error)
        if layer.on_error == "skip":
            _tell(runner, "rewritten", layer, session, did="skipped", why=message)
            return request
        raise LayerError(f"the request was not sent: {message}", layer.name) from error
    if answer is None:
        return request
    if isinstance(answer, Deny):
        _tell(runner, "denied", layer, session, why=answer.reason)
        raise LayerError(f"the request was not sent: {answer.reason}", layer.name, denied=True)
    if not isinstance(answer, Mapping) or not all(isinstance(key, str) for key in answer):
        raise LayerError(
            f"the request was not sent: layer {layer.name!r} answered {answer!r:.80}; "
            "it answers None, a changed request (a mapping), or Deny", layer.name,
        )  # fmt: skip
    if runner.listeners and (places := changed_at(request, answer)):
        _tell(runner, "rewritten", layer, session, did="changed", at=places)
    return answer


def _tell(runner: Runner, kind: EventKind, layer: Layer, session: str | None, **data: Any) -> None:
    if runner.listeners:
        tell_of(runner, kind, {"layer": layer.name, "layer_kind": layer.kind, **data}, session, None, None)


def _copy(request: Request) -> Request:
    """Give a layer a request of its own, so that only what it answers can change anything."""
    try:
        copied: Request = msgspec.json.decode(msgspec.json.encode(request))
    except Exception:  # it holds objects of the program's own
        return copy.deepcopy(dict(request))
    return copied

"""The onion: layers around something that runs once, each with one ``next_call``, and a trace of what each did."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable, Coroutine, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from ares_core.answers import BROKEN
from ares_core.call.deadline import DeadlineReached
from ares_core.call.finish import redact
from ares_core.errors import said_by

if TYPE_CHECKING:
    from ares_core.call.run import Run
    from ares_core.protocols import Layer

Inner = Callable[[], Coroutine[Any, Any, Any]]
MOST_PLACES = 20
"""How many changed places a trace names."""


class Broken(Exception):
    """A layer failed, and its failure is that of the call."""

    def __init__(self, layer: str, message: str) -> None:
        super().__init__(message)
        self.layer = layer


class Note(Protocol):
    """How a layer's deed is written down."""

    def __call__(self, layer: Layer, did: str, **more: Any) -> None: ...


def noting(run: Run) -> Note:
    """Write down in a call's metadata what its layers do; what they say of it may quote the call's secrets."""

    def note(layer: Layer, did: str, **more: Any) -> None:
        if "why" in more:
            more["why"] = redact(run.runner, run, str(more["why"]))
        row = {"layer": layer.name, "kind": layer.kind, "did": did, **more}
        if run.attempts > 1:
            row["attempt"] = run.attempts
        run.notes = run.notes or {}
        run.notes.setdefault("layers", []).append(row)

    return note


def wrap(layers: Sequence[Layer], shown: Callable[[], Any], innermost: Inner, note: Note) -> Inner:
    """Put layers around a call, the first outermost; each is shown a copy of its own, so that it changes nothing."""
    inner = innermost
    for layer in reversed(layers):
        inner = _wrapped(layer, shown, inner, note)
    return inner


def _wrapped(layer: Layer, shown: Callable[[], Any], inner: Inner, note: Note) -> Inner:
    async def wrapped() -> Any:
        turn = _Turn(layer.name, inner)
        try:
            value = await layer.run(shown(), turn.next_call)
            await turn.close()
        except (asyncio.CancelledError, DeadlineReached):
            raise
        except BROKEN as error:
            return await _failed(layer, turn, error, note)
        _write_down(layer, turn, value, note)
        return value

    return wrapped


async def _failed(layer: Layer, turn: _Turn, error: BaseException, note: Note) -> Any:
    if error is turn.error:
        raise error
    message = raised_by(layer, error)
    if layer.on_error == "skip" and not turn.misused:
        note(layer, "skipped", why=message)
        return await turn.outcome()
    note(layer, "failed", why=message)
    raise Broken(layer.name, message) from error


async def answer_of(layer: Layer, shown: Any, seconds: float) -> Any:
    """Ask a request layer; one that does not answer in time raises ``TimeoutError``."""
    answer: Any = layer.run(shown)
    if not inspect.isawaitable(answer):
        return answer
    try:
        async with asyncio.timeout(seconds) as limit:
            return await answer
    except TimeoutError:
        if limit.expired():
            raise TimeoutError(f"it gave no answer within {seconds:g} s") from None
        raise


def raised_by(layer: Layer, error: BaseException) -> str:
    """Say which layer broke and how."""
    return f"layer {layer.name!r} raised {said_by(error)}"[:300]


def _write_down(layer: Layer, turn: _Turn, value: Any, note: Note) -> None:
    if not turn.called:
        note(layer, "answered")
    elif turn.error is not None:
        note(layer, "recovered")
    elif value is not turn.value and differs(value, turn.value):
        note(layer, "changed")


def differs(one: Any, other: Any) -> bool:
    """Whether two values differ; what can't be compared does."""
    try:
        return bool(one != other)
    except Exception:
        return True


def changed_at(before: Any, after: Any, at: str = "") -> list[str]:
    """Tell where two values differ, as JSON pointers, the first twenty.

    >>> changed_at({"a": 1, "b": {"c": 2, "d": 3}}, {"a": 1, "b": {"c": 5}, "e": 6})
    ['/b/c', '/b/d', '/e']
    """
    if not (isinstance(before, Mapping) and isinstance(after, Mapping)):
        return [at] if differs(before, after) else []
    found: list[str] = []
    for key in {**before, **after}:
        place = f"{at}/{str(key).replace('~', '~0').replace('/', '~1')}"
        if key not in before or key not in after:
            found.append(place)
        else:
            found += changed_at(before[key], after[key], place)
        if len(found) >= MOST_PLACES:
            break
    return found[:MOST_PLACES]


class _Turn:
    """What one layer did with its ``next_call``: it may be awaited once, and not after the layer has answered."""

    def __init__(self, layer: str, inner: Inner) -> None:
        self.layer = layer
        self.inner = inner
        self.called = False
        self.closed = False
        self.misused = False
        self.value: Any = None
        self.error: BaseException | None = None
        self._running: asyncio.Event | None = None

    async def next_call(self) -> Any:
        if self.called or self.closed:
            self.misused = True
            when = "twice" if self.called else "after it had answered"
            raise RuntimeError(f"layer {self.layer!r} called next_call {when}")
        self.called = True
        self._running = asyncio.Event()
        try:
            self.value = await self.inner()
        except BaseException as error:
            self.error = error
            raise
        finally:
            self._running.set()
        return self.value

    async def close(self) -> None:
        """Take no more calls; a layer that does not wait for the one it made has failed, once that is over."""
        self.closed = True
        if self._running is not None and not self._running.is_set():
            self.misused = True
            await self._running.wait()
            raise RuntimeError(f"layer {self.layer!r} answered before its next_call had ended")

    async def outcome(self) -> Any:
        """What would have come without the layer."""
        if not self.called:
            self.closed = False
            return await self.next_call()
        if self.error is not None:
            raise self.error
        return self.value

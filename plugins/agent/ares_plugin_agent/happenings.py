"""What happens in a run, as it happens."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from typing import Any

from msgspec import Struct

from ares_plugin_agent.run import Run


class TextPiece(Struct, frozen=True):
    """The model said some more."""

    text: str


class CallStarted(Struct, frozen=True):
    """A tool was started, with these arguments (without secrets)."""

    id: str
    tool: str
    arguments: Any


class CallEnded(Struct, frozen=True):
    """A call was answered: by its tool, or, with ``code``, by a failure or a refusal.

    ``instead_of`` is what the model called where there is no such tool, and the planner found this one.
    """

    id: str
    tool: str
    success: bool
    text: str
    code: str | None = None
    duration_ms: float = 0.0
    instead_of: str | None = None


class Retrying(Struct, frozen=True):
    """The provider failed and is asked again in so many seconds; what the model said meanwhile does not count."""

    reason: str
    seconds: float


class Finished(Struct, frozen=True):
    """The run is over."""

    run: Run


Happening = TextPiece | CallStarted | CallEnded | Retrying | Finished
Happenings = AsyncGenerator[Happening, None]

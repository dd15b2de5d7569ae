"""The values of one call: what is asked, what comes back, and what hooks may answer.

All are frozen: change one with ``msgspec.structs.replace(value, field=…)``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, get_args

from msgspec import Struct, field
from msgspec.structs import replace

__all__ = [
    "CODES", "Approval", "ArgumentEdit", "Ask", "Code", "Defer", "Deny", "Effects", "Failure", "Issue", "Result",
    "ToolCall", "replace",
]  # fmt: skip

Code = Literal[
    "unknown_tool", "malformed_arguments", "truncated_arguments", "invalid_arguments", "denied", "loop_detected",
    "budget_exhausted", "outcome_unknown", "key_conflict", "approval_required", "rate_limited", "queue_full",
    "timeout", "tool_error", "cancelled", "interrupted", "no_plan", "missing_input", "invalid_plan", "step_failed",
    "internal_error",
]  # fmt: skip
CODES: tuple[str, ...] = get_args(Code)
"""Every code that ``Result.error.code`` can have."""


class Effects(Struct, frozen=True):
    """What a call does to the world; policies, parallelism, retries and the planner look at nothing else.

    The defaults are the cautious ones: alone, in order, never retried. ``resources`` names what is touched,
    such as ``file:{path}`` or ``host:{url}``; braces are filled from the arguments. ``polling`` says that the same
    call is made again and again until its answer changes, which is then no loop.

    >>> Effects(read_only=True).mutating
    False
    """

    read_only: bool = False
    destructive: bool = True
    idempotent: bool = False
    open_world: bool = True
    interactive: bool = False
    resources: tuple[str, ...] = ()
    polling: bool = False

    @property
    def mutating(self) -> bool:
        """Whether a call changes anything."""
        return not self.read_only


class ToolCall(Struct, frozen=True):
    """One wish to have a tool run.

    ``arguments`` is the provider's JSON text or a mapping; hooks and tools always see a mapping that passed the
    schema. ``key`` is an idempotency key chosen by the caller, ``timeout`` is in seconds, ``turn`` names the
    model's turn. ``effects``, ``session`` and ``parent`` are filled in by Ares; what a caller puts there is ignored.

    >>> ToolCall("add", {"a": 2}).name
    'add'
    """

    name: str
    arguments: str | Mapping[str, Any] = field(default_factory=dict)
    id: str | None = None
    key: str | None = None
    timeout: float | None = None
    turn: str | None = None
    effects: Effects | None = None
    session: str | None = None
    parent: str | None = None


class ArgumentEdit(Struct, frozen=True):
    """One change that Ares made to the arguments: where (JSON pointer), from what, to what, by which rule."""

    pointer: str
    before: Any
    after: Any
    rule: str


class Issue(Struct, frozen=True):
    """One thing wrong with the arguments: where (JSON pointer), which schema keyword, what was expected and got."""

    pointer: str
    keyword: str
    expected: str
    got: str
    hint: str = ""

    def __str__(self) -> str:
        where = self.pointer or "the arguments"
        text = f"{where}: expected {self.expected}, got {self.got}"
        return f"{text} ({self.hint})" if self.hint else text


class Failure(Struct, frozen=True):
    """Why a call did not succeed: a code to act on and a sentence that says what to do next."""

    code: Code
    message: str
    issues: tuple[Issue, ...] = ()
    retriable: bool = False
    suggestions: tuple[str, ...] = ()
    blame: str = "input"


class Result(Struct, frozen=True):
    """What became of a call. ``success=False`` always has an ``error``; ``text`` is what the model reads.

    ``metadata`` holds at least ``duration_ms`` and ``attempts``. The result of a plan has ``steps``, each a
    ``Result``; its ``call`` is the last step's and its ``data`` the sink's, or ``{step_id: data}``.

    >>> Result(success=True, data={"sum": 5}).error is None
    True
    """

    success: bool
    data: Any = None
    error: Failure | None = None
    text: str = ""
    call: ToolCall | None = None
    edits: tuple[ArgumentEdit, ...] = ()
    steps: tuple[Result, ...] = ()
    metadata: dict[str, Any] = field(default_factory=dict)


class Deny(Struct, frozen=True):
    """A hook's or layer's answer: this call must not run, and why."""

    reason: str


class Defer(Struct, frozen=True):
    """An approver's answer: not now. The call is kept, and goes on when somebody has approved it.

    >>> Defer("asked in the channel").reason
    'asked in the channel'
    """

    reason: str = ""


class Ask(Struct, frozen=True):
    """A hook's or layer's answer: a person has to approve this call first, and why."""

    reason: str


class Approval(Struct, frozen=True):
    """What an approver is shown: the final call, why it is asked, and the hash that the answer is bound to.

    ``form`` is there when somebody asks for more than yes or no: a JSON Schema of what may be answered as a mapping.
    ``shown`` are the final arguments as they may be displayed, without secrets; ``asked`` what the caller wrote, if
    that was something else.
    """

    call: ToolCall
    reason: str
    fingerprint: str
    form: Mapping[str, Any] | None = None
    shown: Any = None
    asked: Any = None

    @property
    def question(self) -> tuple[str, Mapping[str, Any]] | None:
        """The question, and what is shown with it, where the call does nothing but put one to a person.

        Such a call is interactive, only reads, and has no other arguments than ``question`` and an object ``show``.
        """
        effects, arguments = self.call.effects, self.call.arguments if self.shown is None else self.shown
        if effects is None or effects.mutating or not effects.interactive or not isinstance(arguments, Mapping):
            return None
        text, more = arguments.get("question"), arguments.get("show", {})
        is_whole = isinstance(text, str) and isinstance(more, Mapping) and set(arguments) <= {"question", "show"}
        return (str(text), more) if is_whole else None

"""Provider formats: what a model's turn is, and what it takes to speak one more provider's language."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal, Protocol, get_args, overload, runtime_checkable

from msgspec import Struct

from ares_core.calls import Result, ToolCall

Outcome = Literal["calls", "final", "refused", "filtered", "truncated", "malformed", "failed"]
OUTCOMES: tuple[str, ...] = get_args(Outcome)
"""How a turn of a model can end."""

Choice = Literal["auto", "none", "required"]
CHOICES: tuple[str, ...] = get_args(Choice)
"""What ``tool_choice`` can say besides the name of a tool."""


class Turn(Struct, frozen=True):
    """What a model said in one turn: a sequence of ``ToolCall``, and the text around them.

    ``outcome`` follows from what is there, not from the provider's finish reason: ``calls`` (answer them, or, if
    there are none, send ``native`` back and the provider goes on), ``final``, ``refused`` by the model,
    ``filtered`` by the provider, ``truncated``, ``malformed`` (the provider could not read the model's call; what
    could be read is here), ``failed``. ``reason`` says in words what is behind the last five. ``native`` is the
    message that has to go back to the provider.

    >>> turn = Turn((ToolCall("add", {"a": 2}, id="c1"),), outcome="calls", wire="openai-chat")
    >>> [call.name for call in turn], len(turn)
    (['add'], 1)
    """

    calls: tuple[ToolCall, ...] = ()
    text: str = ""
    outcome: Outcome = "final"
    wire: str = ""
    native: Any = None
    reason: str = ""
    model: str = ""

    def __len__(self) -> int:
        return len(self.calls)

    def __iter__(self) -> Iterator[ToolCall]:
        return iter(self.calls)

    def __reversed__(self) -> Iterator[ToolCall]:
        return reversed(self.calls)

    def __contains__(self, call: object) -> bool:
        return call in self.calls

    @overload
    def __getitem__(self, place: int) -> ToolCall: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[ToolCall, ...]: ...
    def __getitem__(self, place: int | slice) -> ToolCall | tuple[ToolCall, ...]:
        return self.calls[place]

    def index(self, call: ToolCall, *bounds: int) -> int:
        """Give the place of a call."""
        return self.calls.index(call, *bounds)

    def count(self, call: ToolCall) -> int:
        """Count how often a call occurs."""
        return self.calls.count(call)


Sequence.register(Turn)


class NameRule(Struct, frozen=True):
    """Which names a provider takes: character classes for the first and the other characters, and a length.

    ``first`` holds some letters, ``rest`` letters, digits and ``_``: other characters are replaced by these.

    >>> NameRule(first="A-Za-z_").first
    'A-Za-z_'
    """

    first: str = "A-Za-z0-9_-"
    rest: str = "A-Za-z0-9_-"
    longest: int = 64


class Definition(Struct, frozen=True):
    """A tool as a format publishes it: under the name that the provider sees."""

    name: str
    description: str
    parameters: Any


class Definitions(list[dict[str, Any]]):
    """What goes under ``tools`` in a request: a list, with what else belongs into the request.

    ``request`` is the whole fragment, tool choice included, to be merged into the body. ``lost`` says, a sentence
    each, what the provider's dialect could not carry over. ``prompt`` has words for the system prompt, where the
    model gets to know of tools in no other way.
    """

    def __init__(
        self, tools: Iterable[dict[str, Any]] = (), request: Mapping[str, Any] | None = None,
        lost: Iterable[str] = (), prompt: str = "",
    ) -> None:  # fmt: skip
        super().__init__(tools)
        self.request: dict[str, Any] = dict(request or {})
        self.lost: tuple[str, ...] = tuple(lost)
        self.prompt = prompt


@runtime_checkable
class WireFormat(Protocol):
    """One provider's way to write turns, results and definitions.

    A plugin gives its formats through ``register_wire_formats``; a name that is taken already is replaced. A format
    may also have ``keys``, a ``NameRule`` for arguments: those of other names go out under names that it takes.
    """

    name: str
    names: NameRule

    def recognises(self, part: Mapping[str, Any]) -> bool:
        """Tell whether this is a body of this format, or an event of one of its streams."""

    def assemble(self, events: Sequence[Mapping[str, Any]]) -> Mapping[str, Any]:
        """Give the body that the events of a stream amount to."""

    def read(self, body: Mapping[str, Any]) -> Turn:
        """Read a body. Every call gets an id of its own; arguments that are no strict JSON object stay text."""

    def write(self, turn: Turn, results: Sequence[Result]) -> list[dict[str, Any]]:
        """Give the messages that go back: the model's own, then the answers, one result for each call in order."""

    def definitions(self, tools: Sequence[Definition], choice: str | None, strict: bool) -> Definitions:
        """Publish tools. ``choice`` is one of ``CHOICES``, the name of one of the tools, or ``None``."""


__all__ = ["CHOICES", "OUTCOMES", "Choice", "Definition", "Definitions", "NameRule", "Outcome", "Turn", "WireFormat"]

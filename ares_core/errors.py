"""Every exception that Ares raises, in one family.

- AresError
  - ToolError            a tool says why it could not do its work
  - RegistrationError    a tool, hook or capability that can't be taken in
    - DuplicateTool      the name is taken
    - SchemaError        the parameters are no usable JSON Schema
  - PluginError          a plugin that can't be loaded (raised only with ``ARES_STRICT=1``)
  - ConfigError          a configuration key or file that can't be used
  - WireError            a provider body that no wire format knows
  - DecodeError          argument text that is no JSON, or is cut off (inside Ares: a refusal with its code)
  - LayerError           a layer around the model denied its call, or broke
  - UsageError           the library was called in a way that can't work

A refused or failed *call* is never an exception: it is a ``Result`` whose ``error`` says why.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, Self

if TYPE_CHECKING:
    from ares_core.calls import Code

Blame = Literal["tool", "input", "world"]


class AresError(Exception):
    """The root of the family: ``except AresError`` catches everything Ares raises itself."""


class ToolError(AresError):
    """Raised by a tool to say, in a sentence for the model, why it could not do its work.

    ``retriable`` allows Ares to try again if the call is idempotent. ``hint`` says what to do next.
    ``blame`` says whose fault it is: the ``tool`` itself, the ``input`` it was given, or the ``world``
    (a server that is down); the first and the last count against the tool's success rate.

    >>> raise ToolError("division by zero", blame="input", hint="divide by another number")
    Traceback (most recent call last):
    ...
    ares_core.errors.ToolError: division by zero
    """

    said = ""
    code: Code = "tool_error"

    def __init__(self, message: str, retriable: bool = False, hint: str | None = None, blame: Blame = "tool") -> None:
        super().__init__(message)
        self.message = message
        self.retriable = retriable
        self.hint = hint
        self.blame: Blame = blame

    def with_words(self, said: str = "", code: Code = "tool_error") -> Self:
        """Add what somebody else said, such as a server, and the code of what is no plain failure.

        A model reads it behind the message, marked as data where the tool reaches the open world.

        >>> ToolError("the server refused").with_words("no such row", "outcome_unknown").said
        'no such row'
        """
        self.said, self.code = said, code
        return self

    @property
    def words(self) -> str:
        """The message, and behind it the hint as a sentence of its own.

        >>> ToolError("the disk is full", hint="Delete something.").words
        'the disk is full. Delete something.'
        """
        said = str(self.message).rstrip()
        return said if not self.hint else f"{said}{'' if said.endswith(('.', '!', '?', '。')) else '.'} {self.hint}"


class RegistrationError(AresError, ValueError):
    """A tool, hook or capability that can't be taken in, and why."""


class DuplicateTool(RegistrationError):
    """Two tools want one name."""


class SchemaError(RegistrationError):
    """The parameters of a tool are no usable JSON Schema."""


class PluginError(AresError):
    """A plugin can't be loaded; raised only with ``ARES_STRICT=1``, otherwise a row of ``ares plugins``."""


class ConfigError(AresError, ValueError):
    """A configuration key or file can't be used; names the key and the file."""


class WireError(AresError, ValueError):
    """A provider body that no wire format knows."""


class DecodeError(AresError, ValueError):
    """Argument text that can't be read; ``code`` is ``malformed_arguments`` or ``truncated_arguments``."""

    def __init__(self, message: str, code: Literal["malformed_arguments", "truncated_arguments"]) -> None:
        super().__init__(message)
        self.code: Literal["malformed_arguments", "truncated_arguments"] = code


class LayerError(AresError):
    """A layer around the model denied the request (``denied``), or broke before or after it was sent."""

    def __init__(self, message: str, layer: str, *, denied: bool = False) -> None:
        super().__init__(message)
        self.layer = layer
        self.denied = denied


class UsageError(AresError, RuntimeError):
    """The library was called in a way that can't work, such as ``call_sync`` on Ares' own loop."""


def said_by(error: BaseException) -> str:
    """Give the type and the words of an exception, also of one that can't even be written.

    >>> said_by(KeyError("a"))
    "KeyError: 'a'"
    """
    try:
        words = str(error)
    except Exception:
        words = ""
    return f"{type(error).__name__}: {words}".strip().rstrip(":")


def shown(value: object, longest: int = 80) -> str:
    """Write a value for a sentence, cut short; one that can't be written is told by its type.

    >>> shown("a" * 100, 5)
    "'aaaa"
    """
    try:
        return repr(value)[:longest]
    except Exception:
        return f"a {type(value).__name__} that can't be shown"

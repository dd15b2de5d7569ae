"""Calls that models write into their text, each model family in its own dialect.

A call counts only in the dialect's own marks, or when it is the whole message and names a known tool; never in
thoughts, code, or quoted output of tools.
"""

from __future__ import annotations

from collections.abc import Callable

from ares_core import ToolCall, UsageError

from .bare import fenced_calls, unfenced, whole_calls
from .gemma import gemma_calls
from .harmony import harmony_calls
from .invoked import invoke_calls
from .lines import react_calls, recipient_calls
from .marked import (
    deepseek_calls,
    function_calls,
    kimi_calls,
    labelled_calls,
    llama_calls,
    mistral_calls,
    tool_call_calls,
)
from .marks import Quoted, Span, cut_out, without_thoughts

LONGEST_TEXT = 256 * 1024
"""No call is looked for in a longer text."""

Known = Callable[[str], bool]
Found = tuple[list[ToolCall], list[Span]]

_MARKED: dict[str, Callable[[str, Quoted], Found]] = {
    "hermes": tool_call_calls,
    "llama": llama_calls,
    "function": function_calls,
    "mistral": mistral_calls,
    "kimi": kimi_calls,
    "deepseek": deepseek_calls,
    "labelled": labelled_calls,
    "invoke": invoke_calls,
    "gemma": gemma_calls,
}
_LINES = {"react": react_calls, "functionary": recipient_calls}
DIALECTS = ("any", *_MARKED, *_LINES, "harmony", "json", "fenced", "pythonic")


def calls_in_text(text: str, dialect: str = "any", known: Known | None = None) -> tuple[list[ToolCall], str]:
    """Give the calls in a text, and the text without them and without thoughts.

    ``known`` tells whether a name belongs to a tool; without it every name counts.
    """
    if dialect not in DIALECTS:
        raise UsageError(f"there is no dialect of text calls {dialect!r}; there are {', '.join(DIALECTS)}")
    if len(text) > LONGEST_TEXT:
        return [], text
    if dialect in ("any", "harmony") and (said := harmony_calls(text)) is not None:
        return said
    spoken = without_thoughts(text)
    calls, rest = _marked_calls(spoken, dialect, known)
    if calls:
        return calls, rest
    if dialect == "fenced":
        return fenced_calls(spoken, known)
    if dialect in ("any", "json", "pythonic", "llama", "hermes", "harmony"):
        whole = whole_calls(spoken, dialect, known)
        if whole:
            return whole, ""
    return [], spoken.strip("\r\n") if spoken != text else text


def _marked_calls(spoken: str, dialect: str, known: Known | None) -> tuple[list[ToolCall], str]:
    said = unfenced(spoken)
    quoted = Quoted(said)
    readers = (reader for name, reader in _MARKED.items() if dialect in ("any", name))
    found = [each for reader in readers if (each := reader(said, quoted))[0]]
    if found:  # marks behind the first may be words of an argument
        calls, spans = min(found, key=lambda each: each[1][0])
        return calls, cut_out(said, spans).strip("\r\n")
    for name, lines in _LINES.items():
        if dialect in ("any", name):
            calls, rest = lines(said, quoted, known)
            if calls:
                return calls, rest
    return [], spoken

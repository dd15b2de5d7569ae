"""Calls that models write into their text, each model family in its own dialect.

A call counts only in the dialect's own marks, or when it is the whole message and names a known tool; never in
thoughts, code, or quoted output of tools.
"""

from __future__ import annotations

from collections.abc import Callable

from ares_core import ToolCall, UsageError

from .bare import fenced_calls, whole_calls
from .harmony import harmony_calls
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
}
DIALECTS = ("any", *_MARKED, "harmony", "json", "fenced", "pythonic")


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
    quoted = Quoted(spoken)
    for name, reader in _MARKED.items():
        if dialect in ("any", name):
            calls, spans = reader(spoken, quoted)
            if calls:
                return calls, cut_out(spoken, spans).strip("\r\n")
    if dialect == "fenced":
        return fenced_calls(spoken, known)
    if dialect in ("any", "json", "pythonic", "llama", "hermes", "harmony"):
        whole = whole_calls(spoken, dialect, known)
        if whole:
            return whole, ""
    return [], spoken.strip("\r\n") if spoken != text else text

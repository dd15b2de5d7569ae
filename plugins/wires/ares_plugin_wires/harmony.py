"""The channels of gpt-oss, when a server lets them through as text.

Only the commentary channel addresses tools, and only ``functions.*`` are ours; analysis is thought.
"""

from __future__ import annotations

import re

from ares_core import ToolCall

from .calls import read_arguments, read_name

_CHANNEL = "<|channel|>"
_MESSAGE = "<|message|>"
_ENDS = re.compile(r"<\|(?:end|call|return|start)\|>")
_TO = re.compile(r"to=functions\.([\w.\-]{1,256})")
_STRIPPED = re.compile(r"(?:assistant)?(?:analysis|commentary|final)")
_SEGMENT = re.compile(r"(?:\A|assistant)(?=analysis|commentary|final)")
_CHANNELS = ("analysis", "commentary", "final")
_BARE = re.compile(r"(?:assistant)?\s{0,8}commentary to=functions\.([\w.\-]{1,256})\s{0,8}(?:json|code)?\s{0,8}(?=\{)")


def harmony_calls(text: str) -> tuple[list[ToolCall], str] | None:
    """Give the calls and the final text, or ``None`` if the text has no channels."""
    text = text.lstrip()
    if (bare := _BARE.match(text)) and "assistant" not in text[bare.end() :]:
        return [_call(bare[1], text[bare.end() :])], ""
    if not text.startswith((_CHANNEL, "<|start|>")) or _MESSAGE not in text:
        return _stripped(text)
    calls, said = [], []
    head, *segments = text.split(_CHANNEL)
    for segment in segments:
        header, _, rest = segment.partition(_MESSAGE)
        body = _ENDS.split(rest, maxsplit=1)[0]
        channel = header.strip().split(" ")[0].partition("<|")[0]
        recipient = _TO.search(header) or _TO.search(head)
        if channel == "commentary" and recipient:
            calls.append(_call(recipient[1], body))
        elif channel == "final" or channel == "commentary" and "to=" not in header + head:
            said.append(body)
        head = rest.rpartition("<|start|>")[2] if "<|start|>" in rest else ""
    return calls, "".join(said)


def _stripped(text: str) -> tuple[list[ToolCall], str] | None:
    """Read channels whose marks a server took out: ``analysis…assistantcommentary to=functions.f json{…}``."""
    if not _STRIPPED.match(text) or not any(f"assistant{channel}" in text for channel in _CHANNELS):
        return None
    calls, said = [], []
    for segment in _SEGMENT.split(text)[1:]:
        if bare := _BARE.match(segment):
            calls.append(_call(bare[1], segment[bare.end() :]))
        elif segment.startswith("final"):
            said.append(segment.removeprefix("final"))
    return calls, "".join(said)


def _call(name: str, body: str) -> ToolCall:
    return ToolCall(read_name(name), read_arguments(body.strip(), cut=True))

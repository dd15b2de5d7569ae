"""The events of a stream while it comes in: for what is shown live, and whether the end came.

What counts is read from the whole afterwards, by the wire format.
"""

from __future__ import annotations

import codecs
import json
from collections.abc import Iterator, Mapping
from typing import Any

_LONGEST_LINE = 1_000_000
_WEIGHED = frozenset({
    "content", "text", "arguments", "partial_json", "thinking", "reasoning", "reasoning_content", "delta", "refusal",
})  # fmt: skip


class Events:
    """Gives the JSON objects of an event stream or of JSON lines, from chunks cut anywhere.

    >>> events = Events()
    >>> list(events.feed(b'data: {"a"')), list(events.feed(b': 1}\\n\\ndata: [DONE]\\n'))
    ([], [{'a': 1}, {'done': True}])
    """

    def __init__(self) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")
        self._begun: list[str] = []
        self._length = 0

    def feed(self, chunk: bytes) -> Iterator[Mapping[str, Any]]:
        """Take in a chunk, and give the objects that it completes."""
        first, *others = self._decoder.decode(chunk).replace("\r", "\n").split("\n")
        self._add(first)
        for text in others:
            yield from self._ended()
            self._add(text)

    def end(self) -> Iterator[Mapping[str, Any]]:
        """Give the last object, if its line has no end."""
        yield from self._ended()

    def _add(self, text: str) -> None:
        self._length += len(text)
        if self._length <= _LONGEST_LINE:
            self._begun.append(text)

    def _ended(self) -> Iterator[Mapping[str, Any]]:
        line, fits = "".join(self._begun).strip(), self._length <= _LONGEST_LINE
        self._begun, self._length = [], 0
        data = line.removeprefix("data:").lstrip()
        if data == "[DONE]":
            yield {"done": True}
        elif fits and data.startswith("{"):
            try:
                yield json.loads(data)
            except (ValueError, RecursionError):
                return


def weight(value: Any, depth: int = 0) -> int:
    """Estimate how many tokens of the model an event carries, in characters: its texts and arguments.

    >>> weight({"choices": [{"delta": {"content": "four"}, "index": 0}]})
    4
    """
    if depth > 8:
        return 0
    if isinstance(value, Mapping):
        found = 0
        for key, inner in value.items():
            if isinstance(inner, str):
                found += len(inner) if key in _WEIGHED else 0
            else:
                found += weight(inner, depth + 1)
        return found
    return sum(weight(part, depth + 1) for part in value) if isinstance(value, list) else 0

"""Putting a chat completion together again from its chunks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any

from .calls import CUT, function_of, listed, mapping, mappings, mended, strict_object, words

_TEXTS = frozenset({"content", "refusal", "reasoning", "reasoning_content", "thinking", "reasoning_text", "tool_plan"})
_PART_TEXTS = frozenset({"text", "summary", "data", "refusal", "thinking"})
_PLACED = frozenset({"id", "index", "function", "custom", "name", "arguments"})
_LONGEST_NAME = 1024


def assemble(events: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """Give the completion that chunks amount to. One without any finish reason was cut off."""
    body: dict[str, Any] = {"object": "chat.completion"}
    choices: dict[Any, _Choice] = {}
    for event in events:
        for key in ("id", "model", "error", "usage", "created"):
            if event.get(key):
                body[key] = event[key]
        for part in mappings(event.get("choices")):
            index = part.get("index")
            choices.setdefault(index if isinstance(index, int) else 0, _Choice()).add(part)
    body["choices"] = [{"index": index, **choice.whole()} for index, choice in choices.items()]
    return body


class _Choice:
    """One choice of a completion while its chunks come in."""

    def __init__(self) -> None:
        self.message = Message()
        self.finish: Any = None
        self.error: Any = None
        self.text: list[str] = []

    def add(self, part: Mapping[str, Any]) -> None:
        """Take in what a chunk says about this choice."""
        self.message.add(mapping(part.get("delta")) or self._snapshot(part))
        self.finish = part.get("finish_reason") or self.finish
        self.error = part.get("error") or self.error
        self.text.append(words(part.get("text")))

    def _snapshot(self, part: Mapping[str, Any]) -> Mapping[str, Any]:
        """Some servers send the message whole, in one chunk; after deltas it only repeats them."""
        return {} if self.message.has_begun else mapping(part.get("message"))

    def whole(self) -> dict[str, Any]:
        """Give the choice as it is in a body."""
        whole = {"message": self.message.whole(), "finish_reason": self.finish or CUT, "text": "".join(self.text)}
        return {**whole, "error": self.error} if self.error else whole


class Message:
    """An assistant's message while its deltas come in."""

    def __init__(self) -> None:
        self.has_begun = False
        self.texts: dict[str, list[str]] = {}
        self.parts: dict[str, list[dict[str, Any]]] = {}
        self.others: dict[str, Any] = {}
        self.legacy: _Call | None = None
        self.calls = Fragments()

    def add(self, delta: Mapping[str, Any]) -> None:
        """Take in a delta."""
        for key, value in delta.items():
            if value is None or key == "role":
                continue
            self.has_begun = True
            if key == "tool_calls":
                self.calls.add_all(listed(value))
            elif key == "function_call":
                self.legacy = self.legacy or _Call(None)
                self.legacy.add({"function": value})
            else:
                self._add(key, value)

    def _add(self, key: str, value: Any) -> None:
        if isinstance(value, str) and key in _TEXTS:
            self.texts.setdefault(key, []).append(value)
        elif isinstance(value, list):
            _extend(self.parts.setdefault(key, []), mappings(value))
        elif isinstance(value, Mapping):
            known = self.others.get(key)
            if not isinstance(known, dict):
                known = self.others[key] = {}
            known.update((name, part) for name, part in value.items() if part is not None)
        else:
            self.others[key] = value

    def whole(self) -> dict[str, Any]:
        """Give the message as it is in a body."""
        texts = {key: mended("".join(pieces)) for key, pieces in self.texts.items()}
        message: dict[str, Any] = {"role": "assistant", "content": None, **self.others, **texts}
        for key, parts in self.parts.items():
            text = texts.get(key)
            message[key] = ([{"type": "text", "text": text}] if text else []) + [_joined(part) for part in parts]
        if self.calls.calls:
            message["tool_calls"] = self.calls.whole()
        if self.legacy:
            message["function_call"] = self.legacy.whole()["function"]
        return message


class _Pieces(list[str]):
    """A text while its pieces come in."""


class _Parts(list[dict[str, Any]]):
    """A list of parts while they come in."""


def _extend(parts: list[dict[str, Any]], more: Sequence[Mapping[str, Any]]) -> None:
    """Append parts; one that goes on with the last (same kind, same place) is joined to it."""
    for part in more:
        if not parts or not _goes_on(parts[-1], part):
            parts.append({})
        last = parts[-1]
        for key, value in part.items():
            if key in _PART_TEXTS and isinstance(value, str):
                last.setdefault(key, _Pieces()).append(value)
            elif key == "thinking" and isinstance(value, list):
                _extend(last.setdefault(key, _Parts()), mappings(value))
            elif value is not None or key not in last:
                last[key] = value


def _goes_on(last: Mapping[str, Any], part: Mapping[str, Any]) -> bool:
    same = last.get("type") == part.get("type") and last.get("index") == part.get("index")
    return same and ("index" in part or part.get("type") in ("text", "thinking"))


def _joined(part: dict[str, Any]) -> dict[str, Any]:
    return {key: _part_value(value) for key, value in part.items()}


def _part_value(value: Any) -> Any:
    if isinstance(value, _Pieces):
        return mended("".join(value))
    return [_joined(part) for part in value] if isinstance(value, _Parts) else value


class _Call:
    """One call while its fragments come in."""

    def __init__(self, index: Any) -> None:
        self.index = index
        self.id = ""
        self.name = ""
        self.others: dict[str, Any] = {}
        self.pieces: list[str] = []
        self.length = 0
        self.ends_closed = False
        self.is_custom = False
        self.object: Mapping[str, Any] | None = None

    @property
    def has_arguments(self) -> bool:
        return self.object is not None or bool(self.pieces)

    @property
    def looks_whole(self) -> bool:
        """Whether the arguments so far end as an object does; reading them each time would take too long."""
        return self.object is not None or self.ends_closed

    def starts_over(self, arguments: str) -> bool:
        """Whether these arguments begin anew, and are not those so far once more and grown."""
        if not arguments.lstrip().startswith("{"):
            return False
        if self.pieces and len(arguments) > len(self.pieces[-1]) and arguments.startswith(self.pieces[-1]):
            return False
        return len(arguments) <= self.length or not arguments.startswith("".join(self.pieces))

    def add(self, fragment: Mapping[str, Any]) -> None:
        """Take in a fragment that belongs to this call."""
        function = function_of(fragment)
        self.is_custom = self.is_custom or "custom" in fragment
        self.id = self.id or words(fragment.get("id"))
        self._add_name(words(function.get("name")))
        self.others.update((k, v) for k, v in fragment.items() if k not in _PLACED and v is not None)
        arguments = function.get("arguments")
        if isinstance(arguments, Mapping):
            self.object = arguments or self.object or arguments
        elif isinstance(arguments, str) and arguments:
            self.pieces.append(arguments)
            self.length += len(arguments)
            if written := arguments.rstrip():
                self.ends_closed = written.endswith("}")

    def _add_name(self, piece: str) -> None:
        """Names come whole, repeated, growing, or in pieces; in pieces only until the arguments begin."""
        if not piece or piece == self.name:
            return
        if not self.name or piece.startswith(self.name):
            self.name = piece
        elif not self.has_arguments and len(self.name) < _LONGEST_NAME:
            self.name += piece

    def whole(self) -> dict[str, Any]:
        """Give the call as it is in a body."""
        if self.is_custom:
            custom = {"name": self.name, "input": mended("".join(self.pieces))}
            return {"id": self.id, "type": "custom", **self.others, "custom": custom}
        text = mended(joined_arguments(self.pieces))
        arguments = text if self.object is None or text.strip() and not self.object else self.object
        function = {"name": self.name, "arguments": arguments}
        return {"id": self.id, "type": "function", **self.others, "function": function}


def joined_arguments(pieces: list[str]) -> str:
    """Join pieces of arguments; servers that send all of it again, growing or once more at the end, are understood.

    An empty object or a null before others only holds their place.

    >>> joined_arguments(['{"a"', ': 1}']), joined_arguments(['{"a"', '{"a": 1}'])
    ('{"a": 1}', '{"a": 1}')
    """
    if len(pieces) > 1 and pieces[0].strip() in ("{}", "null"):
        pieces = pieces[1:]
    text = "".join(pieces)
    if len(pieces) < 2 or strict_object(text) is not None or strict_object(pieces[-1]) is None:
        return text
    growing = all(later.startswith(earlier) for earlier, later in pairwise(pieces))
    repeated = pieces[-1] == text[: -len(pieces[-1])]
    return pieces[-1] if growing or repeated else text


class Fragments:
    """Fragments of calls, matched to calls by id, index and place, whatever of these the server sends.

    A new id with a name opens a new call, unless it goes on with arguments of that name and index that are not whole
    yet; a fragment without a name, or with neither id nor index, goes on with the call before it.
    """

    def __init__(self) -> None:
        self.calls: list[_Call] = []
        self._by_id: dict[str, _Call] = {}
        self._by_index: dict[Any, _Call] = {}

    def add_all(self, fragments: Sequence[Mapping[str, Any]]) -> None:
        """Take in the fragments of one delta; several without any mark go on with the last calls, each with its own."""
        unmarked = len(fragments) > 1 and not any(map(_is_marked, fragments))
        targets = self.calls[-len(fragments) :] if unmarked and len(self.calls) >= len(fragments) else ()
        for place, fragment in enumerate(fragments):
            if targets:
                targets[place].add(fragment)
            else:
                self.add(fragment)

    def add(self, fragment: Mapping[str, Any]) -> None:
        """Give a fragment to the call that it belongs to."""
        index, identifier = fragment.get("index"), words(fragment.get("id"))
        index = index if isinstance(index, int | float | str) else None
        function = function_of(fragment)
        call = self._known(index, identifier)
        if call is None and self.calls and not identifier and not function.get("name"):
            if not function.get("arguments"):
                return
            call = self._last_for(words(function["arguments"]))
        if call is None or _opens(call, identifier, function, index is None):
            call = _Call(index)
            self.calls.append(call)
        call.add(fragment)
        if identifier:
            self._by_id[identifier] = call
        if index is not None:
            self._by_index[index] = call

    def _known(self, index: Any, identifier: str) -> _Call | None:
        same_id = self._by_id.get(identifier) if identifier else None
        if same_id is not None and (index is None or same_id.index in (None, index)):
            return same_id
        if index is not None:
            return self._by_index.get(index)
        return self.calls[-1] if self.calls else None

    def _last_for(self, arguments: str) -> _Call | None:
        """Give the last call for arguments of an unknown place; an object is no end of a call that is whole."""
        last = self.calls[-1]
        return None if last.looks_whole and arguments.lstrip().startswith("{") else last

    def whole(self) -> list[dict[str, Any]]:
        """Give the calls in order: that of their indexes if each has its own, else that in which they came."""
        indexes = [call.index for call in self.calls]
        ordered = self.calls
        if all(isinstance(index, int) for index in indexes) and len(set(indexes)) == len(indexes):
            ordered = sorted(self.calls, key=lambda call: int(call.index))
        return [call.whole() for call in ordered]


def _is_marked(fragment: Mapping[str, Any]) -> bool:
    """Whether a fragment says which call it belongs to, or opens one."""
    return any(fragment.get(key) not in (None, "") for key in ("index", "id")) or bool(
        function_of(fragment).get("name")
    )


def _opens(call: _Call, identifier: str, function: Mapping[str, Any], unplaced: bool) -> bool:
    """Tell whether a fragment that seems to go on with a call opens a new one instead.

    ``unplaced`` says that it has no index.
    """
    name = words(function.get("name"))
    if not name or not call.name or identifier and identifier == call.id:
        return False
    if not identifier or not call.id or call.looks_whole:
        return call.looks_whole
    begins = unplaced or name != call.name or not call.has_arguments
    return begins or call.starts_over(words(function.get("arguments")))

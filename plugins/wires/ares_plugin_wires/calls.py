"""What every format needs: arguments, ids, names and outcomes of calls."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ares_core import NameRule, Result, ToolCall

if TYPE_CHECKING:
    from ares_core import Outcome

BEGUN = "{"
"""Arguments that were begun and never finished: what is left of a call that was cut off before them."""

CUT = "cut"
FILTERED = "filtered"
FAILED = "failed"
REFUSED = "refused"

_ARGUMENTS = ("arguments", "parameters", "args", "input")
_ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_ID_LENGTH = 9
_NOISE = re.compile(r"^(?:functions|function|default_api|tools)[.:/]")
_HALF = re.compile("[\ud800-\udfff]")


class _Ambiguous(ValueError):
    """The text is read differently by different readers."""


def read_arguments(value: Any, cut: bool = False) -> str | dict[str, Any]:
    """Decode arguments that are a strict JSON object; nothing at all is no arguments; all else stays text.

    ``cut`` says that the provider stopped early: then nothing at all is a call that was cut off.

    >>> read_arguments('{"a": 1}'), read_arguments(""), read_arguments("{'a': 1}")
    ({'a': 1}, {}, "{'a': 1}")
    """
    if isinstance(value, Mapping):
        return dict(value)
    if value is None or isinstance(value, str) and not value.strip():
        return BEGUN if cut else {}
    if not isinstance(value, str):
        return as_json(value)
    decoded = strict_object(value)
    return value if decoded is None else decoded


def strict_object(text: str) -> dict[str, Any] | None:
    """Decode a JSON object that every reader understands alike: no NaN, no infinity, no repeated key."""
    try:
        value = _DECODER.decode(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def read_value(text: str) -> Any:
    """Decode JSON; what is none stays text.

    >>> read_value("[1]"), read_value("one")
    ([1], 'one')
    """
    try:
        return _DECODER.decode(text)
    except (ValueError, RecursionError):
        return text


def _pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise _Ambiguous
    return found


def _constant(word: str) -> Any:
    raise _Ambiguous(word)


def _finite(text: str) -> float:
    number = float(text)
    if number in (float("inf"), float("-inf")):
        raise _Ambiguous(text)
    return number


_DECODER = json.JSONDecoder(object_pairs_hook=_pairs, parse_constant=_constant, parse_float=_finite)


def as_json(value: Any) -> str:
    """Write compact JSON; what is no JSON is written as text."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=str)


def sent_arguments(call: ToolCall, result: Result | None = None) -> dict[str, Any]:
    """Give the arguments as the provider may read them again: an object, whatever the model wrote.

    Of text that was repaired it is the repaired arguments; of text that could not be, the text under one key.
    """
    arguments: Any = call.arguments
    if isinstance(arguments, str) and result is not None and result.call is not None:
        arguments = result.call.arguments
    if isinstance(arguments, str):
        arguments = strict_object(arguments) or {"unreadable_arguments": arguments}
    return dict(arguments)


def unique_ids(given: Iterable[Any], seed: Any) -> list[str]:
    """Keep ids that are there; make up those that are missing or repeated.

    With a ``seed``, the provider's id of the response, reading it again makes up the same ids.
    """
    wanted = [value if isinstance(value, str) else "" if value is None else str(value) for value in given]
    base = seed if isinstance(seed, str) and seed else os.urandom(8).hex()
    taken = {value for value in wanted if value}
    used: set[str] = set()
    ids = []
    for place, value in enumerate(wanted):
        unique = value if value and value not in used else _made_up(base, place, taken)
        taken.add(unique)
        used.add(unique)
        ids.append(unique)
    return ids


def _made_up(base: str, place: int, taken: set[str]) -> str:
    """Nine letters and digits: the form that every provider takes."""
    from hashlib import sha256

    attempt = 0
    while True:
        number = int.from_bytes(sha256(f"{base}\0{place}\0{attempt}".encode("utf-8", "replace")).digest()[:8], "big")
        made = ""
        for _ in range(_ID_LENGTH):
            number, digit = divmod(number, len(_ALPHABET))
            made += _ALPHABET[digit]
        if made not in taken:
            return made
        attempt += 1


def read_name(value: Any) -> str:
    """Give the name of a tool; one that is missing is empty, leaked control tokens are cut off.

    >>> read_name("add<|channel|>commentary"), read_name(None)
    ('add', '')
    """
    return value.partition("<|")[0].strip() if isinstance(value, str) else ""


def function_of(item: Mapping[str, Any]) -> Mapping[str, Any]:
    """Give name and arguments of a call; some servers write them right into it, or as JSON, or under other names.

    >>> function_of({"id": "c1", "name": "add", "parameters": {"a": 1}})
    {'name': 'add', 'arguments': {'a': 1}}
    """
    if isinstance(custom := item.get("custom"), Mapping):
        return {"name": custom.get("name"), "arguments": custom.get("input")}
    function = item.get("function")
    if isinstance(function, str):
        function = strict_object(function) or {"name": function, **item}
    said = function if isinstance(function, Mapping) else item
    key = next((key for key in _ARGUMENTS if key in said), None)
    named = {"name": said["name"]} if "name" in said else {}
    return {**named, "arguments": said[key]} if key else named


def listed(value: Any) -> list[Mapping[str, Any]]:
    """Give the calls in a list of them; some servers write the list as JSON text, or number them in an object.

    >>> listed('[{"id": "c1"}]'), listed({"0": {"id": "c1"}})
    ([{'id': 'c1'}], [{'id': 'c1'}])
    """
    if isinstance(value, str):
        value = read_value(value)
    if isinstance(value, Mapping) and value and all(str(key).isdecimal() for key in value):
        value = list(value.values())
    return mappings(value)


def sent_name(name: str, rule: NameRule) -> str:
    """Give the name of a call in a form that the provider takes back: one that it would refuse ends the conversation.

    >>> from ares_core import NameRule
    >>> [sent_name(name, NameRule()) for name in ("what is.this", "functions.add", "")]
    ['what_is_this', 'add', 'unnamed']
    """
    if re.fullmatch(f"[{rule.first}][{rule.rest}]*", name) and len(name) <= rule.longest:
        return name
    legal = re.sub(f"[^{rule.rest}]+", "_", _NOISE.sub("", name))[: rule.longest]
    if legal and not re.match(f"[{rule.first}]", legal):
        legal = f"t_{legal}"[: rule.longest]
    return legal or "unnamed"


def judge(calls: Sequence[ToolCall], stop: str, refusal: str = "") -> Outcome:
    """Say how a turn ended. What is there decides; ``stop`` counts only for what is missing."""
    if calls:
        unfinished = stop == CUT and any(isinstance(call.arguments, str) for call in calls)
        return "truncated" if unfinished else "calls"
    if refusal or stop == REFUSED:
        return "refused"
    if stop == FILTERED:
        return "filtered"
    if stop == FAILED:
        return "failed"
    return "truncated" if stop == CUT else "final"


def why(field: str, stop: Any) -> str:
    """Say what a provider's word for the end of a turn was, or that none came.

    >>> why("finish_reason", "length"), why("finish_reason", CUT)
    ("finish_reason is 'length'", 'the stream was cut off')
    """
    return "the stream was cut off" if stop == CUT else f"{field} is {stop!r}"


def mended(text: str) -> str:
    """Join the halves of characters that a stream sent in two pieces.

    >>> mended(chr(0xD83D) + chr(0xDE00)) == chr(0x1F600)
    True
    """
    if text.isascii() or not _HALF.search(text):
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def text_of(content: Any, kinds: Sequence[str] = ("text", "output_text")) -> str:
    """Give the text of a message's content: text, or a list of parts some of which are text."""
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return ""
    return "".join(piece for part in content if isinstance(piece := _piece(part, kinds), str))


def _piece(part: Any, kinds: Sequence[str]) -> Any:
    if isinstance(part, str):
        return part
    return part.get("text") if isinstance(part, Mapping) and part.get("type") in kinds else None


def mapping(value: Any) -> Mapping[str, Any]:
    """Give the value if it is a mapping, else an empty one."""
    return value if isinstance(value, Mapping) else {}


def mappings(value: Any) -> list[Mapping[str, Any]]:
    """Give the mappings in a list; one mapping alone counts as a list of one."""
    if isinstance(value, Mapping):
        return [value]
    return [part for part in value if isinstance(part, Mapping)] if isinstance(value, list | tuple) else []


def blocks_of(content: Any) -> list[Mapping[str, Any]]:
    """Give the blocks of a message's content; text by itself is one."""
    return [{"type": "text", "text": content}] if isinstance(content, str) else mappings(content)


def words(value: Any) -> str:
    """Give the value if it is text, else no text."""
    return value if isinstance(value, str) else ""

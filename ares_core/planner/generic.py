"""The generic extractor: fills a JSON Schema from what a request contains, and leaves out what it doesn't find."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct

from ares_core.planner.arguments import NUMERIC, Fitted, as_schema
from ares_core.planner.dates import as_wanted
from ares_core.planner.finds import Find, Finder
from ares_core.planner.lexical import EMPTY, stem, words
from ares_core.planner.plan import Place
from ares_core.planner.text import Text, read

NEAR_BEFORE, NEAR_AFTER = 6, 4
CLEAR, LIKELY = 1.5, 0.6
AFTER, IN_ORDER, REQUIRED, EARLY = 0.8, 0.5, 0.3, 0.002
"""From which score on an optional, and a required parameter take what was found."""
STARTS = frozenset("start from origin source begin departure".split())
ENDS = frozenset("end to destination target arrival".split())
_NUMBER = {"number": 1.0, "number word": 0.4}
KINDS: dict[str, dict[str, float]] = {
    "string": {
        "quoted": 1.2, "name": 1.0, "url": 0.6, "email": 0.6, "path": 0.6, "uuid": 0.6, "phrase": 0.5, "version": 0.5,
        "json": 0.5, "date": 0.4, "time": 0.4, "place": 0.4, "acronym": 0.35, "years": 0.2, "number": -0.5,
    },
    "integer": _NUMBER, "number": _NUMBER, "object": {"json": 1.0},
    "array": {"list": 1.2, "quoted": 0.5, "name": 0.4, "number": 0.2},
}  # fmt: skip
"""How likely each kind of find is for each type, before anything around it speaks."""
SHAPES = {
    "date": ("date", "day", "deadline"), "url": ("url", "uri", "link", "website", "endpoint"),
    "email": ("email", "mail"), "path": ("path", "file", "filename"), "time": ("time", "hour"),
}  # fmt: skip
CODES = frozenset("year number id code zip phone docket isbn season".split())
_CITY_AND_STATE = re.compile(r"[A-Z]\w+, ?[A-Z]{2}|[Cc]ity, [Ss]tate|[Cc]ity and [Ss]tate")
_QUOTED_OPTION = re.compile(r"['\"]([\w -]{1,40})['\"]")
_ASKING = frozenset(map(stem, "is include included show use enable has with allow".split()))
_DENYING = frozenset("no not without don't exclude excluding".split())
PLACES = frozenset("city location place country state region area address destination town venue county".split())


class Wish(Struct, frozen=True):
    """A parameter that wants a value."""

    name: str
    schema: Mapping[str, Any]
    required: bool
    names: frozenset[str]
    hints: frozenset[str]
    description: str


class Offer(Struct, frozen=True, eq=False):
    """A value for a parameter, and how much speaks for it."""

    worth: float
    wish: Wish
    find: Find
    value: Any


def fill(schema: Mapping[str, Any], request: str | Text) -> Fitted:
    """Fill a schema of parameters from a request; each value is taken once, where its neighbours speak for it.

    >>> weather = {"properties": {"city": {"type": "string"}, "days": {"type": "integer"}}, "required": ["city"]}
    >>> fill(weather, "weather forecast for Paris for the next 3 days").arguments
    {'city': 'Paris', 'days': 3}
    """
    text = read(request) if isinstance(request, str) else request
    wishes = list(_wishes(schema))
    finds = Finder(text).finds
    taken: dict[str, tuple[Any, Place | None]] = {}
    used: list[Find] = []
    for offer in sorted(_offers(wishes, finds, text), key=lambda one: (-one.worth, one.wish.name, one.find.start)):
        if offer.wish.name not in taken and not any(_overlap(offer.find, other) for other in used):
            taken[offer.wish.name] = offer.value, offer.find.place
            used.append(offer.find)
    for wish in wishes:
        if wish.name not in taken and (named := _named(wish, text)):
            taken[wish.name] = named
    arguments = {wish.name: taken[wish.name][0] for wish in wishes if wish.name in taken}
    places = {name: place for name, (_, place) in taken.items() if place}
    missing = tuple(wish.name for wish in wishes if wish.required and wish.name not in taken)
    return Fitted(arguments, (), places, missing)


def _wishes(schema: Mapping[str, Any]) -> Iterator[Wish]:
    properties = schema.get("properties")
    required = set(schema.get("required", ()))
    for name, inner in properties.items() if isinstance(properties, Mapping) else ():
        if isinstance(inner, Mapping):
            said = str(inner.get("description", ""))[:500]
            hints = frozenset(stem(word) for word in words(said) if word not in EMPTY)
            yield Wish(name, inner, name in required, frozenset(map(stem, words(name))), hints, said)


def _offers(wishes: list[Wish], finds: list[Find], text: Text) -> Iterator[Offer]:
    """Give every value that fits a parameter by its type, with how much speaks for it."""
    order = _in_order(wishes, finds)
    for wish in wishes:
        likely = KINDS.get(str(wish.schema.get("type", "string")), {}) if "enum" not in wish.schema else {}
        for find in finds:
            if find.kind not in likely or _is_misshapen(wish, find):
                continue
            said = as_wanted(find.value, wish.description) if find.kind == "date" else find.value
            value = as_schema(wish.schema, said)
            worth = likely[find.kind] + _cues(wish, find, text, finds) + REQUIRED * wish.required
            worth += order.get((wish.name, find), 0.0) - EARLY * find.start
            if value is not None and worth >= (LIKELY if wish.required else CLEAR):
                yield Offer(worth, wish, find, value)


def _is_misshapen(wish: Wish, find: Find) -> bool:
    """Whether a parameter wants a date, an address or the like, which a mere name or phrase is not."""
    wanted = set(words(wish.name))
    return find.kind in ("name", "phrase", "place") and any(wanted & set(shapes) for shapes in SHAPES.values())


def _in_order(wishes: list[Wish], finds: list[Find]) -> dict[tuple[str, Find], float]:
    """Speak for the first number being the first parameter, and so on."""
    numeric = [wish for wish in wishes if wish.schema.get("type") in NUMERIC]
    numbers = [find for find in finds if find.kind == "number"]
    return {(wish.name, find): IN_ORDER for wish, find in zip(numeric, numbers, strict=False)}


def _cues(wish: Wish, find: Find, text: Text, others: Sequence[Find]) -> float:
    """How much the neighbours of a value speak for a parameter."""
    total = 0.0
    for index in _neighbours(find, others, len(text.tokens)):
        word = stem(text.tokens[index].text)
        distance = find.start - index if index < find.start else index - find.end + AFTER
        if word in wish.names:
            total += 3.0 / distance
        elif word in wish.hints:
            total += 1.0 / distance
    return total + sum(worth for worth, fits in _reasons(wish, find) if fits)


def _reasons(wish: Wish, find: Find) -> Iterator[tuple[float, object]]:
    """What the kind of a value and the word before it say about a parameter of this name."""
    names, text = set(words(wish.name)), wish.schema.get("type") == "string"
    yield 3.0, any(find.kind == kind and names & set(shapes) for kind, shapes in SHAPES.items())
    yield 2.5, (find.before == "from" and names & STARTS) or (find.before == "to" and names & ENDS)
    yield 1.0, find.kind == "name" and find.before in ("in", "at", "near", "for", "to") and names & PLACES
    yield 1.0, find.kind == "number" and text and names & CODES
    yield 1.5, find.kind == "place" and names & PLACES and _CITY_AND_STATE.search(wish.description)
    yield 1.5, find.kind == "years" and names & CODES
    yield 0.8, find.kind in ("name", "quoted") and "name" in names


def _neighbours(find: Find, others: Sequence[Find], size: int) -> Iterator[int]:
    """The tokens around a value, on either side up to the next value of its kind."""
    starts = [other.start for other in others if other.kind == find.kind and other.start >= find.end]
    ends = [other.end for other in others if other.kind == find.kind and other.end <= find.start]
    yield from range(max(0, find.start - NEAR_BEFORE, *ends), find.start)
    yield from range(find.end, min(size, find.end + NEAR_AFTER, *starts))


def _named(wish: Wish, text: Text) -> tuple[Any, Place | None] | None:
    """Read a choice, or a yes or no, that the request names."""
    if wish.schema.get("type") == "boolean":
        return _yes_or_no(wish, text)
    said = [stem(token.text) for token in text.tokens]
    for option in sorted(_options(wish), key=lambda option: (-len(option), option)):
        wanted = [stem(word) for word in words(option)]
        for index in range(len(said) - len(wanted) + 1) if wanted else ():
            if said[index : index + len(wanted)] == wanted:
                return option, Place(text.tokens[index].start, text.tokens[index + len(wanted) - 1].end)
    return None


def _options(wish: Wish) -> list[str]:
    """What a parameter may be: its enum, or the quoted words of its description if there are several."""
    if "enum" in wish.schema:
        return [option for option in wish.schema["enum"] if isinstance(option, str)]
    quoted = _QUOTED_OPTION.findall(wish.description) if wish.schema.get("type") == "string" else []
    return quoted if len(quoted) > 1 else []


def _yes_or_no(wish: Wish, text: Text) -> tuple[bool, Place | None] | None:
    topic = wish.names - _ASKING
    for index, token in enumerate(text.tokens):
        if stem(token.text) in topic and token.kind == "word":
            before = {other.text for other in text.tokens[max(0, index - 3) : index]}
            return not before & _DENYING, Place(token.start, token.end)
    return None


def _overlap(one: Find, other: Find) -> bool:
    return one.start < other.end and other.start < one.end


__all__ = ["fill"]

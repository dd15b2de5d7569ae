"""The generic extractor: fills a JSON Schema from what a request contains, and leaves out what it doesn't find."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from msgspec import Struct

from ares_core.planner.arguments import Fitted, as_schema
from ares_core.planner.chunks import Chunks
from ares_core.planner.finds import Find, Finder
from ares_core.planner.options import Options
from ares_core.planner.pairing import groups, in_rows, rows
from ares_core.planner.plan import Place
from ares_core.planner.sentences import part
from ares_core.planner.text import Text, read
from ares_core.planner.values import spoken, value_of
from ares_core.planner.wishes import Wish, wishes
from ares_core.planner.worth import CLEAR, KINDS, LIKELY, parts, worth

IN_ORDER, IN_ROW, MOST_WISHES = 0.5, 1.2, 60
MOST_TOKENS, MOST_PAIRS = 500, 1_500
"""How much of a request is looked at, and how many times a value is held against a parameter."""


class Offer(Struct, frozen=True, eq=False, gc=False):
    """A value for a parameter, and how much speaks for it."""

    worth: float
    wish: Wish
    find: Find
    value: Any


class Contents:
    """What a request contains, looked up once for all tools that it may be about."""

    def __init__(self, request: str | Text) -> None:
        text = read(_unwrapped(request)) if isinstance(request, str) else request
        text = part(text, 0, MOST_TOKENS)
        self.finder = Finder(text)
        self.chunks = Chunks(self.finder)
        self.options = Options(self.finder)
        named = {item.start: item for item in rows(self.finder, self.chunks.lists)}
        certain = [named.get(find.start, find) if find.kind == "number" else find for find in self.finder.certain]
        self.finds = [*certain, *self.chunks.phrases, *self.chunks.lists]
        self._parts: dict[tuple[str, int, int], Find] = {}

    def part(self, kind: str, start: int, end: int) -> Find:
        """Give a part of a phrase as a find of its own."""
        key = (kind, start, end)
        if key not in self._parts:
            self._parts[key] = self.finder.find(kind, self.finder.text.said(start, end), start, end)
        return self._parts[key]


def _unwrapped(request: str) -> str:
    """Read a request that stands in quotation marks as a whole without them, at the same places."""
    quoted = len(request) > 2 and request[0] == request[-1] and request[0] in "'\"" and request.count(request[0]) == 2
    return f" {request[1:-1]} " if quoted else request


def wanted_by(schema: Mapping[str, Any]) -> list[Wish]:
    """What a schema of parameters wants, to be filled from any number of requests."""
    return list(islice(wishes(schema), MOST_WISHES))


def fill(
    schema: Mapping[str, Any] | Sequence[Wish],
    request: str | Text | Contents,
    topic: frozenset[str] = frozenset(),
) -> Fitted:
    """Fill a schema of parameters from a request; each value is taken once, where its neighbours speak for it.

    A schema may be given as what ``wanted_by`` read off it. ``topic`` are the stems of what the tool
    is about: nouns that need not be part of a value.

    >>> weather = {"properties": {"city": {"type": "string"}, "days": {"type": "integer"}}, "required": ["city"]}
    >>> fill(weather, "weather forecast for Paris for the next 3 days").arguments
    {'city': 'Paris', 'days': 3}
    """
    contents = request if isinstance(request, Contents) else Contents(request)
    wanted = wanted_by(schema) if isinstance(schema, Mapping) else schema
    offers = sorted(_offers(wanted, contents, topic), key=lambda one: (-one.worth, one.wish.name, one.find.start))
    taken = _in_line(wanted, _chosen(offers), offers)
    arguments: dict[str, Any] = {}
    places: dict[str, Place] = {}
    for wish in wanted:
        if wish.name in taken:
            _put(arguments, wish.path, taken[wish.name].value)
            places.setdefault(wish.path[0], taken[wish.name].find.place)
    missing = [wish.name for wish in wanted if wish.required and wish.name not in taken]
    missing += [wish.path[0] for wish in wanted if wish.needed and wish.path[0] not in arguments and not wish.required]
    return Fitted(arguments, (), places, tuple(dict.fromkeys(missing)))


def _put(arguments: dict[str, Any], path: tuple[str, ...], value: Any) -> None:
    for name in path[:-1]:
        arguments = arguments.setdefault(name, {})
    arguments[path[-1]] = value


def _chosen(offers: Sequence[Offer]) -> dict[str, Offer]:
    """Take the offers for which most speaks, as far as they don't share words."""
    taken: dict[str, Offer] = {}
    used: list[Find] = []
    for offer in offers:
        if offer.wish.name not in taken and not any(_overlap(offer.find, other) for other in used):
            taken[offer.wish.name] = offer
            used.append(offer.find)
    return taken


def _offers(wanted: Sequence[Wish], contents: Contents, topic: frozenset[str]) -> Iterator[Offer]:
    """Give every value that fits a parameter by its type, with how much speaks for it."""
    order = _in_order(wanted, contents)
    for wish, find in in_rows(wanted, contents.chunks.lists):
        order[wish.name, find] = order.get((wish.name, find), 0.0) + IN_ROW
    finds = contents.finds[: MOST_PAIRS // len(wanted)] if wanted else ()
    sizes = {wish.name: len(group) for group in groups(wanted) for wish in group}
    for wish in wanted:
        least = LIKELY if wish.required else CLEAR
        if wish.kind == "boolean":
            found = contents.options.truth(wish)
            if found:
                yield Offer(2.0, wish, found, found.value)
            continue
        yield from _named(wish, contents)
        likely = KINDS.get(wish.kind, {})
        for find in finds:
            if find.kind not in likely or (find.kind == "number word" and find.value == sizes.get(wish.name)):
                continue
            much = worth(wish, find, topic) + order.get((wish.name, find), 0.0)
            if much >= least and (value := value_of(wish, find)) is not None:
                yield Offer(much, wish, find, value)
            if wish.kind in ("string", "array"):
                yield from _trimmed(wish, find, contents, topic, least)


def _named(wish: Wish, contents: Contents) -> Iterator[Offer]:
    """Give the choices that the request names; those of an array together."""
    found = [
        one for one in contents.options.choices(wish) if one[1].kind == "choice" or wish.kind in ("string", "array")
    ]
    if wish.kind == "array" and found:
        kept: list[Find] = []
        for _, find in sorted(found, key=lambda one: (-one[0], one[1].start - one[1].end)):
            if not any(_overlap(find, other) or find.value == other.value for other in kept):
                kept.append(find)
        kept.sort(key=lambda find: find.start)
        whole = contents.finder.find("choice", [find.value for find in kept], kept[0].start, kept[-1].end)
        found = [(max(much for much, _ in found) + 0.4 * (len(kept) - 1), whole)]
    for much, find in found:
        said = spoken(wish, find.value) if isinstance(find.value, str) else find.value
        if (value := as_schema(wish.schema, said)) is not None:
            yield Offer(much + 0.5 * wish.required, wish, find, value)


def _trimmed(wish: Wish, find: Find, contents: Contents, topic: frozenset[str], least: float) -> Iterator[Offer]:
    finder = contents.finder
    if find.kind not in ("phrase", "chunk") or find.end - find.start < 2:
        return
    said = [token.text for token in finder.tokens[find.start : find.end]]
    for kind, start, end, more in parts(wish, find, topic, said, finder.stems[find.start : find.end]):
        part = contents.part(kind, find.start + start, find.start + end)
        much = worth(wish, part, topic) + more
        if much >= least and (value := value_of(wish, part)) is not None:
            yield Offer(much, wish, part, value)


def _in_order(wanted: Sequence[Wish], contents: Contents) -> dict[tuple[str, Find], float]:
    """Speak for the first number being the first parameter, and so on."""
    numeric = [wish for wish in wanted if wish.kind == "number"]
    numbers = [find for find in contents.finder.numbers if find.kind == "number"]
    return {(wish.name, find): IN_ORDER for wish, find in zip(numeric, numbers, strict=False)}


def _in_line(wanted: Sequence[Wish], taken: dict[str, Offer], offers: Sequence[Offer]) -> dict[str, Offer]:
    """Give the values of parameters that are alike in the order of the text, unless words speak against it."""
    known = {(offer.wish.name, offer.find): offer for offer in offers}
    for group in groups(wanted):
        names = [wish.name for wish in group if wish.name in taken]
        finds = sorted((taken[name].find for name in names), key=lambda find: find.start)
        others = [known.get((name, find)) for name, find in zip(names, finds, strict=True)]
        if None not in others and len(names) > 1:
            now = sum(taken[name].worth for name in names)
            then = sum(other.worth for other in others if other)
            if then + 1.2 * len(names) >= now:
                taken.update({name: other for name, other in zip(names, others, strict=True) if other})
    return taken


def _overlap(one: Find, other: Find) -> bool:
    shared = one is other and one.kind == "clock"
    return one.start < other.end and other.start < one.end and not shared


__all__ = ["Contents", "fill", "wanted_by"]

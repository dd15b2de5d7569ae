"""Names in a request: words with capitals, with their figures, initials and links."""

from __future__ import annotations

from collections.abc import Iterator

from ares_core.planner.lexical import EMPTY
from ares_core.planner.lexicon import ACTIONS, CURRENCIES
from ares_core.planner.quantities import is_year, unit_after
from ares_core.planner.surroundings import Find, Surroundings

LONGEST = 8
_LINKS = frozenset(("of", "the", "&", "de", "la", "-", "'s"))
_SHORTENED = frozenset("inc corp ltd co st dr jr mt mr ms".split())
_PLACES = frozenset(
    "river lake mountain mountains rainforest forest valley desert ocean sea island canyon beach bay".split()
)
"""Nouns that belong to the name before them although they have no capital."""


def names(around: Surroundings) -> Iterator[Find]:
    """Find names; a single word at the beginning of a sentence is only an ``opening``."""
    tokens, index = around.tokens, 0
    while index < len(tokens):
        first = index == 0 or tokens[index - 1].text in ".?!:"
        if not around.is_capital(index) or _is_none(around, index, first):
            index += 1
            continue
        end = _end(around, index)
        yield _name(around, index, end, first and end == index + 1)
        links = [at + 1 for at in range(index + 1, end) if tokens[at].text == "of"]
        if links:
            yield _name(around, links[-1], end)
        if end + 1 < len(tokens) and tokens[end].text == "," and around.is_capital(end + 1):
            after = _end(around, end + 1)
            yield around.find("place", around.text.said(index, after), index, after)
        index = end


def _is_none(around: Surroundings, index: int, first: bool) -> bool:
    """Whether a word has its capital only because it begins a sentence, or says nothing."""
    word = around.tokens[index].text
    if first and word in ACTIONS:
        return True
    is_part = word == "the" and not first and index + 1 < len(around.tokens) and around.is_capital(index + 1)
    return word in EMPTY and not is_part


def _name(around: Surroundings, start: int, end: int, opens: bool = False) -> Find:
    said = around.text.said(start, end).removesuffix("'s").removesuffix("’s")
    kind = "opening" if opens else "acronym" if said.isupper() and len(said) > 1 else "name"
    return around.find(kind, said, start, end)


def _end(around: Surroundings, index: int) -> int:
    """Where a name ends."""
    end = index + 1
    while end < len(around.tokens) and end - index < LONGEST:
        step = _further(around, end)
        if not step:
            break
        end += abs(step)
        if step < 0:
            break
    return end


def _further(around: Surroundings, end: int) -> int:
    """How many tokens more belong to a name that goes up to here; negative if it ends with them."""
    tokens = around.tokens
    token, before, after = tokens[end], tokens[end - 1], tokens[end + 1] if end + 1 < len(tokens) else None
    if token.text in (".", "#") and token.glued:
        if token.text == "#" or before.end - before.start == 1:
            return -1 if after and after.text in ACTIONS and not after.glued else 1
        return 1 if before.text in _SHORTENED and after else 0
    if token.text == "-" and token.glued and after and after.glued:
        return 2
    if around.is_capital(end) or token.text in _PLACES or token.text.removesuffix("s") in CURRENCIES:
        return 1
    if token.kind == "figure" and before.text not in _LINKS and not is_year(token.text):
        return 0 if unit_after(around, end + 1) else 1
    is_link = token.text in _LINKS and after is not None and around.is_capital(end + 1)
    return 2 if is_link and before.text != "." else 0

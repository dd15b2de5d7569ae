"""Choices that a request names: enums, values that a description mentions, yes and no."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ares_core.planner.finds import Find, Finder
from ares_core.planner.lexical import stem, words
from ares_core.planner.lexicon import SYNONYMS, WEAK
from ares_core.planner.wishes import Wish

_ASKING = frozenset(
    map(stem, "is include included show use enable has with allow get apply should return want do".split())
)
_DENYING = frozenset(
    "no not without don't exclude excluding few little hardly rarely never non nor 不 别 无 没 不要 不含".split()
)
EXACT, ALIKE, SAME, MENTIONED = 4.0, 3.0, 2.4, 3.0
SHORTEST, MOST_PLACES = 4, 8


class Options:
    """Looks in a request for the choices of parameters."""

    def __init__(self, finder: Finder) -> None:
        self._finder, self._tokens, self._stems = finder, finder.tokens, finder.stems
        self._said = [f'"{token.text[1:-1]}"' if token.kind == "quoted" else token.text for token in finder.tokens]
        self._at: dict[str, list[int]] = {}
        for index, (said, meant) in enumerate(zip(self._said, map(_stemmed, self._said, self._stems), strict=True)):
            for word in {said, meant}:
                places = self._at.setdefault(word, [])
                if len(places) < MOST_PLACES:
                    places.append(index)
        self._spoken_of: dict[str, int | None] = {}
        self._short: dict[str, list[int]] = {}

    def choices(self, wish: Wish) -> Iterator[tuple[float, Find]]:
        """Give the choices of a parameter that the request names, with how plainly it names them."""
        for said, choice in wish.choices:
            for worth, start, end in self._named(said, wish):
                yield worth, self._finder.find("choice", choice, start, end)
        if not wish.choices or wish.kind == "string":
            for said in wish.examples:
                for worth, start, end in self._named(said, wish, synonyms=False):
                    value = said if self._said[start:end] != words(said) else self._finder.text.said(start, end)
                    yield MENTIONED + (worth - ALIKE) / 2, self._finder.find("example", value, start, end)

    def _named(self, said: str, wish: Wish, synonyms: bool = True) -> Iterator[tuple[float, int, int]]:
        """Where a choice is named: in its very words, by their stems, or by words that mean the same."""
        wanted = words(said)
        if not wanted or (len(said) == 1 and said not in self._finder.text.original.split()):
            return
        if not said.replace(" ", "").isalnum():
            yield from self._spelled(said)
        yield from ((EXACT, at, at + 1) for at in self._at.get(f'"{said.lower()}"', ()))
        meant = [_stemmed(word, stem(word)) for word in wanted]
        for start in dict.fromkeys((*self._at.get(wanted[0], ()), *self._at.get(meant[0], ()))):
            end = start + len(wanted)
            if self._said[start:end] == wanted:
                yield EXACT, start, end
            elif [_stemmed(*pair) for pair in zip(self._said[start:end], self._stems[start:end], strict=True)] == meant:
                yield ALIKE, start, end
        if synonyms and len(meant) == 1:
            for word in SYNONYMS.get(meant[0], ()):
                yield from ((SAME, at, at + 1) for at in self._at.get(word, ()))
            if wish.kind == "enum" and len(wanted[0]) >= 3:
                yield from ((SAME, at, at + 1) for at in self._shortened(wanted[0]))

    def _spelled(self, said: str) -> Iterator[tuple[float, int, int]]:
        """Where a choice with signs in it is spelled out."""
        at = self._finder.text.plain.find(said.lower())
        span = self._finder.span(at, at + len(said)) if at >= 0 else None
        if span:
            yield EXACT, *span

    def _shortened(self, word: str) -> list[int]:
        """Where a word stands that is short for a choice, or the other way round."""
        if word not in self._short:
            least = SHORTEST - 1
            likely = [(index, said) for index, said in enumerate(self._said) if len(said) >= least and said != word]
            self._short[word] = [index for index, said in likely if word.startswith(said) or said.startswith(word)]
        return self._short[word][:MOST_PLACES] if len(word) >= SHORTEST - 1 else []

    def truth(self, wish: Wish) -> Find | None:
        """Read a yes or no: the request speaks of what the parameter is called."""
        topic = (wish.names | wish.weak) - _ASKING or wish.names
        topic = topic - WEAK or topic
        found = sorted(index for word in topic if (index := self._speaks_of(word)) is not None)
        if not found or len(found) < (len(topic) + 1) // 2:
            return None
        first, last = found[0], found[-1]
        before = set(self._said[max(0, first - 3) : first])
        return self._finder.find("truth", not before & _DENYING, first, last + 1)

    def _speaks_of(self, word: str) -> int | None:
        if word not in self._spoken_of:
            self._spoken_of[word] = next((index for index, said in enumerate(self._stems) if _alike(said, word)), None)
        return self._spoken_of[word]


def _alike(said: str, word: str) -> bool:
    is_long = min(len(said), len(word)) >= SHORTEST
    return said == word or (is_long and (said.startswith(word) or word.startswith(said)))


def _stemmed(said: str, meant: Any) -> str:
    return meant or said

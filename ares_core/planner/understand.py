"""Step 1: from the request's words to what is wanted, or to the reason why nothing may run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal

from msgspec import Struct
from msgspec.structs import replace

from ares_core.planner.grammar import Grammar
from ares_core.planner.numbers import readings_at
from ares_core.planner.parser import Budget, Parser, TooComplex, starts
from ares_core.planner.phrases import Node
from ares_core.planner.reach import Reach
from ares_core.planner.readings import Reading
from ares_core.planner.sentences import joined, part, sentences_of
from ares_core.planner.sharing import go_together, lacks_its_subject, shared
from ares_core.planner.spelling import put_right, slips
from ares_core.planner.text import LONGEST, Text, Token, read
from ares_core.planner.wanted import Wanted, appended, still_open

MOST_TOKENS = 2_000
MOST_PARTS = 8
LONGEST_HEADING = 4
Trouble = Literal["empty", "too_long", "no_text", "negated", "mentioned", "not_understood", "no_rules"]


class Understanding(Struct, frozen=True):
    """What was understood; with ``trouble`` nothing may run. ``word`` is where understanding ended."""

    wanted: tuple[Wanted, ...] = ()
    trouble: Trouble | None = None
    word: str = ""
    dropped: tuple[str, ...] = ()
    """Parts that ask for nothing: headings, and what shall not be done."""
    respelled: tuple[tuple[str, str], ...] = ()
    """Words that were read as others."""


def understand(request: str, grammar: Grammar) -> Understanding:
    """Find what a request asks for; one part that isn't understood leaves nothing of the rest."""
    trouble = _unreadable(request)
    if trouble:
        return Understanding(trouble=trouble)
    text = read(request, grammar.lexicon)
    if len(text.tokens) > MOST_TOKENS:
        return Understanding(trouble="too_long")
    grammar.wake(text)
    found = _understood(text, grammar)
    doubtful = found.trouble == "not_understood" or (not found.trouble and _begins_with_a_slip(text, grammar))
    return _respelled(text, grammar) or found if doubtful else found


def _begins_with_a_slip(text: Text, grammar: Grammar) -> bool:
    """Whether the word that should say what to do is a slip, and may have been taken for a part of a text."""
    begun = max(starts(grammar, text.tokens))
    return any(slips(text.tokens[begun : begun + 1], grammar.vocabulary))


def _respelled(text: Text, grammar: Grammar) -> Understanding | None:
    """Understand a request with its slips put right, if that helps; every place stays what it is."""
    text, respelled = put_right(text, grammar.vocabulary)
    if not respelled:
        return None
    grammar.wake(text)
    found = _understood(text, grammar)
    return None if found.trouble else replace(found, respelled=respelled)


def _understood(text: Text, grammar: Grammar) -> Understanding:
    reader = _Reader(grammar, Reach(text.tokens, grammar))
    sentences = list(sentences_of(text))
    while sentences:
        try:
            sentences = reader.first(sentences)
        except (TooComplex, RecursionError):
            reader.trouble = reader.trouble or "too_long"
        if reader.trouble:
            return Understanding(trouble=reader.trouble, word=reader.word, dropped=tuple(reader.dropped))
    if not reader.wanted:
        dropped = tuple(reader.dropped)
        return Understanding(
            trouble="negated" if dropped else "empty", word=dropped[0] if dropped else "", dropped=dropped
        )
    return Understanding(tuple(reader.wanted), dropped=tuple(reader.dropped))


def _unreadable(request: str) -> Trouble | None:
    if len(request) > LONGEST:
        return "too_long"
    if not request.strip():
        return "empty"
    try:
        request.encode()
    except UnicodeEncodeError:
        return "no_text"
    return None


Way = Callable[[Text, list[Wanted], bool], list[Wanted] | None]


class _Reader:
    """Collects what the sentences of one request ask for."""

    def __init__(self, grammar: Grammar, reach: Reach) -> None:
        self._grammar, self._reach = grammar, reach
        self._known: dict[Any, Reading | None] = {}
        self._budget = Budget()
        self._ended: dict[tuple[Any, ...], tuple[Sequence[Token], int]] = {}
        self._furthest: tuple[int, Token | None] = (-1, None)
        self.wanted: list[Wanted] = []
        self.dropped: list[str] = []
        self.trouble: Trouble | None = None
        self.word = ""

    def first(self, sentences: list[Text]) -> list[Text]:
        """Take in the first of some sentences, or, if it has a program in it, all as one; gives those that are left."""
        before = self.wanted
        self.sentence(sentences[0])
        if len(sentences) == 1 or not (self.wanted and _has_code(self.wanted[-1].reading)):
            return sentences[1:]
        self.wanted = before
        self.sentence(joined(sentences))
        return []

    def sentence(self, text: Text) -> None:
        """Take in one sentence, or say what is wrong with it."""
        if self._asks_nothing(text):
            return
        found = self._read(text)
        if found is None:
            found = self._after_heading(text)
        if found is not None:
            self.wanted = found
            return
        if self._starts_with(text, self._grammar.negations):
            self.dropped.append(text.said(0, len(text.tokens)))
            return
        self.trouble, self.word = self._trouble(text)

    def _asks_nothing(self, text: Text) -> bool:
        """Whether it is all greeting and punctuation."""
        if any(token.kind == "figure" for token in text.tokens):
            return False
        return len(text.tokens) in starts(self._grammar, text.tokens)

    def _starts_with(self, text: Text, phrases: Node) -> bool:
        stop = len(text.tokens)
        begun = starts(self._grammar, text.tokens)
        return any(phrases.ends(text.tokens, start, stop) for start in begun if start < stop)

    def _contained(self, text: Text, phrases: Node) -> str:
        """The first of some phrases that a part contains, as it is written there."""
        stop = len(text.tokens)
        found = ((start, ends[0]) for start in range(stop) if (ends := phrases.ends(text.tokens, start, stop)))
        return next((text.said(start, end) for start, end in found), "")

    def _trouble(self, text: Text) -> tuple[Trouble, str]:
        """Say why a part can't be done, and the words that show it."""
        if word := self._contained(text, self._grammar.negations):
            return "negated", word
        if word := self._contained(text, self._grammar.mentions):
            return "mentioned", word
        return "not_understood", self._furthest[1].text if self._furthest[1] else ""

    def _after_heading(self, text: Text) -> list[Wanted] | None:
        """Read what stands behind a colon, if what stands before it asks for nothing."""
        for index, token in enumerate(text.tokens[:-1]):
            if token.text == ":":
                heading = part(text, 0, index)
                negated = self._starts_with(heading, self._grammar.negations)
                plain = index <= LONGEST_HEADING and all(each.kind in ("word", "han") for each in heading.tokens)
                if not negated and (not plain or self._contained(heading, self._grammar.mentions)):
                    return None
                found = self._read(part(text, index + 1, len(text.tokens)))
                if found is not None:
                    self.dropped.append(heading.said(0, index))
                return found
        return None

    def _read(self, text: Text) -> list[Wanted] | None:
        """Read a part as one wish or as several; only if that fails, as wishes that share their object, or lack it."""
        cuts = self._cuts(text)
        for way in (self._plainly, self._together, self._forgivingly):
            found = self._in_parts(text, cuts, way)
            if found is not None:
                both = self._shared(text, self.wanted, False) if lacks_its_subject(found[-1].reading) else None
                return both or found
        return None

    def _in_parts(self, text: Text, cuts: list[tuple[int, int]], way: Way) -> list[Wanted] | None:
        """Read the parts between joiners one after the other, each as long as can be."""
        stop = len(text.tokens)
        reached: dict[int, list[Wanted]] = {0: self.wanted}
        for begin in (0, *(after for _, after in cuts)):
            for end, after in ((stop, stop), *cuts[::-1]):
                if begin in reached and after not in reached and end > begin:
                    found = way(part(text, begin, end), reached[begin], begin > 0)
                    if found is None or self._may_go_on(found[-1].reading, text, end, after):
                        continue
                    if end < stop or not self._swallows(found[-1].reading, text, begin, cuts, reached[begin]):
                        reached[after] = found
            if stop in reached:
                return reached[stop]
        return None

    def _swallows(
        self, reading: Reading, text: Text, begin: int, cuts: list[tuple[int, int]], before: list[Wanted]
    ) -> bool:
        """Whether a wish that takes all that follows has swallowed one that works on its result."""
        if not any(slot.kind == "rest" for _, slot in reading.slots):
            return False
        for end, after in reversed(cuts):
            first = self._plainly(part(text, begin, end), before, begin > 0) if end > begin else None
            second = self._forgivingly(part(text, after, len(text.tokens)), first, True) if first else None
            if second and second[-1].reading.backward and not second[-1].reading.gaps:
                return True
        return False

    def _cuts(self, text: Text) -> list[tuple[int, int]]:
        """Where one wish may end and the next begin: around joiners, but not inside a list of figures."""
        found: list[tuple[int, int]] = []
        tokens = text.tokens
        for index in range(1, len(tokens) - 1):
            ends = self._grammar.joiners.ends(tokens, index, len(tokens))
            if not ends or ends[0] >= len(tokens):
                continue
            figures = tokens[index - 1].kind == tokens[ends[0]].kind == "figure"
            if figures and tokens[index].text == "," and ends[0] == index + 1:
                continue
            if not found or index >= found[-1][1]:
                found.append((index, ends[0]))
        return found[:MOST_PARTS]

    def _plainly(self, text: Text, before: list[Wanted], joined: bool) -> list[Wanted] | None:
        best = self._best(text, before, before[-1].reading if before else None)
        return appended(before, best, text) if best is not None and not best.gaps else None

    def _together(self, text: Text, before: list[Wanted], joined: bool) -> list[Wanted] | None:
        """Read a part as it stands, or as two wishes for one thing."""
        found = self._plainly(text, before, joined)
        if found is not None:
            return found
        return self._shared(text, before, joined)

    def _shared(self, text: Text, before: list[Wanted], joined: bool) -> list[Wanted] | None:
        for first, second in shared(text, self._grammar):
            one = self._plainly(first, before, joined)
            if one is not None and _is_worded(one[-1].reading):
                both = self._plainly(second, before, joined)
                if both and go_together(one[-1].reading, both[-1].reading, self._grammar):
                    return [*one, both[-1]]
        return None

    def _forgivingly(self, text: Text, before: list[Wanted], joined: bool) -> list[Wanted] | None:
        """Read a part for which something is missing; after a joiner, what the step before gave takes its place."""
        found = self._together(text, before, joined)
        previous = before[-1].reading if before else None
        if found:
            return found
        best = self._best(text, before, previous)
        if best is None or best.gaps:
            other = self._best(text, before, previous if joined else None, forgiving=True)
            best = other if best is None or (other is not None and other.gaps < best.gaps) else best
        return appended(before, best, text) if best is not None else None

    def _best(
        self, text: Text, before: list[Wanted], previous: Reading | None, forgiving: bool = False
    ) -> Reading | None:
        earlier = tuple(one.reading for one in still_open(before))
        kind = (previous, earlier, forgiving)
        if self._is_lost(text, kind):
            return None
        key = (tuple(token.start for token in text.tokens), kind)
        if key not in self._known:
            self._known[key] = self._parsed(text, *kind)
        return self._known[key]

    def _is_lost(self, text: Text, kind: Any) -> bool:
        """Whether a part that began alike was read, and its reading ended before this one becomes another."""
        other, end = self._ended.get((text.tokens[0].start, kind), ((), 0)) if text.tokens else ((), 0)
        return len(text.tokens) > end and len(other) > end and text.tokens[: end + 1] == other[: end + 1]

    def _parsed(
        self, text: Text, previous: Reading | None, earlier: tuple[Reading, ...], forgiving: bool
    ) -> Reading | None:
        parser = Parser(self._grammar, text, previous, forgiving, self._budget, earlier, self._reach)
        found = [reading for reading in parser.clauses() if reading.kind == "wish" or self._may_stand(reading)]
        if text.tokens:
            begun = (text.tokens[0].start, (previous, earlier, forgiving))
            self._ended.setdefault(begun, (text.tokens, max(parser.furthest, parser.closed)))
        if parser.furthest > self._furthest[0] and not forgiving:
            at_end = parser.furthest >= len(text.tokens)
            self._furthest = (parser.furthest, None if at_end else text.tokens[parser.furthest])
        return found[0] if found else None

    def _may_stand(self, reading: Reading) -> bool:
        """Whether a calculation may be a wish of its own: signs alone only if a rule set says so."""
        return self._grammar.plain is not None or _is_worded(reading)

    def _may_go_on(self, reading: Reading, text: Text, end: int, after: int) -> bool:
        """Whether what comes after a list might as well be one more of its values."""
        if not reading.open or after >= len(text.tokens) or not readings_at(text.tokens, after):
            return False
        return after in self._grammar.separators.ends(text.tokens, end, len(text.tokens))


def _has_code(reading: Reading) -> bool:
    return any(slot.kind == "code" for _, slot in reading.slots)


def _is_worded(reading: Reading) -> bool:
    return any(entry.source != "signs" for entry in reading.entries)

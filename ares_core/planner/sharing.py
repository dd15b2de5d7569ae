"""Wishes that share their beginning or their object, written out as two."""

from __future__ import annotations

from collections.abc import Iterator

from ares_core.planner.grammar import Grammar
from ares_core.planner.parser import PUNCTUATION
from ares_core.planner.readings import Reading
from ares_core.planner.sentences import part, shortened
from ares_core.planner.text import Text

MOST_HEAD = 12


def shared(text: Text, grammar: Grammar) -> Iterator[tuple[Text, Text]]:
    """Write out "gcd and lcm of 48 and 72", and the like with a common beginning; what differs are words alone."""
    tokens, size = text.tokens, len(text.tokens)
    words = [token.kind in ("word", "han") for token in tokens]
    for index in range(1, min(size - 1, MOST_HEAD)):
        if not words[index - 1]:
            break
        for end in _joints(text, index, grammar):
            rests = [rest for rest in range(end + 1, min(end + 5, size)) if all(words[end:rest])]
            yield from ((shortened(text, index, rest), part(text, end, size)) for rest in rests)
    for index in range(size - 2, max(size - MOST_HEAD, 0), -1):
        if not words[index + 1] and tokens[index + 1].text not in PUNCTUATION:
            break
        for end in _joints(text, index, grammar):
            rests = [cut for cut in range(index - 1, max(index - 10, 0), -1) if all(words[cut:index])]
            yield from ((part(text, 0, index), shortened(text, cut, end)) for cut in rests)


def lacks_its_subject(reading: Reading) -> bool:
    """Whether a wish begins with what it doesn't say, as "sha1" in "hello's md5 and sha1"."""
    return any(slot.kind == "ref" and slot.start == slot.end == reading.start for _, slot in reading.slots)


def go_together(one: Reading, other: Reading, grammar: Grammar) -> bool:
    """Whether two wishes may share something: both are worded, and neither hides a wish of its own.

    In "uppercase hello and reverse" the last word is no text, and "the sum of 3 and 4, and its md5" asks for one sum.
    """
    worded = all(any(entry.source != "signs" for entry in each.entries) for each in (one, other))
    said = {slot.text.lower() for _, slot in other.slots if slot.kind == "text" and slot.cost == 1}
    hidden = any(word in grammar.wishes.words or word in grammar.calculations.words for word in said)
    again = one.kind == "value" and other.kind == "wish" and any(slot.operations for _, slot in other.slots)
    return worded and not hidden and not again


def _joints(text: Text, index: int, grammar: Grammar) -> list[int]:
    """Where a word such as "and" ends; a comma joins no heads."""
    if text.tokens[index].text in PUNCTUATION:
        return []
    return grammar.separators.ends(text.tokens, index, len(text.tokens))[:1]

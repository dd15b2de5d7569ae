"""A request cut into sentences, and parts of them."""

from __future__ import annotations

from collections.abc import Iterator

from ares_core.planner.text import Text

ENDS = frozenset(".?!。;")


def part(text: Text, start: int, end: int) -> Text:
    """Give the tokens from one up to another."""
    return Text(text.original, text.plain, text.tokens[start:end])


def sentences_of(text: Text) -> Iterator[Text]:
    """Cut where a sentence ends; a factorial's mark, a point inside a name, and the folder ``.`` end none."""
    start = 0
    for index, token in enumerate(text.tokens):
        if token.text in ENDS and not _is_factorial(text, index) and not _is_within(text, index):
            yield part(text, start, index + 1)
            start = index + 1
    if start < len(text.tokens):
        yield part(text, start, len(text.tokens))


def _is_factorial(text: Text, index: int) -> bool:
    token = text.tokens[index]
    if token.text != "!" or not token.glued or not index:
        return False
    return text.tokens[index - 1].kind == "figure" or text.tokens[index - 1].text == ")"


def _is_within(text: Text, index: int) -> bool:
    """Whether a point is part of something: of a.b, or of a folder's name that begins with it."""
    point, following = text.tokens[index], text.tokens[index + 1 : index + 2]
    return point.text == "." and (following[0].glued if following else not point.glued and index > 0)


def joined(parts: list[Text]) -> Text:
    """Put parts together again."""
    return Text(parts[0].original, parts[0].plain, tuple(token for part in parts for token in part.tokens))


def shortened(text: Text, start: int, end: int) -> Text:
    """Leave out the tokens from one up to another."""
    return Text(text.original, text.plain, (*text.tokens[:start], *text.tokens[end:]))

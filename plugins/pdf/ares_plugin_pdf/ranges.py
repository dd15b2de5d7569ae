"""Page ranges such as ``2-3,5``: read, laid onto a document, and written again."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

Span = tuple[int, int | None]
LONGEST_NUMBER = 9
MARKS = str.maketrans({"–": "-", "—": "-", "－": "-", "~": "-", "，": ",", "、": ",", ";": ",", "；": ","})
FIGURES = str.maketrans("０１２３４５６７８９", "0123456789")
SHAPE = "page ranges look like '2-3,5', '7-' (to the end) or 'all'"


def parse(text: str) -> list[Span]:
    """Read page ranges; the first page is 1, and an open end is ``None``.

    >>> parse("2-3, 5, 7-")
    [(2, 3), (5, 5), (7, None)]
    """
    plain = text.translate(MARKS).translate(FIGURES).strip().lower()
    if plain in ("", "all", "*"):
        return [(1, None)]
    return [_span(part.strip()) for part in plain.split(",") if part.strip()]


def _span(part: str) -> Span:
    first, dash, last = (word.strip() for word in part.partition("-"))
    start = _number(first, part) if first or not dash else 1
    end = start if not dash else _number(last, part) if last else None
    if not first and not last:
        raise ValueError(f"{part!r} is no page range; {SHAPE}")
    if end is not None and end < start:
        raise ValueError(f"{part!r} runs backwards; {SHAPE}")
    return start, end


def _number(word: str, part: str) -> int:
    if not word.isascii() or not word.isdigit() or len(word) > LONGEST_NUMBER or int(word) == 0:
        raise ValueError(f"{part!r:.40} is no page range; {SHAPE}, and the first page is 1")
    return int(word)


def laid_onto(spans: Iterable[Span], count: int) -> list[int]:
    """Give the pages that a document of ``count`` pages has of those, in the order asked for, each once.

    >>> laid_onto([(2, 3), (5, 5), (3, None)], 4)
    [2, 3, 4]
    """
    pages: dict[int, None] = {}
    for start, end in spans:
        pages.update(dict.fromkeys(range(start, min(count if end is None else end, count) + 1)))
    return list(pages)


def beyond(spans: Iterable[Span], count: int) -> int | None:
    """Give a page that was asked for by its number and that the document doesn't have.

    >>> beyond([(2, 9)], 4), beyond([(2, None)], 4)
    (9, None)
    """
    named = [start if end is None else end for start, end in spans]
    return next((page for page in named if page > count), None)


def written(pages: Sequence[int]) -> str:
    """Write pages as ranges.

    >>> written([2, 3, 4, 7])
    '2-4,7'
    """
    runs: list[list[int]] = []
    for page in pages:
        if runs and page == runs[-1][1] + 1:
            runs[-1][1] = page
        else:
            runs.append([page, page])
    return ",".join(str(first) if first == last else f"{first}-{last}" for first, last in runs)


__all__ = ["Span", "beyond", "laid_onto", "parse", "written"]

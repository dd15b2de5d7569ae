"""Names that are nearly right."""

from __future__ import annotations

from collections.abc import Iterable


def nearest(name: str, known: Iterable[str], most: int = 3) -> list[str]:
    """Give the names most like ``name``, best first, ties by name; none that have little in common.

    >>> nearest("calculater", ["calculator", "hash_tool"])
    ['calculator']
    """
    from difflib import SequenceMatcher

    wanted = name.lower()[:100]
    matcher = SequenceMatcher(b=wanted, autojunk=False)
    scored = []
    for candidate in known:
        matcher.set_seq1(candidate.lower()[:100])
        if matcher.real_quick_ratio() >= 0.5 and matcher.quick_ratio() >= 0.5:
            score = matcher.ratio()
            if score >= 0.5:
                scored.append((-score, candidate))
    return [candidate for _, candidate in sorted(scored)[:most]]

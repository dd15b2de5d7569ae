"""How much speaks for a value being what a parameter wants."""

from __future__ import annotations

from ares_core.planner.finds import Find
from ares_core.planner.lexical import stem
from ares_core.planner.lexicon import ACTIONS
from ares_core.planner.units import agree
from ares_core.planner.wishes import Wish

KINDS: dict[str, dict[str, float]] = {
    "string": {
        "quoted": 1.2, "name": 1.0, "url": 0.6, "email": 0.6, "path": 0.6, "uuid": 0.6, "version": 0.5, "json": 0.2,
        "date": 0.4, "time": 0.4, "clock": 0.4, "place": 0.5, "acronym": 0.6, "years": 0.2, "formula": 0.6, "code": 0.5,
        "phrase": 0.5, "chunk": 0.2, "modifier": 0.4, "number": -0.8, "year": -0.4, "opening": 0.0, "phone": 0.4,
        "trimmed": 0.9, "unit": -1.5, "moment": -1.0, "address": 0.8,
    },
    "number": {"number": 1.0, "number word": 0.4, "year": 0.4, "ordinal": 0.0, "period": -0.2, "clock": -0.5},
    "object": {"json": 1.5},
    "array": {"numbers": 1.4, "ordinals": 1.0, "list": 1.4, "words": 0.9, "quoted": 0.6, "name": 0.5, "acronym": 0.4,
              "number": 0.2, "phrase": 0.2, "modifier": 0.2, "trimmed": 0.5, "json": 1.2, "chunk": 0.0},
}  # fmt: skip
"""How likely each kind of find is for each type, before anything around it speaks."""
BY_ROLE: dict[str, dict[str, float]] = {
    "url": {"url": 3.0}, "email": {"email": 3.0}, "path": {"path": 3.0}, "formula": {"formula": 3.0},
    "date": {"date": 3.0, "year": 1.0, "moment": 3.0}, "period": {"moment": 3.0, "years": 1.5},
    "hour": {"clock": 2.5, "time": 2.5}, "minute": {"clock": 2.5}, "year": {"year": 2.5, "years": 2.0},
    "code": {"code": 2.0, "quoted": 1.2, "name": 0.3, "number": 1.0, "year": 0.4, "uuid": 1.5},
    "text": {"quoted": 1.2}, "named": {"name": 0.5, "quoted": 0.8}, "person": {"name": 0.5, "quoted": 0.2},
    "company": {"name": 0.5, "acronym": 0.4},
    "place": {
        "name": 0.4, "acronym": 0.4, "place": 0.6, "address": 1.5, "phrase": -0.4, "chunk": -0.4, "trimmed": -0.3,
    },
    "kind": {"name": -0.2, "modifier": 0.3, "acronym": -0.2, "quoted": -0.3},
}  # fmt: skip
"""What a kind of find adds to its likelihood if the parameter's name asks for a place, a person and so on."""
PREPOSED: dict[str, dict[str, float]] = {
    "place": {"in": 1.2, "at": 0.9, "near": 1.2, "around": 0.8, "from": 0.4, "to": 0.4, "for": 0.3, "within": 0.6},
    "person": {"by": 1.2, "named": 1.0, "of": 0.2, "about": 0.2, "for": 0.3, "starring": 1.0, "featuring": 1.0},
    "start": {"from": 2.0, "between": 1.0},
    "end": {"to": 2.0, "into": 2.0, "and": 0.3, "in": 0.4, "towards": 1.0},
    "company": {"of": 0.4, "at": 0.3, "for": 0.4},
    "kind": {"with": 0.2, "in": -0.3, "for": 0.3, "from": -0.5, "to": -0.5},
    "text": {"about": 0.8, "on": 0.5, "for": 0.5},
    "date": {"on": 1.0},
    "country": {",": 2.0},
    "range": {"between": 2.0, "from": 2.0},
    "language": {"in": 0.8},
    "named": {"titled": 1.5, "called": 1.5, "named": 1.5, "of": 0.2},
    "unit": {"in": 1.0, "into": 1.0, "to": 0.5},
}
_LOWER = frozenset(("phrase", "chunk", "modifier", "trimmed", "words"))
_MEASURED = frozenset(map(stem, "measure measurement measured length dimension input".split()))
_SHAPED = frozenset("date year hour email formula url path".split())
_SHARES = frozenset(map(stem, "rate probability discount tax interest".split()))
BY_NAME, BY_HINT, MOST_BY_HINT, REQUIRED, EARLY = 3.0, 0.8, 1.6, 0.3, 0.004
Part = tuple[str, int, int, float]
"""Of a phrase: its kind, from which word up to which, and how much more speaks for it."""
CLEAR, LIKELY = 1.6, 0.6
"""From which worth on an optional, and a required parameter take what was found."""


def worth(wish: Wish, find: Find, topic: frozenset[str] = frozenset()) -> float:
    """How much speaks for a find: its kind, the words around it, the preposition before it, its unit."""
    total = KINDS[wish.kind][find.kind] + REQUIRED * wish.required - EARLY * find.start
    if find.near:
        total += _around(wish, find, topic)
    for role in wish.roles:
        total += PREPOSED.get(role, {}).get(find.before, 0.0)
        if wish.kind != "array":
            total += BY_ROLE.get(role, {}).get(find.kind, 0.0)
    if wish.kind == "number":
        return total + _of_number(wish, find)
    if find.own and find.own <= topic and find.kind not in ("quoted", "choice"):
        total -= 1.5
    return total + (_of_nouns(wish, find) if find.kind in _LOWER else _of_literal(wish, find))


def _around(wish: Wish, find: Find, topic: frozenset[str]) -> float:
    """How much the words around a find are those of the parameter's name and description."""
    near = find.near
    named = sum(near.get(name, 0.0) for name in wish.names)
    weakly = sum(near.get(name, 0.0) for name in wish.weak)
    hinted = sum(weight for word, weight in near.items() if word in wish.hints and word not in topic)
    return BY_NAME * named / (1 + 0.4 * (len(wish.names) - 1)) + weakly + min(MOST_BY_HINT, BY_HINT * hinted)


def _of_number(wish: Wish, find: Find) -> float:
    fits = agree(wish.names | wish.weak, wish.unit, find.unit)
    total = 0.0 if fits is None else 1.4 if fits else -2.5
    if find.percent:
        total += 1.2 if wish.percent or _SHARES & wish.names else -0.3
    if "count" in wish.roles and not find.unit and not find.percent and any(word in wish.hints for word in find.near):
        total += 0.7
    if find.kind == "period":
        return total + (0.3 if fits and wish.unit else -3.0)
    return total - _unlikely(wish, find)


def _unlikely(wish: Wish, find: Find) -> float:
    """How much speaks against a number of its kind."""
    if find.kind == "year":
        return 0.0 if wish.roles & {"year", "date"} else 1.5
    if find.kind == "ordinal":
        return 0.0 if wish.names & find.near.keys() else 2.0
    if find.kind == "clock":
        return 0.0 if wish.roles & {"hour", "minute"} else 3.0
    return 1.0 if find.kind == "number" and "year" in wish.roles else 0.0


def _of_nouns(wish: Wish, find: Find) -> float:
    """What speaks for and against a phrase without capitals."""
    own = find.own & (wish.names | wish.weak)
    total = 0.3 * min(2, len(find.own & wish.hints)) - (1.0 if own == find.own else 0.0)
    total += 0.5 if own and find.kind != "modifier" else 0.0
    if wish.roles & _SHAPED and not wish.roles & {"place", "kind", "text"}:
        total -= 2.0
    if wish.roles & {"named", "person", "company"} and not wish.roles & {"kind", "text"}:
        total -= 0.8
    return total - 1.0 * ("code" in wish.roles) - 1.5 * ("unit" in wish.roles)


def _of_literal(wish: Wish, find: Find) -> float:
    """What speaks for and against what has a form of its own, or capitals."""
    total = 2.5 if find.own & wish.names else 0.0
    if find.kind in ("name", "acronym") and wish.roles & _SHAPED:
        total -= 0.0 if wish.roles & {"place", "kind", "text", "named"} else 1.5
    if find.kind == "name" and "person" in wish.roles and " " in find.value:
        total += 0.5
    if "unit" in wish.roles:
        total += _of_unit(wish, find) if find.kind == "unit" else -1.5
    if find.kind == "place":
        total += 1.5 if wish.with_state and "place" in wish.roles else -0.2
    return total


def _of_unit(wish: Wish, find: Find) -> float:
    """A unit is asked for after "in"; the one of a quantity is only what that quantity is measured in."""
    if wish.examples and not any(stem(one) == stem(find.value) for one in wish.examples):
        return 1.5
    return 4.0 if find.before or wish.hints & _MEASURED else 2.6


def parts(wish: Wish, find: Find, topic: frozenset[str], words: list[str], stems: list[str]) -> list[Part]:
    """Give what describes a noun that names the parameter, or the tool's topic: "thai" of "thai food"."""
    size = len(words)
    is_named = [stem(word) in wish.names or each in wish.names for word, each in zip(words, stems, strict=True)]
    last = size
    while last > 1 and (is_named[last - 1] or words[last - 1] in ACTIONS):
        last -= 1
    found = [("trimmed", 0, last, 0.0)] if last < size else []
    if is_named[0] and not all(is_named):
        found.append(("trimmed", 1, size, 0.0))
    cut = last
    while cut > 1 and stems[cut - 1] in topic:
        cut -= 1
    if cut < last:
        found.append(("modifier", 0, cut, 0.2 if "kind" in wish.roles else -0.2))
    return [one for one in found if not wish.silent.issuperset(stems[one[1] : one[2]])]

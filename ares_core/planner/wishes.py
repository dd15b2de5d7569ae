"""What the parameters of a tool want, read off their names, types and descriptions."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from msgspec import Struct

from ares_core.planner.lexical import stem, stems_of, words
from ares_core.planner.lexicon import KNOWN, NOISE, WEAK, kinds_of_name
from ares_core.planner.units import Unit, wanted_unit

LONGEST_DESCRIPTION = 500
DEEPEST = 2
MOST_OPTIONS = 40
_QUOTED = re.compile(r"['\"‘“]([\w][\w ./%&+-]{0,40})['\"’”]")
_LISTED = re.compile(
    r"(?:\be\.?g\.?,?:?|\bi\.?e\.?,?:?|\bsuch as|\blike|\bfor example,?|\bfor instance,?|\bone of:?|\bcan be|"
    r"\boptions?:|\bincluding|\bexamples?:|\bpossible values:?|\bcould be|\beither|例如|比如|可选)\s*([^.;()]{2,200})",
    re.IGNORECASE,
)
_BRACKETED = re.compile(r"\(([^()]{3,160}(?:,| or |/)[^()]{2,160})\)")
_CUT = re.compile(r",|;|、|/|\bor\b|\band\b|\betc\b")
_PREFACE = re.compile(r"^(?:e\.?g\.?|i\.?e\.?|such as|like|for example|can be|either)[,: ]*", re.IGNORECASE)
_CITY_AND_STATE = re.compile(r"[A-Z]\w+, ?[A-Z]{2}\b|[Cc]ity,? (?:and |& )?[Ss]tate")
_GLOSS = re.compile(r"['\"](\w{1,20})['\"] (?:for|means|is|as|=|:|refers to) (?:the |a |an )?([\w ]{3,40})")


_SAYING = {"email address": "email", "e-mail address": "email", " url": "url"}


class Wish(Struct, frozen=True, eq=False):
    """A parameter that wants a value; ``path`` leads to it through objects, of which the outermost is ``needed``."""

    path: tuple[str, ...]
    schema: Mapping[str, Any]
    kind: str
    required: bool
    needed: bool
    names: frozenset[str]
    weak: frozenset[str]
    hints: frozenset[str]
    roles: frozenset[str]
    unit: list[Unit]
    choices: tuple[tuple[str, str], ...]
    """Words by which a choice may be said, and the choice."""
    examples: tuple[str, ...]
    percent: bool
    with_state: bool
    description: str
    silent: frozenset[str] = frozenset()
    """Words that by themselves are no value: those of its name, and of its description but for the examples."""

    @property
    def name(self) -> str:
        return ".".join(self.path)


def wishes(
    schema: Mapping[str, Any], path: tuple[str, ...] = (), required: bool = True, needed: bool = False
) -> Iterator[Wish]:
    """Give what a schema of parameters wants; the members of objects stand by themselves."""
    properties = schema.get("properties")
    listed = set(schema.get("required", ()))
    for name, inner in properties.items() if isinstance(properties, Mapping) else ():
        if not isinstance(inner, Mapping):
            continue
        must = required and name in listed
        outer = needed if path else must
        if isinstance(inner.get("properties"), Mapping) and inner["properties"] and len(path) < DEEPEST:
            yield from wishes(inner, (*path, name), must, outer)
        else:
            yield _wish((*path, name), inner, must, outer)


def _wish(path: tuple[str, ...], schema: Mapping[str, Any], required: bool, needed: bool) -> Wish:
    said = str(schema.get("description", ""))[:LONGEST_DESCRIPTION]
    named = words(path[-1])
    stems = frozenset(map(stem, named))
    outer = {stem(word) for name in path[:-1] for word in words(name)}
    hints = frozenset(stem(word) for word in words(said) if word not in NOISE) | outer
    strong = stems - WEAK or stems
    kind = _kind(schema)
    roles = kinds_of_name(stems) | {role for phrase, role in _SAYING.items() if phrase in said.lower()}
    examples = _known(said, roles) if kind in ("string", "array") else ()
    return Wish(
        path, schema, kind, required, needed, strong, stems - strong, hints - stems, roles,
        wanted_unit(named, said), tuple(_choices(schema, said)), examples,
        _wants_percent(f"{path[-1]} {said}".lower()),
        bool(_CITY_AND_STATE.search(said)), said, stems | WEAK | (hints - stems_of(examples)),
    )  # fmt: skip


def _wants_percent(said: str) -> bool:
    """Whether 5% is wanted as 5, and not as 0.05."""
    return ("percent" in said or "%" in said) and not re.search(r"decimal|fraction|\b0\.\d", said)


def _kind(schema: Mapping[str, Any]) -> str:
    """The type of a parameter as far as it matters here."""
    if "enum" in schema or "const" in schema:
        return "enum"
    kind = schema.get("type")
    kind = next((one for one in kind if one != "null"), None) if isinstance(kind, list) else kind
    if kind is None:
        branches = [one for key in ("anyOf", "oneOf") for one in schema.get(key, ()) if isinstance(one, Mapping)]
        kind = next((one["type"] for one in branches if one.get("type") not in (None, "null")), "string")
    return "number" if kind == "integer" else str(kind)


def _choices(schema: Mapping[str, Any], said: str) -> Iterator[tuple[str, str]]:
    """Give the choices of an enum, or of its items, and what the description says that they mean."""
    items = schema.get("items")
    enum = schema.get("enum") or (items.get("enum") if isinstance(items, Mapping) else None)
    options = [one for one in enum or () if isinstance(one, str)][:MOST_OPTIONS]
    yield from ((one, one) for one in options)
    for short, meaning in _GLOSS.findall(said):
        if not options or short in options:
            yield meaning, short


def _known(said: str, roles: frozenset[str]) -> tuple[str, ...]:
    """Give the values that a description mentions, and those that everybody knows for such a parameter."""
    known = [one for role in sorted(roles & KNOWN.keys()) for one in KNOWN[role].split()]
    return tuple(dict.fromkeys((*_examples(said), *known)))


def _examples(said: str) -> Iterator[str]:
    """Give the values that a description mentions."""
    found = dict.fromkeys(_QUOTED.findall(said))
    for listed in (*_LISTED.findall(said), *_BRACKETED.findall(said)):
        for part in _CUT.split(listed):
            one = _PREFACE.sub("", part.strip(" '\"‘’“”.:")).strip(" '\"")
            if 1 < len(one) <= 40 and len(one.split()) <= 4 and one.lower() not in NOISE:
                found[one] = None
    return iter([*found][:MOST_OPTIONS])

"""What a request contains that is recognised by its form: dates, addresses, formulas, codes, times, quotes."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from ares_core.planner.dates import find_dates
from ares_core.planner.surroundings import Find, Surroundings
from ares_core.planner.text import unquoted

KINDS = frozenset("quoted url email path date time json uuid version phone".split())
WHOLE = frozenset("date years clock code time address json".split())
"""Kinds inside which figures count nothing."""
_TERM = (
    r"(?:(?:\d{1,20}(?:\.\d{1,20})?\*?)?(?:(?:sin|cos|tan|exp|log|ln|sqrt)\([^()]{1,20}\)|[a-z](?![a-z]))"
    r"(?:(?:\^|\*\*)\(?-?\d{1,9}\)?|\([a-z]\))?|\d{1,20}(?:\.\d{1,20})?)"
)
_FORMULA = re.compile(
    rf"(?<![\w.^/])(?:[a-z](?:\([a-z]\))? ?= ?)?({_TERM}(?: ?(?:[-+/^]|\*\*?) ?{_TERM}){{0,20}})(?!\w)"
)
_CALCULATES = re.compile(r"[\^*+(]|[\da-z] ?- ?\d")
_OBJECT = re.compile(r"\{[^{}]{2,2000}\}")
_CLOCK = re.compile(r"\b(\d{1,2})(?::(\d{2}))? ?([ap])\.?m\b\.?|\b(\d{1,2}):(\d{2})\b")
_CODE = re.compile(r"\b(?=[a-z]{0,20}\d)[a-z\d]{1,60}(?:[-/][a-z\d]{1,60}){0,8}\b")
_COUNTED = re.compile(r"\d+(?:e-?\d+|[a-z]{1,3}(?:/[a-z]{1,3})?)")
_PLAIN = (
    ("years", re.compile(r"\b\d{4}[-–/](?:\d{4}|\d{2})\b(?![-/])")),
    (
        "address",
        re.compile(
            r"\b\d{1,5} (?:[a-z]{1,30} ){1,3}(?:street|st|road|rd|avenue|ave|lane|drive|boulevard|blvd|square|court)\b"
        ),
    ),
    (
        "moment",
        re.compile(
            r"\b(?:today|tomorrow|tonight|yesterday|now|(?:this|next|last|past|coming|upcoming) "
            r"(?:weekend|week|month|year|season|spring|summer|autumn|fall|winter|(?:mon|tues|wednes|thurs|fri|satur|sun)day)|"
            r"\d{1,2}(?:st|nd|rd|th) century)\b|今天|明天|昨天|后天|下周|本周|下个?月"
        ),
    ),
    ("url", re.compile(r"(?<![\w@/.-])[a-z0-9-]{2,60}\.(?:com|org|net|io|gov|edu)\b(?![/@])")),
)


def literals(around: Surroundings) -> list[Find]:
    """Find what has a form of its own, and objects written in braces."""
    tokens = (_token(around, index) for index, token in enumerate(around.tokens) if token.kind in KINDS)
    return [*_dates(around), *tokens, *_objects(around), *_formulas(around), *_clocks(around), *_forms(around)]


def _token(around: Surroundings, index: int) -> Find:
    said, kind = around.text.said(index, index + 1), around.tokens[index].kind
    return around.find(kind, unquoted(said) if kind == "quoted" else said, index, index + 1)


def _spanned(around: Surroundings, kind: str, span: tuple[int, int], spare: object = None) -> Iterator[Find]:
    if found := around.span(*span):
        yield around.find(kind, around.text.said(*found), *found, spare=spare)


def _dates(around: Surroundings) -> Iterator[Find]:
    for span in find_dates(around.text.plain):
        yield from _spanned(around, "date", span)


def _objects(around: Surroundings) -> Iterator[Find]:
    for match in _OBJECT.finditer(around.text.original) if "{" in around.text.original else ():
        try:
            value = json.loads(match[0].replace("'", '"'))
        except (ValueError, RecursionError):
            continue
        if found := around.span(*match.span()):
            yield around.find("json", value, *found)


def _formulas(around: Surroundings) -> Iterator[Find]:
    plain = around.text.plain
    for match in _FORMULA.finditer(plain) if any(sign in plain for sign in "^=*+") else ():
        is_named = match.start(1) > match.start()
        if re.search(r"[a-z]", match[1]) and (is_named or _CALCULATES.search(match[1])):
            yield from _spanned(around, "formula", match.span(1))


def _clocks(around: Surroundings) -> Iterator[Find]:
    for match in _CLOCK.finditer(around.text.plain):
        hour, minute = int(match[1] or match[4]), int(match[2] or match[5] or 0)
        yield from _spanned(around, "clock", match.span(), (hour, minute, match[3] or ""))


def _forms(around: Surroundings) -> Iterator[Find]:
    for match in _CODE.finditer(around.text.plain):
        if re.search(r"[a-z]", match[0]) and not _COUNTED.fullmatch(match[0]):
            yield from _spanned(around, "code", match.span())
    for kind, pattern in _PLAIN:
        for match in pattern.finditer(around.text.plain):
            yield from _spanned(around, kind, match.span())

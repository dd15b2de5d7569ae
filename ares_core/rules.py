"""Rule sets: what the planner knows of a language, as data that anyone can write.

A rule says how a wish may be worded and what it then asks for. Its phrases are matched word by word against a whole
part of the request, never inside other words; what no rule accounts for leads to no plan.

In a phrase ``[the]`` may be left out, ``(gcd|hcf)`` is either, and ``{slot}`` takes a value. A slot reads the kind
that it is named after, or the one behind a colon (``{a:number}``); a name that is no kind reads a ``value``.

- value       a number, or a calculation that another rule knows ("2 plus 3")
- number      a figure or a number in words, with its sign
- count       a whole number, not negative
- percent     "15%", "15 percent"; in a template its bare figure, 15
- fraction    "one third"
- list        two or more numbers
- values      two or more numbers, or a range of whole numbers
- series      a range of whole numbers: ``{series.sum}`` and ``{series.mean}`` are its closed forms
- text        quoted text, what another rule gives, or a few bare words
- phrase      as text, but of bare words only those without Chinese characters
- term        as text, but of bare words only one, and in Latin letters or figures
- quoted      quoted text only
- texts       two or more quoted texts
- rest        everything that follows, as it stands
- code        everything up to the end of the request, not only of the sentence
- word        one bare word
- url path json date hex   what they say
- ref         "it": what the step before gave; at the end of a phrase it may be left unsaid
- refs        "both", "them": what the steps before gave, those that nothing has taken yet
- written     "it": the file that the step before wrote, copied or moved to

Further kinds come from the rule set's own ``extractors``, or from rules with ``reads``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from msgspec import Struct, field

__all__ = ["Extraction", "Extractor", "Rule", "RuleSet", "Words"]


class Extraction(Struct, frozen=True):
    """A value read off a request, and where it stands: characters ``start`` up to ``end``.

    >>> Extraction(16, 4, 11).value
    16
    """

    value: Any
    start: int
    end: int


Extractor = Callable[[str, int], Iterable[Extraction]]
"""``extractor(text, start)`` gives what can be read off ``text`` exactly at ``start``; the text is in lower case, with
plain digits, and bounded. An extraction ends where a word does."""


class Rule(Struct, frozen=True, eq=False):
    """One wish, in the ways it may be worded.

    A rule with ``expression`` is a calculation: its template becomes the argument ``expression``, and it may stand
    inside other calculations. Another rule gives ``arguments``: a template such as ``"{text}"`` is filled from the
    slots, a tuple offers alternatives of which the first that the tool's schema takes is used, everything else stands
    as it is. ``capabilities`` are tried in order until an installed tool has one. A word of ``excludes`` anywhere in
    the same sentence switches the rule off. With ``reads`` the rule gives no wish of its own but one more way to
    write a slot of that kind.

    >>> Rule("gcd", ("gcd of {values}",), ("NumberTheory",), expression="gcd({values})").name
    'gcd'
    """

    name: str
    phrases: tuple[str, ...]
    capabilities: tuple[str, ...] = ()
    expression: str = ""
    arguments: Mapping[str, Any] = field(default_factory=dict)
    excludes: tuple[str, ...] = ()
    reads: str = ""


class Words(Struct, frozen=True, eq=False):
    """The small words of a language: phrases without slots, each understood wherever its kind may stand.

    ``openers`` and ``closers`` stand around a wish ("please", "what is"), ``greetings`` before it ("hello") unless bare
    text follows, which they are then a part of ("hello world in uppercase"); ``ignored`` stand anywhere ("the");
    ``separators`` between the values of a list, ``joiners`` between two wishes ("then"). ``references`` mean what the
    step before gave ("it"), ``contents`` the file that it wrote ("it", "its content"), ``plurals`` what several gave
    ("both"); ``pointers`` mean something that is not in the text ("this file"). ``negations`` forbid ("don't"),
    ``mentions`` only talk about it ("how would you"). ``lexicon`` has words that no phrase may match a part of;
    ``bounds`` are words that bare text can't contain, because they begin something else ("and", "in").
    """

    openers: tuple[str, ...] = ()
    closers: tuple[str, ...] = ()
    ignored: tuple[str, ...] = ()
    separators: tuple[str, ...] = ()
    joiners: tuple[str, ...] = ()
    references: tuple[str, ...] = ()
    plurals: tuple[str, ...] = ()
    pointers: tuple[str, ...] = ()
    negations: tuple[str, ...] = ()
    mentions: tuple[str, ...] = ()
    lexicon: tuple[str, ...] = ()
    bounds: tuple[str, ...] = ()
    greetings: tuple[str, ...] = ()
    contents: tuple[str, ...] = ()


class RuleSet(Struct, frozen=True, eq=False):
    """Rules of one language; ``planner.rule_sets`` chooses sets by name, and those chosen work together.

    >>> RuleSet("pirate", "en", (Rule("tally", ("tally {values}",), ("Summation",), expression="sum({values})"),)).name
    'pirate'
    """

    name: str
    language: str
    rules: tuple[Rule, ...] = ()
    extractors: Mapping[str, Extractor] = field(default_factory=dict)
    words: Words = Words()

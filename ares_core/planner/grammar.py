"""A grammar: the rule sets that are in use, compiled to work together."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cached_property, lru_cache

from ares_core.errors import RegistrationError
from ares_core.planner.chinese import Idioms
from ares_core.planner.phrases import Compiler, Entry, Node, entry
from ares_core.planner.text import Text
from ares_core.planner.waiting import Waiting
from ares_core.rules import Extractor, Rule, RuleSet, Words

NUMERIC = frozenset({"value", "values", "list", "series", "number", "count", "percent", "fraction"})
LITERAL = frozenset({"url", "path", "json", "date", "hex", "quoted"})
TEXTUAL = frozenset({"text", "phrase", "term"})
_WORD = re.compile(r"(?<![{:a-z_])[a-z]{3,}(?![a-z_:}])")
KINDS = NUMERIC | LITERAL | TEXTUAL | {"rest", "word", "ref", "refs", "written", "texts", "code"}
_SIGNS = (
    ("percent more", ("{v}+{p:percent}",), "{v}*(100+{p})/100"),
    ("percent less", ("{v}-{p:percent}",), "{v}*(100-{p})/100"),
    ("+", ("{a}+{b}",), "{a}+{b}"),
    ("-", ("{a}-{b}",), "{a}-{b}"),
    ("*", ("{a}*{b}",), "{a}*{b}"),
    ("times sign", ("{a}x{b}",), "{a}*{b}"),
    ("/", ("{a}/{b}",), "{a}/{b}"),
    ("//", ("{a}//{b}",), "{a}//{b}"),
    ("modulo sign", ("{a}%{b}",), "{a}%{b}"),
    ("**", ("{a}**{b}", "{a}^{b}"), "{a}**{b}"),
    ("!", ("{a}!",), "factorial({a})"),
    ("√", ("√{a}",), "sqrt({a})"),
    ("²", ("{a}²",), "{a}**2"),
    ("³", ("{a}³",), "{a}**3"),
)
_RANGE = Rule(
    "..", ("{first:number}..{last:number}",), reads="series", arguments={"first": "{first}", "last": "{last}"}
)
_COUNTED = Rule(
    "1, 2, …",
    ("1,2[,3[,4[,5]]][,](...|…|……)[,]{last:number}",),
    reads="series",
    arguments={"first": 1, "last": "{last}"},
)
_DOTS = Rule(
    "…",
    ("1+2[+3[+4[+5]]]+(...|…|……)+{n:count}",),
    expression="{n}*({n}+1)/2",
    excludes=("*", "**", "^", "/", "%", "-", "!"),
)
SIGNS = RuleSet(
    "signs",
    "",
    (*(Rule(name, phrases, expression=form) for name, phrases, form in _SIGNS), _RANGE, _COUNTED, _DOTS),
    words=Words(separators=(",", "、")),
)
"""The signs of arithmetic, which every language shares."""


class Grammar:
    """Rule sets compiled into tries: calculations, wishes, and the rules that read slots."""

    def __init__(self, rule_sets: Iterable[RuleSet]) -> None:
        sets = sorted(rule_sets, key=lambda each: each.name)
        self.sets = tuple(sets)
        self.names = tuple(each.name for each in sets)
        self.lexicon = Idioms(word for each in sets for word in each.words.lexicon)
        self.extractors = _extractors(sets)
        self.kinds = KINDS | self.extractors.keys() | {rule.reads for each in sets for rule in each.rules if rule.reads}
        self._compiler = Compiler(self.lexicon, self.kinds)
        self._phrases: list[tuple[Entry, str]] = []
        self.calculations, self.wishes = Node(), Node()
        self.after: dict[str, Node] = {}
        self.wishes_after: dict[str, Node] = {}
        self.reads: dict[str, Node] = {}
        self.plain: Entry | None = None
        self.pointable = {*NUMERIC, *LITERAL, *TEXTUAL, "rest", "texts", "code", *self.extractors}
        for source in (SIGNS, *sets):
            for rule in source.rules:
                self._add(rule, source.name)
        reading = {rule.reads for each in (SIGNS, *sets) for rule in each.rules}
        self._worded = reading - self.pointable - self.extractors.keys() - KINDS
        self._waiting = Waiting((self._compiler.outline(phrase) for _, phrase in self._phrases), self._compile)
        words = [each.words for each in (SIGNS, *sets)]
        self.ignored = frozenset(word for each in words for word in each.ignored)
        self.openers, self.closers = self._fixed(words, "openers", "greetings"), self._fixed(words, "closers")
        self.greetings = self._fixed(words, "greetings")
        self.separators, self.joiners = self._fixed(words, "separators"), self._fixed(words, "joiners")
        self.references, self.pointers = self._fixed(words, "references"), self._fixed(words, "pointers")
        self.negations, self.mentions = self._fixed(words, "negations"), self._fixed(words, "mentions")
        self.bounds, self.plurals = self._fixed(words, "bounds"), self._fixed(words, "plurals")
        self.contents = self._fixed(words, "contents")

    def _fixed(self, words: Iterable[Words], *kinds: str) -> Node:
        return self._compiler.fixed(phrase for each in words for kind in kinds for phrase in getattr(each, kind))

    def _add(self, rule: Rule, source: str) -> None:
        made = entry(rule, source, self.lexicon, len(self._phrases))
        if rule.reads and "{" in str(rule.arguments.get("value", "")):
            self.pointable.add(rule.reads)
        for phrase in rule.phrases:
            if phrase == "{value}":
                self.plain = self.plain or made
            else:
                self._phrases.append((made, phrase))

    def wake(self, text: Text) -> None:
        """Compile the phrases that a request may be worded in, those that no request before it could."""
        self._waiting.wake(frozenset(token.text for token in text.tokens))

    @cached_property
    def vocabulary(self) -> frozenset[str]:
        """All words that phrases are made of."""
        words = [each.words for each in self.sets]
        small = (phrase for each in words for kind in each.__struct_fields__ for phrase in getattr(each, kind))
        phrases = (*small, *(phrase for _, phrase in self._phrases))
        return frozenset(word for phrase in phrases for word in _WORD.findall(phrase))

    @property
    def worded(self) -> dict[str, Node]:
        """How kinds of slots are worded that are read from words alone, and never left out."""
        return {kind: self.reads.get(kind) or Node() for kind in self._worded}

    def _compile(self, number: int) -> None:
        """Sort a phrase under what it begins with: words, or a slot."""
        made, phrase = self._phrases[number]
        node = self._compiler.phrase(phrase, made)
        if made.rule.reads:
            self.reads.setdefault(made.rule.reads, Node()).take(node)
            return
        start, after = (self.calculations, self.after) if made.form else (self.wishes, self.wishes_after)
        for word, following in node.words.items():
            start.words.setdefault(word, []).extend(following)
        for (name, kind, _), following in node.slots.items():
            after.setdefault(kind, Node()).slots.setdefault((name, kind, made.level), []).extend(following)


def _extractors(sets: Iterable[RuleSet]) -> dict[str, tuple[Extractor, ...]]:
    found: dict[str, tuple[Extractor, ...]] = {}
    for each in sets:
        for kind, extractor in each.extractors.items():
            if kind in KINDS:
                raise RegistrationError(
                    f"rule set {each.name!r}: the kind {kind!r} is built in; name the extractor otherwise"
                )
            found[kind] = (*found.get(kind, ()), extractor)
    return found


@lru_cache(maxsize=32)
def working(rule_sets: tuple[RuleSet, ...]) -> tuple[Grammar, tuple[str, ...]]:
    """Compile rule sets, once for each choice of them; one that can't be compiled is left out, with the reason."""
    try:
        return Grammar(rule_sets), ()
    except Exception:  # whatever a rule set of somebody else's holds
        reasons = {one: _reason(one) for one in rule_sets}
        sound = tuple(one for one, reason in reasons.items() if not reason)
        told = (f"rule set {one.name!r} is not used: {reason}" for one, reason in reasons.items() if reason)
        return Grammar(sound), tuple(told)


def _reason(rule_set: RuleSet) -> str:
    """Why a rule set can't be compiled by itself."""
    try:
        Grammar([rule_set])
    except RegistrationError as error:
        return str(error)
    except Exception as error:
        return f"it can't be read ({type(error).__name__}: {error})"
    return ""

"""Phrases of rules, compiled into nodes that are walked along a request."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from msgspec import Struct

from ares_core.errors import RegistrationError
from ares_core.planner.chinese import Idioms
from ares_core.planner.expressions import LOOSE, Place, Template, template
from ares_core.planner.text import Token, tokens
from ares_core.planner.waiting import GAP, Words, necessary
from ares_core.rules import Rule

LONGEST_PHRASE = 1000
MARK = re.compile(r"\{(\w+)(?::(\w+))?\}|([\[\](|)])|([^\[\](|){}]+)")
_LATIN = re.compile("[a-z][a-z0-9]*| +")
_SINGLE = frozenset(",√…°")
"""Signs that are a word by themselves."""
_LETTERS = re.compile(r"[a-z ]*")
_SLOT = re.compile(r"\{(\w+(?::\w+)?)")
_PARTNER = {"(": ")", "[": "]"}


class Entry(Struct, frozen=True, eq=False):
    """A rule as the parser meets it: from which set, its template, and the words that switch it off."""

    rule: Rule
    source: str
    form: Template | None
    excluded: tuple[frozenset[str], ...] = ()
    number: int = 0
    """Which of all rules it is, so that equally good readings come in one order."""

    @property
    def level(self) -> int:
        """How tightly the rule binds what stands left of it."""
        return self.form.left if self.form else LOOSE


class Node:
    """A place in phrases: the words and slots that may follow, and the rules that are complete here.

    What several phrases share is merged when a request first comes along it.
    """

    __slots__ = ("entries", "slots", "words")

    def __init__(self) -> None:
        self.words: dict[str, list[Node]] = {}
        self.slots: dict[tuple[str, str, int], list[Node]] = {}
        self.entries: list[Entry] = []

    def copy_from(self, other: Node) -> None:
        """Let everything that may follow the other node follow this one too."""
        for word, following in other.words.items():
            known = self.words.get(word)
            self.words[word] = [*known, *following] if known else following
        for slot, following in other.slots.items():
            known = self.slots.get(slot)
            self.slots[slot] = [*known, *following] if known else following
        if other.entries:
            self.entries = list(dict.fromkeys([*self.entries, *other.entries]))

    def take(self, other: Node) -> None:
        """As ``copy_from``, for a root that nothing else shares."""
        for word, following in other.words.items():
            self.words.setdefault(word, []).extend(following)
        for slot, following in other.slots.items():
            self.slots.setdefault(slot, []).extend(following)

    def after_word(self, word: str) -> Node | None:
        """The place after a word."""
        following = self.words.get(word)
        if following is None:
            return None
        if len(following) > 1:
            self.words[word] = following = [_joined(following)]
        return following[0]

    def after_slot(self, slot: tuple[str, str, int]) -> Node:
        """The place after a slot."""
        following = self.slots[slot]
        if len(following) > 1:
            self.slots[slot] = following = [_joined(following)]
        return following[0]

    def ends(self, text: Sequence[Token], start: int, stop: int) -> list[int]:
        """Where phrases of words alone that begin at a token end, the longest first."""
        found: list[int] = []
        if start >= stop or text[start].text not in self.words:
            return found
        here: Node | None = self
        for index in range(start, stop):
            here = here.after_word(text[index].text) if here else None
            if here is None:
                break
            if here.entries:
                found.append(index + 1)
        return found[::-1]


def entry(rule: Rule, source: str, words: Idioms, number: int = 0) -> Entry:
    """Prepare a rule for its phrases; a template that no phrase can fill is refused."""
    form = template(rule.expression) if rule.expression else None
    wanted = {piece.slot for piece in form.pieces if isinstance(piece, Place)} if form else set()
    for phrase in rule.phrases if wanted else ():
        lacking = wanted - {slot.partition(":")[0] for slot in _SLOT.findall(phrase)}
        if lacking:
            raise RegistrationError(
                f"rule {rule.name!r} of rule set {source!r}: its expression uses {', '.join(sorted(lacking))}, "
                f"which its phrase {phrase!r} has no slot for"
            )
    excluded = tuple(frozenset(_cut(word, words)) for word in rule.excludes)
    return Entry(rule, source, form, excluded, number)


class Compiler:
    """Turns phrases into nodes; ``kinds`` are what slots may read, ``words`` the words that stay whole."""

    def __init__(self, words: Idioms, kinds: frozenset[str] = frozenset()) -> None:
        self._words, self._kinds = words, kinds
        self._known: dict[str, list[str]] = {}
        self._first: dict[str, Words] = {}
        self._known_slots: dict[str, bool] = {}

    def outline(self, phrase: str) -> list[Words]:
        """Look through a phrase for its necessary words; what can't be compiled is refused."""
        found = necessary(phrase, self._alternative_words)
        if found is None or len(phrase) > LONGEST_PHRASE or not all(map(self._is_known, _SLOT.findall(phrase))):
            self.phrase(phrase, Entry(Rule("word", ()), "", None))
        return found or []

    def _is_known(self, slot: str) -> bool:
        """Whether there is a kind of value that a slot can read."""
        if slot not in self._known_slots:
            name, _, kind = slot.partition(":")
            self._known_slots[slot] = kind in self._kinds if kind else bool(self._kinds & {name, "value"})
        return self._known_slots[slot]

    def _alternative_words(self, text: str) -> Words:
        """The first words of what stands between bars, or none if one of them may begin with anything."""
        known = self._first.get(text)
        if known is None:
            words = [self._first_word(each) for each in text.split("|")]
            known = self._first[text] = frozenset(words) if all(words) else frozenset()
        return known

    def _first_word(self, text: str) -> str:
        words = text.replace(GAP, " ").split(None, 1) if text.isascii() else ()
        if words and words[0].isalpha():
            return words[0]
        run = next(filter(None, map(str.strip, text.split(GAP))), "")
        if run[:1] > "一":
            return run[: self._words.end(run, 0) or 1]
        return self.cut(run)[0] if run else ""

    def phrase(self, phrase: str, made: Entry) -> Node:
        """Compile a phrase into the node that it begins with."""
        marks = list(MARK.finditer(phrase))
        if len(phrase) > LONGEST_PHRASE or "".join(mark[0] for mark in marks) != phrase:
            raise _unreadable(phrase, f"a brace has no partner, or it is longer than {LONGEST_PHRASE} characters")
        end = Node()
        end.entries.append(made)
        node, rest = self._alternatives(marks, len(marks) - 1, phrase, end)
        if rest >= 0:
            raise _unreadable(phrase, f"{marks[rest][0]!r} has no partner")
        return node

    def fixed(self, phrases: Iterable[str]) -> Node:
        """Compile phrases without slots."""
        root, made = Node(), Entry(Rule("word", ()), "", None)
        for phrase in phrases:
            root.take(self.phrase(phrase, made))
        return root

    def _alternatives(self, marks: list[re.Match[str]], index: int, phrase: str, end: Node) -> tuple[Node, int]:
        """Compile alternatives backwards, down to their opening mark; all go on at ``end``."""
        found, current = [], end
        while index >= 0 and marks[index][3] not in ("(", "["):
            mark = marks[index]
            if mark[3] == "|":
                found.append(current)
                current = end
            elif mark[3]:
                current, index = self._group(marks, index, phrase, current)
            elif mark[1]:
                current = self._slot(mark, current)
            else:
                current = self._plain(mark[4], current)
            index -= 1
        return _joined([*found, current]), index

    def _group(self, marks: list[re.Match[str]], index: int, phrase: str, end: Node) -> tuple[Node, int]:
        inner, opening = self._alternatives(marks, index - 1, phrase, end)
        if opening < 0 or _PARTNER[marks[opening][3]] != marks[index][3]:
            raise _unreadable(phrase, f"{marks[index][3]!r} has no partner")
        return (_joined([inner, end]) if marks[index][3] == "]" else inner), opening

    def _slot(self, mark: re.Match[str], end: Node) -> Node:
        kind = mark[2] or (mark[1] if mark[1] in self._kinds else "value")
        if kind not in self._kinds:
            raise RegistrationError(f"the slot {mark[0]} of a rule has a kind that nothing reads: {kind!r}")
        node = Node()
        node.slots[(mark[1], kind, _tightness(end))] = [end]
        return node

    def _plain(self, text: str, end: Node) -> Node:
        for word in reversed(self.cut(text)):
            node = Node()
            node.words[word] = [end]
            end = node
        return end

    def cut(self, text: str) -> list[str]:
        """Cut words as a request is cut; plain letters and blanks need no more than splitting."""
        cut = self._known.get(text)
        if cut is None:
            plain = _LETTERS.fullmatch(text)
            cut = self._known[text] = text.split() if plain else _cut(text, self._words)
        return cut


def _cut(text: str, words: Idioms) -> list[str]:
    """Cut words as a request is cut; what cuts any writing takes long to compile, and few phrases need it."""
    found: list[str] = []
    at = 0
    while at < len(text):
        latin = _LATIN.match(text, at)
        if latin:
            end = latin.end()
            found += [each.text for each in tokens(text[at:end])]
        elif "一" <= text[at] <= "鿿" or text[at] in _SINGLE or len(text) == 1 and not text.isspace():
            end = words.end(text, at) or at + 1
            found.append(text[at:end])
        else:
            return [each.text for each in tokens(text, words)]
        at = end
    return found


def _tightness(end: Node) -> int:
    """How tight a value must be: between words it may be anything, at the end only what the rule can hold."""
    forms = [made.form for made in end.entries if made.form]
    return max([LOOSE, *(max(form.right, LOOSE + 1) for form in forms)])


def _joined(nodes: list[Node]) -> Node:
    if len(nodes) == 1:
        return nodes[0]
    node = Node()
    for each in dict.fromkeys(nodes):
        node.copy_from(each)
    return node


def _unreadable(phrase: str, why: str) -> RegistrationError:
    return RegistrationError(f"the phrase {phrase!r} of a rule can't be read: {why}")

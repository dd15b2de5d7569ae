"""A reader for text that is nearly JSON: one pass, one reading or none, and never a bracket or quote added."""

from __future__ import annotations

import re
from typing import Any, NoReturn

from ares_core.calls import ArgumentEdit
from ares_core.errors import DecodeError
from ares_core.repair.quoted import CLOSING, Quoted, end_of

OPENERS = {"{": "}", "[": "]", "(": ")", "｛": "}", "［": "]"}
CLOSERS = {"}": "}", "]": "]", ")": ")", "｝": "}", "］": "]"}
NAMES = {"}": "an object", "]": "an array", ")": "a tuple"}
COLONS = ":=："
COMMAS = ",，、"
WORDS = {
    "true": True, "false": False, "null": None, "True": True, "False": False, "None": None, "TRUE": True,
    "FALSE": False, "NULL": None, "undefined": None,
}  # fmt: skip
NOT_FINITE = frozenset({"nan", "inf", "infinity"})
LONGEST_NUMBER = 4_300
LONGEST_EDIT = 60

SPACE = re.compile(r"[\s\ufeff\u200b]*")
NUMBER = re.compile(
    r"[-+]?(?:0[xX][0-9a-fA-F]+|[0-9]+(?:\.[0-9]*)?(?:[eE][-+]?[0-9]+)?|\.[0-9]+(?:[eE][-+]?[0-9]+)?)", re.ASCII
)
JSON_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?", re.ASCII)
NUMBER_LIKE = re.compile(r"[\w.+-]*")
WORD = re.compile(r"[-+]?[^\W\d][\w.-]*")
NAME = re.compile(r"[\w$][\w$.-]*")
KEY_AHEAD = re.compile(
    r"""(?:"(?:[^"\\\n]|\\.){0,200}"|'(?:[^'\\\n]|\\.){0,200}'|[“”][^“”\n]{0,200}”|[\w$][\w$.-]{0,200})\s{0,100}[:：=]"""
)


class Reader:
    """Reads one value from a place in the text, and keeps a note of every rule that was needed."""

    def __init__(self, text: str, depth: int) -> None:
        self.text = text
        self.pos = 0
        self.depth = depth
        self.edits: dict[str, ArgumentEdit] = {}
        self.trail: list[str] = []
        self.quoted = Quoted(text)

    def note(self, rule: str, before: str, after: str) -> None:
        """Record the first use of a rule."""
        if rule not in self.edits:
            self.edits[rule] = ArgumentEdit("", before[:LONGEST_EDIT], after[:LONGEST_EDIT], rule)

    def malformed(self, why: str, pos: int | None = None) -> NoReturn:
        at = self.pos if pos is None else pos
        near = self.text[max(at - 10, 0) : at + 20]
        raise DecodeError(
            f"the arguments are no JSON: {why} at character {at + 1}, near {near!r}", "malformed_arguments"
        )

    def truncated(self, where: str) -> NoReturn:
        raise DecodeError(
            f"the arguments end in the middle of {where} (cut off at character {len(self.text)})", "truncated_arguments"
        )

    def skip(self) -> str:
        """Go past white space and comments; gives the next character, or nothing at the end."""
        while True:
            self.pos = end_of(SPACE, self.text, self.pos)
            here = self.text[self.pos : self.pos + 2]
            if not (here.startswith("#") or here in ("//", "/*")):
                return here[:1]
            self.comment(here)

    def comment(self, start: str) -> None:
        end = self.text.find("*/" if start == "/*" else "\n", self.pos + 1)
        if end < 0:
            self.truncated("a comment")
        end += 2 if start == "/*" else 0
        self.note("comment", self.text[self.pos : end], "")
        self.pos = end

    def value(self, context: str) -> Any:
        """Read one value; ``context`` is the bracket that will close what it stands in."""
        char = self.skip()
        if not char:
            self.truncated(NAMES[context])
        if char in OPENERS:
            return self.container(char)
        if char in CLOSING:
            return self.string(context)
        if char.isdecimal() or char in "+-.":
            return self.number()
        if char.isalpha() or char == "_":
            return self.word(context)
        return self.malformed("a value was expected")

    def container(self, char: str) -> Any:
        if self.depth == 0:
            self.malformed("it is nested too deep")
        self.depth -= 1
        self.pos += 1
        if char in "｛［":
            self.note("full-width punctuation", char, "{[")
        value = self.object() if OPENERS[char] == "}" else self.array(OPENERS[char])
        self.depth += 1
        return value

    def object(self) -> dict[str, Any]:
        pairs: list[tuple[str, Any]] = []
        while not self.closed("}"):
            if pairs and not self.comma("}"):
                self.missing_comma()
            while self.comma("}"):
                self.note("comma too many", ",,", ",")
            if pairs and self.closed("}"):
                self.note("trailing comma", ",", "")
                break
            key = self.key()
            self.colon()
            self.trail.append(key)
            pairs.append((key, self.value("}")))
            self.trail.pop()
        made = dict(pairs)
        if len(made) < len(pairs):
            edit = same_twice(pairs)
            self.note(edit.rule, edit.before, edit.after)
        return made

    def array(self, closer: str) -> list[Any]:
        items: list[Any] = []
        commas = 0
        while not self.closed(closer):
            if items and not self.comma(closer):
                self.missing_item_comma()
            elif items:
                commas += 1
                if self.closed(closer):
                    self.note("trailing comma" if closer == "]" or len(items) > 1 else "tuple", ",", "")
                    break
            items.append(self.value(closer))
        if closer == ")":
            if len(items) == 1 and not commas:
                self.malformed("a value in brackets can't be told from a list of one")
            self.note("tuple", "(…)", "[…]")
        return items

    def closed(self, closer: str) -> bool:
        """Go past the closing bracket if it is next; another bracket is an error."""
        char = self.skip()
        if not char:
            self.truncated(NAMES[closer])
        if char not in CLOSERS:
            return False
        if CLOSERS[char] != closer:
            self.malformed(f"{char!r} stands where {closer!r} was expected")
        if char != closer:
            self.note("full-width punctuation", char, closer)
        self.pos += 1
        return True

    def comma(self, closer: str) -> bool:
        char = self.skip()
        if not char:
            self.truncated(NAMES[closer])
        if char not in COMMAS:
            return False
        if char != ",":
            self.note("full-width punctuation", char, ",")
        self.pos += 1
        return True

    def missing_comma(self) -> None:
        if not KEY_AHEAD.match(self.text, self.pos):
            self.malformed("a comma or '}' was expected")
        self.note("missing comma", self.text[max(self.pos - 5, 0) : self.pos + 10], ",")

    def missing_item_comma(self) -> None:
        if not self.text[self.pos - 1].isspace():
            self.malformed("a comma or ']' was expected")
        self.note("missing comma", self.text[max(self.pos - 5, 0) : self.pos + 10], ",")

    def key(self) -> str:
        char = self.skip()
        if not char:
            self.truncated("an object")
        if char in CLOSING:
            start = self.pos
            name = self.string("key")
            return (
                name
                if "\n" not in self.text[start : self.pos]
                else self.malformed("a key has a line break inside", start)
            )
        bare = NAME.match(self.text, self.pos)
        if bare is None:
            self.malformed("a key was expected")
        self.pos = bare.end()
        self.note("bare key", bare.group(), f'"{bare.group()}"')
        return bare.group()

    def colon(self) -> None:
        char = self.skip()
        if not char:
            self.truncated("an object, after a key")
        if char not in COLONS:
            self.malformed("a colon was expected after the key")
        if char != ":":
            self.note("equals sign for colon" if char == "=" else "full-width punctuation", char, ":")
        self.pos += 2 if self.text.startswith("=>", self.pos) else 1

    def string(self, context: str) -> str:
        found = self.quoted.read(self.pos, context, self)
        self.pos = found.end
        return found.value

    def number(self) -> int | float:
        found = NUMBER.match(self.text, self.pos)
        if end_of(NUMBER_LIKE, self.text, self.pos) == len(self.text):
            self.truncated("a number")
        if found is None:
            if word := WORD.match(self.text, self.pos):
                self.refuse_not_finite(word.group())
            self.malformed("a number was expected")
        spelled = found.group()
        end = found.end()
        if self.text[end].isalnum() or self.text[end] in "_.-+('\"":
            self.malformed("this is no number")
        number = self.number_of(spelled)
        if not JSON_NUMBER.fullmatch(spelled):
            self.note("number spelling", spelled, str(number))
        self.pos = end
        return number

    def number_of(self, spelled: str) -> int | float:
        digits = spelled.lstrip("+-")
        if len(digits) > LONGEST_NUMBER:
            self.malformed(f"this number has more than {LONGEST_NUMBER:,} digits")
        if digits[:2] in ("0x", "0X"):
            return int(spelled, 16)
        if len(digits) > 1 and digits[0] == "0" and digits[1].isdigit():
            self.malformed("a number with leading zeros is not JSON")
        if digits.isdigit():
            return int(spelled)
        number = float(spelled)
        if abs(number) == float("inf"):
            self.malformed(f"{spelled[:40]} is too large for a JSON number{self.for_key()}")
        return number

    def for_key(self) -> str:
        return f" (for {self.trail[-1][:80]!r})" if self.trail else ""

    def refuse_not_finite(self, word: str) -> None:
        if word.lstrip("+-").casefold() in NOT_FINITE:
            self.malformed(f"{word} is not valid JSON{self.for_key()}")

    def word(self, context: str) -> Any:
        found = WORD.match(self.text, self.pos)
        if found is None:
            self.malformed("a value was expected")
        word, start = found.group(), self.pos
        self.pos = found.end()
        if self.pos >= len(self.text):
            self.truncated(NAMES[context])
        self.refuse_not_finite(word)
        if word in WORDS:
            if word not in ("true", "false", "null"):
                self.note("Python literal" if word != "undefined" else "bare word", word, str(WORDS[word]).lower())
            return WORDS[word]
        if any(literal.startswith(word.casefold()) for literal in ("true", "false", "null", "none")):
            self.malformed("this is neither true, false or null nor text in quotes", start)
        after = self.skip()
        if after not in COMMAS and after not in CLOSERS and "\n" not in self.text[found.end() : self.pos]:
            self.malformed("this is neither a number nor text in quotes", start)
        self.note("bare word", word, f'"{word}"')
        return word


def same_twice(pairs: list[tuple[str, Any]]) -> ArgumentEdit:
    """Say that a key comes twice with one value; with two values, ``DecodeError``."""
    seen: dict[str, Any] = {}
    twice = ""
    for key, value in pairs:
        if key in seen:
            twice = key
            if repr(seen[key]) != repr(value):
                raise DecodeError(
                    f"the key {key[:80]!r} comes twice with different values; give it once", "malformed_arguments"
                )
        seen[key] = value
    return ArgumentEdit("", twice, twice, "same key twice")

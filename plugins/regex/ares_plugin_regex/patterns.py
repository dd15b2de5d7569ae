"""Patterns: what people write becomes what RE2 reads, or a sentence that says why it can't."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from functools import lru_cache
from importlib import import_module
from typing import Any

from msgspec import Struct

from ares_core import ToolError

NAMES = {"ignorecase": "i", "multiline": "m", "dotall": "s", "global": "g", "unicode": "u"}
MEANINGLESS = "gu"
"""Flags that change nothing here: all matches are looked for, and texts are always Unicode."""
MOST_GROUPS = 100
KEPT = 8
MOST_MEMORY = 4 * 1024 * 1024
"""Bytes that one of the compiled patterns kept may take, with what RE2 learns while matching."""
QUICKLY_READ = 400
ONE_CHARACTER = re.compile(r"(?:\(\?[ims]+\))?(?:[^\\.\[\]()*+?{}|^$]|\.|\\[dDwWsS]|\[[^\[\]\\]+\])", re.DOTALL)
NAMED = re.compile(r"(?<!\\)\(\?P?<([^<>=!]+)>")
BRACKETS = re.compile(r"\\Q.*?(?:\\E|\Z)|\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|[()]", re.DOTALL)
PIECES = re.compile(
    r"\\Q.*?(?:\\E|\Z)"
    r"|\\u(?P<high>[dD][89abAB][0-9a-fA-F]{2})\\u(?P<low>[dD][c-fC-F][0-9a-fA-F]{2})"
    r"|\\u(?P<four>[0-9a-fA-F]{4})|\\u\{(?P<any>[0-9a-fA-F]{1,6})\}|\\.",
    re.DOTALL,
)
NOT_IN_RE2: tuple[tuple[str, str, str], ...] = (
    (r"\(\?<?[=!]", "look-around", "match the words around it too, and take what you want from a group"),
    (r"\\[1-9]|\\k|\\g|\(\?P=", "a back reference", "match both places, and compare their groups yourself"),
    (r"[*+?}]\+", "a possessive quantifier", "take the second + away: nothing backtracks here"),
    (r"\(\?>", "an atomic group", "write (?:…): nothing backtracks here"),
    (r"\(\?(?:R|[0-9]|&|P>)", "recursion", "use a parser for what is nested"),
    (r"\(\?\(", "a condition", "write both alternatives with |"),
    (r"\(\?#", "a comment", "leave it out"),
    (r"\(\?[a-zA-Z-]*x", "the flag x", "leave white space and comments out of the pattern"),
    (r"\(\?", "a kind of group that is not known", "groups are (…), (?:…), (?P<name>…) and (?i:…)"),
    (r"\\[ZG]", "an anchor that dialects read differently", r"write \z for the end of the text, \A for its start"),
    (r"\\h", "a class that is not known", r"write [ \t] for blanks"),
    (r"\\R", "a class that is not known", r"write (?:\r\n|\n|\r) for line ends"),
    (r"\\K", "a reset of the match", "take what you want from a group"),
    (r"[*+?}][*+?{]", "one repetition after another", r"write (?:…) around the first, or \* for the character itself"),
    (r"\\", "an escape that is not known", r"write \\ for a backslash"),
)
"""What other dialects have: its form, its name, and what to write instead."""
MISTAKES = {
    "missing )": ("a group is not closed", r"write \( for the character itself"),
    "unexpected )": ("a bracket closes no group", r"write \) for the character itself"),
    "missing ]": ("a class is not closed", r"write \[ for the character itself"),
    "no argument for repetition operator": ("there is nothing to repeat", r"write \* for the character itself"),
    "invalid repetition size": ("a repetition is too large, or no range", "at most 1,000 repetitions are allowed"),
    "invalid character class range": ("a class or its range is not known", r"write it as [a-z], or \p{L}"),
    "invalid named capture group": ("a group has no proper name", "write (?P<name>…)"),
    "trailing \\": ("a backslash stands at the end", r"write \\ for a backslash"),
}


BETWEEN_FLAGS = re.compile(r"[\s,|\[\]\"']+")


def with_flags(pattern: str, flags: str | Sequence[str]) -> str:
    """Put flags in front of a pattern, as RE2 reads them.

    >>> with_flags("a.b", ["IGNORECASE", "s"])
    '(?is)a.b'
    """
    letters = "".join(_letters(flags)) if isinstance(flags, str) else "".join("".join(_letters(one)) for one in flags)
    kept = "".join(letter for letter in "ims" if letter in letters)
    return f"(?{kept}){pattern}" if kept else pattern


def _letters(given: str) -> list[str]:
    names = [word.removeprefix("re.") for word in BETWEEN_FLAGS.split(given.lower())]
    letters = [letter for name in names for letter in NAMES.get(name, name)]
    for letter in letters:
        if letter not in "ims" + MEANINGLESS:
            raise _refusal(
                f"there is no flag {letter!r}",
                "flags are i (ignore case), m (^ and $ at every line) and s (. matches line ends)",
            )
    return letters


class Pattern(Struct, frozen=True):
    """A pattern that RE2 has read, for matching bytes; what is asked of it for every match is worked out once."""

    regex: Any
    steps: int
    groups: int
    names: dict[str, int]
    is_one_character: bool


@lru_cache(maxsize=KEPT)
def compiled(pattern: str, flags: str | tuple[str, ...] = "") -> Pattern:
    """Have RE2 read a pattern; refuse what it can't express."""
    try:
        written = with_flags(PIECES.sub(_piece, pattern), flags)
        regex = _read(written.encode())
    except UnicodeEncodeError:
        raise _refusal("the pattern holds half of a character", "send the whole character") from None
    except ValueError as error:
        raise _unreadable(pattern, str(error)) from None
    named = {name.decode(): number for name, number in regex.groupindex.items()}
    _check_groups(pattern, regex.groups, named)
    in_order = dict(sorted(named.items(), key=lambda item: item[1]))
    return Pattern(regex, regex.programsize, regex.groups, in_order, ONE_CHARACTER.fullmatch(written) is not None)


def is_quickly_read(pattern: str) -> bool:
    """Whether reading a pattern is a matter of milliseconds: a class such as ``\\p{L}`` takes a thousand steps."""
    return len(pattern) <= QUICKLY_READ and r"\p" not in pattern.lower()


def _check_groups(pattern: str, groups: int, named: Collection[str]) -> None:
    if groups > MOST_GROUPS:
        advice = "write (?:…) for groups that you don't want"
        raise _refusal(f"the pattern has {groups} groups, more than {MOST_GROUPS}", advice)
    names = NAMED.findall(pattern)
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice and len(named) < len(names):
        raise _refusal(f"two groups are named {twice!r}", "give each group a name of its own")


def _read(pattern: bytes) -> Any:
    re2 = import_module("re2")  # which has no type hints
    options = re2.Options()
    options.log_errors = False
    options.max_mem = MOST_MEMORY
    try:
        return re2.compile(pattern, options)
    except re2.error as error:
        said = error.args[0]
        raise ValueError(said.decode("utf-8", "replace") if isinstance(said, bytes) else str(said)) from None
    finally:
        re2.purge()  # its own cache would keep 128 patterns, and with them up to 1 GB


def _piece(piece: re.Match[str]) -> str:
    r"""Write ``\u4e00`` as RE2 has it; ``\C`` would cut characters apart."""
    if piece["high"]:
        return rf"\x{{{0x10000 + (int(piece['high'], 16) - 0xD800) * 0x400 + int(piece['low'], 16) - 0xDC00:x}}}"
    code = piece["four"] or piece["any"]
    if code and 0xD800 <= int(code, 16) < 0xE000:
        raise _refusal(rf"\u{code} is half of a character", r"write the whole character, or \u{1F600}")
    if piece[0] == r"\C":
        raise _refusal(r"\C matches half of a character", "write . for any character")
    return rf"\x{{{code}}}" if code else piece[0]


def _unreadable(pattern: str, said: str) -> ToolError:
    """Say what RE2 could not read, where, and what to write instead."""
    if said.startswith("pattern too large"):
        return _refusal("the pattern is too large once its repetitions are written out", "use smaller repetitions")
    what, _, fragment = said.partition(": ")
    if what in MISTAKES:
        name, advice = MISTAKES[what]
        where = _bracket(pattern) if what.endswith(")") else _place(pattern, fragment)
        return _refusal(f"the pattern is no regular expression: {name}{where}", advice)
    for form, name, advice in NOT_IN_RE2:
        found = next((each for each in re.finditer(form, pattern) if _same(each[0], fragment)), None)
        if found:
            where = f"{found[0]!r} at character {found.start()}"
            return _refusal(f"the pattern has {name}, {where}, which linear matching (RE2) doesn't know", advice)
    return _refusal(f"the pattern is no regular expression: {what}{_place(pattern, fragment)}", "correct the pattern")


def _same(found: str, fragment: str) -> bool:
    return found.startswith(fragment) or fragment.startswith(found)


def _place(pattern: str, fragment: str) -> str:
    if not fragment:
        return ""
    where = f" at character {pattern.index(fragment)}" if pattern.count(fragment) == 1 else ""
    return f", {fragment[:80]!r}{where}"


def _bracket(pattern: str) -> str:
    """Find the round bracket that has no partner."""
    still_open: list[int] = []
    for found in BRACKETS.finditer(pattern):
        if found[0] == "(":
            still_open.append(found.start())
        elif found[0] == ")" and not still_open:
            return f", ')' at character {found.start()}"
        elif found[0] == ")":
            still_open.pop()
    return f", '(' at character {still_open[-1]}" if still_open else ""


def _refusal(message: str, hint: str) -> ToolError:
    return ToolError(f"{message}; nothing was matched", hint=hint, blame="input")

"""Patterns: what people write becomes what RE2 reads, or a sentence that says why it can't."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

from ares_core import ToolError

NAMES = {"ignorecase": "i", "multiline": "m", "dotall": "s", "global": "g", "unicode": "u"}
MEANINGLESS = "gu"
"""Flags that change nothing here: all matches are looked for, and texts are always Unicode."""
MOST_GROUPS = 100
KEPT = 8
"""How many compiled patterns are kept; each may hold up to 8 MB of what RE2 learnt while matching."""
PIECES = re.compile(
    r"\\Q.*?(?:\\E|\Z)|\\u(?P<high>[dD][89abAB]\w\w)\\u(?P<low>[dD][c-fC-F]\w\w)"
    r"|\\u(?P<four>[0-9a-fA-F]{4})|\\u\{(?P<any>[0-9a-fA-F]{1,6})\}|\\.",
    re.DOTALL,
)
UNKNOWN: tuple[tuple[str, str, str], ...] = (
    (r"\(\?<?[=!]", "look-around", "match the words around it too, and take what you want from a group"),
    (r"\\[1-9]|\\k|\(\?P=", "a back reference", "match both places, and compare their groups yourself"),
    (r"[*+?}]\+", "a possessive quantifier", "take the second + away: nothing backtracks here"),
    (r"\(\?>", "an atomic group", "write (?:…): nothing backtracks here"),
    (r"\(\?(?:[R0-9&]|P>)", "recursion", "use a parser for what is nested"),
    (r"\(\?\(", "a condition", "write both alternatives with |"),
    (r"\(\?#", "a comment", "leave it out"),
    (r"\(\?[a-zA-Z]*x", "the flag x", "leave white space and comments out of the pattern"),
    (r"\(\?", "an unknown kind of group", "groups are (…), (?:…), (?P<name>…) and (?i:…)"),
    (r"\\[ZG]", "an anchor that dialects read differently", r"write \z for the end of the text, \A for its start"),
    (r"\\h", "an unknown class", r"write [ \t] for blanks"),
    (r"\\R", "an unknown class", r"write (?:\r\n|\n|\r) for line ends"),
    (r"\\K", "a reset of the match", "take what you want from a group"),
    (r"\{", "a repetition that is too large or no range", "write {2,5}; up to 1,000 repetitions in all are allowed"),
    (r"[*+?]", "a repetition of nothing, or twice", rf"write \{'*'} for the character itself"),
    (r"\[", "a class that is not closed or unknown", r"write \[ for the character itself"),
    (r"\(", "a group that is not closed", r"write \( for the character itself"),
    (r"\)", "a closing bracket without an opening one", r"write \) for the character itself"),
)


def with_flags(pattern: str, flags: str | list[str]) -> str:
    """Put flags in front of a pattern, as RE2 reads them.

    >>> with_flags("a.b", ["IGNORECASE", "s"])
    '(?is)a.b'
    """
    letters = "".join(_letters(flags)) if isinstance(flags, str) else "".join("".join(_letters(one)) for one in flags)
    kept = "".join(letter for letter in "ims" if letter in letters)
    return f"(?{kept}){pattern}" if kept else pattern


def _letters(given: str) -> list[str]:
    name = given.strip().lower().removeprefix("re.")
    letters = list(NAMES.get(name, name.replace(",", "").replace(" ", "")))
    for letter in letters:
        if letter not in "ims" + MEANINGLESS:
            raise _refusal(
                f"there is no flag {letter!r}",
                "flags are i (ignore case), m (^ and $ at every line) and s (. matches line ends)",
            )
    return letters


def compiled(pattern: str, flags: str | list[str]) -> Any:
    """Give a pattern that RE2 has read, for matching bytes; refuse what it can't express."""
    translated = PIECES.sub(_piece, pattern)
    try:
        found = _read(with_flags(translated, flags).encode())
    except UnicodeEncodeError:
        raise _refusal("the pattern holds half of a character", "send the whole character") from None
    except ValueError as error:
        raise _unreadable(pattern, str(error)) from None
    if found.groups > MOST_GROUPS:
        raise _refusal(f"the pattern has {found.groups} groups, more than {MOST_GROUPS}", "write (?:…) for groups")
    return found


@lru_cache(maxsize=KEPT)
def _read(pattern: bytes) -> Any:
    import re2

    options = re2.Options()
    options.log_errors = False
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
    """Say what RE2 could not read, and where."""
    if said.startswith("pattern too large"):
        return _refusal("the pattern is too large once its repetitions are written out", "use smaller repetitions")
    what, _, fragment = said.partition(": ")
    at = pattern.find(fragment) if fragment else -1
    rest = pattern[at : at + 12] if at >= 0 else fragment
    for form, name, advice in UNKNOWN:
        if re.match(form, rest) or re.match(form, fragment):
            where = f", {rest!r} at character {at}" if at >= 0 else f", {rest!r}"
            return _refusal(f"the pattern has {name}{where}, which RE2 can't match", advice)
    where = f" at character {at}" if at >= 0 else ""
    return _refusal(f"the pattern is no regular expression: {what}{where}: {fragment!r}", "see RE2's syntax")


def _refusal(message: str, hint: str) -> ToolError:
    return ToolError(f"{message}; nothing was matched", hint=hint, blame="input")

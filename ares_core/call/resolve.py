"""Stage 1, resolve: which tool is meant? A merely similar name never runs."""

from __future__ import annotations

import re
from typing import NamedTuple

from ares_core.call.refusal import Refused, refuse
from ares_core.names import nearest
from ares_core.table import Entry, Table, View, fold

NOISE = ("functions", "function", "default_api", "tools", "tool", "tool_call", "function_call", "call", "to=functions")
LEAKED = re.compile(r"<[|｜/].*|\(\s*\)\s*$|:\d+\s*$", re.DOTALL)
"""Marks of a chat template, empty brackets and the number of a call, behind a name."""
AROUND = " \t\r\n\"'`*;,“”‘’\u200b\u2060\ufeff"
"""Quotes, emphasis and blanks that nobody sees."""
MOST_LISTED = 20
MOST_WORDS = 5
LONGEST = 300


class Resolved(NamedTuple):
    """The tool that is meant, and by which rule its name was repaired (empty: not at all)."""

    entry: Entry
    rule: str


def resolve(name: object, view: View, table: Table) -> Resolved:
    """Find a tool that is not there under the very name given: by alias, by its name on a wire, or repaired."""
    if not isinstance(name, str) or not name.strip():
        raise refuse("unknown_tool", f"The tool call has no name. {_listing(view)}")
    if len(name) > LONGEST:
        raise unknown(name, view)
    spellings, sent, folded = view.spellings(table.version), view.sent(table), fold(name)
    for rule, found in (
        ("alias", spellings.aliases.get(name, ())),
        ("wire_name", sent.get(name, ())),
        ("spelling", spellings.folded.get(folded, ())),
        ("prefix_added", spellings.parts.get(folded, ())),
    ):
        if found:
            return _the_one(name, rule, list(found), view)
    for shorter in _without_noise(name):
        folded = fold(shorter)
        likely = sent.get(shorter) or spellings.folded.get(folded) or spellings.parts.get(folded)
        if likely:
            return _the_one(name, "noise_dropped", list(likely), view)
    raise unknown(name, view)


def unknown(name: str, view: View) -> Refused:
    """Refuse a name that no tool in scope has, with the nearest."""
    shown = name if len(name) <= 80 else f"{name[:77]}…"
    names = view.names()
    words = [name, *re.findall(r"[^\W\d][\w.\-]*", name[:200])[:MOST_WORDS]]
    near = next(filter(None, (nearest(word, names) for word in words)), [])
    hint = f"Did you mean {', '.join(near)}? " if near else ""
    return refuse("unknown_tool", f"There is no tool {shown!r}. {hint}{_listing(view)}", suggestions=tuple(near))


def _the_one(name: str, rule: str, found: list[str], view: View) -> Resolved:
    if len(found) > 1:
        listed = ", ".join(found)
        raise refuse(
            "unknown_tool", f"{name!r:.80} may mean {listed}; call one of these.", suggestions=tuple(found[:3])
        )
    return Resolved(view.entries[found[0]], rule)


def _without_noise(name: str) -> list[str]:
    """Give the name without what models hang on it: quotes, brackets, channel marks, ``functions.``, last ``tool``."""
    bare = LEAKED.sub("", name.strip(AROUND)).strip(AROUND)
    candidates = [bare]
    head, separator, rest = _split_head(bare)
    while separator and head.casefold() in NOISE:
        candidates.append(rest)
        head, separator, rest = _split_head(rest)
    shorter = fold(candidates[-1])
    while shorter.endswith("tool") and len(shorter) > len("tool"):
        shorter = shorter.removesuffix("tool")
        candidates.append(shorter)
    return candidates


def _split_head(name: str) -> tuple[str, str, str]:
    parts = re.split(r"([.:/]|__|(?<=^functions)_)", name, maxsplit=1)
    return (parts[0], parts[1], parts[2]) if len(parts) == 3 else (name, "", "")


def _listing(view: View) -> str:
    names = view.names()
    if not names:
        return "No tools are available."
    more = f" and {len(names) - MOST_LISTED} more" if len(names) > MOST_LISTED else ""
    return f"Available: {', '.join(names[:MOST_LISTED])}{more}."


def is_known(name: str, view: View, table: Table) -> bool:
    """Whether a name would be found, by itself or repaired."""
    if name in view.entries or name in table.beside:
        return True
    try:
        resolve(name, view, table)
    except Refused:
        return False
    return True

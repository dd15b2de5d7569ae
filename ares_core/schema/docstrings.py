"""What a docstring says: words about the function, and about each parameter."""

from __future__ import annotations

import re
from inspect import cleandoc
from typing import NamedTuple

GOOGLE = re.compile(r"^(?:Arg(?:ument)?s|(?:Other )?Param(?:eter)?s|Keyword Arg(?:ument)?s):[ \t]*$", re.MULTILINE)
SECTION = re.compile(r"^[A-Z][A-Za-z ]{2,30}:[ \t]*\n[ \t]+\S", re.MULTILINE)
ENTRY = re.compile(r"([ \t]+)\*{0,2}(\w+)[ \t]*(?:\([^\n]*?\))?:(?:[ \t]+|$)(.*)")
OTHERS = re.compile(
    r"^[ \t]*(?::param|:parameter|:arg|@param)\b|^(?:Other )?Parameters[ \t]*\n[ \t]*-{3,}", re.MULTILINE
)
MARKS = (":param", "@param", ":arg", "---")
LONGEST = 100_000


class Words(NamedTuple):
    """The description of a function, and of its parameters by name."""

    description: str
    parameters: dict[str, str]


def read_docstring(text: str | None) -> Words:
    """Read a docstring in the style of Google, NumPy, Sphinx or Epydoc.

    >>> read_docstring("Add up.\\n\\nArgs:\\n    a: The first.\\n    b (int): The second.\\n")
    Words(description='Add up.', parameters={'a': 'The first.', 'b': 'The second.'})
    """
    if not text:
        return Words("", {})
    clean = cleandoc(text[:LONGEST])
    if "\n" not in clean:
        return Words(clean, {})
    if any(mark in clean for mark in MARKS) and OTHERS.search(clean):
        return _other_style(clean)
    section = SECTION.search(clean)
    if section is None:
        return Words(clean, {})
    parameters: dict[str, str] = {}
    for heading in GOOGLE.finditer(clean):
        parameters.update(_entries(clean[heading.end() + 1 :]))
    return Words(clean[: section.start()].strip() if parameters else clean, parameters)


def _entries(text: str) -> dict[str, str]:
    """Read the indented ``name: words`` of one section, with their continuation lines."""
    entries: dict[str, list[str]] = {}
    indent, current = "", ""
    for line in text.split("\n"):
        if line and not line[0].isspace():
            break
        entry = ENTRY.fullmatch(line)
        if entry is not None and (not indent or entry[1] == indent):
            indent, current = entry[1], entry[2]
            entries[current] = [entry[3]]
        elif current and line.strip():
            entries[current].append(line.strip())
    return {name: " ".join(part for part in parts if part) for name, parts in entries.items()}


def _other_style(text: str) -> Words:
    from docstring_parser import ParseError, parse

    try:
        found = parse(text)
    except ParseError:
        return Words(text, {})
    paragraphs = [part for part in (found.short_description, found.long_description) if part]
    about = {each.arg_name.lstrip("*"): " ".join((each.description or "").split()) for each in found.params}
    return Words("\n\n".join(paragraphs), {name: words for name, words in about.items() if words})

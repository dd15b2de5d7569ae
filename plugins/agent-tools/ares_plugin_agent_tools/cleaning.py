"""Text out of anybody's hands: without what hides, reorders or drives a terminal."""

from __future__ import annotations

import re
import unicodedata

from ares_core import counted

_ESCAPES = re.compile(r"\x1b(?:\[[0-?]{0,64}[ -/]{0,8}[@-~]|\][^\x07\x1b]{0,4096}(?:\x07|\x1b\\)|[@-Z\\-_])")
_HIDDEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\U000e0000-\U000e0fff]"
)
"""Controls, marks of direction, and the characters that no one sees; joiners stay, some scripts need them."""
_SURROGATES = re.compile("[\ud800-\udfff]")


def cleaned(text: str) -> str:
    r"""Take out what does not belong into text.

    >>> cleaned("a\x1b[31mred\x1b[0m\x00\u202eb\r\nc")
    'aredb\nc'
    """
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    text = _HIDDEN.sub("", _ESCAPES.sub("", text))
    return unicodedata.normalize("NFC", _SURROGATES.sub("\ufffd", text))


def lines_of(text: str, longest: int = 500) -> list[str]:
    """Give the lines of a text, without what hides, each of a bounded length.

    >>> lines_of("one\\n\\ntwo")
    ['one', '', 'two']
    """
    return [line if len(line) <= longest else f"{line[:longest]}…" for line in cleaned(text).split("\n")]


def cut(text: str, most: int) -> str:
    """Give the beginning and the end of a text that is too long, with a word on what was left out.

    >>> cut("abcdefghij", 4)
    'abc[… 6 characters …]j'
    """
    if len(text) <= most:
        return text
    head = most * 3 // 4
    return f"{text[:head]}[… {counted(len(text) - most, 'character')} …]{text[len(text) - (most - head) :]}"

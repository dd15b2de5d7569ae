r"""Replacements: ``\1`` and ``\g<name>`` stand for groups; what looks like another dialect is not guessed at."""

from __future__ import annotations

import re
from collections.abc import Mapping

from ares_core import ToolError

PIECES = re.compile(
    r"\\g<(?P<group>[^<>]{0,80})>|\\(?P<number>[1-9][0-9]?)|\\(?P<escape>.?)"
    r"|\$(?P<dollar>[0-9]{1,2}|&|\{\w{1,80}\}|<\w{1,80}>|[^\W\d]\w{0,80})",
    re.DOTALL,
)
MOST_PIECES = 200
ESCAPES = {"\\": "\\", "$": "$", "n": "\n", "t": "\t", "r": "\r"}


def parts_of(template: str, groups: int, names: Mapping[str, int]) -> list[bytes | int]:
    r"""Cut a replacement into texts, in UTF-8, and numbers of groups.

    >>> parts_of(r"<\2 \g<word>>", 2, {"word": 1})
    [b'<', 2, b' ', 1, b'>']
    """
    parts: list[str | int] = []
    done = 0
    for piece in PIECES.finditer(template):
        value = _value(piece, groups, names)
        parts += [template[done : piece.start()], value]
        done = piece.end()
    parts.append(template[done:])
    if len(parts) > 2 * MOST_PIECES:
        raise _refusal(f"the replacement refers to groups more than {MOST_PIECES} times", "make it shorter")
    return [part if isinstance(part, int) else _encoded(part) for part in parts if part != ""]


def _encoded(text: str) -> bytes:
    try:
        return text.encode()
    except UnicodeEncodeError:
        raise _refusal("the replacement holds half of a character", "send the whole character") from None


def _value(piece: re.Match[str], groups: int, names: Mapping[str, int]) -> str | int:
    if piece["dollar"]:
        _refuse_group(piece["dollar"], groups, names)
        return piece[0]
    if piece["escape"] is None:
        return _group(piece["group"] if piece["number"] is None else piece["number"], piece, groups, names)
    if piece["escape"] in ESCAPES:
        return ESCAPES[piece["escape"]]
    advice = r"write \g<0> for the whole match" if piece["escape"] == "0" else r"write \\ for a backslash"
    raise _refusal(f"the replacement has an unknown escape, {piece[0]!r} at character {piece.start()}", advice)


def _group(group: str, piece: re.Match[str], groups: int, names: Mapping[str, int]) -> int:
    if group in names:
        return names[group]
    number = int(group) if group.isascii() and group.isdigit() else -1
    if not 0 <= number <= groups:
        known = [str(known) for known in range(1, groups + 1)] + list(names)
        raise _refusal(
            f"the replacement refers to group {group!r} at character {piece.start()}, which the pattern doesn't have",
            f"its groups are {', '.join(known[:20])}" if known else "it has no groups: put ( ) around what you mean",
        )
    return number


def _refuse_group(name: str, groups: int, names: Mapping[str, int]) -> None:
    """Refuse what elsewhere stands for a group that this pattern has; any other ``$`` is a dollar sign."""
    bare = name.strip("{}<>")
    if bare == "&" or bare in names or bare.isascii() and bare.isdigit() and int(bare) <= groups:
        written = rf"\g<{'0' if bare == '&' else bare}>"
        raise _refusal(
            f"the replacement holds '${name}', which could be a group or just these characters",
            rf"write {written} for the group, \${name} for the characters",
        )


def _refusal(message: str, hint: str) -> ToolError:
    return ToolError(f"{message}; nothing was replaced", hint=hint, blame="input")

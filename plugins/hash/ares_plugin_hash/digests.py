"""Digests: their names in any spelling, and how they are computed and compared."""

from __future__ import annotations

import hashlib
import hmac
import re
import unicodedata
import zlib
from collections.abc import Collection, Iterable
from typing import Protocol

from ares_core import ToolError, counted

BY_LENGTH = {
    8: ("crc32",),
    32: ("md5",),
    40: ("sha1",),
    56: ("sha224", "sha3_224"),
    64: ("sha256", "sha3_256", "blake2s"),
    96: ("sha384", "sha3_384"),
    128: ("sha512", "sha3_512", "blake2b"),
}
ALGORITHMS = (
    "md5", "sha1", "sha224", "sha256", "sha384", "sha512", "sha3_224", "sha3_256", "sha3_384", "sha3_512", "blake2b",
    "blake2s", "crc32",
)  # fmt: skip


PAIRS = re.compile(r"[0-9a-fA-F]{2}(?::[0-9a-fA-F]{2}){3,63}")
"""A digest with a colon between its bytes, as fingerprints are written."""


class Digest(Protocol):
    """What ``hashlib``, ``hmac`` and the checksum below have in common."""

    def update(self, data: bytes, /) -> None: ...
    def hexdigest(self) -> str: ...


class Crc32:
    """The CRC-32 of zip, gzip and PNG, as a digest.

    >>> crc = Crc32()
    >>> crc.update(b"abc")
    >>> crc.hexdigest()
    '352441c2'
    """

    def __init__(self) -> None:
        self._value = 0

    def update(self, data: bytes, /) -> None:
        """Take in more bytes."""
        self._value = zlib.crc32(data, self._value)

    def hexdigest(self) -> str:
        """Give the checksum as eight hexadecimal digits."""
        return f"{self._value:08x}"


def legal_name(given: str, names: Collection[str], what: str) -> str:
    """Find the name that is meant, whatever its case, width, blanks, hyphens and underscores.

    >>> legal_name(" SHA-256", ALGORITHMS, "algorithm")
    'sha256'
    """
    folded = _fold(given)
    for name in names:
        if _fold(name) == folded:
            return name
    if folded.startswith("shake"):
        reason = "gives a digest of any length and is not offered; use sha3_256 or sha3_512"
    else:
        reason = f"is not known; there are {', '.join(names)}"
    raise ToolError(f"the {what} {given!r} {reason}; nothing was computed", blame="input")


def _fold(name: str) -> str:
    return "".join(unicodedata.normalize("NFKC", name).split()).replace("-", "").replace("_", "").lower()


def utf8(text: str, what: str) -> bytes:
    """Encode a text as it stands: no normalisation, no newline added or taken away."""
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise ToolError(
            f"the {what} holds half of a character (a lone surrogate, U+{ord(text[error.start]):04X}, at position "
            f"{error.start}), which has no bytes; nothing was computed",
            hint="send the whole character",
            blame="input",
        ) from error


def compute(names: Iterable[str], chunks: Iterable[bytes], key: bytes | None = None) -> dict[str, str]:
    """Compute several digests in one pass over the bytes; HMACs if there is a key."""
    running = {name: _new(name, key) for name in names}
    for chunk in chunks:
        for digest in running.values():
            digest.update(chunk)
    return {name: digest.hexdigest() for name, digest in running.items()}


def _new(name: str, key: bytes | None) -> Digest:
    if name == "crc32":
        if key is not None:
            raise ToolError("crc32 takes no key; nothing was computed", hint="use hmac with sha256", blame="input")
        return Crc32()
    try:
        if key is not None:
            return hmac.new(key, digestmod=name)
        return hashlib.new(name, usedforsecurity=False)
    except ValueError as error:
        raise ToolError(f"{name} is switched off in this installation of Python; nothing was computed") from error


def expectation(expected: str, algorithm: str | None) -> tuple[str, tuple[str, ...]]:
    """Read an expected digest: its digits, and the algorithms that it can come from.

    >>> expectation("MD5:5D41402ABC4B2A76B9719D911017C592", None)
    ('5d41402abc4b2a76b9719d911017c592', ('md5',))
    """
    given = "".join(expected.split())
    prefix, _, digits = ("", "", given.replace(":", "")) if PAIRS.fullmatch(given) else given.rpartition(":")
    digits = digits.lower()
    named = [legal_name(name, ALGORITHMS, "algorithm") for name in (algorithm, prefix) if name]
    if len(set(named)) > 1:
        raise ToolError(
            f"expected is a {named[1]} but the algorithm is {named[0]}; nothing was computed", blame="input"
        )
    candidates = tuple(named[:1]) or BY_LENGTH.get(len(digits), ())
    if not candidates or not named and set(digits) - set("0123456789abcdef"):
        lengths = ", ".join(f"{length} ({' '.join(names)})" for length, names in BY_LENGTH.items())
        raise ToolError(
            f"expected has {counted(len(digits), 'character')} and fits no digest; digests have these numbers of "
            f"hexadecimal digits: {lengths}; nothing was computed",
            hint="give the whole digest in hexadecimal",
            blame="input",
        )
    return digits, candidates


def equal(found: str, expected: str) -> bool:
    """Compare in a time that does not tell where the difference is."""
    return hmac.compare_digest(found.encode(), expected.encode("utf-8", "backslashreplace"))

"""Base64 in its two alphabets; decoding accepts only what loses nothing."""

from __future__ import annotations

import binascii
from typing import Any

from ares_core import ToolError, counted

OPERATIONS = ("base64_encode", "base64_decode", "base64url_encode", "base64url_decode")
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
TO_URL, FROM_URL = str.maketrans("+/", "-_"), str.maketrans("-_", "+/")


def convert(operation: str, data: bytes) -> dict[str, Any]:
    r"""Run one of the four operations on bytes.

    >>> convert("base64url_encode", b"\xfb\xff")["output"]
    '-_8='
    """
    for_urls = operation.startswith("base64url")
    if operation.endswith("encode"):
        encoded = encode(data)
        return {"output": encoded.translate(TO_URL) if for_urls else encoded}
    return _readable(decode(data.decode("utf-8", "replace"), for_urls))


def encode(data: bytes) -> str:
    """Encode with the standard alphabet and padding, on one line."""
    return binascii.b2a_base64(data, newline=False).decode("ascii")


def decode(text: str, for_urls: bool = False) -> bytes:
    """Decode a text; blanks, line ends and missing padding are allowed, everything else has to be exact.

    >>> decode("aGVsbG8")
    b'hello'
    """
    compact = "".join(text.split())
    body = compact.rstrip("=")
    _check_alphabet(text, body, for_urls)
    padding, needed = len(compact) - len(body), -len(body) % 4
    if needed == 3 or padding not in (0, needed):
        raise _no_base64(
            f"{counted(len(body), 'character')} with {padding} '=' at the end can't be right; is it cut off?"
        )
    standard = body.translate(FROM_URL) + "=" * needed
    decoded = binascii.a2b_base64(standard)
    if encode(decoded) != standard:
        raise _no_base64(f"its last character, {body[-1]!r}, holds bits that no encoder writes; is it cut off?")
    return decoded


def _check_alphabet(text: str, body: str, for_urls: bool) -> None:
    own, other = ("-_", "+/") if for_urls else ("+/", "-_")
    strange = next((character for character in body if character not in LETTERS and character not in own), None)
    if strange is None:
        return
    reason = f"{strange!r} at position {text.index(strange)} is not in its alphabet"
    if strange in other:
        reason += f"; use {'base64_decode' if for_urls else 'base64url_decode'}"
    raise _no_base64(reason)


def _readable(decoded: bytes) -> dict[str, Any]:
    try:
        return {"output": decoded.decode("utf-8"), "encoding": "utf-8", "bytes": len(decoded)}
    except UnicodeDecodeError:
        return {"output": decoded.hex(), "encoding": "hex", "bytes": len(decoded)}


def _no_base64(reason: str) -> ToolError:
    return ToolError(f"the input is no Base64: {reason}; nothing was decoded", blame="input")

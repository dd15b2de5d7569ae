"""Stages 2 to 4: decode the arguments, coerce and fill them as the schema directs, validate them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ares_core.call.refusal import Refused, invalid_arguments, refuse
from ares_core.calls import ArgumentEdit
from ares_core.decode import decode
from ares_core.errors import DecodeError
from ares_core.schema import Checker, NotJSON, normalise

Edits = tuple[ArgumentEdit, ...]


def prepare(tool: str, checker: Checker, raw: Any) -> tuple[dict[str, Any], Edits]:
    """Make arguments that fit the schema out of what was given, or refuse with all that is wrong.

    Gives them with every change that made them so.
    """
    value, edits = read(tool, raw)
    if checker.is_valid(value):
        if not checker.has_defaults:
            return value, edits
        value, filled = checker.fill(value)
        return value, edits + filled if edits else filled
    known = checker.refused
    if known is not None and type(raw) is str and known[0] == raw:
        raise Refused(*known[1:])
    corrected = checker.correct(value)
    if corrected.issues:
        excerpt = checker.shown_excerpt(corrected.issues)
        raise _remembered(checker, raw, invalid_arguments(tool, corrected.issues, excerpt))
    return corrected.arguments, edits + corrected.edits


def _remembered(checker: Checker, raw: Any, refusal: Refused) -> Refused:
    """Keep the words of a refusal. No frame that it is raised through may hold it: that would be garbage in a ring."""
    checker.remember(raw, refusal.failure, refusal.extra)
    return refusal


def read(tool: str, raw: Any) -> tuple[Any, Edits]:
    """Stage 2: get plain JSON out of text, a mapping, ``""`` or ``None``."""
    try:
        if type(raw) is dict:
            return normalise(raw), ()
        if type(raw) is str:
            return decode(raw)
        if raw is None:
            return {}, ()
        if isinstance(raw, bytes | bytearray):
            return decode(bytes(raw).decode("utf-8"))
        return normalise(dict(raw) if isinstance(raw, Mapping) else raw), ()
    except DecodeError as error:
        raise refuse(
            error.code, f"The arguments of {tool!r} can't be read: {error}. Send one complete JSON object."
        ) from None
    except UnicodeDecodeError as error:
        raise refuse("malformed_arguments", f"The arguments of {tool!r} are no UTF-8 text: {error}.") from None
    except NotJSON as error:
        raise invalid_arguments(tool, error.issues) from None

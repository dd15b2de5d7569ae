"""How long to wait before a provider that failed is asked again."""

from __future__ import annotations

import math
import random
import time
from collections.abc import Mapping
from email.utils import parsedate_to_datetime

FIRST, LONGEST = 0.5, 30.0
MOST_ASKED_FOR = 60.0
"""Seconds; a provider that asks to be left alone for longer is not waited for."""
PASSING = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 520, 522, 524, 529})
"""Statuses after which the same request may succeed."""


def backoff(attempt: int) -> float:
    """Give the seconds before the next attempt: doubled each time, spread so that many do not come back at once.

    >>> 0.25 <= backoff(0) <= 0.5, 15 <= backoff(20) <= 30
    (True, True)
    """
    whole = min(FIRST * 2 ** min(attempt, 10), LONGEST)
    return random.uniform(whole / 2, whole)


def asked_for(headers: Mapping[str, str]) -> float | None:
    """Give the seconds that a provider asks to be left alone, from ``Retry-After`` in either form.

    >>> asked_for({"retry-after": "2"}), asked_for({"retry-after-ms": "250"}), asked_for({})
    (2.0, 0.25, None)
    """
    found = {name.lower(): value for name, value in headers.items() if name.lower().startswith("retry-after")}
    for name, unit in (("retry-after-ms", 1000.0), ("retry-after", 1.0)):
        seconds = _number(found.get(name, ""))
        if seconds is not None:
            return max(seconds / unit, 0.0)
    try:
        return max(parsedate_to_datetime(found["retry-after"]).timestamp() - time.time(), 0.0)
    except (KeyError, ValueError, TypeError, OverflowError):
        return None


def _number(text: str) -> float | None:
    try:
        value = float(text.strip()[:20])
    except ValueError:
        return None
    return value if math.isfinite(value) else None

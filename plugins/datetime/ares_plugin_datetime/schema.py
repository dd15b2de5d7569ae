"""What the tool takes."""

from __future__ import annotations

from typing import Any

NEEDS = {
    "now": (),
    "parse": ("value",),
    "format": ("value", "format"),
    "convert": ("value", "zone"),
    "add": ("value", "amount"),
    "diff": ("value", "other"),
}
"""The operations, and what each can't do without."""
TAKES = {
    "now": ("zone", "format"),
    "parse": ("value", "zone", "format"),
    "format": ("value", "zone", "format"),
    "convert": ("value", "zone", "from_zone", "format"),
    "add": ("value", "zone", "amount", "format"),
    "diff": ("value", "zone", "other"),
}


def _text(longest: int, description: str) -> dict[str, Any]:
    return {"type": "string", "minLength": 1, "maxLength": longest, "description": description}


def _required() -> dict[str, Any]:
    """One condition inside the other: providers refuse "allOf" at the top level."""
    conditions: dict[str, Any] = {}
    for operation, needs in NEEDS.items():
        if needs:
            only = {"properties": {"operation": {"const": operation}}, "required": ["operation"]}
            conditions = {"if": only, "then": {"required": list(needs)}, "else": conditions}
    return conditions


PARAMETERS: dict[str, Any] = {
    "type": "object",
    "properties": {
        "operation": {
            "type": "string",
            "enum": list(NEEDS),
            "description": "now: the current time; parse: read 'value' and tell all about it; format: write 'value' "
            "as 'format' says; convert: the same moment in another 'zone'; add: 'value' plus 'amount'; diff: how far "
            "it is from 'value' to 'other'.",
        },
        "value": _text(
            100,
            "A date, with or without a time, such as 2026-03-29, 2026-03-29T14:30, 2026-03-29T14:30+02:00, "
            "2026-03-29 14:30 Europe/Paris, 2026-W13-7, 29 Mar 2026; 'now' or 'today'; unix:1774787400 or "
            "unix_ms:1774787400000. 03/04/2026 is refused, because it has two meanings.",
        ),
        "zone": _text(
            64,
            "An IANA zone such as Europe/Paris, or an offset such as +05:30. The answer is in this zone, and a value "
            "that names no zone is read in it.",
        ),
        "from_zone": _text(64, "For convert: the zone of a value that names none."),
        "format": _text(
            100,
            "How to write the answer: iso (if left out), date, time, datetime, rfc2822, http, week, ordinal, unix, "
            "unix_ms, or a strftime pattern such as '%d.%m.%Y %H:%M'. For parse: how 'value' is written, as a pattern, "
            "unix or unix_ms; recognised if left out.",
        ),
        "amount": _text(
            60,
            "For add: an ISO 8601 duration such as P1M, P1DT2H, -PT90M, or 1d2h, 3mo, 90min. Years, months, weeks and "
            "days go by the calendar, hours and smaller by the clock; a minus goes back.",
        ),
        "other": _text(100, "For diff: the second date or time, written like 'value'."),
    },
    "required": ["operation"],
    **_required(),
    "additionalProperties": False,
}
EXAMPLES: tuple[dict[str, Any], ...] = (
    {"operation": "now", "zone": "Asia/Shanghai"},
    {"operation": "parse", "value": "2026-01-02T09:00:00+09:00"},
    {"operation": "format", "value": "2026-01-02T09:00", "format": "%d.%m.%Y %H:%M"},
    {"operation": "convert", "value": "2026-07-01 09:00", "from_zone": "America/New_York", "zone": "Asia/Tokyo"},
    {"operation": "add", "value": "2026-01-31", "amount": "P1M"},
    {"operation": "diff", "value": "2024-01-01", "other": "2024-03-01"},
)

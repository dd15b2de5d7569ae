"""Dates as people write them, and as a parameter wants them."""

from __future__ import annotations

import re
from collections.abc import Iterator

_NAMES = "jan feb mar apr may jun jul aug sep oct nov dec".split()
_MONTH = r"(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}"
_WORDED = re.compile(rf"\b{_MONTH}\.? ?(\d{{1,2}})(?:st|[nr]d|th)?,? ?(\d{{4}})\b")
_DAY_FIRST = re.compile(rf"\b(\d{{1,2}})(?:st|[nr]d|th)? (?:of )?{_MONTH},? ?(\d{{4}})\b")
_YEAR_FIRST = re.compile(r"\b(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})\b|(\d{4})年(\d{1,2})月(\d{1,2})[日号]")
_FORMS = {
    "month-day-year": "{m:02d}-{d:02d}-{y}",
    "month/day/year": "{m:02d}/{d:02d}/{y}",
    "day-month-year": "{d:02d}-{m:02d}-{y}",
    "day/month/year": "{d:02d}/{m:02d}/{y}",
    "mm/dd/yy": "{m:02d}/{d:02d}/{y}",
    "mm-dd-yy": "{m:02d}-{d:02d}-{y}",
    "dd/mm/yy": "{d:02d}/{m:02d}/{y}",
    "dd-mm-yy": "{d:02d}-{m:02d}-{y}",
}


def find_dates(plain: str) -> Iterator[tuple[int, int]]:
    """Where dates with a month in words stand in a text in lower case.

    >>> list(find_dates("from july 10, 2022 on"))
    [(5, 18)]
    """
    for pattern in (_WORDED, _DAY_FIRST):
        yield from (match.span() for match in pattern.finditer(plain))


def as_wanted(said: str, description: str) -> str:
    """Write a date in the form that a description names, or year first; a date that is not clear stays as it is.

    >>> as_wanted("July 4th, 2022", ""), as_wanted("2022-07-04", "the day (DD/MM/YYYY)")
    ('2022-07-04', '04/07/2022')
    """
    date = _read(said.lower())
    if date is None:
        return said
    year, month, day = date
    wanted = description.lower()
    form = next((form for name, form in _FORMS.items() if name in wanted), "{y}-{m:02d}-{d:02d}")
    return form.format(y=year, m=month, d=day)


def _read(said: str) -> tuple[int, int, int] | None:
    if found := _WORDED.fullmatch(said):
        return int(found[3]), _NAMES.index(found[1]) + 1, int(found[2])
    if found := _DAY_FIRST.fullmatch(said):
        return int(found[3]), _NAMES.index(found[2]) + 1, int(found[1])
    if found := _YEAR_FIRST.fullmatch(said):
        year, month, day = (int(part) for part in found.groups() if part)
        return (year, month, day) if 1 <= month <= 12 and 1 <= day <= 31 else None
    return None

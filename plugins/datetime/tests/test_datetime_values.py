"""How values are read, and the laws that hold for all of them."""

from __future__ import annotations

import datetime as dt
from typing import Any
from zoneinfo import ZoneInfo

import ares_plugin_datetime
import pytest
from ares_plugin_datetime.amounts import Amount, read_amount
from ares_plugin_datetime.moments import iso
from ares_plugin_datetime.operations import run
from ares_plugin_datetime.reading import read
from ares_plugin_datetime.written import Home
from hypothesis import given
from hypothesis import strategies as st

from ares_core import ToolError

HOME = Home(dt.UTC, is_assumed=False)
ZONES = "Europe/Berlin America/New_York Asia/Kolkata Australia/Lord_Howe Africa/Monrovia Pacific/Apia America/Sao_Paulo"
days = st.dates(dt.date(1850, 1, 1), dt.date(2150, 12, 31))
zones = st.sampled_from([*map(ZoneInfo, ZONES.split()), dt.UTC, dt.timezone(dt.timedelta(hours=-3, minutes=-30))])
moments = st.datetimes(
    dt.datetime.fromisoformat("1850-01-01"), dt.datetime.fromisoformat("2150-12-31"), timezones=zones,
    allow_imaginary=False,
)  # fmt: skip


@pytest.fixture
def call(ares: Any) -> Any:
    ares.add(ares_plugin_datetime)
    return lambda **arguments: ares.call_sync("datetime", arguments)


@pytest.mark.parametrize(
    ("value", "read_as"),
    [
        ("2026-01-02", "2026-01-02"),
        ("20260102", "2026-01-02"),
        ("2026/1/2", "2026-01-02"),
        ("2026.01.02", "2026-01-02"),
        ("2026-002", "2026-01-02"),
        ("2026-W01-5", "2026-01-02"),
        ("2026W015", "2026-01-02"),
        ("2020-W53-7", "2021-01-03"),
        ("2 Jan 2026", "2026-01-02"),
        ("02-Jan-2026", "2026-01-02"),
        ("2nd of January 2026", "2026-01-02"),
        ("January 2, 2026", "2026-01-02"),
        ("Sept. 2 2026", "2026-09-02"),
        ("Friday, January 2nd, 2026", "2026-01-02"),
        ("2026年1月2日", "2026-01-02"),
        ("２０２６－０１－０２", "2026-01-02"),
        ("25/12/2026", "2026-12-25"),
        ("12/25/2026", "2026-12-25"),
        ("1.1.2026", "2026-01-01"),
        ("  2026-01-02 ", "2026-01-02"),
        ("2026-01-02T03:04", "2026-01-02T03:04:00+00:00"),
        ("2026-01-02T03", "2026-01-02T03:00:00+00:00"),
        ("2026-01-02t03:04:05z", "2026-01-02T03:04:05+00:00"),
        ("2026-01-02 03:04:05.5", "2026-01-02T03:04:05.500+00:00"),
        ("2026-01-02T03:04:05,123456789", "2026-01-02T03:04:05.123456+00:00"),
        ("20260102T030405Z", "2026-01-02T03:04:05+00:00"),
        ("2026-01-02T03:04:05-0330", "2026-01-02T03:04:05-03:30"),
        ("2026-01-02T03:04:05 +05", "2026-01-02T03:04:05+05:00"),
        ("2026-01-02T03:04:05\u221205:00", "2026-01-02T03:04:05-05:00"),
        ("2026-01-02T24:00", "2026-01-03T00:00:00+00:00"),
        ("2026-07-02 09:00 Europe/Paris", "2026-07-02T09:00:00+02:00"),
        ("2026-07-02T09:00[Europe/Paris]", "2026-07-02T09:00:00+02:00"),
        ("2026-07-02T09:00+02:00[Europe/Paris]", "2026-07-02T09:00:00+02:00"),
        ("2026-07-02T07:00Z[Europe/Paris]", "2026-07-02T09:00:00+02:00"),
        ("2026-07-02 09:00 UTC+5:30", "2026-07-02T09:00:00+05:30"),
        ("Jan 2, 2026 3pm", "2026-01-02T15:00:00+00:00"),
        ("2026-01-02 12:30 a.m.", "2026-01-02T00:30:00+00:00"),
        ("2026年1月2日14:30", "2026-01-02T14:30:00+00:00"),
        ("2026 年 1 月 2 日 14:30", "2026-01-02T14:30:00+00:00"),
        ("2026年1月2日下午3点半", "2026-01-02T15:30:00+00:00"),
        ("2026-01-02 上午9:05", "2026-01-02T09:05:00+00:00"),
        ("2026年1月2日凌晨12点", "2026-01-02T00:00:00+00:00"),
        ("2026年1月2日 15点08分", "2026-01-02T15:08:00+00:00"),
        ("Fri, 02 Jan 2026 03:04:05 GMT", "2026-01-02T03:04:05+00:00"),
        ("Fri Jan 02 2026 03:04:05 GMT+0100 (Central European Standard Time)", "2026-01-02T03:04:05+01:00"),
        ("unix:1700000000", "2023-11-14T22:13:20+00:00"),
        ("UNIX_MS:-1", "1969-12-31T23:59:59.999+00:00"),
    ],
)
def test_dates_are_read_as_people_and_programs_write_them(value: str, read_as: str) -> None:
    assert iso(read(value, HOME, [])) == read_as


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        ("01/02/2026", "2026-02-01 if the day comes first, 2026-01-02 if the month does"),
        ("1.2.2026", "has two meanings"),
        ("1/2/26", "year of two figures"),
        ("1700000000", "unix:1700000000, unix_ms:1700000000"),
        ("1700000000123", "unix_ms:1700000000123"),
        ("2026", "may be seconds"),
        ("2026-02-29", "February 2026 has no day 29, it has 28"),
        ("2026-04-31", "April 2026 has no day 31, it has 30"),
        ("2026-13-01", "no month 13"),
        ("0000-01-01", "years go from 1 to 9999"),
        ("2025-366", "2025 has no day number 366"),
        ("2026-000", "2026 has no day number 0"),
        ("2025-W53-1", "no day 2025-W53-1"),
        ("2026-W10-8", "no day 2026-W10-8"),
        ("2026-W10", "2026-W10-1 for its Monday"),
        ("Monday, 2 Jan 2026", "2026-01-02 is a Friday, not a Monday"),
        ("2 Foo 2026", "'Foo' is no month"),
        ("2026-01-02T25:00", "no time 25:00:00"),
        ("2026-01-02T24:01", "no time 24:01:00"),
        ("2026-01-02T23:59:60Z", "leap second"),
        ("2026-01-02 13:00 pm", "hours with am or pm go from 1 to 12"),
        ("2026-01-02 9", "Write 9:00"),
        ("2026-01-02Z", "without a time"),
        ("2026-07-02T09:00+05:00[Europe/Paris]", "is not at +05:00 in Europe/Paris"),
        ("2026-07-02 09:00 PST", "no time zone 'PST'"),
        ("2026-07-02T09:00[../../etc/passwd]", "no time zone"),
        ("12:30", "is no date that can be read"),
        ("tomorrow", "is no date that can be read"),
        ("unix:", "is no date that can be read"),
        ("unix:soon", "is no number of seconds"),
        ("2026-01-02T03:04:05.1234567890", "is no date that can be read"),
        ("\x00", "is no date that can be read"),
    ],
)
def test_what_has_no_one_meaning_is_refused_with_a_reason(call: Any, value: str, reason: str) -> None:
    error = call(operation="parse", value=value).error
    assert (error.code, error.blame) == ("tool_error", "input")
    assert reason in error.message
    assert "nothing was computed" in error.message


@pytest.mark.parametrize(
    "arguments",
    [
        {"operation": "add", "value": "9999-12-31", "amount": "P1D"},
        {"operation": "add", "value": "0001-01-01", "amount": "-1d"},
        {"operation": "add", "value": "2026-01-01", "amount": "P999999999999Y"},
        {"operation": "add", "value": "2026-01-01", "amount": "P999999999999D"},
        {"operation": "add", "value": "2026-01-01T00:00", "amount": "PT999999999999H"},
        {"operation": "convert", "value": "0001-01-01T00:00Z", "zone": "-10:00"},
        {"operation": "convert", "value": "9999-12-31T23:59Z", "zone": "Pacific/Auckland"},
        {"operation": "parse", "value": "9999-12-31T24:00"},
        {"operation": "parse", "value": "unix:999999999999999"},
        {"operation": "parse", "value": "-999999999999999", "format": "unix_ms"},
    ],
)
def test_beyond_the_years_1_to_9999_is_refused(call: Any, arguments: dict[str, str]) -> None:
    assert "outside the years 1 to 9999" in call(**arguments).error.message


def test_the_first_and_the_last_moment_are_told(call: Any) -> None:
    for value in ("0001-01-01T00:00Z", "9999-12-31T23:59:59.999999Z", "0001-01-01T00:00+14:00"):
        assert call(operation="parse", value=value).success
    apart = call(operation="diff", value="0001-01-01", other="9999-12-31").data
    assert (apart["days"], apart["calendar"]) == (3_652_058, "P9998Y11M30D")


def test_assumptions_are_noted(call: Any) -> None:
    assert "25/12/2026 was read as day, month, year" in call(operation="parse", value="25/12/2026").data["notes"]
    assert (
        "smaller than a microsecond" in call(operation="parse", value="2026-01-02T00:00:00.1234567Z").data["notes"][0]
    )
    assert "today is" in call(operation="parse", value="today").data["notes"][0]
    assert call(operation="parse", value="today", zone="UTC").data["notes"] == []


@given(moments)
def test_reading_takes_writing_back(moment: dt.datetime) -> None:
    again = read(iso(moment), HOME, [])
    assert isinstance(again, dt.datetime)
    assert again.astimezone(dt.UTC) == moment.astimezone(dt.UTC)


@given(days, st.sampled_from(["%d/%m/%Y", "%Y%m%d", "%A, %-d %B %Y", "%G-W%V-%u", "%Y %j", "%b %e, %Y"]))
def test_a_pattern_reads_what_it_writes(day: dt.date, pattern: str) -> None:
    written = run({"operation": "format", "value": day.isoformat(), "format": pattern})["output"]
    assert run({"operation": "parse", "value": written, "format": pattern})["output"] == day.isoformat()


@given(days, days)
def test_the_calendar_leads_from_one_day_to_the_other(start: dt.date, end: dt.date) -> None:
    apart = run({"operation": "diff", "value": start.isoformat(), "other": end.isoformat()})
    assert apart["days"] == (end - start).days
    for amount in (apart["calendar"], apart["output"]):
        added = run({"operation": "add", "value": start.isoformat(), "amount": amount})
        assert added["output"] == end.isoformat()


@given(moments, moments)
def test_the_calendar_leads_from_one_moment_to_the_other(start: dt.datetime, end: dt.datetime) -> None:
    zone = start.tzinfo.key if isinstance(start.tzinfo, ZoneInfo) else "UTC"
    apart = run({"operation": "diff", "value": iso(start), "other": iso(end), "zone": zone})
    for amount in (apart["calendar"], apart["output"]):
        added = run({"operation": "add", "value": iso(start), "amount": amount, "zone": zone})
        assert added["unix_ms"] == run({"operation": "parse", "value": iso(end)})["unix_ms"]


@given(st.integers(0, 10**6), st.integers(0, 10**6), st.integers(0, 10**15), st.sampled_from([1, -1]))
def test_an_amount_is_read_as_it_is_written(months: int, days: int, microseconds: int, sign: int) -> None:
    amount = Amount(sign * months, sign * days, sign * microseconds)
    assert read_amount(str(amount)) == amount


TEXTS = st.one_of(st.text(max_size=100), st.text("0123456789-/.:TZPDHMSWYw+ []年月日%adefgj", max_size=100))


@given(TEXTS, TEXTS, TEXTS)
def test_whatever_is_said_the_answer_is_data_or_a_sentence(value: str, form: str, amount: str) -> None:
    calls = [
        {"operation": "parse", "value": value},
        {"operation": "parse", "value": value, "format": form},
        {"operation": "format", "value": "2026-01-02T03:04Z", "format": form},
        {"operation": "add", "value": "2026-01-02T03:04Z", "amount": amount},
        {"operation": "now", "zone": value[:64]},
    ]
    for arguments in calls:
        try:
            assert run(arguments)["operation"] == arguments["operation"]
        except ToolError as error:
            assert error.blame == "input"
            assert "nothing was computed" in error.message

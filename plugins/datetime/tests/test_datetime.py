from __future__ import annotations

import datetime as dt
import time
from typing import Any

import ares_plugin_datetime
import pytest

from ares_core import Ares, ConfigError, Failure
from ares_core.testing import check_plugin

BERLIN = "Europe/Berlin"


@pytest.fixture
def call(ares: Any) -> Any:
    ares.add(ares_plugin_datetime)
    return lambda **arguments: ares.call_sync("datetime", arguments)


def test_the_plugin_stands_what_every_plugin_should() -> None:
    check_plugin(ares_plugin_datetime)


def test_the_examples_run(ares: Any, call: Any) -> None:
    for example in ares.registry.get("datetime").examples:
        assert call(**example).success


def test_now_is_now_in_the_zone_that_was_asked_for(call: Any) -> None:
    before = time.time()
    data = call(operation="now", zone="Asia/Kolkata").data
    assert before - 0.01 <= data["unix"] <= time.time()
    assert data["iso"].endswith("+05:30")
    assert dt.datetime.fromisoformat(data["iso"]).timestamp() == pytest.approx(data["unix"])


def test_now_says_its_zone_and_day(call: Any) -> None:
    text = call(operation="now").text
    today = dt.datetime.now(dt.UTC).strftime("%A")
    assert "UTC" in text
    assert "day" in text
    assert today in text or dt.datetime.now(dt.UTC).hour == 0


def test_every_answer_about_a_moment_has_the_same_keys(call: Any) -> None:
    keys = call(operation="now").data.keys()
    assert call(operation="parse", value="2026-01-02").data.keys() == keys
    assert call(operation="add", value="2026-01-02T03:04Z", amount="1d").data.keys() == keys


def test_a_moment_is_told_in_full(call: Any) -> None:
    assert call(operation="parse", value="2026-01-02T09:00:00.250+09:00").data == {
        "operation": "parse", "output": "2026-01-02T09:00:00.250+09:00", "format": "iso",
        "iso": "2026-01-02T09:00:00.250+09:00", "date": "2026-01-02", "time": "09:00:00.250", "zone": "+09:00",
        "offset": "+09:00", "unix": 1767312000.25, "unix_ms": 1767312000250, "weekday": 5, "week": "2026-W01-5",
        "day_of_year": 2, "notes": [],
    }  # fmt: skip


def test_a_whole_day_has_neither_time_nor_zone(call: Any) -> None:
    data = call(operation="parse", value="2026-01-02", zone="Asia/Tokyo").data
    assert (data["output"], data["time"], data["zone"], data["unix"]) == ("2026-01-02", None, None, None)


def test_the_same_moment_in_another_zone(call: Any) -> None:
    result = call(operation="convert", value="2026-07-01T09:00-04:00", zone="asia/tokyo")
    assert result.data["output"] == "2026-07-01T22:00:00+09:00"
    assert result.text == "2026-07-01T22:00:00+09:00 (Asia/Tokyo, Wednesday, week 2026-W27)"


def test_a_value_without_a_zone_is_read_in_the_one_that_is_named(call: Any) -> None:
    local = call(operation="convert", value="2026-07-01 09:00", from_zone="America/New_York", zone="UTC").data
    assert (local["output"], local["notes"]) == ("2026-07-01T13:00:00+00:00", [])
    assert call(operation="parse", value="2026-07-01 09:00", zone=BERLIN).data["offset"] == "+02:00"


def test_a_value_without_any_zone_is_taken_in_utc_and_that_is_said(call: Any) -> None:
    result = call(operation="convert", value="2026-07-01 09:00", zone=BERLIN)
    assert result.data["output"] == "2026-07-01T11:00:00+02:00"
    assert "names no zone: UTC was taken" in result.text


def test_the_zone_of_such_values_can_be_configured(ares_home: Any) -> None:
    with Ares(plugins=["ares_plugin_datetime"], config={"datetime": {"zone": "asia/tokyo"}}) as ares:
        data = ares.call_sync("datetime", {"operation": "parse", "value": "2026-07-01 09:00"}).data
    assert data["zone"] == "Asia/Tokyo"
    assert "Asia/Tokyo was taken" in data["notes"][0]


@pytest.mark.parametrize("section", [{"zone": "Europe/Pariss"}, {"zone": 5}, {"zone": ""}, {"zones": "UTC"}])
def test_a_wrong_section_is_told_with_its_key(ares_home: Any, section: Any) -> None:
    with pytest.raises(ConfigError, match=r"datetime\.zone"):
        Ares(plugins=["ares_plugin_datetime"], config={"datetime": section}).ready()


def test_a_time_that_the_clock_skips_is_moved_forward_and_that_is_said(call: Any) -> None:
    result = call(operation="parse", value="2026-03-29T02:30", zone=BERLIN)
    assert result.data["output"] == "2026-03-29T03:30:00+02:00"
    assert "does not exist in Europe/Berlin" in result.text


def test_of_a_time_that_comes_twice_the_first_is_taken_and_the_other_is_named(call: Any) -> None:
    result = call(operation="parse", value="2026-10-25T02:30", zone=BERLIN)
    assert result.data["output"] == "2026-10-25T02:30:00+02:00"
    assert "2026-10-25T02:30:00+01:00 for the second" in result.text
    second = call(operation="parse", value="2026-10-25T02:30:00+01:00", zone=BERLIN)
    assert (second.data["unix"] - result.data["unix"], second.data["notes"]) == (3600, [])


def test_days_go_by_the_clock_on_the_wall_and_hours_by_the_time_that_passes(call: Any) -> None:
    start = {"operation": "add", "value": "2026-03-28T12:00", "zone": BERLIN}
    assert call(**start, amount="P1D").data["output"] == "2026-03-29T12:00:00+02:00"
    assert call(**start, amount="PT24H").data["output"] == "2026-03-29T13:00:00+02:00"


@pytest.mark.parametrize(
    ("value", "amount", "result"),
    [
        ("2026-01-31", "P1M", "2026-02-28"),
        ("2024-01-31", "1mo", "2024-02-29"),
        ("2024-02-29", "P1Y", "2025-02-28"),
        ("2024-02-29", "-P4Y", "2020-02-29"),
        ("2026-03-31", "-1 month", "2026-02-28"),
        ("2026-01-31", "P1M1D", "2026-03-01"),
        ("2026-12-31", "2w", "2027-01-14"),
        ("2026-01-01T00:00Z", "1d2h", "2026-01-02T02:00:00+00:00"),
        ("2026-01-01T00:00Z", "1天2小时", "2026-01-02T02:00:00+00:00"),
        ("2026-01-31", "1个月", "2026-02-28"),
        ("2026-01-01T00:00Z", "-PT0.5S", "2025-12-31T23:59:59.500+00:00"),
        ("2026-01-01T00:00Z", "1 year, 2 months, 3 days", "2027-03-04T00:00:00+00:00"),
        ("2026-01-01T00:00Z", "1.5h", "2026-01-01T01:30:00+00:00"),
        ("2026-01-01T00:00Z", "P0D", "2026-01-01T00:00:00+00:00"),
        ("unix:0", "250ms", "1970-01-01T00:00:00.250+00:00"),
    ],
)
def test_adding_goes_by_the_calendar(call: Any, value: str, amount: str, result: str) -> None:
    assert call(operation="add", value=value, amount=amount).data["output"] == result


def test_a_day_that_a_month_does_not_have_is_said(call: Any) -> None:
    assert call(operation="add", value="2026-01-31", amount="P1M").data["notes"] == [
        "2026-02 has no day 31: its last day, 28, was taken"
    ]


@pytest.mark.parametrize(
    ("amount", "hint"),
    [
        ("1.5d", "hours"), ("P0.5Y", "months"), ("1M", "'mo' or 'min'"), ("5", "5d"), ("1d1d", "each once"),
        ("P", "P1M"), ("PT", "P1M"), ("P1DT", "P1M"), ("-", "P1M"), ("1d -2h", "P1M"), ("1:30", "P1M"),
        ("3 fortnights", "P1M"), ("P-1D", "P1M"), ("1e3d", "P1M"),
    ],
)  # fmt: skip
def test_what_is_no_duration_is_refused_with_a_hint(call: Any, amount: str, hint: str) -> None:
    error = call(operation="add", value="2026-01-01", amount=amount).error
    assert (error.code, error.blame) == ("tool_error", "input")
    assert hint in error.message


def test_whole_days_are_counted_in_days(call: Any) -> None:
    result = call(operation="diff", value="2024-01-01", other="2024-03-01")
    assert (result.data["days"], result.data["output"], result.data["calendar"]) == (60, "P60D", "P2M")
    assert result.text == "60 days from 2024-01-01 to 2024-03-01 (P2M by the calendar)"
    assert call(operation="diff", value="2024-03-01", other="2024-01-01").data["output"] == "-P60D"


def test_moments_are_apart_by_the_time_that_passes(call: Any) -> None:
    data = call(operation="diff", value="2026-03-28T12:00", other="2026-03-29T12:00", zone=BERLIN).data
    assert (data["output"], data["seconds"], data["calendar"]) == ("PT23H", 82_800, "P1D")
    assert call(operation="diff", value="unix:0", other="unix:0").data["output"] == "PT0S"


def test_a_day_and_a_moment_are_compared_at_midnight_and_that_is_said(call: Any) -> None:
    result = call(operation="diff", value="2026-10-25", other="2026-10-26T00:00", zone=BERLIN)
    assert result.data["seconds"] == 25 * 3600
    assert "2026-10-25 has no time" in result.text


@pytest.mark.parametrize(
    ("form", "written"),
    [
        ("date", "2026-03-05"), ("time", "07:08:09"), ("datetime", "2026-03-05 07:08:09"), ("week", "2026-W10-4"),
        ("ordinal", "2026-064"), ("rfc2822", "Thu, 05 Mar 2026 07:08:09 +0530"),
        ("ISO8601", "2026-03-05T07:08:09+05:30"),
        ("http", "Thu, 05 Mar 2026 01:38:09 GMT"), ("unix", "1772674689"), ("unix_ms", "1772674689000"),
        ("%d.%m.%y", "05.03.26"), ("%-d/%-m/%Y", "5/3/2026"), ("%A %e %B", "Thursday  5 March"),
        ("%I:%M %p", "07:08 AM"),
        ("%Y年%-m月%-d日", "2026年3月5日"), ("%H%M%S.%f%z", "070809.000000+0530"),
        ("%F %T %:z", "2026-03-05 07:08:09 +05:30"),
        ("%G-W%V-%u, day %j", "2026-W10-4, day 064"), ("100%% %%F", "100% %F"), ("%s", "1772674689"),
    ],
)  # fmt: skip
def test_a_moment_is_written_as_the_format_says(call: Any, form: str, written: str) -> None:
    result = call(operation="format", value="2026-03-05T07:08:09+05:30", format=form)
    assert (result.data["output"], result.text if form != "ISO8601" else written) == (written, written)


def test_early_years_keep_their_zeros(call: Any) -> None:
    assert call(operation="format", value="0005-01-02", format="%Y/%m/%d").data["output"] == "0005/01/02"


def test_a_format_of_another_kind_is_translated_in_the_hint(call: Any) -> None:
    message = call(operation="format", value="2026-01-02", format="DD/MM/YYYY HH:mm").error.message
    assert "%d/%m/%Y %H:%M" in message


@pytest.mark.parametrize("form", ["%c", "%x", "%Q", "%", "abc", "2006-01-02"])
def test_an_unknown_format_is_refused(call: Any, form: str) -> None:
    error = call(operation="format", value="2026-01-02", format=form).error
    assert (error.code, error.blame) == ("tool_error", "input")


def test_a_pattern_says_how_a_value_is_written(call: Any) -> None:
    def parsed(value: str, form: str) -> Any:
        return call(operation="parse", value=value, format=form).data["output"]

    assert parsed("03/04/2026", "%d/%m/%Y") == "2026-04-03"
    assert parsed("03/04/2026", "%m/%d/%Y") == "2026-03-04"
    assert parsed("2026-03-05 7:08 pm +0530", "%Y-%m-%d %I:%M %p %z") == "2026-03-05T19:08:00+05:30"
    assert parsed("Fri Jan  2 03:04:05 2026", "%a %b %e %H:%M:%S %Y") == "2026-01-02T03:04:05+00:00"
    assert parsed("2026-W10-4", "%G-W%V-%u") == "2026-03-05"
    assert parsed("26064", "%y%j") == "2026-03-05"
    assert parsed("1700000000", "unix") == "2023-11-14T22:13:20+00:00"
    assert parsed("1700000000123", "unix_ms") == "2023-11-14T22:13:20.123+00:00"


@pytest.mark.parametrize(
    ("value", "form", "reason"),
    [
        ("2026-01-02", "%d.%m.%Y", "is not written as"),
        ("2026-01", "%Y-%m", "does not say which day"),
        ("2026 2026", "%Y %Y", "twice"),
        ("31.02.2026", "%d.%m.%Y", "has no day 31"),
        ("Mon 02.01.2026", "%a %d.%m.%Y", "is a Friday"),
        ("2 Foo 2026", "%d %b %Y", "is no month"),
        ("soon", "unix", "is no number of seconds"),
        ("12:30", "%H:%M", "does not say which day"),
    ],
)
def test_a_value_that_does_not_fit_its_pattern_is_refused(call: Any, value: str, form: str, reason: str) -> None:
    assert reason in call(operation="parse", value=value, format=form).error.message


@pytest.mark.parametrize("zone", ["UTC", "utc", "Z", "gmt", "Etc/UTC", "+00:00", "UTC+0"])
def test_utc_has_many_names(call: Any, zone: str) -> None:
    assert call(operation="now", zone=zone).data["zone"] == "UTC"


@pytest.mark.parametrize(
    ("zone", "name"),
    [("europe/paris", "Europe/Paris"), ("America/New York", "America/New_York"), ("+0530", "+05:30"),
     ("UTC-3", "-03:00"),
     ("GMT+05:45", "+05:45"), ("America/Argentina/Buenos_Aires", "America/Argentina/Buenos_Aires")],
)  # fmt: skip
def test_a_zone_may_be_spelled_as_people_do(call: Any, zone: str, name: str) -> None:
    assert call(operation="now", zone=zone).data["zone"] == name


@pytest.mark.parametrize(
    ("zone", "hint"),
    [("Tokyo", "Asia/Tokyo"), ("Europe/Berlln", "Europe/Berlin"), ("PST", "abbreviations"), ("+25:00", "+05:30"),
     ("../../etc/passwd", "IANA"), ("/etc/localtime", "IANA"), ("posix/UTC", "Etc/UTC"), ("Factory", "IANA"),
     ("Mars/Phobos", "IANA")],
)  # fmt: skip
def test_an_unknown_zone_is_answered_with_near_ones(call: Any, zone: str, hint: str) -> None:
    error = call(operation="now", zone=zone).error
    assert (error.code, error.blame) == ("tool_error", "input")
    assert hint in error.message


def test_an_argument_that_the_operation_does_not_take_is_refused(call: Any) -> None:
    assert "now takes no 'value'" in call(operation="now", value="2026-01-01").error.message
    assert "add takes no 'other'" in call(operation="add", value="now", amount="1d", other="now").error.message


NEEDED = {
    "parse": {"value": "2026-01-01"},
    "format": {"value": "2026-01-01", "format": "iso"},
    "convert": {"value": "2026-01-01T00:00", "zone": "UTC"},
    "add": {"value": "2026-01-01", "amount": "P1D"},
    "diff": {"value": "2026-01-01", "other": "2026-01-02"},
}
EACH_NEEDED = [(operation, name) for operation, needed in NEEDED.items() for name in needed]


@pytest.mark.parametrize(("operation", "name"), EACH_NEEDED)
def test_a_missing_argument_is_named(call: Any, operation: str, name: str) -> None:
    rest = {key: value for key, value in NEEDED[operation].items() if key != name}
    error = call(operation=operation, **rest).error
    assert error.code == "invalid_arguments"
    assert [issue.pointer for issue in error.issues] == [f"/{name}"]


@pytest.mark.parametrize("wrong", [[], {}, ["2026-01-01", "x"], {"a": 1}, "", "9" * 5000, None, True, 1e300])
@pytest.mark.parametrize(("operation", "name"), EACH_NEEDED)
def test_a_wrong_argument_gives_a_code_and_a_sentence(call: Any, operation: str, name: str, wrong: Any) -> None:
    result = call(operation=operation, **{**NEEDED[operation], name: wrong})
    assert isinstance(result.error, Failure)
    assert result.error.code in ("invalid_arguments", "tool_error")
    assert result.error.blame == "input"
    assert len(result.error.message) > 20
    assert result.data is None


@pytest.mark.parametrize("operation", ["", "NOW!", "sleep", "x" * 1000, 5, None, []])
def test_an_unknown_operation_is_answered_with_those_there_are(call: Any, operation: Any) -> None:
    result = call(operation=operation)
    assert result.error.code == "invalid_arguments"
    assert all(known in result.text for known in ("now", "parse", "format", "convert", "add", "diff"))


def test_without_an_operation_only_that_is_missing(call: Any) -> None:
    assert [issue.pointer for issue in call().error.issues] == ["/operation"]

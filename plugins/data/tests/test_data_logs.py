from __future__ import annotations

from typing import Any

import ares_plugin_data
import pytest
from ares_plugin_data.lines import level_in
from hypothesis import given
from hypothesis import strategies as st

SIMPLE = """2026-01-02 03:04:05 ERROR disk full
    at /dev/sda1
2026-01-02T03:04:06.789Z [info] retry after ERROR
2026/01/02 03:04:07 WARN slow
no time and no level
"""
ACCESS = '1.2.3.4 - bob [10/Oct/2025:13:55:36 -0700] "GET /error?q=failed HTTP/1.1" 200 2326 "-" "agent"\n' * 2 + (
    '1.2.3.5 - - [10/Oct/2025:13:55:40 -0700] "POST /a HTTP/1.1" 503 - "http://x/" "say \\"hi\\""\n'
)
JSON_LINES = """{"time": "2026-01-02T03:04:05Z", "level": "warn", "msg": "low", "duration_ms": 12}
{"timestamp": 1767323045, "level": 50, "message": "down", "duration_ms": 30.5, "retries": 3}
"""
SYSLOG = """<34>Oct 11 22:14:15 host su[12]: login failed
<165>1 2026-10-11T22:14:15.003Z host app 7 ID47 [x y="z"] up
Oct 11 22:14:16 host cron: ERROR no space
"""


@pytest.fixture
def call(ares: Any) -> Any:
    ares.add(ares_plugin_data)
    return lambda operation, log_content, **more: ares.call_sync(
        "log_analyzer", {"operation": operation, "log_content": log_content, **more}
    )


@pytest.mark.parametrize(
    ("log", "name"),
    [
        (SIMPLE, "simple"),
        (ACCESS, "combined"),
        (ACCESS.replace(' "-" "agent"', "").replace(' "http://x/" "say \\"hi\\""', ""), "common"),
        (JSON_LINES, "json"),
        (SYSLOG, "syslog"),
    ],
)
def test_the_format_is_recognised(call: Any, log: str, name: str) -> None:
    assert call("parse_log", log).data["format"] == name


def test_simple_lines_have_time_level_and_words(call: Any) -> None:
    data = call("parse_log", SIMPLE).data
    assert data["entries"][0] == {
        "line_number": 1, "timestamp": "2026-01-02 03:04:05", "level": "ERROR",
        "message": "disk full\n    at /dev/sda1",
    }  # fmt: skip
    assert [(one["line_number"], one["level"]) for one in data["entries"]] == [
        (1, "ERROR"), (3, "INFO"), (4, "WARNING"), (5, None),
    ]  # fmt: skip
    assert data["levels"] == {"ERROR": 1, "WARNING": 1, "INFO": 1}
    assert (data["first"], data["last"]) == ("2026-01-02 03:04:05", "2026/01/02 03:04:07")


def test_access_lines_have_their_fields(call: Any) -> None:
    result = call("parse_log", ACCESS + "garbage\n")
    fields = result.data["entries"][2]["fields"]
    assert (fields["method"], fields["path"], fields["status"], fields["bytes"]) == ("POST", "/a", 503, None)
    assert fields["user_agent"] == 'say \\"hi\\"'
    assert (result.data["statuses"], result.data["unparsed"]) == ({"2xx": 2, "5xx": 1}, 1)
    assert "2 × 2xx" in result.text


def test_json_lines_have_level_message_and_the_rest(call: Any) -> None:
    first, second = call("parse_log", JSON_LINES).data["entries"]
    assert (first["timestamp"], first["level"], first["message"]) == ("2026-01-02T03:04:05Z", "WARNING", "low")
    assert (second["level"], second["fields"]) == ("ERROR", {"duration_ms": 30.5, "retries": 3})


def test_syslog_lines_have_the_level_of_their_priority(call: Any) -> None:
    entries = call("parse_log", SYSLOG).data["entries"]
    assert [one["level"] for one in entries] == ["FATAL", "NOTICE", "ERROR"]
    assert entries[0]["fields"] == {"host": "host", "process": "su", "pid": "12"}
    assert entries[1]["message"] == "up"


@pytest.mark.parametrize(
    ("line", "level"),
    [
        ("INFO retry after ERROR", "INFO"),
        ("ERROR while INFO", "ERROR"),
        ("[warn] low", "WARNING"),
        ("level=debug x", "DEBUG"),
        ("Error: no such file", "ERROR"),
        ("an error happened", None),
        ("INFORMATION", None),
        ("MIRROR ERRORS", None),
        ("PANIC now", "FATAL"),
    ],
)
def test_the_first_level_of_a_line_counts_and_no_part_of_a_word(line: str, level: str | None) -> None:
    assert level_in(line) == level


def test_errors_are_found_by_level_status_and_word_and_say_so(call: Any) -> None:
    log = "INFO 0 errors\nERROR disk full\nWARN connection timed out\nno errors\nerrors: 0\nall fine\nTraceback (most\n"
    result = call("find_errors", log)
    assert [(one["line_number"], one["matched_by"]) for one in result.data["errors"]] == [
        (2, "level ERROR"), (3, "the word 'timed out'"), (7, "the word 'traceback'"),
    ]  # fmt: skip
    assert result.text.startswith("3 lines tell of errors:\n2 (level ERROR): ERROR disk full")


def test_in_access_logs_only_the_status_counts(call: Any) -> None:
    errors = call("find_errors", ACCESS).data["errors"]
    assert [(one["line_number"], one["matched_by"]) for one in errors] == [(3, "status 503")]


def test_own_patterns_replace_the_usual_signs(call: Any) -> None:
    result = call("find_errors", "ERROR a\nOOM killed\noom again\n", error_patterns=[r"\boom\b"])
    assert (result.data["error_count"], result.data["patterns_used"]) == (2, [r"\boom\b"])


def test_no_error_is_an_answer(call: Any) -> None:
    result = call("find_errors", "all is well")
    assert (result.data["error_count"], result.text) == (0, "No errors found.")


def test_figures_come_with_their_units(call: Any) -> None:
    log = "took 12 ms\ntook 18.5ms, 5 sessions, CPU at 93%\n1,234 ms\n2 s for 3 requests, 20 requests/s\nheap 1.5 GB\n"
    metrics = call("extract_metrics", log).data["metrics"]
    assert {name: (found["unit"], found["count"]) for name, found in metrics.items()} == {
        "response_time_ms": ("ms", 3), "latency_seconds": ("s", 1), "cpu_percent": ("%", 1),
        "request_count": ("requests", 1), "throughput_rps": ("requests/s", 1), "memory_mb": ("MB", 1),
    }  # fmt: skip
    assert metrics["response_time_ms"] == {
        "unit": "ms", "count": 3, "min": 12.0, "max": 1234.0, "avg": 421.5, "sum": 1264.5,
    }  # fmt: skip
    assert metrics["memory_mb"]["max"] == 1500.0


def test_figures_of_fields_are_named_by_them(call: Any) -> None:
    metrics = call("extract_metrics", JSON_LINES).data["metrics"]
    assert (metrics["duration_ms"]["unit"], metrics["duration_ms"]["sum"]) == ("ms", 42.5)
    assert metrics["retries"]["unit"] is None
    assert call("extract_metrics", ACCESS).data["metrics"]["bytes"]["sum"] == 4652.0
    assert call("extract_metrics", "x latency_ms=7 y").data["metrics"]["latency_ms"]["max"] == 7.0


def test_own_metrics_are_found_besides(call: Any) -> None:
    result = call("extract_metrics", "queue=5\nqueue=7 in 3 ms", metric_patterns=[r"queue_length:queue=(\d+)"])
    assert result.data["metrics"]["queue_length"]["avg"] == 6.0
    assert "queue_length: 2 values, min 5, max 7" in result.text
    assert "response_time_ms: 1 value, min 3 ms" in result.text


def test_the_list_of_lines_has_a_limit_and_says_so(call: Any) -> None:
    log = "ERROR x\n" * 500
    errors = call("find_errors", log, max_results=2)
    assert (len(errors.data["errors"]), errors.data["error_count"], errors.data["truncated"]) == (2, 500, True)
    assert "498 more are not listed" in errors.text
    assert len(call("parse_log", log).data["entries"]) == 100


@given(st.text(alphabet="ERROINFWA:[]\n 0", max_size=60))
def test_the_same_log_always_gives_the_same(log: str) -> None:
    from ares_plugin_data.logs import run

    for operation in ("parse_log", "find_errors", "extract_metrics"):
        if log.strip():
            arguments = {"operation": operation, "log_content": log}
            assert run(arguments) == run(arguments)


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"operation": "find_errors", "error_patterns": ["("]}, "missing )"),
        ({"operation": "find_errors", "error_patterns": ["(?=a)"]}, "can't be used"),
        ({"operation": "extract_metrics", "metric_patterns": ["queue"]}, "name:regular expression"),
        ({"operation": "extract_metrics", "metric_patterns": [r"queue:\d+"]}, "has no group"),
        ({"operation": "parse_log", "error_patterns": ["a"]}, "takes no error_patterns"),
        ({"operation": "parse_log", "log_content": " \n "}, "the log is empty"),
        ({"operation": "parse_log", "log_content": "x\n" * 100_001}, "100,002 lines"),
    ],
)
def test_wrong_patterns_and_empty_logs_are_refused(ares: Any, more: dict[str, Any], words: str) -> None:
    ares.add(ares_plugin_data)
    result = ares.call_sync("log_analyzer", {"log_content": "a", **more})
    assert (result.success, result.error.blame) == (False, "input")
    assert words in result.error.message


@pytest.mark.parametrize(
    "arguments",
    [
        {},
        {"operation": "parse_log"},
        {"log_content": "a"},
        {"operation": "guess", "log_content": "a"},
        {"operation": "parse_log", "log_content": "a", "log_format": "xml"},
        {"operation": "parse_log", "log_content": "a", "max_results": 0},
        {"operation": "find_errors", "log_content": "a", "error_patterns": ["a"] * 21},
        {"operation": "find_errors", "log_content": "a", "error_patterns": [""]},
        {"operation": "parse_log", "log_content": "a", "path": "/var/log/syslog"},
        {"operation": "parse_log", "log_content": "a" * 2_000_001},
    ],
)
def test_arguments_that_do_not_fit_are_refused_before_anything_runs(ares: Any, arguments: dict[str, Any]) -> None:
    ares.add(ares_plugin_data)
    result = ares.call_sync("log_analyzer", arguments)
    assert result.error.code == "invalid_arguments"
    assert "Not executed" in result.text

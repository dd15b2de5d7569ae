from __future__ import annotations

import json
import socket
import threading
import time
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import ares_plugin_http
import pytest

from ares_core import ConfigError, hookimpl
from ares_core.testing import check_plugin


def test_text_comes_back_with_its_status_and_headers(request_: Any, server: Any) -> None:
    result = request_(server.says("/a", "hello", Content_Type="text/plain", ETag='"1"'))
    assert result.data == {
        "status": 200, "reason": "OK", "url": server.url + "/a", "bytes": 5, "truncated": False, "body": "hello",
        "headers": {"content-type": "text/plain", "etag": '"1"'},
    }  # fmt: skip
    assert "200 OK · text/plain · 5 bytes" in result.text
    assert "hello" in result.text


def test_json_is_given_as_text_and_as_value(request_: Any, server: Any) -> None:
    text = '{"id": 12345678901234567890, "price": 1.10}'
    result = request_(server.says("/a", text, Content_Type="application/problem+json"))
    assert result.data["body"] == text
    assert result.data["json"] == {"id": 12345678901234567890, "price": 1.1}


@pytest.mark.parametrize("text", ["{", "NaN", "[" * 100_000, "[" * 100 + "]" * 100, "1" * 5000, ""])
def test_what_only_calls_itself_json_stays_text(request_: Any, server: Any, text: str) -> None:
    result = request_(server.says("/a", text, Content_Type="application/json"))
    assert result.success
    assert "json" not in result.data
    assert result.data["body"] == text


@pytest.mark.parametrize(("status", "blame", "retriable"), [
    (400, "input", False), (401, "input", False), (404, "input", False), (429, "world", True), (500, "world", False),
    (503, "world", True),
])  # fmt: skip
def test_an_error_status_is_a_failure_that_still_has_the_body(
    request_: Any, server: Any, status: int, blame: str, retriable: bool
) -> None:
    result = request_(server.says("/a", "what is wrong", status, Retry_After="900"))
    assert (result.success, result.error.code) == (False, "tool_error")
    assert (result.error.blame, result.error.retriable) == (blame, retriable)
    assert (result.data["status"], result.data["body"]) == (status, "what is wrong")
    assert f"was answered {status}" in result.error.message
    assert "what is wrong" in result.text


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE"])
def test_a_json_body_is_sent_as_json(request_: Any, server: Any, method: str) -> None:
    assert request_(server.says("/a", "ok"), method=method, json={"name": "灯", "n": [1, 2]}).success
    _, _, headers, body = server.requests[0]
    assert (headers["content-type"], json.loads(body)) == ("application/json", {"name": "灯", "n": [1, 2]})


def test_a_given_content_type_wins_and_is_sent_once(request_: Any, server: Any) -> None:
    request_(server.says("/a", "ok"), method="POST", json={"a": 1}, headers={"content-type": "text/plain"})
    assert server.requests[0][2]["content-type"] == "text/plain"


def test_a_text_body_is_sent_as_it_stands(request_: Any, server: Any) -> None:
    request_(server.says("/a", "ok"), method="put", body="a=1&b=ü", headers={"X-Any": "thing"})
    method, _, headers, body = server.requests[0]
    assert (method, headers["x-any"], body.decode()) == ("PUT", "thing", "a=1&b=ü")


def test_head_gives_headers_only(request_: Any, server: Any) -> None:
    result = request_(server.says("/a", "hello", X_A="1"), method="HEAD")
    assert (result.data["headers"]["x-a"], result.data["body"]) == ("1", "")


@pytest.mark.parametrize(("arguments", "reason"), [
    ({"body": "a", "json": {}}, "both given"), ({"body": "a"}, "has no body"),
    ({"json": {}, "method": "HEAD"}, "has no body"),
    ({"headers": {"X-A": "1\r\nX-Evil: 1"}}, "line break"),
    ({"headers": {"X-A\r\nX-Evil": "1"}}, "no name of a header"),
    ({"headers": {"X-A": "a\0b"}}, "no header can have"), ({"headers": {"X-A": "snow ☃"}}, "no header can have"),
    ({"headers": {"": "1"}}, "no name of a header"), ({"headers": {"X A": "1"}}, "no name of a header"),
    ({"headers": {"Host": "internal"}}, "set by the HTTP client"),
    ({"headers": {"content-length": "0"}}, "set by the HTTP"),
    ({"headers": {"Transfer-Encoding": "chunked"}}, "set by the HTTP"),
    ({"headers": {"X-a": "1", "x-A": "2"}}, "twice"),
    ({"method": "POST", "body": "\ud800"}, "lone surrogate"),
])  # fmt: skip
def test_a_request_that_can_not_be_meant_is_not_sent(request_: Any, server: Any, arguments: Any, reason: str) -> None:
    result = request_(server.url, **arguments)
    assert not result.success
    assert reason in result.text
    assert server.requests == []


@pytest.mark.parametrize("arguments", [
    {}, {"url": None}, {"url": 5}, {"url": ""}, {"url": "http://a.test/" + "a" * 8000}, {"url": ["http://a.test"]},
    {"url": "http://a.test", "method": "BREW"}, {"url": "http://a.test", "method": 5}, {"url": "http://a.test", "x": 1},
    {"url": "http://a.test", "headers": "X: 1"}, {"url": "http://a.test", "headers": {"X": None}},
    {"url": "http://a.test", "headers": {f"X-{n}": "1" for n in range(65)}},
    {"url": "http://a.test", "headers": {"X": "a" * 8001}}, {"url": "http://a.test", "method": "POST", "json": 5},
    {"url": "http://a.test", "method": "POST", "body": "a" * 1_000_001},
    {"url": "http://a.test", "method": "POST", "body": {}},
])  # fmt: skip
def test_wrong_arguments_are_named_and_nothing_is_sent(make: Any, server: Any, arguments: Any) -> None:
    result = make().call_sync("http_request", arguments)
    assert not result.success
    assert result.error.code in ("invalid_arguments", "tool_error")
    assert len(result.error.message) > 20
    assert server.requests == []


def test_an_unknown_method_is_answered_with_those_there_are(request_: Any) -> None:
    assert '"OPTIONS"' in request_("http://a.test", method="BREW").text


def test_an_answer_is_cut_at_the_limit_and_says_so(make: Any, server: Any) -> None:
    server.says("/a", "ü" * 3000, Content_Type="text/plain")
    result = make(max_bytes=1001).call_sync("http_request", {"url": server.url + "/a"})
    assert (result.data["bytes"], result.data["truncated"], result.data["body"]) == (1001, True, "ü" * 500)
    assert "only the beginning was read, 1,001 bytes" in result.text


@pytest.mark.parametrize(("body", "kind", "text"), [
    (b"caf\xe9", "text/plain; charset=latin-1", "café"), ("灯".encode("gb18030"), "text/html; charset=GBK", "灯"),
    (b"\xef\xbb\xbfhi", "text/plain", "hi"), ("灯".encode("utf-16"), "", "灯"), (b"caf\xe9", "text/plain", "café"),
    (b'<meta charset="shift_jis">' + "灯".encode("shift_jis"), "text/html", '<meta charset="shift_jis">灯'),
    ("灯".encode(), "text/plain; charset=zlib_codec", "灯"), ("灯".encode(), "text/plain; charset=punycode", "灯"),
    (b"a\0b", "text/plain", "a\0b"), (b"hi", "", "hi"), (b"caf\xe9", "text/plain; charset=utf-8", "caf\ufffd"),
])  # fmt: skip
def test_text_is_decoded_as_it_was_meant(request_: Any, server: Any, body: bytes, kind: str, text: str) -> None:
    assert request_(server.says("/a", body, Content_Type=kind)).data["body"] == text


@pytest.mark.parametrize(("body", "kind", "size"), [
    (b"\x89PNG\r\n", "image/png", 123), (b"a\0b", "application/octet-stream", 3), (b"\xff\xfe\xfd", "", 3),
    (b"%PDF", "application/pdf", 123),
])  # fmt: skip
def test_binary_data_is_given_by_its_size_only(request_: Any, server: Any, body: bytes, kind: str, size: int) -> None:
    if body == b"\xff\xfe\xfd":
        body = b"\x00" + body[1:]
    result = request_(server.says("/a", body, Content_Type=kind, Content_Length="123" if size == 123 else str(size)))
    assert (result.data["binary"], result.data["bytes"]) == (True, size)
    assert "binary data, not shown" in result.text


def test_a_secret_that_the_server_sends_back_is_taken_out(request_: Any, server: Any) -> None:
    secret = "s3cr3tv4lue"
    url = server.says("/a", json.dumps({"you sent": secret}), Content_Type="application/json", X_Echo=secret)
    result = request_(url, headers={"Authorization": f"Bearer {secret}", "X-Api-Key": secret})
    assert server.requests[0][2]["x-api-key"] == secret
    assert secret not in str(result.data) + result.text


@pytest.mark.parametrize("method", ["GET", "PUT", "DELETE"])
def test_a_server_that_asks_to_wait_is_asked_again(request_: Any, server: Any, method: str) -> None:
    server.answers["/a"] = [(503, {"Retry-After": "0"}, b""), (429, {"Retry-After": "1"}, b""), (200, {}, b"ok")]
    started = time.monotonic()
    assert request_(server.url + "/a", method=method).data["body"] == "ok"
    assert len(server.requests) == 3
    assert time.monotonic() - started >= 1


@pytest.mark.parametrize("kind", ["seconds", "date"])
def test_a_wait_that_is_too_long_is_told_and_not_waited(request_: Any, server: Any, kind: str) -> None:
    then = format_datetime(datetime.now(UTC) + timedelta(hours=1), usegmt=True)
    wait = then if kind == "date" else "3600"
    result = request_(server.says("/a", "later", 429, Retry_After=wait))
    assert 3500 < result.data["retry_after_s"] <= 3600
    assert "It asks to wait" in result.error.message
    assert len(server.requests) == 1


@pytest.mark.parametrize("wait", ["soon", "-1", "1e9", "9" * 30, "", "Wed, 99 Foo 2025"])
def test_a_wait_that_is_none_is_left_out(request_: Any, server: Any, wait: str) -> None:
    assert "retry_after_s" not in request_(server.says("/a", "x", 400, Retry_After=wait)).data


@pytest.mark.parametrize("method", ["POST", "PATCH"])
def test_what_is_not_repeatable_is_sent_once(request_: Any, server: Any, method: str) -> None:
    server.answers["/a"] = [(503, {"Retry-After": "0"}, b""), (200, {}, b"ok")]
    assert request_(server.url + "/a", method=method, body="x").data["status"] == 503
    assert len(server.requests) == 1


def test_a_change_whose_answer_is_lost_has_an_unknown_outcome(request_: Any, server: Any) -> None:
    server.answers["/a"] = (0, {}, b"")
    result = request_(server.url + "/a", method="POST", body="x")
    assert (result.error.code, result.error.blame) == ("outcome_unknown", "world")
    assert "whether the POST took effect is unknown" in result.text
    assert len(server.requests) == 1


def test_a_read_whose_answer_is_lost_is_tried_again(request_: Any, server: Any) -> None:
    server.answers["/a"] = [(0, {}, b""), (200, {}, b"ok")]
    assert request_(server.url + "/a").data["body"] == "ok"


def test_a_change_that_reached_nobody_is_a_plain_failure(request_: Any) -> None:
    with socket.socket() as place:  # held, so that nobody else listens there
        place.bind(("127.0.0.1", 0))
        result = request_(f"http://127.0.0.1:{place.getsockname()[1]}", method="POST", body="x")
    assert result.error.code == "tool_error"
    assert "no connection" in result.text


def test_a_change_that_takes_too_long_has_an_unknown_outcome(make: Any, server: Any) -> None:
    over = threading.Event()

    def slow(handler: Any) -> Any:
        over.wait(60)
        return 0, {}, b""

    server.answers["/a"] = slow
    arguments = {"url": server.url + "/a", "method": "POST", "body": "x"}
    assert make().call_sync("http_request", arguments, timeout=1).error.code == "outcome_unknown"
    over.set()
    assert len(server.requests) == 1


@pytest.mark.parametrize(("method", "read_only", "idempotent"), [
    ("GET", True, True), ("head", True, True), ("OPTIONS", True, True), ("PUT", False, True), ("DELETE", False, True),
    ("POST", False, False), ("PATCH", False, False), (None, True, True),
])  # fmt: skip
def test_the_method_says_what_a_call_does(make: Any, method: Any, read_only: bool, idempotent: bool) -> None:
    effects = make().registry.get("http_request").effects({"url": "x", **({"method": method} if method else {})})
    assert (effects.read_only, effects.idempotent, effects.open_world) == (read_only, idempotent, True)
    assert effects.resources == ("host:{url}",)


def test_json_may_be_written_as_text(request_: Any, server: Any) -> None:
    request_(server.says("/a", "ok"), method="POST", json='{"a": 1}')
    assert json.loads(server.requests[0][3]) == {"a": 1}


def test_the_examples_run(request_: Any, make: Any, server: Any) -> None:
    server.answers["/items"] = server.answers["/items/7"] = (200, {}, b"[]")
    for example in make().registry.get("http_request").examples:
        local = example["url"].replace("https://api.example.com", server.url)
        assert request_(**{**example, "url": local}).success
    assert [method for method, *_ in server.requests] == ["GET", "POST", "DELETE"]


def test_a_wrong_key_is_a_configuration_error(make: Any) -> None:
    with pytest.raises(ConfigError, match=r"^http\.respect_robot .*did you mean http\.respect_robots"):
        make(respect_robot=True)


def test_without_a_network_nothing_is_sent(ares: Any) -> None:
    ares.add("ares_plugin_http")
    result = ares.call_sync("http_request", {"url": "http://example.com/"})
    assert (result.error.code, result.error.blame) == ("tool_error", "world")
    assert "no network provider" in result.text


def test_the_plugin_stands_what_every_plugin_should() -> None:
    check_plugin(ares_plugin_http)


class Files:
    """As much of a file access as saving takes."""

    def __init__(self) -> None:
        self.written: dict[str, bytes] = {}
        self.folders: list[str] = []

    @hookimpl
    def open_files(self) -> Any:
        return self

    def write(self, path: str, data: bytes, mode: int | None = None) -> int:
        self.written[path] = data
        return len(data)

    def mkdir(self, path: str) -> None:
        if path in self.folders:
            raise FileExistsError(path)
        self.folders.append(path)

    def open(self, path: str, mode: str = "rb") -> Any:
        raise NotImplementedError

    stat = list = rename = remove = None


def test_a_body_is_saved_in_a_file(make: Any, server: Any) -> None:
    ares, files = make(), Files()
    ares.add(files)
    url = server.says("/a/report.pdf", b"%PDF-1.7", Content_Type="application/pdf")
    for _ in range(2):
        result = ares.call_sync("http_request", {"url": url, "save_to": "downloads/"})
    assert files.folders == ["downloads"]
    assert (result.data["path"], files.written) == ("downloads/report.pdf", {"downloads/report.pdf": b"%PDF-1.7"})
    assert "saved to downloads/report.pdf" in result.text


def test_an_error_page_is_not_saved(request_: Any, server: Any) -> None:
    result = request_(server.says("/a", "gone", 404), save_to="a.txt")
    assert (result.success, result.data["body"]) == (False, "gone")
    assert "path" not in result.data


def test_saving_is_no_reading() -> None:
    assert not ares_plugin_http.effects({"url": "https://example.com", "save_to": "a"}).read_only

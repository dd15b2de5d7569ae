"""How ``pdf_tool`` keeps its limits, and what can be known of the process that does the reading."""

from __future__ import annotations

import asyncio
import fcntl
import os
import time
from collections.abc import Callable
from typing import Any

import pytest
from ares_plugin_pdf import child

from ares_core import ConfigError, ToolCall

Read = Callable[..., Any]
TEXT = {"operation": "text", "path": "a.pdf"}
SLOW = b"BT /F1 1 Tf " + b"1 1 Td (a) Tj " * 40_000 + b"ET"


@pytest.fixture
def five(write: Any) -> bytes:
    """Five pages, each with its number in words."""
    data: bytes = write.document(*map(write.shown, "one two three four five".split()))
    return data


def test_a_long_document_is_read_in_parts(limited: Any, five: bytes) -> None:
    first = limited(five, max_pages=2)
    assert [page["page"] for page in first.data["pages"]] == [1, 2]
    assert first.data["next"] == {"pages": "3-5"}
    assert "page 3-5 left out: one call gives at most 2 pages; go on with pages '3-5'" in first.text
    assert limited(five, first.data["next"], max_pages=3).data["text"] == "three\n\nfour\n\nfive"


def test_a_long_text_is_cut_and_says_where(limited: Any, write: Any) -> None:
    data = write.document(write.shown("a" * 80), write.shown("b" * 80), write.shown("c"))
    result = limited(data, max_characters=100)
    assert result.data["characters"] == 100
    assert result.data["next"] == {"pages": "3"}
    assert "page 2 was cut: one call gives at most 100 characters" in result.text


def test_what_was_read_before_time_was_up_is_given(limited: Any, write: Any) -> None:
    result = limited(write.document(write.shown("quick"), *[write.flate(SLOW)] * 200), seconds=1)
    assert result.success
    assert result.data["pages"][0]["text"] == "quick"
    assert "it took more than 1 s (pdf.seconds); go on with pages" in result.text
    assert result.data["next"]["pages"].endswith("-201")


def test_a_page_that_takes_too_long_is_named_with_the_others(
    limited: Any, five: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    put_in_place(monkeypatch, "say({'document': {'page_count': 2}})\nsys.stdin.buffer.read()\ntime.sleep(60)")
    result = limited(five, seconds=0.1)
    assert "reading page 1 was stopped: it took more than 0.1 s" in result.error.message
    assert "Try the other pages: '2'" in result.text


def test_a_file_that_is_too_large_is_not_read_to_its_end(limited: Any, five: bytes) -> None:
    result = limited(five + b" " * 3_000_000, max_mb=1)
    assert "a.pdf is larger than the 1 MB that are read" in result.error.message
    assert "pdf.max_mb" in result.text


def test_memory_is_bounded(limited: Any, write: Any) -> None:
    result = limited(
        write.document(write.flate(b"(a) " * 40_000_000)), memory_mb=128, max_unpacked_mb=1_000, seconds=60
    )
    assert not result.success
    assert "memory" in result.error.message or "harm" in result.error.message


def test_a_wrong_section_is_named(limited: Any, five: bytes) -> None:
    with pytest.raises(ConfigError, match=r"^pdf\.maximum in the config argument: there is no such key"):
        limited(five, maximum=5)


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "a.pdf is empty: it has 0 bytes"),
        (b"<!doctype html><title>x</title>", "a.pdf is not a PDF (it starts with '<!doctype html><title>x</title>')"),
        (b"\x89PNG\r\n\x1a\n" + bytes(50), "a.pdf is not a PDF"),
        (b"%PDF-1.7\n", "its end is missing"),
        (b" " * 2_000 + b"%PDF-1.7", "a.pdf is not a PDF"),
    ],
)
def test_what_is_no_pdf_is_told_apart(read: Read, data: bytes, reason: str) -> None:
    result = read(data)
    assert result.error.blame == "input"
    assert reason in result.error.message


def test_something_may_stand_before_the_mark(read: Read, five: bytes) -> None:
    assert read(b"HTTP/1.1 200 OK\r\n\r\n" + five).data["page_count"] == 5


@pytest.mark.parametrize(
    "arguments",
    [
        {}, {"operation": "text"}, {"path": "a.pdf"}, {**TEXT, "path": ""}, {**TEXT, "operation": None},
        {**TEXT, "operation": ["text", "outline"]}, {**TEXT, "path": {"a": 1}}, {**TEXT, "pages": {"from": 2}},
        {**TEXT, "pages": "1," * 400}, {**TEXT, "password": ["x"]}, {**TEXT, "password": "x" * 501},
        {**TEXT, "strict": True}, {**TEXT, "operation": "t" * 41}, {**TEXT, "path": "x" * 4097},
    ],
)  # fmt: skip
def test_wrong_arguments_read_nothing(patient: Any, files: Any, arguments: dict[str, Any]) -> None:
    before = len(files.opened)
    result = patient.call_sync("pdf_tool", arguments)
    assert result.error.code == "invalid_arguments"
    assert "Not executed" in result.text
    assert len(files.opened) == before


def test_pages_make_no_sense_for_the_whole_document(read: Read, five: bytes, files: Any) -> None:
    before = len(files.opened)
    assert "leave 'pages' out" in read(five, "metadata", pages="1").error.message
    assert len(files.opened) == before


def test_a_file_that_is_not_there_is_named(patient: Any) -> None:
    result = patient.call_sync("pdf_tool", {"operation": "text", "path": "nowhere.pdf"})
    assert "can't read nowhere.pdf: No such file or directory" in result.error.message


def test_without_a_file_provider_nothing_is_read(ares: Any) -> None:
    ares.add("ares_plugin_pdf")
    assert "no file provider is installed" in ares.call_sync("pdf_tool", TEXT).error.message


def test_the_examples_run(patient: Any, files: Any, five: bytes) -> None:
    files.held["report.pdf"] = five
    for example in patient.registry.get("pdf_tool").examples:
        assert patient.call_sync("pdf_tool", example).success


def test_only_the_file_is_named_as_touched(patient: Any) -> None:
    effects = patient.registry.get("pdf_tool").effects
    assert effects.read_only
    assert effects.resources == ("file:{path}",)


def put_in_place(monkeypatch: pytest.MonkeyPatch, code: str) -> None:
    """Run other code where the worker would run."""
    monkeypatch.setattr(
        child, "START", "import json, os, sys, time\nsay = lambda m: print(json.dumps(m), flush=True)\n" + code
    )


def ask() -> child.Heard:
    return child.ask({}, [b"x" * 1_000_000], child.Terms(1, float("inf"), 10_000))


def test_the_worker_gets_nothing_of_ours_but_the_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CANARY", "secret")
    with open(os.devnull, "rb") as file:
        secret = fcntl.fcntl(file, fcntl.F_DUPFD, 200)  # a number that no handle of the worker's own has; inheritable
    seen = "{'environment': list(os.environ), 'folder': os.getcwd(), 'files': os.listdir('/dev/fd')}"
    put_in_place(monkeypatch, f"sys.stdin.buffer.read()\nsay({seen})")
    (message,) = ask().messages
    os.close(secret)
    assert not {"CANARY", "PATH", "HOME"} & set(message["environment"])
    assert message["folder"] == "/"
    assert str(secret) not in message["files"]


def test_a_worker_that_breaks_down_is_no_harm(
    patient: Any, files: Any, five: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    files.held["a.pdf"] = five
    put_in_place(monkeypatch, "os.abort()")
    assert "the process that read it broke down" in patient.call_sync("pdf_tool", TEXT).error.message


@pytest.mark.parametrize(
    ("code", "stopped"),
    [
        ("while True: pass", "deadline"),
        ("if os.fork() == 0: time.sleep(60)\ntime.sleep(60)", "deadline"),
        ("while True: say('x' * 1000)", "output"),
        ("os.close(1)\ntime.sleep(60)", ""),
        ("", ""),
    ],
)
def test_nothing_of_a_worker_is_left(monkeypatch: pytest.MonkeyPatch, code: str, stopped: str) -> None:
    put_in_place(monkeypatch, f"sys.stdin.buffer.read()\nsay({{'pid': os.getpid()}})\n{code}")
    heard = ask()
    assert heard.stopped == stopped
    assert has_gone(-heard.messages[0]["pid"])


def test_a_worker_that_takes_nothing_in_is_no_harm(monkeypatch: pytest.MonkeyPatch) -> None:
    put_in_place(monkeypatch, "os.close(0)\nsay({'pid': os.getpid()})")
    assert has_gone(ask().messages[0]["pid"])


def test_a_cancelled_call_ends_its_worker(
    patient: Any, files: Any, five: bytes, monkeypatch: pytest.MonkeyPatch, tmp_path: Any
) -> None:
    files.held["a.pdf"] = five
    mark = tmp_path / "pid"
    put_in_place(monkeypatch, f"open({str(mark)!r}, 'w').write(str(os.getpid()))\nsay(1)\ntime.sleep(60)")

    async def cancel() -> None:
        task = asyncio.ensure_future(patient.call("pdf_tool", TEXT))
        for _ in range(6_000):
            await asyncio.sleep(0.01)
            if mark.exists() and mark.read_text():
                break
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)

    asyncio.run(cancel())
    assert has_gone(int(mark.read_text()))


def has_gone(pid: int) -> bool:
    """Whether a process (or, below 0, a group) is gone, or goes within a minute."""
    for _ in range(6_000):
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.01)
    return False


def test_several_files_are_read_side_by_side(patient: Any, files: Any, five: bytes) -> None:
    files.held["a.pdf"] = five

    async def all_at_once() -> Any:
        return await patient.call_many([ToolCall("pdf_tool", TEXT) for _ in range(6)])

    assert {result.data["text"] for result in asyncio.run(all_at_once())} == {"one\n\ntwo\n\nthree\n\nfour\n\nfive"}


def test_the_usual_limits_suit_a_usual_document(usual: Any, files: Any, five: bytes) -> None:
    files.held["a.pdf"] = five
    assert usual.call_sync("pdf_tool", TEXT).success

"""How text is recognised, cut into pages and shown: nothing is lost, doubled or guessed without a word."""

from __future__ import annotations

import io
import types
from typing import Any

import pytest
from ares_plugin_files.encodings import SAMPLE, for_writing, named, recognise
from ares_plugin_files.pages import PAGE
from ares_plugin_files.reading import page_of
from ares_plugin_files.source import Source
from ares_plugin_files.wording import written
from hypothesis import given
from hypothesis import strategies as st

from ares_core import ToolError

NOBODY: Any = types.SimpleNamespace(cancelled=False)


def read(data: bytes, **arguments: Any) -> dict[str, Any]:
    return page_of(Source("a.txt", io.BytesIO(data), NOBODY), arguments)


def pages(data: bytes, **arguments: Any) -> list[str]:
    """Read from beginning to end, each time as the page before says."""
    found, following = [], {"offset": 0}
    while following:
        page = read(data, **arguments | following)
        found.append(page["content"])
        following = page.get("next", {})
    return found


TEXT = st.text(st.sampled_from("ab\n\r\t é你😀\ufeff"), max_size=60)


@given(TEXT, st.integers(1, 20), st.sampled_from(["lines", "bytes"]), st.sampled_from(["utf-8", "utf-16", "gb18030"]))
def test_the_pages_together_are_the_file(text: str, limit: int, unit: str, encoding: str) -> None:
    data = text.encode({"utf-16": "utf-16-le"}.get(encoding, encoding))
    without_mark = text if encoding == "gb18030" else text.removeprefix("\ufeff")
    assert "".join(pages(data, limit=limit, unit=unit, encoding=encoding)) == without_mark


@given(st.binary(max_size=60), st.integers(1, 20))
def test_the_pages_of_any_bytes_together_are_the_file(data: bytes, limit: int) -> None:
    assert bytes.fromhex("".join(pages(data, limit=limit, encoding="hex"))) == data
    assert "".join(pages(data, limit=limit, encoding="latin-1")).encode("latin-1") == data


@given(st.binary(max_size=80))
def test_whatever_is_shown_as_text_can_be_written_back_unchanged(data: bytes) -> None:
    try:
        page = read(data)
    except ToolError as error:
        assert "binary file" in error.message
        return
    encoding = for_writing(None, data, is_whole=True)
    assert encoding.name == page["encoding"] or not data
    assert encoding.mark + page["content"].encode(encoding.codec) == data


@pytest.mark.parametrize(
    ("data", "name", "text"),
    [
        (b"", "utf-8", ""),
        (b"a\r\nb\r\n", "utf-8", "a\r\nb\r\n"),
        (b"a\r\nb\nc\r", "utf-8", "a\r\nb\nc\r"),
        (b"\xef\xbb\xbfa\n", "utf-8-sig", "a\n"),
        (b"caf\xe9\n", "latin-1", "café\n"),
        (b"\xba\xc3\xb0\xc9\n", "gb18030", "好吧\n"),
        ("GRÖßE".encode("latin-1"), "latin-1", "GRÖßE"),
        (b"\x93so\x94 \x96 caf\xe9", "cp1252", "“so” – café"),
        (b"\x81 \x93", "latin-1", "\x81 \x93"),
        (b"\xff\xfea\0b\0", "utf-16", "ab"),
        (b"\xfe\xff\0a\0b", "utf-16", "ab"),
        (b"\xff\xfe\0\0a\0\0\0", "utf-32", "a"),
        (b"\x1b[31mred\x1b[0m", "utf-8", "\x1b[31mred\x1b[0m"),
        ("你好".encode() * 20_000, "utf-8", "你好" * 4000),
    ],
)
def test_the_encoding_is_recognised_and_said(data: bytes, name: str, text: str) -> None:
    page = read(data)
    assert (page["encoding"], page["content"]) == (name, text)
    assert ("note" in page) == (name in ("latin-1", "cp1252", "gb18030"))


def test_a_character_cut_off_by_the_sample_is_no_reason_to_guess() -> None:
    for shift in range(4):
        head = (b"a" * shift + "😀".encode() * SAMPLE)[:SAMPLE]
        found = recognise(head)
        assert found is not None
        assert found.name == "utf-8"


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (b"\0\1\xff\0", "of unknown type"),
        (b"%PDF-1.7\n", "a PDF document"),
        (b"\x89PNG\r\n\x1a\n", "a PNG image"),
        (b"PK\x03\x04rest", "a ZIP archive"),
        (b"\x01\x02\x03\x04", "of unknown type"),
    ],
)
def test_what_is_no_text_is_told_with_type_size_and_digest(data: bytes, kind: str) -> None:
    with pytest.raises(ToolError) as refusal:
        read(data)
    for part in (kind, f"{len(data)} bytes", "sha256", "not shown"):
        assert part in refusal.value.message


def test_a_name_for_the_encoding_wins() -> None:
    assert read(b"\xe4\xbd\xa0", encoding="latin-1")["content"] == "ä½\xa0"
    assert read(b"\0\1", encoding="hex")["content"] == "0001"
    assert read(b"\0\1", encoding="base64")["content"] == "AAE="
    assert named("utf-16", b"\xfe\xff\0a").codec == "utf-16-be"
    with pytest.raises(ToolError, match="no utf-8 text: invalid start byte"):
        read(b"a\xff", encoding="utf-8")


def test_lines_are_counted_from_anywhere() -> None:
    data = b"".join(b"%d\n" % number for number in range(100_000))
    page = read(data, offset=50_000, limit=2)
    assert (page["content"], page["lines"], page["total_lines"]) == ("50000\n50001\n", 2, 100_000)
    assert page["next"] == {"offset": 50_002, "unit": "lines"}
    with pytest.raises(ToolError, match="has only 100,000 lines"):
        read(data, offset=100_000)


def test_a_line_without_end_is_given_in_parts() -> None:
    data = b"x" * 100_000 + b"\nend"
    assert [len(page) for page in pages(data)] == [PAGE] * 4 + [100_004 - 4 * PAGE]
    assert "".join(pages(data, offset=1)).startswith("x")


def test_a_page_in_bytes_begins_and_ends_with_whole_characters() -> None:
    data = "a😀b".encode()
    assert pages(data, unit="bytes", limit=1) == ["a", "😀", "b"]
    page = read(data, unit="bytes", offset=3)
    assert (page["content"], page["offset"]) == ("b", 5)


@pytest.mark.parametrize("text", ["word " * 20_000, "你好\n" * 20_000, "line\n" * 20_000, "é" * 30_000])
@pytest.mark.parametrize("unit", ["lines", "bytes"])
def test_what_a_model_reads_fits_and_says_exactly_where_to_go_on(text: str, unit: str) -> None:
    arguments: dict[str, Any] = {"offset": 0, "unit": unit, "limit": 1_000_000}
    shown, following = "", "0"
    while following:
        said = written(read(text.encode(), **arguments)) or ""
        assert len(said) < 40_000
        content, bracket, remark = said.rpartition("[this is ")
        shown += content if bracket else said
        following = remark.rstrip("]").partition("go on with offset ")[2]
        offset, _, in_bytes = following.partition(", unit ")
        arguments |= {"offset": int(offset or 0), "unit": in_bytes or unit}
    assert shown.replace("\n", "") == text.replace("\n", "")

"""What ``pdf_tool`` reads, what it says of what it can't read, and how it keeps its limits."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ares_plugin_pdf
import pytest
from ares_plugin_pdf import ranges
from hypothesis import given
from hypothesis import strategies as st

from ares_core.testing import check_plugin

Read = Callable[..., Any]


@pytest.fixture
def five(write: Any) -> bytes:
    """Five pages, each with its number in words."""
    data: bytes = write.document(*map(write.shown, "one two three four five".split()))
    return data


def test_the_plugin_is_one() -> None:
    check_plugin(ares_plugin_pdf)


def test_the_text_comes_page_by_page(read: Read, five: bytes) -> None:
    result = read(five)
    assert [(page["page"], page["text"]) for page in result.data["pages"]][:2] == [(1, "one"), (2, "two")]
    assert result.data["page_count"] == 5
    assert result.data["text"] == "one\n\ntwo\n\nthree\n\nfour\n\nfive"
    assert result.data["notes"] == []


@pytest.mark.parametrize(
    ("pages", "found"),
    [
        ("2-3,5", [2, 3, 5]), ("4", [4]), ("4-", [4, 5]), ("-2", [1, 2]), ("all", [1, 2, 3, 4, 5]),
        (" 1 , 3 - 4 ", [1, 3, 4]), ("5,1", [5, 1]), ("2,2,1-3", [2, 1, 3]), ("2–3、5", [2, 3, 5]), ("２－３", [2, 3]),
        ("3-999999999", [3, 4, 5]), (2, [2]), ([2, 3], [2, 3]), (["1", "4-5"], [1, 4, 5]), ("[2, 3]", [2, 3]),
    ],
)  # fmt: skip
def test_pages_are_those_asked_for(read: Read, five: bytes, pages: Any, found: list[int]) -> None:
    assert [page["page"] for page in read(five, pages=pages).data["pages"]] == found


@pytest.mark.parametrize(
    "pages", ["0", "-", "a", "1-2-3", "3-1", "1.5", "1e9", "2 3", "-0", "--3", "9999999999", "²", "1;rm"]
)
def test_what_is_no_page_range_is_refused_with_the_shape_of_one(read: Read, five: bytes, pages: str) -> None:
    result = read(five, pages=pages)
    assert result.error.blame == "input"
    assert "'2-3,5'" in result.error.message
    assert "Nothing was read" in result.error.message


@pytest.mark.parametrize("pages", [0, -1, [2, -1]])
def test_pages_are_not_counted_from_the_end(read: Read, five: bytes, pages: Any) -> None:
    assert "expected at least 1" in read(five, pages=pages).error.message


@pytest.mark.parametrize("end", [b"", b"%%E", b"%%EOF"])
def test_the_mark_at_the_end_may_be_missing(read: Read, five: bytes, end: bytes) -> None:
    assert read(five.replace(b"%%EOF\n", end)).data["page_count"] == 5


def test_pages_that_are_not_there_are_named(read: Read, five: bytes) -> None:
    assert "a.pdf has 5 pages, and none of those asked for is among them" in read(five, pages="7,9-12").error.message
    assert read(five, pages="4-9").data["notes"] == ["the document has 5 pages; page 9 is not among them"]


@given(st.lists(st.integers(1, 60), min_size=1, unique=True))
def test_a_written_range_reads_as_the_same_pages(pages: list[int]) -> None:
    assert ranges.laid_onto(ranges.parse(ranges.written(pages)), 60) == pages


@pytest.mark.parametrize("operation", ["text", "extract_text", "Extract Text", "TEXT"])
def test_operations_may_be_spelled_as_people_do(read: Read, five: bytes, operation: str) -> None:
    assert read(five, operation).data["operation"] == "text"


def test_an_unknown_operation_is_answered_with_those_there_are(read: Read, five: bytes) -> None:
    for operation in ("", "delete", "text;metadata"):
        message = read(five, operation).error.message
        assert "text, metadata, outline, form_fields" in message


def test_chinese_text_is_read(read: Read, write: Any) -> None:
    data = write.with_map(b"1 beginbfchar", b"<6161> <6C495B57>", b"endbfchar")
    assert read(data).data["text"] == "汉字汉字"


def test_a_scanned_page_says_that_it_has_no_text(read: Read, write: Any) -> None:
    image = write.stream(b"\xff\0\xff\0", b"/Type /XObject /Subtype /Image /Width 2 /Height 2 /BitsPerComponent 8")
    result = read(write.document(b"/X Do", b"/X Do", page=b"/XObject << /X 4 0 R >>", more=(image,)))
    assert result.success
    assert "no text layer on page 1-2 (scanned?)" in result.text
    assert "OCR" in result.text


def test_a_blank_page_is_not_called_scanned(read: Read, write: Any) -> None:
    result = read(write.document(b"", write.shown("b")))
    assert result.data["notes"] == ["no text and no image on page 1"]


def test_a_damaged_page_loses_only_itself(read: Read, write: Any) -> None:
    result = read(write.document(write.shown("a"), write.flate(b" " * 60_000_000), write.shown("c")))
    assert [page["text"] for page in result.data["pages"]] == ["a", "", "c"]
    assert "unpacks to more" in result.data["pages"][1]["problem"]
    assert "page 2 unpacks to more" in result.text


def test_metadata_says_who_when_and_what_is_inside(read: Read, write: Any) -> None:
    info = b"/Info << /Title (A \\(good\\) title) /Author <FEFF6C495B57> /CreationDate (D:20240229120000+01'00') >>"
    data = write.in_trailer(write.document(write.shown("a"), root=b"/OpenAction << /S /JavaScript /JS (x) >>"), info)
    result = read(data, "metadata")
    found = result.data["metadata"]
    assert (found["title"], found["author"], found["version"]) == ("A (good) title", "汉字", "1.7")
    assert found["created"] == "2024-02-29T12:00:00+01:00"
    assert found["first_page_points"] == [300.0, 200.0]
    assert found["holds"] == ["an action for when it is opened"]
    assert "title: A (good) title" in result.text


def test_the_outline_has_levels_and_pages(read: Read, write: Any) -> None:
    items = (
        b"<< /First 5 0 R >>", b"<< /Title (Part) /First 6 0 R /Next 7 0 R /Dest [8 0 R /Fit] >>",
        b"<< /Title (Chapter) /Dest [10 0 R /Fit] >>", b"<< /Title (End) >>",
    )  # fmt: skip
    result = read(write.document(write.shown("a"), write.shown("b"), root=b"/Outlines 4 0 R", more=items), "outline")
    assert result.data["outline"] == [
        {"level": 1, "title": "Part", "page": 1}, {"level": 2, "title": "Chapter", "page": 2},
        {"level": 1, "title": "End"},
    ]  # fmt: skip
    assert "Part … page 1\n  Chapter … page 2\nEnd" in result.text


def test_form_fields_have_kinds_values_and_choices(read: Read, write: Any) -> None:
    fields = (
        b"<< /FT /Tx /T (name) /V (Ada) >>",
        b"<< /FT /Btn /T (agree) /V /Yes /AP << /N << /Yes null /Off null >> >> >>",
        b"<< /FT /Ch /T (colour) /V (red) /Opt [(red) (green)] >>", b"<< /FT /Tx /T (empty) >>",
    )  # fmt: skip
    root = b"/AcroForm << /Fields [4 0 R 5 0 R 6 0 R 7 0 R] >>"
    result = read(write.document(write.shown("a"), root=root, more=fields), "form_fields")
    found = {field["name"]: field for field in result.data["form_fields"]}
    assert found["name"] == {"name": "name", "kind": "text", "value": "Ada"}
    assert (found["agree"]["kind"], found["agree"]["value"]) == ("button", "Yes")
    assert found["colour"]["choices"] == ["red", "green"]
    assert "empty (text): (empty)" in result.text


def test_a_document_without_outline_or_form_says_so(read: Read, five: bytes) -> None:
    assert "It has no outline." in read(five, "outline").text
    assert "It has no form fields." in read(five, "form_fields").text

from __future__ import annotations

import resource
import time
from typing import Any

import pytest

PAGE = """<!doctype html>
<html lang="de"><head><title>
  Lamps &amp;
  more</title><meta name="description" content="All lamps"><style>p { color: red }</style>
<script>
document.write("<p>from a script</p>");
</script></head><body>
<nav><a href="/nav">Navigation</a></nav><div hidden>hidden one</div><div style="display:none">hidden two</div>
<main><h1>Lamps</h1><p>A <b>bright</b> lamp, <a href="big?x=1#top">big</a> or <a href="//other.test/small">small</a>,
<a href="javascript:alert(1)">run</a> <a href="big?x=1">again</a>.</p>
<ul><li>red<li>blue</ul><pre><code>x = 1
y = 2</code></pre><table><tr><th>Name<th>Price<tr><td>灯<td>5</table></main>
<form><button>Buy</button></form><footer>Imprint</footer></body></html>"""
HOSTILE = {
    "deep": "<div>" * 200_000, "deep lists": "<ul><li>" * 100_000, "many tags": "<p>a" * 250_000,
    "attributes": "<a " + "a=1 " * 200_000 + ">",
    "names": "<a " + " ".join(f"a{n}" for n in range(120_000)) + ">",
    "cells": "<td colspan=1000 rowspan=1000>a" * 30_000,
    "coded cells": "<td colspan=&#49;000>a" * 30_000, "open": "<" * 1_000_000, "comments": "<!--" * 250_000,
    "base": "<base href=/" + "b" * 1900 + "/>" + "<a href=x>y" * 70_000,
    "long base": f"<base href='{'b' * 500_000}'>" + "<a href=x>y" * 30_000,
    "entities": "&amp" * 250_000, "scripts": "<script>" * 100_000, "nul": "\0" * 1_000_000,
    "head": "<meta name=a content=b>" * 40_000,
    "brackets": "[" * 500_000 + "](" * 250_000, "blank": " \n" * 500_000, "tables": "<table><tr><td>" * 60_000,
    "selectors": "<nav><form><aside>" * 50_000, "quotes": "<blockquote>a" * 70_000,
    "images": "<img src=a alt=b>" * 55_000,
}  # fmt: skip


def test_a_page_becomes_markdown(scrape: Any, server: Any) -> None:
    result = scrape(server.says("/shop/", PAGE, Content_Type="text/html; charset=utf-8"))
    data = result.data
    assert (data["title"], data["description"], data["language"]) == ("Lamps & more", "All lamps", "de")
    assert data["content"].startswith("# Lamps\n\nA **bright** lamp, [big](")
    assert f"]({server.url}/shop/big?x=1#top)" in data["content"]
    assert "| 灯 | 5 |" in data["content"]
    assert "x = 1\ny = 2" in data["content"]
    assert result.text.splitlines()[1] == "# Lamps & more"


@pytest.mark.parametrize("style", ["markdown", "text"])
def test_what_a_person_does_not_see_is_left_out(scrape: Any, server: Any, style: str) -> None:
    content = scrape(server.says("/", PAGE, Content_Type="text/html"), format=style).data["content"]
    for unseen in ("color: red", "from a script", "hidden", "Navigation", "Buy", "Imprint", "---"):
        assert unseen not in content.replace("| --- | --- |", "")


def test_text_has_no_marks(scrape: Any, server: Any) -> None:
    content = scrape(server.says("/", PAGE, Content_Type="text/html"), format="text").data["content"]
    assert content.startswith("Lamps\n\nA bright lamp, big or small,")
    assert "**" not in content
    assert "](" not in content


def test_the_whole_page_has_what_lies_around(scrape: Any, server: Any) -> None:
    content = scrape(server.says("/", PAGE, Content_Type="text/html"), whole_page=True).data["content"]
    assert "Navigation" in content
    assert "Imprint" in content
    assert "hidden" not in content


def test_links_are_whole_addresses_each_once(scrape: Any, server: Any) -> None:
    result = scrape(server.says("/shop/", PAGE, Content_Type="text/html"), links=True)
    assert result.data["links"] == [
        {"text": "big", "url": f"{server.url}/shop/big?x=1"}, {"text": "small", "url": "http://other.test/small"},
    ]  # fmt: skip
    assert "2 links:\n- big: " in result.text


def test_the_page_may_say_what_links_start_from(scrape: Any, server: Any) -> None:
    page = '<base href="/b/"><a href="x">y</a><a href="http://[">z</a><a href="mailto:a@b">m</a>'
    result = scrape(server.says("/", page, Content_Type="text/html"), links=True)
    assert [link["url"] for link in result.data["links"]] == [f"{server.url}/b/x"]


def test_long_content_is_read_in_parts(scrape: Any, server: Any) -> None:
    words = " ".join(f"word{n}" for n in range(1000))
    url = server.says("/", f"<p>{words}</p>", Content_Type="text/html")
    first = scrape(url, max_length=100)
    assert f"(characters 0 to 100 of {len(words):,}; read on with offset 100)" in first.text
    parts = [scrape(url, max_length=3000, offset=offset).data["content"] for offset in range(0, len(words), 3000)]
    assert "".join(parts) == words
    assert "behind the end" in scrape(url, offset=len(words)).error.message


@pytest.mark.parametrize(
    ("kind", "body"), [("text/plain", "just <b>text</b>"), ("application/json", '{"a": 1}'), ("", "no html")]
)
def test_what_is_no_html_is_given_as_it_is(scrape: Any, server: Any, kind: str, body: str) -> None:
    assert scrape(server.says("/", body, Content_Type=kind)).data["content"] == body


@pytest.mark.parametrize("kind", ["image/png", "application/pdf", "application/octet-stream"])
def test_what_is_no_text_is_an_error(scrape: Any, server: Any, kind: str) -> None:
    result = scrape(server.says("/", b"\0\1\2", Content_Type=kind))
    assert result.error.blame == "input"
    assert f"is no page but {kind}" in result.text


@pytest.mark.parametrize(("status", "blame"), [(404, "input"), (403, "input"), (500, "world")])
def test_an_error_page_is_no_page(scrape: Any, server: Any, status: int, blame: str) -> None:
    result = scrape(server.says("/", "<p>oops</p>", status, Content_Type="text/html"))
    assert (result.success, result.error.blame) == (False, blame)
    assert f"was answered {status}" in result.text


@pytest.mark.parametrize("page", ["", " ", "<html>", "<script>1</script>", "<title>T</title>"])
def test_a_page_without_text_says_so(scrape: Any, server: Any, page: str) -> None:
    result = scrape(server.says("/", page, Content_Type="text/html"))
    assert result.data["content"] == ""
    assert "no text" in result.text


def test_a_line_at_the_beginning_is_content(scrape: Any, server: Any) -> None:
    page = "<hr><p>one</p><hr><p>two</p>"
    assert scrape(server.says("/", page, Content_Type="text/html")).data["content"] == "---\n\none\n\n---\n\ntwo"


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.parametrize("style", ["markdown", "text"])
def test_a_hostile_page_costs_little(scrape: Any, server: Any, name: str, style: str) -> None:
    url = server.says("/", HOSTILE[name][:1_000_000], Content_Type="text/html")
    before, started = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.monotonic()
    result = scrape(url, format=style, links=True)
    assert result.success
    assert time.monotonic() - started < 20
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 100_000


@pytest.mark.parametrize("arguments", [
    {}, {"url": 5}, {"url": ""}, {"url": "http://a.test/", "format": "pdf"},
    {"url": "http://a.test/", "links": "perhaps"},
    {"url": "http://a.test/", "max_length": 0}, {"url": "http://a.test/", "max_length": 10**9},
    {"url": "http://a.test/", "offset": -1}, {"url": "http://a.test/", "offset": 0.5},
    {"url": "http://a.test/", "x": 1},
    {"url": "a" * 8001}, {"url": "http://a.test/", "whole_page": []},
])  # fmt: skip
def test_wrong_arguments_are_named(make: Any, server: Any, arguments: Any) -> None:
    result = make().call_sync("web_scraper", arguments)
    assert not result.success
    assert len(result.error.message) > 20
    assert server.requests == []


@pytest.mark.parametrize(("robots", "status", "read"), [
    ("User-agent: *\nDisallow: /private", 200, False), ("User-agent: *\nDisallow: /other", 200, True),
    ("", 404, True), ("", 503, False),
    ("User-agent: ares\nDisallow: /", 200, False), ("User-agent: someone\nDisallow: /", 200, True),
    ("\0<html>", 200, True),
])  # fmt: skip
def test_robots_txt_is_asked_if_that_is_wanted(make: Any, server: Any, robots: str, status: int, read: bool) -> None:
    server.says("/robots.txt", robots, status, Content_Type="text/plain")
    url = server.says("/private/page", "<p>hi</p>", Content_Type="text/html")
    result = make(respect_robots=True).call_sync("web_scraper", {"url": url})
    assert result.success is read
    assert len(server.requests) == 1 + read
    assert read or "robots.txt" in result.text


def test_a_hostile_robots_txt_costs_little(make: Any, server: Any) -> None:
    rules = "\n".join(
        [
            "User-agent: *",
            *("Disallow: /" + "*a" * 40 + "$" for _ in range(200)),
            *("Disallow: /*a*a*a*a*b$" for _ in range(200)),
        ]
    )
    server.says("/robots.txt", rules, Content_Type="text/plain")
    url = server.says("/" + "a" * 2000, "<p>hi</p>", Content_Type="text/html")
    started = time.monotonic()
    assert make(respect_robots=True).call_sync("web_scraper", {"url": url}).success
    assert time.monotonic() - started < 20


def test_the_examples_run(scrape: Any, make: Any, server: Any) -> None:
    server.says("/", PAGE, Content_Type="text/html")
    server.says("/news", PAGE, Content_Type="text/html")
    for example in make().registry.get("web_scraper").examples:
        assert scrape(**{**example, "url": example["url"].replace("https://example.com", server.url)}).success

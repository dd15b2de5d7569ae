from __future__ import annotations

import json
import socket
import time
from typing import Any

import ares_plugin_web_search
import pytest
from ares_plugin_web_search.answers import web_address

from ares_core import ConfigError
from ares_core.testing import check_plugin

DUCKDUCKGO = """<div class="results"><div class="result results_links"><div class="links_main result__body">
<h2 class="result__title"><a href="https://a.test/?q=1%262">First &amp; best</a></h2>
<a class="result__snippet" href="https://a.test/?q=1%262">A piece  of <b>text</b></a></div></div>
<div class="result"><div class="links_main result__body">
<h2><a href="//duckduckgo.com/l/?uddg=https%3A%2F%2Fb.test%2Fx">Second</a></h2>
<a class="result__snippet" href="//duckduckgo.com/l/?uddg=https%3A%2F%2Fb.test%2Fx">More</a></div></div>
<div class="result"><div class="links_main result__body"><h2><a href="https://duckduckgo.com/y.js?ad=1">Advert</a></h2>
<a href="https://duckduckgo.com/y.js?ad=1">Buy</a></div></div></div>"""
MOJEEK = """<ul class="results-standard"><li><h2><a href="https://a.test/">First</a></h2><p class="s">A piece</p></li>
<li><h2><a href="javascript:alert(1)">Bad</a></h2><p class="s">x</p></li></ul>"""
BRAVE = """<div data-type="web"><a href="https://a.test/"><div class="title">First</div></a>
<div class="snippet"><div class="content">A piece</div></div></div>"""
PAGES = {"duckduckgo": DUCKDUCKGO, "mojeek": MOJEEK, "brave": BRAVE}
RESULTS = {
    "results": [
        {"url": f"https://a.test/{n}", "title": f"Title {n}", "content": "some\n text",
        "engine": "duckduckgo"} for n in range(30)
    ],
    "suggestions": ["other words"], "corrections": [], "unresponsive_engines": [],
}  # fmt: skip


@pytest.fixture
def searxng(search: Any, server: Any) -> Any:
    def run(body: Any, status: int = 200, **arguments: Any) -> Any:
        server.status, server.kind = status, "application/json"
        server.body = body if isinstance(body, str) else json.dumps(body)
        return search({"base_url": server.url + "/searx"}, **{"query": "AI news", **arguments})

    return run


@pytest.fixture
def keyless(search: Any, server: Any) -> Any:
    def run(body: str, status: int = 200, provider: str = "duckduckgo", **arguments: Any) -> Any:
        server.status, server.body = status, body
        return search({"provider": provider}, **{"query": "AI news", **arguments})

    return run


def test_searxng_gives_numbered_results(searxng: Any, server: Any, network: Any) -> None:
    result = searxng(RESULTS, max_results=2)
    assert result.data == {
        "query": "AI news", "provider": "searxng", "count": 2, "suggestions": ["other words"],
        "results": [
            {"title": "Title 0", "url": "https://a.test/0", "snippet": "some text", "engine": "duckduckgo"},
            {"title": "Title 1", "url": "https://a.test/1", "snippet": "some text", "engine": "duckduckgo"},
        ],
    }  # fmt: skip
    assert (
        "2 results for 'AI news' from searxng\n1. Title 0\n   https://a.test/0\n   some text\n2. Title 1" in result.text
    )
    assert network.opened == [("operator", server.url + "/searx", server.url + "/searx/search")]


def test_searxng_is_asked_for_what_is_wanted(searxng: Any, server: Any) -> None:
    searxng(RESULTS, query=" 天气 ", language="zh-CN", time_range="week", page=3)
    assert server.asked[0] == {
        "path": "/searx/search", "cookie": "", "q": "天气", "format": "json", "pageno": "3", "safesearch": "1",
        "language": "zh-CN", "time_range": "week",
    }  # fmt: skip


@pytest.mark.parametrize(("arguments", "count"), [({}, 10), ({"max_results": 1}, 1), ({"max_results": 50}, 30)])
def test_there_are_never_more_results_than_wanted(searxng: Any, arguments: Any, count: int) -> None:
    assert searxng(RESULTS, **arguments).data["count"] == count


def test_no_results_are_a_success_when_the_engines_answered(searxng: Any) -> None:
    result = searxng({"results": [], "unresponsive_engines": []})
    assert (result.success, result.data["count"]) == (True, 0)
    assert "0 results" in result.text


@pytest.mark.parametrize(("body", "status", "reason"), [
    ({"results": [], "unresponsive_engines": [["google", "CAPTCHA"], ["bing",
    "timeout"]]}, 200, "google CAPTCHA, bing timeout"),
    ("<html>Forbidden</html>", 403, "does not give JSON"), ("Too Many Requests", 429, "keeps machines out"),
    ("<html>Please solve the captcha</html>", 200, "keeps machines out"),
    ("<html>hello</html>", 200, "no JSON of results"),
    ("[]", 200, "no JSON of results"), ({"results": 5}, 200, "no JSON of results"),
    ("[" * 100_000, 200, "no JSON of results"),
    ("", 500, "answered 500"), ("", 404, "answered 404"), ("x" * 1_100_000, 200, "longer than 1,000,000 bytes"),
])  # fmt: skip
def test_an_answer_without_results_is_an_error(searxng: Any, body: Any, status: int, reason: str) -> None:
    result = searxng(body, status)
    assert (result.success, result.error.code, result.error.blame) == (False, "tool_error", "world")
    assert reason in result.text


def test_what_is_odd_in_an_answer_is_left_out(searxng: Any) -> None:
    odd = [
        None,
        5,
        {},
        {"url": "javascript:alert(1)"},
        {"url": "http://["},
        {"url": ["x"]},
        {"url": "https://a.test/", "title": None, "content": 5},
    ]
    result = searxng({"results": odd, "suggestions": 5, "corrections": [{}], "unresponsive_engines": [[], "x"]})
    assert result.data["results"] == [
        {"title": "https://a.test/", "url": "https://a.test/", "snippet": "5", "engine": ""}
    ]


@pytest.mark.parametrize("provider", PAGES)
def test_an_engine_without_a_key_gives_results(keyless: Any, network: Any, provider: str) -> None:
    result = keyless(PAGES[provider], provider=provider)
    assert result.data["results"][0]["url"].startswith("https://a.test/")
    assert result.data["results"][0]["title"].startswith("First")
    assert result.data["results"][0]["snippet"].startswith("A piece")
    assert (network.opened[0][0], network.opened[0][2][:8]) == ("argument", "https://")


def test_addresses_are_whole_and_adverts_left_out(keyless: Any) -> None:
    assert [found["url"] for found in keyless(DUCKDUCKGO).data["results"]] == [
        "https://a.test/?q=1%262",
        "https://b.test/x",
    ]


@pytest.mark.parametrize(("provider", "asked"), [
    ("duckduckgo", {"path": "/html/", "q": "AI news", "l": "de-de", "df": "w", "s": "10"}),
    ("mojeek", {"path": "/search", "q": "AI news", "s": "11", "cookie": "arc=de; lb=de"}),
    ("brave", {"path": "/search", "q": "AI news", "tf": "pw", "offset": "1", "cookie": "de=de; useLocation=0"}),
])  # fmt: skip
def test_an_engine_is_asked_for_what_is_wanted(keyless: Any, server: Any, provider: str, asked: Any) -> None:
    keyless(PAGES[provider], provider=provider, language="de", time_range="week", page=2)
    assert asked.items() <= server.asked[0].items()


@pytest.mark.parametrize(
    "page", ["No results found for AI news", "<p>No pages found matching</p>", "did not match any documents"]
)
def test_an_empty_page_that_says_so_is_an_empty_result(keyless: Any, page: str) -> None:
    assert keyless(page).data["count"] == 0


@pytest.mark.parametrize(("page", "status", "reason"), [
    ('<div class="anomaly-modal__title">Unfortunately, bots use DuckDuckGo too.</div>', 202, "with status 202"),
    ('<div class="anomaly-modal">select all squares</div>', 200, "a proof that a person is there"),
    ("<title>Just a moment...</title>", 200, "a proof"), ("Sorry, unusual traffic", 200, "a proof"),
    ("", 429, "status 429"),
    ("", 403, "status 403"), ("captcha", 503, "status 503"),
    ("<html><body>Welcome</body></html>", 200, "does not say that there are none"),
    ("", 200, "does not say"), ("<", 200, "does not say"), ("\0", 200, "does not say"), ("down", 500, "answered 500"),
])  # fmt: skip
def test_a_page_that_keeps_machines_out_is_no_empty_result(keyless: Any, page: str, status: int, reason: str) -> None:
    result = keyless(page, status)
    assert (result.success, result.error.blame) == (False, "world")
    assert reason in result.text


def test_words_that_were_searched_for_are_no_sign_of_a_block(keyless: Any) -> None:
    assert keyless("No results for captcha solver", query="captcha solver").data["count"] == 0


def test_no_connection_is_opened_past_the_network(keyless: Any, network: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    hosts, ask = [], socket.getaddrinfo

    def resolve(host: Any, *more: Any, **options: Any) -> Any:
        hosts.append(host)
        return ask(host, *more, **options)

    monkeypatch.setattr(socket, "getaddrinfo", resolve)
    for provider, page in PAGES.items():
        assert keyless(page, provider=provider).success
    assert set(hosts) <= {"127.0.0.1", None}
    assert len(network.opened) == len(PAGES)


def test_another_address_may_stand_in_for_an_engine(search: Any, server: Any, network: Any) -> None:
    server.body = MOJEEK
    assert search({"provider": "mojeek", "base_url": server.url}, query="x").success
    assert network.opened == [("operator", server.url, server.url + "/search")]


@pytest.mark.parametrize("page", [
    "<a " + " ".join(f"a{n}=1" for n in range(120_000)) + ">", "<div>" * 150_000,
    DUCKDUCKGO.replace("First", "&lt;" * 200_000),
    "<div class=body>" * 50_000, DUCKDUCKGO * 1000, "&lt;" * 250_000,
])  # fmt: skip
def test_a_hostile_page_costs_little(keyless: Any, page: str) -> None:
    started = time.monotonic()
    keyless(page[:999_000])
    assert time.monotonic() - started < 20


def test_without_a_provider_the_tool_is_listed_and_says_what_to_configure(ares: Any) -> None:
    ares.add("ares_plugin_web_search")
    assert ares.registry.list_tool_names() == ["web_search"]
    result = ares.call_sync("web_search", {"query": "AI news"})
    assert (result.error.code, result.call.name) == ("tool_error", "web_search")
    assert "web_search.base_url" in result.text
    assert "nothing was searched" in result.text


@pytest.mark.parametrize("arguments", [
    {}, {"query": ""}, {"query": "   "}, {"query": None}, {"query": 5.5, "max_results": 0}, {"query": "x" * 401},
    {"query": ["a", "b"]},
    {"query": "x", "max_results": 51}, {"query": "x", "max_results": "many"}, {"query": "x", "language": "english"},
    {"query": "x", "language": "de\r\nX: 1"}, {"query": "x", "time_range": "hour"}, {"query": "x", "page": 0},
    {"query": "x", "pageno": 2},
])  # fmt: skip
def test_wrong_arguments_are_named_and_nothing_is_asked(search: Any, server: Any, arguments: Any) -> None:
    result = search({"base_url": server.url}, **arguments)
    assert result.error.code == "invalid_arguments"
    assert server.asked == []


@pytest.mark.parametrize("query", ["a\r\nb", "\0", "x&format=html#", "../../etc", "'; drop", "\u202e", "𝄞" * 400])
def test_an_odd_query_is_sent_as_it_is(searxng: Any, server: Any, query: str) -> None:
    assert searxng(RESULTS, query=query).success
    assert (server.asked[0]["q"], server.asked[0]["format"]) == (query.strip(), "json")


@pytest.mark.parametrize("config", [
    {"provider": "bing"}, {"provider": "searxng"}, {"base_url": "localhost:8888"}, {"base_url": "file:///etc/passwd"},
    {"searxng_url": "http://a.test"}, {"safe_search": "maybe"}, {"base_url": 5},
])  # fmt: skip
def test_a_wrong_section_is_a_configuration_error_that_names_the_key(search: Any, config: Any) -> None:
    with pytest.raises(ConfigError, match=r"^web_search\.\w+ "):
        search(config, query="x")


@pytest.mark.parametrize(("url", "address"), [
    ("https://duckduckgo.com/l/?uddg=", ""), ("//duckduckgo.com/l/?uddg=javascript%3A1", ""), ("ftp://a.test/", ""),
    ("/x", ""),
    ("https://duckduckgo.com/l/?uddg=https%3A%2F%2Fduckduckgo.com%2Fl%2F", ""),
    ("https://a.test/l/?uddg=x", "https://a.test/l/?uddg=x"),
])  # fmt: skip
def test_only_addresses_on_the_web_are_given(url: str, address: str) -> None:
    assert web_address(url) == address


def test_the_examples_run(search: Any, server: Any) -> None:
    server.body = json.dumps(RESULTS)
    for example in ares_plugin_web_search.EXAMPLES:
        assert search({"base_url": server.url}, **example).success


def test_the_plugin_stands_what_every_plugin_should() -> None:
    check_plugin(ares_plugin_web_search)

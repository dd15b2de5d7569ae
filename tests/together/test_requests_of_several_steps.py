"""Requests that need several steps: what becomes of each, and how the steps hang together."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ares_core import Ares, Effects, ToolError, tool

ROOT = Path(__file__).parents[2]
PLUGINS = sorted(path.parent.name for path in ROOT.glob("plugins/*/pyproject.toml"))
READS = Effects(read_only=True)
LINK = "https://example.com/a.pdf"
CHAIN = [
    ("http_request", {"url": LINK, "method": "GET", "save_to": "downloads/"}, {}),
    ("pdf_tool", {"operation": "text"}, {"path": ["s1"]}),
    ("embedding", {"operation": "embed"}, {"text": ["s2"]}),
]
Step = tuple[str, dict[str, Any], dict[str, list[str]]]


def hashed(name: str, text: str | None = None, after: str = "") -> Step:
    given = {"operation": name, "input": text} if text is not None else {"operation": name}
    return "hash_tool", given, {"input": [after]} if after else {}


def changed(name: str, text: str | None = None, after: str = "", **more: Any) -> Step:
    given = {"operation": name, "input": text} if text is not None else {"operation": name}
    return "string_utils", {**given, **more}, {"input": [after]} if after else {}


def computed(expression: str) -> Step:
    return "calculator", {"expression": expression}, {}


PLANS: dict[str, list[Step]] = {
    f"download the PDF at {LINK}, extract the text and embed it": CHAIN,
    f"下载{LINK}，提取文字，然后向量化": CHAIN,
    f"download {LINK} and extract its text": CHAIN[:2],
    f"先下载{LINK}，再提取文字，最后求文字的sha256": [*CHAIN[:2], hashed("sha256", after="s2")],
    "先计算1到100的和，再求它的sha256": [computed("100*(100+1)/2"), hashed("sha256", after="s1")],
    "compute the sum from 1 to 100 and then sha256 it": [computed("100*(100+1)/2"), hashed("sha256", after="s1")],
    "uppercase 'abc', then reverse it, then base64 encode it": [
        changed("upper", "abc"),
        changed("reverse", after="s1"),
        hashed("base64_encode", after="s2"),
    ],
    "先把“abc”反转，然后转成大写，最后求md5": [
        changed("reverse", "abc"),
        changed("upper", after="s1"),
        hashed("md5", after="s2"),
    ],
    'take the md5 of "x", then the sha1 of that, then base64 it': [
        hashed("md5", "x"),
        hashed("sha1", after="s1"),
        hashed("base64_encode", after="s2"),
    ],
    "md5 of 'a' and sha256 of 'b', then join them with '-'": [
        hashed("md5", "a"),
        hashed("sha256", "b"),
        ("string_utils", {"operation": "join", "delimiter": "-"}, {"join_items": ["s1", "s2"]}),
    ],
    "求“a”的md5，求“b”的sha256，然后把两个结果用“-”连接起来": [
        hashed("md5", "a"),
        hashed("sha256", "b"),
        ("string_utils", {"operation": "join", "delimiter": "-"}, {"join_items": ["s1", "s2"]}),
    ],
    "reverse 'abc' and uppercase 'def'": [changed("reverse", "abc"), changed("upper", "def")],
    "反转“abc”，并把“def”转成大写": [changed("reverse", "abc"), changed("upper", "def")],
    "hello的md5和sha1": [hashed("md5", "hello"), hashed("sha1", "hello")],
    "uppercase hello and reverse": [changed("upper", "hello"), changed("reverse", after="s1")],
    "sum of 1 and 2, product of 3 and 4": [computed("sum(1,2)"), computed("product(3,4)")],
    "add 1 and 2, multiply 3 and 4": [computed("sum(1,2)"), computed("3*4")],
    "5加5等于多少？“x”的md5是什么？": [computed("5+5"), hashed("md5", "x")],
    "compute 2+3 and 4+5, then add the results": [computed("sum(2+3,4+5)")],
    "compute 7 factorial, then divide by 10, then sha256 it": [
        computed("(factorial(7))/10"),
        hashed("sha256", after="s1"),
    ],
    "search the web for red pandas, then count the words": [
        ("web_search", {"query": "red pandas"}, {}),
        changed("count", after="s1", unit="words"),
    ],
    "读取notes.txt，统计单词数": [
        ("file_tools", {"operation": "read", "path": "notes.txt"}, {}),
        changed("count", after="s1", unit="words"),
    ],
    "extract the text of report.pdf, uppercase it and save it to out.txt": [
        ("pdf_tool", {"operation": "text", "path": "report.pdf"}, {}),
        changed("upper", after="s1"),
        ("file_tools", {"operation": "write", "path": "out.txt"}, {"content": ["s2"]}),
    ],
    "fetch https://example.com/a.json, then pretty-print it": [
        ("http_request", {"url": "https://example.com/a.json", "method": "GET"}, {}),
        ("json_tools", {"operation": "pretty"}, {"data": ["s1"]}),
    ],
}


@pytest.fixture(scope="module")
def everything() -> Iterator[Ares]:
    with Ares(plugins=PLUGINS) as ares:
        yield ares


@pytest.mark.parametrize("request_", PLANS)
def test_each_step_takes_what_was_meant(everything: Ares, request_: str) -> None:
    found = everything.plan(request_)
    assert found.error is None, found.error
    steps: list[Step] = []
    for step in found.steps:
        taken: dict[str, list[str]] = {}
        for binding in step.bindings:
            taken.setdefault(binding.argument, []).append(binding.step)
        assert sorted(step.depends_on) == sorted({name for names in taken.values() for name in names})
        steps.append((step.tool, dict(step.arguments), taken))
    assert steps == PLANS[request_]


@pytest.mark.parametrize(
    ("request_", "value"),
    [
        ("crc32 of 'a' and crc32 of 'b', then join them with '-'", "e8b7be43-71beeff9"),
        ("compute 2+3 and 4+5, then add the results", 14),
        ("generate a uuid, uppercase it and count the letters", 36),
        ("把“你好”用base64编码，然后反转，再统计字符数", 8),
    ],
)  # fmt: skip
def test_the_last_step_has_the_value(everything: Ares, request_: str, value: object) -> None:
    data = everything.ask_sync(request_).data
    assert data.get("result", data.get("output")) == value


def test_a_file_is_handed_on_as_its_path_and_its_text_as_text() -> None:
    with Ares(plugins=["rules-en"]) as ares:

        @tool(capabilities=["Download"])
        def downloader(url: str) -> dict[str, str]:
            """Save what is at an address."""
            return {"path": f"saved/{url.rpartition('/')[2]}", "url": url}

        @tool(capabilities=["TextExtraction"], effects=READS)
        def reader(path: str) -> dict[str, str]:
            """Give the text of a file."""
            return {"text": f"text of {path}"}

        @tool(capabilities=["Embedding"], effects=READS)
        def embedder(text: str) -> dict[str, Any]:
            """Give the vector of a text."""
            return {"vector": [len(text)], "of": text}

        for one in (downloader, reader, embedder):
            ares.register(one)
        result = ares.ask_sync(f"download the PDF at {LINK}, extract the text and embed it")
    assert result.success, result.text
    assert result.data["of"] == "text of saved/a.pdf"
    assert [step.call.name for step in result.steps if step.call] == ["downloader", "reader", "embedder"]


def test_a_step_that_fails_leaves_the_finished_ones_in_the_answer_and_names_those_not_begun() -> None:
    with Ares(plugins=["rules-en", "calculator", "hash"]) as ares:

        @tool(capabilities=["StringManipulation"], effects=READS)
        def shouter(input: str, operation: str) -> str:
            """Change a text."""
            raise ToolError("the voice is gone", blame="world")

        ares.register(shouter)
        result = ares.ask_sync("compute 2+3, then uppercase it, then md5 it")
    assert result.error is not None
    assert (result.error.code, result.data) == ("step_failed", {"s1": {"expression": "2+3", "result": 5}})
    assert "the voice is gone" in result.error.message
    assert "Not executed: s3." in result.error.message

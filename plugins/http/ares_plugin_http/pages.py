"""HTML to title, content and links, through html-to-markdown; hostile pages are made harmless first."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import urljoin, urlsplit

from msgspec import Struct

MOST_TAGS = 50_000
MOST_LINKS = 200
MOST_SPANNED = 20_000
LONGEST_BASE = 2000
MOST_RESOLVED = 3_000_000
DEEPEST = 200
ALWAYS_OUT = ["iframe", "svg", "math", "textarea", "select", "button", "[aria-hidden=true]"]
AROUND = ["nav", "header nav", "aside", "footer", "form", "[role=navigation]", "[role=banner]", "[role=contentinfo]"]
_BASE = re.compile(r"<base\s[^>]{0,200}?href\s{0,9}=\s{0,9}[\"']?([^\"'\s>]{1,2000})", re.IGNORECASE)
_BASE_TAG = re.compile(r"<base\b", re.IGNORECASE)
_SPAN = re.compile(r"(?:col|row)span(?:\s{0,9}=\s{0,9}[\"']?\s{0,9}([0-9]{1,4})(?![0-9]))?", re.IGNORECASE)
_BLANK_LINES = re.compile(r"\n{3,}")


class Page(Struct, frozen=True):
    """What a person would see of a page."""

    title: str
    description: str
    language: str
    content: str
    links: tuple[dict[str, str], ...]
    is_cut: bool


def read(html: str, url: str, style: str, whole: bool) -> Page:
    """Read a page; ``style`` is ``markdown`` or ``text``, ``whole`` keeps what lies around the content."""
    import html_to_markdown as converter

    html, is_cut = _bounded(html)
    base = urljoin(url, found[1]) if (found := _BASE.search(html[:100_000])) else url
    preprocessing = converter.PreprocessingOptions(
        enabled=not whole, remove_navigation=not whole, remove_forms=not whole
    )
    options = converter.ConversionOptions(
        output_format="plain" if style == "text" else "markdown",
        exclude_selectors=ALWAYS_OUT if whole else ALWAYS_OUT + AROUND,
        preprocessing=preprocessing,
        base_url=base if _may_resolve(base, html) else None,
        inline_data_media="alt_text_only",
        compact_tables=True,
        include_blockquote_citations=False,
        max_depth=DEEPEST,
    )
    result = converter.convert(_harmless(html), options)
    document = result.metadata.document
    return Page(
        _line(document.title), _line(document.description), _line(document.language),
        _BLANK_LINES.sub("\n\n", _without_front_matter(result.content or "")).strip(),
        tuple(_links(result.metadata.links, base)), is_cut,
    )  # fmt: skip


def _bounded(html: str) -> tuple[str, bool]:
    """Cut a page with more tags than a page has."""
    parts = html.split("<", MOST_TAGS)
    if len(parts) <= MOST_TAGS:
        return html, False
    return html[: len(html) - len(parts[-1]) - 1], True


def _harmless(html: str) -> str:
    """Take out what would make the output many times as large as the page."""
    html = _BASE_TAG.sub("<x-base", html.replace("\0", ""))
    spanned = sum(min(int(found[1] or 1000), 1000) for found in _SPAN.finditer(html))
    html = html if spanned <= MOST_SPANNED else _SPAN.sub("data-span", html)
    return html.encode("utf-8", "replace").decode("utf-8")


def _may_resolve(base: str, html: str) -> bool:
    """Whether writing out every link in full stays within reason."""
    return len(base) <= LONGEST_BASE and len(base) * (html.count("href") + html.count("src")) <= MOST_RESOLVED


def _without_front_matter(content: str) -> str:
    """The converter puts what stands in the head of a page before its content, between two lines of dashes."""
    if not re.match(r"---\n\S", content):
        return content
    _, found, rest = content.partition("\n---\n")
    return rest if found else content


def _links(found: list[Any], base: str) -> list[dict[str, str]]:
    """Give each address once, in the order of the page."""
    links: dict[str, str] = {}
    for link in found[: 20 * MOST_LINKS]:
        url = _web_address(link.href, base)
        if url and len(links) < MOST_LINKS:
            links[url] = links.get(url) or _line(link.text)
    return [{"text": text, "url": url} for url, text in links.items()]


def _web_address(href: str, base: str) -> str:
    try:
        url = urljoin(base, href[:LONGEST_BASE].strip())
        return url.partition("#")[0] if urlsplit(url).scheme in ("http", "https") else ""
    except ValueError:
        return ""


def _line(text: str | None) -> str:
    return " ".join((text or "")[:1000].split())[:300]

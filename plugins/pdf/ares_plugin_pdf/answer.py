"""Putting together what the worker said: pages, notes, what was left out, or why there is nothing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ares_core import ToolError, counted
from ares_plugin_pdf import ranges
from ares_plugin_pdf.child import Heard
from ares_plugin_pdf.settings import Settings

Page = dict[str, Any]


def put_together(
    path: str, operation: str, spans: Sequence[ranges.Span], heard: Heard, settings: Settings
) -> dict[str, Any]:
    """Give the data of a result, or raise why there are none."""
    said = {key: value for message in heard.messages for key, value in message.items()}
    if "problem" in said:
        problem = said["problem"]
        raise ToolError(f"{path} {problem['message']}.", hint=problem["hint"] or None, blame=problem["blame"])
    known: dict[str, Any] | None = said.get("document")
    if known is None:
        raise _unfinished(path, "it", heard, settings)
    if operation == "text":
        pages = [message["page"] for message in heard.messages if "page" in message]
        return known | _text(path, spans, pages, known["page_count"], heard, settings)
    if operation not in said:
        raise _unfinished(path, f"its {operation.replace('_', ' ')}", heard, settings)
    notes = [f"only the first {len(said[operation])} are given"] if said.get("is_cut") else []
    return known | {operation: said[operation], "notes": notes}


def _text(
    path: str, spans: Sequence[ranges.Span], pages: list[Page], count: int, heard: Heard, settings: Settings
) -> dict[str, Any]:
    wanted = ranges.laid_onto(spans, count)
    if not wanted:
        raise ToolError(
            f"{path} has {counted(count, 'page')}, and none of those asked for is among them.", blame="input"
        )
    if not pages:
        raise _unfinished(path, f"page {wanted[0]}", heard, settings, wanted[1:])
    if all("problem" in page for page in pages):
        raise ToolError(f"{path}, page {pages[0]['page']}, {pages[0]['problem']}.", blame="input")
    text = "\n\n".join(page["text"] for page in pages if page.get("text"))
    left = wanted[len(pages) :]
    return {
        "pages": [{"page": page["page"], "text": page.get("text", ""), **_problem(page)} for page in pages],
        "text": text,
        "characters": sum(len(page.get("text", "")) for page in pages),
        "notes": [*_notes(spans, pages, count, settings), *_rest(left, heard, len(pages), settings)],
        **({"next": {"pages": ranges.written(left)}} if left else {}),
    }


def _problem(page: Page) -> dict[str, str]:
    return {"problem": page["problem"]} if "problem" in page else {}


def _notes(spans: Sequence[ranges.Span], pages: list[Page], count: int, settings: Settings) -> Iterator[str]:
    beyond = ranges.beyond(spans, count)
    if beyond is not None:
        yield f"the document has {counted(count, 'page')}; page {beyond} is not among them"
    scanned = [page["page"] for page in pages if page.get("images")]
    if scanned:
        yield (
            f"no text layer on page {ranges.written(scanned)} (scanned?): what can be read there is in images, and "
            "needs recognition of characters (OCR)"
        )
    blank = [page["page"] for page in pages if page.get("text") == "" and not page.get("images")]
    if blank:
        yield f"no text and no image on page {ranges.written(blank)}"
    for problem in dict.fromkeys(page["problem"] for page in pages if "problem" in page):
        yield f"page {ranges.written([page['page'] for page in pages if page.get('problem') == problem])} {problem}"
    yield from (f"page {page['page']} was cut: {_room(settings)}" for page in pages if page.get("cut"))


def _rest(left: list[int], heard: Heard, done: int, settings: Settings) -> Iterator[str]:
    """Say why pages were left out, and how to get them."""
    if not left:
        return
    if heard.stopped or not any("done" in message for message in heard.messages):
        reason = _reason(heard, settings)
    elif done >= settings.max_pages:
        reason = f"one call gives at most {counted(settings.max_pages, 'page')}"
    else:
        reason = _room(settings)
    yield f"page {ranges.written(left)} left out: {reason}; go on with pages {ranges.written(left)!r}"


def _unfinished(path: str, what: str, heard: Heard, settings: Settings, others: Sequence[int] = ()) -> ToolError:
    if heard.stopped == "cancelled":
        return ToolError(f"Nobody waits for {path} any more; reading it was stopped.", blame="world")
    hint = f"Try the other pages: {ranges.written(others)!r}." if others else "The file may be made to do harm."
    return ToolError(f"{path}: reading {what} was stopped: {_reason(heard, settings)}.", hint=hint, blame="input")


def _reason(heard: Heard, settings: Settings) -> str:
    if heard.stopped == "deadline":
        return f"it took more than {settings.seconds:g} s (pdf.seconds)"
    if heard.stopped == "output":
        return "it gives more than one call may"
    return "the process that read it broke down, most likely for lack of memory"


def _room(settings: Settings) -> str:
    return f"one call gives at most {counted(settings.max_characters, 'character')}"


__all__ = ["put_together"]

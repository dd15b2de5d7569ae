"""What a model reads of a PDF."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

MOST_SAID = 200
"""Entries of an outline or a form that are said; the data hold more."""


def written(data: Mapping[str, Any]) -> str:
    """Write the result: what document, what is to be known, then pages or entries."""
    count = data["page_count"]
    head = f"{data['path']}: {count:,} page{'s' if count != 1 else ''}{', encrypted' if data['encrypted'] else ''}"
    return "\n".join([head, *(f"Note: {note}." for note in data["notes"]), *_body(data)])


def _body(data: Mapping[str, Any]) -> Iterator[str]:
    operation = data["operation"]
    if operation == "text":
        for page in data["pages"]:
            yield f"--- page {page['page']} ---"
            yield page["text"] or f"({page.get('problem') or 'no text'})"
    elif operation == "metadata":
        said = {name: value for name, value in data["metadata"].items() if value and name != "encrypted"}
        yield from (f"{name.replace('_', ' ')}: {_listed(value)}" for name, value in said.items())
    else:
        entries = data[operation]
        yield from map(_outline if operation == "outline" else _field, entries[:MOST_SAID])
        if len(entries) > MOST_SAID:
            yield f"… {len(entries) - MOST_SAID} more"
        if not entries:
            yield f"It has no {'outline' if operation == 'outline' else 'form fields'}."


def _outline(entry: Mapping[str, Any]) -> str:
    page = f" … page {entry['page']}" if "page" in entry else ""
    return f"{'  ' * (min(entry['level'], 10) - 1)}{entry['title']}{page}"


def _field(field: Mapping[str, Any]) -> str:
    value = "(empty)" if field["value"] in (None, "") else _listed(field["value"])
    choices = f", one of {_listed(field['choices'])}" if field.get("choices") else ""
    return f"{field['name']} ({field['kind']}{choices}): {value}"


def _listed(value: Any) -> str:
    return ", ".join(map(_listed, value[:20])) if isinstance(value, list) else str(value)


__all__ = ["written"]

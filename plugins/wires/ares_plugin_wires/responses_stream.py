"""Putting a response together again from its events."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from .calls import mapping, mended, words

_ENDS = ("response.completed", "response.incomplete", "response.failed", "response.cancelled")
_PIECES = {
    "response.function_call_arguments.delta": "arguments",
    "response.custom_tool_call_input.delta": "input",
    "response.output_text.delta": "text",
    "response.refusal.delta": "refusal",
}
_WHOLES = {
    "response.function_call_arguments.done": "arguments",
    "response.custom_tool_call_input.done": "input",
    "response.output_text.done": "text",
    "response.refusal.done": "refusal",
}


def assemble(events: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """Give the response that events amount to. One whose end never came is incomplete."""
    body: dict[str, Any] = {}
    items = _Items()
    ended = False
    for event in events:
        kind = words(event.get("type"))
        if kind == "error":
            body["error"] = event.get("error") or {"message": event.get("message"), "code": event.get("code")}
        elif isinstance(event.get("response"), Mapping):
            body |= {key: value for key, value in event["response"].items() if key != "error" or value}
            ended = ended or kind in _ENDS
        else:
            items.add(kind, event)
    if not ended:
        body |= {"status": "incomplete", "incomplete_details": {"reason": "the stream was cut off"}}
    body["output"] = body.get("output") or items.whole()
    return {**body, "object": "response"}


class _Items:
    """Items of a response while their events come in, found by their place or their id."""

    def __init__(self) -> None:
        self._items: dict[Any, dict[str, Any]] = {}
        self._pieces: dict[tuple[Any, str, int], list[str]] = {}
        self._done: set[Any] = set()
        self._places: dict[str, Any] = {}

    def add(self, kind: str, event: Mapping[str, Any]) -> None:
        """Take in an event. What comes whole takes the place of what came in pieces."""
        place = self._place(event)
        if kind in ("response.output_item.added", "response.output_item.done"):
            item = mapping(event.get("item"))
            self._places[words(item.get("id"))] = place
            self._items.setdefault(place, {}).update(item)
            if kind.endswith("done"):
                self._done.add(place)
        elif kind in _PIECES:
            self._pieces.setdefault((place, _PIECES[kind], _part(event)), []).append(words(event.get("delta")))
        elif kind in _WHOLES:
            field = _WHOLES[kind]
            self._pieces[place, field, _part(event)] = [words(event.get(field))]

    def _place(self, event: Mapping[str, Any]) -> Any:
        place = event.get("output_index")
        if isinstance(place, int):
            return place
        name = words(event.get("item_id")) or words(mapping(event.get("item")).get("id"))
        return self._places.get(name, name or len(self._items))

    def whole(self) -> list[dict[str, Any]]:
        """Give the items in order."""
        parts: dict[Any, list[dict[str, Any]]] = {}
        for (place, field, _), pieces in self._pieces.items():
            if place in self._done:
                continue
            text = mended("".join(pieces))
            item = self._items.setdefault(place, {"type": "message", "role": "assistant"})
            if field in ("arguments", "input"):
                item[field] = text
            else:
                part = {"type": "refusal" if field == "refusal" else "output_text", field: text}
                parts.setdefault(place, []).append(part)
        for place, said in parts.items():
            self._items[place]["content"] = [*(self._items[place].get("content") or ()), *said]
        places = list(self._items)
        return [self._items[place] for place in (sorted(places) if all(isinstance(p, int) for p in places) else places)]


def _part(event: Mapping[str, Any]) -> int:
    part = event.get("content_index")
    return part if isinstance(part, int) else 0

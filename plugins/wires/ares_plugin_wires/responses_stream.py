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
        self._at: dict[int, Any] = {}

    def add(self, kind: str, event: Mapping[str, Any]) -> None:
        """Take in an event. What comes whole takes the place of what came in pieces."""
        if kind in ("response.output_item.added", "response.output_item.done"):
            self._add_item(mapping(event.get("item")), event, kind.endswith("done"))
        elif kind in _PIECES:
            key = (self._place(event), _PIECES[kind], _part(event))
            self._pieces.setdefault(key, []).append(words(event.get("delta")))
        elif kind in _WHOLES:
            field, place = _WHOLES[kind], self._place(event)
            self._pieces[place, field, _part(event)] = [words(event.get(field))]
            if field == "arguments" and place not in self._items:
                self._items[place] = {"type": "function_call", "id": event.get("item_id"), "name": event.get("name")}

    def _add_item(self, item: Mapping[str, Any], event: Mapping[str, Any], is_done: bool) -> None:
        """Take in an item; one that comes whole without its arguments leaves those that came in pieces."""
        place = self._place_of(item, event)
        self._places[words(item.get("id"))] = place
        self._items.setdefault(place, {}).update(item)
        if is_done and not any(key in item and not item[key] for key in ("arguments", "input")):
            self._done.add(place)

    def _place_of(self, item: Mapping[str, Any], event: Mapping[str, Any]) -> Any:
        """Give the place of an item; servers that give every item the same place tell them apart by the call."""
        place = self._place(event)
        known = words(self._items.get(place, {}).get("call_id"))
        if not known or known == item.get("call_id") or not isinstance(event.get("output_index"), int):
            return place
        same = (at for at, each in self._items.items() if each.get("call_id") == item.get("call_id"))
        self._at[event["output_index"]] = place = next(
            same, max(self._items) + 1 if all(isinstance(at, int) for at in self._items) else len(self._items)
        )
        return place

    def _place(self, event: Mapping[str, Any]) -> Any:
        name = words(event.get("item_id")) or words(mapping(event.get("item")).get("id"))
        place = event.get("output_index")
        if isinstance(place, int):
            return self._at.get(place, place) if name not in self._places or not name else self._places[name]
        return self._places.get(name, name or max(len(self._items) - 1, 0))

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

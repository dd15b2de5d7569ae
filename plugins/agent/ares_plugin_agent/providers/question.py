"""What a model is asked, and what there is to know of a provider."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from msgspec import Struct


class Place(Struct, frozen=True):
    """A provider's own address, the variables that may hold the key for it, and the one that may name another."""

    address: str
    keys: tuple[str, ...]
    variable: str = ""


class Question(Struct, frozen=True):
    """One request to a model: ``tools`` is the fragment that publishes them, ``longest`` the tokens of the answer."""

    model: str
    system: str
    messages: Sequence[Mapping[str, Any]]
    tools: Mapping[str, Any]
    streams: bool = True
    longest: int | None = None


class Provider(Protocol):
    """One provider's way to be asked.

    ``root`` is the path that its addresses begin with when they are given without one.
    """

    wire: str
    root: str
    streams: bool

    def path(self, question: Question) -> str:
        """Give the path of the request, below the address."""

    def headers(self, key: str) -> dict[str, str]:
        """Give the headers that carry the key, and those that the provider wants besides."""

    def body(self, question: Question) -> dict[str, Any]:
        """Give the body of the request."""

    def user(self, text: str) -> dict[str, Any]:
        """Give a message of the user's."""

    def said(self, event: Mapping[str, Any]) -> str:
        """Give the text that an event of a stream adds to the answer."""

    def has_ended(self, event: Mapping[str, Any]) -> bool:
        """Tell whether this event is the end of a stream, or comes right before it."""

    def used(self, event: Mapping[str, Any]) -> dict[str, int]:
        """Give the tokens that an event or a body reports, by what took them; of each the largest report counts."""


def at(value: Any, *path: str | int) -> Any:
    """Follow keys and places into what a provider sent; ``None`` where there is nothing.

    >>> at({"choices": [{"delta": {"content": "hi"}}]}, "choices", 0, "delta", "content")
    'hi'
    """
    for step in path:
        if isinstance(step, str):
            value = value.get(step) if isinstance(value, Mapping) else None
        else:
            value = value[step] if isinstance(value, list) and len(value) > step else None
    return value


def text_at(value: Any, *path: str | int) -> str:
    """Follow keys and places to a text; empty where there is none."""
    found = at(value, *path)
    return found if isinstance(found, str) else ""


def count_at(value: Any, *path: str | int) -> int:
    """Follow keys and places to a number; 0 where there is none."""
    found = at(value, *path)
    return found if isinstance(found, int) and found > 0 else 0


def offered(tools: Mapping[str, Any]) -> dict[str, Any]:
    """Give the fragment without an empty list of tools, which providers refuse."""
    return dict(tools) if tools.get("tools") else {}

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from typing import Any

import pytest

from ares_core import Ares, Definition, Definitions, Effects, NameRule, Result, Tool, Turn, hookimpl

TOPICS = "weather harvest stock ticket invoice parcel route museum recipe lesson patient sensor battery".split()
VERBS = "get list find create update cancel estimate compare".split()
READS = Effects(read_only=True, destructive=False, open_world=False)


class Plain:
    """A provider format that says little more than the names of tools."""

    name = "plain"
    names = NameRule()

    def recognises(self, part: Mapping[str, Any]) -> bool:
        return False

    def assemble(self, events: Sequence[Mapping[str, Any]]) -> Mapping[str, Any]:
        return {}

    def read(self, body: Mapping[str, Any]) -> Turn:
        return Turn()

    def write(self, turn: Turn, results: Sequence[Result]) -> list[dict[str, Any]]:
        return []

    def definitions(self, tools: Sequence[Definition], choice: str | None, strict: bool) -> Definitions:
        return Definitions([{"name": tool.name} for tool in tools])

    @hookimpl
    def register_wire_formats(self) -> list[Any]:
        return [self]


def made(number: int) -> Tool:
    verb, topic = VERBS[number % len(VERBS)], TOPICS[number // len(VERBS) % len(TOPICS)]
    properties = {"region": {"type": "string"}, "days": {"type": "integer"}}
    return Tool(
        f"{verb}_{topic}_{number}",
        f"{verb.capitalize()} the {topic} of a region, as service {number} knows it.",
        {"type": "object", "properties": properties},
        lambda arguments, context: dict(arguments),
        effects=READS,
    )


@pytest.fixture
def make(ares_home: Any) -> Iterator[Callable[..., Ares]]:
    """Make an Ares with so many tools that are much alike, and with this section ``tool_search``."""
    with ExitStack() as open_ones:

        def one(
            count: int = 0, models: Any = None, plugins: Sequence[Any] = (), approver: Any = None, **section: Any
        ) -> Ares:
            config = {"tool_search": section, "models": models or {}, "limits": {"rates": {"probe": "1/hour"}}}
            ares = Ares(["tool-search", Plain(), *plugins], config, approver)
            open_ones.enter_context(ares)
            for number in range(count):
                ares.register(made(number))
            return ares

        yield one

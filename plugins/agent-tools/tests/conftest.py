"""An Ares with the plugin and a kind of agent that does what a test says, found as an installed one would be."""

from __future__ import annotations

import sys
import types
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from ares_core import Ares, Budget, Effects, Tool, ToolContext

Behaviour = Callable[["Scripted", str], Awaitable[Any]]
READS = Effects(read_only=True, open_world=False)


class Scripted:
    """An agent without a model: each of them behaves as the test said."""

    behaviours: list[Behaviour]
    made: list[Scripted]

    def __init__(
        self, door: Any, model: str | None = None, *, base_url: str | None = None, session: str | None = None,
        budget: Budget | None = None,
    ) -> None:  # fmt: skip
        self.door, self.session, self.budget = door, session, budget or Budget()
        self.model, self.base_url = model, base_url
        self.last: Any = None
        self.made.append(self)

    async def run(self, task: str) -> Any:
        return await self.behaviours[-1](self, task)


class World:
    """An Ares, what its tools did, and how the agents in it behave."""

    def __init__(self, ares: Ares, kind: type[Scripted]) -> None:
        self.ares = ares
        self.kind = kind
        self.done: list[tuple[str | None, str]] = []

        async def look(arguments: Any, context: ToolContext) -> str:
            self.done.append((context.session, context.call.parent or ""))
            return f"{arguments.get('what', 'nothing')} seen"

        schema = {"type": "object", "properties": {"what": {"type": "string"}}}
        for name in ("look", "write"):
            ares.register(Tool(name, f"{name} at something.", schema, look, effects=READS))

    def agents(self, behave: Behaviour) -> None:
        """Have all agents behave so."""
        self.kind.behaviours.append(behave)

    def call(self, name: str, session: str | None = "s", **arguments: Any) -> Any:
        return self.ares.call_sync(name, arguments, session=session)


@pytest.fixture
def kind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> type[Scripted]:
    """The kind of agent, in a distribution of its own."""
    made = type("Made", (Scripted,), {"made": [], "behaviours": []})
    module = types.ModuleType("scripted_agents")
    vars(module)["Agent"] = made
    monkeypatch.setitem(sys.modules, "scripted_agents", module)
    folder = tmp_path / "site" / "scripted_agents-1.0.dist-info"
    folder.mkdir(parents=True)
    (folder / "METADATA").write_text("Metadata-Version: 2.1\nName: scripted-agents\nVersion: 1.0\n")
    (folder / "entry_points.txt").write_text("[ares.agents]\nscripted = scripted_agents:Agent\n")
    monkeypatch.syspath_prepend(str(folder.parent))
    return made


@pytest.fixture
def make(ares_home: Path, kind: type[Scripted]) -> Iterator[Callable[..., World]]:
    """Makes a world; keywords are keys of the plugin's section."""
    opened: list[Ares] = []

    def made(user: str | None = None, stores: dict[str, str] | None = None, **section: Any) -> World:
        config = {"agent_tools": {"agent": "scripted", **section}, "stores": stores or {}}
        opened.append(Ares(plugins=["ares_plugin_agent_tools"], config=config, user=user))
        return World(opened[-1], kind)

    yield made
    for ares in opened:
        ares.close()


@pytest.fixture
def world(make: Callable[..., World]) -> World:
    return make()

"""Sub-agents are of a kind that some other distribution brings, found through the entry-point group ``ares.agents``.

What stands there is a class: ``Kind(door, model=None, *, base_url=None, session=None, budget=None)`` with
``await agent.run(task)``, which gives a text or a value with ``outcome`` and ``text``. ``Kind.current()`` and
``agent.on(door, session=…, budget=…)``, if it has them, let a sub-agent have its caller's model; ``agent.last`` tells
how far a run came that was cancelled.
"""

from __future__ import annotations

from typing import Any

from ares_core import AresError, Budget, Scoped, ToolError
from ares_plugin_agent_tools.settings import Settings

GROUP = "ares.agents"


def make_agent(settings: Settings, door: Scoped, session: str, budget: Budget) -> Any:
    """Make an agent: of the configured model, otherwise of its caller's, otherwise as its kind is configured."""
    kind = _kind(settings.agent)
    try:
        if settings.model:
            return kind(door, settings.model, base_url=settings.base_url or None, session=session, budget=budget)
        above = kind.current() if hasattr(kind, "current") else None
        if above is not None:
            return above.on(door, session=session, budget=budget)
        return kind(door, session=session, budget=budget)
    except AresError as error:
        raise ToolError(
            f"no sub-agent can be started: {error}; nothing was done", blame="world",
            hint="Whoever runs Ares can name its model in agent_tools.model.",
        ) from error  # fmt: skip


def _kind(name: str) -> Any:
    from importlib.metadata import entry_points

    found = sorted(entry_points(group=GROUP), key=lambda entry: entry.name)
    fitting = [entry for entry in found if not name or entry.name == name]
    if not fitting:
        there = f"there is none called {name!r} (agent_tools.agent)" if name else "none is installed"
        raise ToolError(f"no agent can take a task over: {there}; nothing was done", blame="world",
                        hint="Whoever runs Ares can install one, such as ares-plugin-agent.")  # fmt: skip
    try:
        return fitting[0].load()
    except Exception as error:
        raise ToolError(f"the agent {fitting[0].value} can't be loaded ({type(error).__name__}: {error})"[:500],
                        blame="world") from error  # fmt: skip

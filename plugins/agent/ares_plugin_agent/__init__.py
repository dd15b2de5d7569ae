"""The agent loop: a model is asked, its calls are run, it is told the results, until it has the answer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ares_core import hookimpl

if TYPE_CHECKING:
    from ares_plugin_agent.agent import Agent
    from ares_plugin_agent.happenings import CallEnded, CallStarted, Finished, Retrying, TextPiece
    from ares_plugin_agent.run import Run

__all__ = ["Agent", "CallEnded", "CallStarted", "Finished", "Retrying", "Run", "TextPiece"]

_HOMES = {"Agent": "agent", "Run": "run"}


@hookimpl
def configuration() -> type[Any]:
    """Check the section ``agent``."""
    from ares_plugin_agent.settings import Settings

    return Settings


def __getattr__(name: str) -> Any:
    """Import a part when it is first asked for: loading the plugin needs none."""
    if name not in __all__:
        raise AttributeError(f"module 'ares_plugin_agent' has no attribute {name!r}")
    from importlib import import_module

    value = globals()[name] = getattr(import_module(f"ares_plugin_agent.{_HOMES.get(name, 'happenings')}"), name)
    return value

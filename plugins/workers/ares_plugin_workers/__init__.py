"""Workers for Ares: tools that run in other processes and on other machines lie next to all others, over NATS.

``source`` has the tools (``roster``), and the way of a call (``desk``, ``calling``); ``serving`` is the other side,
``commands`` is ``ares worker``. Nothing is connected before a tool may be needed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from ares_core import hookimpl
from ares_plugin_workers.settings import Settings

if TYPE_CHECKING:
    from ares_core import Host, Tool
    from ares_plugin_workers.serving import Worker
    from ares_plugin_workers.source import Workers

__all__ = ["Settings", "Worker", "configuration", "register_tools"]

_OF_HOST: WeakKeyDictionary[Host, Workers] = WeakKeyDictionary()


@hookimpl
def configuration() -> type[Settings]:
    """Say what the section ``workers`` may hold."""
    return Settings


@hookimpl
def register_tools(host: Host) -> list[Tool]:
    """Bring the tools that are known of, which costs no connection."""
    if not host.config.url:
        return []
    if host not in _OF_HOST:
        from ares_plugin_workers.source import Workers

        _OF_HOST[host] = Workers(host)
    return _OF_HOST[host].tools()


def __getattr__(name: str) -> Any:
    if name != "Worker":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from ares_plugin_workers.serving import Worker

    return Worker

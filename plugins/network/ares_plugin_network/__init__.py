"""The network provider: the one place through which plugins open connections."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ares_core import hookimpl
from ares_plugin_network.settings import Settings

if TYPE_CHECKING:
    from ares_core import Host, Network


@hookimpl
def configuration() -> type[Settings]:
    """Check the section ``network``."""
    return Settings


@hookimpl
def open_network(host: Host) -> Network:
    """Open the guarded network; ``http.allow_hosts`` names private hosts that calls may reach."""
    from ares_plugin_network.allowed import Allowed
    from ares_plugin_network.provider import GuardedNetwork

    return GuardedNetwork(host.config, Allowed.of(host.settings.http.allow_hosts))

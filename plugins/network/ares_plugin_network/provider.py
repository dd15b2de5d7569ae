"""The network of one Ares: clients and streams, each behind its gate."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from ares_core import Purpose, UsageError
from ares_plugin_network.allowed import Allowed
from ares_plugin_network.gates import Gate, Guard, Pin
from ares_plugin_network.settings import Settings

if TYPE_CHECKING:
    import ssl

OPERATOR_READ_SECONDS = 600.0
OPERATOR_BYTES = 1_000_000_000


class GuardedNetwork:
    """The ``Network`` of this plugin.

    ``client("argument")`` reaches public addresses and what is allowed besides; ``client("operator", base_url)`` one
    host and port, wherever they lead, with much patience and no limit of its own for the whole exchange.
    """

    def __init__(self, settings: Settings, allowed: Allowed) -> None:
        self._settings = settings
        self._guard = Guard(allowed)

    def client(self, purpose: Purpose, base_url: str | None = None) -> Any:
        """Give a client; close it after use, as ``async with`` does."""
        from ares_plugin_network.client import Client, Limits, address_of

        settings = self._settings
        if purpose == "argument":
            limits = Limits(settings.connect_timeout, settings.read_timeout, settings.timeout, settings.max_bytes)
            return Client(self._guard, limits, trust(), settings.user_agent, base_url or "")
        if purpose != "operator" or not base_url:
            raise UsageError("client() takes 'argument', or 'operator' and the base_url that was configured")
        limits = Limits(settings.connect_timeout, OPERATOR_READ_SECONDS, None, OPERATOR_BYTES)
        return Client(Pin(*address_of(base_url)), limits, trust(), settings.user_agent, base_url)

    async def connect(self, purpose: Purpose, host: str, port: int) -> Any:
        """Open a checked stream with httpcore's ``read``, ``write``, ``start_tls``, ``get_extra_info``, ``aclose``."""
        from ares_plugin_network.streams import open_stream, target

        if purpose not in ("argument", "operator"):
            raise UsageError("connect() takes 'argument' or 'operator'")
        gate: Gate = self._guard if purpose == "argument" else Pin(target(host, port)[0], port)
        return await open_stream(gate, host, port, self._settings.connect_timeout)


@cache
def trust() -> ssl.SSLContext:
    """Trust what browsers trust and what this machine does; made once, since reading it takes long."""
    import ssl

    import certifi

    context = ssl.create_default_context(cafile=certifi.where())
    context.load_default_certs()
    return context

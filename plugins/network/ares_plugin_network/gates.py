"""Who may connect where: the guard for addresses that came from a call, and the pin for configured ones."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from msgspec import Struct

from ares_plugin_network.addresses import Address, why_not_public
from ares_plugin_network.allowed import Allowed
from ares_plugin_network.errors import NetworkError
from ares_plugin_network.names import is_private_name
from ares_plugin_network.ports import REFUSED

_HINT = "Use a public address; whoever runs Ares can allow a private host with http.allow_hosts."


class Gate(Protocol):
    """What is asked before a connection: first about the name, then about every address that it leads to."""

    def check_name(self, host: str, port: int) -> None:
        """Raise ``NetworkError`` if nobody may even ask for the addresses of this name."""

    def check_addresses(self, host: str, port: int, addresses: Sequence[Address]) -> None:
        """Raise ``NetworkError`` unless every one of the addresses may be reached."""


class Guard(Struct, frozen=True):
    """Lets through what is public, and what the operator allowed besides."""

    allowed: Allowed

    def check_name(self, host: str, port: int) -> None:
        """Refuse names that are private by definition, and ports where no HTTP is spoken."""
        if port in REFUSED and not self.allowed.opens(port):
            raise NetworkError(
                f"a connection to {host}:{port} is refused: something else than HTTP listens at that port; "
                "nothing was sent",
                blame="input",
            )
        if is_private_name(host) and not self.allowed.may_know(host, port):
            raise _not_public(host, port, "it names this machine or its own network")

    def check_addresses(self, host: str, port: int, addresses: Sequence[Address]) -> None:
        """Refuse the name if one of its addresses is not public: whoever answers could change the order."""
        for address in addresses:
            reason = why_not_public(address)
            if reason and not self.allowed.permits(host, port, address):
                raise _not_public(host, port, f"{address} is {reason}")


class Pin(Struct, frozen=True):
    """Lets through one host and port, wherever they lead."""

    host: str
    port: int

    def check_name(self, host: str, port: int) -> None:
        """Refuse every other host and port."""
        if (host, port) != (self.host, self.port):
            raise NetworkError(
                f"a connection to {host}:{port} is refused: this client was configured for {self.host}:{self.port} "
                "and goes nowhere else; nothing was sent there"
            )

    def check_addresses(self, host: str, port: int, addresses: Sequence[Address]) -> None:
        """Accept them: who configured the host answers for where it leads."""


def _not_public(host: str, port: int, reason: str) -> NetworkError:
    message = f"a connection to {host}:{port} is refused: its address is not public ({reason}); nothing was sent."
    return NetworkError(message, hint=_HINT, blame="input")

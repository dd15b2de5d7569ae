"""What ``http.allow_hosts`` names: private hosts that an address out of a call may lead to."""

from __future__ import annotations

import re
from collections.abc import Iterable
from ipaddress import IPv4Network, IPv6Network, ip_network

from msgspec import Struct

from ares_core import ConfigError
from ares_plugin_network.addresses import Address, as_address, is_metadata, is_nobodys, plain
from ares_plugin_network.names import ascii_name

_WITH_PORT = re.compile(r"(?P<host>\[[^\]]+\]|[^:\[\]]+):(?P<port>[0-9]{1,5})")
_LEGAL = "give a host, host:port, *.domain, an address or a network such as 10.0.0.0/8"


class Entry(Struct, frozen=True):
    """One entry: a name (``*.`` in front: and all below it) or a network, on one port or on all."""

    name: str = ""
    network: IPv4Network | IPv6Network | None = None
    port: int | None = None

    def names(self, host: str, port: int) -> bool:
        """Whether it allows whatever this name leads to."""
        if self.network is not None or self.port not in (None, port):
            return False
        return host == self.name or self.name.startswith("*.") and host.endswith(self.name[1:])

    def holds(self, address: Address, port: int) -> bool:
        """Whether it allows this address."""
        return self.network is not None and self.port in (None, port) and address in self.network


class Allowed(Struct, frozen=True):
    """All entries.

    >>> Allowed.of(["intranet:8080"]).permits("intranet", 8080, as_address("10.0.0.1"))
    True
    >>> Allowed.of(["10.0.0.0/8"]).permits("printer", 80, as_address("192.168.0.1"))
    False
    """

    entries: tuple[Entry, ...] = ()

    @classmethod
    def of(cls, texts: Iterable[str]) -> Allowed:
        """Read the entries of the configuration; one that can't be read is a configuration error."""
        return cls(tuple(_entry(text) for text in texts))

    def permits(self, host: str, port: int, address: Address) -> bool:
        """Whether this address, to which the host leads, may be reached although it is not public.

        By a name the metadata service of a cloud can't be allowed, only by its address; what belongs to no single
        machine can't be allowed at all.
        """
        address = plain(address)
        if is_nobodys(address):
            return False
        if any(entry.holds(address, port) for entry in self.entries):
            return True
        return not is_metadata(address) and self.knows(host, port)

    def knows(self, host: str, port: int) -> bool:
        """Whether the name itself is allowed."""
        return any(entry.names(host, port) for entry in self.entries)

    def may_know(self, host: str, port: int) -> bool:
        """Whether the name is allowed, or could lead to an address that is."""
        return self.knows(host, port) or any(entry.network is not None for entry in self.entries)

    def opens(self, port: int) -> bool:
        """Whether an entry names this very port."""
        return any(entry.port == port for entry in self.entries)


def _entry(text: str) -> Entry:
    host, port = text.strip(), None
    if found := _WITH_PORT.fullmatch(host):
        host, port = found["host"], int(found["port"])
    host = host.strip("[]")
    if (network := _network(host)) is not None:
        return Entry(network=network, port=port)
    name = ascii_name(host.removeprefix("*."))
    if not name or port is not None and not 0 < port < 65536:
        raise ConfigError(f"http.allow_hosts: {text!r:.80} names no host; {_LEGAL}")
    return Entry(("*." if host.startswith("*.") else "") + name, port=port)


def _network(text: str) -> IPv4Network | IPv6Network | None:
    address = as_address(text)
    try:
        return ip_network(address or text, strict=False)
    except ValueError:
        return None

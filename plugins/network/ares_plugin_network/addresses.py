"""Which addresses belong to the public internet.

The table is our own: what ``ipaddress`` calls global changes with the version of Python, and it takes addresses that
carry a private IPv4 address inside for public ones. Source: the IANA registries of special-purpose addresses.
"""

from __future__ import annotations

from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network

Address = IPv4Address | IPv6Address

_SPECIAL = tuple(
    (ip_network(network), reason)
    for network, reason in (
        ("0.0.0.0/8", "this machine"),
        ("10.0.0.0/8", "private"),
        ("100.64.0.0/10", "behind a provider's address translation"),
        ("127.0.0.0/8", "loopback"),
        ("168.63.129.16/32", "a cloud's service for its own machines"),
        ("169.254.0.0/16", "link-local, where clouds keep their metadata"),
        ("172.16.0.0/12", "private"),
        ("192.0.0.0/24", "reserved for protocols"),
        ("192.0.2.0/24", "documentation"),
        ("192.88.99.0/24", "a relay that is no more"),
        ("192.168.0.0/16", "private"),
        ("198.18.0.0/15", "benchmarks"),
        ("198.51.100.0/24", "documentation"),
        ("203.0.113.0/24", "documentation"),
        ("224.0.0.0/4", "multicast"),
        ("255.255.255.255/32", "broadcast"),
        ("240.0.0.0/4", "reserved"),
        ("::/128", "this machine"),
        ("::1/128", "loopback"),
        ("::/96", "IPv4 inside IPv6"),
        ("64:ff9b:1::/48", "a local translation to IPv4"),
        ("100::/64", "discarded"),
        ("2001::/23", "reserved for protocols"),
        ("2001:db8::/32", "documentation"),
        ("2002::/16", "IPv4 inside IPv6"),
        ("3fff::/20", "documentation"),
        ("fc00::/7", "private"),
        ("fe80::/10", "link-local"),
        ("fec0::/10", "site-local"),
        ("ff00::/8", "multicast"),
    )
)
_GLOBAL = ip_network("2000::/3")
_TRANSLATED = ip_network("64:ff9b::/96")
_NOBODYS = tuple(map(ip_network, ("0.0.0.0/32", "224.0.0.0/4", "255.255.255.255/32", "::/128", "ff00::/8")))
_METADATA = tuple(map(ip_network, ("169.254.0.0/16", "168.63.129.16/32", "100.100.100.200/32", "fd00:ec2::/32")))


def as_address(text: str) -> Address | None:
    """Read an address in its usual notation; other texts, such as a name, give nothing.

    >>> as_address("::ffff:127.0.0.1"), as_address("localhost")
    (IPv4Address('127.0.0.1'), None)
    """
    try:
        return plain(ip_address(text))
    except ValueError:
        return None


def plain(address: Address) -> Address:
    """Unpack an IPv4 address that is only wrapped in IPv6, mapped or translated: that is where the packets go.

    >>> plain(IPv6Address("64:ff9b::a00:1"))
    IPv4Address('10.0.0.1')
    """
    if isinstance(address, IPv6Address):
        if address.ipv4_mapped is not None:
            return address.ipv4_mapped
        if address in _TRANSLATED:
            return IPv4Address(int(address) & 0xFFFFFFFF)
    return address


def why_not_public(address: Address) -> str:
    """Say what an address is that isn't a global unicast address; nothing for one that is.

    >>> why_not_public(IPv4Address("100.64.0.1")), why_not_public(IPv4Address("93.184.215.14"))
    ("behind a provider's address translation", '')
    """
    address = plain(address)
    for network, reason in _SPECIAL:
        if address in network:
            return reason
    if isinstance(address, IPv6Address):
        if address.scope_id is not None:
            return "bound to one network card"
        if address not in _GLOBAL:
            return "outside of the global unicast addresses"
    return ""


def is_nobodys(address: Address) -> bool:
    """Whether no single other machine has this address, so that nothing can allow it."""
    return any(plain(address) in network for network in _NOBODYS)


def is_metadata(address: Address) -> bool:
    """Whether clouds hand out credentials there: allowed only by its address, never by a name that leads to it."""
    return any(plain(address) in network for network in _METADATA)

"""Addresses that try to reach the private host: none may open a single connection to it."""

from __future__ import annotations

import asyncio
from ipaddress import IPv4Address
from typing import Any

import pytest
from ares_plugin_network.addresses import Address, as_address, plain, why_not_public
from ares_plugin_network.allowed import Allowed
from ares_plugin_network.gates import Guard
from hypothesis import given
from hypothesis import strategies as st

from ares_core import AresError

SPELLINGS = [
    "http://127.0.0.1:{port}/", "http://2130706433:{port}/", "http://0x7f000001:{port}/", "http://0x7f.0.0.1:{port}/",
    "http://0177.0.0.1:{port}/", "http://017700000001:{port}/", "http://127.1:{port}/", "http://127.0.1:{port}/",
    "http://0x7f.1:{port}/", "http://0:{port}/", "http://0.0.0.0:{port}/", "http://00.0.0.0:{port}/",
    "http://127.255.255.254:{port}/", "http://0127.0.0.1:{port}/", "http://127.0.0.01:{port}/",
    "http://[::1]:{port}/", "http://[::]:{port}/", "http://[0:0:0:0:0:0:0:1]:{port}/",
    "http://[::ffff:127.0.0.1]:{port}/", "http://[::ffff:7f00:1]:{port}/", "http://[::127.0.0.1]:{port}/",
    "http://[::ffff:0:127.0.0.1]:{port}/", "http://[64:ff9b::7f00:1]:{port}/", "http://[64:ff9b:1::7f00:1]:{port}/",
    "http://[2002:7f00:1::]:{port}/", "http://[2001:0:7f00:1::]:{port}/", "http://[fe80::1%25lo]:{port}/",
    "http://[fe80::1%lo]:{port}/", "http://[::1%25lo]:{port}/", "http://[fec0::1]:{port}/", "http://[ff02::1]:{port}/",
    "http://localhost:{port}/", "http://LOCALHOST.:{port}/", "http://localhost.:{port}/", "http://a.localhost:{port}/",
    "http://localhost.localdomain:{port}/", "http://ip6-localhost:{port}/", "http://127。0。0。1:{port}/",
    "http://①②⑦.0.0.1:{port}/", "http://１２７.0.0.1:{port}/", "http://127%2e0%2e0%2e1:{port}/",
    "http://127.0.0.1%00.public.test:{port}/", "http://ⅼocalhost:{port}/", "http://public.test@127.0.0.1:{port}/",
    "http://public.test:80@127.0.0.1:{port}/", "http://public.test%40127.0.0.1:{port}/",
    "http://127.0.0.1:{port}\\@public.test/", "http://public.test\\@127.0.0.1:{port}/",
    "http://127.0.0.1:{port}#@public.test/", "http://127.0.0.1:{port}?@public.test/", "http://127.0.0.1:{port}:80/",
    "http://@127.0.0.1:{port}/", "http://%31%32%37.0.0.1:{port}/", "ht\ntp://127.0.0.1:{port}/",
    "http://127.0.0.1\t:{port}/", "http://127.0.0.1\r\n:{port}/", "http:127.0.0.1:{port}/", "//127.0.0.1:{port}/",
    "gopher://127.0.0.1:{port}/_GET", "file://127.0.0.1/etc/passwd", "ftp://127.0.0.1:{port}/",
    "ws://127.0.0.1:{port}/", "https://127.0.0.1:{port}/", "data:text/html,hi", "http://:{port}/", "http:///127.0.0.1",
    "unix:///var/run/docker.sock", "http+unix://%2Fvar%2Frun%2Fdocker.sock/", "http://127.0.0.1:{port}.public.test/",
]  # fmt: skip
PRIVATE = [
    "0.1.2.3", "10.0.0.1", "100.64.0.1", "100.100.100.200", "127.0.0.1", "168.63.129.16", "169.254.169.254",
    "172.16.0.1", "172.31.255.255", "192.0.0.192", "192.0.2.1", "192.88.99.1", "192.168.0.1", "198.18.0.1",
    "198.51.100.1", "203.0.113.1", "224.0.0.1", "239.255.255.250", "240.0.0.1", "255.255.255.255", "::", "::1",
    "::ffff:10.0.0.1", "::10.0.0.1", "64:ff9b::a9fe:a9fe", "64:ff9b:1::1", "100::1", "2001::1", "2001:db8::1",
    "2002:a00:1::1", "3fff::1", "fc00::1", "fd00:ec2::254", "fe80::1", "fec0::1", "ff02::1", "5f00::1", "4000::1",
]  # fmt: skip


def refusal(network: Any, url: str, **options: Any) -> Any:
    async def attack() -> Any:
        async with network.client("argument") as client:
            with pytest.raises(AresError) as caught:
                await client.get(url, **options)
            return caught.value

    return asyncio.run(attack())


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_no_spelling_of_the_private_host_reaches_it(network: Any, server: Any, names: Any, spelling: str) -> None:
    names["public.test"] = [["93.184.215.14"]]
    error = refusal(network, spelling.format(port=server.port))
    assert server.connections == 0
    assert type(error).__name__ == "Failed"
    assert "nothing was sent" in error.message


@pytest.mark.parametrize("address", PRIVATE)
def test_a_name_that_leads_to_a_private_address_is_refused(network: Any, names: Any, address: str) -> None:
    names["evil.test"] = [[address]]
    assert "its address is not public" in refusal(network, "http://evil.test/").message


@pytest.mark.parametrize("address", [
    "93.184.215.14", "172.32.0.1", "1.1.1.1", "100.128.0.1", "169.253.1.1", "192.0.1.1", "198.20.0.1",
    "223.255.255.255",
    "2606:4700::1111", "2a00:1450::1", "64:ff9b::5db8:d70e", "::ffff:93.184.215.14",
])  # fmt: skip
def test_a_public_address_passes(address: str) -> None:
    parsed = as_address(address)
    assert parsed is not None
    Guard(Allowed()).check_addresses("public.test", 443, [parsed])


@given(st.ip_addresses())
def test_nothing_that_is_special_by_the_standard_library_passes(address: Address) -> None:
    special = (
        address.is_private or address.is_loopback or address.is_link_local or address.is_multicast
        or address.is_reserved
        or address.is_unspecified or not address.is_global
    )  # fmt: skip
    if special and plain(address) == address:
        assert why_not_public(address)


@given(st.ip_addresses(v=4), st.sampled_from(["::ffff:{}", "64:ff9b::{}", "::{}", "::ffff:0:{}", "2002:{}::"]))
def test_a_wrapped_address_is_no_more_public_than_what_it_wraps(address: IPv4Address, wrapping: str) -> None:
    halves = f"{int(address) >> 16:x}:{int(address) & 0xFFFF:x}"
    wrapped = as_address(wrapping.format(halves))
    assert wrapped is not None
    assert why_not_public(wrapped) or not why_not_public(address)


@pytest.mark.parametrize("port", [22, 25, 110, 6379, 11211])
def test_ports_where_no_http_is_spoken_are_refused(network: Any, port: int) -> None:
    assert "something else than HTTP" in refusal(network, f"http://93.184.215.14:{port}/").message


@pytest.mark.parametrize("port", [0, 65536, 99999])
def test_a_port_that_is_none_is_refused(network: Any, port: int) -> None:
    assert "port" in refusal(network, f"http://93.184.215.14:{port}/").message


def test_one_private_address_among_public_ones_is_enough_to_refuse(network: Any, server: Any, names: Any) -> None:
    names["mixed.test"] = [["93.184.215.14", "127.0.0.1"]]
    assert "127.0.0.1 is loopback" in refusal(network, f"http://mixed.test:{server.port}/").message
    assert server.connections == 0


def test_the_address_that_was_checked_is_the_one_that_is_connected_to(make: Any, server: Any, names: Any) -> None:
    """The second answer of the resolver, which a check that is apart from the connection would fall for."""
    names["rebinds.test"] = [["127.0.0.2"], ["127.0.0.1"]]
    error = refusal(make(["127.0.0.2"]), f"http://rebinds.test:{server.port}/")
    assert "connection refused" in error.message
    assert server.connections == 0
    assert names["rebinds.test"] == [["127.0.0.1"]]


def test_a_name_that_changes_between_two_requests_is_checked_again(make: Any, server: Any, names: Any) -> None:
    server.says("/", b"hi", Connection="close")
    names["rebinds.test"] = [["127.0.0.1"], ["10.0.0.1"]]

    async def twice() -> Any:
        async with make(["127.0.0.1"]).client("argument") as client:
            first = await client.get(f"http://rebinds.test:{server.port}/")
            with pytest.raises(Exception, match=r"10\.0\.0\.1 is private"):
                await client.get(f"http://rebinds.test:{server.port}/")
            return first.text

    assert asyncio.run(twice()) == "hi"


@pytest.mark.parametrize("target", ["http://169.254.169.254/", "//10.0.0.1/", "http://[::1]/"])
def test_a_redirect_to_a_private_address_is_refused_and_the_way_is_told(make: Any, server: Any, target: str) -> None:
    url = server.says("/go", status="302 Found", Location=target)
    error = refusal(make([f"127.0.0.1:{server.port}"]), url)
    assert error.message.startswith(f"GET {url} answered 302 and leads on to ")
    assert "not public" in error.message
    assert server.connections == 1


@pytest.mark.parametrize("target", ["file:///etc/passwd", "gopher://10.0.0.1/", "http://[::1", "http://10.0.0.1:0/"])
def test_a_redirect_to_what_is_no_web_address_is_an_error(make: Any, server: Any, target: str) -> None:
    error = refusal(make(["127.0.0.1"]), server.says("/go", status="302 Found", Location=target))
    assert type(error).__name__ == "Failed"


def test_proxies_of_the_environment_are_ignored(make: Any, server: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, server.url())
    assert "not public" in refusal(make([]), "http://10.0.0.1/").message
    assert server.connections == 0


def test_an_unused_name_server_is_not_asked_for_private_names(network: Any, names: Any) -> None:
    names["db.internal"] = [["93.184.215.14"]]
    assert "not public" in refusal(network, "http://db.internal/").message

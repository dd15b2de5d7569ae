from __future__ import annotations

import asyncio
import base64
import gzip
import socket
import ssl
import threading
import zlib
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from ares_plugin_network import provider
from ares_plugin_network.client import Client

from ares_core import AresError

CREDENTIALS = {"Authorization": "Bearer T", "Cookie": "c=1", "X-Api-Key": "K", "Proxy-Authorization": "Basic eA=="}
PEM = Path(__file__).with_name("secure_test.pem")
MEGABYTE = b"\0" * 1_000_000


def run(network: Any, work: Callable[[Any], Awaitable[Any]], purpose: str = "argument", base: str | None = None) -> Any:
    async def inside() -> Any:
        async with network.client(purpose, base) as client:
            return await work(client)

    return asyncio.run(inside())


def get(network: Any, url: str, **options: Any) -> Any:
    return run(network, lambda client: client.get(url, **options))


def failure(network: Any, url: str, **options: Any) -> Any:
    with pytest.raises(AresError) as caught:
        get(network, url, **options)
    assert type(caught.value).__name__ in ("Failed", "TooLate")
    return caught.value


def test_an_allowed_host_is_reached_and_answers(local: Any, server: Any) -> None:
    response = get(local, server.says("/a", b"hi"))
    assert (response.status_code, response.text) == (200, "hi")
    assert server.requests[0][2]["accept-encoding"] == "gzip, deflate"


@pytest.mark.parametrize(
    "entry",
    [
        "127.0.0.1",
        "127.0.0.1:{port}",
        "127.0.0.0/8",
        "127.0.0.0/8:{port}",
        "a.b.test",
        "*.test",
        "A.B.TEST:{port}",
        "::ffff:127.0.0.1",
    ],
)
def test_a_private_host_is_allowed_by_name_address_or_network(make: Any, server: Any, names: Any, entry: str) -> None:
    names["a.b.test"] = [["127.0.0.1"]]
    server.says("/", b"hi")
    assert get(make([entry.format(port=server.port)]), server.url(host="a.b.test")).text == "hi"


@pytest.mark.parametrize("entry", ["127.0.0.1:1", "10.0.0.0/8", "b.test", "*.a.b.test", "a.b.test:1", "*.b.tes"])
def test_an_entry_allows_only_what_it_names(make: Any, server: Any, names: Any, entry: str) -> None:
    names["a.b.test"] = [["127.0.0.1"]]
    assert "not public" in failure(make([entry]), server.url(host="a.b.test")).message
    assert server.connections == 0


def test_an_allowed_name_does_not_lead_to_the_metadata_of_a_cloud(make: Any, names: Any) -> None:
    names["a.test"] = [["169.254.169.254"]]
    assert "metadata" in failure(make(["a.test"]), "http://a.test/").message


@pytest.mark.parametrize("entry", ["http://a.test/", "a b", "a.test:0", "a.test:99999", "*."])
def test_an_entry_that_names_no_host_is_a_configuration_error(make: Any, entry: str, caplog: Any) -> None:
    with pytest.raises(AresError) as caught:
        make([entry])
    assert "http.allow_hosts" in caplog.text + str(caught.value)


def test_a_wrong_key_is_a_configuration_error_that_names_the_keys(make: Any, caplog: Any) -> None:
    with pytest.raises(AresError) as caught:
        make([], conect_timeout=1)
    said = caplog.text + str(caught.value)
    assert "conect_timeout" in said
    assert "connect_timeout" in said


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_another_origin_gets_no_credentials(local: Any, server: Any, names: Any, status: int) -> None:
    names["other.test"] = [["127.0.0.1"]]
    server.says("/end", b"done")
    url = server.says("/go", status=f"{status} There", Location=server.url("/end", host="other.test"))
    response = get(local, url, headers={**CREDENTIALS, "Accept": "text/plain"})
    assert response.text == "done"
    first, second = (headers for _, _, headers, _ in server.requests)
    assert {name.lower() for name in CREDENTIALS} <= first.keys()
    assert not {name.lower() for name in CREDENTIALS} & second.keys()
    assert (second["accept"], second["host"]) == ("text/plain", f"other.test:{server.port}")


def test_the_same_origin_keeps_its_credentials(local: Any, server: Any) -> None:
    server.says("/b/end", b"done")
    assert get(local, server.says("/b/go", status="302 Found", Location="../b/end"), headers=CREDENTIALS).text == "done"
    assert server.requests[1][2]["authorization"] == "Bearer T"


def test_a_password_in_the_address_stays_there_and_is_not_shown(local: Any, server: Any, names: Any) -> None:
    names["other.test"] = [["127.0.0.1"]]
    url = server.says("/go", status="302 Found", Location="http://x:y@other.test:1/").replace("://", "://me:pa%40ss@")
    error = failure(local, url)
    assert server.requests[0][2]["authorization"] == "Basic " + base64.b64encode(b"me:pa@ss").decode()
    assert "pa%40ss" not in error.message
    assert "x:y" not in error.message


def test_a_redirect_after_post_becomes_get_without_a_body(local: Any, server: Any) -> None:
    server.says("/done", b"done")
    url = server.says("/post", status="303 See Other", Location="/done")
    assert run(local, lambda client: client.post(url, content=b"secret")).text == "done"
    assert [(method, body) for method, _, _, body in server.requests] == [("POST", b"secret"), ("GET", b"")]


def test_a_body_is_sent_on_to_the_same_origin_and_to_no_other(local: Any, server: Any, names: Any) -> None:
    names["other.test"] = [["127.0.0.1"]]
    server.says("/done", b"done")
    same = server.says("/same", status="307 There", Location="/done")
    assert run(local, lambda client: client.post(same, content=b"x")).text == "done"
    other = server.says("/other", status="307 There", Location=server.url("/done", host="other.test"))
    with pytest.raises(AresError, match="a POST is not sent on"):
        run(local, lambda client: client.post(other, content=b"x"))
    assert len(server.requests) == 3


def test_a_loop_of_redirects_ends(local: Any, server: Any) -> None:
    error = failure(local, server.says("/loop", status="302 Found", Location="/loop"))
    assert "one redirect too many" in error.message
    assert len(server.requests) == 6


def test_a_redirect_is_left_alone_when_that_is_wanted(local: Any, server: Any) -> None:
    response = get(local, server.says("/go", status="302 Found", Location="/end"), follow_redirects=False)
    assert (response.status_code, response.headers["location"]) == (302, "/end")


@pytest.mark.parametrize(("encoding", "data"), [
    ("gzip", gzip.compress(b"hello", mtime=0)),
    ("x-gzip", gzip.compress(b"hel", mtime=0) + gzip.compress(b"lo", mtime=0)),
    ("deflate", zlib.compress(b"hello")), ("deflate", zlib.compress(b"hello", wbits=-15)), ("identity", b"hello"),
    ("GZIP", gzip.compress(b"hello", mtime=0) + b"garbage"),
])  # fmt: skip
def test_what_was_asked_for_is_decompressed(local: Any, server: Any, encoding: str, data: bytes) -> None:
    response = get(local, server.says("/", data, Content_Encoding=encoding))
    assert response.text == "hello"
    assert "content-encoding" not in response.headers


@pytest.mark.parametrize("encoding", ["br", "zstd", "gzip, gzip", "compress", "sdch"])
def test_what_was_not_asked_for_is_not_decompressed(local: Any, server: Any, encoding: str) -> None:
    assert "not asked for" in failure(local, server.says("/", b"\x1b" * 100, Content_Encoding=encoding)).message


@pytest.mark.parametrize(("data", "reason"), [
    (gzip.compress(b"hello" * 100, mtime=0)[:-9], "broke off"), (b"no gzip at all", "damaged"),
    (gzip.compress(b"", mtime=0) * 200, "damaged"), (gzip.compress(b"hello", mtime=0)[:-8] + b"\0" * 8, "damaged"),
])  # fmt: skip
def test_what_is_damaged_is_an_error(local: Any, server: Any, data: bytes, reason: str) -> None:
    assert reason in failure(local, server.says("/", data, Content_Encoding="gzip")).message


def test_a_server_that_hangs_up_is_an_error_that_may_pass(local: Any, server: Any) -> None:
    error = failure(local, server.does("/gone", lambda peer: peer.shutdown(socket.SHUT_RDWR)))
    assert (error.retriable, error.sent, error.blame) == (True, True, "world")


def test_a_host_that_is_not_there_got_nothing(local: Any) -> None:
    with socket.socket() as place:  # held, so that nobody else listens there
        place.bind(("127.0.0.1", 0))
        error = failure(local, f"http://127.0.0.1:{place.getsockname()[1]}/")
    assert (error.retriable, error.sent) == (True, False)
    assert "connection refused" in error.message


@pytest.mark.parametrize("headers", [{"X-A": "1\r\nX-Evil: 1"}, {"X-A\r\nX-Evil": "1"}, {"X A": "1"}, {"X-A": "ü€"}])
def test_a_header_that_would_become_two_is_refused(local: Any, server: Any, headers: Any) -> None:
    assert failure(local, server.url(), headers=headers).blame == "input"
    assert server.requests == []


def test_a_header_may_have_the_letters_of_latin_1(local: Any, server: Any) -> None:
    get(local, server.url(), headers={"X-A": "café"})
    assert "café" in str(server.requests[0])


@pytest.fixture
def secure(server: Any) -> Any:
    """A server that shows a certificate for secure.test."""
    server.secured = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    server.secured.load_cert_chain(PEM)
    return server


def test_a_certificate_that_nobody_vouches_for_is_refused(local: Any, secure: Any, names: Any) -> None:
    names["secure.test"] = [["127.0.0.1"]]
    error = failure(local, f"https://secure.test:{secure.port}/")
    assert "is not trusted" in error.message
    assert secure.requests == []


def test_a_certificate_must_be_for_the_name_that_was_asked(
    local: Any, secure: Any, names: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    names["secure.test"] = names["other.test"] = [["127.0.0.1"]]
    secure.says("/", b"hi")
    monkeypatch.setenv("SSL_CERT_FILE", str(PEM))
    provider.trust.cache_clear()
    try:
        assert get(local, f"https://secure.test:{secure.port}/").text == "hi"
        assert "is not trusted" in failure(local, f"https://other.test:{secure.port}/").message
    finally:
        provider.trust.cache_clear()


def test_a_configured_client_reaches_its_private_host_and_no_other(make: Any, server: Any) -> None:
    server.says("/v1/models", b"[]")
    network = make([])
    assert run(network, lambda client: client.get("models"), "operator", server.url("/v1")).text == "[]"
    for url in ("http://127.0.0.1:1/", f"http://127.0.0.2:{server.port}/", "http://93.184.215.14/"):
        with pytest.raises(Exception, match="configured for"):
            run(network, partial(Client.get, url=url), "operator", server.url("/v1"))
    assert server.connections == 1


def test_a_configured_client_follows_no_redirect_to_another_host(make: Any, server: Any) -> None:
    url = server.says("/go", status="302 Found", Location="http://169.254.169.254/")
    with pytest.raises(Exception, match=r"answered 302 .* goes nowhere else"):
        run(make([]), lambda client: client.get(url), "operator", server.url())


@pytest.mark.parametrize("base", [None, "", "localhost:8080", "ftp://a.test/", "http://[::1", "http:///x"])
def test_a_configured_client_needs_an_address(network: Any, base: str | None) -> None:
    with pytest.raises(Exception, match=r"base_url|no address of a server"):
        network.client("operator", base)


def test_streams_for_other_clients_pass_the_same_gates(make: Any, server: Any) -> None:
    server.says("/", b"hi")

    async def talk() -> bytes:
        stream = await make([]).connect("operator", "127.0.0.1", server.port)
        await stream.write(b"GET / HTTP/1.1\r\n\r\n")
        answer = await stream.read(1000)
        await stream.aclose()
        return bytes(answer)

    assert asyncio.run(talk()).endswith(b"hi")
    with pytest.raises(Exception, match="not public"):
        asyncio.run(make([]).connect("argument", "127.0.0.1", server.port))
    assert server.connections == 1


def test_connecting_is_given_up_in_time(make: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    over = threading.Event()
    monkeypatch.setattr(socket, "getaddrinfo", lambda *given: over.wait(60))

    async def ask(client: Any) -> None:
        try:
            await client.get("http://slow.test/")
        finally:
            over.set()

    with pytest.raises(Exception, match=r"no connection to slow\.test:80 within 0\.2 s"):
        run(make([], connect_timeout=0.2), ask)


@pytest.mark.parametrize("host", ["", "a b", "a" * 300, "ä" * 300, "xn--\u2028", "a..b", "[", "a/b", "a\0b", "-" * 64])
def test_what_is_no_host_name_is_refused_before_anybody_is_asked(network: Any, host: str) -> None:
    with pytest.raises(Exception, match="is no host name"):
        asyncio.run(network.connect("argument", host, 80))


def test_a_failure_is_one_that_the_http_library_knows_too(network: Any) -> None:
    kinds = {kind.__name__ for kind in type(failure(network, "http://10.0.0.1/")).__mro__}
    assert {"ToolError", "TransportError"} <= kinds

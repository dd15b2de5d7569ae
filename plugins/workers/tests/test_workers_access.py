"""The way to the NATS server: who is let in, through which provider, with TLS, and what is never said on it."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any, cast
from urllib.parse import urlparse

import pytest
from ares_plugin_workers import Settings, Worker
from ares_plugin_workers.settings import filled, without_secret
from ares_plugin_workers.transport import Carried

from ares_core import Ares, ConfigError, Effects, ToolContext, tool

PEM = str(Path(__file__).parent / "nats_test.pem")
READS = Effects(read_only=True, open_world=False)


def test_secrets_of_neither_side_are_sent(fake: Any, opened: list[Any], plain: Any) -> None:
    sent: list[bytes] = []
    fake.watch = sent.append
    config = {"workers": {"url": fake.url}}

    @tool(effects=READS)
    def uses(context: ToolContext) -> str:
        """Use a secret, and fail with it in a trace."""
        raise ValueError(f"length {len(context.secrets['api_key'])}")

    there = Ares(plugins=[plain(), "workers"], config=config, secrets={"api_key": "sk-of-the-worker"})
    here = Ares(plugins=[plain(), "workers"], config=config, secrets={"other": "sk-of-the-caller"})
    opened += [there.close, here.close]
    there.register(uses)
    worker = Worker(there, ["*"])
    there.wait_for(worker.start(), "start")
    assert "length 16" in here.call_sync("uses").text
    there.wait_for(worker.stop(), "stop")
    assert not any(b"sk-of-the" in body for body in sent)


def test_a_token_lets_in_and_a_wrong_one_is_a_sentence_without_it(
    ares_home: Any, opened: list[Any], monkeypatch: pytest.MonkeyPatch, plain: Any, small_server: Any
) -> None:
    server = small_server(token="let-me-in")
    opened.append(server.close)
    monkeypatch.setenv("NATS_TOKEN", "let-me-in")
    for token, works in (("${NATS_TOKEN}", True), ("guess-work", False)):
        config = {"workers": {"url": f"nats://127.0.0.1:{server.port}", "token": token}}
        with Ares(plugins=[plain(), "workers"], config=config) as here:
            result = here.call_sync("add", {"a": 1})
            assert ("Authorization Violation" in result.text) is not works
            assert "guess-work" not in result.text


def test_credentials_say_which_package_they_need(fake: Any, plain: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "nkeys", None)
    with Ares(plugins=[plain(), "workers"], config={"workers": {"url": fake.url, "creds": "me.creds"}}) as here:
        here.call_sync("add", {"a": 1})
        assert "ares-plugin-workers[creds]" in here.registry.waiting()["workers"]


def test_connections_go_through_the_network_provider(fake: Any, plain: Any) -> None:
    provider = plain()
    with Ares(plugins=[provider, "workers"], config={"workers": {"url": fake.url}}) as here:
        here.call_sync("add", {"a": 1})
    assert provider.network.opened == [("operator", "127.0.0.1", fake.port)]


def test_without_a_network_provider_nothing_is_connected(fake: Any, ares_home: Any) -> None:
    with Ares(plugins=["workers"], config={"workers": {"url": fake.url}}) as here:
        assert "no network provider is installed" in here.call_sync("add", {"a": 1}).text


def test_a_setting_that_can_t_be_used_is_a_sentence() -> None:
    for section, said in (
        ({"url": "http://host"}, "nats://HOST:PORT or tls"), ({"prefix": "a.*"}, "a word of letters and digits"),
        ({"silence": 0}, "above 0"), ({"urls": "x"}, "urls"),
    ):  # fmt: skip
        with pytest.raises(ConfigError, match=said):
            Ares(plugins=["workers"], config={"workers": section})
    with pytest.raises(ConfigError, match="NOT_SET"):
        filled(Settings(token="${NOT_SET}"), {})


def test_an_address_is_shown_without_its_secret() -> None:
    assert without_secret("nats://me:secret@a:1") == "nats://a:1"
    assert "secret" not in without_secret("nats://secret@b:2,nats://secret@c:3")


@pytest.fixture(params=["plain", "network"])
def provider(request: pytest.FixtureRequest, plain: Callable[[], Any]) -> Any:
    """A plugin that provides the network: the plain one of the tests, and the one that people use."""
    if request.param == "plain":
        return plain()
    if find_spec("ares_plugin_network") is None:
        pytest.skip("ares-plugin-network is not installed beside this plugin")
    return "network"


def works(server: Any, provider: Any, **settings: Any) -> bool:
    """Whether a worker can be reached, also with something long to say, and after the server was started again."""

    @tool(effects=READS)
    def echo(text: str) -> str:
        """Say it again."""
        return text

    config = {"workers": {"url": server.url, **settings}}
    with (
        Ares(plugins=[provider, "workers"], config=config) as there,
        Ares(plugins=[provider, "workers"], config=config) as here,
    ):
        there.register(echo)
        worker = Worker(there, ["echo"])
        there.wait_for(worker.start(), "start")
        try:
            texts = ["short", "long " * 200_000]
            return [here.call_sync("echo", {"text": text}).data for text in texts] == texts
        finally:
            there.wait_for(worker.stop(0.1), "stop")


def test_it_works_through_either_provider(broker: Any, provider: Any) -> None:
    assert works(broker, provider)


def test_it_works_with_a_server_that_takes_only_short_messages(
    small_server: Callable[..., Any], opened: list[Any], provider: Any
) -> None:
    server = small_server(max_payload=4_096)
    opened.append(server.close)
    assert works(server, provider)


def test_a_session_that_is_too_long_to_be_sent_is_a_sentence(fake: Any, serve: Any, caller: Any, add: Any) -> None:
    serve(fake, add)
    here = caller(fake)
    for session in ("s" * 300_000, "half a \ud800"):
        assert "is too long, or no text" in here.call_sync("add", {"a": 1}, session=session).text


@pytest.mark.services
def test_tls_is_spoken_with_a_server_whose_certificate_is_known(real_server: Any, provider: Any) -> None:
    server = real_server("--tls", "--tlscert", PEM, "--tlskey", PEM)
    assert works(server, provider, tls_ca=PEM, tls_hostname="nats.test")


@pytest.mark.services
def test_a_server_with_a_strange_certificate_is_a_sentence(real_server: Any, provider: Any) -> None:
    server = real_server("--tls", "--tlscert", PEM, "--tlskey", PEM)
    with Ares(plugins=[provider, "workers"], config={"workers": {"url": server.url}}) as here:
        assert "certificate" in here.call_sync("echo", {"text": "x"}).text


@pytest.mark.services
def test_user_and_password_let_in(real_server: Any, provider: Any) -> None:
    server = real_server("--user", "me", "--pass", "secret-word")
    assert works(server, provider, user="me", password="secret-word")
    with Ares(plugins=[provider, "workers"], config={"workers": {"url": server.url, "user": "me"}}) as here:
        assert "Authorization Violation" in here.call_sync("echo", {"text": "x"}).text


def test_a_connection_that_was_being_opened_at_the_end_is_closed_too() -> None:
    closed: list[str] = []
    opening, over = asyncio.Event(), asyncio.Event()

    class Stream:
        async def aclose(self) -> None:
            closed.append("stream")

    class Slow:
        async def connect(self, *where: Any) -> Stream:
            opening.set()
            await over.wait()
            return Stream()

    async def main() -> None:
        carried = Carried(lambda: cast("Any", Slow()), set())
        connecting = asyncio.create_task(carried.connect(urlparse("nats://a:1"), 1, 60))
        await opening.wait()
        await carried.end()
        over.set()
        with pytest.raises(ConnectionError, match="closed"):
            await connecting

    asyncio.run(main())
    assert closed == ["stream"]

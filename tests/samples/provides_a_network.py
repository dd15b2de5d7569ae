"""Opens what a test wants opened."""

from __future__ import annotations

from ares_core import Network, Purpose, hookimpl


class Loopback:
    def client(self, purpose: Purpose, base_url: str | None = None) -> str:
        return f"a client for {purpose}"

    async def connect(self, purpose: Purpose, host: str, port: int) -> str:
        return f"{host}:{port}"


@hookimpl
def open_network() -> Network:
    return Loopback()

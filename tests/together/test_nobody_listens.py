"""A request to a port where nobody listens says so, and what to do."""

from __future__ import annotations

import socket
from typing import Any

from ares_core import Ares


def test_a_port_where_nobody_listens_is_told_with_what_to_check(ares_home: Any) -> None:
    config = {"http": {"allow_hosts": ["127.0.0.1"]}}
    with (
        socket.socket() as bound,
        Ares(plugins=["ares_plugin_http", "ares_plugin_network"], config=config) as ares,
    ):
        bound.bind(("127.0.0.1", 0))  # taken, so that nobody else can begin to listen there
        url = f"http://127.0.0.1:{bound.getsockname()[1]}/"
        result = ares.call_sync("http_request", {"url": url, "method": "POST", "body": "x"})
    assert result.error is not None
    assert (result.error.code, result.error.blame) == ("tool_error", "world")
    assert "(connection refused); nothing was sent. Nothing listens at that port: check the host" in result.text

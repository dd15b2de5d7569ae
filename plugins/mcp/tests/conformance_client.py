"""The client that the protocol's conformance suite drives: ``conformance_client.py URL``.

The suite names its scenario in ``MCP_CONFORMANCE_SCENARIO`` and tells in ``MCP_CONFORMANCE_CONTEXT`` what a client
needs for it. Every tool that its server lists is called once.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
import tempfile
import threading
import urllib.request
from typing import Any

from ares_core import Ares, Tool

DESCRIBED_AT = "https://conformance-test.local/client-metadata.json"
SECONDS = 20


def server(url: str, scenario: str, context: dict[str, str]) -> dict[str, Any]:
    """Configure the suite's server."""
    if not scenario.startswith("auth/"):
        return {"url": url}
    oauth: dict[str, str] = {key: context[key] for key in ("client_id", "client_secret") if key in context}
    if "cimd" in scenario:
        oauth["client_metadata_url"] = DESCRIBED_AT
    return {"url": url, "oauth": oauth}


def agrees(approval: Any) -> bool:
    """Say yes to everything, and open what is to be opened, as a browser would."""
    url = approval.call.arguments.get("url") if approval.form is None else None
    if url:
        threading.Thread(target=urllib.request.urlopen, args=(url,), daemon=True).start()
    return True


def arguments_for(tool: Tool) -> dict[str, Any]:
    """Make arguments that fit."""
    properties = tool.parameters.get("properties", {})
    return {name: 5 if part.get("type") in ("number", "integer") else "x" for name, part in properties.items()}


def main() -> None:
    """Connect, and call every tool."""
    context = json.loads(os.environ.get("MCP_CONFORMANCE_CONTEXT") or "{}")
    given = server(sys.argv[-1], os.environ.get("MCP_CONFORMANCE_SCENARIO", ""), context)
    config = {"mcp": {"servers": {"suite": given}}, "http": {"allow_hosts": ["localhost", "127.0.0.1"]}}
    os.environ["XDG_STATE_HOME"] = folder = tempfile.mkdtemp()
    with Ares(plugins=["network", "mcp"], config=config, approver=agrees) as ares:
        ares.bring(["mcp.suite.any"])
        for tool in ares.registry.list_tools():
            result = ares.call_sync(tool.name, arguments_for(tool), timeout=SECONDS)
            sys.stderr.write(f"{tool.name}: {result.text}\n")
        sys.stderr.write(ares.call_sync("mcp.suite.none").text)
    shutil.rmtree(folder)


if __name__ == "__main__":
    main()

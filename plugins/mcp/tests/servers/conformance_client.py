"""What the conformance suite starts as a client: an Ares with one server, whose address is the last argument."""

from __future__ import annotations

import json
import os
import sys
import tempfile
import threading
import urllib.request
from typing import Any

from ares_core import Approval, Ares, Tool

SCENARIO = os.environ.get("MCP_CONFORMANCE_SCENARIO", "")
CONTEXT: dict[str, Any] = json.loads(os.environ.get("MCP_CONFORMANCE_CONTEXT") or "{}")
CLIENT = "https://conformance-test.local/client-metadata.json"


def approver(approval: Approval) -> bool:
    """Say yes, and open the address where access is allowed, as a browser would."""
    for word in approval.reason.split():
        if word.startswith("http"):
            threading.Thread(target=visit, args=(word.rstrip(".,;)"),), daemon=True).start()
    return True


def visit(address: str) -> None:
    with urllib.request.urlopen(address, timeout=20) as answer:  # noqa: S310 - the suite's own, on loopback
        answer.read()


def server(url: str) -> dict[str, Any]:
    known = {key: CONTEXT[key] for key in ("client_id", "client_secret") if CONTEXT.get(key)}
    oauth = {"client_metadata_url": CLIENT, **known} if SCENARIO.startswith("auth/") else None
    return {"url": url, "trusted": True, **({"oauth": oauth} if oauth else {})}


def arguments_of(tool: Tool) -> dict[str, Any]:
    values: dict[Any, Any] = {"string": "value", "number": 2, "integer": 2, "boolean": True, "object": {}, "array": []}
    properties = tool.parameters.get("properties", {})
    return {name: values.get(part.get("type"), "value") for name, part in properties.items()}


def main(url: str) -> None:
    os.environ["XDG_STATE_HOME"] = tempfile.mkdtemp()
    section = {"servers": {"suite": server(url)}}
    config = {"mcp": section, "http": {"allow_hosts": ["localhost", "127.0.0.1"]}}
    with Ares(plugins=["mcp", "network", "wires"], config=config, approver=approver) as ares:
        ares.definitions()
        for tool in ares.registry.list_tools():
            calls = CONTEXT.get("toolCalls") or [{"name": tool.name, "arguments": arguments_of(tool)}]
            for call in calls:
                if tool.name.endswith(call["name"]):
                    result = ares.call_sync(tool.name, call.get("arguments") or {})
                    sys.stderr.write(f"{tool.name}: {result.text[:300]}\n")


if __name__ == "__main__":
    main(sys.argv[-1])

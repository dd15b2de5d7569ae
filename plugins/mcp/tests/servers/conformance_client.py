"""What the conformance suite starts as a client: an Ares with one server, whose address is the last argument."""

from __future__ import annotations

import json
import os
import shutil
import sys
import tempfile
import threading
import urllib.request
from collections.abc import Iterator
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
    with urllib.request.urlopen(address, timeout=20) as answer:
        answer.read()


def server(url: str) -> dict[str, Any]:
    known = {key: CONTEXT[key] for key in ("client_id", "client_secret") if CONTEXT.get(key)}
    oauth = {"client_metadata_url": CLIENT, **known} if SCENARIO.startswith("auth/") else None
    return {"url": url, "trusted": True, **({"oauth": oauth} if oauth else {})}


def arguments_of(tool: Tool) -> dict[str, Any]:
    values: dict[Any, Any] = {"string": "value", "number": 2, "integer": 2, "boolean": True, "object": {}, "array": []}
    properties = tool.parameters.get("properties", {})
    return {name: values.get(part.get("type"), "value") for name, part in properties.items()}


def calls(tools: list[Tool]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Give the calls that the suite wants, or one of each tool; some show what was read of another tool's schema."""
    schemas = {tool.name.rpartition(".")[2]: tool.parameters for tool in tools}
    for tool in tools:
        own = tool.name.rpartition(".")[2]
        wanted = [call for call in CONTEXT.get("toolCalls") or () if call["name"] == own]
        if own == "json_schema_echo":
            yield tool.name, {"schema": schemas["json_schema_2020_12_tool"]}
        elif CONTEXT.get("toolCalls"):
            yield from ((tool.name, call.get("arguments") or {}) for call in wanted)
        else:
            yield tool.name, arguments_of(tool)


def main(url: str) -> None:
    os.environ["XDG_STATE_HOME"] = folder = tempfile.mkdtemp()
    section = {"servers": {"suite": server(url)}}
    config = {"mcp": section, "http": {"allow_hosts": ["localhost", "127.0.0.1"]}}
    with Ares(plugins=["mcp", "network", "wires"], config=config, approver=approver) as ares:
        ares.definitions()
        for name, arguments in calls(ares.registry.list_tools()):
            sys.stderr.write(f"{name}: {ares.call_sync(name, arguments).text[:300]}\n")
    shutil.rmtree(folder)


if __name__ == "__main__":
    main(sys.argv[-1])

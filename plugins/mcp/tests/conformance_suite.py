"""The protocol's own conformance suite, for both halves, a test for each scenario and revision.

The nox session ``conformance`` installs the suite in the folder that ``MCP_CONFORMANCE`` names. pytest does not collect
this file by itself.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).parent / "servers"
MODULES = Path(os.environ.get("MCP_CONFORMANCE", ".")) / "node_modules"
SUITE = [
    str(MODULES / ".bin" / "node"),
    str(MODULES / "@modelcontextprotocol" / "conformance" / "dist" / "index.js"),
]
REVISIONS = ("2025-11-25", "2026-07-28")

NOT_SERVED = {
    "resources": "a server of tools: Ares has no resources",
    "prompts": "a server of tools: Ares has no prompts",
    "completion": "completes the arguments of prompts and resources, which there are none of",
    "logging": "what tools log is the operator's; deprecated since 2026-07-28",
    "sampling": "no tool borrows the client's model; deprecated since 2026-07-28",
    "roots": "no tool asks for the client's folders; deprecated since 2026-07-28",
    "polling": "an answer that was missed is not kept: a stateful stream is not resumed",
    "several": "needs sampling and roots beside a question to the user",
}
SERVER_SKIPS = {
    "logging-set-level": "logging",
    "tools-call-with-logging": "logging",
    "completion-complete": "completion",
    "tools-call-sampling": "sampling",
    "server-sse-polling": "polling",
    "resources-list": "resources",
    "resources-read-text": "resources",
    "resources-read-binary": "resources",
    "resources-templates-read": "resources",
    "resources-subscribe": "resources",
    "resources-unsubscribe": "resources",
    "sep-2164-resource-not-found": "resources",
    "prompts-list": "prompts",
    "prompts-get-simple": "prompts",
    "prompts-get-with-args": "prompts",
    "prompts-get-embedded-resource": "prompts",
    "prompts-get-with-image": "prompts",
    "input-required-result-non-tool-request": "prompts",
    "input-required-result-basic-sampling": "sampling",
    "input-required-result-capability-check": "sampling",
    "input-required-result-basic-list-roots": "roots",
    "input-required-result-multiple-input-requests": "several",
}
CHECK_SKIPS = {
    "sep-2575-server-rejects-undeclared-capability": "sampling",
    "sep-2575-missing-capability-http-400": "sampling",
    "sep-2549-prompts-list-caching-hints": "prompts",
    "sep-2549-resources-list-caching-hints": "resources",
    "sep-2549-resources-templates-list-caching-hints": "resources",
    "sep-2322-ignore-unexpected-params": "an answer counts only with the state of the question that it answers",
}
CLIENT_SKIPS: dict[str, str] = {}


def listed(half: str) -> Iterator[tuple[str, str]]:
    """Give every scenario of a half, with each revision that it belongs to and that we speak."""
    text = subprocess.run([*SUITE, "list"], check=True, capture_output=True, text=True, timeout=60).stdout
    part = text.partition(f"{half.capitalize()} scenarios")[2].partition("\n\n")[0]
    for name, revisions in re.findall(r"^ +- (\S+) \[(.*)\]$", part, re.MULTILINE):
        yield from ((name, revision) for revision in REVISIONS if revision in revisions.split(","))


SERVER = list(listed("server"))
CLIENT = list(listed("client"))


def wrong(folder: Path, ran: subprocess.CompletedProcess[str]) -> list[str]:
    """Give the checks of the one scenario that was run which went wrong; none at all is wrong too."""
    found: list[dict[str, Any]] = [
        check for path in folder.rglob("checks.json") for check in json.loads(path.read_text("utf-8"))
    ]
    if not any(check["status"] == "SUCCESS" for check in found):
        return [f"nothing was checked: {ran.stdout[-2000:]} {ran.stderr[-2000:]}"]
    bad = [check for check in found if check["status"] in ("FAILURE", "WARNING") and check["id"] not in CHECK_SKIPS]
    return [f"{check['id']}: {check.get('errorMessage', check['status'])}" for check in bad]


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    command = [sys.executable, str(HERE / "conformance.py"), "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        yield server.stdout.readline().strip()
        server.terminate()


def test_what_is_left_out_is_there_to_be_left_out() -> None:
    assert {name for name, _ in SERVER} >= set(SERVER_SKIPS)
    assert {name for name, _ in CLIENT} >= set(CLIENT_SKIPS)


@pytest.mark.parametrize(("scenario", "revision"), [pair for pair in SERVER if pair[0] not in SERVER_SKIPS])
def test_the_server_passes(scenario: str, revision: str, address: str, tmp_path: Path) -> None:
    command = [*SUITE, "server", "--url", address, "--scenario", scenario, "--spec-version", revision]
    ran = subprocess.run([*command, "-o", str(tmp_path)], check=False, capture_output=True, text=True, timeout=120)
    assert wrong(tmp_path, ran) == []


@pytest.mark.parametrize(("scenario", "revision"), [pair for pair in CLIENT if pair[0] not in CLIENT_SKIPS])
def test_the_client_passes(scenario: str, revision: str, tmp_path: Path) -> None:
    command = [*SUITE, "client", "--command", f"{sys.executable} {HERE / 'conformance_client.py'}"]
    command += ["--scenario", scenario, "--spec-version", revision, "-o", str(tmp_path)]
    ran = subprocess.run(command, check=False, capture_output=True, text=True, timeout=120)
    assert wrong(tmp_path, ran) == []

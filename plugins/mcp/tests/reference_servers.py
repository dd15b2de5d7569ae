"""Servers that others wrote, over stdio: every tool called once with right arguments and once with wrong ones.

The nox session ``mcp-servers`` installs them: those for Node in the folder that ``MCP_SERVERS`` names, the others next
to this Python. pytest does not collect this file by itself.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ares_core import Ares, Effects

FOLDER = Path(os.environ.get("MCP_SERVERS", "."))
NODE = FOLDER / "node_modules" / "@modelcontextprotocol"
BIN = Path(sys.executable).parent
SQUARE = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
ENTITY = {"name": "cat", "entityType": "animal", "observations": ["purrs"]}
RELATION = {"from": "cat", "to": "cat", "relationType": "likes"}
REPO: dict[str, Any] = {"repo_path": "{repo}"}

RIGHT: dict[str, dict[str, dict[str, Any]]] = {
    "everything": {
        "echo": {"message": "hi"},
        "get-annotated-message": {"messageType": "success"},
        "get-env": {},
        "get-resource-links": {"count": 2},
        "get-resource-reference": {"resourceType": "Text", "resourceId": 1},
        "get-structured-content": {"location": "Chicago"},
        "get-sum": {"a": 2, "b": 3},
        "get-tiny-image": {},
        "gzip-file-as-resource": {"name": "x.gz", "data": "data:text/plain,hello", "outputType": "resource"},
        "simulate-research-query": {"topic": "cats"},
        "toggle-simulated-logging": {},
        "toggle-subscriber-updates": {},
        "trigger-elicitation-request": {},
        "trigger-long-running-operation": {"duration": 0.2, "steps": 2},
        "trigger-url-elicitation": {"url": "https://example.test/"},
    },
    "filesystem": {
        "write_file": {"path": "{box}/a.txt", "content": "one\ntwo\n"},
        "create_directory": {"path": "{box}/sub"},
        "directory_tree": {"path": "{box}"},
        "edit_file": {"path": "{box}/a.txt", "edits": [{"oldText": "one", "newText": "1"}]},
        "get_file_info": {"path": "{box}/a.txt"},
        "list_allowed_directories": {},
        "list_directory": {"path": "{box}"},
        "list_directory_with_sizes": {"path": "{box}"},
        "read_file": {"path": "{box}/a.txt"},
        "read_media_file": {"path": "{box}/dot.png"},
        "read_multiple_files": {"paths": ["{box}/a.txt"]},
        "read_text_file": {"path": "{box}/a.txt", "head": 1},
        "search_files": {"path": "{box}", "pattern": "*.txt"},
        "move_file": {"source": "{box}/a.txt", "destination": "{box}/b.txt"},
    },
    "memory": {
        "create_entities": {"entities": [ENTITY]},
        "create_relations": {"relations": [RELATION]},
        "add_observations": {"observations": [{"entityName": "cat", "contents": ["sleeps"]}]},
        "read_graph": {},
        "search_nodes": {"query": "cat"},
        "open_nodes": {"names": ["cat"]},
        "delete_observations": {"deletions": [{"entityName": "cat", "observations": ["sleeps"]}]},
        "delete_relations": {"relations": [RELATION]},
        "delete_entities": {"entityNames": ["cat"]},
    },
    "time": {
        "get_current_time": {"timezone": "UTC"},
        "convert_time": {"source_timezone": "UTC", "time": "12:30", "target_timezone": "Asia/Tokyo"},
    },
    "git": {
        "git_status": REPO,
        "git_diff_unstaged": REPO,
        "git_add": {**REPO, "files": ["new.txt"]},
        "git_diff_staged": REPO,
        "git_commit": {**REPO, "message": "Add a file"},
        "git_diff": {**REPO, "target": "HEAD~1"},
        "git_log": {**REPO, "max_count": 1},
        "git_show": {**REPO, "revision": "HEAD"},
        "git_create_branch": {**REPO, "branch_name": "side"},
        "git_checkout": {**REPO, "branch_name": "side"},
        "git_branch": {**REPO, "branch_type": "local"},
        "git_reset": REPO,
    },
    "fetch": {"fetch": {"url": "http://127.0.0.1:9/"}},
}
REFUSED_THERE = {"fetch": "fetch"}
"""The server reaches no address of this machine, so its own refusal is the right answer."""
CASES = [(server, tool) for server, tools in RIGHT.items() for tool in tools]


@pytest.fixture(scope="module")
def places(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    import base64

    box, repo = tmp_path_factory.mktemp("box"), tmp_path_factory.mktemp("repo")
    (box / "dot.png").write_bytes(base64.b64decode(SQUARE))
    identity = ["-c", "user.name=a", "-c", "user.email=a@example.test"]
    for words in (["init", "-q"], [*identity, "commit", "-q", "--allow-empty", "-m", "Begin"]):
        subprocess.run(["git", "-C", str(repo), *words], check=True)
    for key, value in (("user.name", "a"), ("user.email", "a@example.test")):
        subprocess.run(["git", "-C", str(repo), "config", key, value], check=True)
    (repo / "new.txt").write_text("new")
    return {"box": str(box), "repo": str(repo)}


@pytest.fixture(scope="module")
def ares(places: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ares]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_STATE_HOME", str(tmp_path_factory.mktemp("state")))
        servers = {
            "everything": node("everything"),
            "filesystem": node("filesystem", places["box"]),
            "memory": {**node("memory"), "env": {"MEMORY_FILE_PATH": f"{places['box']}/memory.json"}},
            "time": {"command": str(BIN / "mcp-server-time")},
            "git": {"command": str(BIN / "mcp-server-git"), "args": ["--repository", places["repo"]]},
            "fetch": {"command": str(BIN / "mcp-server-fetch"), "args": ["--ignore-robots-txt"]},
        }
        with Ares(plugins=["mcp", "wires"], config={"mcp": {"servers": servers, "wait": 90}}) as ares:
            ares.definitions()
            yield ares


def node(name: str, *arguments: str) -> dict[str, Any]:
    return {"command": "node", "args": [str(NODE / f"server-{name}" / "dist" / "index.js"), *arguments]}


def placed(value: Any, places: dict[str, str]) -> Any:
    if isinstance(value, dict):
        return {key: placed(part, places) for key, part in value.items()}
    if isinstance(value, list):
        return [placed(part, places) for part in value]
    return value.format(**places) if isinstance(value, str) and value.startswith("{") else value


@pytest.mark.parametrize("server", RIGHT)
def test_every_tool_of_the_server_is_listed(ares: Ares, server: str) -> None:
    names = {name for name in ares.registry.list_tool_names() if name.startswith(f"mcp.{server}.")}
    assert names == {f"mcp.{server}.{tool}" for tool in RIGHT[server]}


@pytest.mark.parametrize(("server", "tool"), CASES)
def test_right_arguments_get_an_answer(ares: Ares, places: dict[str, str], server: str, tool: str) -> None:
    result = ares.call_sync(f"mcp.{server}.{tool}", placed(RIGHT[server][tool], places))
    assert result.success or REFUSED_THERE.get(server) == tool, result.text


@pytest.mark.parametrize(("server", "tool"), CASES)
def test_wrong_arguments_are_stopped_here(ares: Ares, server: str, tool: str) -> None:
    known = ares.registry.get(f"mcp.{server}.{tool}")
    assert known is not None
    assert known.effects == Effects()
    properties = known.parameters.get("properties", {})
    arguments: Any = {name: {"wrong": [[]]} for name in properties} or [7]
    result = ares.call_sync(known.name, arguments)
    assert result.error is not None
    assert result.error.code == "invalid_arguments"
    assert "Not executed" in result.text
    pointed_at = {issue.pointer.split("/")[1] for issue in result.error.issues if issue.pointer}
    assert pointed_at >= set(properties)

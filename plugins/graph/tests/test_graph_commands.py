"""``ares graph`` from the shell: run, check, show, runs, resume, cancel."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from ares_plugin_graph import AgentNode, AskNode, Edge, FunctionNode, Graph, SubGraph, ToolNode
from ares_plugin_graph.drawing import dot, mermaid, picture

from ares_core import Ares, AresError, ConfigError
from ares_core.testing import check_plugin

GOOD = "name: small\ninput: {n: {type: integer}}\nnodes:\n  - {id: a, ask: 'Go on with ${input.n}?'}\n"
Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def ares(tmp_path: Path) -> Run:
    """The command ``ares graph`` with a state folder of its own."""
    environment = {**os.environ, "XDG_STATE_HOME": str(tmp_path), "ARES_ONLY_PLUGINS": "graph", "NO_COLOR": "1"}
    (tmp_path / "small.yaml").write_text(GOOD)
    (tmp_path / "broken.yaml").write_text("nodes:\n  - {id: a, tool: x, argument: {}}\n  - {id: b, ask: '${c}'}\n")

    def run(*words: str, **more: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "ares_core", "graph", *words]
        return subprocess.run(
            command, capture_output=True, text=True, cwd=tmp_path, env={**environment, **more}, check=False, timeout=100
        )

    return run


def test_run_prints_the_answer_and_each_node_as_it_ends(ares: Run) -> None:
    done = ares("run", "small.yaml", "--input", "n=5", "--approve", "always")
    assert (done.returncode, done.stdout) == (0, '{"approved": true}\n')
    assert "done  a (ask_person)" in done.stderr


def test_run_json_is_one_document_with_every_node(ares: Run) -> None:
    done = ares("run", "small.yaml", "--input", "n=5", "--approve", "always", "--json", "--run-id", "r1")
    found = json.loads(done.stdout)
    assert (done.returncode, found["run_id"], found["status"]) == (0, "r1", "done")
    assert set(found["nodes"]["a"]) == {"status", "data", "error", "tool", "duration_ms"}


def test_a_run_that_waits_is_listed_and_resumed(ares: Run) -> None:
    waiting = ares("run", "small.yaml", "--input", "n=5", "--run-id", "r1")
    assert waiting.returncode == 1
    assert "ares graph resume r1" in waiting.stderr
    assert [row["status"] for row in json.loads(ares("runs", "--json").stdout)] == ["waiting"]
    done = ares("resume", "r1", "--approve", "always", "--json")
    assert json.loads(done.stdout)["status"] == "done"
    assert "done" in ares("runs", "r1").stdout
    forked = json.loads(ares("resume", "r1", "--fork", "--retry", "a", "--approve", "always", "--json").stdout)
    assert forked["run_id"] != "r1"
    assert len(json.loads(ares("runs", "--json").stdout)) == 2


def test_check_tells_all_that_is_wrong_line_by_line(ares: Run) -> None:
    found = ares("check", "broken.yaml")
    assert found.returncode == 2
    assert found.stderr.splitlines() == [
        "line 2: nodes.0.argument: there is no key 'argument'; did you mean 'arguments'?",
        "line 3: nodes.1: unknown reference 'c': there is no node 'c'",
    ]
    assert json.loads(ares("check", "broken.yaml", "--json").stdout)["problems"][0]["line"] == 2
    assert ares("check", "small.yaml").stdout == "small.yaml is in order: 1 node.\n"


def test_check_names_a_tool_that_is_not_here(ares: Run, tmp_path: Path) -> None:
    (tmp_path / "far.yaml").write_text("nodes:\n  - {id: a, tool: far_away}\n")
    found = ares("check", str(tmp_path / "far.yaml"))
    assert (found.returncode, "There is no tool 'far_away' here" in found.stderr) == (0, True)


def test_wrong_input_is_wrong_usage_and_nothing_is_kept(ares: Run) -> None:
    found = ares("run", "small.yaml", "--input", "n=x", "--json")
    assert (found.returncode, json.loads(found.stdout)["error"]["code"]) == (2, "invalid_arguments")
    assert json.loads(ares("runs", "--json").stdout) == []


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["run", "none.yaml"], "can't be read"),
        (["run", "small.yaml", "--input", "n"], "no KEY=VALUE"),
        (["run", "small.yaml", "--input", "n:=[", "--run-id", "x"], "n:"),
        (["resume", "nope"], "there is no run 'nope'"),
        (["runs", "nope"], "there is no run 'nope'"),
        (["cancel", "nope"], "there is no run 'nope'"),
        (["show", "broken.yaml"], "there is no key"),
        (["show", "small.yaml", "-o", "none/x"], "none/x can't be written"),
        (["chek", "small.yaml"], "Did you mean 'check'?"),
    ],
)
def test_wrong_use_is_told_in_a_sentence(ares: Run, words: list[str], says: str) -> None:
    found = ares(*words)
    assert found.returncode == 2
    assert says in found.stderr
    assert "Traceback" not in found.stderr


def test_cancel_of_a_run_that_is_over_says_so(ares: Run) -> None:
    ares("run", "small.yaml", "--input", "n=1", "--approve", "always", "--run-id", "r1")
    found = ares("cancel", "r1")
    assert (found.returncode, found.stderr) == (1, "r1 is not under way: it is done.\n")


def test_show_draws_without_letting_a_text_become_a_drawing(ares: Run) -> None:
    assert ares("show", "small.yaml").stdout.startswith("flowchart TD\n    n0{")
    assert mermaid(Graph([ToolNode("a", 'x"]; evil<script>')])).count('"') == 2
    assert dot(Graph([ToolNode("a", 'x"]; evil')])).count('\\"') == 1


def test_every_kind_of_node_has_a_shape_of_its_own() -> None:
    inner = Graph([ToolNode("x", "t")])
    nodes = [
        ToolNode("a", "t", route=[("a > 1", "b"), (None, "c")]), AskNode("b", "Sure?"), SubGraph("c", inner),
        FunctionNode("d", print, after=["b"]), AgentNode("e", "go", join="any", after=["d"]),
    ]  # fmt: skip
    text = mermaid(Graph(nodes, edges=[Edge("c", "e", "c > 1")]))
    for part in ('n1{"b<br/>Sure?"}', 'n2[["c<br/>graph graph"]]', 'n3(["d"])', '-->|"otherwise"|', "join any"):
        assert part in text


def test_a_picture_is_graphviz_s_work_and_without_it_a_sentence(tmp_path: Path, monkeypatch: Any) -> None:
    program = tmp_path / "dot"
    program.write_text('#!/bin/sh\necho "$1"; cat\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    assert picture(Graph([ToolNode("a", "t")]), "svg").startswith(b"-Tsvg\ndigraph {")
    monkeypatch.setenv("PATH", str(tmp_path / "none"))
    with pytest.raises(AresError, match="SVG needs Graphviz"):
        picture(Graph([ToolNode("a", "t")]), "svg")


def test_the_plugin_is_in_order() -> None:
    check_plugin("graph")


def test_a_graph_s_section_takes_a_full_path_only() -> None:
    with pytest.raises(ConfigError, match=r"graph\.path"):
        Ares(plugins=["graph"], config={"graph": {"path": "runs.db"}})

"""``ares graph`` on graphs in graphs, and what it says to whoever has to go on with a run."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Callable
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from ares_plugin_graph import Graph, MemoryCheckpoints, SubGraph, ToolNode
from ares_plugin_graph.undecided import MOST, undecided, ways_on

from ares_core import Ares, Tool, cli

Run = Callable[..., tuple[int, str, str]]
ASK: dict[str, Any] = {"id": "ok", "ask": "Sure?"}
WAITS = """
nodes:
  - {id: z, ask: "And now?", after: [m]}
  - {id: m, ask: "Go on?", after: [s]}
  - {id: s, graph: {nodes: [{id: ok, ask: "Sure?"}]}}
"""


@pytest.fixture
def run(ares_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    monkeypatch.setenv("ARES_ONLY_PLUGINS", "graph")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "waits.yaml").write_text(WAITS)

    def run(*words: str) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as ended:
            cli.main(["graph", *words])
        said = capsys.readouterr()
        return int(ended.value.code or 0), said.out, said.err

    return run


@pytest.mark.parametrize("more", [{}, {"max_iterations": 2, "until": "ok.approved"}], ids=["once", "loop"])
def test_a_graph_in_a_graph_runs_from_a_file_and_can_begin_anew(run: Run, tmp_path: Path, more: Any) -> None:
    document = {"nodes": [{"id": "outer", "graph": {"nodes": [ASK]}, **more}]}
    (tmp_path / "nested.json").write_text(json.dumps(document))
    assert run("run", "nested.json", "--run-id", "r", "--approve", "always")[:2] == (0, '{"approved": true}\n')
    assert run("resume", "r", "--retry", "outer", "--approve", "always")[0] == 0


def test_who_runs_what_waits_is_told_how_to_answer(run: Run) -> None:
    code, _, said = run("run", "waits.yaml", "--run-id", "r")
    assert code == 1
    ways = (
        "resume r\n",
        "resume r --approve always",
        """resume r --set 's.ok={"approved": true}'""",
        "approvals.defer",
    )
    assert [way for way in ways if way not in said] == []
    yes = '={"approved": true}'
    assert run("resume", "r", "--set", f"s.ok{yes}", "--set", f"m{yes}", "--set", f"z{yes}")[:2] == (
        0,
        '{"approved": true}\n',
    )


def test_a_terminal_is_asked_the_question_itself_and_what_may_be_answered(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asks = {"nodes": [{"id": "ok", "ask": "Send it to ${input.to}?", "show": {"text": "Hi."}}], "input": {"to": {}}}
    (tmp_path / "asks.json").write_text(json.dumps(asks))
    monkeypatch.setattr("sys.stdin", typed := StringIO("y\n"))
    for stream in (typed, sys.stderr):
        monkeypatch.setattr(stream, "isatty", lambda: True, raising=False)
    code, out, said = run("run", "asks.json", "--input", "to=Bo", "--no-color")
    assert (code, out) == (0, '{"approved": true}\n')
    assert "Send it to Bo?\n  text: Hi.\nYes or no? [y/N] " in said


def test_the_nodes_of_a_run_are_listed_in_the_order_of_the_run(run: Run) -> None:
    run("run", "waits.yaml", "--run-id", "r", "--approve", "always")
    assert [line.split()[0] for line in run("runs", "r")[1].splitlines()] == ["node", "s", "m", "z"]
    assert list(json.loads(run("runs", "r", "--json")[1])["nodes"]) == ["s", "m", "z"]


def test_who_has_to_decide_about_what_is_unknown_is_told_how(door: Ares) -> None:
    kept = MemoryCheckpoints()
    graph, begun = Graph([SubGraph("s", Graph([ToolNode("c", "erase")]))]), asyncio.Event()

    async def erase(arguments: Any, context: Any) -> None:
        begun.set()
        await asyncio.sleep(60)

    door.register(Tool("erase", "Erase.", {"type": "object"}, erase))

    async def main() -> None:
        run = graph.start(door, run_id="r", checkpoints=kept)
        await begun.wait()
        run.cancel()
        await run.wait()

    asyncio.run(main())
    said = list(ways_on("r", undecided(graph, kept, "r")))
    assert len(said) == 1
    assert said[0].endswith("ares graph resume r --retry s.c | --skip s.c | --set s.c=JSON")


def test_few_of_many_are_named_and_nothing_left_is_just_gone_on_with(door: Ares) -> None:
    kept, graph = MemoryCheckpoints(), Graph([ToolNode(f"n{n}", "careful", {"text": "x"}) for n in range(MOST + 2)])
    with Ares(plugins=[], config={"approvals": {"defer": True}}) as ares:
        ares.register(door.registry.get("careful"))
        graph.run_sync(ares, run_id="r", checkpoints=kept)
    said = list(ways_on("r", undecided(graph, kept, "r")))
    assert (len(said), said[0][:36], said[-1]) == (
        MOST + 1,
        "Answer n0: ares approvals approve " + said[0][34:36],
        "There are 2 more: ares graph runs r",
    )
    assert list(ways_on("r", [])) == ["Go on with it: ares graph resume r"]


@pytest.mark.parametrize("command", ["resume", "cancel", "runs"])
def test_the_shell_completes_ids_of_runs(run: Run, monkeypatch: pytest.MonkeyPatch, command: str) -> None:
    for id in ("first", "second", "other"):
        run("run", "waits.yaml", "--run-id", id)
    monkeypatch.setattr(cli.completing, "PATIENCE", 60.0)
    monkeypatch.setenv("_ARES_COMPLETE", "bash_complete")
    monkeypatch.setenv("COMP_WORDS", f"ares graph {command} ")
    monkeypatch.setenv("COMP_CWORD", "3")
    assert run() == (0, "plain,other\nplain,second\nplain,first\n", "")

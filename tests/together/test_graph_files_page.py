"""The page on graph files says every key that is read, with the values that it takes, and its examples are graphs."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

import pytest
from ares_plugin_graph.conditions import Condition
from ares_plugin_graph.files import COMMON, EDGE, KINDS, TOP, read_graph
from ares_plugin_graph.nodes import JOINS
from ares_plugin_graph.references import ReferenceFault
from ares_plugin_graph.state import REDUCERS

DOCS = Path(__file__).parents[2] / "docs"
PAGE = (DOCS / "reference" / "graph-files.md").read_text("utf-8")
ROW = re.compile(r"^\| `(\w+)` \| ([^|]+) \| ([^|]+) \|$", re.MULTILINE)
TABLES = {
    "The graph": TOP, "Every node": COMMON, "A call of a tool": KINDS["tool"], "A graph in the graph": KINDS["graph"],
    "A question to a person": KINDS["ask"], "Work for a model": KINDS["prompt"], "An edge": EDGE,
}  # fmt: skip


def section(title: str) -> str:
    return PAGE.partition(f"## {title}\n")[2].partition("\n## ")[0]


@pytest.mark.parametrize(("title", "keys"), TABLES.items(), ids=TABLES)
def test_a_table_has_the_keys_that_are_read_and_no_other(title: str, keys: Mapping[str, str]) -> None:
    assert {key: value for key, value, _ in ROW.findall(section(title))} == keys


def test_every_kind_of_node_has_its_table() -> None:
    assert set(KINDS) == {next(iter(keys)) for keys in TABLES.values()} - {"name", "id", "from"}


def test_every_join_and_reducer_is_named() -> None:
    rows = {key: says for key, _, says in ROW.findall(PAGE)}
    assert [join for join in JOINS if f"`{join}`" not in rows["join"]] == []
    assert [name for name in REDUCERS if f"`{name}`" not in rows["reducers"]] == []


@pytest.mark.parametrize("name", ["reference/graph-files.md", "how-to/run-a-graph.md"])
def test_an_example_of_a_file_is_a_graph_in_order(name: str, tmp_path: Path) -> None:
    (text,) = re.findall(r"^```yaml\n(.*?)^```$", (DOCS / name).read_text("utf-8"), re.MULTILINE | re.DOTALL)
    (tmp_path / "graph.yaml").write_text(text)
    assert read_graph(tmp_path / "graph.yaml").nodes


@pytest.mark.parametrize("text", re.findall(r"`([^`]+)`", section("Conditions").partition("| values")[0]))
def test_a_condition_or_name_that_is_shown_can_be_read(text: str) -> None:
    if text != "${…}":
        assert list(Condition(text))


def test_what_the_page_says_is_not_there_is_not(tmp_path: Path) -> None:
    for text in ("abs(1)", "2 ** 3", "1 < " * 1_000 + "2"):
        with pytest.raises(ReferenceFault):
            Condition(text)

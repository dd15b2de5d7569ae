"""Every plugin does its main job, installed together with all the others; also run against the built wheels."""

from __future__ import annotations

import asyncio
import re
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from ares_core import Ares, ToolError

PLUGINS = sorted(path.parent.name for path in Path(__file__).parents[2].glob("plugins/*/pyproject.toml"))


@pytest.fixture
def everything(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Ares]:
    """An Ares with every installed plugin, and its state in a folder of its own."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    folder = tmp_path / "work"
    folder.mkdir()
    (folder / "note.txt").write_text("hello")
    stores = {"evidence": "store-sqlite", "events": "store-sqlite"}
    with Ares(config={"stores": stores, "tools": {"file_sandbox_dir": str(folder)}}) as ares:
        ares.ready()
        yield ares


def calculates(ares: Ares) -> bool:
    return bool(ares.call_sync("calculator", {"expression": "2**10"}).data["result"] == 1024)


def runs_a_graph(ares: Ares) -> bool:
    from ares_plugin_graph import read_graph

    sum_ = {"id": "sum", "tool": "calculator", "arguments": {"expression": "1+2"}}
    digest = {"id": "d", "tool": "hash_tool", "arguments": {"operation": "md5", "input": "${sum.result}"}}
    result = read_graph({"nodes": [sum_, digest]}).run_sync(ares)
    return str(result["d"].data["output"]) == "eccbc87e4b5ce2fe28308fd9f2a7baf3"


def hashes(ares: Ares) -> bool:
    return ares.call_sync("hash_tool", {"operation": "md5", "input": "hello"}).text.startswith("5d41402abc4b2a76")


def makes_ids(ares: Ares) -> bool:
    return re.fullmatch(r"[0-9a-f]{8}-[0-9a-f-]{27}", ares.call_sync("id_generator", {}).text) is not None


def understands_english(ares: Ares) -> bool:
    return bool(ares.ask_sync("sum from 1 to 1,000,000").data["result"] == 500000500000)


def understands_chinese(ares: Ares) -> bool:
    return bool(ares.ask_sync("从1累加到100万").data["result"] == 500000500000)


def remembers(ares: Ares) -> bool:
    execution = ares.call_sync("string_utils", {"operation": "upper", "input": "a"})
    kept = ares.events.query(tool="string_utils") if ares.events else []
    return execution.success and kept[-1].kind == "finished" and ares.evidence.read("string_utils").n > 0


def changes_text(ares: Ares) -> bool:
    return ares.call_sync("string_utils", {"operation": "upper", "input": "straße"}).text == "STRASSE"


def speaks_to_providers(ares: Ares) -> bool:
    return "calculator" in {tool["function"]["name"] for tool in ares.definitions(wire="openai-chat")}


def keeps_tools_in_a_folder(ares: Ares) -> bool:
    inside, outside = (
        ares.call_sync("hash_tool", {"operation": "md5", "path": path}) for path in ("note.txt", "../state")
    )
    return inside.text.startswith("5d41402abc4b2a76") and not outside.success


def reads_files(ares: Ares) -> bool:
    return "hello" in ares.call_sync("file_tools", {"operation": "read", "path": "note.txt"}).text


def finds_patterns(ares: Ares) -> bool:
    arguments = {"operation": "extract", "pattern": r"\d{4}", "text": "from 2024 on"}
    return "2024" in ares.call_sync("regex", arguments).text


def guards_the_network(ares: Ares) -> bool:
    async def reach() -> None:
        await ares.providers.network.connect("argument", "127.0.0.1", 9)

    with pytest.raises(ToolError, match=r"127\.0\.0\.1"):
        asyncio.run(reach())
    return True


def writes_no_requests_inside(ares: Ares) -> bool:
    return "not public" in ares.call_sync("http_request", {"url": "http://127.0.0.1/"}).text


def asks_for_a_search_engine(ares: Ares) -> bool:
    return "web_search." in ares.call_sync("web_search", {"query": "news"}).text


def reads_json(ares: Ares) -> bool:
    return '"value": 42' in ares.call_sync("json_tools", {"operation": "pretty", "data": {"value": 42}}).text


def runs_no_code_unasked(ares: Ares) -> bool:
    return "code_runner.enabled" in ares.call_sync("code_runner", {"language": "python", "code": "1"}).text


def turns_tables(ares: Ares) -> bool:
    call = {"operation": "csv_to_json", "data": "a,b\n1,2"}
    return '{"a":"1","b":"2"}' in ares.call_sync("data_transform", call).text


def counts_days(ares: Ares) -> bool:
    call = {"operation": "diff", "value": "2026-01-01", "other": "2026-03-01"}
    return "59 days" in ares.call_sync("datetime", call).text


def keeps_work(ares: Ares) -> bool:
    from ares_plugin_durable import Durable

    async def work() -> Any:
        with tempfile.TemporaryDirectory() as folder:
            async with Durable(ares, f"sqlite:///{folder}/durable.db") as durable:
                return (await durable.call("calculator", {"expression": "6*7"})).data["result"]

    return int(asyncio.run(work())) == 42


def embeds_or_says_what_is_missing(ares: Ares) -> bool:
    result = ares.call_sync("embedding", {"operation": "embed", "text": "tea"})
    return result.success or "ares-plugin-embedding[local]" in result.text


def listens_only_when_asked(ares: Ares) -> bool:
    with Ares(plugins=["otel"], config={"otel": {"enabled": True}}) as other:
        return len(other.runner.listeners) == 1


def reads_no_pdf_that_is_not_there(ares: Ares) -> bool:
    return "none.pdf" in ares.call_sync("pdf_tool", {"operation": "text", "path": "none.pdf"}).text


def asks_a_model(ares: Ares) -> bool:
    from ares_plugin_agent import Agent

    run = Agent(ares, "openai:any", base_url="http://127.0.0.1:9", retries=0).run_sync("Hello.")
    return run.outcome == "failed" and "127.0.0.1:9" in run.text


def knows_no_server_unasked(ares: Ares) -> bool:
    result = ares.call_sync("mcp.any.echo", {})
    return result.error is not None and result.error.code == "unknown_tool" and ares.registry.waiting() == {}


def knows_no_worker_unasked(ares: Ares) -> bool:
    with Ares(plugins=["network", "workers"], config={"workers": {"url": "nats://127.0.0.1:9"}}) as other:
        return "the NATS server at nats://127.0.0.1:9 can't be used" in other.call_sync("calculator", {}).text


def reads_on(ares: Ares) -> bool:
    return "there is no result 'r0'" in ares.call_sync("read_result", {"handle": "r0"}).text


def serves_agents(ares: Ares) -> bool:
    ares.call_sync("memory", {"operation": "add", "text": "Prefers tea."})
    kept = ares.call_sync("memory", {"operation": "search", "query": "tea"})
    ares.call_sync("todo", {"todos": [{"id": "1", "content": "boil water"}]}, session="s")
    earlier = ares.call_sync("session_search", {"query": "water"}, session="s")
    without_a_model = ares.call_sync("delegate_task", {"task": "Make tea."})
    return "tea" in kept.text and "boil water" in earlier.text and "agent_tools.model" in without_a_model.text


def finds_tools(ares: Ares) -> bool:
    found = ares.call_sync("tool_search", {"query": "对文本计算哈希摘要"}).data["tools"]
    call = {"name": "hash_tool", "arguments": {"operation": "md5", "input": "hello"}}
    return found[0]["name"] == "hash_tool" and ares.call_sync("tool_call", call).text.startswith("5d41402abc4b2a76")


MAIN_JOB: dict[str, Callable[[Ares], bool]] = {
    "agent": asks_a_model,
    "agent-tools": serves_agents,
    "calculator": calculates,
    "code-runner": runs_no_code_unasked,
    "data": turns_tables,
    "datetime": counts_days,
    "durable": keeps_work,
    "embedding": embeds_or_says_what_is_missing,
    "file-sandbox": keeps_tools_in_a_folder,
    "files": reads_files,
    "graph": runs_a_graph,
    "hash": hashes,
    "http": writes_no_requests_inside,
    "id": makes_ids,
    "json": reads_json,
    "mcp": knows_no_server_unasked,
    "network": guards_the_network,
    "otel": listens_only_when_asked,
    "pdf": reads_no_pdf_that_is_not_there,
    "regex": finds_patterns,
    "results": reads_on,
    "rules-en": understands_english,
    "rules-zh": understands_chinese,
    "store-sqlite": remembers,
    "strings": changes_text,
    "tool-search": finds_tools,
    "web-search": asks_for_a_search_engine,
    "wires": speaks_to_providers,
    "workers": knows_no_worker_unasked,
}


@pytest.mark.parametrize("plugin", PLUGINS)
def test_a_plugin_does_its_main_job_among_all_others(plugin: str, everything: Ares) -> None:
    assert MAIN_JOB[plugin](everything)


def test_every_plugin_is_loaded_without_a_note(everything: Ares) -> None:
    rows = {row.name: (row.state, row.notes) for row in everything.plugins.rows() if row.name in PLUGINS}
    assert rows == dict.fromkeys(PLUGINS, ("loaded", ()))

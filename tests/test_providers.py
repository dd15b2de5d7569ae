"""``open_files``, ``open_network``, ``open_store``: exactly one, chosen by configuration, refusing when it breaks."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest

from ares_core import (
    Ares,
    ConfigError,
    ToolCall,
    ToolContext,
    hookimpl,
)

Load = Callable[[str], ModuleType]


def plugin(name: str, **hooks: Callable[..., Any]) -> ModuleType:
    module = ModuleType(name)
    for hook, function in hooks.items():
        setattr(module, hook, hookimpl(function))
    return module


def read_file(path: str, context: ToolContext) -> str:
    """Read a file."""
    with context.files.open(path) as file:
        return file.read().decode()


def dial(host: str, context: ToolContext) -> str:
    """Open a client."""
    return str(context.network.client("argument"))


def test_without_a_provider_file_and_network_tools_refuse_in_a_sentence(ares: Ares) -> None:
    ares.register(read_file)
    ares.register(dial)
    for call in (ToolCall("read_file", {"path": "a"}), ToolCall("dial", {"host": "a"})):
        result = ares.call_sync(call)
        assert result.error is not None
        assert result.error.code == "tool_error"
        assert "provider is installed" in result.error.message


def test_tools_reach_files_and_network_through_the_one_provider(ares: Ares, load: Load) -> None:
    load("provides_files")
    load("provides_a_network")
    ares.register(read_file)
    ares.register(dial)
    assert ares.call_sync("read_file", {"path": "a.txt"}).data == "contents of a.txt"
    assert ares.call_sync("dial", {"host": "a"}).data == "a client for argument"


def test_two_providers_are_a_configuration_error_that_names_both(ares: Ares, load: Load) -> None:
    load("provides_files")
    load("provides_files_too")
    ares.register(read_file)
    result = ares.call_sync("read_file", {"path": "a.txt"})
    assert result.error is not None
    assert "provides-files and provides-files-too both answer open_files; choose one with files.provider" in result.text


def test_files_provider_chooses_between_two(sample: Load) -> None:
    providers = [sample("provides_files"), sample("provides_files_too")]
    with Ares(plugins=providers, config={"files": {"provider": "provides-files"}}) as ares:
        ares.register(read_file)
        assert ares.call_sync("read_file", {"path": "a"}).data == "contents of a"


def test_a_provider_that_no_plugin_is_is_an_error_that_names_the_key() -> None:
    with Ares(plugins=[], config={"network": {"provider": "ghost"}}) as ares:
        ares.register(dial)
        result = ares.call_sync("dial", {"host": "a"})
    assert "network.provider is 'ghost'" in result.text


def test_a_provider_that_raises_means_that_tools_refuse(ares: Ares, load: Load) -> None:
    load("breaks_its_providers")
    ares.register(read_file)
    ares.register(dial)
    for call in (ToolCall("read_file", {"path": "a"}), ToolCall("dial", {"host": "a"})):
        assert ares.call_sync(call).success is False
    assert "open_files() raised RuntimeError: disk on fire" in ares.plugins.rows()[0].notes


def test_stores_are_kept_by_the_plugin_that_the_configuration_names_and_closed(sample: Load) -> None:
    keeper = sample("keeps_stores")
    stores = {"evidence": "keeps-stores", "events": "keeps-stores"}
    with Ares(plugins=[keeper, sample("adds")], config={"stores": stores}) as ares:
        ares.call_sync("add", {"a": 1})
        assert ares.evidence.read("add").n == 1
        assert ares.events is not None
        assert [event.kind for event in ares.events.query()][-1] == "finished"
    assert (keeper.evidence.closed, keeper.events.closed) == (True, True)


def test_a_store_of_evidence_that_can_not_be_opened_stays_in_memory_with_a_warning(
    sample: Load, caplog: pytest.LogCaptureFixture
) -> None:
    plugins = [sample("breaks_its_providers"), sample("adds")]
    with Ares(
        plugins=plugins, config={"stores": {"evidence": "breaks-its-providers", "events": "breaks-its-providers"}}
    ) as ares:
        assert ares.call_sync("add", {"a": 1}).success
        assert ares.evidence.read("add").n == 1
    (warning,) = [record.getMessage() for record in caplog.records if record.name.startswith("ares")]
    why = "breaks-its-providers can't be used (cupboard locked); evidence and events stay in memory"
    assert warning == f"stores.evidence, stores.events: {why}"


@pytest.mark.parametrize("blocked", [True, False], ids=["blocked", "broken"])
def test_a_store_of_a_plugin_that_is_out_of_use_stays_in_memory(
    blocked: bool, site: Any, caplog: pytest.LogCaptureFixture
) -> None:
    site.install("keeps-stores", None if blocked else "1/0")
    plugins = {"only": ["keeps-stores"], "block": ["keeps-stores"] if blocked else []}
    with Ares(config={"stores": {"evidence": "keeps-stores", "events": "keeps-stores"}, "plugins": plugins}) as ares:
        ares.call_sync("nobody")
        assert ares.events is not None
        assert [event.kind for event in ares.events.query()] == ["requested", "failed"]
    state = "blocked" if blocked else "failed"
    assert f"stores.evidence, stores.events: keeps-stores can't be used (the plugin is {state})" in caplog.text


@pytest.mark.parametrize("kind", ["evidence", "events"])
def test_a_store_of_a_plugin_that_is_not_there_is_a_configuration_error(kind: str) -> None:
    with pytest.raises(ConfigError, match=f"stores.{kind} is 'ghost'"):
        Ares(plugins=[], config={"stores": {kind: "ghost"}})

"""The life of a plugin: its host and configuration, its tools among those of others, and how it goes."""

from __future__ import annotations

import threading
from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest
from pydantic import BaseModel, model_validator

from ares_core import (
    Ares,
    ConfigError,
    Deny,
    Effects,
    PluginError,
    RegistrationError,
    Tool,
    hookimpl,
)

Load = Callable[[str], ModuleType]


def test_a_plugin_taken_out_during_a_call_ends_it_in_peace(ares: Ares) -> None:
    started, go_on = threading.Event(), threading.Event()

    def slow() -> str:
        """Wait."""
        started.set()
        go_on.wait(30)
        return "done"

    plugin = ModuleType("p")
    plugin.register_tools = hookimpl(lambda: [Tool.from_function(slow)])  # type: ignore[attr-defined]
    plugin.register_tools.__name__ = "register_tools"
    ares.add(plugin)
    results: list[Any] = []
    caller = threading.Thread(target=lambda: results.append(ares.call_sync("slow")))
    caller.start()
    started.wait(30)
    ares.remove("p")
    again = ares.call_sync("slow")
    go_on.set()
    caller.join(30)
    assert results[0].data == "done"
    assert again.error is not None
    assert again.error.code == "unknown_tool"
    ares.add(plugin)
    assert ares.call_sync("slow").data == "done"


def test_what_a_plugin_opened_is_closed_when_it_is_taken_out(ares: Ares, load: Load) -> None:
    plugin = load("uses_its_host")
    ares.remove("uses-its-host")
    assert plugin.log[1:] == ["opened last, closed first", "opened first, closed last"]
    ares.close()
    assert len(plugin.log) == 3


def test_taking_out_what_is_not_there_is_an_error_that_says_so(ares: Ares) -> None:
    with pytest.raises(RegistrationError, match="there is no plugin 'ghost' to take out"):
        ares.remove("ghost")


def test_a_host_has_what_a_plugin_needs_and_closing_runs_backwards(sample: Load) -> None:
    plugin = sample("uses_its_host")
    with Ares(plugins=[sample("adds"), plugin]) as ares:
        assert ares.call_sync("relay", {"a": 4}).data == 5
    (host,) = plugin.hosts
    assert host.name == "uses-its-host"
    assert host.config == {}
    assert host.settings.limits.timeout == 30
    assert host.log.name == "ares.plugin.uses-its-host"
    assert plugin.log == ["asked; tools so far: []", "opened last, closed first", "opened first, closed last"]


def test_each_ares_gives_a_plugin_a_host_of_its_own(sample: Load) -> None:
    plugin = sample("uses_its_host")
    with Ares(plugins=[plugin]), Ares(plugins=[plugin]):
        assert len({id(host) for host in plugin.hosts}) == 2


def test_a_plugin_is_asked_once_however_often_others_come_and_go(ares: Ares, load: Load) -> None:
    plugin = load("uses_its_host")
    load("adds")
    ares.remove("adds")
    assert [line for line in plugin.log if line.startswith("asked")] == ["asked; tools so far: []"]


def test_a_plugin_that_fails_while_closing_keeps_no_other_from_it(sample: Load) -> None:
    plugin = sample("uses_its_host")
    ares = Ares(plugins=[plugin])
    plugin.hosts[0].on_close(lambda: 1 / 0)
    ares.close()
    assert plugin.log[-1] == "opened first, closed last"


def test_a_plugin_gets_its_section_as_the_model_that_it_gave(sample: Load) -> None:
    with Ares(plugins=[sample("is_configured")], config={"is_configured": {"greeting": "ahoy", "times": "2"}}) as ares:
        assert ares.call_sync("greet").data == "ahoyahoy"


def test_a_wrong_key_of_a_plugin_is_an_error_with_key_and_source(sample: Load) -> None:
    with pytest.raises(
        ConfigError, match=r"is_configured\.greting in the config argument.*did you mean is_configured\.greeting"
    ):
        Ares(plugins=[sample("is_configured")], config={"is_configured": {"greting": "ahoy"}})
    with pytest.raises(ConfigError, match=r"is_configured\.times in the config argument"):
        Ares(plugins=[sample("is_configured")], config={"is_configured": {"times": "many"}})


def test_a_section_of_no_plugin_is_a_warning_with_the_nearest(site: Any, caplog: pytest.LogCaptureFixture) -> None:
    site.install("is-configured")
    config = {"plugins": {"only": ["is-configured"]}, "is_configurd": {"greeting": "ahoy"}}
    with Ares(config=config) as ares:
        ares.ready()
    assert "is_configurd.greeting" in caplog.text
    assert "did you mean is_configured?" in caplog.text


def test_a_plugin_whose_own_validator_breaks_is_not_used(ares: Ares) -> None:
    class Settings(BaseModel):
        @model_validator(mode="after")
        def check(self) -> Settings:
            raise RuntimeError("validator down")

    class Broken:
        @hookimpl
        def configuration(self) -> type[BaseModel]:
            return Settings

    ares.add(Broken())
    (row,) = ares.plugins.rows()
    assert (row.state, row.reason) == ("failed", "checking its configuration raised RuntimeError: validator down")


@pytest.mark.parametrize("answer", [RuntimeError("no model"), SystemExit(2), {"greeting": str}], ids=repr)
def test_a_plugin_whose_configuration_is_none_is_not_used(answer: Any, ares: Ares) -> None:
    class Broken:
        @hookimpl
        def configuration(self) -> type[BaseModel]:
            if isinstance(answer, BaseException):
                raise answer
            return answer  # type: ignore[no-any-return]

        @hookimpl
        def pre_tool_call(self) -> Deny:
            return Deny("never asked")

    ares.register(Tool("ping", "Say pong.", {}, lambda arguments, context: "pong", effects=Effects(open_world=False)))
    ares.add(Broken())
    assert [row.state for row in ares.plugins.rows()] == ["failed"]
    assert ares.call_sync("ping").data == "pong"


def test_two_plugins_with_one_tool_name_both_lose_it_and_both_are_told_the_way_out(site: Any) -> None:
    site.install("adds", version="0.3")
    site.install("adds-too", version="1.2")
    with Ares(config={"plugins": {"only": ["adds", "adds-too"]}}) as ares:
        assert ares.registry.list_tool_names() == ["double"]
        notes = [ares.plugins.row(name).notes for name in ("adds", "adds-too")]  # type: ignore[union-attr]
    assert notes[0] == notes[1]
    for words in (
        "'add'",
        "adds (ares-plugin-adds 0.3)",
        "adds-too (ares-plugin-adds-too 1.2)",
        "tools.prefer",
        "ARES_BLOCK_PLUGINS",
    ):
        assert words in notes[0][0]


@pytest.mark.parametrize("names", [("adds", "adds_too"), ("brings_bad_tools",), ("breaks_at_every_hook",)], ids=str)
def test_strict_raises_for_whatever_would_be_a_row(
    names: tuple[str, ...], sample: Load, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ARES_STRICT", "1")
    with pytest.raises(PluginError):
        Ares(plugins=[sample(name) for name in names])


def test_tools_prefer_chooses_between_two_plugins(sample: Load) -> None:
    config = {"tools": {"prefer": {"add": "adds-too"}}}
    with Ares(plugins=[sample("adds"), sample("adds_too")], config=config) as ares:
        assert ares.call_sync("add", {"a": 1}).data == "1 and 1"
        assert ares.registry.owner("add") == "adds-too"


def test_a_plugin_gets_its_tool_back_when_the_other_goes_and_its_row_forgets_the_clash(ares: Ares, load: Load) -> None:
    load("adds")
    load("adds_too")
    assert "add" not in ares.registry
    ares.remove("adds-too")
    assert ares.call_sync("add", {"a": 1}).data == 2
    row = ares.plugins.row("adds")
    assert row is not None
    assert row.notes == ()


def test_a_tool_that_the_program_registered_comes_before_a_plugins(site: Any) -> None:
    site.install("adds")
    ares = Ares(config={"plugins": {"only": ["adds"]}})

    def add(a: int) -> str:
        """Say that it is the program's."""
        return "mine"

    ares.register(add)
    assert ares.call_sync("add", {"a": 1}).data == "mine"
    row = ares.plugins.row("adds")
    assert row is not None
    assert "the program registered a tool of that name itself" in row.notes[0]
    ares.close()


def test_a_bad_tool_loses_only_itself_and_the_row_says_why(ares: Ares, load: Load) -> None:
    load("brings_bad_tools")
    assert ares.registry.list_tool_names() == ["fine"]
    row = ares.plugins.row("brings-bad-tools")
    assert row is not None
    assert row.state == "loaded"
    assert len(row.notes) == 3
    assert any("bad_schema" in note for note in row.notes)


def test_a_tool_given_twice_by_one_plugin_is_taken_once(ares: Ares) -> None:
    plugin = ModuleType("twice")
    both = [Tool("ping", text, {}, lambda arguments, context: None) for text in ("v1", "v2")]
    plugin.register_tools = hookimpl(lambda: both)  # type: ignore[attr-defined]
    plugin.register_tools.__name__ = "register_tools"
    ares.add(plugin)
    assert [tool.description for tool in ares.registry.list_tools()] == ["v1"]
    assert "given twice" in ares.plugins.rows()[0].notes[0]

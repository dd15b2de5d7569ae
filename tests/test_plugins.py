"""The plugin host: one bad plugin is a row, never an exception, and takes nothing of the others with it."""

from __future__ import annotations

import threading
from collections.abc import Callable
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
from pydantic import BaseModel

from ares_core import Ares, ConfigError, Deny, Effects, PluginError, RegistrationError, Tool, ToolCall, UsageError, hookimpl

Load = Callable[[str], ModuleType]
BROKEN_AT_IMPORT = {
    "lacks_a_dependency": "import no_such_dependency",
    "has_no_syntax": "def f(:",
    "exits": "raise SystemExit(3)",
    "divides_by_zero": "1/0",
    "raises_what_nobody_catches": "class Odd(BaseException): pass\nraise Odd('boo')",
}


class Guard:
    """A plugin as an object."""

    def __init__(self, reason: str) -> None:
        self.reason = reason

    @property
    def trap(self) -> str:
        raise AssertionError("a property of a plugin was read")

    @hookimpl
    def pre_tool_call(self, call: ToolCall) -> Deny | None:
        return Deny(self.reason) if call.arguments else None


@pytest.mark.parametrize("name", BROKEN_AT_IMPORT)
def test_a_plugin_that_breaks_on_import_is_a_row_and_the_others_stand(name: str, site: Any) -> None:
    site.install("adds")
    site.install(name, BROKEN_AT_IMPORT[name], version="0.9")
    with Ares(config={"plugins": {"only": ["adds", name]}}) as ares:
        assert ares.call_sync("add", {"a": 1}).data == 2
        row = ares.plugins.row(name)
    assert row is not None
    assert (row.state, row.distribution, row.version, row.module) == ("failed", f"ares-plugin-{name}".replace("_", "-"), "0.9", name)
    assert row.reason is not None
    assert name in row.reason
    assert "ARES_BLOCK_PLUGINS" in row.reason


@pytest.mark.parametrize("name", BROKEN_AT_IMPORT)
def test_strict_raises_instead_and_goes_on_raising(name: str, site: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    site.install(name, BROKEN_AT_IMPORT[name])
    monkeypatch.setenv("ARES_STRICT", "1")
    ares = Ares(config={"plugins": {"only": [name]}})
    for _ in range(2):
        with pytest.raises(PluginError, match=name):
            ares.ready()
    ares.close()


def test_strict_raises_for_a_plugin_that_does_not_exist(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ARES_STRICT", "1")
    with pytest.raises(PluginError, match="no_such_plugin"):
        Ares(plugins=["no_such_plugin"])


def test_what_a_plugin_prints_goes_to_stderr(site: Any, capsys: pytest.CaptureFixture[str]) -> None:
    site.install("prints")
    with Ares(config={"plugins": {"only": ["prints"]}}) as ares:
        ares.ready()
    out, err = capsys.readouterr()
    assert out == ""
    assert err.split("\n") == ["printed at import", "printed by a hook", ""]


def test_a_row_shows_what_is_known_of_a_plugin(site: Any) -> None:
    site.install("limited-to-add")
    with Ares(config={"plugins": {"only": ["limited-to-add"]}}) as ares:
        ares.ready()
        (row,) = [row for row in ares.plugins.rows() if row.state == "loaded"]
    assert (row.name, row.source) == ("limited-to-add", "limited-to-add (ares-plugin-limited-to-add 1.0)")
    assert row.hooks == ("format_result", "post_tool_call", "pre_tool_call")
    assert row.import_ms > 0
    assert row.reason is None


def test_a_plugin_may_be_named_by_entry_point_or_by_module(site: Any) -> None:
    site.install("limited-to-add")
    for name in ("limited-to-add", "limited_to_add"):
        with Ares(plugins=[name]) as ares:
            assert ares.plugins.loaded() == ["limited-to-add"]


def test_a_misspelt_plugin_is_a_row_with_the_nearest_name(site: Any) -> None:
    site.install("adds")
    with Ares(plugins=["adss"]) as ares:
        row = ares.plugins.row("adss")
    assert row is not None
    assert row.reason == "no installed plugin and no module is called 'adss'; did you mean 'adds'?"


def test_plugins_as_one_text_is_refused_in_a_sentence() -> None:
    with pytest.raises(UsageError, match=r"plugins=\['adds'\]"):
        Ares(plugins="adds")


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("misspells_a_hook", "there is no hook 'pre_tool_cal'; did you mean 'pre_tool_call'?"),
        ("has_an_async_hook", "hook pre_tool_call is async; hooks are plain functions: write 'def pre_tool_call"),
        ("has_a_keyword_only_hook", "hook pre_tool_call: the keyword-only parameter 'call' is never passed"),
        ("has_an_unknown_argument", "hook pre_tool_call: there is no argument 'extra'; it may take call"),
    ],
)
def test_a_hook_that_would_never_work_is_refused_with_what_to_write(name: str, words: str, ares: Ares, load: Load) -> None:
    load(name)
    row = ares.plugins.row(name.replace("_", "-"))
    assert row is not None
    assert row.state == "failed"
    assert words in (row.reason or "")


@pytest.mark.parametrize(
    "hook", [lambda **kw: None, lambda *call: None, lambda call, *, also=1: None], ids=["**kw", "*args", "keyword-only"]
)
def test_parameters_that_are_never_passed_are_refused(hook: Any, ares: Ares) -> None:
    hook.__name__ = "pre_tool_call"
    ares.add(SimpleNamespace(pre_tool_call=hookimpl(hook)))
    (row,) = ares.plugins.rows()
    assert "is never passed; use plain positional names" in (row.reason or "")


def test_a_wrapper_is_refused_with_what_to_use(ares: Ares) -> None:
    def pre_tool_call(call: ToolCall) -> None:
        """Marked with pluggy's own marker."""

    setattr(pre_tool_call, "ares_impl", {"wrapper": True, "hookwrapper": False, "optionalhook": False,  # noqa: B010
                                         "tryfirst": False, "trylast": False, "specname": None})  # fmt: skip
    ares.add(SimpleNamespace(pre_tool_call=pre_tool_call))
    (row,) = ares.plugins.rows()
    assert row.reason == "hook pre_tool_call is a wrapper; wrappers are not run: use pre_tool_call, post_tool_call or middleware"


def test_a_refused_plugin_leaves_no_hook_behind(ares: Ares, load: Load) -> None:
    load("adds")
    load("misspells_a_hook")
    assert ares.call_sync("add", {"a": 1}).data == 2


def test_a_hook_may_leave_out_its_arguments(ares: Ares, load: Load) -> None:
    load("adds")
    load("takes_nothing")
    result = ares.call_sync("add", {"a": 1})
    assert result.error is not None
    assert "closed today" in result.error.message


def test_a_default_does_not_keep_an_argument_from_being_passed(ares: Ares, load: Load) -> None:
    load("adds")
    seen: list[object] = []

    @hookimpl
    def pre_tool_call(call: ToolCall | None = None) -> None:
        seen.append(call)

    ares.add(SimpleNamespace(pre_tool_call=pre_tool_call))
    ares.call_sync("add", {"a": 1})
    assert [type(call) for call in seen] == [ToolCall]


def test_a_hook_without_its_mark_and_a_module_without_hooks_are_noted(ares: Ares, load: Load) -> None:
    load("forgets_the_mark")
    ares.add("string")
    notes = {row.name: row.notes for row in ares.plugins.rows()}
    assert notes["forgets-the-mark"] == ("pre_tool_call has a hook's name but no @hookimpl, so it is never asked",)
    assert notes["string"] == ("it implements no hook, so it does nothing",)


def test_objects_are_plugins_two_of_a_kind_both_count_and_their_properties_are_not_read(ares: Ares, load: Load) -> None:
    load("adds")
    first, second = Guard("the first says no"), Guard("the second says no")
    assert (ares.add(first), ares.add(second)) == ("Guard", "Guard-2")
    ares.remove("Guard")
    result = ares.call_sync("add", {"a": 1})
    assert result.error is not None
    assert "the second says no" in result.error.message


def test_a_second_load_changes_nothing(ares: Ares, load: Load) -> None:
    listener = load("listens")
    adds = load("adds")
    for plugin in (listener, adds, listener, adds):
        ares.add(plugin)
    ares.call_sync("add", {"a": 1})
    assert sum(event.kind == "started" for event in listener.events) == 1
    assert ares.plugins.loaded() == ["adds", "listens"]


def test_plugins_are_asked_by_name_whatever_the_order_of_loading(ares: Ares, load: Load) -> None:
    load("adds")
    asked: list[str] = []

    def guard(name: str, **options: bool) -> None:
        @hookimpl(**options)  # type: ignore[call-overload, untyped-decorator, unused-ignore]
        def pre_tool_call() -> None:
            asked.append(name)

        plugin = ModuleType(name)
        plugin.pre_tool_call = pre_tool_call  # type: ignore[attr-defined]
        ares.add(plugin)

    guard("m")
    guard("z", tryfirst=True)
    guard("a")
    guard("b", trylast=True)
    ares.call_sync("add", {"a": 1})
    assert asked == ["z", "a", "m", "b"]


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
    with pytest.raises(ConfigError, match=r"is_configured\.greting in the config argument.*did you mean is_configured\.greeting"):
        Ares(plugins=[sample("is_configured")], config={"is_configured": {"greting": "ahoy"}})
    with pytest.raises(ConfigError, match=r"is_configured\.times in the config argument"):
        Ares(plugins=[sample("is_configured")], config={"is_configured": {"times": "many"}})


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
    for words in ("'add'", "adds (ares-plugin-adds 0.3)", "adds-too (ares-plugin-adds-too 1.2)", "tools.prefer", "ARES_BLOCK_PLUGINS"):
        assert words in notes[0][0]


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

"""The plugin host: one bad plugin is a row, never an exception, and takes nothing of the others with it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from ares_core import (
    Ares,
    Deny,
    PluginError,
    ToolCall,
    UsageError,
    hookimpl,
)

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
    assert (row.state, row.distribution, row.version, row.module) == (
        "failed",
        f"ares-plugin-{name}".replace("_", "-"),
        "0.9",
        name,
    )
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
def test_a_hook_that_would_never_work_is_refused_with_what_to_write(
    name: str, words: str, ares: Ares, load: Load
) -> None:
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


@pytest.mark.parametrize("kind", ["wrapper", "hookwrapper"])
def test_a_wrapper_is_refused_with_what_to_use(kind: str, ares: Ares) -> None:
    mark: Any = hookimpl

    class Wraps:
        @mark(**{kind: True})  # type: ignore[untyped-decorator]
        def pre_tool_call(self, call: ToolCall) -> Iterator[None]:
            yield

    ares.add(Wraps())
    (row,) = ares.plugins.rows()
    assert (row.state, row.reason) == (
        "failed",
        "hook pre_tool_call is a wrapper; wrappers are not run: use pre_tool_call, post_tool_call or middleware",
    )


def test_adding_a_plugin_that_does_not_work_is_logged(ares: Ares, caplog: pytest.LogCaptureFixture) -> None:
    ares.add("no_such_plugin")
    assert "no installed plugin and no module is called 'no_such_plugin'" in caplog.text


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

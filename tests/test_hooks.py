"""The failure rule of each hook: who is asked, whose word holds, and what a broken plugin may break."""

from __future__ import annotations

import logging
from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest

from ares_core import (
    Approval,
    Ares,
    Ask,
    Capability,
    ConfigError,
    Deny,
    Effects,
    Layer,
    Result,
    RuleSet,
    Tool,
    ToolCall,
    ToolContext,
    hookimpl,
    replace,
)

Load = Callable[[str], ModuleType]
QUIET = Effects(read_only=True, open_world=False)


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


# register_* and declare_*: a plugin that raises contributes nothing, the others stand


def test_a_plugin_that_raises_while_it_is_asked_contributes_nothing_and_the_others_stand(ares: Ares, load: Load) -> None:
    load("breaks_at_every_hook")
    load("adds")
    load("declares")
    assert ares.call_sync("add", {"a": 1}).data == 2
    assert ares.registry.capabilities("add") == ("Arithmetic", "Summation")
    row = ares.plugins.row("breaks-at-every-hook")
    assert row is not None
    assert row.state == "loaded"
    assert "register_tools() raised RuntimeError: no tools today" in row.notes
    assert "register_middleware() raised SystemExit: no layers today" in row.notes


@pytest.mark.parametrize(
    ("hook", "collect"),
    [
        ("register_tools", lambda hooks: list(hooks.tools())),
        ("declare_capabilities", lambda hooks: list(hooks.capabilities())),
        ("register_rule_sets", lambda hooks: list(hooks.rule_sets())),
        ("register_wire_formats", lambda hooks: list(hooks.wire_formats())),
        ("register_middleware", lambda hooks: hooks.middleware()),
    ],
)
def test_what_a_hook_gives_of_a_wrong_kind_is_left_out_with_a_note(
    hook: str, collect: Callable[[Any], list[Any]], ares: Ares, load: Load
) -> None:
    load("answers_nonsense")
    assert collect(ares.hooks) == []
    row = ares.plugins.row("answers-nonsense")
    assert row is not None
    assert any(note.startswith(f"{hook}(): ") and "is left out" in note for note in row.notes)


def test_what_stands_beside_something_of_a_wrong_kind_is_taken(ares: Ares) -> None:
    good = RuleSet("pirate", "en")
    ares.add(plugin("mixed", register_rule_sets=lambda: [42, good]))
    assert list(ares.hooks.rule_sets()) == [("mixed", good)]


def test_contributions_may_come_from_a_generator_that_breaks_half_way(ares: Ares) -> None:
    def register_tools() -> Any:
        yield Tool("ping", "Say pong.", {}, lambda arguments, context: "pong")
        raise RuntimeError("half-way")

    ares.add(plugin("half", register_tools=register_tools))
    assert ares.registry.list_tool_names() == []
    assert ares.plugins.rows()[0].notes == ("register_tools() raised RuntimeError: half-way",)


def test_one_tool_instead_of_a_list_is_a_note(ares: Ares) -> None:
    ares.add(plugin("one", register_tools=lambda: Tool("ping", "", {}, print)))
    assert "not iterable" in ares.plugins.rows()[0].notes[0]


def test_capabilities_of_one_name_are_joined_and_differing_types_are_a_row_for_the_later(ares: Ares, load: Load) -> None:
    load("declares")
    load("declares_more")
    joined = ares.hooks.capabilities()
    assert joined["Arithmetic"] == Capability("Arithmetic", ("maths", "sums"), ("Any",), ("Number",), (), ("double",))
    assert joined["Summation"].outputs == ("Number",)
    first, later = ares.plugins.row("declares"), ares.plugins.row("declares-more")
    assert first is not None
    assert later is not None
    assert first.notes == ()
    assert "'Summation'" in later.notes[0]


# pre_tool_call: deny beats ask beats allow, and a broken guard opens no door


@pytest.mark.parametrize("guard", ["has_a_broken_guard", "has_an_exiting_guard", "denies", "takes_nothing"])
def test_a_guard_that_denies_or_breaks_stops_the_call_before_it_runs(guard: str, ares: Ares, load: Load) -> None:
    ran: list[object] = []
    ares.register(Tool("ping", "Say pong.", {}, lambda arguments, context: ran.append(1)))
    load(guard)
    result = ares.call_sync("ping")
    assert result.error is not None
    assert result.error.code == "denied"
    assert "Not executed" in result.text
    assert ran == []


@pytest.mark.parametrize("guard", ["has_a_broken_guard", "has_an_exiting_guard", "answers_nonsense"])
def test_a_call_is_denied_in_the_name_of_the_broken_guard(guard: str, ares: Ares, load: Load) -> None:
    ares.register(Tool("double", "Double.", {}, lambda arguments, context: None))
    load(guard)
    result = ares.call_sync("double")
    assert result.error is not None
    assert f"the guard of plugin {guard.replace('_', '-')!r}" in result.error.message


@pytest.mark.parametrize(
    ("answers", "code"),
    [
        ((None, None), None),
        ((Ask("a"), None), "approval_required"),
        ((None, Ask("z")), "approval_required"),
        ((Ask("a"), Deny("z")), "denied"),
        ((Deny("a"), Ask("z")), "denied"),
    ],
)
def test_the_strictest_answer_of_all_holds(answers: tuple[Any, Any], code: str | None, ares: Ares, load: Load) -> None:
    load("adds")
    for name, answer in zip("az", answers, strict=True):
        ares.add(Guard(name, answer))
    result = ares.call_sync("add", {"a": 1})
    assert (result.error.code if result.error else None) == code


class Guard:
    """A guard with one fixed answer."""

    def __init__(self, name: str, answer: Any) -> None:
        self.__name__ = name
        self.answer = answer

    @hookimpl
    def pre_tool_call(self, call: ToolCall) -> Any:
        return self.answer


def test_a_rewritten_call_goes_to_every_guard_again(ares: Ares, load: Load) -> None:
    load("adds")
    caps = load("caps")
    first: list[Any] = []
    ares.add(plugin("a-first", pre_tool_call=lambda call: first.append(call.arguments["a"])))
    result = ares.call_sync("add", {"a": 50})
    assert result.data == 11
    assert result.call is not None
    assert result.call.arguments == {"a": 10, "b": 1}
    assert caps.asked == [50, 10]
    assert first == [50, 10]


def test_a_guard_may_deny_what_another_rewrote(ares: Ares, load: Load) -> None:
    load("adds")
    load("caps")
    ares.add(plugin("a", pre_tool_call=lambda call: Deny("ten is taboo") if call.arguments["a"] == 10 else None))
    result = ares.call_sync("add", {"a": 50})
    assert result.error is not None
    assert "ten is taboo" in result.error.message


def test_a_rewritten_call_goes_back_to_the_schema(ares: Ares, load: Load) -> None:
    load("adds")
    ares.add(plugin("texts", pre_tool_call=lambda call: replace(call, arguments={"a": "5"})))
    result = ares.call_sync("add", {"a": 1, "b": 7})
    assert result.data == 6
    assert [(edit.pointer, edit.after) for edit in result.edits][:2] == [("/a", 5), ("/b", 1)]
    ares.add(plugin("breaks", pre_tool_call=lambda call: replace(call, arguments={"a": "no number"})))
    refused = ares.call_sync("add", {"a": 1})
    assert refused.error is not None
    assert refused.error.code == "invalid_arguments"
    assert "Not executed" in refused.text


def test_guards_that_never_settle_have_denied_after_three_rounds(ares: Ares, load: Load) -> None:
    load("adds")
    load("never_settles")
    result = ares.call_sync("add", {"a": 1})
    assert result.error is not None
    assert result.error.code == "denied"
    assert "after 3 rounds" in result.error.message


@pytest.mark.parametrize("rounds", [1, 2, 3])
def test_guards_may_settle_within_three_rounds(rounds: int, ares: Ares, load: Load) -> None:
    load("adds")

    def pre_tool_call(call: ToolCall) -> ToolCall | None:
        a = dict(call.arguments)["a"]
        return replace(call, arguments={"a": a + 1}) if a < rounds - 1 else None

    ares.add(plugin("climbs", pre_tool_call=pre_tool_call))
    assert ares.call_sync("add", {"a": 0}).data == rounds


def test_arguments_that_a_guard_changed_in_place_never_run(ares: Ares, load: Load) -> None:
    load("adds")
    load("changes_in_place")
    result = ares.call_sync("add", {"a": 1})
    assert result.error is not None
    assert result.error.code == "denied"
    assert "in place" in result.error.message


def test_a_guard_can_not_turn_a_call_into_one_of_another_tool(ares: Ares, load: Load) -> None:
    load("adds")
    ares.add(plugin("redirects", pre_tool_call=lambda call: replace(call, name="rm")))
    result = ares.call_sync("add", {"a": 1})
    assert result.error is not None
    assert result.error.code == "denied"
    assert "'rm'" in result.error.message


def test_a_guard_sees_effects_session_and_whole_arguments(ares: Ares) -> None:
    calls: list[ToolCall] = []
    ares.add(plugin("looks", pre_tool_call=lambda call: calls.append(call)))

    def save(path: str, text: str = "") -> None:
        """Save."""

    ares.register(Tool.from_function(save, effects=Effects(resources=("file:{path}",))))
    ares.call_sync("save", {"path": "a.txt"}, session="s")
    (call,) = calls
    assert (call.arguments, call.session) == ({"path": "a.txt", "text": ""}, "s")
    assert call.effects is not None
    assert call.effects.resources == ("file:a.txt",)


def test_what_a_caller_claims_of_effects_and_session_is_ignored(ares: Ares, load: Load) -> None:
    load("adds")
    calls: list[ToolCall] = []
    ares.add(plugin("looks", pre_tool_call=lambda call: calls.append(call)))
    ares.call_sync(ToolCall("add", {"a": 1}, effects=Effects(destructive=True), session="stolen", parent="x"))
    assert calls[0].effects == QUIET
    assert (calls[0].session, calls[0].parent) == (None, None)


def test_hooks_limited_to_a_tool_are_not_asked_about_others(ares: Ares, load: Load) -> None:
    load("adds")
    load("formats_its_own")
    load("limited_to_add")
    added, doubled = ares.call_sync("add", {"a": 1}), ares.call_sync("double", {"a": 13})
    assert (added.text, added.metadata["seen"]) == ("the sum is 2", True)
    assert (doubled.text, "seen" in doubled.metadata) == ("twice is 26", False)
    unlucky = ares.call_sync("add", {"a": 13})
    assert unlucky.error is not None
    assert "13 is unlucky" in unlucky.error.message


# post_tool_call: sees everything, changes data and metadata only, and breaks nothing


def test_observers_see_every_result_also_of_refusals(ares: Ares, load: Load) -> None:
    load("adds")
    observer = load("observes")
    ares.call_sync("add", {"a": 1})
    ares.call_sync("add", {"a": "x"})
    load("denies")
    ares.call_sync("add", {"a": 1})
    codes = [result.error.code if result.error else "done" for result in observer.seen]
    assert codes == ["done", "invalid_arguments", "denied"]


def test_an_observer_changes_data_and_metadata_and_nothing_else(ares: Ares, load: Load) -> None:
    load("adds")
    load("overreaches")
    result = ares.call_sync("add", {"a": "x"})
    assert result.success is False
    assert result.error is not None
    assert "Not executed" in result.text
    assert ares.call_sync("add", {"a": 1}).data == "changed"
    assert ares.call_sync("add", {"a": 1}).text == "changed"


def test_each_observer_sees_what_the_one_before_left(ares: Ares, load: Load) -> None:
    load("adds")
    for name in "ba":
        ares.add(Observer(name))
    assert ares.call_sync("add", {"a": 1}).data == "2ab"


class Observer:
    """Hangs its name on the data."""

    def __init__(self, name: str) -> None:
        self.__name__ = name

    @hookimpl
    def post_tool_call(self, result: Result) -> Result:
        return replace(result, data=f"{result.data}{self.__name__}")


def test_what_breaks_after_the_run_is_logged_and_the_result_stands(
    ares: Ares, load: Load, caplog: pytest.LogCaptureFixture
) -> None:
    load("adds")
    load("breaks_at_every_call")
    with caplog.at_level(logging.ERROR, logger="ares"):
        result = ares.call_sync("add", {"a": 1})
    assert (result.success, result.data, result.text) == (True, 2, "2")
    for words in ("post_tool_call raised", "format_result raised", "on_event raised"):
        assert words in caplog.text


def test_an_answer_of_an_observer_or_formatter_that_is_none_is_ignored(ares: Ares, load: Load) -> None:
    load("adds")
    load("answers_nonsense")
    assert ares.call_sync("add", {"a": 1}).text == "2"


@pytest.mark.parametrize("data", [{1, 2}, object(), float("nan"), [b"\xff"]], ids=repr)
def test_data_that_an_observer_gives_is_made_plain_or_left(data: object, ares: Ares, load: Load) -> None:
    load("adds")
    ares.add(plugin("odd", post_tool_call=lambda result: replace(result, data=data)))
    result = ares.call_sync("add", {"a": 1})
    assert result.success
    assert result.data in ([1, 2], 2, None, ["1 bytes of binary data, hex ff"])


def test_metadata_that_is_no_mapping_is_ignored(ares: Ares, load: Load) -> None:
    load("adds")
    ares.add(plugin("odd", post_tool_call=lambda result: replace(result, metadata=None)))
    assert ares.call_sync("add", {"a": 1}).metadata["attempts"] == 1


# format_result: the tool's own plugin, then others that name it, then the core


def test_a_formatter_without_tools_writes_only_its_own_plugins_results(ares: Ares, load: Load) -> None:
    load("adds")
    load("formats_its_own")
    assert ares.call_sync("double", {"a": 2}).text == "twice is 4"
    assert ares.call_sync("add", {"a": 2}).text == "3"


def test_the_tools_own_plugin_formats_before_others_that_name_it(ares: Ares, load: Load) -> None:
    load("formats_its_own")
    other = ModuleType("a-other")
    other.format_result = hookimpl(tools=("double",))(lambda result: "the other was asked")  # type: ignore[attr-defined]
    ares.add(other)
    assert ares.call_sync("double", {"a": 2}).text == "twice is 4"
    ares.remove("formats-its-own")
    ares.register(Tool("double", "", {}, lambda arguments, context: 4, effects=QUIET))
    assert ares.call_sync("double").text == "the other was asked"


def test_a_formatter_that_gives_nothing_or_breaks_passes_on_to_the_next(ares: Ares, load: Load) -> None:
    load("adds")
    load("breaks_at_every_call")
    for name, text in (("c", None), ("d", "the last one")):
        other = ModuleType(name)
        other.format_result = hookimpl(tools=("add",))(_constant(text))  # type: ignore[attr-defined]
        ares.add(other)
    assert ares.call_sync("add", {"a": 2}).text == "the last one"


def _constant(text: str | None) -> Callable[[Result], str | None]:
    def format_result(result: Result) -> str | None:
        return text

    return format_result


# on_event: all, and a listener that breaks loses nothing for the others


def test_a_listener_that_breaks_loses_no_event_for_the_others(ares: Ares, load: Load) -> None:
    load("adds")
    load("breaks_at_every_call")
    listener = load("listens")
    ares.call_sync("add", {"a": 1})
    assert [event.kind for event in listener.events][-1] == "finished"


# open_files, open_network, open_store: exactly one, chosen by configuration


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
    with Ares(plugins=plugins, config={"stores": {"evidence": "breaks-its-providers", "events": "breaks-its-providers"}}) as ares:
        assert ares.call_sync("add", {"a": 1}).success
        assert ares.evidence.read("add").n == 1
    assert "stores.evidence: breaks-its-providers can't be used (cupboard locked); it stays in memory" in caplog.text
    assert "stores.events" in caplog.text


@pytest.mark.parametrize("kind", ["evidence", "events"])
def test_a_store_of_a_plugin_that_is_not_there_is_a_configuration_error(kind: str) -> None:
    with pytest.raises(ConfigError, match=f"stores.{kind} is 'ghost'"):
        Ares(plugins=[], config={"stores": {kind: "ghost"}})


def test_an_approver_decides_about_an_ask(sample: Load) -> None:
    asked: list[Approval] = []

    def approver(request: Approval) -> bool:
        asked.append(request)
        return True

    with Ares(plugins=[sample("adds"), sample("asks")], approver=approver) as ares:
        assert ares.call_sync("add", {"a": 1}).data == 2
    assert [request.reason for request in asked] == ["add costs money"]


def test_layers_of_all_plugins_are_one_onion(ares: Ares) -> None:
    for name, order in (("a", 5), ("b", -5), ("c", 5)):
        ares.add(plugin(name, register_middleware=_layer(name, order)))
    assert [layer.name for layer in ares.hooks.middleware()] == ["b", "a", "c"]


def _layer(name: str, order: int) -> Callable[[], list[Layer]]:
    async def run(call: ToolCall) -> None:
        """Nothing to say."""

    def register_middleware() -> list[Layer]:
        return [Layer(name, "tool_request", run, order=order)]

    return register_middleware

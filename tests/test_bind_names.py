"""A part of the tools under other names: chosen by pattern, with a prefix, renamed; the tools' own policies hold."""

from __future__ import annotations

import asyncio
import json
from concurrent.futures import Future
from types import ModuleType
from typing import Any

import pytest

from ares_core import (
    Ares,
    Deny,
    DuplicateTool,
    Effects,
    Event,
    RegistrationError,
    Tool,
    ToolCall,
    ToolContext,
    hookimpl,
)  # fmt: skip

QUIET = Effects(read_only=True, open_world=False)
SCHEMA = {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}


def named(name: str, **options: Any) -> Tool:
    return Tool(
        name, f"Do {name}.", SCHEMA, lambda arguments, context: f"{name} {arguments['path']}", effects=QUIET, **options
    )


@pytest.fixture
def box(ares: Ares) -> Ares:
    """Files of a server, files of our own, and something to keep out."""
    for name in ("mcp.files.read", "mcp.files.write", "mcp.mail.send", "read_file"):
        ares.register(named(name))
    return ares


def ask(door: Any, name: str, **options: Any) -> Any:
    return door.call_sync(name, {"path": "a"}, **options)


def test_a_pattern_chooses_all_that_look_like_it(box: Ares) -> None:
    part = box.bind(tools=["mcp.files.*", "read_?ile"])
    assert list(part.tools()) == ["mcp.files.read", "mcp.files.write", "read_file"]
    assert ask(part, "mcp.mail.send").error.code == "unknown_tool"
    assert "mail" not in ask(part, "mcp.mail.sent").text.replace("'mcp.mail.sent'", "")


def test_a_pattern_also_means_tools_that_come_later(box: Ares) -> None:
    part = box.bind(tools=["mcp.files.*"])
    box.register(named("mcp.files.move"))
    assert ask(part, "mcp.files.move").data == "mcp.files.move a"


def test_a_name_with_a_star_of_a_real_tool_is_that_tool(box: Ares) -> None:
    box.register(named("all*"))
    box.register(named("all_of_it"))
    assert list(box.bind(tools=["all*"]).tools()) == ["all*"]


def test_a_prefix_goes_before_every_name_and_the_own_name_finds_it_too(box: Ares) -> None:
    part = box.bind(tools=["mcp.files.*", named("mine")], prefix="docs_")
    assert list(part.tools()) == ["docs_mcp.files.read", "docs_mcp.files.write", "docs_mine"]
    assert [ask(part, name).data for name in ("docs_mine", "mine", "Docs-Mine")] == ["mine a"] * 3
    assert [tool.name for tool in part.tools().values()] == list(part.tools())


def test_a_new_name_takes_the_place_of_the_prefix(box: Ares) -> None:
    part = box.bind(tools=["read_file", "mcp.mail.send"], prefix="x_", rename={"read_file": "open"})
    assert list(part.tools()) == ["open", "x_mcp.mail.send"]
    assert ask(part, "open").data == "read_file a"


def test_a_call_under_another_name_is_a_call_of_the_tool_for_hooks_events_and_the_record(box: Ares) -> None:
    module, events = ModuleType("policy"), list[Event]()

    @hookimpl(tools=("read_file",))
    def pre_tool_call(call: ToolCall) -> Deny | None:
        return Deny("not that one") if call.name == "read_file" and "x" in str(call.arguments) else None

    module.pre_tool_call = pre_tool_call  # type: ignore[attr-defined]
    box.add(module)
    box.on_event(events.append)
    part = box.bind(tools=["read_file"], rename={"read_file": "open"})
    denied, result = part.call_sync("open", {"path": "x"}), part.call_sync("open", {"path": "y"})
    assert denied.error is not None
    assert denied.error.code == "denied"
    assert result.call is not None
    assert (result.call.name, result.data) == ("read_file", "read_file y")
    assert {event.tool for event in events if event.kind in ("started", "finished", "denied")} == {"read_file"}
    assert box.evidence.read("read_file").n > 0
    assert box.evidence.read("open").n == 0


def test_rules_by_tool_hold_whatever_the_name() -> None:
    rules = [{"answer": "deny", "tool": "read_file", "reason": "closed"}]
    with Ares(plugins=[], config={"approvals": {"rules": rules}}) as ares:
        ares.register(named("read_file"))
        assert ask(ares.bind(rename={"read_file": "open"}), "open").error.code == "denied"


def test_a_rate_holds_whatever_the_name() -> None:
    with Ares(plugins=[], config={"limits": {"rates": {"read_file": "1/day"}}}) as ares:
        ares.register(named("read_file"))
        assert ask(ares, "read_file").success
        assert ask(ares.bind(prefix="x_"), "x_read_file").error.code == "rate_limited"


def test_words_to_the_caller_use_the_name_it_knows(box: Ares) -> None:
    part = box.bind(tools=["read_file"], rename={"read_file": "open"})
    assert "arguments of 'open' don't fit" in part.call_sync("open", {}).text
    assert "Available: open." in part.call_sync("close", {}).text


def test_a_tool_calls_others_by_their_own_names_in_a_renamed_part(box: Ares) -> None:
    async def relay(context: ToolContext) -> list[bool]:
        """Call others."""
        names = ("read_file", "mcp.mail.send")
        return [(await context.call_tool(name, {"path": "a"})).success for name in names]

    part = box.bind(tools=["read_file", relay], prefix="x_")
    assert part.call_sync("x_relay").data == [True, False]


def test_parts_of_parts_keep_the_names_they_were_given(box: Ares) -> None:
    outer = box.bind(tools=["mcp.files.*"], prefix="a_")
    inner = outer.bind(tools=["a_mcp.files.r*"], prefix="b_")
    assert list(inner.tools()) == ["b_a_mcp.files.read"]
    result = ask(inner, "b_a_mcp.files.read")
    assert (result.data, result.call.name) == ("mcp.files.read a", "mcp.files.read")
    with pytest.raises(RegistrationError, match=r"no tool 'mcp.files.read' to bind; did you mean 'a_mcp.files.read'\?"):
        outer.bind(tools=["mcp.files.read"])


@pytest.mark.parametrize(
    ("options", "error", "said"),
    [
        ({"rename": {"reed_file": "x"}}, RegistrationError, r"no tool 'reed_file' to rename; did you mean 'read_file'"),
        ({"rename": {"read_file": ""}}, RegistrationError, "new name of 'read_file' is ''"),
        ({"rename": {"read_file": "a\n"}}, RegistrationError, "is no name for a tool"),
        ({"rename": {"read_file": "mcp.mail.send"}}, DuplicateTool, "would both be called 'mcp.mail.send' here"),
        ({"prefix": "<"}, RegistrationError, "is no name for a tool"),
    ],
)
def test_names_that_can_not_be_given_are_refused_in_a_sentence(
    options: dict[str, Any], error: type[Exception], said: str, box: Ares
) -> None:
    with pytest.raises(error, match=said):
        box.bind(**options)


def test_a_private_tool_wins_over_one_that_comes_to_share_its_name(box: Ares) -> None:
    part = box.bind(tools=[named("x_late"), "*"], rename={"x_late": "x_late"}, prefix="x_")
    box.register(Tool("late", "", SCHEMA, lambda arguments, context: "theirs", effects=QUIET))
    assert ask(part, "x_late").data == "x_late a"


def test_a_batch_by_new_names_runs_by_the_tools_own_effects(box: Ares) -> None:
    undone: list[str] = []
    box.register(Tool("put", "", SCHEMA, lambda a, c: a["path"], undo=lambda a, d: undone.append(d)))
    box.register(Tool("fail", "", SCHEMA, lambda a, c: 1 / 0))
    part = box.bind(tools=["put", "fail"], prefix="x_")
    turn = [ToolCall("x_put", {"path": "1"}), ToolCall("x_put", {"path": "2"}), ToolCall("x_fail", {"path": "3"})]
    results = part.call_many_sync(turn, rollback=True)
    assert [result.error.code for result in results if result.error] == ["step_failed", "step_failed", "tool_error"]
    assert undone == ["2", "1"]


@pytest.mark.parametrize("wire", ["openai-chat", "anthropic", "gemini"])
def test_new_names_go_round_by_every_wire(wire: str) -> None:
    with Ares(plugins=["wires"]) as ares:
        for name in ("mcp.files.read", "read_file", "hidden"):
            ares.register(named(name))
        part = ares.bind(tools=["mcp.files.read", "read_file"], prefix="my.", rename={"read_file": "开"})
        published = json.dumps(list(part.definitions(wire)), ensure_ascii=True)
        assert "hidden" not in published
        names = list(ares.wires.wire_names(part.tools(), wire).values())
        assert len(set(names)) == 2
        for sent, own in zip(names, sorted(part.tools()), strict=True):
            assert f'"{sent}"' in published
            assert ask(part, sent).data.endswith(" a"), own


def test_a_body_that_calls_by_the_new_name_is_handled_in_scope() -> None:
    def body(*names: str) -> dict[str, Any]:
        calls = [
            {"id": f"c{n}", "type": "function", "function": {"name": name, "arguments": '{"path": "a"}'}}
            for n, name in enumerate(names)
        ]
        return {"choices": [{"message": {"role": "assistant", "content": None, "tool_calls": calls}}]}

    with Ares(plugins=["wires"]) as ares:
        for name in ("read_file", "hidden"):
            ares.register(named(name))
        part = ares.bind(tools=["read_file"], prefix="my.")
        said, first, second = part.handle_sync(body("my_read_file", "hidden"))
    assert [call["function"]["name"] for call in said["tool_calls"]] == ["my_read_file", "hidden"]
    assert "read_file a" in first["content"]
    assert "no tool 'hidden'" in second["content"]


def test_a_request_in_words_is_planned_with_the_names_of_the_part() -> None:
    with Ares() as ares:
        part = ares.bind(tools=["calculator", "hash_tool"], prefix="my_")
        result = part.ask_sync("what is 17 * 23?")
        assert part.plan("what is 17 * 23?").steps[0].tool == "my_calculator"
        assert result.call is not None
        assert (result.success, result.call.name) == (True, "calculator")
        assert ares.bind(tools=["hash_tool"]).ask_sync("what is 17 * 23?").success is False


def test_a_turn_made_inside_a_tool_is_judged_by_the_tools_of_its_scope(ares: Ares) -> None:
    now, most = [0], [0]

    async def change() -> None:
        """Change something."""
        now[0] += 1
        most[0] = max(most[0], now[0])
        await asyncio.sleep(0.005)
        now[0] -= 1

    async def relay() -> list[bool]:
        """Change twice."""
        return [result.success for result in await ares.call_many([ToolCall("x_mine")] * 2)]

    part = ares.bind(tools=[Tool.from_function(change, name="mine"), relay], prefix="x_")
    assert part.call_sync("x_relay").data == [True, True]
    assert most == [1]


def test_a_tool_that_comes_late_is_asked_for_by_its_own_name(box: Ares) -> None:
    asked: list[str | None] = []

    class Source:
        """A server that is asked only when it is needed."""

        def waiting(self) -> dict[str, str]:
            return {}

        def bring(self, name: str | None = None) -> Future[None]:
            asked.append(name)
            if "mcp.late.read" not in box.tools():
                box.register(named("mcp.late.read"))
            done: Future[None] = Future()
            done.set_result(None)
            return done

        def why_not(self, name: str) -> None:
            return None

    part = box.bind(tools=["mcp.*"], prefix="x_")
    box.sources.append(Source())
    assert part.call_many_sync([ToolCall("x_mcp.late.read", {"path": "a"})])[0].data == "mcp.late.read a"
    assert asked == ["mcp.late.read"]

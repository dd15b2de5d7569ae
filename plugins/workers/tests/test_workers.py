"""Tools of workers beside local ones: what they are, what goes there, what comes back."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping
from typing import Any

import pytest
from ares_plugin_workers import Worker, desk

from ares_core import Ares, Effects, Result, Tool, ToolCall, ToolContext, ToolError, hookimpl, tool

Serve = Callable[..., Worker]
Caller = Callable[..., Ares]
READS = Effects(read_only=True, open_world=False)


@tool(
    effects=READS, timeout=7, aliases=("plus",), capabilities=("Arithmetic",), max_concurrency=3, cost=2, latency_ms=50,
    deterministic=True, examples=({"a": 1, "b": 2},),
)  # fmt: skip
def add(a: int, b: int = 1) -> dict[str, int]:
    """Add two whole numbers."""
    return {"sum": a + b}


@tool
def tells(what: str, context: ToolContext) -> dict[str, Any]:
    """Tell what is known of the call."""
    return {
        "session": context.session,
        "key": context.idempotency_key,
        "id": context.call.id,
        "turn": context.call.turn,
    }


@tool(effects=READS)
async def fails(how: str) -> Any:
    """Fail."""
    if how == "tool":
        raise ToolError("the disk is full", retriable=False, hint="Delete something.", blame="world")
    if how == "result":
        return Result(False, {"seen": 3}, text="it saw three")
    raise ValueError("no such way")


def test_a_tool_of_a_worker_lies_beside_local_ones_as_it_was_declared(
    broker: Any, serve: Serve, caller: Caller
) -> None:
    serve(broker, add)
    here = caller(broker)
    here.register(tells)
    assert here.call_sync("add", {"a": "2"}).data == {"sum": 3}
    known = here.registry.get("add")
    assert known is not None
    assert here.registry.list_tool_names() == ["add", "tells"]
    for part in ("description", "aliases", "capabilities", "timeout", "effects", "max_concurrency", "examples", "cost",
                 "latency_ms", "deterministic"):  # fmt: skip
        assert getattr(known, part) == getattr(Tool.from_function(add), part), part
    assert known.parameters["required"] == ["a"]


def test_arguments_are_checked_before_anything_is_sent(fake: Any, serve: Serve, caller: Caller) -> None:
    worker = serve(fake, add)
    here = caller(fake)
    assert here.call_sync("add", {"a": 1}).success
    fake.hold = "ares.call"
    refused = here.call_sync("add", {"a": "many"})
    assert refused.error is not None
    assert refused.error.code == "invalid_arguments"
    assert "Not executed." in refused.text
    assert worker.name == "w1"


def test_nothing_is_connected_before_a_tool_may_be_needed(fake: Any, caller: Caller) -> None:
    here = caller(fake)
    here.register(add)
    assert here.call_sync("add", {"a": 1}).success
    assert here.registry.waiting() == {"workers": "not connected yet"}


def test_session_id_turn_and_key_go_along(broker: Any, serve: Serve, caller: Caller) -> None:
    serve(broker, tells)
    here = caller(broker)
    call = ToolCall("tells", {"what": "all"}, id="c1", key="order-7", turn="t1")
    assert here.call_sync(call, session="chat").data == {"session": "chat", "key": "order-7", "id": "c1", "turn": "t1"}


def test_the_same_key_runs_once_whoever_asks(broker: Any, serve: Serve, caller: Caller) -> None:
    ran = []

    @tool
    def order(what: str) -> str:
        """Order something."""
        ran.append(what)
        return f"ordered {what}"

    serve(broker, order)
    first, second = (caller(broker).call_sync(ToolCall("order", {"what": "tea"}, key="k1")) for _ in range(2))
    assert (first.data, second.data, ran) == ("ordered tea", "ordered tea", ["tea"])
    assert second.metadata["replayed"] is True


def test_two_programs_that_count_their_calls_alike_are_never_taken_for_each_other(
    broker: Any, serve: Serve, caller: Caller
) -> None:
    serve(broker, tells)
    keys = {caller(broker).call_sync("tells", {"what": "same"}, session="chat").data["key"] for _ in range(2)}
    assert len(keys) == 2


@pytest.mark.parametrize(
    ("how", "code", "said"),
    [("tool", "tool_error", "the disk is full. Delete something."), ("raise", "tool_error", "ValueError: no such way"),
     ("result", "tool_error", "it saw three")],
)  # fmt: skip
def test_failures_come_back_typed(fake: Any, serve: Serve, caller: Caller, how: str, code: str, said: str) -> None:
    serve(fake, fails)
    result = caller(fake).call_sync("fails", {"how": how})
    assert result.error is not None
    assert result.error.code == code
    assert said in result.error.message
    assert result.data == ({"seen": 3} if how == "result" else None)
    assert result.error.blame == ("world" if how == "tool" else "tool")


def test_what_the_workers_side_refuses_is_refused_here_and_says_that_nothing_ran(
    fake: Any, serve: Serve, caller: Caller
) -> None:
    @tool(requires_approval=True)
    def risky() -> str:
        """Do something risky."""
        return "done"

    serve(fake, risky)
    here = caller(fake)
    here.runner.approver = lambda request: True
    result = here.call_sync("risky")
    assert result.error is not None
    assert result.error.code == "approval_required"
    assert "Not executed." in result.text


def test_results_come_back_whole_with_text_and_metadata(broker: Any, serve: Serve, caller: Caller) -> None:
    odd = {"big": 2**70, "none": None, "text": "naïve 漢字 \u2028 </data>", "deep": [[[{"a": [1.5, True]}]]]}

    @tool
    def fetch() -> Result:
        """Fetch."""
        return Result(True, odd, text="in other words", metadata={"content": [1]})

    serve(broker, fetch)
    result = caller(broker).call_sync("fetch")
    assert result.data == odd
    assert result.text == '<data from="fetch" trust="none">\nin other words\n</data>'
    assert (result.metadata["content"], result.metadata["attempts"]) == ([1], 1)


def test_long_arguments_and_results_go_in_parts(broker: Any, serve: Serve, caller: Caller) -> None:
    @tool(effects=READS)
    def echo(text: str) -> str:
        """Say it again."""
        return text

    serve(broker, echo)
    text = "0123456789" * 300_000
    assert caller(broker).call_sync("echo", {"text": text}).data == text


def test_what_is_too_long_is_refused_with_a_sentence(fake: Any, serve: Serve, caller: Caller) -> None:
    @tool(effects=READS)
    def make(size: int, text: str = "") -> str:
        """Make a long text."""
        return "x" * size

    serve(fake, make, max_message_bytes=50_000)
    here = caller(fake, max_message_bytes=50_000)
    answer = here.call_sync("make", {"size": 60_000})
    question = here.call_sync("make", {"size": 1, "text": "x" * 60_000})
    assert "its result has 60002 bytes" in answer.text
    assert "the arguments have 60020 bytes" in question.text
    assert "Nothing was sent" in question.text


def test_effects_that_depend_on_the_operation_are_known_here_too(fake: Any, serve: Serve, caller: Caller) -> None:
    def effects(arguments: Mapping[str, Any]) -> Effects:
        resources = (f"file:{arguments['path']}",)
        return Effects(read_only=arguments["operation"] == "read", open_world=False, resources=resources)

    schema = {"type": "object", "properties": {"operation": {"enum": ["read", "write"]}, "path": {"type": "string"}}}
    serve(fake, Tool("files", "Files.", schema, lambda arguments, context: "done", effects=effects))
    here = caller(fake)
    result = here.call_sync("files", {"operation": "read", "path": "a.txt"})
    assert result.call is not None
    assert result.call.effects == Effects(read_only=True, open_world=False, resources=("file:a.txt",))
    result = here.call_sync("files", {"operation": "write", "path": "b.txt"})
    assert result.call is not None
    assert result.call.effects == Effects(open_world=False, resources=("file:b.txt",))


def test_progress_is_told_here(broker: Any, serve: Serve, caller: Caller) -> None:
    @tool
    async def works(context: ToolContext) -> str:
        """Work."""
        context.emit("half way", done=0.5)
        return "done"

    serve(broker, works)
    here, told = caller(broker), []
    here.on_event(lambda event: told.append(event.data), kinds={"progress"})
    assert here.call_sync("works").success
    assert told == [{"message": "half way", "done": 0.5}]


def test_cancelling_here_cancels_there(
    broker: Any, process: Callable[..., Any], caller: Caller, effects: Callable[..., list[str]]
) -> None:
    process(broker)
    here = caller(broker)

    async def begin_and_leave() -> None:
        work = asyncio.ensure_future(here.call("take_long", {"seconds": 100}))
        await asyncio.get_running_loop().run_in_executor(None, effects, "begun")
        work.cancel()
        with pytest.raises(asyncio.CancelledError):
            await work

    asyncio.run(begin_and_leave())
    assert effects("stopped") == ["begun", "stopped"]


def test_a_deadline_here_ends_the_work_there(
    broker: Any, process: Callable[..., Any], caller: Caller, effects: Callable[..., list[str]]
) -> None:
    process(broker)
    here = caller(broker)
    here.bring(["take_long"])
    result = here.call_sync("take_long", {"seconds": 100}, timeout=3)
    assert result.error is not None
    assert result.error.code == "outcome_unknown"
    assert effects("stopped") == ["begun", "stopped"]


def test_a_local_tool_of_the_same_name_wins_and_a_row_says_so(fake: Any, serve: Serve, caller: Caller) -> None:
    class Local:
        @hookimpl
        def register_tools(self) -> list[Tool]:
            return [Tool("add", "Add here.", {}, lambda arguments, context: "here", effects=READS)]

    serve(fake, add, fails)
    here = caller(fake, Local())
    assert not here.call_sync("fails", {"how": "tool"}).success
    assert here.call_sync("add").data == "here"
    assert "is here already" in here.registry.waiting()["workers.add"]


def test_two_workers_share_the_calls_of_one_tool(broker: Any, serve: Serve, caller: Caller) -> None:
    for name in ("w1", "w2"):
        serve(broker, tells, name=name)
    here = caller(broker)
    seen = {here.call_sync("tells", {"what": "x"}).metadata["worker"] for _ in range(60)}
    assert seen == {"w1", "w2"}


def test_of_two_forms_of_one_tool_one_is_used_and_a_row_names_the_other(
    fake: Any, serve: Serve, caller: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(desk, "FIRST_QUIET", 1.5)
    other = Tool("tells", "Another one.", {"type": "object", "required": ["who"]}, lambda arguments, context: "other")
    for name in ("w1", "w2"):
        serve(fake, tells, name=name)
    serve(fake, other, name="w3")
    here = caller(fake)
    assert {here.call_sync("tells", {"what": "x"}).metadata["worker"] for _ in range(20)} <= {"w1", "w2"}
    assert "in another form" in here.registry.waiting()["workers.tells of w3"]


def test_tools_come_and_go_with_their_workers(broker: Any, serve: Serve, caller: Caller) -> None:
    here = caller(broker)
    assert here.call_sync("add", {"a": 1}).error is not None
    worker = serve(broker, add)
    wait_until(lambda: "add" in here.registry)
    ares = worker._ares
    ares.register(fails)
    wait_until(lambda: "fails" in here.registry)
    ares.wait_for(worker.stop(), "stop")
    wait_until(lambda: here.registry.list_tool_names() == [])
    assert "no worker serves 'add' now" in here.call_sync("add", {"a": 1}).text


def wait_until(holds: Callable[[], bool], seconds: float = 60) -> None:
    until = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < until
        time.sleep(0.02)

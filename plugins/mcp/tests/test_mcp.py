"""Tools of servers, called like all others."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from ares_core import Ares, Effects, Event
from ares_core.testing import check_plugin

Servers = Callable[..., Ares]
Server = Callable[..., dict[str, Any]]


def code(result: Any) -> str:
    assert result.error is not None
    return str(result.error.code)


@pytest.fixture
def good(mcp: Servers, server: Server) -> Ares:
    return mcp(a=server())


def test_stands_what_every_plugin_should() -> None:
    check_plugin("ares_plugin_mcp")


def test_without_servers_there_is_nothing(mcp: Servers) -> None:
    ares = mcp()
    assert ares.registry.list_tool_names() == []
    assert ares.registry.waiting() == {}


def test_a_tool_is_called_by_its_full_name(good: Ares) -> None:
    result = good.call_sync("mcp.a.echo", {"text": "hi"})
    assert json.loads(result.data) == {"text": "hi"}
    assert result.text.startswith('<data from="mcp.a.echo" trust="none">')


@pytest.mark.parametrize("name", ["a__count", "count", "mcp__a__count", "a.count", "mcp_a_count", "Count"])
def test_a_tool_is_found_by_its_other_names(good: Ares, name: str) -> None:
    good.bring(["mcp.a.count"])
    assert good.call_sync(name, {"n": 5}).data == {"n": 5}


def test_wrong_arguments_are_stopped_here_with_pointers(good: Ares, diary: Any) -> None:
    result = good.call_sync("mcp.a.count", {"n": "x", "m": 1})
    assert code(result) == "invalid_arguments"
    assert result.error is not None
    assert {issue.pointer for issue in result.error.issues} == {"/n", "/m"}
    assert diary.lines("call") == []


def test_arguments_are_repaired_by_the_servers_schema(good: Ares) -> None:
    assert good.call_sync("mcp.a.count", '{"n": "5",}').data == {"n": 5}


@pytest.mark.parametrize("arguments", ["", "null", "{}", {}])
def test_no_arguments_are_an_empty_object_on_the_wire(good: Ares, diary: Any, arguments: Any) -> None:
    assert good.call_sync("mcp.a.none", arguments).success
    assert diary.lines("call") == ["call none {}"]


def test_what_a_server_says_of_its_tools_counts_only_when_it_is_trusted(mcp: Servers, server: Server) -> None:
    ares = mcp(a=server(), b=server(trusted=True))
    ares.bring(["mcp.a.count", "mcp.b.count"])
    names = ("mcp.a.count", "mcp.b.count", "mcp.b.echo")
    effects = [tool.effects for name in names if (tool := ares.registry.get(name)) is not None]
    reads = Effects(read_only=True, destructive=False, idempotent=True)
    assert effects == [Effects(), reads, Effects()]


def test_names_come_from_the_configuration_and_never_from_the_server(mcp: Servers, server: Server) -> None:
    ares = mcp(alpha=server(), beta=server())
    ares.bring(["mcp.alpha.x", "mcp.beta.x"])
    assert {"mcp.alpha.echo", "mcp.beta.echo"} <= set(ares.registry.list_tool_names())
    result = ares.call_sync("echo", {})
    assert code(result) == "unknown_tool"
    assert result.error is not None
    assert set(result.error.suggestions) == {"mcp.alpha.echo", "mcp.beta.echo"}


def test_all_kinds_of_content_are_named_in_order_without_their_bytes(good: Ares) -> None:
    result = good.call_sync("mcp.a.kinds")
    lines = result.text.splitlines()[1:-1]
    assert lines == [
        "see", "[image image/png 300 bytes]", "[audio audio/wav 4 bytes]", "body",
        "[binary resource file:///r.bin, unknown type, 3 bytes]", "[link to x: https://example.test/x]",
        "[unsupported content: hologram]",
    ]  # fmt: skip
    assert result.metadata["content"][0]["data"] == "AAEC" * 100
    assert result.metadata["images"] == [{"media_type": "image/png", "data": "AAEC" * 100}]
    assert "AAEC" not in json.dumps(result.data)


def test_a_failure_that_a_server_tells_is_a_failure(good: Ares) -> None:
    result = good.call_sync("mcp.a.error")
    assert code(result) == "tool_error"
    assert "no such row" in result.text


def test_an_error_of_the_protocol_is_told_with_its_data(good: Ares) -> None:
    result = good.call_sync("mcp.a.fail")
    assert code(result) == "tool_error"
    for part in ("-32602", "Invalid params", "'field': 'id'"):
        assert part in result.text


def test_all_pages_are_listed(mcp: Servers, server: Server) -> None:
    ares = mcp(c=server("pages"))
    ares.bring(["mcp.c.t1"])
    assert len(ares.registry) == 107


def test_a_bad_tool_costs_only_itself_and_says_why(mcp: Servers, server: Server) -> None:
    ares = mcp(b=server("odd"))
    ares.bring(["mcp.b.ok1"])
    assert ares.registry.list_tool_names() == ["mcp.b.bad2", "mcp.b.ok1", "mcp.b.ok2"]
    assert "inputSchema is None" in ares.call_sync("mcp.b.bad1").text
    assert "ares mcp check b" in ares.call_sync("mcp.b.lost").text


def test_noise_between_the_messages_is_skipped(mcp: Servers, server: Server) -> None:
    ares = mcp(d=server("noise"))
    assert ares.call_sync("mcp.d.echo").success


def test_a_last_message_without_an_end_of_line_is_read(good: Ares) -> None:
    assert good.call_sync("mcp.a.last").data == "the end"


def test_an_old_server_is_spoken_to_in_its_own_version(mcp: Servers, server: Server) -> None:
    assert mcp(o=server("old")).call_sync("mcp.o.count", {"n": 1}).success


def test_silence_about_the_newer_era_counts_as_a_no(
    mcp: Servers, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ares_plugin_mcp.client.stdio.DISCOVERY_SECONDS", 0.05)
    assert mcp(q=server("quiet")).call_sync("mcp.q.count", {"n": 1}).success


def test_a_change_that_is_told_during_the_first_listing_is_not_lost(mcp: Servers, server: Server) -> None:
    assert mcp(e=server("eager")).call_sync("mcp.e.new").success


def test_a_server_that_refuses_to_begin_is_heard_out(mcp: Servers, server: Server) -> None:
    said = mcp(u=server("unlicensed")).call_sync("mcp.u.count", {"n": 1}).text
    assert ("error -32000" in said, "\nlicense expired\n" in said) == (True, True)


def test_progress_and_log_become_events(good: Ares) -> None:
    events: list[Event] = []
    good.bring(["mcp.a.talk"])
    good.on_event(events.append)
    assert good.call_sync("mcp.a.talk").success
    told = [event.data for event in events if event.kind == "progress"]
    assert {"message": "half", "progress": 1, "total": 2} in [{**data} for data in told]
    assert "a word" in [data["message"] for data in told]


def test_a_question_goes_to_the_approver_with_its_form(mcp: Servers, server: Server) -> None:
    asked = []

    def approver(approval: Any) -> Any:
        asked.append(approval)
        return {"colour": "red", "other": 1}

    result = mcp(approver, a=server()).call_sync("mcp.a.ask")
    assert json.loads(result.data) == {"action": "accept", "content": {"colour": "red"}}
    assert asked[0].call.name == "mcp.a.ask"
    assert "Which colour?" in asked[0].reason
    assert asked[0].form["required"] == ["colour"]


@pytest.mark.parametrize("answer", [True, False])
def test_a_question_that_nobody_answers_in_full_is_declined(mcp: Servers, server: Server, answer: bool) -> None:
    result = mcp(lambda approval: answer, a=server()).call_sync("mcp.a.ask")
    assert json.loads(result.data)["action"] == "decline"


def test_a_question_without_an_approver_is_declined(good: Ares) -> None:
    assert json.loads(good.call_sync("mcp.a.ask").data)["action"] == "decline"


def test_what_servers_may_not_ask_is_refused_by_the_protocol(good: Ares) -> None:
    told = json.loads(good.call_sync("mcp.a.demand").data)
    assert told == {"s0": "result", "s1": -32601, "s2": -32601, "s3": -32601}


def test_a_tool_that_runs_only_as_a_task_is_waited_for(good: Ares) -> None:
    assert good.call_sync("mcp.a.chore").data == "the chore is done"


def test_resources_and_prompts_are_tools_where_they_are_wanted(mcp: Servers, server: Server) -> None:
    ares = mcp(a=server(resources=True), b=server(prompts=True))
    assert ares.registry.list_tool_names() == [
        "mcp.a.list_resources", "mcp.a.read_resource", "mcp.b.get_prompt", "mcp.b.list_prompts",
    ]  # fmt: skip

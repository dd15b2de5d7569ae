"""The agent by itself: over a scripted network, with the smallest of wire formats."""

from __future__ import annotations

from typing import Any

import pytest
from ares_plugin_agent import Agent, Run

from ares_core import ConfigError, ToolError, UsageError, WireError
from ares_core.testing import check_plugin


def test_a_call_is_run_and_the_answer_given(make: Any, script: Any, say: Any) -> None:
    script.says(say("", ("c1", "add", {"a": 2, "b": 3})), say("Five."))
    run = make().run_sync("2 + 3?")
    assert (run.outcome, run.text, run.calls, str(run)) == ("final", "Five.", 1, "Five.")
    assert script.asked[1][2]["messages"][-1] == {"role": "tool", "tool_call_id": "c1", "content": "5"}


def test_every_connection_goes_through_the_network_provider_to_the_configured_address(
    make: Any, script: Any, say: Any
) -> None:
    script.says(say("Hi."))
    make().run_sync("Hi.")
    assert script.opened == [("operator", "http://localhost:1/v1")]
    assert script.asked[0][0] == "http://localhost:1/v1/chat/completions"


def test_a_failure_of_the_network_that_may_pass_is_tried_again(make: Any, script: Any, say: Any) -> None:
    script.says(ToolError("connection reset", retriable=True), say("Hi."))
    assert make().run_sync("Hi.").success
    script.says(ToolError("the certificate is not trusted"))
    run = make().run_sync("Hi.")
    assert (run.outcome, len(script.asked)) == ("failed", 1)
    assert "not trusted" in run.text


@pytest.mark.parametrize("body", [b"<html>hi</html>", b"plain words", b""])
def test_an_answer_in_no_format_of_the_provider_is_asked_for_once_more_and_says_what_to_check(
    make: Any, script: Any, body: bytes
) -> None:
    script.says((200, {"content-type": "text/html"}, [body]))
    run = make().run_sync("Hi.")
    assert (run.outcome, len(script.asked)) == ("failed", 2)
    assert "did not answer in the format openai-chat" in run.text
    assert "check the address (--base-url, agent.base_url), and the provider before the model's name" in run.text
    assert "--wire" not in run.text


def test_without_a_network_provider_the_run_says_what_to_install(ares: Any, script: Any) -> None:
    from ares_plugin_agent import Agent

    class WireOnly:
        register_wire_formats = script.register_wire_formats

    ares.add("ares_plugin_agent")
    ares.add(WireOnly())
    run = Agent(ares, "openai:m", base_url="http://localhost:1").run_sync("Hi.")
    assert run.outcome == "failed"
    assert "ares-plugin-network" in run.text


def test_the_section_of_the_configuration_holds_where_nothing_else_is_said(make: Any, script: Any, say: Any) -> None:
    section = {"model": "openai:big", "base_url": "http://localhost:2", "system": "Be brief.", "max_output_tokens": 9}
    script.says(say("Hi."))
    make(section, model=None, base_url=None).run_sync("Hi.")
    url, _, body = script.asked[0]
    assert (url, body["model"], body["max_tokens"]) == ("http://localhost:2/v1/chat/completions", "big", 9)
    assert body["messages"][0] == {"role": "system", "content": "Be brief."}
    make(section, system="Sing.").run_sync("Hi.")
    assert script.asked[1][2]["messages"][0]["content"] == "Sing."


@pytest.mark.parametrize("section", [{"retrys": 1}, {"retries": -1}, {"base_url": "ftp://x"}, {"max_iterations": 0}])
def test_a_wrong_setting_is_an_error_in_a_sentence(make: Any, section: dict[str, Any]) -> None:
    with pytest.raises(ConfigError, match=r"agent"):
        make(section)
    with pytest.raises(ConfigError, match=r"agent|address"):
        make(None, **section)


def test_a_body_that_came_in_one_piece_is_read_too(make: Any, script: Any) -> None:
    body = b'{"choices": [{"message": {"role": "assistant", "content": "Hi."}}], "usage": {"total_tokens": 12}}'
    script.says((200, {"content-type": "application/json"}, [body[:20], body[20:]]))
    run = make().run_sync("Hi.")
    assert (run.text, run.tokens) == ("Hi.", 12)


def test_tokens_are_estimated_where_the_provider_reports_none(make: Any, script: Any, say: Any) -> None:
    script.says(say("word " * 100))
    run = make().run_sync("Hi.")
    assert (80 <= run.tokens <= 400, run.told_tokens) == (True, None)
    script.says((200, {}, [b'{"choices": [{"message": {"role": "assistant", "content": "%s"}}]}' % (b"word " * 100)]))
    run = make().run_sync("Hi.")
    assert (125 <= run.tokens <= 400, run.told_tokens) == (True, None)


def test_what_a_provider_tells_counts_and_not_what_was_reckoned(make: Any, script: Any, say: Any) -> None:
    status, headers, chunks = say("word " * 100)
    script.says((status, headers, [*chunks, b'data: {"choices": [{"delta": {}}], "usage": {"total_tokens": 7}}\n\n']))
    run = make().run_sync("Hi.")
    assert (run.tokens, run.told_tokens) == (7, 7)


def test_no_quota_left_is_not_tried_again(make: Any, script: Any, fail: Any) -> None:
    script.says(fail(429, "insufficient_quota: add money"))
    run = make().run_sync("Hi.")
    assert (run.outcome, len(script.asked)) == ("failed", 1)


@pytest.mark.parametrize("words", [
    "This model's maximum context length is 8192 tokens", "prompt is too long: 210000 tokens > 200000 maximum",
    "The input token count (2000000) exceeds the maximum", "request (9000 tokens) exceeds the available context size",
])  # fmt: skip
def test_a_conversation_that_is_too_long_ends_the_run_and_says_so(
    make: Any, script: Any, fail: Any, words: str
) -> None:
    script.says(fail(400, words))
    run = make().run_sync("Hi.")
    assert (run.outcome, len(script.asked)) == ("failed", 1)
    assert "too long for the model" in run.text


def test_a_key_is_never_shown(make: Any, script: Any, say: Any) -> None:
    agent = make(api_key="sk-very-secret")
    script.says(say("Hi."))
    run = agent.run_sync("Hi.")
    assert "sk-very-secret" in str(script.asked[0][1])
    assert "secret" not in repr(agent.model) + repr(run)


def test_the_plugin_stands_what_every_plugin_should() -> None:
    check_plugin("ares_plugin_agent")


def test_an_endless_answer_is_given_up(make: Any, script: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ares_plugin_agent.sending.LONGEST_ANSWER", 1000)
    script.says((200, {"content-type": "text/event-stream"}, [b"data: x" * 10] * 100))
    run = make().run_sync("Hi.")
    assert "longer than 1,000 bytes" in run.text


def test_without_a_format_the_run_says_what_to_install(ares: Any) -> None:
    from ares_plugin_agent import Agent

    with pytest.raises(WireError, match="ares-plugin-wires"):
        Agent(ares, "openai:m", base_url="http://localhost:1").run_sync("Hi.")


def test_a_run_in_a_named_session_is_counted_there(make: Any, script: Any, say: Any) -> None:
    script.says(say("", ("c1", "add", {"a": 2, "b": 3})))
    run = make(session="mine").run_sync("2 + 3?")
    assert (run.outcome, run.calls, run.state["session"]) == ("loop_detected", 3, "mine")
    assert make().run_sync("2 + 3?").state["session"] != "mine"


def test_resuming_says_what_is_wrong_with_a_state(make: Any) -> None:
    with pytest.raises(UsageError, match=r"run\.state"):
        make().resume_sync({"messages": 5})


def test_run_sync_inside_a_tool_says_await(make: Any, script: Any, say: Any) -> None:
    agent = make()
    said = []

    async def nested() -> str:
        """Run inside."""
        with pytest.raises(UsageError) as caught:
            agent.run_sync("Hi.")
        said.append(str(caught.value))
        return "ok"

    agent._door.register(nested)
    script.says(say("", ("c1", "nested", {})), say("Done."))
    assert agent.run_sync("Go.").success
    assert "await" in said[0]


def test_only_a_final_run_is_a_success() -> None:
    assert [Run(outcome, "").success for outcome in ("final", "failed", "cancelled")] == [True, False, False]


def test_inside_of_a_run_its_agent_is_known_and_gives_another_on_a_part_of_the_tools(
    make: Any, script: Any, say: Any
) -> None:
    agent, seen = make(system="Be brief."), []

    async def nested() -> str:
        """Look who runs."""
        seen.append(Agent.current())
        return "ok"

    agent._door.register(nested)
    script.says(say("", ("c1", "nested", {})), say("Done."))
    assert agent.run_sync("Go.").success
    assert seen == [agent]
    assert Agent.current() is None
    other = agent.on(agent._door.bind(["add"]), session="s/part")
    script.says(say("Done."))
    assert other.run_sync("Go.").state["session"] == "s/part"
    assert (other.model, other.settings) == (agent.model, agent.settings)
    assert "nested" not in str(script.asked[-1])


def test_events_of_a_turn_say_the_name_that_its_calls_bear(make: Any, script: Any, say: Any) -> None:
    script.says(say("", ("1", "add", {"a": 1, "b": 2})), say("3"))
    agent = make()
    told: list[Any] = []
    agent._door.ares.on_event(told.append)
    agent.run_sync("1+2?")
    turns = [event.data["turn"] for event in told if event.kind == "turn.finished"]
    assert len(set(turns)) == 2
    assert {event.turn for event in told if event.tool} == {turns[0]}

"""Workers that die, servers that go away: what a caller is told, and that nothing is done twice."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from itertools import groupby
from typing import Any

import msgspec
import pytest
from ares_plugin_workers import Worker, calling
from ares_plugin_workers.definitions import address, definition_of
from ares_plugin_workers.messages import Alive, Hello, Started, encode

from ares_core import Ares, Effects, Rule, RuleSet, Tool, ToolCall, hookimpl, tool

Serve = Callable[..., Worker]
Caller = Callable[..., Ares]
READS = Effects(read_only=True, open_world=False)


@tool
def write(what: str) -> str:
    """Write something down."""
    return f"wrote {what}"


class Actor:
    """Plays a worker that does as it is told, word by word, over the small server."""

    def __init__(self, server: Any, played: Tool, says: Callable[[dict[str, Any]], list[Any]]) -> None:
        self.definition = definition_of(played)
        self.heard: list[dict[str, Any]] = []
        self._server, self._says = server, says
        self._ready = threading.Event()
        self.loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self.loop.run_until_complete, args=(self._perform(),))
        self._thread.start()
        assert self._ready.wait(60)

    async def _perform(self) -> None:
        with suppress(OSError, asyncio.IncompleteReadError):  # the server goes in the middle of a word
            await self._play()

    async def _play(self) -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", self._server.port, limit=2**20)
        writer.write(b'CONNECT {"headers":true}\r\n')
        at = address(self.definition)
        for number, subject in enumerate(("ares.tools", "ares.worker.actor", f"ares.call.{at} workers")):
            writer.write(f"SUB {subject} {number}\r\n".encode())
        writer.write(b"PING\r\n")
        while line := await reader.readline():
            if line.startswith(b"PONG"):
                self._ready.set()
            if not line.startswith(b"MSG"):
                continue
            words = line.decode().split()
            body = (await reader.readexactly(int(words[-1]) + 2))[:-2]
            message = {**msgspec.json.decode(body), "reply": words[3] if len(words) == 5 else ""}
            self.heard.append(message)
            if message["type"] == "ask":
                said: list[Any] = [Hello("actor", "actor", {at: self.definition})]
            else:
                said = self._says(message)
            if None in said:  # the server knows that nobody listens before the caller hears the last word
                writer.write(b"UNSUB 0\r\nUNSUB 1\r\nUNSUB 2\r\n")
            for each in said:
                if each is None:
                    writer.close()
                    return
                raw = each if isinstance(each, bytes) else encode(each)
                writer.write(f"PUB {message.get('job', message['reply'])} {len(raw)}\r\n".encode() + raw + b"\r\n")
        writer.close()

    def close(self) -> None:
        self._thread.join()
        self.loop.close()


@pytest.fixture
def play(opened: list[Any], fake: Any) -> Callable[..., Actor]:
    """Puts an actor on."""

    def play(played: Tool, says: Callable[[dict[str, Any]], list[Any]]) -> Actor:
        actor = Actor(fake, played, says)
        opened.append(actor.close)
        opened.append(fake.stop)
        return actor

    return play


def test_a_worker_that_goes_before_it_may_begin_leaves_the_call_to_another(
    fake: Any, play: Callable[..., Actor], serve: Serve, caller: Caller
) -> None:
    actor = play(Tool.from_function(write), lambda message: [Started("actor"), None])
    here = caller(fake)
    here.bring(["write"])
    serve(fake, write)
    results = [here.call_sync("write", {"what": "x"}) for _ in range(8)]
    assert [result.data for result in results] == ["wrote x"] * 8, [result.text for result in results]
    assert all(message["type"] != "go" for message in actor.heard)


def test_long_arguments_that_their_worker_never_heard_go_to_another_once(
    fake: Any, play: Callable[..., Actor], serve: Serve, caller: Caller
) -> None:
    ran = []

    @tool(name="write", description="Write something down.")
    def write_here(what: str) -> str:
        ran.append(len(what))
        return "done"

    play(Tool.from_function(write_here), lambda message: [Started("actor"), None])
    here = caller(fake)
    here.bring(["write"])
    serve(fake, write_here)
    results = [here.call_sync("write", {"what": "x" * 900_000}) for _ in range(4)]
    assert [result.data for result in results] == ["done"] * 4, [result.text for result in results]
    assert ran == [900_000] * 4


def test_a_worker_that_goes_in_the_middle_of_a_change_leaves_it_unknown_and_it_is_never_sent_again(
    broker: Any, process: Callable[..., Any], caller: Caller, effects: Callable[..., list[str]]
) -> None:
    process(broker, "w1")
    process(broker, "w2")
    result = caller(broker).call_sync("write_and_die", {"what": "once"})
    assert result.error is not None
    assert result.error.code == "outcome_unknown"
    assert "was lost in the middle of 'write_and_die'" in result.text
    assert "<data" not in result.text
    assert effects("once") == ["once"]


def test_the_same_call_again_after_its_worker_went_is_not_run_by_another(
    fake: Any, process: Callable[..., Any], caller: Caller, effects: Callable[..., list[str]]
) -> None:
    process(fake, "w1")
    process(fake, "w2")
    here, call = caller(fake), ToolCall("write_and_die", {"what": "once"}, key="k")
    assert [result.error.code for _ in range(2) if (result := here.call_sync(call)).error] == ["outcome_unknown"] * 2
    assert effects("once") == ["once"]


def test_what_only_reads_goes_to_another_worker_when_its_own_dies(
    broker: Any, process: Callable[..., Any], caller: Caller, effects: Callable[..., list[str]]
) -> None:
    process(broker, "w1")
    process(broker, "w2")
    result = caller(broker).call_sync("read_and_die", {"what": "twice"})
    assert (result.data, result.metadata["attempts"]) == ("twice", 2)
    assert effects() == ["twice", "twice"]


def test_a_dead_worker_is_noticed_long_before_the_deadline(
    broker: Any, process: Callable[..., Any], caller: Caller, effects: Callable[..., list[str]]
) -> None:
    worker = process(broker)
    here = caller(broker)
    threading.Thread(target=lambda: effects("begun") and worker.kill()).start()
    result = here.call_sync("take_long", {"seconds": 100}, timeout=100)
    assert result.error is not None
    assert result.error.code == "outcome_unknown"
    assert result.metadata["duration_ms"] < 50_000


def test_a_worker_that_says_nothing_is_given_up(fake: Any, play: Callable[..., Actor], caller: Caller) -> None:
    said = {"call": [Started("actor")]}
    play(Tool.from_function(write), lambda message: said.get(message["type"], []))
    result = caller(fake, silence=1).call_sync("write", {"what": "x"})
    assert result.error is not None
    assert result.error.code == "outcome_unknown"
    assert "it said nothing for 1 s" in result.text


def test_a_worker_that_lives_may_take_as_long_as_the_deadline_allows(
    fake: Any, play: Callable[..., Actor], caller: Caller
) -> None:
    said: dict[str, list[Any]] = {"call": [Started("actor")], "probe": [Alive()]}
    play(Tool.from_function(write), lambda message: said.get(message["type"], []))
    here = caller(fake, silence=2)
    here.bring(["write"])
    result = here.call_sync("write", {"what": "x"}, timeout=3)
    assert result.error is not None
    assert result.error.message.startswith("'write' gave no answer within 3 s")


def test_a_go_that_got_lost_is_said_again(fake: Any, play: Callable[..., Actor], caller: Caller) -> None:
    words: list[str] = []

    def says(message: dict[str, Any]) -> list[Any]:
        words.append(message["type"])
        if message["type"] == "go" and words.count("go") == 2:
            return [b'{"type":"answer","success":true,"data":"at last"}']
        return [] if message["type"] == "go" else [Started("actor")]

    play(Tool.from_function(write), says)
    assert caller(fake).call_sync("write", {"what": "x"}).data == "at last"
    assert [word for word, _ in groupby(words) if word in ("go", "probe")][:3] == ["go", "probe", "go"]


def test_an_offer_that_nobody_takes_up_ends_before_the_deadline_with_nothing_executed(
    fake: Any, play: Callable[..., Actor], caller: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("MARGIN", "MOST_MARGIN"):  # how long before the deadline it ends: more than any machine stands still
        monkeypatch.setattr(calling, name, 59.0)
    play(Tool.from_function(write), lambda message: [])
    result = caller(fake).call_sync("write", {"what": "x"}, timeout=60)
    assert result.error is not None
    assert result.error.code == "tool_error"
    assert "Nothing was executed" in result.text


def test_an_absent_worker_is_known_at_once(
    broker: Any, process: Callable[..., Any], caller: Caller, effects: Callable[..., list[str]]
) -> None:
    worker = process(broker)
    here = caller(broker)
    assert here.call_sync("add", {"a": 1}).success
    worker.kill()
    worker.wait()
    for name, arguments in (("add", {"a": 1}), ("write", {"what": "x"})):
        result = here.call_sync(name, arguments)
        assert result.error is not None
        assert (result.error.code, result.error.blame) == ("tool_error", "world")
        assert "Nothing was sent" in result.text
    assert effects() == []


class Weather:
    """Knows one wish, and a tool here that fulfils it, more dearly than a worker does."""

    @hookimpl
    def register_tools(self) -> list[Tool]:
        return [Tool("local_weather", "The weather, from here.", {}, lambda arguments, context: "rain, it says here",
                     capabilities=("Weather",), effects=READS, cost=50)]  # fmt: skip

    @hookimpl
    def register_rule_sets(self) -> list[RuleSet]:
        return [RuleSet("weather", "en", (Rule("weather", ("weather today",), ("Weather",)),))]


def test_the_planners_runner_up_does_what_an_absent_worker_can_t(fake: Any, serve: Serve, caller: Caller) -> None:
    there = Tool("far_weather", "The weather, from afar.", {}, lambda arguments, context: "sun, it says there",
                 capabilities=("Weather",), effects=READS, cost=1)  # fmt: skip
    worker = serve(fake, there)
    here = caller(fake, Weather())
    assert here.ask_sync("weather today").data == "sun, it says there"
    fake.hold = "ares.news"  # nobody hears that it leaves
    worker._ares.wait_for(worker.stop(), "stop")
    result = here.ask_sync("weather today")
    assert result.data == "rain, it says here"
    assert result.metadata["instead_of"] == "far_weather"


def test_a_call_survives_a_server_that_is_started_again(broker: Any, serve: Serve, caller: Caller) -> None:
    begun = threading.Event()

    @tool(effects=READS)
    async def slow(seconds: float) -> str:
        """Take a while."""
        if seconds:
            begun.set()
        await asyncio.sleep(seconds)
        return "slept"

    serve(broker, slow)
    here = caller(broker)
    assert here.call_sync("slow", {"seconds": 0}).data == "slept"
    answers: list[Any] = []
    waits = threading.Thread(target=lambda: answers.append(here.call_sync("slow", {"seconds": 2.5})))
    waits.start()
    assert begun.wait(60)
    broker.stop()
    time.sleep(0.3)
    broker.start()
    waits.join(60)
    assert [answer.data for answer in answers] == ["slept"]
    assert here.call_sync("slow", {"seconds": 0}).data == "slept"


def test_an_answer_that_was_lost_on_the_way_is_said_again(fake: Any, serve: Serve, caller: Caller) -> None:
    ran = []

    @tool
    def count() -> int:
        """Count."""
        ran.append(1)
        fake.hold = "_INBOX"
        threading.Timer(0.5, lambda: setattr(fake, "hold", "")).start()
        return len(ran)

    serve(fake, count)
    assert caller(fake).call_sync("count").data == 1
    assert ran == [1]


def test_a_server_that_is_not_there_is_a_sentence(fake: Any, caller: Caller) -> None:
    fake.stop()
    result = caller(fake).call_sync("add", {"a": 1})
    assert result.error is not None
    assert f"the NATS server at nats://127.0.0.1:{fake.port} can't be used" in result.text


def test_a_server_that_went_away_is_a_sentence_and_nothing_was_sent(fake: Any, serve: Serve, caller: Caller) -> None:
    serve(fake, write)
    here = caller(fake)
    assert here.call_sync("write", {"what": "x"}).success
    fake.stop()
    result = here.call_sync("write", {"what": "x"})
    assert result.error is not None
    assert (result.error.code, result.error.blame) == ("tool_error", "world")
    assert "Nothing was" in result.text

"""Stage 9: readers share a resource, a writer has it to itself, and a folder means everything below it."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ares_core import Ares, Effects, Result, Tool, ToolContext

READS = Effects(read_only=True, open_world=False, resources=("file:{path}",))
WRITES = Effects(open_world=False, resources=("file:{path}",))
PATHS = ("", "a", "a/b", "a/b/c.txt", "a/./x/../b", "d", "d/e.txt", "/", "../a")


async def turns(count: int = 50) -> None:
    """Let the loop turn so often, however long that takes."""
    for _ in range(count):
        await asyncio.sleep(0)


class Watch:
    """Tools that read or write a path for a while, and note who was there together."""

    def __init__(self, ares: Ares, pause: Callable[[], Awaitable[Any]] = turns) -> None:
        self.pause = pause
        self.now: list[tuple[str, str]] = []
        self.together: list[tuple[tuple[str, str], ...]] = []
        self.order: list[str] = []
        schema = {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}
        ares.register(Tool("read", "", schema, self._execute, effects=READS))
        ares.register(Tool("write", "", schema, self._execute, effects=WRITES))

    async def _execute(self, arguments: Any, context: ToolContext) -> str:
        me = (context.call.name, str(arguments["path"]))
        self.now.append(me)
        self.together.append(tuple(self.now))
        self.order.append(context.call.id or "")
        try:
            await self.pause()
        finally:
            self.now.remove(me)
        return "done"

    def most(self) -> int:
        return max(len(group) for group in self.together)


async def all_of(ares: Ares, *calls: tuple[str, str]) -> list[Result]:
    return list(await asyncio.gather(*(ares.call(tool, {"path": path}) for tool, path in calls)))


def codes(results: list[Result]) -> list[str | None]:
    return [result.error.code if result.error else None for result in results]


@pytest.mark.parametrize(
    ("first", "second", "together"),
    [
        (("read", "a"), ("read", "a"), True),
        (("read", "a"), ("write", "a"), False),
        (("write", "a"), ("write", "a"), False),
        (("write", "a"), ("write", "b"), True),
        (("write", "a/b"), ("write", "a/c"), True),
        (("write", "a"), ("write", "a/b/c"), False),
        (("write", "a/b/c"), ("read", "a"), False),
        (("read", "a"), ("read", "a/b"), True),
        (("write", "a"), ("write", "ab"), True),
        (("write", "x/../a"), ("write", "./a/"), False),
        (("write", "."), ("read", "deep/down/file.txt"), False),
    ],
    ids=str,
)
def test_who_may_be_there_together(first: tuple[str, str], second: tuple[str, str], together: bool, ares: Ares) -> None:
    watch = Watch(ares)
    assert codes(asyncio.run(all_of(ares, first, second))) == [None, None]
    assert watch.most() == (2 if together else 1)
    assert len(ares.runner.limiter.locks) == 0


def test_an_absolute_path_below_the_sandbox_is_the_relative_one(tmp_path: Path) -> None:
    with Ares(plugins=[], config={"tools": {"file_sandbox_dir": str(tmp_path)}}) as ares:
        watch = Watch(ares)
        asyncio.run(all_of(ares, ("write", "notes.txt"), ("write", str(tmp_path / "notes.txt"))))
        assert watch.most() == 1


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("https://Example.org/a", "http://example.org:8080/b?c", True),
        ("example.org", "EXAMPLE.ORG.", True),
        ("https://me:secret@example.org", "example.org", True),
        ("https://bücher.example", "https://xn--bcher-kva.example/", True),
        ("https://example.org", "https://example.com", False),
        ("[::1", "http://[", False),
    ],
)
def test_hosts_are_the_same_however_they_are_written(one: str, other: str, same: bool, ares: Ares) -> None:
    watch = Watch(ares)
    ares.register(Tool("post", "", {}, watch._execute, effects=Effects(resources=("host:{path}",))))
    assert codes(asyncio.run(all_of(ares, ("post", one), ("post", other)))) == [None, None]
    assert watch.most() == (1 if same else 2)


def test_a_writer_is_not_kept_waiting_by_readers_that_keep_coming(ares: Ares) -> None:
    watch = Watch(ares, lambda: turns(20))

    async def main() -> None:
        tasks = []
        for number in range(20):
            tool = "write" if number == 3 else "read"
            tasks.append(asyncio.ensure_future(ares.call(tool, {"path": "a"})))
            await turns(5)
        await asyncio.gather(*tasks)

    asyncio.run(main())
    place = next(number for number, group in enumerate(watch.together) if ("write", "a") in group)
    assert place <= 4
    assert len(watch.together[place]) == 1


def test_two_resources_in_either_order_never_wait_for_each_other_in_a_circle(ares: Ares) -> None:
    watch = Watch(ares, lambda: turns(1))
    both = Effects(resources=("file:{path}", "file:{to}"))
    ares.register(Tool("move", "", {}, watch._execute, effects=both))

    async def main() -> list[Result]:
        pairs = [("a", "b"), ("b", "a"), ("a/x", "b"), ("b", "a/x")] * 25
        return list(await asyncio.gather(*(ares.call("move", {"path": one, "to": two}) for one, two in pairs)))

    assert codes(asyncio.run(main())) == [None] * 100
    assert watch.most() == 1


def test_a_call_made_inside_a_tool_has_its_parents_resource(ares: Ares) -> None:
    watch = Watch(ares)

    async def outer(arguments: Any, context: ToolContext) -> list[Any]:
        children = [("write", arguments["path"]), ("read", arguments["path"]), ("write", f"{arguments['path']}/deeper")]
        return [(await context.call_tool(tool, {"path": path})).success for tool, path in children]

    ares.register(Tool("outer", "", {}, outer, effects=WRITES))

    async def main() -> list[Result]:
        inside = asyncio.ensure_future(ares.call("outer", {"path": "a"}))
        await turns(5)
        return [*await all_of(ares, ("write", "a"), ("read", "a/b")), await inside]

    results = asyncio.run(main())
    assert results[2].data == [True, True, True]
    assert watch.most() == 1


def test_two_calls_made_inside_one_tool_shut_each_other_out(ares: Ares) -> None:
    watch = Watch(ares)

    async def outer(context: ToolContext) -> list[bool]:
        """Write twice at once."""
        both = (context.call_tool("write", {"path": "a"}) for _ in range(2))
        return [result.success for result in await asyncio.gather(*both)]

    ares.register(outer)
    assert ares.call_sync("outer").data == [True, True]
    assert watch.most() == 1


def test_waiting_for_a_resource_is_bounded_and_says_which() -> None:
    free = asyncio.Event()

    async def main() -> list[Result]:
        calls = [asyncio.ensure_future(ares.call("write", {"path": "a"})) for _ in range(2)]
        await asyncio.wait(calls, return_when=asyncio.FIRST_COMPLETED)
        free.set()
        return list(await asyncio.gather(*calls))

    with Ares(plugins=[], config={"limits": {"queue_wait": 0.05}}) as ares:
        Watch(ares, free.wait)
        first, second = asyncio.run(main())
        assert (codes([first]), codes([second])) == ([None], ["queue_full"])
        assert "file:a" in second.text
        assert "Not executed" in second.text
        assert second.error is not None
        assert second.error.retriable


def test_the_queue_for_resources_is_bounded_in_number() -> None:
    with Ares(plugins=[], config={"limits": {"max_waiting": 2, "max_parallel": 20}}) as ares:
        Watch(ares)
        results = asyncio.run(all_of(ares, *[("write", "a")] * 5))
        assert codes(results) == [None, None, None, "queue_full", "queue_full"]


def test_who_gives_up_waiting_leaves_no_lock_behind(ares: Ares) -> None:
    watch = Watch(ares)

    async def main() -> list[Result]:
        tasks = [asyncio.ensure_future(ares.call("write", {"path": f"a/{n % 2}"})) for n in range(12)]
        await turns(75)
        for task in tasks[:8]:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        return await all_of(ares, ("write", "a"), ("read", "a/1"))

    assert codes(asyncio.run(main())) == [None, None]
    assert len(ares.runner.limiter.locks) == ares.runner.limiter.locks.waiting == len(watch.now) == 0


def test_past_its_deadline_a_thread_keeps_its_lock_until_it_returns(ares: Ares) -> None:
    release = threading.Event()

    def stuck(path: str) -> None:
        """Be stuck."""
        release.wait(30)

    Watch(ares)
    ares.register(Tool.from_function(stuck, effects=WRITES, timeout=0.05))
    assert codes([ares.call_sync("stuck", {"path": "a"})]) == ["outcome_unknown"]
    assert len(ares.runner.limiter.gate._free) == 8
    assert len(ares.runner.limiter.locks) > 0
    threading.Timer(0.05, release.set).start()
    assert ares.call_sync("write", {"path": "a"}).success
    assert release.is_set()


def test_an_async_tool_that_ignores_its_deadline_keeps_its_lock_until_it_ends(ares: Ares) -> None:
    ended: list[float] = []

    async def stubborn(path: str) -> None:
        """Not listen."""
        try:
            await asyncio.sleep(30)
        except asyncio.CancelledError:
            await asyncio.sleep(0.1)
            ended.append(time.monotonic())

    Watch(ares)
    ares.register(Tool.from_function(stubborn, effects=WRITES, timeout=0.05))
    assert codes([ares.call_sync("stubborn", {"path": "a"})]) == ["outcome_unknown"]
    assert ares.call_sync("write", {"path": "a"}).success
    assert ended


def test_a_reader_without_resources_touches_no_lock(ares: Ares, monkeypatch: pytest.MonkeyPatch) -> None:
    ares.register(Tool("look", "", {}, lambda arguments, context: 1, effects=Effects(read_only=True)))
    monkeypatch.setattr(ares.runner.limiter, "admit", None)
    assert ares.call_sync("look").data == 1


@pytest.mark.parametrize("count", [200, 5_000])
def test_a_call_that_names_too_much_has_everything_of_that_kind(count: int, ares: Ares) -> None:
    watch = Watch(ares)

    def many(arguments: Any) -> Effects:
        return Effects(resources=tuple(f"file:{number}" for number in range(count)))

    ares.register(Tool("sweep", "", {}, watch._execute, effects=many))
    asyncio.run(all_of(ares, ("sweep", "x"), ("write", "elsewhere")))
    assert watch.most() == 1


def test_a_path_of_any_length_is_one_resource(ares: Ares) -> None:
    watch = Watch(ares)
    assert codes(asyncio.run(all_of(ares, ("write", "a/" * 50_000), ("read", "a/" * 50_000 + "b")))) == [None, None]
    assert watch.most() == 1


@given(calls=st.lists(st.tuples(st.sampled_from(("read", "write")), st.sampled_from(PATHS)), max_size=12))
def test_whatever_is_called_conflicting_calls_never_overlap(calls: list[tuple[str, str]]) -> None:
    from ares_core.call.resources import key_of

    with Ares(plugins=[]) as ares:
        watch = Watch(ares, lambda: turns(1))
        assert codes(asyncio.run(all_of(ares, *calls))) == [None] * len(calls)
        assert len(ares.runner.limiter.locks) == 0
    for group in watch.together:
        for place, (tool, path) in enumerate(group):
            for other_tool, other_path in group[place + 1 :]:
                one, two = key_of(f"file:{path}", "/w"), key_of(f"file:{other_path}", "/w")
                below = one[: len(two)] == two or two[: len(one)] == one
                assert not (below and "write" in (tool, other_tool))

"""Random graphs end as a plain reading of the rules says, whatever the limit, wherever they are cut off or copied."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest
from ares_plugin_graph import Edge, FunctionNode, Graph, MemoryCheckpoints
from hypothesis import given, settings
from hypothesis import strategies as st

from ares_core import Ares, ToolError

ENDS = st.sampled_from(["done", "done", "done", "failed", "cancelled"])
JOINS = st.sampled_from(["all", "any", "none_failed"])
TESTS = st.sampled_from([None, "1 < 2", "1 > 2"])


class Plan:
    """What was drawn: how each node ends, what leads to it, and on which condition."""

    def __init__(self, draw: Any) -> None:
        self.size = draw(st.integers(1, 7))
        self.ends = [draw(ENDS) for _ in range(self.size)]
        self.joins = [draw(JOINS) for _ in range(self.size)]
        self.tests = [draw(TESTS) for _ in range(self.size)]
        self.ticks = [draw(st.integers(0, 3)) for _ in range(self.size)]
        self.may_fail = [draw(st.booleans()) for _ in range(self.size)]
        pairs = [(one, two) for two in range(self.size) for one in range(two)]
        self.after = {pair for pair in pairs if draw(st.sampled_from([True, False, False]))}
        self.edges = {pair: draw(TESTS) for pair in pairs if draw(st.sampled_from([True, False, False, False]))}
        self.routes = {one: self._route(draw, one) for one in range(self.size - 1) if draw(st.booleans())}
        self.limit = draw(st.integers(1, 4))

    def _route(self, draw: Any, one: int) -> Any:
        return draw(st.lists(st.tuples(TESTS, st.integers(one + 1, self.size - 1)), min_size=1, max_size=3))

    def graph(self, ran: list[int]) -> Graph:
        return Graph(
            [self._node(place, ran) for place in range(self.size)], limit=self.limit,
            edges=[Edge(f"n{one}", f"n{two}", test) for (one, two), test in self.edges.items()],
        )  # fmt: skip

    def _node(self, place: int, ran: list[int]) -> FunctionNode:
        async def work() -> int:
            for _ in range(self.ticks[place]):
                await asyncio.sleep(0)
            if self.ends[place] == "failed":
                raise ToolError("as drawn")
            if self.ends[place] == "cancelled":
                raise asyncio.CancelledError
            ran.append(place)
            return place

        route = [(test, f"n{target}") for test, target in self.routes.get(place, ())]
        return FunctionNode(
            f"n{place}", work, read_only=True, join=self.joins[place], when=self.tests[place], route=route or None,
            after=[f"n{one}" for one, two in self.after if two == place], may_fail=self.may_fail[place],
        )  # fmt: skip

    def expected(self) -> list[str]:
        """Read the rules, node by node."""
        found: list[str] = []
        for place in range(self.size):
            ways = list(self._ways(place, found))
            runs = {
                "all": set(ways) <= {"done"},
                "any": not ways or "done" in ways,
                "none_failed": "failed" not in ways,
            }[self.joins[place]]
            found.append(self.ends[place] if runs and self.tests[place] != "1 > 2" else "skipped")
        return found

    def _ways(self, place: int, found: list[str]) -> Iterator[str]:
        for one in range(place):
            if (one, place) in self.edges:
                yield self._way(one, place, found, is_open=self.edges[one, place] != "1 > 2")
            if place in {target for _, target in self.routes.get(one, ())} or (
                (one, place) in self.after and (one, place) not in self.edges
            ):
                yield self._way(one, place, found, is_open=True)

    def _way(self, one: int, place: int, found: list[str], *, is_open: bool) -> str:
        if found[one] != "done":
            return "not taken" if found[one] == "skipped" else "failed"
        route = self.routes.get(one, [])
        taken = next((target for test, target in route if test != "1 > 2"), None)
        leads = place == taken or place not in {target for _, target in route}
        return "done" if is_open and leads else "not taken"

    def status(self) -> str:
        ends = self.expected()
        bad = any(end in ("failed", "cancelled") and not self.may_fail[place] for place, end in enumerate(ends))
        return "failed" if bad else "done"


PLANS = st.composite(Plan)()


@pytest.fixture(scope="module")
def empty() -> Iterator[Ares]:
    with Ares(plugins=[]) as ares:
        yield ares


def statuses(result: Any) -> list[str]:
    return [one.status for one in result.nodes.values()]


@settings(max_examples=150, deadline=None)
@given(plan=PLANS)
def test_a_random_graph_ends_as_the_rules_say(empty: Ares, plan: Plan) -> None:
    ran: list[int] = []
    result = plan.graph(ran).run_sync(empty)
    assert (statuses(result), result.status) == (plan.expected(), plan.status())
    assert sorted(ran) == [place for place, end in enumerate(plan.expected()) if end == "done"]


@settings(max_examples=100, deadline=None)
@given(plan=PLANS, ticks=st.lists(st.integers(0, 8), max_size=3))
def test_a_run_that_is_cut_off_and_resumed_ends_like_one_that_was_not(
    empty: Ares, plan: Plan, ticks: list[int]
) -> None:
    ran: list[int] = []
    kept, graph = MemoryCheckpoints(), plan.graph(ran)

    async def main() -> Any:
        run = graph.start(empty, run_id="r", checkpoints=kept)
        for count in ticks:
            for _ in range(count):
                await asyncio.sleep(0)
            run.cancel()
            assert (await run.wait()).status in ("cancelled", plan.status())
            run = type(run).resume(graph, empty, "r", kept, {}, None, None)
        return await run.wait()

    assert statuses(asyncio.run(main())) == plan.expected()
    assert len(ran) == len(set(ran))


@settings(max_examples=40, deadline=None)
@given(plan=PLANS)
def test_a_copy_from_any_node_on_ends_like_the_run(empty: Ares, plan: Plan) -> None:
    kept, graph = MemoryCheckpoints(), plan.graph([])

    async def main() -> None:
        await graph.run(empty, run_id="r", checkpoints=kept)
        for place in range(plan.size):
            assert statuses(await graph.fork(empty, "r", kept, at=f"n{place}")) == plan.expected()

    asyncio.run(main())

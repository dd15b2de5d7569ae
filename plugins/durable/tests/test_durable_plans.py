"""Plans as jobs: side by side, with runners-up and undo, as plans always run; each step once, also after a restart."""

from __future__ import annotations

import asyncio
import sys
from typing import Any

import msgspec
import pytest
from ares_plugin_durable import Durable
from ares_plugin_durable.plans import run_kept
from ares_plugin_durable.steps import plain

from ares_core import Ares, Effects, ExecutionPlan, Result, Tool, ToolError, tool

READS = Effects(read_only=True)


def step(id: str, tool: str, *after: str, reads: bool = True, **more: Any) -> dict[str, Any]:
    return {"id": id, "tool": tool, "capability": "Any", "depends_on": after, "read_only": reads, **more}


class Carrier:
    """Runs plans as jobs; several times, when the process goes away at the end, or when it is told to ``leave``."""

    def __init__(self, ares: Ares, url: str) -> None:
        self.ares, self.url, self.left = ares, url, 0

    def __call__(self, *steps: dict[str, Any], times: int = 1) -> Result:
        self.plan = msgspec.convert({"request": "", "steps": steps, "confidence": 1}, ExecutionPlan)
        for self.left in reversed(range(times)):
            found = asyncio.run(self.once())
        return msgspec.convert(found, Result)

    async def once(self) -> Any:
        self.leave = asyncio.Event()
        async with Durable(self.ares, self.url) as durable:
            await durable.start("planned:job", id="p")
            return await asyncio.wait_for(self.leave.wait() if self.left else durable.result("p"), 60)

    async def job(self, job: Any, payload: Any) -> Any:
        tools = {one.name: one for one in self.ares.registry.list_tools()}
        result = plain(await run_kept(job, self.plan, None, tools))
        if self.left:
            self.leave.set()
            await asyncio.Event().wait()
        return result


@pytest.fixture
def carried_out(ares: Ares, url: str, monkeypatch: pytest.MonkeyPatch) -> Carrier:
    carrier = Carrier(ares, url)
    monkeypatch.setitem(sys.modules, "planned", carrier)
    return carrier


def test_steps_that_wait_for_nothing_run_side_by_side(ares: Ares, carried_out: Carrier) -> None:
    here: list[str] = []
    both = asyncio.Event()

    @tool(effects=READS)
    async def meet(name: str) -> str:
        """Wait for the other one."""
        here.append(name)
        if len(here) == 2:
            both.set()
        await both.wait()
        return name

    ares.register(meet)
    result = carried_out(step("a", "meet", arguments={"name": "a"}), step("b", "meet", arguments={"name": "b"}))
    assert result.data == {"a": "a", "b": "b"}


def test_a_runner_up_does_the_work_of_a_reader_that_failed(ares: Ares, carried_out: Carrier) -> None:
    @tool(effects=READS)
    def broken(n: int) -> int:
        """Break."""
        raise ToolError("it is broken")

    ares.register(broken)
    other = {"tool": "double", "capability": "Any", "step": "a", "arguments": {"n": 4}}
    after = step("b", "double", "a", bindings=[{"argument": "n", "step": "a"}])
    result = carried_out(step("a", "broken", arguments={"n": 4}, fallbacks=[other]), after, times=2)
    assert (result.data, result.steps[0].metadata["instead_of"]) == (16, "broken")


def test_what_was_done_is_undone_once_when_a_later_step_fails(ares: Ares, carried_out: Carrier) -> None:
    happened: list[str] = []

    @tool
    def change(n: int) -> int:
        """Change something."""
        happened.append(f"change {n}")
        return n

    @tool(effects=READS)
    def broken(n: int) -> int:
        """Break."""
        happened.append("broken")
        raise ToolError("it is broken")

    def undo(arguments: Any, data: Any) -> None:
        happened.append(f"undo {data}")

    ares.register(msgspec.structs.replace(Tool.from_function(change), undo=undo))
    ares.register(broken)
    steps = [step(name, "change", reads=False, arguments={"n": n}) for n, name in enumerate("ab")]
    result = carried_out(*steps, step("c", "broken", "a", "b", arguments={"n": 1}), times=3)
    assert happened == ["change 0", "change 1", "broken", "undo 1", "undo 0"]
    assert result.error is not None
    assert result.error.code == "step_failed"
    assert "b (change) was undone. a (change) was undone." in result.text


def test_an_undo_that_was_cut_off_is_not_repeated_and_told(ares: Ares, carried_out: Carrier) -> None:
    undone: list[int] = []

    async def undo(arguments: Any, data: Any) -> None:
        undone.append(data)
        carried_out.leave.set()
        await asyncio.Event().wait()

    @tool
    def change(n: int) -> int:
        """Change something."""
        return n

    @tool(effects=READS)
    def broken(n: int) -> int:
        """Break."""
        raise ToolError("it is broken")

    ares.register(msgspec.structs.replace(Tool.from_function(change), undo=undo))
    ares.register(broken)
    changing = step("a", "change", reads=False, arguments={"n": 7})
    result = carried_out(changing, step("b", "broken", "a", arguments={"n": 1}), times=2)
    assert undone == [7]
    assert "a (change) could not be undone" in result.text
    assert "it was cut off in the middle; look whether it was done" in result.text


def test_what_is_not_understood_is_refused_as_ever(ares: Ares, url: str) -> None:
    async def main() -> Result:
        async with Durable(ares, url) as durable:
            return await durable.ask("blah", id="q")

    result = asyncio.run(main())
    assert result.error is not None
    assert result.error.code in ("no_plan", "missing_input")

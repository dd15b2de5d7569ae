"""The kit for authors: isolation, the check of a plugin, recorded results, faults."""

from __future__ import annotations

import importlib
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from ares_core import Ares, Effects, Tool, ToolCall, ToolContext, ToolError, UsageError, hookimpl
from ares_core.testing import Faults, Recorder, ares_home, check_plugin, plugin_problems
from ares_core.testing import ares as isolated

__all__ = ["ares_home", "isolated"]  # fixtures, under names of their own because this folder has an ``ares`` too
READS = Effects(read_only=True, destructive=False, idempotent=True, open_world=False)
SOUND = '''
from __future__ import annotations
from typing import TYPE_CHECKING
from ares_core import Effects, Result, Tool, hookimpl, tool
if TYPE_CHECKING:
    from ares_core import Host

@tool(effects=Effects(read_only=True, destructive=False, idempotent=True, open_world=False), examples=[{"a": 2}])
def double(a: int) -> dict[str, int]:
    """Double a number.

    Args:
        a: The number.
    """
    return {"result": 2 * a}

@hookimpl
def register_tools(host: Host) -> list[Tool]:
    return [Tool.from_function(double)]

@hookimpl
def format_result(result: Result) -> str | None:
    return f"{result.data['result']}" if result.success else None
'''
HEAVY = "import time\nuntil = time.process_time() + 0.3\nwhile time.process_time() < until:\n    pass"
CHANGES = [
    ("def register_tools", "def register_tool", "there is no hook 'register_tool'"),
    ("def format_result", "async def format_result", "hooks are plain functions"),
    ("-> str | None:", "-> int:", "hook format_result is annotated to give int"),
    ("result: Result)", "result: str)", "parameter result is annotated str, but gets Result"),
    ("@tool(", "@tool(name='Double', ", "'Double': a name has"),
    ("Tool.from_function(double)", "Tool.from_function(double, description=' ')", "has no description"),
    ("        a: The number.\n", "        b: The number.\n", "argument 'a' has no description"),
    ('{"a": 2}', '{"a": "2"}', "only after repair of /a"),
    ('{"a": 2}', '{"b": 2}', "doesn't fit the schema"),
    ("2 * a", "1 // 0", "example 1 fails"),
    (" if result.success else None", "", "format_result raises TypeError"),
    ("result.data['result']", "result.data['rows']", "format_result raises KeyError: 'rows' for what an example gave"),
    ("effects=Effects(read_only=True, destructive=False, idempotent=True, open_world=False), ", "", "what it does"),
    ("from typing import", "import ares_core.call\nfrom typing import", "imports ares_core.call"),
    ("from typing import", f"{HEAVY}\nfrom typing import", "import what is heavy inside"),
    ("from typing import", "raise ImportError('no licence')\nfrom typing import", "no licence"),
    ("@hookimpl\ndef format_result", "def format_result", "no @hookimpl"),
]


@pytest.fixture
def check(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], list[str]]:
    """Check a plugin that is given as text."""
    monkeypatch.syspath_prepend(str(tmp_path))

    def run(source: str) -> list[str]:
        (tmp_path / "checked_sample.py").write_text(source, "utf-8")
        monkeypatch.delitem(sys.modules, "checked_sample", raising=False)
        importlib.invalidate_caches()
        return plugin_problems("checked_sample")

    return run


def test_a_sound_plugin_passes(check: Callable[[str], list[str]]) -> None:
    assert check(SOUND) == []
    check_plugin("checked_sample")


@pytest.mark.parametrize(("old", "new", "says"), CHANGES, ids=[says[-30:] for _, _, says in CHANGES])
def test_what_is_wrong_is_said(check: Callable[[str], list[str]], old: str, new: str, says: str) -> None:
    assert old in SOUND
    assert [problem for problem in check(SOUND.replace(old, new)) if says in problem] != []


def test_every_problem_is_in_the_one_error(check: Callable[[str], list[str]]) -> None:
    found = check(SOUND.replace("a: The number", "b: The number").replace("@tool(", "@tool(name='Double', "))
    with pytest.raises(AssertionError) as raised:
        check_plugin("checked_sample")
    assert len(found) == 2
    assert all(problem in str(raised.value) for problem in found)


def test_a_plugin_may_be_a_module_without_a_file() -> None:
    module = ModuleType("listens")
    vars(module)["on_event"] = hookimpl(lambda event: None)
    check_plugin(module)


def test_the_fixture_finds_no_plugin_and_reads_nothing_of_the_users(isolated: Ares, ares_home: Path) -> None:
    assert isolated.registry.list_tool_names() == []
    assert os.environ["HOME"] == str(ares_home)
    assert [name for name in os.environ if name.startswith("ARES_")] == []
    assert os.environ["XDG_STATE_HOME"].startswith(str(ares_home))


OUTSIDE = """
def test_it(ares, ares_home):
    def add(a: int, b: int) -> int:
        "Add."
        return a + b
    ares.register(add)
    assert ares.call_sync("add", {"a": 2, "b": "3"}).data == 5
"""


def test_the_fixture_is_a_pytest_plugin_that_imports_little(tmp_path: Path) -> None:
    (tmp_path / "test_it.py").write_text(OUTSIDE, "utf-8")
    environment = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "ARES_LIMITS__TIMEOUT": "nonsense"}
    environment.pop("PYTEST_ADDOPTS", None)
    ran = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "ares_core.testing", "-q", f"--basetemp={tmp_path}/temp", str(tmp_path)],
        capture_output=True, text=True, check=False, timeout=240, env=environment, cwd=tmp_path,
    )  # fmt: skip
    assert "1 passed" in ran.stdout
    code = "import sys, ares_core.testing; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=240)
    heavy = {"ares_core.app", "ares_core.testing.recorder", "ares_core.testing.checks", "asyncio", "pydantic", "click"}
    assert heavy & set(loaded.stdout.split()) == set()


class World:
    """A plugin whose tools reach a world that counts how often it was reached."""

    def __init__(self) -> None:
        self.reached: list[dict[str, Any]] = []

    @hookimpl
    def register_tools(self) -> list[Tool]:
        secret = {"type": "object", "properties": {"q": {}, "pin": {"type": "string", "writeOnly": True}}}
        return [
            Tool("look", "Look something up.", secret, self.look, effects=READS),
            Tool("look_twice", "Look two things up.", {}, self.look_twice, effects=READS),
        ]

    def look(self, arguments: Any, context: ToolContext) -> Any:
        self.reached.append(dict(arguments))
        if arguments["q"] == "nothing":
            raise ToolError("there is nothing", hint="ask for something", retriable=True, blame="world")
        if arguments["q"] == "bug":
            raise KeyError("bug")
        return {"found": arguments["q"], "times": len(self.reached)}

    async def look_twice(self, arguments: Any, context: ToolContext) -> Any:
        return [(await context.call_tool("look", {"q": q})).data for q in ("a", "b")]


def recorded(path: Path, *calls: ToolCall, mode: Any = "record") -> tuple[World, list[Any]]:
    world = World()
    with Ares(plugins=[world]) as ares, Recorder(path, mode) as recorder:
        ares.add(recorder)
        results = [ares.call_sync(call) for call in calls]
    return world, [(result.success, result.data, result.error, result.text) for result in results]


def look(q: str, **more: str) -> ToolCall:
    return ToolCall("look", {"q": q, **more})


def test_what_was_recorded_is_replayed_without_reaching_the_world(tmp_path: Path) -> None:
    calls = [look("a"), look("b"), look("a"), look("nothing"), look("bug"), ToolCall("look_twice")]
    world, before = recorded(tmp_path / "world.json", *calls)
    assert len(world.reached) == 9  # the retriable failure was tried three times
    world, after = recorded(tmp_path / "world.json", *calls, mode="replay")
    assert world.reached == []
    assert after == before
    assert [data["times"] for _, data, _, _ in after[:3]] == [1, 2, 3]


def test_calls_that_a_recorded_tool_makes_belong_to_its_result(tmp_path: Path) -> None:
    recorded(tmp_path / "world.json", ToolCall("look_twice"))
    kept = json.loads((tmp_path / "world.json").read_text("utf-8"))["calls"]
    assert [entry["tool"] for entry in kept] == ["look_twice"]


def test_a_call_that_was_not_recorded_is_a_loud_miss_with_the_difference(tmp_path: Path) -> None:
    recorded(tmp_path / "world.json", look("a"), look("something else"))
    with pytest.raises(AssertionError) as raised:
        recorded(tmp_path / "world.json", look("an"), mode="replay")
    text = str(raised.value)
    assert 'look {"q": "an"}' in text
    assert '- "q": "a"' in text
    assert '+ "q": "an"' in text


def test_a_call_made_more_often_than_recorded_is_a_miss(tmp_path: Path) -> None:
    recorded(tmp_path / "world.json", look("a"))
    with pytest.raises(AssertionError, match="fewer times"):
        recorded(tmp_path / "world.json", look("a"), look("a"), mode="replay")


def test_a_miss_is_told_beside_the_error_that_the_test_raised_itself(tmp_path: Path) -> None:
    recorded(tmp_path / "world.json", look("a"))

    def test() -> None:
        with Recorder(tmp_path / "world.json") as recorder, Ares(plugins=[World(), recorder]) as ares:
            ares.call_sync(look("b"))
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError) as raised:
        test()
    assert any("not recorded" in note for note in raised.value.__notes__)


def test_strict_wants_every_recorded_call(tmp_path: Path) -> None:
    recorded(tmp_path / "world.json", look("a"), look("b"))
    recorded(tmp_path / "world.json", look("b"), look("a"), mode="strict")
    with pytest.raises(AssertionError, match="but not called: look"):
        recorded(tmp_path / "world.json", look("a"), mode="strict")
    recorded(tmp_path / "world.json", look("a"), mode="replay")


def test_secrets_do_not_reach_the_file_and_replay_all_the_same(tmp_path: Path) -> None:
    calls = [look("Bearer abcdef123456"), look("x", pin="9876-5432")]
    recorded(tmp_path / "world.json", *calls)
    text = (tmp_path / "world.json").read_text("utf-8")
    assert "abcdef123456" not in text
    assert "9876-5432" not in text
    world, _ = recorded(tmp_path / "world.json", *calls, mode="strict")
    assert world.reached == []


def test_the_file_is_the_same_for_the_same_calls_and_can_be_read(tmp_path: Path) -> None:
    for name in ("one.json", "two.json"):
        recorded(tmp_path / name, look("é"))
    assert (tmp_path / "one.json").read_bytes() == (tmp_path / "two.json").read_bytes()
    assert '"q": "é"' in (tmp_path / "one.json").read_text("utf-8")


@pytest.mark.parametrize("text", [None, "{", "[]", '{"calls": [1]}'], ids=["missing", "cut", "no_object", "no_calls"])
def test_a_file_that_is_no_recording_says_how_to_make_one(tmp_path: Path, text: str | None) -> None:
    if text is not None:
        (tmp_path / "world.json").write_text(text, "utf-8")
    with pytest.raises(UsageError, match="mode='record'"):
        Recorder(tmp_path / "world.json")


def test_only_the_named_tools_are_recorded(tmp_path: Path) -> None:
    with Ares(plugins=[World()]) as ares, Recorder(tmp_path / "world.json", "record", tools=("look",)) as recorder:
        ares.add(recorder)
        ares.call_sync("look_twice")
    kept = json.loads((tmp_path / "world.json").read_text("utf-8"))["calls"]
    assert [entry["arguments"] for entry in kept] == [{"q": "a"}, {"q": "b"}]


def test_faults_let_tools_fail_without_reaching_the_world(isolated: Ares) -> None:
    world = World()
    isolated.add(world)
    isolated.add(Faults(timeout=["look"], error=["look_twice"]))
    errors = [isolated.call_sync(call).error for call in (look("a"), ToolCall("look_twice"))]
    assert [error.code for error in errors if error] == ["timeout", "tool_error"]
    assert [error.blame for error in errors if error] == ["tool", "world"]
    assert world.reached == []

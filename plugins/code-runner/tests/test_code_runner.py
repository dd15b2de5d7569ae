"""The tool itself: who may use it, what it takes, what it gives, and what it says where it can't work."""

from __future__ import annotations

import asyncio
import os
import secrets
from collections.abc import Callable
from pathlib import Path
from typing import Any

import ares_plugin_code_runner
import pytest
from ares_plugin_code_runner import isolated
from ares_plugin_code_runner.jail import landlock, seccomp
from ares_plugin_code_runner.values import plain
from hypothesis import given
from hypothesis import strategies as st

from ares_core import Ares, ConfigError, ToolCall
from ares_core.testing import check_plugin

PRINTS = {"language": "python", "code": "print(6 * 7)"}
CPYTHON = {**PRINTS, "engine": "cpython"}


def allowed(**section: Any) -> Any:
    return Ares(plugins=["code-runner"], config={"code_runner": {"enabled": True, **section}})


def test_the_plugin_is_one() -> None:
    check_plugin(ares_plugin_code_runner)


def test_it_is_listed_and_denies_every_call_until_the_operator_allows_it(ares: Any) -> None:
    ares.add("ares_plugin_code_runner")
    assert "code_runner" in ares.registry.list_tool_names()
    for arguments in (PRINTS, CPYTHON, {"language": "javascript", "code": "1"}):
        result = ares.call_sync("code_runner", arguments)
        assert result.error.code == "denied"
        assert "code_runner.enabled: true" in result.text
        assert "Not executed" in result.text


def test_one_ares_that_allows_it_opens_no_other(strict: Any, ares: Any) -> None:
    ares.add("ares_plugin_code_runner")
    assert strict.call_sync("code_runner", PRINTS).success
    assert ares.call_sync("code_runner", PRINTS).error.code == "denied"


@pytest.mark.parametrize(
    "section", [{"enabled": "perhaps"}, {"enabled": True, "second": 5}, {"seconds": 0}, {"engine": "sh"}]
)
def test_a_wrong_section_is_a_configuration_error_that_names_the_key(section: dict[str, Any]) -> None:
    with pytest.raises(ConfigError, match=rf"^code_runner\.{[*section][-1]} in the config argument: "):
        Ares(plugins=["code-runner"], config={"code_runner": section})


@pytest.mark.parametrize(
    "arguments",
    [
        {}, {"language": "python"}, {"code": "1"}, {"language": "python", "code": ""},
        {"language": "python", "code": None},
        {"language": "sh", "code": "ls"}, {"language": "", "code": "1"}, {"language": ["python", "sh"], "code": "1"},
        {"language": "python", "code": {"a": 1}}, {"language": "python", "code": "1" * 50_001},
        {"language": "python", "code": "1", "engine": "bash"}, {"language": "python", "code": "1", "timeout": 999},
    ],
)  # fmt: skip
def test_wrong_arguments_run_nothing(strict: Any, arguments: dict[str, Any]) -> None:
    result = strict.call_sync("code_runner", arguments)
    assert result.error.code == "invalid_arguments"
    assert result.error.issues
    assert "Not executed" in result.text


@pytest.mark.parametrize(
    ("language", "engine"), [("javascript", "monty"), ("javascript", "cpython"), ("python", "node")]
)
def test_an_engine_of_another_language_is_refused(strict: Any, language: str, engine: str) -> None:
    result = strict.call_sync("code_runner", {"language": language, "code": "1", "engine": engine})
    assert f"the engine {engine} does not run {language}" in result.error.message
    assert "Nothing was run" in result.error.message


@pytest.mark.parametrize("code", ["\0", "\ud800", "print('\u202e')", "\r\n\r\n", "#" * 50_000, "\ufeff6 * 7", "é = 1"])
@pytest.mark.parametrize("engine", ["monty", "cpython"])
def test_strange_text_is_run_or_refused_by_the_interpreter(run: Any, engine: str, code: str) -> None:
    result = run(engine, code)
    assert result is None or result.success or result.error.message


def test_the_examples_run(runner: Any, walled: dict[str, bool]) -> None:
    engines = ["monty", "cpython", "node"]
    for engine, example in zip(engines, runner.registry.get("code_runner").examples, strict=True):
        assert runner.call_sync("code_runner", example).success is walled[engine]


def test_the_effects_are_cautious(runner: Any) -> None:
    effects = runner.registry.get("code_runner").effects
    assert (effects.read_only, effects.idempotent, effects.open_world) == (False, False, False)


def test_a_model_reads_the_value_the_output_and_who_ran_it(runner: Any) -> None:
    result = runner.call_sync("code_runner", {"language": "python", "code": "print('hello')\n6 * 7"})
    assert result.text.startswith("value: 42\nstdout:\nhello\n(monty, ")
    assert result.data["duration_ms"] > 0


def test_a_model_is_told_when_nothing_was_printed(runner: Any) -> None:
    assert "print what is to be seen" in runner.call_sync("code_runner", {"language": "python", "code": "x = 1"}).text


def test_a_failure_keeps_what_was_printed(run: Any) -> None:
    result = run("cpython", "import sys\nprint('out')\nprint('err', file=sys.stderr)\nsys.exit(3)")
    if result is not None:
        assert result.error.message == "The code ended with exit code 3: err."
        assert (result.data["stdout"], result.data["stderr"], result.data["exit_code"]) == ("out\n", "err\n", 3)
        assert "out" in result.text


def test_long_output_is_cut_and_says_so(run: Any) -> None:
    for engine in ("monty", "cpython"):
        result = run(engine, "for n in range(2000): print('é' * 50)")
        if result is not None:
            assert result.success
            assert result.data["truncated"]["stdout"] is True
            assert 60_000 < len(result.data["stdout"].encode()) <= 65_536
            assert "only the beginning of stdout" in result.text


def test_what_was_printed_before_the_deadline_comes_back(walled: dict[str, bool]) -> None:
    with allowed(seconds=3) as ares:
        result = ares.call_sync("code_runner", {**CPYTHON, "code": "print('so far')\nwhile True: pass"})
    if walled["cpython"]:
        assert result.data["stdout"] == "so far\n"
        assert "stopped after 3 s" in result.error.message
    assert not result.success


def test_the_deadline_of_the_call_counts_too(runner: Any, walled: dict[str, bool]) -> None:
    for engine in ("monty", "cpython"):
        call = ToolCall("code_runner", {**PRINTS, "code": "while True: pass", "engine": engine}, timeout=1)
        assert not runner.call_sync(call).success


def test_a_cancelled_call_stops_its_code(
    runner: Any, walled: dict[str, bool], is_running: Callable[[str], bool]
) -> None:
    name = secrets.token_hex(7)
    code = f"import ctypes; ctypes.CDLL(None).prctl(15, b'{name}', 0, 0, 0)\nwhile True: pass"

    async def seen(expected: bool) -> bool:
        for _ in range(6_000):
            if is_running(name) is expected:
                break
            await asyncio.sleep(0.01)
        return is_running(name)

    async def cancel() -> bool:
        task = asyncio.ensure_future(runner.call("code_runner", {**CPYTHON, "code": code}))
        was_seen = await seen(walled["cpython"])
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        return was_seen and not await seen(False)

    assert asyncio.run(cancel()) is walled["cpython"]


def test_limits_come_from_the_configuration() -> None:
    with allowed(seconds="0.3") as ares:
        slow = ares.call_sync("code_runner", {"language": "python", "code": "while True: pass"})
    with allowed(seconds=8, output_kb=1) as ares:
        loud = ares.call_sync("code_runner", {"language": "python", "code": "print('x' * 5000)"})
    assert "stopped after 0.3 s" in slow.error.message
    assert len(loud.data["stdout"]) == 1024


def test_the_engine_may_be_chosen_by_the_operator(walled: dict[str, bool]) -> None:
    with allowed(engine="cpython", seconds=8) as ares:
        result = ares.call_sync("code_runner", PRINTS)
    assert result.data["engine"] == "cpython" if walled["cpython"] else not result.success


def test_without_the_system_for_it_nothing_is_run(strict: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(isolated, "MACHINES", ())
    for arguments in (CPYTHON, {"language": "javascript", "code": "1"}):
        result = strict.call_sync("code_runner", arguments)
        assert "runs only behind walls of the operating system" in result.error.message
        assert "Linux on x86-64 or 64-bit ARM" in result.error.message
        assert "Nothing was run" in result.error.message


def test_without_node_javascript_is_refused(strict: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    result = strict.call_sync("code_runner", {"language": "javascript", "code": "1"})
    assert "no program 'node' is on the search path" in result.error.message


def test_without_bubblewrap_who_insists_on_it_is_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with allowed(isolation="bubblewrap") as ares:
        result = ares.call_sync("code_runner", CPYTHON)
    assert "no program 'bwrap' is on the search path" in result.error.message
    assert "nothing was run" in result.error.message


@pytest.mark.parametrize("isolation", ["auto", "bubblewrap", "namespaces"])
def test_a_bubblewrap_that_fails_is_passed_over_or_named(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, walled: dict[str, bool], isolation: str
) -> None:
    fake = tmp_path / "bwrap"
    fake.write_text("#!/bin/sh\necho 'bwrap: setting up uid map: Permission denied' >&2\nexit 1\n")
    fake.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    with allowed(isolation=isolation, seconds=8) as ares:
        result = ares.call_sync("code_runner", CPYTHON)
    if isolation == "bubblewrap":
        assert "bubblewrap: bwrap: setting up uid map: Permission denied" in result.error.message
    else:
        assert result.success is walled["cpython"]


def test_walls_that_do_not_stand_let_nothing_run(strict: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    broken = isolated.START.replace(
        "main()", "from ares_plugin_code_runner.jail import seccomp; seccomp.FILTER = 99; main()"
    )
    monkeypatch.setattr(isolated, "START", broken)
    result = strict.call_sync("code_runner", CPYTHON)
    assert result.data is None
    assert "Nothing was run" in result.error.message


def test_an_interpreter_that_can_not_be_started_is_named(
    strict: Any, walled: dict[str, bool], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    broken = tmp_path / "node"
    broken.write_text("#!/nowhere/at/all\n")
    broken.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    result = strict.call_sync("code_runner", {"language": "javascript", "code": "1"})
    assert result.data is None
    assert "Nothing was run" in result.error.message


def test_the_filter_can_be_written_for_both_machines() -> None:
    assert {len(seccomp._program(machine)) % 8 for machine in seccomp.MACHINES} == {0}
    assert landlock.version() >= 0


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text() | st.floats(allow_nan=False, allow_infinity=False),
        st.lists,
    )
)
def test_plain_values_come_back_as_they_are(value: Any) -> None:
    assert plain(value) == (value, False)


def test_a_shared_value_is_written_once_round() -> None:
    shared: list[Any] = [0] * 1000
    for _ in range(6):
        shared = [shared] * 1000
    assert plain(shared)[1] is True

"""Wrong input for every builtin tool: whatever is missing, of the wrong type, empty, huge or hostile does no harm."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ares_core import Ares, Result, Tool

ROOT = Path(__file__).parents[2]
PLUGINS = sorted(path.parent.name for path in ROOT.glob("plugins/*/pyproject.toml"))
ELSEWHERE = {"url": "http://127.0.0.1:9/"}
"""What stands in for addresses of the examples, so that no test leaves this machine."""
HUGE: tuple[Any, ...] = ("x" * 2_000_000, 10**400, -(10**40), ["x"] * 50_000, {str(n): n for n in range(20_000)})
HOSTILE: tuple[Any, ...] = (
    "../../etc/passwd", "/dev/zero", "a\x00b", "http://169.254.169.254/", "file:///etc/passwd", "'; rm -rf / #",
    "{{7*7}}${jndi:ldap://x}", "(a+)+$", "\ud800", "\u202e", "-1e999", "__import__('os')", "9**9**9**9",
    float("nan"), float("inf"), {"__proto__": {"a": 1}}, [[[[[[[[]]]]]]]], {"$ref": "file:///etc/passwd"},
)  # fmt: skip
ODD: dict[str, Any] = {
    "string": {"a": [None]},
    "integer": "many",
    "number": [{}],
    "boolean": "perhaps",
    "array": {"a": 1},
}
REFUSALS = {"invalid_arguments", "malformed_arguments", "missing_input"}


@pytest.fixture(scope="module")
def everything(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Ares, Path]]:
    folder = tmp_path_factory.mktemp("work")
    (folder / "note.txt").write_text("hello")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_STATE_HOME", str(tmp_path_factory.mktemp("state")))
        with Ares(plugins=PLUGINS, config={"tools": {"file_sandbox_dir": str(folder)}}) as ares:
            yield ares, folder


def tools() -> dict[str, Tool]:
    with Ares(plugins=PLUGINS) as ares:
        return ares.tools()


TOOLS = tools()
PARAMETERS = [(name, parameter) for name, tool in TOOLS.items() for parameter in tool.parameters["properties"]]


def good(name: str) -> dict[str, Any]:
    """Arguments that the tool takes."""
    example = dict(TOOLS[name].examples[0])
    return {key: ELSEWHERE.get(key, value) for key, value in example.items()}


def takes_null(name: str, parameter: str) -> bool:
    """Whether ``null`` is a value that the schema allows there; the tool may still say that it is none of its own."""
    return "null" in str(TOOLS[name].parameters["properties"][parameter].get("type", "null"))


def call(ares: Ares, folder: Path, name: str, arguments: Any) -> Result:
    """Call, and look at what must hold whatever was given."""
    before = sorted((path.name, path.stat().st_size) for path in folder.rglob("*"))
    since = time.monotonic()
    result = ares.call_sync(name, arguments, timeout=60)
    assert time.monotonic() - since < 60
    assert len(result.text) < 100_000
    if result.error is not None:
        assert result.error.code not in ("internal_error", "timeout", "unknown_tool"), result.text
        assert len(result.error.message.split()) > 3
        assert sorted((path.name, path.stat().st_size) for path in folder.rglob("*")) == before
    return result


@pytest.mark.parametrize("name", TOOLS)
def test_a_required_parameter_that_is_missing_or_null_is_named(name: str, everything: tuple[Ares, Path]) -> None:
    for parameter in TOOLS[name].parameters.get("required", []):
        without = {key: value for key, value in good(name).items() if key != parameter}
        for arguments in (without, {**without, parameter: None}):
            result = call(*everything, name, arguments)
            if parameter in arguments and takes_null(name, parameter):
                continue
            assert result.error is not None
            assert result.error.code in REFUSALS
            assert parameter in result.text


@pytest.mark.parametrize(("name", "parameter"), PARAMETERS)
def test_a_value_of_the_wrong_type_is_refused_before_anything_runs(
    name: str, parameter: str, everything: tuple[Ares, Path]
) -> None:
    kind = TOOLS[name].parameters["properties"][parameter].get("type")
    wrong = ODD.get(str(kind), object())  # where any value fits, one that JSON doesn't have
    result = call(*everything, name, {**good(name), parameter: wrong})
    assert result.error is not None
    assert result.error.code in REFUSALS
    assert "Not executed" in result.text
    assert parameter in result.text


@pytest.mark.parametrize(("name", "parameter"), PARAMETERS)
def test_empty_huge_and_hostile_values_give_a_sentence_or_an_answer(
    name: str, parameter: str, everything: tuple[Ares, Path]
) -> None:
    for value in ("", "   ", [], {}, 0, -1, *HUGE, *HOSTILE):
        call(*everything, name, {**good(name), parameter: value})


@pytest.mark.parametrize("name", TOOLS)
def test_arguments_that_are_no_object_or_have_one_too_many_are_refused(
    name: str, everything: tuple[Ares, Path]
) -> None:
    for arguments in ("[1, 2]", "not json at all {", '"text', {**good(name), "nonsense_": 1}, "{" * 10_000):
        result = call(*everything, name, arguments)
        assert result.error is not None
        assert "Not executed" in result.text

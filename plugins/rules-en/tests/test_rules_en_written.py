"""What "it" means after a file was written."""

from __future__ import annotations

from typing import Any

import pytest

from ares_core import Ares, ExecutionPlan

PLUGINS = ["rules-en", "rules-zh", "files", "hash", "strings"]
WRITE = ("file_tools", {"operation": "write", "path": "a.txt", "content": "hi"}, ())
READ = ("file_tools", {"operation": "read", "path": "a.txt"}, ("s1",))
COPY = ("file_tools", {"operation": "copy", "path": "a.txt", "destination": "b.txt"})
PLANS: dict[str, list[tuple[str, dict[str, Any], tuple[str, ...]]]] = {
    "write 'hi' to a.txt then read it": [WRITE, READ],
    "write 'hi' to a.txt and read it back": [WRITE, READ],
    "create a.txt with 'hi', then show its contents": [WRITE, READ],
    "把“hi”写入a.txt，然后读取它": [WRITE, READ],
    "write 'hi' to a.txt, then copy it to b.txt, then read it": [
        WRITE,
        (*COPY, ("s1",)),
        ("file_tools", {"operation": "read", "path": "b.txt"}, ("s2",)),
    ],
    "write 'hi' to a.txt, then sha256 it": [WRITE, ("hash_tool", {"operation": "sha256", "input": "hi"}, ("s1",))],
    "把“hi”写入a.txt，然后计算它的md5": [WRITE, ("hash_tool", {"operation": "md5", "input": "hi"}, ("s1",))],
}


def plan(request: str) -> ExecutionPlan:
    with Ares(plugins=PLUGINS) as ares:
        return ares.plan(request)


@pytest.mark.parametrize(("request_", "steps"), PLANS.items())
def test_it_is_the_file_or_what_was_written_to_it(
    request_: str, steps: list[tuple[str, dict[str, Any], tuple[str, ...]]]
) -> None:
    assert [(step.tool, step.arguments, step.depends_on) for step in plan(request_).steps] == steps


def test_a_copy_or_an_appended_line_is_no_text_to_go_on_with() -> None:
    for request in ("copy a.txt to b.txt, then sha256 it", "append 'x' to a.txt, then sha256 it"):
        error = plan(request).error
        assert error is not None
        assert error.code == "missing_input"


@pytest.mark.parametrize("request_", ["print the sum", "show the total", "show me the result"])
def test_what_a_step_before_worked_out_is_not_read_from_the_file(request_: str) -> None:
    assert not any(
        step.arguments.get("operation") == "read" for step in plan(f"write 'hi' to a.txt and {request_}").steps
    )


@pytest.mark.parametrize(
    "request_",
    ["5 + 3, in m/s", "in km/h", "ls it", "ls -la", "show no folder", "list files in linux", "reverse stock split",
     "sha256 certificate error", "count words in selected text"],
)  # fmt: skip
def test_what_is_no_folder_and_no_text_is_not_taken_for_one(request_: str) -> None:
    assert plan(request_).steps == ()

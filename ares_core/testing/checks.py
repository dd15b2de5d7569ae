"""What every plugin should stand, checked; each check gives sentences about what is wrong."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from types import ModuleType
from typing import Any

from ares_core.app import Ares
from ares_core.call.prepare import prepare
from ares_core.call.refusal import Refused
from ares_core.calls import Effects, Failure, Result, ToolCall
from ares_core.table import Entry
from ares_core.testing.annotations import annotation_problems
from ares_core.tools import Tool

NAME = re.compile(r"[a-z][a-z0-9_]{0,63}")
SLOWEST_MS = 250
TRIES = 6
UNDECLARED = Tool("unnamed", "", {}, lambda arguments, context: None).effects
FAILED = Result(False, error=Failure("tool_error", "It failed.", blame="tool"), text="It failed.")


def problems_of(plugin: str | ModuleType | Any) -> Iterator[str]:
    """Load a plugin into an ``Ares`` of its own, and give all that is wrong with it."""
    with Ares(plugins=[]) as ares:
        name = ares.add(plugin)
        row = ares.plugins.row(name)
        if row is None or row.state != "loaded":
            yield row.reason if row and row.reason else f"{plugin!r} can't be loaded"
            return
        yield from row.notes
        module = sys.modules.get(row.module or "") or plugin
        yield from annotation_problems(module)
        yield from import_problems(module)
        for tool_name in ares.registry.list_tool_names():
            entry = ares.table.view.entries[tool_name]
            yield from tool_problems(entry)
            yield from example_problems(ares, entry)


def import_problems(module: Any) -> Iterator[str]:
    """Look at what a module imports and how long that takes; what is no module in a file has nothing to look at."""
    file = getattr(module, "__file__", None)
    if not isinstance(module, ModuleType) or not file:
        return
    for path in _sources(file):
        yield from _inner_imports(path)
    spent = _import_ms(module.__name__)
    if spent > SLOWEST_MS:
        yield (
            f"importing {module.__name__} takes {spent:.0f} ms; import what is heavy inside the functions that need it"
        )


def _sources(file: str) -> Iterator[str]:
    if os.path.basename(file) != "__init__.py":
        yield file
        return
    for folder, _, names in os.walk(os.path.dirname(file)):
        yield from (os.path.join(folder, name) for name in sorted(names) if name.endswith(".py"))


def _inner_imports(path: str) -> Iterator[str]:
    with open(path, encoding="utf-8") as source:
        tree = ast.parse(source.read())
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            named = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and not node.level:
            named = [node.module or ""]
        else:
            continue
        for name in named:
            if name.startswith("ares_core."):
                at = f"{os.path.basename(path)}, line {node.lineno}"
                yield f"{at}: imports {name}; import from ares_core, nothing inside it is promised to stay"


def _import_ms(module: str) -> float:
    """Measure the import in a process of its own, over ``ares_core``.

    A slow one is measured again: twice if it works for so long, more often if it waits, perhaps for a busy machine.
    """
    code = (
        "import sys, time; from time import perf_counter as clock, process_time as work; "
        f"sys.path[:] = {sys.path!r}; import ares_core; at, done = clock(), work(); import {module}; "
        "print((clock() - at) * 1000, (work() - done) * 1000, file=sys.stderr)"
    )
    best, worked = float("inf"), 0
    for _ in range(TRIES):
        command = [sys.executable, "-c", code]
        run = subprocess.run(command, capture_output=True, text=True, check=False, timeout=240)
        spent, work = map(float, run.stderr.split()[-2:]) if run.returncode == 0 else (0.0, 0.0)
        best, worked = min(best, spent), worked + (work > SLOWEST_MS)
        if best <= SLOWEST_MS or worked == 2:
            break
    return best


def tool_problems(entry: Entry) -> Iterator[str]:
    """Look at what a tool says of itself."""
    tool = entry.tool
    if not NAME.fullmatch(tool.name):
        yield f"tool {tool.name!r}: a name has up to 64 letters a-z, digits and '_', a letter first"
    if not tool.description.strip():
        yield f"tool {tool.name!r} has no description; write a docstring"
    if tool.effects is UNDECLARED:
        yield f"tool {tool.name!r} doesn't say what it does to the world; give effects=Effects(read_only=True, …)"
    for name, schema in tool.parameters.get("properties", {}).items():
        if not (isinstance(schema, Mapping) and str(schema.get("description", "")).strip()):
            yield f"tool {tool.name!r}: argument {name!r} has no description; describe it under Args: in the docstring"


def example_problems(ares: Ares, entry: Entry) -> Iterator[str]:
    """Put a tool's examples to its schema, run those that do no harm, and have the outcomes written."""
    tool = entry.tool
    yield from _formatter_problems(ares, entry, FAILED)
    for number, example in enumerate(tool.examples, 1):
        what = f"tool {tool.name!r}, example {number}"
        try:
            _, edits = prepare(tool.name, entry.checker, dict(example))
        except Refused as refused:
            yield f"{what} doesn't fit the schema: {'; '.join(map(str, refused.failure.issues))}"
            continue
        repaired = [edit.pointer for edit in edits if edit.rule != "default"]
        if repaired:
            yield f"{what} fits the schema only after repair of {', '.join(repaired)}"
        elif _does_no_harm(tool, example):
            yield from _outcome_problems(ares, entry, example, what)


def _outcome_problems(ares: Ares, entry: Entry, example: Mapping[str, Any], what: str) -> Iterator[str]:
    result = ares.call_sync(ToolCall(entry.tool.name, example))
    error = result.error
    if error is not None and (error.code == "internal_error" or error.blame == "tool"):
        yield f"{what} fails: {error.message}"
    yield from _formatter_problems(ares, entry, result)


def _formatter_problems(ares: Ares, entry: Entry, result: Result) -> Iterator[str]:
    for _, formatter in ares.hooks.formatters(entry.tool.name, entry.owner):
        try:
            text = formatter(result)
        except Exception as error:
            kind = "what an example gave" if result.success else "a failed result"
            yield f"tool {entry.tool.name!r}: format_result raises {type(error).__name__}: {error} for {kind}"
            continue
        if text is not None and not isinstance(text, str):
            yield f"tool {entry.tool.name!r}: format_result gives {text!r:.60}, which is no text"


def _does_no_harm(tool: Tool, example: Mapping[str, Any]) -> bool:
    effects = tool.effects if isinstance(tool.effects, Effects) else tool.effects(example)
    return effects.read_only and not effects.open_world and not effects.interactive

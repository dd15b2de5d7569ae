"""From the arguments of a call to its result."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

from ares_core import Failure, Result, ToolContext, ToolError
from ares_plugin_code_runner.ran import Ran, Terms
from ares_plugin_code_runner.settings import Settings

ENGINES = {"python": ("monty", "cpython"), "javascript": ("node",)}
MARGIN = 0.2
"""Seconds before the deadline of the call at which a run ends, so that its result still counts."""


def run(arguments: Mapping[str, Any], context: ToolContext, settings: Settings) -> Result:
    """Run the snippet; one that fails gives a failed result that still holds what it printed."""
    engine = _engine(arguments, settings)
    started = time.monotonic()
    latest = started + max(0.0, context.remaining - MARGIN)
    terms = Terms(min(settings.seconds, latest - started), latest, settings.output_kb * 1024, lambda: context.cancelled)
    if engine == "monty":
        from ares_plugin_code_runner import monty

        ran = monty.run(arguments["code"], terms, settings)
    else:
        from ares_plugin_code_runner import isolated

        ran = isolated.run(engine, arguments["code"], terms, settings)
    return _result(arguments["language"], ran, round((time.monotonic() - started) * 1000, 1))


def _engine(arguments: Mapping[str, Any], settings: Settings) -> str:
    language = arguments["language"]
    known = ENGINES[language]
    engine: str = arguments.get("engine") or (settings.engine if language == "python" else known[0])
    if engine not in known:
        raise ToolError(
            f"the engine {engine} does not run {language}; it is run by {' or '.join(known)}. Nothing was run.",
            hint="Leave 'engine' out.",
            blame="input",
        )
    return engine


def _result(language: str, ran: Ran, duration_ms: float) -> Result:
    data: dict[str, Any] = {"language": language, "engine": ran.engine, "isolation": list(ran.isolation)}
    data |= {"stdout": ran.stdout, "stderr": ran.stderr, "truncated": ran.is_cut, "duration_ms": duration_ms}
    data |= {"value": ran.value} if ran.engine == "monty" else {"exit_code": ran.exit_code}
    if not ran.failure:
        return Result(True, data)
    message = ". ".join(part.rstrip(".") for part in (ran.failure, ran.hint) if part) + "."
    return Result(False, data, Failure("tool_error", message, blame="input"))


__all__ = ["ENGINES", "run"]

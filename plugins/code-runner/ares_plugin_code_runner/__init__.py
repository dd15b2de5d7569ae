"""The tool ``code_runner``: snippets of Python and JavaScript, run behind walls, when the operator allows it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ares_core import Capability, Deny, Effects, Layer, Result, Tool, ToolCall, ToolContext, hookimpl
from ares_plugin_code_runner.settings import Settings

if TYPE_CHECKING:
    from ares_core import Host

TOOL = "code_runner"
LONGEST_CODE = 50_000
USUAL = 20.0
"""Seconds that a snippet may have within the deadline that calls have anyway."""
MARGIN = 5.0
"""Seconds of the call's own deadline over those that the snippet has."""
PARAMETERS: dict[str, Any] = {
    "type": "object",
    "properties": {
        "language": {"type": "string", "enum": ["python", "javascript"], "description": "The language of the code."},
        "code": {
            "type": "string",
            "minLength": 1,
            "maxLength": LONGEST_CODE,
            "description": "The whole program. Print what is to be seen; with the engine monty the value of the last "
            "expression comes back too.",
        },
        "engine": {
            "type": "string",
            "enum": ["monty", "cpython", "node"],
            "description": "What runs it; leave it out. For Python: monty (quick, a part of the language, no classes "
            "that inherit, few modules) or cpython (the whole language with its standard library, where the system "
            "can wall it in). For JavaScript: node.",
        },
    },
    "required": ["language", "code"],
    "additionalProperties": False,
}
EXAMPLES = (
    {"language": "python", "code": "sum(n * n for n in range(1, 11))"},
    {"language": "python", "code": "import statistics\nprint(statistics.median([3, 1, 2]))", "engine": "cpython"},
    {"language": "javascript", "code": "console.log([3, 1, 2].sort())"},
)
DISABLED = "running code is switched off; the operator can allow it with code_runner.enabled: true in the configuration"


@hookimpl
def configuration() -> type[Settings]:
    """Check the section ``code_runner``."""
    return Settings


@hookimpl
def register_tools(host: Host) -> list[Tool]:
    """Bring ``code_runner``, whether it is allowed or not."""
    return [
        Tool(
            TOOL,
            "Run a snippet of Python or JavaScript and give what it prints. It has no network, no files but an empty "
            "folder of its own, no other processes, little memory and little time; nothing is left of it afterwards.",
            PARAMETERS,
            lambda arguments, context: _run(arguments, context, host.config),
            capabilities=("CodeExecution",),
            effects=Effects(open_world=False),
            timeout=host.config.seconds + MARGIN if host.config.seconds > USUAL else None,
            examples=EXAMPLES,
            cost=10,
            latency_ms=100,
            deterministic=True,
            max_concurrency=4,
        )
    ]


def _run(arguments: Mapping[str, Any], context: ToolContext, settings: Settings) -> Result:
    from ares_plugin_code_runner.running import run

    return run(arguments, context, settings)


@hookimpl
def declare_capabilities() -> list[Capability]:
    """Declare the running of code: from code to what it prints."""
    english = ("code", "run code", "execute code", "python", "javascript", "script")
    chinese = ("代码", "脚本", "运行代码", "执行代码")
    return [Capability("CodeExecution", aliases=(*english, *chinese), inputs=("Code",), outputs=("Text",))]


@hookimpl
def register_middleware(host: Host) -> list[Layer]:
    """Deny every call until the configuration of this very ``Ares`` allows it.

    ``pre_tool_call`` would be the shorter way, but it is not given the host, and two of them may differ.
    """

    async def gate(call: ToolCall) -> Deny | None:
        return None if host.config.enabled else Deny(DISABLED)

    return [Layer("code-runner", "tool_request", gate, tools=(TOOL,))]


@hookimpl
def format_result(result: Result) -> str | None:
    """Write the value, what was printed, and what was cut, also of a run that failed."""
    from ares_plugin_code_runner.wording import written

    return written(result.data) if isinstance(result.data, dict) and "engine" in result.data else None

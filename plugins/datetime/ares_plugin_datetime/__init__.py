"""The tool ``datetime``: now, reading, writing, zones, adding and differences."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ares_core import Capability, Effects, Result, Tool, ToolContext, hookimpl
from ares_plugin_datetime.schema import EXAMPLES, PARAMETERS
from ares_plugin_datetime.settings import Settings

if TYPE_CHECKING:
    from ares_core import Host


@hookimpl
def configuration() -> type[Settings]:
    """Check the section ``datetime``."""
    return Settings


@hookimpl
def register_tools(host: Host) -> list[Tool]:
    """Bring ``datetime``."""

    async def execute(arguments: Mapping[str, Any], context: ToolContext) -> dict[str, Any]:
        from ares_plugin_datetime.operations import run

        return run(arguments, host.config.zone)

    return [
        Tool(
            "datetime",
            "Tell the time, read and write dates and times, convert them between time zones, add durations, and tell "
            "how far two are apart. Knows all IANA zones with their summer time, and the years 1 to 9999.",
            PARAMETERS,
            execute,
            capabilities=("DateTime",),
            effects=Effects(read_only=True, destructive=False, idempotent=True, open_world=False),
            examples=EXAMPLES,
            cost=1,
            latency_ms=1,
        )
    ]


@hookimpl
def declare_capabilities() -> list[Capability]:
    """Declare dates and times: from a text, or nothing, to a text."""
    aliases = (
        "time", "date", "now", "clock", "time zone", "timezone", "calendar", "days between", "duration",
        "时间", "日期", "时区", "几点", "相差几天",
    )  # fmt: skip
    return [Capability("DateTime", aliases=aliases, inputs=("Text", "None"), outputs=("Text",))]


@hookimpl
def format_result(result: Result) -> str | None:
    """Give the answer, what day and zone it is in, and what was assumed."""
    if not result.success:
        return None
    from ares_plugin_datetime.shown import words

    return words(result.data)

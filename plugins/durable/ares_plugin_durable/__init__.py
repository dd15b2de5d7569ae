"""Work that survives a crash: calls, plans and graphs as durable workflows, in SQLite or PostgreSQL, through DBOS.

::

    from ares_core import Ares
    from ares_plugin_durable import Durable

    with Ares.from_files() as ares:
        async with Durable(ares) as durable:
            result = await durable.call("calculator", {"expression": "6*7"}, id="answer")
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Annotated, Any

import msgspec

from ares_core import hookimpl

if TYPE_CHECKING:
    from ares_plugin_durable.engine import Durable
    from ares_plugin_durable.steps import Job

LATE = {"Durable": "engine", "Job": "steps"}
__all__ = ["Durable", "Job", "Queue", "Settings", "configuration"]

Count = Annotated[int, msgspec.Meta(ge=1, le=100_000, description="a whole number from 1 to 100000")]
Rate = Annotated[
    str,
    msgspec.Meta(pattern=r"\A[1-9][0-9]{0,5}/(second|minute|hour|day)\Z", description="such as 10/minute"),
]


Url = Annotated[
    str,
    msgspec.Meta(
        pattern=r"\A(|sqlite:////.+|postgresql://.+)\Z",
        description="sqlite:///FULL/PATH or postgresql://USER@HOST/NAME",
    ),
]


class Queue(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How many calls of one tool run at once, and at which rate, in all processes that share the database."""

    concurrency: Count | None = None
    rate: Rate | None = None


class Settings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The section ``durable``.

    ``url`` is ``sqlite:///FULL/PATH`` or ``postgresql://…``; unset is a file in the user's state folder. ``queues`` has
    a queue for each tool whose calls are limited beyond one process.
    """

    url: Url = ""
    queues: dict[str, Queue] = msgspec.field(default_factory=dict)


@hookimpl
def configuration() -> type[Settings]:
    """Give what the section may say."""
    return Settings


def __getattr__(name: str) -> Any:
    """Import the engine when it is first asked for."""
    if name not in LATE:
        raise AttributeError(f"module 'ares_plugin_durable' has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(f"ares_plugin_durable.{LATE[name]}"), name)
    return value

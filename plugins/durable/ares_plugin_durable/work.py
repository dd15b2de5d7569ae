"""Jobs are named by the import path of their function."""

from __future__ import annotations

import importlib
import re
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

from ares_core import UsageError

if TYPE_CHECKING:
    from ares_plugin_durable.steps import Job

NAME = re.compile(r"[\w.]{1,200}:\w{1,100}")
SCHEDULED = "ares_scheduled"
Work = Callable[["Job", Any], Awaitable[Any]]
Standing = tuple[str, str]
"""The status that the work of a job has now, and the command that shows more of it."""


def work_of(job: str) -> Work:
    """Import the function that a job names; raises ``UsageError`` in a sentence."""
    found: Work = _imported(job)
    return found


def stands(job: str, id: str, payload: Any, outcome: Any) -> Standing | None:
    """Say how the work of a job that has ended stands now, if it has gone on since by other means.

    A job whose work can do that has a function beside it, named like it with ``_stands`` at its end. What can't tell,
    such as one whose module is not here, counts as what has not gone on.
    """
    try:
        found: Standing | None = _imported(f"{job}_stands")(id, payload, outcome)
    except Exception:
        return None
    return found


def _imported(job: str) -> Any:
    if not isinstance(job, str) or not NAME.fullmatch(job):
        raise UsageError(f"a job is named 'module:function', not {job!r:.80}")
    module, _, name = job.partition(":")
    try:
        return getattr(importlib.import_module(module), name)
    except (ImportError, AttributeError) as error:
        raise UsageError(f"the job {job} can't be imported: {error}") from None

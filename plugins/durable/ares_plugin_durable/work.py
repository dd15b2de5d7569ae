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


def work_of(job: str) -> Work:
    """Import the function that a job names; raises ``UsageError`` in a sentence."""
    if not isinstance(job, str) or not NAME.fullmatch(job):
        raise UsageError(f"a job is named 'module:function', not {job!r:.80}")
    module, _, name = job.partition(":")
    try:
        found: Work = getattr(importlib.import_module(module), name)
    except (ImportError, AttributeError) as error:
        raise UsageError(f"the job {job} can't be imported: {error}") from None
    return found

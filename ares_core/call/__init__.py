"""The life of one call, a file per stage; ``runner.py`` strings them together.

resolve → prepare (decode, coerce, fill, validate) → rewrite → authorise → guard → approve → limit → execute →
finish → record
"""

from __future__ import annotations

from ares_core.call.approve import fingerprint
from ares_core.call.prepare import prepare
from ares_core.call.record import MemoryEvidence, Recorder
from ares_core.call.refusal import Refused, failed_alone, refuse
from ares_core.call.resolve import is_known, resolve, unknown
from ares_core.call.run import CURRENT, Services
from ares_core.call.runner import Runner

__all__ = [
    "CURRENT", "MemoryEvidence", "Recorder", "Refused", "Runner", "Services", "failed_alone", "fingerprint", "is_known",
    "prepare", "refuse", "resolve", "unknown",
]  # fmt: skip

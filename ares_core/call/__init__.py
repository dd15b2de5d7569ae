"""The life of one call, a file per stage; ``runner.py`` strings them together.

resolve → prepare (decode, coerce, fill, validate) → rewrite → authorise → guard → approve → limit → execute →
finish → record
"""

from __future__ import annotations

from ares_core.call.approve import fingerprint
from ares_core.call.finding import found
from ares_core.call.finish import quoting_alone
from ares_core.call.keeper import Keeper
from ares_core.call.ledger import settle_undone
from ares_core.call.model import call_model
from ares_core.call.prepare import prepare
from ares_core.call.record import MemoryEvidence, Recorder
from ares_core.call.refusal import Refused, broken_off, failed_alone, refuse
from ares_core.call.resolve import is_known, resolve, unknown
from ares_core.call.resources import Together
from ares_core.call.route import fill_resources
from ares_core.call.run import CURRENT, Services
from ares_core.call.runner import Runner
from ares_core.call.tell import tell_of, tell_undone
from ares_core.call.threads import Threads

__all__ = [
    "CURRENT", "Keeper", "MemoryEvidence", "Recorder", "Refused", "Runner", "Services", "Threads",
    "Together", "broken_off", "call_model", "failed_alone", "fill_resources", "fingerprint", "found", "is_known",
    "prepare", "quoting_alone", "refuse", "resolve", "settle_undone", "tell_of",
    "tell_undone", "unknown",
]  # fmt: skip

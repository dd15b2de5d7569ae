"""Stages 7, 10 and 12: which calls were begun under which key, so that none takes effect twice.

A call is kept when its caller can ask for that very call again: with a key of its own, or in a named session with an
id or a turn. It is claimed right before the tool starts; what becomes of it takes the place of the claim. A claim that
nobody holds any more is of unknown outcome, and never runs again by itself.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import logging
import threading
import time
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import msgspec

from ares_core.call.keeper import Keeper
from ares_core.call.redact import secret_values
from ares_core.call.refusal import refuse
from ares_core.call.run import SORTED, key_of
from ares_core.calls import Failure, Result, ToolCall
from ares_core.counts import counted
from ares_core.stores import LedgerRow, LedgerStatus

if TYPE_CHECKING:
    from ares_core.call.run import Run
    from ares_core.call.runner import Runner

log = logging.getLogger("ares")
LONGEST_KEY = 500
LARGEST_OUTCOME = 65_536
LARGEST_WHOLE = 2**53
PAUSE, LONGEST_PAUSE = 0.005, 0.1
OPEN_ENDED = frozenset({"outcome_unknown", "cancelled", "interrupted", "internal_error"})
"""Codes after which a call that had begun may or may not have taken effect."""


class Known(Exception):
    """Leaves a stage with the result that is known already; never leaves the runner."""

    def __init__(self, result: Result) -> None:
        super().__init__("known")
        self.result = result


class MemoryLedger:
    """The ledger of one process: the last 10,000 keys, and at most 64 MB of outcomes.

    >>> ledger = MemoryLedger()
    >>> ledger.claim(LedgerRow("k", "d", "add", "claimed", 0.0)) is None
    True
    >>> ledger.claim(LedgerRow("k", "d", "add", "claimed", 5.0)).time
    0.0
    """

    def __init__(self, most: int = 10_000, most_bytes: int = 64_000_000) -> None:
        self._rows: dict[str, LedgerRow] = {}
        self._most = most
        self._most_bytes = most_bytes
        self._bytes = 0
        self._lock = threading.Lock()

    def find(self, key: str) -> LedgerRow | None:
        """Give the row of a key."""
        return self._rows.get(key)

    def claim(self, row: LedgerRow) -> LedgerRow | None:
        """Put the row in its place if the key has none; otherwise give the one that is there."""
        there = self._rows.setdefault(row.key, row)
        return None if there is row else there

    def settle(self, row: LedgerRow) -> None:
        """Put the outcome in place of the claim, and forget the oldest beyond the bounds."""
        with self._lock:
            self._rows[row.key] = row
            self._bytes += len(row.outcome)
            if len(self._rows) > self._most or self._bytes > self._most_bytes:
                self._forget()

    def release(self, key: str) -> None:
        """Take back a claim whose call did not begin."""
        self._rows.pop(key, None)

    def close(self) -> None:
        """Nothing is kept beyond the process."""

    def _forget(self) -> None:
        settled = [row for row in list(self._rows.values()) if row.status != "claimed"]
        for row in settled[: max(len(settled) // 10, 1)]:
            del self._rows[row.key]
            self._bytes -= len(row.outcome)


def is_kept(run: Run) -> bool:
    """Whether this very call can be asked for again, so that the ledger must know of it."""
    given = run.given
    if given.key is not None:
        return True
    session, effects = run.session, run.call.effects
    may_change = effects is None or not effects.read_only
    return may_change and session is not None and session.name is not None and bool(given.id or given.turn)


async def recall(run: Run) -> None:
    """Stage 7: leave with what is known of this call, if it was begun before."""
    keeper = run.runner.ledger
    run.kept = row = _row(keeper, run.call, _in_one_spelling(run))
    there = keeper.store.find(row.key) if keeper.at_once else await keeper.ask(row.tool, "find", row.key)
    if there is not None:
        await _leave_with(run, keeper, there)


def _in_one_spelling(run: Run) -> bytes:
    """Give the final arguments with 5.0 written as 5, which is the same number in JSON."""
    canonical = run.canonical_arguments
    return SORTED.encode(_whole(run.arguments)) if b".0" in canonical else canonical


def _whole(value: Any) -> Any:
    if isinstance(value, float):
        return int(value) if value.is_integer() and abs(value) < LARGEST_WHOLE else value
    if isinstance(value, dict):
        return {key: _whole(inner) for key, inner in value.items()}
    return [_whole(inner) for inner in value] if isinstance(value, list) else value


def _row(keeper: Keeper, call: ToolCall, canonical: bytes) -> LedgerRow:
    """The row under which a call is claimed. In memory a key that Ares makes is written out if it is short."""
    key, name = call.key, call.name
    written = keeper.at_once and len(canonical) <= LONGEST_KEY
    if key is None and written:
        key = digest = f"{call.session!r}\0{call.turn!r}\0{call.id!r}\0{name}\0{canonical.decode()}"
    elif key is None:
        key = digest = key_of(call, canonical)
    elif isinstance(key, str) and 0 < len(key) <= LONGEST_KEY:
        digest = f"{name}\0{canonical.decode()}"
        if not written:
            digest = hashlib.sha256(digest.encode("utf-8", "surrogatepass")).hexdigest()
    else:
        raise refuse("invalid_arguments", f"The key is {key!r:.80}; give text of 1 to {LONGEST_KEY} characters.")
    return LedgerRow(key, digest, name, "claimed", time.time())


async def claim(run: Run, row: LedgerRow) -> None:
    """Stage 10: claim the key right before the tool starts; leave with what is known if another was quicker."""
    keeper = run.runner.ledger
    if keeper.at_once and keeper.store.claim(row) is None:
        run.claimed = True
        return

    def undo(there: LedgerRow | None) -> None:
        if there is None:
            keeper.store.release(row.key)

    while (there := await keeper.ask(row.tool, "claim", row, undo=undo)) is not None:
        await _leave_with(run, keeper, there)
    run.claimed = True


async def _leave_with(run: Run, keeper: Keeper, row: LedgerRow | None) -> None:
    """Leave with what a row says; come back if its call was never begun after all."""
    row = await _settled(run, keeper, row)
    if row is None:
        return
    if not _is_same(run, row):
        what = f"with other arguments, by a call of {row.tool!r}"
        raise refuse("key_conflict", f"The key {row.key!r:.80} was used before {what}. Take a new key.")
    if row.status == "claimed":
        wait = run.runner.settings.limits.queue_wait
        raise _unknown(f"This very call of {row.tool!r} still runs; its outcome was awaited for {wait:g} s.")
    if row.status == "unknown":
        raise _unknown(f"This very call of {row.tool!r} was begun before, and whether it took effect is unknown.")
    raise Known(_replayed(run, row))


async def _settled(run: Run, keeper: Keeper, row: LedgerRow | None) -> LedgerRow | None:
    """Wait until the call that holds the claim is over, at most ``limits.queue_wait``."""
    until = time.monotonic() + run.runner.settings.limits.queue_wait
    pause = PAUSE
    while row is not None and row.status == "claimed" and _is_same(run, row) and time.monotonic() < until:
        await asyncio.sleep(pause)
        pause = min(pause * 2, LONGEST_PAUSE)
        row = await keeper.ask(row.tool, "find", row.key)
    return row


def _is_same(run: Run, row: LedgerRow) -> bool:
    return run.kept is not None and run.kept.digest == row.digest


def _unknown(what: str) -> Exception:
    return refuse("outcome_unknown", f"{what} It was not run again. Look before you make the call anew.", blame="world")


def _replayed(run: Run, row: LedgerRow) -> Result:
    found = json.loads(row.outcome)
    error = msgspec.convert(found["error"], Failure) if found["error"] else None
    metadata = {**run.runner.metadata(run), "replayed": True}
    if found.get("left_out"):
        metadata["left_out"] = found["left_out"]
    data = _without_secrets(run, found["data"])
    return Result(error is None, data, error, found["text"], run.call, run.edits, (), metadata)


async def settle(run: Run, row: LedgerRow, result: Result) -> None:
    """Stage 12: put the outcome in place of the claim."""
    run.claimed = False
    method, given = _outcome(run, row, result)
    keeper = run.runner.ledger
    try:
        if keeper.at_once:
            getattr(keeper.store, method)(given)
        else:
            await keeper.ask(row.tool, method, given)
    except Exception as error:
        log.warning("the ledger took no outcome of %r (%s); it counts as unknown", row.tool, error)


async def settle_undone(runner: Runner, results: Iterable[Result]) -> None:
    """Let calls that took effect and were undone be known as failed."""
    keeper = runner.ledger
    for result in results:
        call = result.call
        if call is None or result.error is None or result.metadata.get("undone") is not True:
            continue
        row = _row(keeper, call, SORTED.encode(call.arguments))
        there = await keeper.ask(call.name, "find", row.key)
        if there is not None and there.status == "done":
            text = _json({"error": result.error, "text": result.text, "data": None})
            undone = LedgerRow(row.key, there.digest, row.tool, "failed", there.time, text)
            await keeper.ask(call.name, "settle", undone)


def settle_now(run: Run, result: Result) -> None:
    """Put the outcome of a call that is being cancelled in place of its claim, without waiting for anybody."""
    if run.kept is None or not run.claimed:
        return
    run.claimed = False
    method, given = _outcome(run, run.kept, result)
    try:
        getattr(run.runner.ledger.store, method)(given)
    except Exception as error:
        log.warning("the ledger took no outcome of %r (%s); it counts as unknown", run.kept.tool, error)


def _outcome(run: Run, row: LedgerRow, result: Result) -> tuple[str, Any]:
    """What the ledger is to do now that a claimed call is over."""
    status = _status(run, result)
    if status == "claimed":
        return "release", row.key
    text = "" if status == "unknown" else outcome_text(run, result, at_once=run.runner.ledger.at_once)
    return "settle", LedgerRow(row.key, row.digest, row.tool, status, row.time, text)


def _status(run: Run, result: Result) -> LedgerStatus:
    """What came of a call; ``claimed`` still if it never began, only read, or the tool itself said that it failed."""
    if not run.executed:
        return "claimed"
    if result.error is None:
        return "done"
    effects = run.call.effects
    if effects is not None and effects.read_only:
        return "claimed"
    if result.error.code in OPEN_ENDED:
        return "unknown"
    return "claimed" if result.error.code == "tool_error" or effects is not None and effects.idempotent else "failed"


def outcome_text(run: Run, result: Result, *, at_once: bool) -> str:
    """Write a result as the JSON that the ledger keeps, of bounded size; what leaves memory, without secrets."""
    try:
        full = (
            _json({"error": result.error, "text": result.text, "data": result.data}) if at_once else _clean(run, result)
        )
        if len(full) <= LARGEST_OUTCOME:
            return full
        why = f"data of {counted(len(full), 'character')}"
    except Exception as error:
        why = f"data that can't be kept ({type(error).__name__})"
    return _json({"error": result.error, "text": result.text, "data": None, "left_out": why})


def _clean(run: Run, result: Result) -> str:
    return _json({"error": result.error, "text": result.text, "data": _without_secrets(run, result.data)})


def _without_secrets(run: Run, data: Any) -> Any:
    secrets = secret_values(run.call.arguments, run.route.checker.secrets) if run.route else ()
    return run.runner.redactor.data(data, secrets)


def _json(value: Any) -> str:
    try:
        return msgspec.json.encode(value).decode()
    except (OverflowError, TypeError, UnicodeEncodeError):  # large numbers, halves of characters
        return json.dumps(msgspec.to_builtins(value))

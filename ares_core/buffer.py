"""Rows on their way to a store: collected where they arise, written in batches by a thread, none lost on the way."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

Row = TypeVar("Row")
BATCH = 500
DELAY_SECONDS = 0.2
RETRY_SECONDS = 1.0
ATTEMPTS = 5
PATIENCE_SECONDS = 10.0
"""How long the end of a program waits for a batch to be written."""
CAPACITY = 100_000
log = logging.getLogger("ares")


class Buffer(Generic[Row]):
    """Takes rows at once and hands them to ``write`` in batches, after a moment at most.

    Whoever adds to a full buffer waits until there is room. A batch that ``write`` fails at is tried again, a few
    times, then given up with a line in the log; ``close`` writes what is left, unless a ``write`` does not return.

    >>> written = []
    >>> buffer = Buffer(written.extend)
    >>> buffer.add([1, 2])
    >>> buffer.close()
    True
    >>> written
    [1, 2]
    """

    def __init__(self, write: Callable[[list[Row]], object], what: str = "rows", capacity: int = CAPACITY) -> None:
        self._write, self._what, self._capacity = write, what, capacity
        self.forked()

    def forked(self) -> None:
        """Start afresh in a forked child: the thread, and what waits to be written, are the parent's."""
        self._rows: list[Row] = []
        self._changed = threading.Condition()
        self._writing = threading.Lock()
        self._thread: threading.Thread | None = None
        self._closed = False
        self._failures = 0

    def add(self, rows: Sequence[Row]) -> None:
        """Take in rows, oldest first."""
        with self._changed:
            if self._closed or not rows:
                return
            self._rows.extend(rows)
            if len(self._rows) == len(rows):  # to wake the thread for each row would cost more than to write it
                self._wake()
            if len(self._rows) > self._capacity and threading.current_thread() is not self._thread:
                self._changed.notify_all()
                self._changed.wait_for(lambda: self._closed or len(self._rows) <= self._capacity)

    def _wake(self) -> None:
        if self._thread is None:
            self._thread = threading.Thread(target=self._work, name=f"ares-{self._what}", daemon=True)
            self._thread.start()
        self._changed.notify_all()

    def flush(self) -> bool:
        """Write what is there, in this thread; tells whether nothing is left behind."""
        with self._writing:
            while True:
                with self._changed:
                    rows = self._rows[:BATCH]
                if not rows:
                    return True
                if not self._wrote(rows):
                    return False
                with self._changed:
                    del self._rows[: len(rows)]
                    self._changed.notify_all()

    def _wrote(self, rows: list[Row]) -> bool:
        """Write a batch; tells whether it is done with, one way or the other."""
        try:
            self._write(rows)
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # whatever it is, whoever adds to a full buffer waits for this thread
            self._failures += 1
            if self._failures < ATTEMPTS:
                log.warning("%d %s wait to be written: %s", len(rows), self._what, error)
                return False
            log.exception("%d %s could not be written and are lost", len(rows), self._what)
        self._failures = 0
        return True

    def close(self, patience: float | None = None) -> bool:
        """Write what is left and stop; tells whether that came to an end.

        When nothing was written for ``patience`` seconds, or ten, the rest is left behind with a line in the log.
        """
        seconds = PATIENCE_SECONDS if patience is None else patience
        with self._changed:
            self._closed = True
            self._changed.notify_all()
        thread = self._thread
        while thread is not None and thread.is_alive():
            left = len(self._rows)
            thread.join(seconds)
            if thread.is_alive() and len(self._rows) == left:
                log.warning("%d %s are lost: the store did not take them within %g s", left, self._what, seconds)
                return False
        return True

    def _work(self) -> None:
        enough = min(BATCH, self._capacity)
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._closed or self._rows)
                if not self._rows:
                    return
                self._changed.wait_for(lambda: self._closed or len(self._rows) >= enough, DELAY_SECONDS)
            if not self.flush():
                self._pause()

    def _pause(self) -> None:
        with self._changed:
            if not self._closed:
                self._changed.wait_for(lambda: self._closed, RETRY_SECONDS)
                return
        time.sleep(DELAY_SECONDS)

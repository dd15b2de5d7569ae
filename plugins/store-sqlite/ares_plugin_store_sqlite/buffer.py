"""Rows on their way to the file: collected on the hot path, written in batches by a thread."""

from __future__ import annotations

import logging
import sqlite3
import threading
from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

from ares_core import counted

Row = TypeVar("Row")
BATCH = 200
DELAY_SECONDS = 0.5
RETRY_SECONDS = 5.0
CAPACITY = 20_000


class Buffer(Generic[Row]):
    """Takes rows at once and hands them to ``write`` when there are 200, or after half a second.

    What can't be written because the file is locked or the disk full is kept and tried again, the newest 20,000 rows
    at most; a batch that can't be written for another reason is given up, with a line in the log.
    """

    def __init__(self, write: Callable[[list[Row]], None], log: logging.Logger) -> None:
        self._write = write
        self._log = log
        self._rows: list[Row] = []
        self._changed = threading.Condition()
        self._writing = threading.Lock()
        self._thread: threading.Thread | None = None
        self._closed = False

    def add(self, rows: Sequence[Row]) -> None:
        """Take in rows, oldest first."""
        with self._changed:
            if self._closed or not rows:
                return
            is_first = not self._rows
            self._rows.extend(rows)
            self._trim()
            # To wake the thread for each row would cost more than to write it.
            if is_first or len(self._rows) >= BATCH:
                self._wake()

    def flush(self) -> bool:
        """Write what is there, in this thread; tells whether nothing is left behind."""
        with self._writing:
            with self._changed:
                rows, self._rows = self._rows, []
            try:
                if rows:
                    self._write(rows)
            except sqlite3.OperationalError as error:
                with self._changed:
                    self._rows[:0] = rows
                    self._trim()
                self._log.warning("not written yet: %s (%s)", counted(len(rows), "row"), error)
                return False
            except Exception:
                self._log.exception("lost, for it could not be written: %s", counted(len(rows), "row"))
        return True

    def close(self) -> None:
        """Write what is left and stop."""
        with self._changed:
            self._closed = True
            self._changed.notify()
        if self._thread is not None:
            self._thread.join()
        if not self.flush():
            self._log.warning("lost, for the store was closed before: %s", counted(len(self._rows), "row"))

    def _wake(self) -> None:
        if self._thread is None:
            self._thread = threading.Thread(target=self._work, name="ares-store", daemon=True)
            self._thread.start()
        self._changed.notify()

    def _trim(self) -> None:
        surplus = len(self._rows) - CAPACITY
        if surplus > 0:
            del self._rows[:surplus]
            self._log.warning("lost, for it could not be written in time: %s", counted(surplus, "row"))

    def _work(self) -> None:
        while self._wait_for_rows():
            if not self.flush():
                with self._changed:
                    self._changed.wait_for(lambda: self._closed, RETRY_SECONDS)

    def _wait_for_rows(self) -> bool:
        """Wait until it is time to write; false when it is time to stop."""
        with self._changed:
            self._changed.wait_for(lambda: self._closed or self._rows)
            self._changed.wait_for(lambda: self._closed or len(self._rows) >= BATCH, DELAY_SECONDS)
            return not self._closed

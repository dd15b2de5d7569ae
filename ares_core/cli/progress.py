"""A sign of life on a terminal while something takes long."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from ares_core.cli.options import current
from ares_core.cli.output import is_terminal, note

if TYPE_CHECKING:
    from ares_core.app import Ares
    from ares_core.events import Event

AFTER = 0.5
EVERY = 0.2
MARKS = "|/-\\"
_free = threading.Lock()


def tell_progress(ares: Ares) -> None:
    """Write to stderr what tools tell while they run, unless only answers are wanted."""
    if not (current().as_json or current().quiet):
        ares.on_event(_told, kinds={"progress"})


def _told(event: Event) -> None:
    done, total = (_written(event.data.get(part)) for part in ("progress", "total"))
    how_far = f" ({done} of {total})" if done and total else f" ({done})" if done else ""
    note(f"{event.data.get('message', '')}{how_far}")


def _written(value: Any) -> str:
    return f"{value:g}" if isinstance(value, int | float) else ""


@contextmanager
def working(what: str) -> Iterator[None]:
    """Show on the terminal that ``what`` goes on, once it takes longer than half a second."""
    options = current()
    if options.quiet or options.as_json or not is_terminal(sys.stderr):
        yield
        return
    done = threading.Event()
    spinner = threading.Thread(target=_spin, args=(what, done), daemon=True)
    spinner.start()
    try:
        yield
    finally:
        done.set()
        spinner.join(timeout=1)


@contextmanager
def pause() -> Iterator[None]:
    """Keep the terminal free for a question."""
    with _free:
        yield


def _spin(what: str, done: threading.Event) -> None:
    started, turn = time.monotonic(), 0
    while not done.wait(EVERY if turn else AFTER):
        turn += 1
        if _free.acquire(blocking=False):
            sys.stderr.write(f"\r{MARKS[turn % 4]} {what} {time.monotonic() - started:.0f} s ")
            sys.stderr.flush()
            _free.release()
    if turn:
        sys.stderr.write("\r\x1b[K")
        sys.stderr.flush()

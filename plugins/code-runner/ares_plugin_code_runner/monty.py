"""The engine monty: an interpreter of Python that has no files, no network and no processes to begin with.

It runs in a process of its own, which bounds its memory and time, and which is gone after the snippet.
"""

from __future__ import annotations

import atexit
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

from ares_core import ToolError
from ares_plugin_code_runner.ran import FASTER, LESS, MOST_OUTPUT, TOO_MUCH, Ran, Terms, kept, too_slow
from ares_plugin_code_runner.settings import Settings
from ares_plugin_code_runner.values import plain

if TYPE_CHECKING:
    import pydantic_monty

MOST_MEMORY = 64_000_000
"""A value may be as large as the memory of the snippet, and it comes into our own process."""
LEAST_SECONDS, GRACE = 0.05, 0.1
LONGEST_END = 1.0
"""Seconds that the end of our own process waits for the end of a snippet."""
GLANCE = 0.05
"""Seconds between two looks at whether anybody still waits."""
MOST_SLEEPS = 100_000
TOO_LOUD = f"> {MOST_OUTPUT} bytes"
UNKNOWN = ("NotImplementedError", "ModuleNotFoundError", "AttributeError: module", "not supported", "name 'exit'")
OVER = ("time limit exceeded", "sleep limit exceeded")
_one_at_a_time = threading.Lock()
KILL = getattr(signal, "SIGKILL", signal.SIGTERM)
PARTIAL = "monty knows only a part of Python; the engine 'cpython' knows all of it, where the system can wall it in."


def run(code: str, terms: Terms, settings: Settings) -> Ran:
    """Run a snippet; the value of its last expression comes back."""
    import sysconfig

    import pydantic_monty as library

    with _one_at_a_time:
        sysconfig.get_config_vars()  # the library asks for it; in Python 3.11 two threads at once fail at first
    until = min(terms.latest, time.monotonic() + terms.seconds)
    printed = library.CollectStreams(max_bytes=MOST_OUTPUT)
    ran = Ran("monty", isolation=("interpreter", "process"))
    try:
        ran.value, ran.is_cut["value"] = plain(_feed(library, code, terms, until, settings, printed))
    except library.MontyError as error:
        if terms.cancelled():
            raise ToolError("Nobody waits for the code any more; it was stopped.", blame="world") from error
        _explain(library, ran, error, until, terms.seconds)
    except OSError as error:
        reason = "its program is not installed" if isinstance(error, FileNotFoundError) else str(error)
        raise ToolError(
            f"the engine monty can't be started: {reason}; nothing was run.",
            hint="Let the operator install the package pydantic-monty again.",
            blame="world",
        ) from error
    _print(ran, printed.output, terms.keep)
    return ran


def _feed(library: Any, code: str, terms: Terms, until: float, settings: Settings, printed: Any) -> Any:
    left = max(LEAST_SECONDS, until - time.monotonic())
    limits: pydantic_monty.ResourceLimits = {
        "max_feed_duration_secs": left,
        "max_memory": min(settings.memory_mb * 1_000_000, MOST_MEMORY),
        "max_suspensions": MOST_SLEEPS,
    }
    with (
        library.Monty(min_processes=1, max_processes=1, checkout_timeout=left, feed_duration_limit_grace=GRACE) as pool,
        pool.checkout(limits=limits, os_policy={"sleep": "call_host"}) as session,
        _killing(session.worker_pid, time.monotonic() + left + GRACE, terms) as killed,
    ):
        return session.feed_run(code, print_callback=printed, os=_sleeper(library, until, killed))


@contextmanager
def _killing(worker: int | None, latest: float, terms: Terms) -> Iterator[threading.Event]:
    """Kill the worker when time is up, nobody waits any more or we end, whatever it does: its clock knows none of it.

    What is given is set when it was killed.
    """
    over, killed = threading.Event(), threading.Event()

    def kill() -> None:
        killed.set()
        if worker is not None and not over.is_set():
            with suppress(OSError):
                os.kill(worker, KILL)

    def kill_and_wait() -> None:
        kill()
        over.wait(LONGEST_END)  # a thread that is still in the library's code when Python ends would break it off

    def watch() -> None:
        while not over.wait(GLANCE):
            if time.monotonic() >= latest or terms.cancelled():
                kill()
                break

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    atexit.register(kill_and_wait)
    try:
        yield killed
    finally:
        over.set()
        atexit.unregister(kill_and_wait)
        watcher.join()


def _sleeper(library: Any, until: float, killed: threading.Event) -> Callable[..., Any]:
    """Answer what a snippet asks of the system: it may sleep until its time is up, and nothing else."""

    def answer(*, name: str, args: tuple[Any, ...], **_: Any) -> Any:
        if not name.endswith("sleep"):
            return library.NOT_HANDLED
        left = until - time.monotonic()
        if not args[0] <= left:
            killed.wait(max(0.0, left))
            raise TimeoutError(OVER[1])
        killed.wait(args[0])
        return None

    return answer


def _explain(library: Any, ran: Ran, error: pydantic_monty.MontyError, until: float, seconds: float) -> None:
    """Say why the snippet failed; its traceback is what it would have written itself."""
    if isinstance(error, library.MontyCrashedError):
        is_late = error.timed_out or time.monotonic() >= until
        ran.failure = too_slow(seconds) if is_late else "The interpreter broke down, and the code with it"
        ran.hint = FASTER if is_late else ""
        return
    display = getattr(error, "display", lambda _="": str(error))
    message = display("type-msg").strip().split("\n")[0][:300]
    ran.stderr = f"{display()}\n"
    if any(over in message for over in OVER):
        ran.failure, ran.hint = too_slow(seconds), FASTER
    elif TOO_LOUD in message:
        ran.failure, ran.hint = TOO_MUCH, LESS
    else:
        ran.failure = f"The code raised {message}"
        ran.hint = PARTIAL if any(sign in message for sign in UNKNOWN) else ""


def _print(ran: Ran, printed: Sequence[tuple[str, str]], most: int) -> None:
    """Put what was printed in its places, a traceback last."""
    for name in ("stdout", "stderr"):
        text, is_cut = kept("".join(text for stream, text in printed if stream == name), most)
        setattr(ran, name, text + getattr(ran, name))
        ran.is_cut[name] = is_cut


__all__ = ["run"]

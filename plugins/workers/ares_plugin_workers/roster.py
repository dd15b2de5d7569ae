"""Which workers there are, and which tools they serve."""

from __future__ import annotations

import logging
import threading
from collections import Counter
from collections.abc import Callable

from ares_plugin_workers.definitions import address
from ares_plugin_workers.messages import Bye, Definition, Hello

MOST_WORKERS = 1_000
MOST_TOOLS = 2_000
MOST_NAMES = 10_000
LONGEST_NAME = 100
log = logging.getLogger("ares.plugin.workers")


class Roster:
    """The workers that have said what they serve. ``changed`` is called when the tools to be had became others."""

    def __init__(self, changed: Callable[[], None]) -> None:
        self._changed = changed
        self._workers: dict[str, Hello] = {}
        self._names: dict[str, str] = {}
        self._lock = threading.Lock()
        self.offered: dict[str, tuple[str, Definition]] = {}
        """By the tool's name: the address of calls, and what the tool is."""
        self.differing: dict[str, list[str]] = {}
        """Tools that workers serve in more than one form, each with the workers whose form is not used."""
        self.is_settled = False
        """Whether all workers have been heard once; before that no form of a tool is in use."""
        self.known: set[str] = set()
        """Names that were ever offered."""

    @property
    def workers(self) -> list[Hello]:
        """The workers, in the order of their names."""
        return sorted(self._workers.values(), key=lambda worker: (worker.name, worker.worker))

    def name_of(self, worker: str) -> str:
        """Give what a worker is called, also one that is gone."""
        return self._names.get(worker, worker[:LONGEST_NAME])

    def take(self, message: Hello | Bye) -> None:
        """Take in that a worker came, left, or serves something else."""
        with self._lock:
            if isinstance(message, Bye):
                self._workers.pop(message.worker, None)
            elif message.worker in self._workers or len(self._workers) < MOST_WORKERS:
                self._names[message.worker] = message.name[:LONGEST_NAME]
                while len(self._names) > MOST_NAMES:
                    del self._names[next(iter(self._names))]
                tools = {at: tool for at, tool in message.tools.items() if self._is_at(at, tool, message.name)}
                self._workers[message.worker] = Hello(message.worker, message.name[:LONGEST_NAME], tools)
            self._work_out()

    def _is_at(self, at: str, tool: Definition, worker: str) -> bool:
        """Whether a tool is where it must be: else a worker could tell of another's tool in words of its own."""
        is_there = at == address(tool)
        if not is_there:
            log.warning("worker %.100s: its tool %.100s has not the address of its definition", worker, tool.name)
        return is_there

    def nobody(self, gone: str) -> None:
        """Take in that nobody serves an address any more: whoever said that they do are gone without a word."""
        with self._lock:
            for key in [key for key, worker in self._workers.items() if gone in worker.tools]:
                rest = {at: tool for at, tool in self._workers[key].tools.items() if at != gone}
                self._workers[key] = Hello(key, self._workers[key].name, rest)
                if not rest:
                    del self._workers[key]
            self._work_out()

    def _work_out(self) -> None:
        """Choose one form of each tool: the one in use while somebody serves it, else the one that most serve."""
        served = Counter(at for worker in self._workers.values() for at in worker.tools)
        forms: dict[str, dict[str, Definition]] = {}
        for worker in self._workers.values():
            for at, tool in worker.tools.items():
                forms.setdefault(tool.name, {}).setdefault(at, tool)
        before = {name: at for name, (at, _) in self.offered.items()}
        chosen: dict[str, str] = {}
        for name in sorted(forms)[:MOST_TOOLS]:
            in_use = before.get(name, "")
            best = min(forms[name], key=lambda at: (-served[at], at))
            chosen[name] = in_use if self.is_settled and in_use in forms[name] else best
        self.offered = {name: (at, forms[name][at]) for name, at in chosen.items()}
        self.known |= chosen.keys() if len(self.known) < MOST_NAMES else set()
        self.differing = {name: self._others(forms[name], chosen[name]) for name in chosen if len(forms[name]) > 1}
        if chosen != before:
            self._changed()

    def _others(self, forms: dict[str, Definition], chosen: str) -> list[str]:
        return [worker.name for worker in self.workers if any(at in forms and at != chosen for at in worker.tools)]

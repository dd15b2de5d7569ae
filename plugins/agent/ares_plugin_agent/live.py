"""A run on the terminal: the model's words as they come, calls as they happen, a sign of life on long ones."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from contextlib import ExitStack
from types import TracebackType
from typing import Any, Self

from ares_core import cli, counted
from ares_plugin_agent.happenings import CallEnded, CallStarted, Happening, Retrying, TextPiece

LONGEST = 60


class Live:
    """Shows happenings; words only where a person reads them as they come."""

    def __init__(self) -> None:
        self._running: dict[str, str] = {}
        self._sign = ExitStack()
        self._is_in_line = False

    @staticmethod
    def is_streaming() -> bool:
        """Whether words are shown as they come."""
        return cli.is_terminal(sys.stdout) and not cli.current().as_json

    def show(self, happening: Happening) -> None:
        """Show what happened, and then a sign of life for what goes on."""
        if isinstance(happening, TextPiece):
            if self.is_streaming():
                self._sign.close()
                self._write(happening.text)
            return
        self._sign.close()
        if isinstance(happening, CallStarted):
            self._running[happening.id] = shown_call(happening.tool, happening.arguments)
        elif isinstance(happening, CallEnded):
            self._note(_deed(happening, self._running.pop(happening.id, happening.tool)))
        elif isinstance(happening, Retrying):
            self._note(f"{happening.reason}; asking again in {happening.seconds:.1f} s")
        self._wait()

    def _wait(self) -> None:
        many = len(self._running)
        what = next(iter(self._running.values())) if many == 1 else counted(many, "call") if many else "the model"
        if not self._is_in_line:
            self._sign.enter_context(cli.working(what))

    def _write(self, text: str) -> None:
        sys.stdout.write(cli.printable(text))
        sys.stdout.flush()
        self._is_in_line = not text.endswith("\n") if text else self._is_in_line

    def _note(self, text: str) -> None:
        self._end_line()
        cli.note(text)

    def _end_line(self) -> None:
        if self._is_in_line:
            self._write("\n")

    def __enter__(self) -> Self:
        self._wait()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._sign.close()
        if error is not None:
            self._end_line()


def shown_call(tool: str, arguments: Any) -> str:
    """Write a call in a line.

    >>> shown_call("add", {"a": 2, "b": "two"})
    'add(a=2, b="two")'
    """
    given = arguments.items() if isinstance(arguments, Mapping) else ()
    return f"{tool}({', '.join(f'{name}={_short(value)}' for name, value in given)})"


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"


def _deed(ended: CallEnded, call: str) -> str:
    instead = "" if ended.instead_of is None else f" in place of {ended.instead_of or 'a call without a name'}"
    told = f"{call}{instead} in {cli.lasting(ended.duration_ms)}"
    return told if ended.success else f"{told}, {ended.code}"

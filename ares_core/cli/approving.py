"""The approver of the command line: shows a person what would run, and waits for yes or no."""

from __future__ import annotations

import asyncio
import sys
import threading
from typing import Any

from ares_core.call.redact import Redactor
from ares_core.calls import replace
from ares_core.cli.filling import fields_of, fill
from ares_core.cli.output import json_text, printable
from ares_core.cli.progress import pause
from ares_core.counts import counted
from ares_core.protocols import Answer, Approval

MOST_SHOWN = 4000


async def ask_person(approval: Approval) -> Answer:
    """Put a call to the person at the terminal; only ``y`` or ``yes`` approves, and a form is filled in after it."""
    loop = asyncio.get_running_loop()
    answered: asyncio.Future[Answer] = loop.create_future()

    def ask() -> None:
        try:
            answer: Answer = _ask(approval)
        except Exception as error:  # whoever waits for the answer must not wait for ever
            _say(printable(f"\nDeclined: the answer can't be read ({str(error) or 'the input has ended'})."))
            answer = False
        loop.call_soon_threadsafe(_settle, answered, answer)

    # A daemon thread: whoever presses Ctrl-C at the question does not have to answer it first.
    threading.Thread(target=ask, daemon=True).start()
    return await answered


def _settle(answered: asyncio.Future[Answer], answer: Answer) -> None:
    if not answered.done():
        answered.set_result(answer)


def _ask(approval: Approval) -> Answer:
    form = approval.form if approval.form and fields_of(approval.form) else None
    with pause():
        is_asked = approval.question or approval.form is not None
        what = "Fill it in?" if form else "Yes or no?" if is_asked else "Run it?"
        if _line(f"{shown(approval)}\n{what} [y/N] ").strip().lower() not in ("y", "yes"):
            return False
        filled = True if form is None else fill(form, _field_line, _say)
        if filled is None:
            _say("Declined: nothing of it is sent.")
        return False if filled is None else filled


def _line(question: str) -> str:
    sys.stderr.write(question)
    sys.stderr.flush()
    return sys.stdin.readline()


def _field_line(question: str) -> str:
    """Read what is given for a field; the end of the input is no empty line, which would take the default."""
    line = _line(question)
    if not line.endswith("\n"):
        raise EOFError
    line.encode()
    return line.strip()


def _say(text: str) -> None:
    sys.stderr.write(f"{text}\n")


def shown(approval: Approval) -> str:
    """Write what a person has to know: the tool, the final arguments without secrets, and why it is asked.

    Where the arguments are not those that were asked for, the lines that came or went are marked. A call that does
    nothing but put a question to a person is that question.
    """
    if approval.shown is None:
        approval = replace(approval, shown=Redactor().data(approval.call.arguments))
    if approval.question is not None:
        text, more = approval.question
        return printable(_clipped("\n".join([text, *(f"  {key}: {_written(more[key])}" for key in more)])))
    if approval.form is not None:
        return printable(_clipped(f"{approval.call.name}: {approval.reason}"))
    arguments = _clipped(changes(approval.shown, approval.asked))
    return printable(f"{approval.call.name} wants to run ({approval.reason}) with\n{arguments}")


def _written(value: Any) -> str:
    return value if isinstance(value, str) else json_text(value)


def _clipped(text: str) -> str:
    if len(text) <= MOST_SHOWN:
        return text
    return f"{text[:MOST_SHOWN]}\n… and {counted(len(text) - MOST_SHOWN, 'character')} more, not shown here"


def changes(final: Any, asked: Any) -> str:
    """Write arguments as JSON, line by line against those that were asked for if these were others.

    >>> print(changes({"limit": 10}, {"limit": 500}))
     {
    -  "limit": 500
    +  "limit": 10
     }
    """
    text = json_text(final)
    if asked is None or len(text) > MOST_SHOWN:
        return text
    before = json_text(asked)
    if len(before) > MOST_SHOWN:
        return text
    from difflib import unified_diff

    lines = list(unified_diff(before.splitlines(), text.splitlines(), lineterm="", n=MOST_SHOWN))
    return "\n".join(lines[3:]) or text

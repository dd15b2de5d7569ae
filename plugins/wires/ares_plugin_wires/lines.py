"""Calls on lines of their own: ``Action:`` with ``Action Input:``, as ReAct has them, and Functionary's ``>>>name``."""

from __future__ import annotations

import re
from collections.abc import Callable

from ares_core import ToolCall

from .bare import json_calls
from .calls import as_json, read_arguments, read_name
from .marks import Quoted

Known = Callable[[str], bool]

_ACTION = re.compile(r"^[ *]{0,4}Action[ *]{0,4}:[ *]{0,4}", re.MULTILINE)
_INPUT = re.compile(r"^[ *]{0,4}Action[ _]Input[ *]{0,4}:[ *]{0,4}", re.MULTILINE)
_OBSERVATION = re.compile(r"^[ *]{0,4}Observation[ *]{0,4}:", re.MULTILINE)
_FINAL = re.compile(r"^[ *]{0,4}Final Answer[ *]{0,4}:", re.MULTILINE)
_FENCED = re.compile(r"```[\w+-]{0,20}[ \t]*\n?(.*?)```", re.DOTALL)
_RECIPIENT = re.compile(r">>>([A-Za-z_][\w.-]{0,255})\n")


def react_calls(text: str, quoted: Quoted, known: Known | None) -> tuple[list[ToolCall], str]:
    """Give the call of the last action, and the words before it; what the model makes up after it is left out."""
    made_up = _OBSERVATION.search(text)
    head = text[: made_up.start()] if made_up else text
    actions = [action for action in _ACTION.finditer(head) if action.start() not in quoted]
    if not actions or _FINAL.search(head):
        return [], text
    body = head[actions[-1].end() :]
    calls = _action(body)
    if not calls or known is not None and not all(known(call.name) for call in calls):
        return [], text
    return calls, head[: actions[-1].start()].strip("\r\n")


def _action(body: str) -> list[ToolCall]:
    given = _INPUT.search(body)
    if given is None:
        fenced = _FENCED.match(body.strip())
        return json_calls((fenced[1] if fenced else body).strip())
    name = body[: given.start()].strip(" \r\n\t`*\"'")
    if not name or len(name) > 256 or re.search(r"\s", name):
        return []
    words = body[given.end() :].strip()
    fenced = _FENCED.fullmatch(words)
    return [ToolCall(read_name(name), _given(fenced[1].strip() if fenced else words))]


def _given(words: str) -> str | dict[str, object]:
    """Plain words are the one argument that there is; ``None`` is none."""
    if words in ("", "None", "null", "N/A"):
        return {}
    return read_arguments(words if words[0] in "{[\"'" else as_json(words), cut=True)


def recipient_calls(text: str, quoted: Quoted, known: Known | None) -> tuple[list[ToolCall], str]:
    """Give the calls in ``>>>name`` and arguments below it; what is for ``all`` is the text."""
    if not text.startswith(">>>"):
        return [], text
    calls, said = [], []
    _, *parts = _RECIPIENT.split(text)
    for name, body in zip(parts[::2], parts[1::2], strict=True):
        if name == "all":
            said.append(body)
        elif known is not None and not known(name):
            return [], text
        else:
            calls.append(ToolCall(read_name(name), read_arguments(body.strip(), cut=True)))
    return calls, "".join(said).strip("\r\n") if calls else text

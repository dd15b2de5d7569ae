"""The standing rules of ``approvals.rules``: the strictest that fits holds.

A pattern is text in which ``*`` stands for any text and everything else for itself; it is found from left to right,
each part once, so that no text takes longer than its length. A rule that allows must fit every reading of a value
(as written, and as the path that it leads to), one that asks or denies fits with any of them: nobody gets past a rule
for ``/tmp/*`` with ``/tmp/../etc``, and nobody past one that denies ``/etc/*``.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from ares_core.call.authorise import denied
from ares_core.call.keeper import unusable
from ares_core.calls import Ask, Deny, Effects, ToolCall
from ares_core.settings import ApprovalRule

if TYPE_CHECKING:
    from ares_core.call.run import Run

ALWAYS = Ask("this tool always asks")
"""What ``requires_approval`` asks."""
STRICTNESS = ("allow", "ask", "deny")
NOTHING = object()


def apply_policies(run: Run, asked: Ask | None) -> Ask | None:
    """Let nothing change while a store that it depends on is broken, and ask the standing rules."""
    runner, call = run.runner, run.call
    if runner.broken is not None and (call.effects is None or not call.effects.read_only):
        raise unusable(call.name, *runner.broken)
    return apply_rules(runner.settings.approvals.rules, call, asked)


def apply_rules(rules: Sequence[ApprovalRule], call: ToolCall, asked: Ask | None) -> Ask | None:
    """Let the rules deny, ask, or allow what only the tool itself would have asked."""
    verdict = standing(rules, call)
    if isinstance(verdict, Deny):
        raise denied(verdict.reason)
    if isinstance(verdict, Ask):
        return verdict if asked is None or asked is ALWAYS else asked
    return None if verdict is True and asked is ALWAYS else asked


def standing(rules: Sequence[ApprovalRule], call: ToolCall) -> Deny | Ask | bool | None:
    """Give what the rules say of a call: ``Deny``, ``Ask``, ``True`` for allowed beforehand, ``None`` for nothing."""
    fitting = [rule for rule in rules if _fits(rule, call)]
    if not fitting:
        return None
    rule = max(fitting, key=lambda rule: STRICTNESS.index(rule.answer))
    reason = rule.reason or f"approvals.rules says {rule.answer} for {rule.tool!r}"
    if rule.answer == "deny":
        return Deny(reason)
    return Ask(reason) if rule.answer == "ask" else True


def _fits(rule: ApprovalRule, call: ToolCall) -> bool:
    if not fits(rule.tool, call.name) or not _has_effect(call, rule.effect):
        return False
    every = rule.answer == "allow"
    return all(_has_argument(call.arguments, name, wanted, every) for name, wanted in rule.arguments.items())


def _has_effect(call: ToolCall, effect: str) -> bool:
    effects = call.effects or Effects()
    return effect == "any" or bool(getattr(effects, effect))


def _has_argument(arguments: Any, name: str, wanted: Any, every: bool) -> bool:
    value = _value_at(arguments, name)
    if value is NOTHING:
        return False
    if not isinstance(wanted, str):
        return value == wanted and isinstance(value, bool) is isinstance(wanted, bool)
    found = (fits(wanted, reading) for reading in _readings(value))
    return all(found) if every else any(found)


def _value_at(arguments: Any, name: str) -> Any:
    """Give an argument by its name, or by a JSON pointer such as ``/options/mode``."""
    steps = name.split("/")[1:] if name.startswith("/") else [name]
    for step in steps:
        key = step.replace("~1", "/").replace("~0", "~")
        if not isinstance(arguments, Mapping) or key not in arguments:
            return NOTHING
        arguments = arguments[key]
    return arguments


def _readings(value: Any) -> Iterator[str]:
    """Give every text that a value may be taken for; of a list the texts of all its items."""
    if isinstance(value, list | tuple) and value:
        for item in value:
            yield from _readings(item)
        return
    text = _text(value)
    yield text
    if isinstance(value, str) and ("/" in text or "\\" in text or ".." in text):
        yield _path(text)


def _path(text: str) -> str:
    """Give the path that a text leads to; of an address its scheme and host stay in front.

    >>> _path("/tmp/../etc/passwd"), _path("https://host/a/../b")
    ('/etc/passwd', 'https://host/b')
    """
    head, mark, rest = text.replace("\\", "/").partition("://")
    if not mark:
        head, rest = "", head
    whole = posixpath.normpath(rest)
    if whole.startswith("//"):
        whole = whole[1:]
    return f"{head}{mark}{whole}{'/' if rest.endswith('/') and whole != '/' else ''}"


def _text(value: Any) -> str:
    return value if isinstance(value, str) else msgspec.json.encode(value, enc_hook=str).decode()


def fits(pattern: str, text: str) -> bool:
    """Whether a text fits a pattern with ``*``.

    >>> fits("file_*", "file_tools"), fits("*.txt", "a.txt.exe")
    (True, False)
    """
    first, *parts = pattern.split("*")
    if not parts:
        return text == pattern
    *middle, last = parts
    if not text.startswith(first):
        return False
    at, end = len(first), len(text) - len(last)
    for part in middle:
        at = text.find(part, at, end)
        if at < 0:
            return False
        at += len(part)
    return at <= end and text.endswith(last)

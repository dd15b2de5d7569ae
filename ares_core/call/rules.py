"""The standing rules of ``approvals.rules``: the strictest that fits holds."""

from __future__ import annotations

from collections.abc import Sequence
from fnmatch import fnmatchcase

from ares_core.call.authorise import denied
from ares_core.calls import Ask, Deny, Effects, ToolCall
from ares_core.settings import ApprovalRule

ALWAYS = Ask("this tool always asks")
"""What ``requires_approval`` asks."""
STRICTNESS = ("allow", "ask", "deny")


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
    fitting = [rule for rule in rules if fnmatchcase(call.name, rule.tool) and _has_effect(call, rule.effect)]
    if not fitting:
        return None
    rule = max(fitting, key=lambda rule: STRICTNESS.index(rule.answer))
    reason = rule.reason or f"approvals.rules says {rule.answer} for {rule.tool!r}"
    if rule.answer == "deny":
        return Deny(reason)
    return Ask(reason) if rule.answer == "ask" else True


def _has_effect(call: ToolCall, effect: str) -> bool:
    effects = call.effects or Effects()
    return effect == "any" or bool(getattr(effects, effect))

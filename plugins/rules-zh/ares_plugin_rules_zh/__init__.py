"""Chinese rules for the planner."""

from __future__ import annotations

from functools import lru_cache

from ares_core import RuleSet, hookimpl


@lru_cache(maxsize=1)
def chinese() -> RuleSet:
    """Make the rule set ``rules-zh``, once for all who ask."""
    from ares_plugin_rules_zh import arithmetic, data, dates, documents, files, hashes, statistics, texts, web
    from ares_plugin_rules_zh.extractors import EXTRACTORS
    from ares_plugin_rules_zh.words import WORDS

    parts = (arithmetic, statistics, hashes, texts, documents, web, data, dates, files)
    rules = (*files.WRITTEN, *(rule for part in parts for rule in part.RULES))
    return RuleSet("rules-zh", "zh", rules, EXTRACTORS, WORDS)


@hookimpl
def register_rule_sets() -> list[RuleSet]:
    """Bring the rule set ``rules-zh``."""
    return [chinese()]

"""English rules for the planner."""

from __future__ import annotations

from functools import lru_cache

from ares_core import RuleSet, hookimpl


@lru_cache(maxsize=1)
def english() -> RuleSet:
    """Make the rule set ``rules-en``, once for all who ask."""
    from ares_plugin_rules_en import arithmetic, data, dates, documents, files, hashes, statistics, texts, unquoted, web
    from ares_plugin_rules_en.extractors import EXTRACTORS
    from ares_plugin_rules_en.words import WORDS

    parts = (arithmetic, statistics, hashes, texts, documents, web, data, dates, files, unquoted)
    rules = (*files.WRITTEN, *(rule for part in parts for rule in part.RULES))
    return RuleSet("rules-en", "en", rules, EXTRACTORS, WORDS)


@hookimpl
def register_rule_sets() -> list[RuleSet]:
    """Bring the rule set ``rules-en``."""
    return [english()]

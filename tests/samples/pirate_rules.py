"""The rules of a pirate, written by someone who knows nothing of the planner's inside."""

from __future__ import annotations

from collections.abc import Iterator

from ares_core import Extraction, Rule, RuleSet, Words, hookimpl

COINS = {"doubloon": 8, "guinea": 21}


def coin(text: str, start: int) -> Iterator[Extraction]:
    """Read the name of a coin as its worth."""
    for name, worth in COINS.items():
        if text.startswith(name, start):
            yield Extraction(str(worth), start, start + len(name))


RULES = (
    Rule(
        "tally",
        ("tally [up] {values}", "how big be the booty of {values}"),
        ("Summation", "Arithmetic"),
        "sum({values})",
    ),
    Rule("plunder", ("{a} plundered from {b}",), ("Arithmetic",), "{b}-{a}"),
    Rule("shares", ("{a} shared by {b}",), ("Arithmetic",), "{a}/{b}"),
    Rule("worth", ("{a} pieces o' {c:coin}",), ("Arithmetic",), "{a}*{c}"),
    Rule(
        "voyage",
        ("from {first:number} to {last:number}",),
        reads="series",
        arguments={"first": "{first}", "last": "{last}"},
    ),
    Rule(
        "shout",
        ("(shout|bellow) {text}",),
        ("Shouting",),
        arguments={"operation": ("upper", "shout"), "input": "{text}"},
        excludes=("whisper",),
    ),
    Rule("bury", ("bury {text}",), ("Hashing",), arguments={"operation": "{how}", "input": "{text}", "depth?": 6}),
    Rule("bury deep", ("bury {text} like {how}",), ("Hashing",), arguments={"operation": "{how}", "input": "{text}"}),
    Rule("the old way", ("blackbeard",), reads="how", arguments={"value": "md5"}),
    Rule("sum", ("{value}",), ("Arithmetic",), "{value}"),
)
WORDS = Words(
    openers=("arr", "ahoy", "matey", "would ye"),
    closers=("aye", "or walk the plank"),
    ignored=("the",),
    separators=(",", "an'", ", an'"),
    joiners=(", then", "an' then"),
    references=("the loot", "it"),
    pointers=("this here (scroll|map)",),
    negations=("belay", "nay"),
    mentions=("legend has it",),
    bounds=("an'", "then", "of"),
)
PIRATE = RuleSet("pirate", "en", RULES, {"coin": coin}, WORDS)


@hookimpl
def register_rule_sets() -> list[RuleSet]:
    return [PIRATE]

"""Changing and counting text, and identifiers, in English words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ares_core import Rule

NOUN = "(string|text|word|words|phrase|sentence|message|password|value|name|characters)"
TERM = f"({{text:term}}|[the|this|following|a] {NOUN} [:] {{text:quoted}}|the {NOUN} {{text}})"
TEXT = f"({{text}}|[the|this|following|a] {NOUN} [:] {{text:quoted}}|the {NOUN} {{text}})"


def named(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Mark as optional the arguments whose names end in an underscore."""
    return {f"{name[:-1]}?" if name.endswith("_") else name: value for name, value in arguments.items()}


def strings(
    name: str, operation: str | tuple[str, ...], *phrases: str, excludes: tuple[str, ...] = (), **arguments: Any
) -> Rule:
    """Make a rule for an operation on a text."""
    given: Mapping[str, Any] = {"operation": operation, "input": "{text}", **arguments}
    return Rule(name, phrases, ("StringManipulation", "TextProcessing"), arguments=given, excludes=excludes)


UPPER = "(uppercase|upper-case|upper case|upper|capital letters|capitals|caps|all caps|all capitals|all uppercase)"
LOWER = "(lowercase|lower-case|lower case|lower|small letters|all lowercase)"
INTO = "(convert|change|turn|make|transform|put|write|set|switch)"
BLANKS = "(spaces|whitespace|white space|blanks)"
SPACES = f"(leading|trailing|surrounding|outer|leading and trailing) {BLANKS}"
KINDS = tuple(
    "vowels vowel consonants consonant digits digit numbers number letters characters words lines sentences paragraphs "
    "punctuation symbols emojis capitals duplicates whitespace everything anything something".split()
)
"""Words that name a kind of text, and stand for none themselves."""
SIGNS = tuple(
    "comma commas space spaces blank blanks semicolon semicolons hyphen hyphens dash dashes newline newlines underscore "
    "underscores tab tabs dot dots period periods colon colons slash slashes".split()
)
CHARACTERS = "(characters|letters|chars|digits|places)"
FILL: dict[str, Any] = {"fill?": "{fill}"}
STRINGS = (
    strings(
        "upper case",
        "upper",
        f"(uppercase|upper-case|upper case|upcase) {TERM}",
        f"{INTO} {TEXT} [to|into|in] {UPPER}",
        f"{TEXT} (in|to) {UPPER}",
        f"{UPPER} (of|version of) {TEXT}",
    ),
    strings(
        "lower case",
        "lower",
        f"(lowercase|lower-case|lower case|downcase) {TERM}",
        f"{INTO} {TEXT} [to|into|in] {LOWER}",
        f"{TEXT} (in|to) {LOWER}",
        f"{LOWER} (of|version of) {TEXT}",
    ),
    strings(
        "title case",
        "title",
        f"(title-case|title case|titlecase) {TEXT}",
        f"{INTO} {TEXT} [to|into|in] (title case|title-case)",
    ),
    strings("capitalise", "capitalize", f"(capitalize|capitalise) {TERM}"),
    strings(
        "trim",
        "trim",
        f"trim {TERM}",
        f"(trim|strip) [leading|trailing|surrounding|outer|leading and trailing] {BLANKS} (from|off|of|in|around) {TERM}",
        f"(remove|delete) {SPACES} (from|off|of|in|around) {TERM}",
        f"(remove|delete) {BLANKS} around {TERM}",
        f"strip {TERM}",
        f"(remove|strip|trim) [leading|trailing|surrounding|outer|leading and trailing] {BLANKS} (from|at) [both] ends of {TERM}",
    ),
    strings(
        "reverse",
        "reverse",
        f"reverse {TERM}",
        f"{TERM} (reversed|backwards|in reverse)",
        f"(spell|write) {TERM} (backwards|in reverse)",
        f"reverse of {TERM}",
        excludes=("psychology", "engineering", "engineer", "proxy", "dns", "gear", "mortgage", "osmosis", "auction"),
    ),
    strings(
        "length",
        "length",
        f"(length|number of characters|number of letters|character count) (of|in) {TERM}",
        f"(count|number of) [of] (characters|letters) (in|of) {TERM}",
        f"(characters|letters) (are|are there|does|is) [in] {TERM} [have]",
        f"(how many|count) (characters|letters) (are|are there|is|) (in|of) {TERM}",
        f"how many (characters|letters) does {TERM} have",
        f"how long is {TERM}",
        "count [its] (characters|letters) {text:ref}",
        "(count|get|take) [its] length {text:ref}",
    ),
    strings(
        "count words",
        "count",
        f"count [number of] words (in|of) {TERM}",
        f"(number of words|word count) (in|of) {TERM}",
        f"how many words (are|are there|is|) (in|of) {TERM}",
        f"how many words does {TERM} (have|contain)",
        "count [its] words {text:ref}",
        "count number of words {text:ref}",
        unit="words",
    ),
    strings(
        "count lines",
        "count",
        f"count [number of] lines (in|of) {TERM}",
        f"(number of lines|line count) (in|of) {TERM}",
        f"how many lines (are|are there|is|) (in|of) {TERM}",
        "count [its] lines {text:ref}",
        unit="lines",
    ),
    strings(
        "count occurrences",
        "count",
        f"how (many times|often) does [letter|word|character] {{search:piece}} (appear|occur) in {TERM}",
        f"count [number of] [occurrences of] [letter|word|character] {{search:piece}} in {TERM}",
        f"how many [occurrences of] {{search:quoted}} (are|are there|is|) in {TERM}",
        unit="occurrences",
        search="{search}",
    ),
    strings(
        "replace",
        "replace",
        f"replace [all] [occurrences of] {{old:piece}} (with|by) {{new:piece}} in {TEXT}",
        f"in {TEXT} [,] replace {{old:piece}} (with|by) {{new:piece}}",
        f"(substitute|change) {{old:piece}} (with|to|by) {{new:piece}} in {TEXT}",
        old="{old}",
        new="{new}",
    ),
    strings(
        "remove",
        "replace",
        f"(remove|delete) [all] [occurrences of] {{old:quoted}} (from|in) {TEXT}",
        old="{old}",
        new="",
    ),
    strings(
        "remove spaces",
        "replace",
        f"(remove|delete) [all] (spaces|blanks) (from|in|of) {TERM}",
        old=" ",
        new="",
    ),
    strings(
        "contains",
        "contains",
        f"does {TEXT} (contain|include) {{search:quoted}}",
        f"(check|test|see) (if|whether) {TEXT} (contains|includes) {{search:quoted}}",
        f"is {{search:quoted}} (in|part of|contained in) {TEXT}",
        excludes=("what", "what's"),
        search="{search}",
    ),
    strings(
        "starts with",
        "starts_with",
        f"does {TEXT} (start|begin) with {{search:quoted}}",
        f"(check|test|see) (if|whether) {TEXT} (starts|begins) with {{search:quoted}}",
        search="{search}",
    ),
    strings(
        "ends with",
        "ends_with",
        f"does {TEXT} end (with|in) {{search:quoted}}",
        f"(check|test|see) (if|whether) {TEXT} ends (with|in) {{search:quoted}}",
        search="{search}",
    ),
    strings(
        "split",
        "split",
        f"split {TEXT} (on|by|at|using|with) [delimiter|separator] {{delimiter:sign}}",
        f"split {TEXT} (into|in) (words) [on|by|at] {{delimiter:sign}}",
        delimiter="{delimiter}",
    ),
    strings("repeat", "repeat", f"repeat {TERM} {{times:count}} times", times="{times}"),
    strings(
        "truncate",
        "truncate",
        f"(truncate|shorten|cut) {TEXT} (to|after|at) {{length:count}} (characters|letters|chars)",
        length="{length}",
    ),
    strings(
        "beginning",
        "substring",
        f"first {{end:count}} (characters|letters|chars) (of|in|from) {TEXT}",
        start=0,
        end="{end}",
    ),
    strings(
        "from character to character",
        "substring",
        f"(characters|letters|chars) {{start:index}} (to|through|-) {{end:count}} (of|in|from) {TEXT}",
        start="{start}",
        end="{end}",
    ),
    strings(
        "pad",
        "pad",
        f"pad {TERM} to {{length:count}} {CHARACTERS}",
        f"pad {TERM} (with|using) {{fill:sign}} to {{length:count}} {CHARACTERS}",
        f"pad {TERM} to {{length:count}} {CHARACTERS} (with|using) {{fill:sign}}",
        length="{length}",
        **FILL,
    ),
    Rule(
        "join",
        (
            "(join|concatenate|concat) [these] [texts|strings|words] [:] {texts} (with|by|using|on) [delimiter] {by:sign}",
            "(join|concatenate|concat) {texts:refs} (with|by|using|on) [delimiter] {by:sign}",
        ),
        ("StringManipulation", "TextProcessing"),
        arguments={"operation": "join", "join_items": "{texts}", "delimiter": "{by}"},
    ),
    Rule(
        "concatenate",
        (
            "(concatenate|concat|join) [these] [texts|strings|words] [:] {texts} [together]",
            "(concatenate|concat|join) {texts:refs} [together]",
        ),
        ("StringManipulation", "TextProcessing"),
        arguments={"operation": "join", "join_items": "{texts}", "delimiter": ""},
    ),
    Rule("quoted piece", ("{p:sign}",), reads="piece", arguments={"value": "{p}"}),
    Rule("bare piece", ("{p:word}",), reads="piece", arguments={"value": "{p}"}, excludes=(*KINDS, *SIGNS)),
    Rule("quoted sign", ("[a|an] {p:quoted}",), reads="sign", arguments={"value": "{p}"}),
    Rule("comma", ("[a|an] (comma|commas|,)",), reads="sign", arguments={"value": ","}),
    Rule("space", ("[a|an] (space|spaces|whitespace|blank|blanks)",), reads="sign", arguments={"value": " "}),
    Rule("semicolon", ("[a] (semicolon|semicolons)",), reads="sign", arguments={"value": ";"}),
    Rule("hyphen", ("[a] (hyphen|hyphens|dash|dashes)",), reads="sign", arguments={"value": "-"}),
    Rule("underscore", ("[an] (underscore|underscores)",), reads="sign", arguments={"value": "_"}),
    Rule("tab", ("[a] (tab|tabs)",), reads="sign", arguments={"value": "\t"}),
    Rule("dot", ("[a] (dot|dots|period|periods|full stop|full stops)",), reads="sign", arguments={"value": "."}),
    Rule("colon", ("[a] (colon|colons)",), reads="sign", arguments={"value": ":"}),
    Rule("slash", ("[a] (slash|slashes)",), reads="sign", arguments={"value": "/"}),
    Rule("newline", ("[a] (newline|newlines|line break|line breaks)",), reads="sign", arguments={"value": "\n"}),
)

ASKED = ("what", "what's", "whats", "is", "are", "什么")
"""Words of a question about identifiers; in a Chinese one the name may be all that is English."""
MAKE = "((generate|create|make|produce|new|give [me]|get [me]|i need) [me|us] [a|an|some]|a|an|some)"
IDENTIFIERS = (
    Rule(
        "uuid",
        (
            "[new|random|unique] (uuid|uuids|guid|guids) [v4|version 4|4|(of version 4)]",
            "uuid4",
            "uuidv4",
            "[new] [random|unique|globally unique] (id|ids|identifier|identifiers)",
        ),
        reads="random_id",
    ),
    Rule(
        "uuid7",
        ("[new] (uuid|uuids|guid) [v7|version 7|7]", "uuid7", "uuidv7", "uuidv7s", "time-ordered (uuid|uuids)"),
        reads="ordered_id",
    ),
    Rule(
        "generate uuids",
        (f"{MAKE} [{{count}}] {{id:random_id}}", "{count} {id:random_id}", "[new|random] (uuid|guid)"),
        ("IDGeneration",),
        arguments={"operation?": ("generate_uuid", "uuid", "uuid4"), "count?": "{count}"},
        excludes=("v7", "short", *ASKED),
    ),
    Rule(
        "generate ordered uuids",
        (f"{MAKE} [{{count}}] {{id:ordered_id}}", "{count} {id:ordered_id}"),
        ("IDGeneration",),
        arguments={"type": ("uuid7", "uuidv7"), "count?": "{count}"},
        excludes=ASKED,
    ),
    Rule(
        "generate ulids",
        (f"{MAKE} [{{count}}] [new] (ulid|ulids)", "{count} [new] (ulid|ulids)"),
        ("IDGeneration",),
        arguments={"type": "ulid", "count?": "{count}"},
        excludes=ASKED,
    ),
    Rule(
        "generate nanoids",
        (
            f"{MAKE} [{{count}}] [new] (nanoid|nanoids|nano id|nano ids)",
            "{count} [new] (nanoid|nanoids|nano id|nano ids)",
        ),
        ("IDGeneration",),
        arguments={"type": "nanoid", "count?": "{count}"},
        excludes=ASKED,
    ),
    Rule(
        "generate short ids",
        (
            f"{MAKE} [{{count}}] [new] [random] short (id|ids|identifier|identifiers)",
            "{count} [new] [random] short (id|ids|identifier|identifiers)",
        ),
        ("IDGeneration",),
        arguments={"operation": ("generate_short_id", "short"), "count?": "{count}"},
        excludes=ASKED,
    ),
)

RULES = (*STRINGS, *IDENTIFIERS)

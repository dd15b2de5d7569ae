"""JSON, patterns and PDF documents."""

from __future__ import annotations

from typing import Any

from ares_core import Rule
from ares_plugin_rules_en.texts import TEXT, named


def rule(name: str, capabilities: str, *phrases: str, **arguments: Any) -> Rule:
    """Make a rule; the names of optional arguments end in an underscore."""
    return Rule(name, phrases, tuple(capabilities.split()), arguments=named(arguments))


NAMED = "[the|this|following|a] [json] [data|document|object|string|text] [:]"
DATA = f"({NAMED} {{data:json}}|[json] {{data:quoted}}|{{data:ref}})"
GIVEN = f"({DATA}|{NAMED} {{data:braced}})"
REGEX = "[(with|using|by) [a] (regex|regular expression|pattern)]"
QUERY = "({query:quoted}|{query:jsonpath})"
JSON = (
    rule(
        "pretty JSON",
        "JSONProcessing",
        f"(pretty-print|pretty print|prettify|beautify|indent) [json] {GIVEN} [nicely] [as json]",
        f"format [json] {DATA} [nicely] [as json]",
        "format [the|this|following] json [:] {data:braced}",
        operation=("pretty", "prettify"),
        data="{data}",
    ),
    rule(
        "parse JSON",
        "JSONProcessing",
        f"parse [json] {DATA} [as json]",
        "parse [the|this|following] json [:] {data:braced}",
        operation="parse",
        data="{data}",
    ),
    rule(
        "validate JSON",
        "DataValidation JSONProcessing",
        f"validate [json] {DATA} [as json]",
        "(validate|check) [the|this|following] json [:] {data:braced}",
        "is (this|it|following) [a] (valid|correct) json [:] {data:braced}",
        f"is {DATA} [a] valid json",
        "is {data:braced} [a] valid json",
        f"(check|test) (if|whether) {DATA} is valid json",
        operation=("validate_json", "validate"),
        data="{data}",
    ),
    rule(
        "query JSON",
        "JSONProcessing",
        f"(get|extract|query|read) {QUERY} (from|in|of) {{data:json}}",
        "(get|extract|query|read) (value|field|key) [of|at|for] {query:quoted} (from|in|of) {data:json}",
        "{query:jsonpath} (from|in|of) {data:json}",
        operation=("query", "extract"),
        data="{data}",
        query="{query}",
    ),
    rule(
        "merge JSON",
        "JSONProcessing",
        "merge {other:json} (into|in) {data:json}",
        "merge {data:json} (and|with) {other:json}",
        operation="merge",
        data="{data}",
        other="{other}",
    ),
    rule(
        "patch JSON",
        "JSONProcessing",
        "(apply|use) [json] [patch] {patch:json} (to|on) {data:json}",
        "patch {data:json} with {patch:json}",
        operation="patch",
        data="{data}",
        patch="{patch}",
    ),
    rule(
        "compare JSON",
        "JSONProcessing",
        "(difference|differences|diff) (between|of) {data:json} and {other:json}",
        "(compare|diff) {data:json} (with|and|to|against) {other:json}",
        operation="diff",
        data="{data}",
        other="{other}",
    ),
)

PATTERN = "(regex|pattern|regular expression)"
PATTERNS = {
    "numbers": ("numbers|digits|integers", r"\d+"),
    "email addresses": ("emails|email addresses|e-mail addresses", r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+"),
    "links": ("urls|links|web addresses", r"https?://[^\s<>\"']+"),
    "hashtags": ("hashtags", r"#\w+"),
}
REGEXES = (
    *(
        rule(
            f"extract {name}",
            "Regex",
            f"(extract|find|get|list) [all] [of] ({words}) (in|from|out of) {TEXT} {REGEX}",
            operation="extract",
            text="{text}",
            pattern=pattern,
        )
        for name, (words, pattern) in PATTERNS.items()
    ),
    rule(
        "match a pattern",
        "Regex",
        f"(match|test) [regex|pattern|regular expression] {{pattern:quoted}} (against|in|on) {TEXT}",
        f"(match|test) {TEXT} (against|with) [regex|pattern|regular expression] {{pattern:quoted}}",
        f"does {TEXT} match [regex|pattern|regular expression] {{pattern:quoted}}",
        operation="match",
        text="{text}",
        pattern="{pattern}",
    ),
    rule(
        "extract a pattern",
        "Regex",
        f"(extract|find) [all] [matches (of|for)] (regex|pattern|regular expression) {{pattern:quoted}} (in|from) {TEXT}",
        operation="extract",
        text="{text}",
        pattern="{pattern}",
    ),
    rule(
        "replace a pattern",
        "Regex",
        f"replace [all|every] [matches of] {PATTERN} {{pattern:quoted}} (with|by) {{new:quoted}} in {TEXT}",
        f"in {TEXT} [,] replace [all|every] [matches of] {PATTERN} {{pattern:quoted}} (with|by) {{new:quoted}}",
        operation="replace",
        text="{text}",
        pattern="{pattern}",
        replacement="{new}",
    ),
    rule(
        "split by a pattern",
        "Regex",
        f"split {TEXT} (by|on|at|with|using) [a] {PATTERN} {{pattern:quoted}}",
        operation="split",
        text="{text}",
        pattern="{pattern}",
    ),
    rule(
        "match with a pattern",
        "Regex",
        f"match {TEXT} (with|using) [a] (regex|regular expression) [{{pattern:quoted}}]",
        operation="match",
        text="{text}",
        pattern="{pattern}",
    ),
)

READ = "(read|open|parse|load|extract [text|content] [(from|of|in|out of)]|get text (from|of|in)|text (of|from|in))"
PART = "[pdf] [file|document] [at|called|named]"
OPERATION = ("text", "extract_text")
PDF = (
    rule(
        "text of a PDF",
        "TextExtraction PDFParsing",
        f"{READ} {PART} {{path:pdf}}",
        f"{READ} {PART} {{path:pdf}} [,] (page|pages) {{pages}}",
        f"{READ} (page|pages) {{pages}} (of|from|in) {PART} {{path:pdf}}",
        "(page|pages) {pages} (of|from|in) [pdf] [file] {path:pdf}",
        operation=OPERATION,
        path="{path}",
        pages_="{pages}",
    ),
    rule(
        "text of what was fetched",
        "TextExtraction PDFParsing",
        "extract [its|all] (text|content|words) [from|of|in|out of] {path:ref}",
        "(read|parse) {path:ref}",
        "get [its] text (from|of|out of) {path:ref}",
        operation=OPERATION,
        path="{path}",
    ),
    rule(
        "facts about a PDF",
        "PDFParsing TextExtraction",
        f"(metadata|meta data|properties|author|title|number of pages|page count) (of|in) {PART} {{path:pdf}}",
        f"how many pages (does|do) {PART} {{path:pdf}} (have|contain)",
        f"how many pages (are|are there|) in {PART} {{path:pdf}}",
        f"who (wrote|is author of) {PART} {{path:pdf}}",
        operation=("metadata", "info"),
        path="{path}",
    ),
    rule(
        "outline of a PDF",
        "PDFParsing TextExtraction",
        f"[list|show|extract] (outline|table of contents|bookmarks|chapters) (of|in|from) {PART} {{path:pdf}}",
        operation="outline",
        path="{path}",
    ),
    rule(
        "form fields of a PDF",
        "PDFParsing TextExtraction",
        f"[list|show|extract|read] [all] [form] fields (of|in|from) {PART} {{path:pdf}}",
        operation="form_fields",
        path="{path}",
    ),
)

RULES = (*JSON, *REGEXES, *PDF)

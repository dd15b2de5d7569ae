"""Documents, data, the web, code, dates and files."""

from __future__ import annotations

from typing import Any

from ares_core import Rule
from ares_plugin_rules_en.texts import TEXT, named


def rule(name: str, capabilities: str, *phrases: str, **arguments: Any) -> Rule:
    """Make a rule; the names of optional arguments end in an underscore."""
    return Rule(name, phrases, tuple(capabilities.split()), arguments=named(arguments))


DATA = "({data:json}|[json] {data:quoted})"
REGEX = "[(with|using|by) [a] (regex|regular expression|pattern)]"
JSON = (
    rule(
        "pretty JSON",
        "JSONProcessing",
        f"(pretty-print|pretty print|prettify|beautify|format|indent) [json] {DATA} [nicely] [as json]",
        operation=("pretty", "prettify"),
        data="{data}",
    ),
    rule("parse JSON", "JSONProcessing", f"parse [json] {DATA} [as json]", operation="parse", data="{data}"),
    rule(
        "validate JSON",
        "DataValidation JSONProcessing",
        f"validate [json] {DATA} [as json]",
        f"is {DATA} valid json",
        f"(check|test) (if|whether) {DATA} is valid json",
        operation=("validate_json", "validate"),
        data="{data}",
    ),
    rule(
        "query JSON",
        "JSONProcessing",
        "(get|extract|query|read) {query:quoted} (from|in|of) {data:json}",
        operation=("query", "extract"),
        data="{data}",
        query="{query}",
    ),
)

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
        "match with a pattern",
        "Regex",
        f"match {TEXT} (with|using) [a] (regex|regular expression) [{{pattern:quoted}}]",
        operation="match",
        text="{text}",
        pattern="{pattern}",
    ),
)

READ = "(read|open|parse|load|extract [text] [(from|of|in)]|get text (from|of|in)|extract text (from|of|in))"
PDF = (
    rule(
        "text of a PDF",
        "TextExtraction PDFParsing",
        f"{READ} [pdf] [file|document] [at] {{path:pdf}}",
        f"{READ} [pdf] [file|document] [at] {{path:pdf}} [,] (page|pages) {{pages}}",
        f"{READ} (page|pages) {{pages}} (of|from|in) [pdf] [file] {{path:pdf}}",
        operation=("text", "extract_text"),
        path="{path}",
        pages_="{pages}",
    ),
    rule(
        "facts about a PDF",
        "PDFParsing TextExtraction",
        "(metadata|properties) of [pdf] {path:pdf}",
        operation=("metadata", "info"),
        path="{path}",
    ),
)

WEB = (
    rule(
        "search the web",
        "WebSearch",
        "(search|look) [on] (web|internet|net|online) for {query:rest}",
        "(google|web search|websearch) [for] {query:rest}",
        "search [for] {query:rest} (online|on the web|on the internet)",
        "search for {query:rest}",
        "web search [for|:] {query:rest}",
        "look up {query:rest} online",
        query="{query}",
    ),
    rule(
        "scrape a page",
        "WebFetch",
        "(scrape|crawl) [page|website] [at] {url}",
        "(text|title|content|links) (of|from|at) [page] [at] {url}",
        url="{url}",
    ),
    rule(
        "fetch an address",
        "HTTPRequest WebFetch",
        "(fetch|download|request|open|load|visit|curl|get|retrieve) [page|file|pdf|contents of|content of] [at|from] {url}",
        "[send] [a] (get|http) request to {url}",
        url="{url}",
        method_="GET",
    ),
    rule("post to an address", "HTTPRequest", "(post|send) {json} to {url}", url="{url}", method="POST", json="{json}"),
)

CODE = (
    rule(
        "run Python",
        "CodeExecution",
        "(run|execute) [python] [code|script|snippet] [:] {code:snippet} [in python]",
        "(run|execute) {code:python}",
        language="python",
        code="{code}",
    ),
    rule(
        "run JavaScript",
        "CodeExecution",
        "(run|execute) (javascript|js) [code|snippet] [:] {code:snippet}",
        language=("javascript", "js"),
        code="{code}",
    ),
    Rule("code", ("{c:quoted}",), reads="snippet", arguments={"value": "{c}"}),
    Rule("python code", ("python [code|script|snippet] [:] {c:quoted}",), reads="python", arguments={"value": "{c}"}),
)

OTHERS = (
    rule(
        "embed a text",
        "Embedding",
        f"(embed|vectorize|vectorise) {TEXT}",
        f"[generate|create|compute|calculate|make] [an|a] (embedding|embeddings|vector|embedding vector) (for|of) {TEXT}",
        operation=("embed",),
        text="{text}",
    ),
    rule(
        "now",
        "DateTime",
        "current (time|date|date and time)",
        "what (time|day|date) is it",
        "(time|date) is it",
        "(time|date) (now|right now)",
        "today's date",
        "what day is today",
        operation="now",
    ),
    rule(
        "now elsewhere",
        "DateTime",
        "(current time|time|what time is it|time is it) in {zone}",
        operation="now",
        zone="{zone}",
    ),
    rule(
        "between dates",
        "DateTime",
        "days (between|from) {a:date} (and|to|until) {b:date}",
        "difference between {a:date} and {b:date}",
        "number of days (between|from) {a:date} (and|to|until) {b:date}",
        operation="diff",
        value="{a}",
        other="{b}",
    ),
    rule(
        "CSV to JSON",
        "DataTransform",
        f"(convert|turn|transform) [csv] {TEXT} [from csv] (to|into) json",
        operation="csv_to_json",
        data="{text}",
    ),
    rule(
        "JSON to CSV",
        "DataTransform",
        "(convert|turn|transform) {json} (to|into) csv",
        operation="json_to_csv",
        data="{json}",
    ),
    rule("flatten JSON", "DataTransform", "flatten {json}", operation=("flatten", "flatten_json"), data="{json}"),
    rule(
        "valid address",
        "DataValidation",
        "is {email} [a] valid (email|email address)",
        "(validate|check) [email] [address] {email}",
        operation="validate_email",
        data="{email}",
    ),
    rule(
        "valid URL",
        "DataValidation",
        "is {url} [a] valid (url|link|address)",
        "validate [url] {url}",
        operation="validate_url",
        data="{url}",
    ),
    rule(
        "errors in a log",
        "LogAnalysis",
        f"(find|list|show|count) [all] errors in [log|logs] {TEXT}",
        f"(analyze|analyse) [log|logs] {TEXT}",
        operation="find_errors",
        log_content="{text}",
    ),
    rule(
        "read a file",
        "FileOperations",
        "(read|open|show|print|display|cat) [contents of|content of] [file] {path}",
        operation="read",
        path="{path}",
    ),
    rule(
        "list a folder",
        "FileOperations",
        "list [all] (files|contents) (in|of|under) [folder|directory] {path}",
        operation="list",
        path="{path}",
    ),
    rule(
        "write a file",
        "FileOperations",
        "(write|save) {content:quoted} (to|into|in) [file] {path}",
        operation="write",
        path="{path}",
        content="{content}",
    ),
    rule("delete a file", "FileOperations", "(delete|remove) [file] {path}", operation="delete", path="{path}"),
)

RULES = (*JSON, *REGEXES, *PDF, *WEB, *CODE, *OTHERS)

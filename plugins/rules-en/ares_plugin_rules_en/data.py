"""Data, logs and embeddings."""

from __future__ import annotations

from ares_plugin_rules_en.documents import DATA, rule
from ares_plugin_rules_en.texts import TEXT

INTO = "(convert|turn|transform|change|make)"
TABLES = (
    rule(
        "CSV to JSON",
        "DataTransform",
        f"{INTO} [the|this] [csv] [data|text] [:] {TEXT} [from csv] (to|into) json",
        f"{INTO} (the|this|following) csv [data|text] (to|into) json : {{text:quoted}}",
        operation="csv_to_json",
        data="{text}",
    ),
    rule(
        "JSON to CSV",
        "DataTransform",
        f"{INTO} [the|this] [json] {{data:json}} [from json] (to|into) [a] csv",
        f"{INTO} (the|this|following) json [data|text] (to|into) [a] csv : {{data:json}}",
        operation="json_to_csv",
        data="{data}",
    ),
    rule(
        "flatten JSON",
        "DataTransform",
        "flatten [the|this] [json] [object] {data:json}",
        operation=("flatten", "flatten_json"),
        data="{data}",
    ),
    rule(
        "unflatten JSON",
        "DataTransform",
        "(unflatten|un-flatten|nest) [the|this] [json] [object] {data:json}",
        operation=("unflatten", "unflatten_json"),
        data="{data}",
    ),
)

CHECKED = "(validate|check|verify|test)"
EMAIL = "(email|email address|e-mail|e-mail address)"
LINK = "(url|link|address|web address)"
CHECKS = (
    rule(
        "valid address",
        "DataValidation",
        f"is {{data:email}} [a] (valid|correct|real|proper) {EMAIL}",
        f"{CHECKED} [if|whether|that] {{data:email}} is [a] (valid|correct) {EMAIL}",
        f"{CHECKED} [email|e-mail] [address] {{data:email}}",
        operation="validate_email",
        data="{data}",
    ),
    rule(
        "valid URL",
        "DataValidation",
        f"is {{data:url}} [a] (valid|correct|proper) {LINK}",
        f"{CHECKED} [if|whether|that] {{data:url}} is [a] (valid|correct) {LINK}",
        f"{CHECKED} [url|link|address] {{data:url}}",
        operation="validate_url",
        data="{data}",
    ),
    rule(
        "follows a schema",
        "DataValidation",
        f"{CHECKED} [json] {DATA} (against|with|by) [json] [schema] {{schema:json}}",
        "does {data:json} (match|follow|fit|satisfy|conform to) [json] schema {schema:json}",
        operation="validate_schema",
        data="{data}",
        schema="{schema}",
    ),
)

LOG = f"[the|this] [log|logs|log file] [:] {TEXT}"
LOGS = (
    rule(
        "errors in a log",
        "LogAnalysis",
        f"(find|list|show|count|extract|get) [all] (errors|problems|failures) (in|from|of) {LOG}",
        f"(analyze|analyse) (log|logs) [:] {TEXT} [for errors]",
        f"(are there|are) [any] errors in (log|logs) [:] {TEXT}",
        operation="find_errors",
        log_content="{text}",
    ),
    rule(
        "entries of a log",
        "LogAnalysis",
        f"parse (log|logs|log file|log lines|log line) [:] {TEXT}",
        operation="parse_log",
        log_content="{text}",
    ),
    rule(
        "metrics of a log",
        "LogAnalysis",
        f"(extract|get|find|list) [all] (metrics|figures|measurements) (in|from|of) {LOG}",
        operation="extract_metrics",
        log_content="{text}",
    ),
)

MAKE = "[generate|create|compute|calculate|make|get] [an|a]"
VECTOR = "(embedding|embeddings|vector|vectors|embedding vector|embedding vectors)"
THESE = "[these|both] [texts|strings|sentences|words] [:] {texts}"
EMBEDDINGS = (
    rule(
        "embed a text",
        "Embedding",
        f"(embed|vectorize|vectorise) {TEXT}",
        f"{MAKE} {VECTOR} (for|of|from) {TEXT}",
        operation=("embed",),
        text="{text}",
    ),
    rule(
        "embed texts",
        "Embedding",
        f"(embed|vectorize|vectorise) {THESE}",
        "(embed|vectorize|vectorise) {texts:refs}",
        f"{MAKE} {VECTOR} (for|of|from) {THESE}",
        operation="embed_batch",
        texts="{texts}",
    ),
    rule(
        "similarity of texts",
        "Embedding",
        "how (similar|close|near) (are|is) {a:quoted} (and|to) {b:quoted}",
        "[semantic|cosine] similarity (between|of) {a:quoted} (and|to|with) {b:quoted}",
        operation="similarity",
        text="{a}",
        other="{b}",
    ),
)

RULES = (*TABLES, *CHECKS, *LOGS, *EMBEDDINGS)

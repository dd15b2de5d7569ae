"""What the models are told: descriptions, parameters and examples of the three tools."""

from __future__ import annotations

from typing import Any

LONGEST = 2_000_000
MAY_TAKE_LONG = {"schema", "error_patterns", "metric_patterns"}
"""Arguments with which even a short text may take a while."""
MAX_RESULTS: dict[str, Any] = {
    "type": "integer",
    "minimum": 1,
    "maximum": 1_000,
    "description": "How many lines are listed, 100 if left out; all are counted.",
}
DESCRIPTIONS = {
    "data_transform": "Turn CSV into JSON and back (RFC 4180: quotes, line ends in cells), or flatten nested JSON into "
    "one object with paths for keys and back again, without loss. The order of rows, columns and keys stays.",
    "data_validation": "Say whether something is valid: JSON, an email address, a web address, or JSON that fits a "
    "JSON Schema. The verdict comes with a reason and the place of each fault.",
    "log_analyzer": "Read a log (JSON lines, Apache common and combined, syslog, or lines with time and level): parse "
    "it, find the errors, or collect figures with their units.",
}
PARAMETERS: dict[str, dict[str, Any]] = {
    "data_transform": {
        "type": "object",
        "properties": {
            "operation": {
                "type": "string",
                "enum": ["csv_to_json", "json_to_csv", "flatten", "unflatten", "flatten_json", "unflatten_json"],
                "description": "csv_to_json: rows as objects (all values are text); json_to_csv: an array of objects "
                "or arrays as CSV; flatten: {\"a\": {\"b\": [1]}} becomes {\"a.b.0\": 1}; unflatten: the way back.",
            },
            "data": {"maxLength": LONGEST, "description": "CSV text, or JSON as text or value."},
            "delimiter": {
                "type": "string",
                "minLength": 1,
                "maxLength": 9,
                "description": "Between cells: one character, 'tab', or 'auto' to look at the text; ',' if left out.",
            },
            "has_header": {
                "type": "boolean",
                "description": "Whether the first row of the CSV names the columns; true if left out.",
            },
            "separator": {
                "type": "string",
                "minLength": 1,
                "maxLength": 5,
                "description": "Between the parts of a path in flatten and unflatten; '.' if left out.",
            },
        },
        "required": ["operation", "data"],
        "additionalProperties": False,
    },
    "data_validation": {
        "type": "object",
        "properties": {
            "operation": {
                "type": "string",
                "enum": ["validate_json", "validate_email", "validate_url", "validate_schema", "json", "email", "url",
                         "schema"],
                "description": "What to check; the short names mean the same.",
            },
            "data": {
                "maxLength": LONGEST,
                "description": "The text to check; for validate_schema JSON as text, or the value itself.",
            },
            "schema": {
                "type": ["object", "boolean", "string"],
                "maxLength": LONGEST,
                "description": "For validate_schema: a JSON Schema, draft 2020-12 unless $schema says another. "
                "References must be local; formats are checked.",
            },
        },
        "required": ["operation", "data"],
        "additionalProperties": False,
    },
    "log_analyzer": {
        "type": "object",
        "properties": {
            "operation": {
                "type": "string",
                "enum": ["parse_log", "find_errors", "extract_metrics", "parse", "errors", "metrics"],
                "description": "parse_log: entries, and how many of each level; find_errors: the lines that tell of "
                "one, and why; extract_metrics: count, min, max, avg and sum of figures with units.",
            },
            "log_content": {"type": "string", "maxLength": LONGEST, "description": "The text of the log."},
            "log_format": {
                "type": "string",
                "enum": ["auto", "json", "common", "combined", "syslog", "simple"],
                "description": "The format of the lines; 'auto', if left out, looks at the first ones.",
            },
            "error_patterns": {
                "type": "array",
                "items": {"type": "string", "minLength": 1, "maxLength": 1_000},
                "maxItems": 20,
                "description": "For find_errors: regular expressions (RE2, case ignored) to look for instead of the "
                "usual levels and words.",
            },
            "metric_patterns": {
                "type": "array",
                "items": {"type": "string", "minLength": 1, "maxLength": 1_000},
                "maxItems": 20,
                "description": "For extract_metrics: 'name:regular expression' (RE2) whose first group is the figure, "
                "looked for besides the usual ones, such as 'queue_length:queue=(\\d+)'.",
            },
            "max_results": MAX_RESULTS,
        },
        "required": ["operation", "log_content"],
        "additionalProperties": False,
    },
}  # fmt: skip
EXAMPLES: dict[str, tuple[dict[str, Any], ...]] = {
    "data_transform": (
        {"operation": "csv_to_json", "data": 'name,said\nAda,"one\ntwo"\n'},
        {"operation": "json_to_csv", "data": [{"a": 1, "b": "x,y"}, {"a": 2}]},
        {"operation": "flatten", "data": {"a": {"b": [1, {}]}}},
        {"operation": "unflatten", "data": {"a.b.0": 1, "a.b.1": {}}},
    ),
    "data_validation": (
        {"operation": "validate_email", "data": "ada@example.org"},
        {"operation": "validate_url", "data": "https://example.org:8080/a?b=c"},
        {"operation": "validate_json", "data": "[1,]"},
        {"operation": "validate_schema", "data": {"age": -1}, "schema": {"properties": {"age": {"minimum": 0}}}},
    ),
    "log_analyzer": (
        {"operation": "parse_log", "log_content": "2026-01-02 03:04:05 ERROR disk full\n2026-01-02 03:04:06 INFO ok"},
        {"operation": "find_errors", "log_content": "INFO 0 errors\nERROR disk full\nWARN connection timed out"},
        {"operation": "extract_metrics", "log_content": "took 12 ms\ntook 18.5 ms, 5 sessions, cpu 93%"},
    ),
}

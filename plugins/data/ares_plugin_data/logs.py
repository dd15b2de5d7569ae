"""What ``log_analyzer`` does, by the name of the operation."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any

from ares_core import ToolError
from ares_plugin_data.lines import ORDER, Entry, entries_of, numbered, recognise
from ares_plugin_data.metrics import metrics_of
from ares_plugin_data.patterns import compiled

OTHER_NAMES = {"parse": "parse_log", "errors": "find_errors", "metrics": "extract_metrics"}
RESULTS = 100
MOST_LINES = 100_000
LONGEST = 500
"""Characters of a line that are given back."""
WORDS = re.compile(
    r"\b(?:errors?|exceptions?|failed|failures?|fatal|panic|stack ?trace|traceback|timed? ?out|timeout|denied|refused"
    r"|critical|unhandled|segfault)\b",
    re.IGNORECASE,
)
NONE_OF_THEM = re.compile(r"(?:\b(?:no|0|zero|without(?: any)?)\s{1,3}|=0\s{1,3})$", re.IGNORECASE)
NONE_AFTER = re.compile(r"(?:[_ ]?count)?\s?[=:]\s?0\b", re.IGNORECASE)


def run(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Run the operation that the arguments name."""
    named, text = arguments["operation"], arguments["log_content"]
    operation = OTHER_NAMES.get(named, named)
    _check(operation, named, arguments)
    given = arguments.get("log_format", "auto")
    log_format = recognise(text) if given == "auto" else given
    found = OPERATIONS[operation](text, log_format, arguments)
    return {"operation": operation, "format": log_format, **found}


def _check(operation: str, named: str, arguments: Mapping[str, Any]) -> None:
    for name, owner in (("error_patterns", "find_errors"), ("metric_patterns", "extract_metrics")):
        if name in arguments and operation != owner:
            raise _refusal(f"{named} takes no {name}", f"they are for {owner}")
    lines = arguments["log_content"].count("\n") + 1
    if lines > MOST_LINES:
        raise _refusal(f"the log has {lines:,} lines, more than {MOST_LINES:,}", "give a part of it")
    if not arguments["log_content"].strip():
        raise _refusal("the log is empty", "give at least one line")


def _refusal(message: str, hint: str) -> ToolError:
    return ToolError(f"{message}; nothing was read", hint=hint, blame="input")


def _parse(text: str, log_format: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
    most = arguments.get("max_results", RESULTS)
    found = list(entries_of(text, log_format))
    entries = [entry for entry in found if entry is not None]
    levels = Counter(entry.level for entry in entries if entry.level)
    times = [entry.timestamp for entry in entries if entry.timestamp]
    facts: dict[str, Any] = {"count": len(entries), "unparsed": len(found) - len(entries)}
    facts["levels"] = {level: levels[level] for level in ORDER if level in levels}
    if log_format in ("common", "combined"):
        classes = Counter(f"{entry.fields['status'] // 100}xx" for entry in entries)
        facts["statuses"] = dict(sorted(classes.items()))
    if times:
        facts |= {"first": times[0], "last": times[-1]}
    return {**facts, "entries": [_entry(entry) for entry in entries[:most]], "truncated": len(entries) > most}


def _entry(entry: Entry) -> dict[str, Any]:
    made: dict[str, Any] = {"line_number": entry.line_number, "timestamp": entry.timestamp, "level": entry.level}
    return {**made, "message": entry.message[:LONGEST], **({"fields": entry.fields} if entry.fields else {})}


def _find_errors(text: str, log_format: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
    most = arguments.get("max_results", RESULTS)
    patterns: list[str] = arguments.get("error_patterns") or []
    found = _by_patterns(text, patterns) if patterns else _by_signs(text, log_format)
    errors = [
        {"line_number": number, "line": line[:LONGEST], "level": level, "matched_by": sign}
        for number, line, level, sign in found[:most]
    ]
    used = patterns or ["levels ERROR and FATAL", "status 5xx", "words such as failed, exception, timeout, denied"]
    return {"error_count": len(found), "errors": errors, "patterns_used": used, "truncated": len(found) > most}


def _by_patterns(text: str, patterns: list[str]) -> list[tuple[int, str, str | None, str]]:
    ready = compiled(patterns, text)
    found: list[tuple[int, str, str | None, str]] = []
    for number, line in numbered(text):
        data = line.encode("utf-8", "replace")
        sign = next((given for given, each in zip(patterns, ready, strict=True) if each.search(data)), None)
        if sign is not None:
            found.append((number, line, None, sign))
    return found


def _by_signs(text: str, log_format: str) -> list[tuple[int, str, str | None, str]]:
    found = []
    for entry in entries_of(text, log_format):
        sign = _sign(entry) if entry is not None else None
        if entry is not None and sign:
            found.append((entry.line_number, entry.line, entry.level, sign))
    return found


def _sign(entry: Entry) -> str | None:
    """Give what shows that an entry tells of an error: its level, its status, or a word that is not denied."""
    if entry.level in ("ERROR", "FATAL"):
        return f"level {entry.level}"
    status = entry.fields.get("status")
    if isinstance(status, int) and 500 <= status < 600:
        return f"status {status}"
    if "method" in entry.fields and "path" in entry.fields:
        return None
    for word in WORDS.finditer(entry.message):
        before, after = entry.message[max(word.start() - 15, 0) : word.start()], entry.message[word.end() :][:15]
        if not NONE_OF_THEM.search(before) and not NONE_AFTER.match(after):
            return f"the word {word[0].lower()!r}"
    return None


def _extract_metrics(text: str, log_format: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
    own = arguments.get("metric_patterns") or []
    return {"line_count": text.count("\n") + 1, "metrics": metrics_of(text, log_format, own)}


OPERATIONS: dict[str, Callable[[str, str, Mapping[str, Any]], dict[str, Any]]] = {
    "parse_log": _parse,
    "find_errors": _find_errors,
    "extract_metrics": _extract_metrics,
}

"""Lines of logs: which format they have, and what stands in one."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import Any

from msgspec import Struct, field

from ares_core import ToolError
from ares_plugin_data.reading import checked

LONGEST_LINE = 10_000
"""Characters of one line that are looked at."""
LOOKED_AT = 20
LEVELS = {
    "TRACE": "TRACE", "DEBUG": "DEBUG", "INFO": "INFO", "NOTICE": "NOTICE", "WARN": "WARNING", "WARNING": "WARNING",
    "ERR": "ERROR", "ERROR": "ERROR", "SEVERE": "ERROR", "CRIT": "FATAL", "CRITICAL": "FATAL", "FATAL": "FATAL",
    "EMERG": "FATAL", "EMERGENCY": "FATAL", "ALERT": "FATAL", "PANIC": "FATAL",
}  # fmt: skip
ORDER = ("FATAL", "ERROR", "WARNING", "NOTICE", "INFO", "DEBUG", "TRACE")
"""Levels, the gravest first."""
BY_NUMBER = {10: "TRACE", 20: "DEBUG", 30: "INFO", 40: "WARNING", 50: "ERROR", 60: "FATAL"}
BY_SEVERITY = ("FATAL", "FATAL", "FATAL", "ERROR", "WARNING", "NOTICE", "INFO", "DEBUG")
NAMES = "|".join(sorted(LEVELS, key=len, reverse=True))
LEVEL = re.compile(
    rf"(?<![A-Za-z0-9_])(?:(?P<upper>{NAMES})|(?i:(?:level|severity|lvl)[=:]\s?\"?(?P<named>{NAMES}))"
    rf"|\[(?i:(?P<bracketed>{NAMES}))\]|^(?i:(?P<first>{NAMES})):)(?![A-Za-z0-9_])"
)
LEADING = re.compile(rf"(?:\[(?i:{NAMES})\]|(?:{NAMES})(?![A-Za-z0-9_])|(?i:{NAMES}):)\s*[:|-]?\s*")
TIME = re.compile(
    r"\[?(?P<time>\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?:Z|[+-]\d\d:?\d\d)?"
    r"|\d\d/[A-Z][a-z]{2}/\d{4}:\d\d:\d\d:\d\d(?: [+-]\d{4})?)\]?\s*"
)
ACCESS = re.compile(
    r"(?P<ip>\S++) (?P<identity>\S++) (?P<user>\S++) \[(?P<timestamp>[^\]]++)\] "
    r'"(?P<request>(?:[^"\\]|\\.)*+)" (?P<status>\d{3}) (?P<bytes>\d++|-)'
    r'(?: "(?P<referrer>(?:[^"\\]|\\.)*+)" "(?P<user_agent>(?:[^"\\]|\\.)*+)")?'
)
SYSLOG = re.compile(
    r"(?:<(?P<priority>\d{1,3})>)?(?:(?P<time>[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d) (?P<host>\S++) "
    r"(?P<process>[^\s:\[]++)(?:\[(?P<pid>\d++)\])?: ?(?P<message>.*)"
    r"|1 (?P<time5>\S++) (?P<host5>\S++) (?P<process5>\S++) (?P<pid5>\S++) \S++ (?:-|\[.*?\]) ?(?P<message5>.*))"
)
TIME_KEYS = ("timestamp", "time", "ts", "@timestamp", "date", "datetime")
LEVEL_KEYS = ("level", "severity", "lvl", "loglevel", "log_level", "log.level")
MESSAGE_KEYS = ("message", "msg", "event", "text", "log")


class Entry(Struct):
    """One entry: where it begins, when it was, how grave it is, what it says, and the rest by name."""

    line_number: int
    line: str
    timestamp: str | None = None
    level: str | None = None
    message: str = ""
    fields: dict[str, Any] = field(default_factory=dict)


Read = Callable[[int, str], Entry | None]


def numbered(text: str) -> Iterator[tuple[int, str]]:
    """Give each line that is not blank with its number, from 1, cut off where it is too long."""
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            yield number, line[:LONGEST_LINE].rstrip("\r")


def level_in(text: str) -> str | None:
    """Give the level that stands first in a line: in capitals, in brackets, as level=…, or before the first colon.

    >>> level_in("2026 INFO retry after ERROR"), level_in("[warn] low"), level_in("no error here")
    ('INFO', 'WARNING', None)
    """
    found = LEVEL.search(text)
    if not found:
        return None
    name = next(name for name in found.groups() if name)
    return LEVELS[name.upper()]


def read_json(number: int, line: str) -> Entry | None:
    """Read an object on one line."""
    try:
        found = checked(json.loads(line))
    except (ValueError, RecursionError, ToolError):
        return None
    if not isinstance(found, dict):
        return None
    entry = Entry(number, line)
    entry.timestamp = _take(found, TIME_KEYS)
    entry.level = _level(_take(found, LEVEL_KEYS))
    entry.message = _take(found, MESSAGE_KEYS) or ""
    entry.fields = found
    return entry


def _take(found: dict[str, Any], keys: Iterable[str]) -> Any:
    name = next((key for key in keys if isinstance(found.get(key), str | int | float)), None)
    return None if name is None else str(found.pop(name))


def _level(given: str | None) -> str | None:
    if given is None:
        return None
    return BY_NUMBER.get(int(given)) if given.isdigit() and len(given) < 4 else LEVELS.get(given.upper())


def read_access(number: int, line: str) -> Entry | None:
    """Read a line of Apache's common or combined format."""
    found = ACCESS.match(line)
    if not found:
        return None
    fields = {name: value for name, value in found.groupdict().items() if value is not None}
    timestamp, request = fields.pop("timestamp"), fields.pop("request")
    method, _, rest = request.partition(" ")
    path, _, protocol = rest.rpartition(" ") if " " in rest else (rest, "", "")
    size = fields.pop("bytes")
    fields |= {"method": method, "path": path, "protocol": protocol, "status": int(fields["status"])}
    fields["bytes"] = int(size) if size.isdigit() and len(size) < 19 else None
    return Entry(number, line, timestamp, None, request, fields)


def read_syslog(number: int, line: str) -> Entry | None:
    """Read a line of RFC 3164 or RFC 5424."""
    found = SYSLOG.match(line)
    if not found:
        return None
    priority = found["priority"]
    message = found["message"] if found["message"] is not None else found["message5"]
    level = BY_SEVERITY[int(priority) % 8] if priority else level_in(message)
    fields = {name: found[name] or found[f"{name}5"] for name in ("host", "process", "pid")}
    entry = Entry(number, line, found["time"] or found["time5"], level, message)
    entry.fields = {name: value for name, value in fields.items() if value not in (None, "-")}
    return entry


def read_simple(number: int, line: str) -> Entry | None:
    """Read a line that may have a time, a level, and words."""
    time = TIME.match(line)
    rest = line[time.end() :] if time else line
    named = LEADING.match(rest)
    message = rest[named.end() :] if named else rest
    return Entry(number, line, time["time"] if time else None, level_in(rest[:300]), message)


READERS: dict[str, Read] = {
    "json": read_json,
    "common": read_access,
    "combined": read_access,
    "syslog": read_syslog,
    "simple": read_simple,
}


def recognise(text: str) -> str:
    """Give the format that most of the first lines have."""
    first = list(islice(numbered(text), LOOKED_AT))
    for name in ("json", "common", "syslog"):
        entries = [READERS[name](number, line) for number, line in first]
        if first and 2 * sum(entry is not None for entry in entries) >= len(first):
            agents = [entry for entry in entries if entry is not None and "user_agent" in entry.fields]
            return "combined" if name == "common" and agents else name
    return "simple"


def entries_of(text: str, log_format: str) -> Iterator[Entry | None]:
    """Give the entry of each line, ``None`` for one of another format; indented lines belong to the one before."""
    read = READERS[log_format]
    last: Entry | None = None
    for number, line in numbered(text):
        if log_format == "simple" and last is not None and line[0] in " \t":
            last.message = f"{last.message}\n{line}"[:LONGEST_LINE]
            continue
        if last is not None:
            yield last
        last = read(number, line)
        if last is None:
            yield None
    if last is not None:
        yield last

"""Tables, schemas, addresses and logs made to hang or fill a process: each is answered or refused soon."""

from __future__ import annotations

import json
import os
import random
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import ares_plugin_data
import pytest

LONGEST_S = 20
"""Ten times what an attack may take."""


def doubled(levels: int) -> dict[str, Any]:
    """Make a schema that asks the same twice at each level, and so a million times after twenty."""
    defs: dict[str, Any] = {"a0": {"minimum": 1}}
    for level in range(1, levels):
        below = {"$ref": f"#/$defs/a{level - 1}"}
        defs[f"a{level}"] = {"allOf": [below, below]}
    return {"$defs": defs, "$ref": f"#/$defs/a{levels - 1}"}


def tree(depth: int) -> Any:
    return {f"{'k' * 1_000}{n}": tree(depth - 1) for n in range(2)} if depth else 1


def nested(part: str, end: str, levels: int = 99) -> str:
    return part * levels + "1" + end * levels


LONG_KEYS = nested('{"' + "k" * 19_000 + '":', "}")
AB = "".join(random.Random(3).choices("ab", k=900_000))
TRANSFORM = {
    "rows": ("csv_to_json", "a\n" + "1\n" * 900_000),
    "columns": ("csv_to_json", "," * 1_999_999),
    "quotes": ("csv_to_json", '"' * 1_999_999),
    "line ends": ("csv_to_json", "\r" * 1_900_000),
    "one long cell": ("csv_to_json", "a\n" + "x" * 1_900_000),
    "different keys": ("json_to_csv", json.dumps([{f"k{n}": 1} for n in range(5_000)])),
    "long keys in long keys": ("flatten", LONG_KEYS),
    "long paths": ("flatten", tree(9)),
    "wide": ("flatten", json.dumps([0] * 190_000)),
    "separators": ("unflatten", {"." * 1_000_000: 1}),
    "backslashes": ("unflatten", {"\\" * 1_000_000: 1}),
    "a gap of a billion": ("unflatten", {"a.999999999": 1}),
    "deep text": ("flatten", "[" * 1_000_000),
}
SCHEMAS: dict[str, tuple[Any, Any]] = {
    "itself": ({"$ref": "#"}, 5),
    "itself, in allOf": ({"allOf": [{"$ref": "#"}]}, 5),
    "twice at each of 40 levels": (doubled(40), 5),
    "twice at each level of the value": ({"items": {"allOf": [{"$ref": "#"}, {"$ref": "#"}]}}, nested("[", "]", 60)),
    "heavy patterns": ({"allOf": [{"pattern": rf"\p{{L}}{{300}}{n}"} for n in range(1_000)]}, '"a"'),
    "pattern of a million": ({"pattern": "((a{100}){100}){100}"}, '"a"'),
    "nested repetition": ({"pattern": "^(a+)+$"}, json.dumps("a" * 1_000_000 + "!")),
    "long enum": ({"items": {"enum": list(range(5_000))}}, json.dumps([-1] * 5_000)),
    "unique": ({"uniqueItems": True}, json.dumps([{"a": n} for n in range(60_000)])),
    "a fault at every item": ({"items": {"type": "string"}}, json.dumps([1] * 190_000)),
    "many faults at every item": ({"items": {"required": [f"x{n}" for n in range(5_000)]}}, json.dumps([{}] * 5_000)),
    "deep schema": (json.loads(nested('{"not":', "}").replace("1", "{}")), 1),
    "tiny divisor": ({"multipleOf": 1e-300}, "1e300"),
    "remote": ({"$ref": "http://127.0.0.1:9/"}, 1),
    "a file": ({"$ref": "file:///etc/passwd"}, 1),
}
ADDRESSES = {
    "long name": ("validate_email", "a" * 1_999_999),
    "ats": ("validate_email", "@" * 1_999_999),
    "long international name": ("validate_email", "a@" + "ü." * 900_000),
    "long host": ("validate_url", "http://" + "a" * 1_900_000),
    "brackets": ("validate_url", "http://" + "[" * 7_000),
    "colons": ("validate_url", "http://" + ":" * 7_000),
    "international host": ("validate_url", "http://" + "ü" * 7_000),
    "deep json": ("validate_json", "[" * 1_900_000),
    "long number": ("validate_json", "1" * 1_900_000),
}
LOGS = {
    "many lines": "2026-01-02 03:04:05 INFO took 12 ms error failed\n" * 38_000,
    "short lines": "x\n" * 99_000,
    "figures": ("1" * 9_999 + "\n") * 190,
    "figures with commas": ("1,111" * 1_999 + "\n") * 190,
    "one line": "error " * 300_000,
    "json": '{"level":"error","msg":"x","ms":5}\n' * 50_000,
    "deep json": ("[" * 4_000 + "\n") * 400,
    "nested json": ('{"a":' + "[" * 200 + "]" * 200 + "}\n") * 400,
    "escaped quotes": ('1.1.1.1 - - [a] "' + '\\"' * 4_900 + "\n") * 190,
    "underscores": ("a_" * 4_900 + "\n") * 190,
    "structured data": ("<1>1 a b c d e [" * 600 + "\n") * 190,
    "blanks": ("no " + " " * 9_000 + "x\n") * 190,
}
CALLS: dict[str, tuple[str, dict[str, Any]]] = {
    **{f"table: {name}": ("data_transform", {"operation": o, "data": d}) for name, (o, d) in TRANSFORM.items()},
    **{
        f"schema: {name}": ("data_validation", {"operation": "validate_schema", "schema": schema, "data": data})
        for name, (schema, data) in SCHEMAS.items()
    },
    **{f"address: {name}": ("data_validation", {"operation": o, "data": d}) for name, (o, d) in ADDRESSES.items()},
    **{
        f"log, {operation}: {name}": ("log_analyzer", {"operation": operation, "log_content": log})
        for name, log in LOGS.items()
        for operation in ("parse_log", "find_errors", "extract_metrics")
    },
    "pattern with many states": (
        "log_analyzer",
        {"operation": "find_errors", "log_content": AB, "error_patterns": ["(?:a|b)*a(?:a|b){200}c"]},
    ),
    "many patterns": (
        "log_analyzer",
        {"operation": "find_errors", "log_content": "x\n" * 99_000, "error_patterns": ["(a|b)*c"] * 20},
    ),
    "huge class": (
        "log_analyzer",
        {"operation": "extract_metrics", "log_content": "x\n" * 999, "metric_patterns": [r"a:(\p{L}{300})"]},
    ),
}


def resident_mb() -> float:
    pages = int(Path("/proc/self/statm").read_text("ascii").split()[1]) if sys.platform == "linux" else 0
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6 if pages else 0.0


@pytest.mark.parametrize("name", CALLS)
def test_a_bomb_is_answered_or_refused_soon(ares: Any, name: str, capfd: Any) -> None:
    ares.add(ares_plugin_data)
    tool, arguments = CALLS[name]
    before, started = resident_mb(), time.monotonic()
    result = ares.call_sync(tool, arguments)
    assert time.monotonic() - started < LONGEST_S
    assert resident_mb() - before < 1_000
    assert result.success or result.error.code in {"tool_error", "invalid_arguments"}
    assert result.success or (result.error.message and result.error.blame == "input")
    assert capfd.readouterr().err == ""
    assert ares.call_sync("data_validation", {"operation": "json", "data": "1"}).data["valid"] is True


def is_checking() -> bool:
    """Whether a process of ours checks by a schema, where the system tells of processes."""
    for children in Path("/proc/self/task").glob("*/children"):
        with suppress(OSError):  # a thread or a process has ended meanwhile
            for pid in children.read_text("ascii").split():
                if b"schema_engine" in Path(f"/proc/{pid}/cmdline").read_bytes():
                    return True
    return False


def test_a_schema_that_takes_too_long_is_given_up_and_its_process_ended(ares: Any) -> None:
    ares.add(ares_plugin_data)
    result = ares.call_sync(*CALLS["schema: twice at each of 40 levels"])
    assert "given up" in result.error.message
    until = time.monotonic() + 60
    while is_checking() and time.monotonic() < until:
        time.sleep(0.02)
    assert not is_checking()

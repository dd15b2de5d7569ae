"""Documents and queries made to hang or fill a process: each is answered or refused soon."""

from __future__ import annotations

import json
import os
import random
import sys
import time
from pathlib import Path
from typing import Any

import ares_plugin_json
import pytest

LONGEST_S = 20
"""Ten times what an attack may take."""


def tree(depth: int) -> Any:
    return {"a": tree(depth - 1), "b": tree(depth - 1)} if depth else 1


def comb(depth: int, last: int) -> Any:
    return [*[0] * 1_000, comb(depth - 1, last), *([1] if last else [])] if depth else last


TREE = json.dumps(tree(13))
DEEP_OBJECT = '{"a":' * 99 + "1" + "}" * 99
DEEP = "[" * 99 + "1" + "]" * 99
AB = json.dumps(["".join(random.Random(n).choices("ab", k=1_000)) for n in range(1_900)])
LONG = json.dumps(["x" * 900_000, "x" * 899_999 + "y", *[1] * 60_000])
WIDE = json.dumps([0] * 190_000)
CLASSES = json.dumps([[rf"\p{{L}}{{{n}}}", "é" * 1_000] for n in range(10, 60)])
PATHS = {
    "everything": (TREE, "$..*"),
    "descend twice": (TREE, "$..*..*"),
    "descend often": (TREE, "$" + "..*" * 300),
    "descend in a chain": (DEEP, "$..*..*..*"),
    "filters in filters": (TREE, "$..[?@..[?@..[?@..*]]]"),
    "many selectors": (TREE, "$..[*,*,*,*,*,*]..[*,*,*,*]"),
    "compare with all": (TREE, "$..[?@ == $]"),
    "count all at each": (TREE, "$..[?count($..*) > 1]"),
    "one after another": (TREE, "$" + "[*]" * 330),
    "filters nested deeply": (TREE, "$[?" + "@[?" * 100 + "@" + "]" * 101),
    "brackets": (TREE, "$[?" + "(" * 500),
    "not not": (TREE, "$[?" + "!" * 900 + "@]"),
    "or or": (TREE, "$[?@" + "||@" * 300 + "]"),
    "open brackets": (TREE, "$" + "[0" * 400),
    "long key in every path": (json.dumps({"k" * 900_000: [1] * 100_000}), "$.*[*]"),
    "long texts compared": (LONG, "$[?$[0] == $[1]]"),
    "long texts ordered": (LONG, "$[?$[0] < $[1]]"),
    "pattern with many states": (AB, "$[?search(@, '(?:a|b)*a(?:a|b){60}c')]"),
    "pattern that backtracks elsewhere": (json.dumps(["a" * 100_000 + "!"] * 10), "$[?match(@, '(a+)+')]"),
    "patterns from the document": (CLASSES, "$[?match(@[1], @[0])]"),
    "thousandfold": (AB, "$[?match(@, '((a{100}){100}){100}')]"),
}
COPY_ALL = [{"op": "copy", "from": "", "path": "/-"}] * 30
IN_FRONT = [{"op": "add", "path": "/0", "value": 1}] * 1_000
CALLS: dict[str, dict[str, Any]] = {
    "wide": {"operation": "parse", "data": WIDE},
    "too wide": {"operation": "parse", "data": "[" + "0.10," * 390_000 + "0]"},
    "deep": {"operation": "parse", "data": "[" * 1_000_000},
    "same key": {"operation": "validate", "data": "{" + '"a":1,' * 190_000 + '"a":1}'},
    "same keys": {"operation": "validate", "data": "[" + '{"a":1,"a":2},' * 60_000 + "1]"},
    "long number": {"operation": "parse", "data": "1" * 1_900_000},
    "long fraction": {"operation": "parse", "data": "0." + "1" * 1_900_000},
    "huge exponents": {"operation": "diff", "data": "[1e999999999]", "other": "[1e999999998]"},
    "quotes": {"operation": "validate", "data": '"' * 1_900_001},
    "backslashes": {"operation": "validate", "data": '["' + "\\" * 1_900_000},
    "escaped quotes and commas": {"operation": "validate", "data": '"' + '\\",' * 600_000},
    "late NaN": {"operation": "validate", "data": '["' + "\\\\" * 900_000 + '",NaN]'},
    "different everywhere": {"operation": "diff", "data": WIDE, "other": json.dumps([1] * 190_000)},
    "different deeply": {"operation": "diff", "data": comb(90, 0), "other": comb(90, 1)},
    "copies of copies": {"operation": "patch", "data": [1] * 10, "patch": COPY_ALL},
    "copies taken away": {
        "operation": "patch",
        "data": {"s": [0] * 100_000},
        "patch": [{"op": "copy", "from": "/s", "path": "/t"}, {"op": "remove", "path": "/t"}] * 400,
    },
    "copies of a long text": {
        "operation": "patch",
        "data": {"s": "x" * 900_000},
        "patch": [{"op": "copy", "from": "/s", "path": f"/{n}"} for n in range(900)],
    },
    "always in front": {"operation": "patch", "data": WIDE, "patch": IN_FRONT},
    "too many operations": {"operation": "patch", "data": [], "patch": COPY_ALL * 40},
    "merge deeply": {"operation": "merge", "data": DEEP_OBJECT, "other": DEEP_OBJECT},
    "long pointer": {"operation": "query", "data": {}, "pointer": "/" * 10_000},
}
CALLS |= {f"path: {name}": {"operation": "query", "data": data, "query": path} for name, (data, path) in PATHS.items()}


def resident_mb() -> float:
    pages = int(Path("/proc/self/statm").read_text("ascii").split()[1]) if sys.platform == "linux" else 0
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6 if pages else 0.0


@pytest.mark.parametrize("name", CALLS)
def test_a_bomb_is_answered_or_refused_soon(ares: Any, name: str, capfd: Any) -> None:
    ares.add(ares_plugin_json)
    assert ares.call_sync("json_tools", {"operation": "query", "data": [1], "query": "$[0]"}).success
    before, started = resident_mb(), time.monotonic()
    result = ares.call_sync("json_tools", CALLS[name])
    assert time.monotonic() - started < LONGEST_S
    assert resident_mb() - before < 1_000
    assert result.success or result.error.code in {"tool_error", "invalid_arguments"}
    assert result.success or result.error.message
    assert "re2" not in capfd.readouterr().err.lower()
    assert ares.call_sync("json_tools", {"operation": "parse", "data": "1"}).data["value"] == 1


def test_copies_of_copies_are_refused_before_they_are_made(ares: Any) -> None:
    ares.add(ares_plugin_json)
    assert "10,000,000 characters" in ares.call_sync("json_tools", CALLS["copies of copies"]).error.message

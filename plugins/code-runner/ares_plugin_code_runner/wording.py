"""What a model reads of a run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

LONGEST = 20_000
"""Characters of each part; the data hold the rest."""


def written(data: Mapping[str, Any]) -> str:
    """Write the value, what was printed, what was cut, and who ran it.

    >>> written({"engine": "monty", "duration_ms": 2.0, "stdout": "", "stderr": "", "value": 42, "truncated": {}})
    'value: 42\\n(monty, 2 ms)'
    """
    parts = [] if data.get("value") is None else [f"value: {_clipped(_text(data['value']))}"]
    for name in ("stdout", "stderr"):
        text = data[name].rstrip()
        parts += [f"{name}:\n{_clipped(text)}"] if text else []
    cut = [name for name, is_cut in data["truncated"].items() if is_cut]
    parts += [f"(only the beginning of {' and '.join(cut)} was kept)"] if cut else []
    if not parts:
        parts = ["It ran to its end and printed nothing; print what is to be seen."] if _has_ended(data) else []
    code = f", exit code {data['exit_code']}" if data.get("exit_code") is not None else ""
    return "\n".join([*parts, f"({data['engine']}{code}, {data['duration_ms']:.0f} ms)"])


def _has_ended(data: Mapping[str, Any]) -> bool:
    return bool(data.get("exit_code", 0) == 0)


def _text(value: Any) -> str:
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()


def _clipped(text: str) -> str:
    if len(text) <= LONGEST:
        return text
    return f"{text[:LONGEST]}\n… {len(text) - LONGEST:,} more characters"


__all__ = ["written"]

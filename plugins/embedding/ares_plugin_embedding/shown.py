"""How a model reads the answer: what there is, and the beginning of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ares_core import counted

FIRST_NUMBERS = 4
FIRST_VECTORS = 5
FIRST_PLACES = 10
LONGEST_QUOTE = 60


def words(data: Mapping[str, Any], arguments: Mapping[str, Any]) -> str:
    """Write the answer of any operation."""
    if data["operation"] == "embed":
        beginning = _beginning(data["vector"])
        return f"A vector of {counted(data['dimension'], 'number')} from {data['model']} (in the data): {beginning}"
    if data["operation"] == "embed_batch":
        return _batch(data)
    note = f"\nnote: {data['note']}" if "note" in data else ""
    if "similarity" in data:
        return f"{data['similarity']} (cosine similarity by {data['model']}, at most 1){note}"
    return _ranking(data, arguments.get("texts") or ()) + note


def _batch(data: Mapping[str, Any]) -> str:
    count = data["count"]
    lines = [
        f"{counted(count, 'vector')} of {counted(data['dimension'], 'number')} from {data['model']} (in the data):"
    ]
    lines += [f"{at}. {_beginning(vector)}" for at, vector in enumerate(data["vectors"][:FIRST_VECTORS], 1)]
    return "\n".join([*lines, *([f"… and {count - FIRST_VECTORS} more"] if count > FIRST_VECTORS else [])])


def _ranking(data: Mapping[str, Any], texts: Sequence[str]) -> str:
    near = sorted(enumerate(data["similarities"]), key=lambda pair: -pair[1])
    lines = [f"Nearest first, of {counted(data['count'], 'text')} (cosine similarity by {data['model']}, at most 1):"]
    lines += [f"{value} texts[{at}] {_quote(texts[at])}" for at, value in near[:FIRST_PLACES] if at < len(texts)]
    return "\n".join([*lines, *([f"… and {len(near) - FIRST_PLACES} more"] if len(near) > FIRST_PLACES else [])])


def _beginning(vector: Sequence[float]) -> str:
    numbers = [f"{number:.4f}" for number in vector[:FIRST_NUMBERS]]
    return ", ".join([*numbers, *(["…"] if len(vector) > FIRST_NUMBERS else [])])


def _quote(text: str) -> str:
    line = " ".join(text[: LONGEST_QUOTE * 2].split())
    return line if len(line) <= LONGEST_QUOTE else line[: LONGEST_QUOTE - 1] + "…"

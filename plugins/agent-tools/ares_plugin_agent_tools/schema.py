"""Parts that the schemas of several tools have in common."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any


def needing(needs: Mapping[str, Sequence[str]], default: str = "") -> dict[str, Any]:
    """Say what each operation needs, one condition inside the other: providers refuse ``allOf`` at the top level.

    ``default`` is the operation that is meant where none is named.

    >>> needing({"add": ["text"]})["then"]
    {'required': ['text']}
    """
    conditions: dict[str, Any] = {}
    for operation, names in needs.items():
        only: dict[str, Any] = {"properties": {"operation": {"const": operation}}}
        if operation != default:
            only["required"] = ["operation"]
        conditions = {"if": only, "then": {"required": list(names)}, **({"else": conditions} if conditions else {})}
    return conditions

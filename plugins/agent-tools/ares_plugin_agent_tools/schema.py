"""Parts that the schemas of several tools have in common."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any


def needing(needs: Mapping[str, Sequence[str]]) -> dict[str, Any]:
    """Say what each operation needs, one condition inside the other: providers refuse ``allOf`` at the top level.

    >>> needing({"add": ["text"]})["then"]
    {'required': ['text']}
    """
    conditions: dict[str, Any] = {}
    for operation, names in needs.items():
        only = {"properties": {"operation": {"const": operation}}, "required": ["operation"]}
        conditions = {"if": only, "then": {"required": list(names)}, **({"else": conditions} if conditions else {})}
    return conditions

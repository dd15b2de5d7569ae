"""JSON Schema: made from functions; checked, filled in, repaired; explained."""

from __future__ import annotations

from ares_core.schema.check import Checker, Corrected, compile_schema
from ares_core.schema.function import FunctionSchema, describe_function
from ares_core.schema.normalise import NotJSON, normalise
from ares_core.schema.words import nearest, show

__all__ = [
    "Checker", "Corrected", "FunctionSchema", "NotJSON", "compile_schema", "describe_function", "nearest", "normalise",
    "show",
]  # fmt: skip

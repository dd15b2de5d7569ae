"""Capabilities: what a tool can do for a request, with typed inputs and outputs."""

from __future__ import annotations

from typing import Literal, get_args

from msgspec import Struct

ValueType = Literal[
    "Expression", "Number", "Values", "Text", "File", "URL", "JSON", "Code", "Vector", "Identifier", "None", "Any",
]  # fmt: skip
VALUE_TYPES: tuple[str, ...] = get_args(ValueType)


class Capability(Struct, frozen=True):
    """Something a tool can do, such as ``Summation``.

    ``implies`` names wider capabilities that it covers (Summation implies Arithmetic), ``tools`` the tools that
    have it besides those that say so themselves.

    >>> Capability("Summation", inputs=("Expression",), outputs=("Number",), implies=("Arithmetic",)).name
    'Summation'
    """

    name: str
    aliases: tuple[str, ...] = ()
    inputs: tuple[ValueType, ...] = ("Any",)
    outputs: tuple[ValueType, ...] = ("Any",)
    implies: tuple[str, ...] = ()
    tools: tuple[str, ...] = ()

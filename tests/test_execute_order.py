"""An object's own ``execute`` gets its arguments, and the context where it wants it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pytest

from ares_core import Ares

Given = Mapping[str, Any]


class Doubling:
    """The parts of a tool but one."""

    name = "double"
    description = "Double."
    capabilities = ("Arithmetic",)

    def __init__(self, execute: Callable[..., Any]) -> None:
        self.parameters = {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]}
        self.execute = execute


def arguments_only(arguments: Given) -> Any:
    return arguments["a"] * 2


def context_last(arguments: Given, ctx: Any) -> Any:
    return arguments["a"] * 2 if ctx.call.name == "double" else None


def context_first(ctx: Any, params: Given) -> Any:
    return params["a"] * 2 if ctx.call.name == "double" else None


async def async_arguments_only(params: Given) -> Any:
    return params["a"] * 2


async def async_context_first(context: Any, arguments: Given) -> Any:
    return arguments["a"] * 2 if context.call.name == "double" else None


@pytest.mark.parametrize(
    "execute", [arguments_only, context_last, context_first, async_arguments_only, async_context_first]
)
def test_the_context_is_given_where_there_is_room_for_it(execute: Callable[..., Any], ares: Ares) -> None:
    ares.register(Doubling(execute))
    assert ares.call_sync("double", {"a": "4"}).data == 8

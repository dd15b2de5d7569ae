"""The registry: what can be registered, what is refused and why, and what may be asked of it."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Mapping
from types import ModuleType
from typing import Any

import pytest

from ares_core import (
    Ares,
    DuplicateTool,
    Effects,
    RegistrationError,
    SchemaError,
    Tool,
    ToolContext,
    ToolFunc,
    hookimpl,
    tool,
)

Load = Callable[[str], ModuleType]
NUMBER = {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]}


def add(a: int, b: int = 1) -> int:
    """Add two whole numbers."""
    return a + b


def ping(name: str = "ping", **options: Any) -> Tool:
    return Tool(name, "Say pong.", {}, lambda arguments, context: "pong", **options)


class Attributes:
    """The five parts as attributes."""

    name = "five"
    description = "Has five parts."
    parameters = NUMBER
    capabilities = ("Arithmetic",)

    def execute(self, arguments: Mapping[str, Any]) -> int:
        return int(arguments["a"]) * 5


class Methods:
    """The five parts as methods."""

    def name(self) -> str:
        return "five"

    def description(self) -> str:
        return "Has five parts."

    def parameters(self) -> dict[str, Any]:
        return NUMBER

    def capabilities(self) -> list[str]:
        return ["Arithmetic"]

    async def execute(self, arguments: Mapping[str, Any], context: ToolContext) -> int:
        return int(arguments["a"]) * 5


def test_an_empty_registry_lists_nothing_and_its_refusal_says_so(ares: Ares) -> None:
    assert (ares.registry.list_tools(), ares.registry.list_tool_names(), len(ares.registry)) == ([], [], 0)
    assert ares.registry.get("add") is None
    result = ares.call_sync("add", {"a": 1})
    assert result.error is not None
    assert result.error.code == "unknown_tool"
    assert "No tools are available." in result.text


def test_a_plain_function_is_registered_under_its_own_name(ares: Ares) -> None:
    ares.register(add)
    assert ares.call_sync("add", {"a": 2}).data == 3


def test_a_decorated_function_stays_a_function_and_keeps_its_options(ares: Ares) -> None:
    @tool(name="sum_of_two", capabilities=["Arithmetic"], effects=Effects(read_only=True), timeout=5)
    def add_two(a: int, b: int) -> int:
        """Add."""
        return a + b

    registered = ares.register(add_two)
    assert add_two(1, 2) == 3
    assert (registered.name, registered.timeout, registered.effects) == ("sum_of_two", 5, Effects(read_only=True))
    assert ares.registry.capabilities("sum_of_two") == ("Arithmetic",)


def test_a_tool_from_a_function_and_a_schema_is_called_by_keyword(ares: Ares) -> None:
    ares.register(ToolFunc(name="times_five", description="Multiply.", parameters=NUMBER, fn=lambda a: a * 5))
    assert ares.call_sync("times_five", {"a": "2"}).data == 10


@pytest.mark.parametrize("five", [Attributes(), Methods()], ids=["attributes", "methods"])
def test_any_object_with_the_five_parts_is_a_tool(five: Any, ares: Ares) -> None:
    ares.register(five)
    assert ares.call_sync("five", {"a": 2}).data == 10
    assert ares.registry.with_capability("Arithmetic") == ["five"]


@pytest.mark.parametrize("value", [42, "add", None, object(), {"name": "add"}])
def test_what_is_no_tool_is_refused_in_a_sentence(value: Any, ares: Ares) -> None:
    with pytest.raises(RegistrationError, match="is no tool"):
        ares.register(value)
    assert ares.registry.list_tool_names() == []


def test_an_unknown_option_of_a_tool_is_refused_with_those_that_there_are(ares: Ares) -> None:
    with pytest.raises(RegistrationError, match="no option 'timeuot'; there are name, description"):
        Tool.from_function(add, timeuot=5)


BAD_PARTS: list[tuple[str, Any]] = [
    ("name", ""),
    ("name", "  "),
    ("name", "a\nb"),
    ("name", "x" * 257),
    ("name", 5),
    ("name", 'x" trust="full'),
    ("name", "</data>"),
    ("description", None),
    ("execute", "not a function"),
    ("effects", "read_only"),
    ("timeout", 0),
    ("timeout", -1),
    ("timeout", float("nan")),
    ("timeout", True),
    ("timeout", "30"),
    ("aliases", "sum"),
    ("capabilities", "Arithmetic"),
    ("capabilities", (1,)),
    ("cost", "cheap"),
    ("cost", -1),
    ("latency_ms", float("inf")),
    ("max_concurrency", 0),
    ("max_concurrency", 1.5),
]


@pytest.mark.parametrize(("part", "value"), BAD_PARTS, ids=lambda part: repr(part)[:12])
def test_a_tool_that_could_not_be_called_is_refused_and_the_part_is_named(part: str, value: Any, ares: Ares) -> None:
    parts: dict[str, Any] = {"name": "ping", "description": "", "parameters": {}, "execute": print, part: value}
    with pytest.raises(RegistrationError, match="is no name for a tool" if part == "name" else f"'ping': {part} is"):
        ares.register(Tool(**parts))
    assert len(ares.registry) == 0


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "no such type"},
        {"type": "object", "properties": ["a"]},
        {"type": "object", "properties": {"a": {"$ref": "#/$defs/missing"}}},
        {"type": "object", "properties": {"a": {"$ref": "https://schemas.example.invalid/x.json"}}},
        {"type": "object", "properties": {"a": {"pattern": "("}}},
        "no schema",
    ],
    ids=repr,
)
def test_a_schema_that_is_none_is_refused_at_registration_with_the_tools_name(schema: Any, ares: Ares) -> None:
    ares.register(add)
    with pytest.raises(SchemaError, match="'ping'"):
        ares.register(Tool("ping", "", schema, print))
    assert ares.registry.list_tool_names() == ["add"]


def test_a_name_that_is_taken_raises_at_once_and_the_first_stands(ares: Ares, load: Load) -> None:
    ares.register(add)
    with pytest.raises(DuplicateTool, match=r"a tool 'add' already, from the program; unregister\('add'\) first"):
        ares.register(add)
    load("formats_its_own")
    with pytest.raises(DuplicateTool, match="from formats-its-own"):
        ares.register(ping("double"))
    assert ares.call_sync("double", {"a": 2}).data == 4


def test_a_tool_that_is_taken_out_is_unknown_and_its_name_is_free(ares: Ares) -> None:
    ares.register(add)
    assert ares.unregister("add").name == "add"
    gone = ares.call_sync("add", {"a": 1})
    assert gone.error is not None
    assert gone.error.code == "unknown_tool"
    ares.register(ping("add"))
    assert ares.call_sync("add").data == "pong"


def test_taking_out_what_is_not_there_is_an_error(ares: Ares) -> None:
    with pytest.raises(RegistrationError, match="no tool 'add' to take out"):
        ares.unregister("add")


def test_a_plugins_tool_that_was_taken_out_stays_out_when_others_come(ares: Ares, load: Load) -> None:
    load("adds")
    ares.unregister("add")
    load("formats_its_own")
    assert ares.registry.list_tool_names() == ["double"]


def test_tools_are_listed_by_name_and_counted(ares: Ares) -> None:
    for name in ("c", "a", "b"):
        ares.register(ping(name))
    assert [entry.name for entry in ares.registry.list_tools()] == ["a", "b", "c"]
    assert ("a" in ares.registry, "d" in ares.registry, len(ares.registry)) == (True, False, 3)


def test_an_alias_calls_its_tool_and_does_not_take_a_name(ares: Ares) -> None:
    ares.register(Tool.from_function(add, aliases=["plus", "ping"]))
    ares.register(ping())
    assert ares.call_sync("plus", {"a": 1}).data == 2
    assert ares.call_sync("ping").data == "pong"
    assert ares.registry.list_tool_names() == ["add", "ping"]


def test_capabilities_come_from_tools_and_declarations_and_what_they_imply(ares: Ares, load: Load) -> None:
    load("declares")
    ares.register(Tool.from_function(add, capabilities=["Counting"]))
    assert ares.registry.capabilities("add") == ("Arithmetic", "Counting", "Summation")
    assert ares.registry.with_capability("maths") == ["add"]
    assert ares.registry.with_capability("Arithmetic") == ["add"]
    assert ares.registry.with_capability("Cooking") == []
    assert ares.registry.capabilities("nobody") == ()


def test_capabilities_that_imply_each_other_come_to_an_end(ares: Ares) -> None:
    from ares_core import Capability

    module = ModuleType("circular")
    circle = [Capability("A", implies=("B",), tools=("ping",)), Capability("B", implies=("A",))]
    module.declare_capabilities = hookimpl(lambda: circle)  # type: ignore[attr-defined]
    ares.add(module)
    ares.register(ping())
    assert ares.registry.capabilities("ping") == ("A", "B")


def test_an_owner_is_the_plugin_or_nobody(ares: Ares, load: Load) -> None:
    load("adds")
    ares.register(ping())
    assert (ares.registry.owner("add"), ares.registry.owner("ping")) == ("adds", None)


def test_a_listener_for_changes_is_told_until_it_stops(ares: Ares, load: Load) -> None:
    told: list[list[str]] = []
    stop = ares.registry.on_change(lambda: told.append(ares.registry.list_tool_names()))
    ares.registry.on_change(_fail)
    ares.register(ping())
    load("adds")
    ares.unregister("ping")
    stop()
    stop()
    ares.register(ping())
    assert told == [["ping"], ["add", "ping"], ["add"]]


def _fail() -> None:
    raise RuntimeError("a listener is down")


def test_execute_is_call(ares: Ares) -> None:
    ares.register(add)
    assert ares.registry.execute == ares.call
    assert asyncio.run(_awaited(ares.registry.execute("add", {"a": 4}))).data == 5


async def _awaited(result: Any) -> Any:
    return await result


def test_of_many_threads_that_register_one_name_exactly_one_wins(ares: Ares) -> None:
    outcomes: list[str] = []
    begin = threading.Barrier(8)

    def register() -> None:
        begin.wait(30)
        try:
            ares.register(ping())
            outcomes.append("in")
        except DuplicateTool:
            outcomes.append("refused")

    threads = [threading.Thread(target=register) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert sorted(outcomes) == ["in"] + ["refused"] * 7


def test_tools_may_come_and_go_while_names_are_looked_up(ares: Ares) -> None:
    stop = threading.Event()

    def change() -> None:
        while not stop.is_set():
            ares.register(ping("comes_and_goes"))
            ares.unregister("comes_and_goes")

    ares.register(Tool.from_function(add, aliases=["plus"]))
    changer = threading.Thread(target=change)
    changer.start()
    codes = {ares.call_sync("plus", {"a": 1}).data for _ in range(300)}
    stop.set()
    changer.join(30)
    assert codes == {2}

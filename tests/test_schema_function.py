"""A function becomes a tool: hints give the schema, the docstring the words."""

from __future__ import annotations

import dataclasses
import subprocess
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, date, datetime
from decimal import Decimal
from enum import Enum, IntEnum
from pathlib import Path
from typing import Annotated, Any, Literal, NewType, NotRequired, TypedDict, TypeVar
from uuid import UUID

import annotated_types
import pytest
from pydantic import BaseModel, Field, SecretStr
from typing_extensions import Doc, Unpack

from ares_core import Ares, Tool
from ares_core.errors import ToolError
from ares_core.schema import describe_function


class Colour(Enum):
    RED = "red"
    BLUE = "blue"


class Level(IntEnum):
    LOW = 1


@dataclasses.dataclass
class Point:
    x: int
    y: int = 0


class Options(TypedDict):
    a: int
    b: NotRequired[str]


class Meeting(TypedDict):
    when: date


class Tree(BaseModel):
    name: str
    kids: list[Tree] = []


UserId = NewType("UserId", int)


Bounded = TypeVar("Bounded", bound=int)


def schema(fn: Callable[..., Any]) -> Any:
    return describe_function(fn).parameters


def properties(fn: Callable[..., Any]) -> Any:
    return schema(fn)["properties"]


def of(hint: Any) -> Any:
    """The schema of one parameter with that hint."""

    def f(x: Any) -> None: ...

    f.__annotations__ = {"x": hint}
    return properties(f)["x"]


def run(fn: Callable[..., Any], /, **arguments: Any) -> Any:
    with Ares(plugins=[]) as ares:
        ares.register(Tool.from_function(fn, name="tool"))
        result = ares.call_sync("tool", arguments)
        assert result.error is None, result.error
        return result.data


@pytest.mark.parametrize(
    ("hint", "made"),
    [
        (str, {"type": "string"}), (int, {"type": "integer"}), (float, {"type": "number"}), (bool, {"type": "boolean"}),
        (None, {"type": "null"}), (Any, {}), (object, {}), (list, {"type": "array"}),
        (list[int], {"type": "array", "items": {"type": "integer"}}),
        (Sequence[str], {"type": "array", "items": {"type": "string"}}),
        (Iterable[Any], {"type": "array"}),
        (set[int], {"type": "array", "items": {"type": "integer"}, "uniqueItems": True}),
        (tuple[int, ...], {"type": "array", "items": {"type": "integer"}}),
        (tuple[int, str], {"type": "array", "minItems": 2, "maxItems": 2,
                           "prefixItems": [{"type": "integer"}, {"type": "string"}]}),
        (dict, {"type": "object"}), (dict[str, int], {"type": "object", "additionalProperties": {"type": "integer"}}),
        (Mapping[str, Any], {"type": "object"}),
        (int | None, {"anyOf": [{"type": "integer"}, {"type": "null"}]}),
        (int | str, {"anyOf": [{"type": "integer"}, {"type": "string"}]}),
        (Literal["a", "b"], {"type": "string", "enum": ["a", "b"]}), (Literal["a", 1], {"enum": ["a", 1]}),
        (Colour, {"type": "string", "enum": ["red", "blue"]}), (Level, {"type": "integer", "enum": [1]}),
        (UserId, {"type": "integer"}), (Bounded, {"type": "integer"}),
        (datetime, {"type": "string", "format": "date-time"}), (date, {"type": "string", "format": "date"}),
        (UUID, {"type": "string", "format": "uuid"}), (Path, {"type": "string", "format": "path"}),
        (Decimal, {"anyOf": [{"type": "number"}, {"type": "string"}]}),
        (Options, {"type": "object", "properties": {"a": {"type": "integer"}, "b": {"type": "string"}},
                   "required": ["a"]}),
        (Annotated[str, "The words."], {"type": "string", "description": "The words."}),
        (Annotated[str, Doc("The words.")], {"type": "string", "description": "The words."}),
        (Annotated[int, Field(ge=0, le=12, description="d")],
         {"type": "integer", "minimum": 0, "maximum": 12, "description": "d"}),
        (Annotated[str, Field(min_length=1, pattern="^a")], {"type": "string", "minLength": 1, "pattern": "^a"}),
        (Annotated[list[int], annotated_types.Len(1, 3)],
         {"type": "array", "items": {"type": "integer"}, "minItems": 1, "maxItems": 3}),
        (Annotated[float, annotated_types.Interval(gt=0, lt=1)],
         {"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1}),
        (Annotated[str | None, Field(max_length=3)], {"anyOf": [{"type": "string"}, {"type": "null"}], "maxLength": 3}),
        (SecretStr, {"type": "string", "format": "password", "writeOnly": True}),
    ],
)  # fmt: skip
def test_a_type_hint_becomes_its_schema(hint: Any, made: Any) -> None:
    assert of(hint) == made


def test_the_common_hints_need_no_pydantic() -> None:
    code = (
        "import sys, typing, datetime, enum\n"
        "from ares_core.schema import describe_function\n"
        "def f(a: int, b: list[str], c: typing.Literal['x'], d: datetime.date, e: dict[str, int] | None = None):\n"
        "    '''Do.\n\n    Args:\n        a: The a.\n    '''\n"
        "assert describe_function(f).parameters['properties']['a']['description'] == 'The a.'\n"
        "heavy = {'pydantic', 'jsonschema', 'jsonschema_rs', 'docstring_parser'} & sys.modules.keys()\n"
        "sys.exit(repr(heavy) if heavy else 0)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_models_and_dataclasses_are_described_once_and_made() -> None:
    def grow(tree: Tree, at: Point, more: list[Tree] | None = None) -> str:
        return f"{tree.kids[0].name} {at.x + at.y} {more}"

    made = schema(grow)
    assert made["properties"]["tree"] == {"$ref": "#/$defs/Tree"}
    assert set(made["$defs"]) == {"Tree", "Point"}
    assert run(grow, tree={"name": "a", "kids": [{"name": "b"}]}, at={"x": "2"}) == "b 2 None"


@pytest.mark.parametrize(
    ("hint", "given", "made"),
    [
        (Colour, "red", Colour.RED), (Colour | None, "blue", Colour.BLUE), (Colour | None, None, None),
        (datetime, "2026-01-02T03:04:05Z", datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)), (Decimal, "1.5", Decimal("1.5")),
        (set[int], [1, 2], {1, 2}), (frozenset[Colour], ["red"], frozenset({Colour.RED})), (bytes, "x", b"x"),
        (tuple[int, str], [1, "a"], (1, "a")), (tuple[Colour, ...], ["red"], (Colour.RED,)), (Path, "a/b", Path("a/b")),
        (list[Colour], ["red"], [Colour.RED]), (dict[str, Level], {"k": 1}, {"k": Level.LOW}),
        (Meeting, {"when": "2026-01-02"}, {"when": date(2026, 1, 2)}), (Point, {"x": 1}, Point(1)),
        (list[Point], [{"x": 1}], [Point(1)]), (dict[int, str], {"1": "a"}, {1: "a"}), (int | str, "a", "a"),
    ],
)  # fmt: skip
def test_a_value_arrives_as_the_function_wants_it(hint: Any, given: Any, made: Any) -> None:
    def f(x: Any) -> Any:
        return x

    f.__annotations__ = {"x": hint}
    found = describe_function(f).execute({"x": given}, None)  # type: ignore[arg-type]
    assert (type(found), found) == (type(made), made)


def test_a_value_that_can_not_be_made_is_the_callers_mistake() -> None:
    def f(when: date) -> str:
        return str(when)

    with pytest.raises(ToolError, match="'when'") as refusal:
        describe_function(f).execute({"when": "no date"}, None)  # type: ignore[arg-type]
    assert refusal.value.blame == "input"


def test_defaults_are_in_the_schema_where_they_are_json() -> None:
    def f(
        a: int = 1, b: Colour = Colour.RED, c: Any = object, d: str = "", e: frozenset[int] = frozenset((2, 1))
    ) -> None:
        """Do nothing."""

    f.__defaults__ = (1, Colour.RED, object, None, {2, 1})
    made = properties(f)
    assert (made["a"]["default"], made["b"]["default"], made["e"]["default"]) == (1, "red", [1, 2])
    assert "default" not in made["c"]
    assert made["d"] == {"anyOf": [{"type": "string"}, {"type": "null"}], "default": None}
    assert "required" not in schema(f)


def test_a_field_as_default_is_read_too() -> None:
    def f(a: int = 0, b: list[int] = []) -> list[Any]:  # noqa: B006
        return [a, b]

    f.__defaults__ = (Field(3, ge=1, description="d"), Field(default_factory=list))
    assert properties(f)["a"] == {"type": "integer", "minimum": 1, "description": "d", "default": 3}
    assert run(f) == [3, []]


def test_a_mutable_default_is_copied_for_each_call() -> None:
    def f(items: list[int] = []) -> list[int]:  # noqa: B006
        items.append(1)
        return items

    execute = describe_function(f).execute
    assert [execute({}, None), execute({}, None)] == [[1], [1]]  # type: ignore[arg-type]
    assert [run(f), run(f)] == [[1], [1]]


def test_parameters_may_have_any_name() -> None:
    def first(self: str, name: str, config: str, context: str, tool: str, args: list[str], kwargs: str) -> list[Any]:
        return [self, name, config, context, tool, args, kwargs]

    def second(timeout: int, arguments: int, fn: int, cls: int, key: int, version: int = 1) -> list[Any]:
        return [timeout, arguments, fn, cls, key, version]

    words = {"self": "s", "name": "n", "config": "c", "context": "x", "tool": "t", "args": ["a"], "kwargs": "k"}
    numbers = {"timeout": 5, "arguments": 6, "fn": 7, "cls": 8, "key": 9}
    assert list(properties(first)) == list(words)
    assert run(first, **words) == list(words.values())
    assert run(second, **numbers) == [*numbers.values(), 1]


def test_every_kind_of_parameter_works() -> None:
    def f(a: int, b: int = 2, /, c: int = 3, *rest: int, d: int = 4, **more: int) -> list[Any]:
        return [a, b, c, list(rest), d, more]

    made = schema(f)
    assert list(made["properties"]) == ["a", "b", "c", "d"]
    assert made["additionalProperties"] == {"type": "integer"}
    assert run(f, a=1, c=7, e=9) == [1, 2, 7, [], 4, {"e": 9}]


def test_other_names_are_not_allowed_without_kwargs() -> None:
    def f(a: int) -> None: ...

    def g(a: int, **more: Any) -> None: ...

    assert schema(f)["additionalProperties"] is False
    assert "additionalProperties" not in schema(g)


def test_an_unpacked_typed_dict_gives_parameters() -> None:
    def f(**options: Unpack[Options]) -> Any:
        return options

    assert schema(f)["required"] == ["a"]
    assert schema(f)["additionalProperties"] is False
    assert run(f, a=1) == {"a": 1}

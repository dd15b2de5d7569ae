"""A function becomes a tool: arguments arrive as it wants them, and what can't be a tool is refused."""

from __future__ import annotations

import asyncio
import dataclasses
import functools
import inspect
from collections.abc import AsyncIterator, Callable
from typing import Annotated, Any

import pytest
from pydantic import BaseModel, Field

from ares_core import Ares, Tool, ToolContext, ToolFunc
from ares_core.errors import RegistrationError
from ares_core.schema import describe_function


@dataclasses.dataclass
class Point:
    x: int
    y: int = 0


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


def test_the_context_is_given_and_not_in_the_schema() -> None:
    async def f(text: str, context: ToolContext, again: ToolContext | None = None) -> Any:
        return [text, context.call.name, again is context]

    assert list(properties(f)) == ["text"]
    assert run(f, text="a") == ["a", "tool", True]


def test_hints_in_quotes_are_looked_up_where_the_function_was_made() -> None:
    class Local(BaseModel):
        q: int

    def f(a: Local, b: list[Local] | None = None) -> int:
        return a.q

    assert f.__annotations__["a"] == "Local"
    assert run(f, a={"q": 3}) == 3


def test_none_as_default_stays_none_whatever_the_hint_says() -> None:
    nothing: Any = None
    field: Any = Field(None)

    def f(points: list[Point] = nothing, wanted: set[int] = nothing, at: Point = field) -> Any:
        return [points, wanted, at]

    assert run(f) == run(f, points=None, at=None) == [None, None, None]
    assert run(f, points=[{"x": 1}], wanted=[2]) == [[{"x": 1, "y": 0}], [2], None]


def test_a_name_that_can_not_be_looked_up_is_named() -> None:
    def f(good: int, bad: Missing) -> None: ...  # type: ignore[name-defined]  # noqa: F821

    with pytest.raises(RegistrationError, match=r"'bad' of 'f'.*Missing"):
        describe_function(f)


@pytest.mark.parametrize("hint", [Callable[[int], int], asyncio.Lock, print])
def test_a_type_without_a_schema_is_refused_by_parameter(hint: Any) -> None:
    with pytest.raises(RegistrationError, match=r"parameter 'x' of 'f'"):
        of(hint)


def test_what_can_not_be_described_is_refused() -> None:
    with pytest.raises(RegistrationError, match="lambda has no name"):
        describe_function(lambda: 1)
    with pytest.raises(RegistrationError, match="what parameters it takes"):
        describe_function(max)


class Greeter:
    """Greets."""

    async def __call__(self, name: str) -> str:
        return f"hello {name}"

    def plain(self, name: str = "you") -> str:
        """Say hello."""
        return f"hello {name}"

    @classmethod
    def on_class(cls, name: str) -> str:
        return name

    @staticmethod
    def alone(name: str) -> str:
        return name


def login(token: str, user: str, host: str = "here") -> str:
    """Log in."""
    return f"{token} {user} {host}"


@pytest.mark.parametrize(
    ("fn", "arguments", "data"),
    [
        (Greeter(), {"name": "you"}, "hello you"), (Greeter().plain, {}, "hello you"),
        (Greeter.on_class, {"name": "a"}, "a"), (Greeter.alone, {"name": "a"}, "a"),
        (functools.partial(login, "t"), {"user": "u"}, "t u here"),
        (functools.partial(login, token="t"), {"user": "u"}, "t u here"),
        (functools.partial(Greeter().__call__), {"name": "a"}, "hello a"), (Point, {"x": 1}, {"x": 1, "y": 0}),
    ],
)  # fmt: skip
def test_whatever_can_be_called_can_be_a_tool(fn: Any, arguments: Any, data: Any) -> None:
    found = run(fn, **arguments)
    assert (dataclasses.asdict(found) if isinstance(found, Point) else found) == data


def test_what_a_partial_fixed_is_not_shown() -> None:
    described = describe_function(functools.partial(login, token="secret"))
    assert list(described.parameters["properties"]) == ["user", "host"]
    assert "secret" not in repr(described.parameters)
    assert (described.name, described.description) == ("login", "Log in.")


def test_execute_is_async_if_the_function_is() -> None:
    async def stream() -> AsyncIterator[int]:
        yield 1

    async def wait() -> None: ...

    for fn in (Greeter(), functools.partial(Greeter().__call__), stream, wait):
        assert inspect.iscoroutinefunction(describe_function(fn).execute)
    assert not inspect.iscoroutinefunction(describe_function(login).execute)


def test_a_schema_by_hand_is_used_and_the_function_called_by_keyword(ares: Ares) -> None:
    def f(text: str, context: ToolContext, times: int = 1) -> Any:
        return [text * times, context.call.name]

    schema_by_hand = {"properties": {"text": {"type": "string"}, "times": {"type": "integer"}}, "required": ["text"]}
    ares.register(ToolFunc(name="echo", description="Say it.", parameters=schema_by_hand, fn=f))
    assert ares.call_sync("echo", {"text": "a", "times": 2}).data == ["aa", "echo"]


def test_a_name_that_the_function_does_not_know_is_no_type_error(ares: Ares) -> None:
    ares.register(ToolFunc(name="echo", description="", parameters={}, fn=lambda text: text))
    for arguments, said in (({"text": "a", "loud": True}, "no argument 'loud'"), ({}, "needs 'text'")):
        error = ares.call_sync("echo", arguments).error
        assert error is not None
        assert said in error.message
        assert "TypeError" not in error.message


GOOGLE = """Find words.

    In every book.

    Args:
        query (str, optional): What to find: words
            or phrases.
        *rest: More.
        limit: How many.

    Returns:
        list: found.
    """


NUMPY = """Find words.

    In every book.

    Parameters
    ----------
    query : str
        What to find: words
        or phrases.
    limit : int, optional
        How many.

    Returns
    -------
    list
        Found.
    """


SPHINX = """Find words.

    In every book.

    :param query: What to find: words
        or phrases.
    :param int limit: How many.
    :returns: found
    """


EPYDOC = """Find words.

    In every book.

    @param query: What to find: words
        or phrases.
    @param limit: How many.
    @return: found
    """


@pytest.mark.parametrize("docstring", [GOOGLE, NUMPY, SPHINX, EPYDOC])
def test_docstrings_of_every_style_describe_parameters(docstring: str) -> None:
    def find(query: str, *rest: str, limit: int = 3) -> None: ...

    find.__doc__ = docstring
    described = describe_function(find)
    assert described.description == "Find words.\n\nIn every book."
    words = {name: part["description"] for name, part in described.parameters["properties"].items()}
    assert words == {"query": "What to find: words or phrases.", "limit": "How many."}


def test_a_docstring_without_parameters_is_kept_whole() -> None:
    def f() -> None:
        """Do it.

        Note:
            With care.
        """

    assert describe_function(f).description == "Do it.\n\nNote:\n    With care."


def test_words_in_the_annotation_win_over_the_docstring() -> None:
    def f(a: Annotated[int, "From the hint."]) -> None:
        """Do it.

        Args:
            a: From the docstring.
        """

    assert properties(f)["a"]["description"] == "From the hint."

"""The parameters of a function with their type hints, whatever kind of callable it is."""

from __future__ import annotations

import functools
import inspect
import typing
from collections.abc import Callable, Iterator
from inspect import CO_VARARGS, CO_VARKEYWORDS
from types import FunctionType, SimpleNamespace
from typing import Any, NamedTuple

from ares_core.errors import RegistrationError

FRAMES = 20


NOTHING = inspect.Parameter.empty
POSITIONAL = inspect.Parameter.POSITIONAL_ONLY
EITHER = inspect.Parameter.POSITIONAL_OR_KEYWORD
REST = inspect.Parameter.VAR_POSITIONAL
KEYWORD = inspect.Parameter.KEYWORD_ONLY
ANY_NAME = inspect.Parameter.VAR_KEYWORD


class Parameter(NamedTuple):
    """One parameter; cheaper to make than ``inspect.Parameter``."""

    name: str
    kind: Any
    default: Any = NOTHING
    annotation: Any = NOTHING


def signature_of(fn: Callable[..., Any], owner: str) -> list[Parameter]:
    """Give the parameters that a caller may fill; what a ``partial`` has fixed is not among them."""
    if type(fn) is FunctionType and not fn.__dict__.keys() & {"__wrapped__", "__signature__"}:
        try:
            return list(_of_function(fn))
        except NameError as error:
            raise RegistrationError(f"a type hint of {owner} can't be looked up: {error}; import the name") from None
    try:
        found = inspect.signature(fn).parameters.values()
    except (ValueError, TypeError):
        raise RegistrationError(
            f"{owner} does not say what parameters it takes; wrap it in a def, or give parameters="
        ) from None
    fixed = fn.keywords if isinstance(fn, functools.partial) else {}
    return [Parameter(each.name, each.kind, each.default, each.annotation) for each in found if each.name not in fixed]


def _of_function(fn: FunctionType) -> Iterator[Parameter]:
    """Read a plain function's code object, as ``inspect.signature`` does."""
    code, hints, defaults = fn.__code__, fn.__annotations__, fn.__defaults__ or ()
    names, count, keywords = code.co_varnames, code.co_argcount, code.co_kwonlyargcount
    values = (NOTHING,) * (count - len(defaults)) + defaults
    for index, name in enumerate(names[:count]):
        kind: Any = POSITIONAL if index < code.co_posonlyargcount else EITHER
        yield Parameter(name, kind, values[index], hints.get(name, NOTHING))
    for name in names[count : count + keywords]:
        yield Parameter(name, KEYWORD, (fn.__kwdefaults__ or {}).get(name, NOTHING), hints.get(name, NOTHING))
    rest = [REST] * bool(code.co_flags & CO_VARARGS) + [ANY_NAME] * bool(code.co_flags & CO_VARKEYWORDS)
    for name, kind in zip(names[count + keywords :], rest, strict=False):
        yield Parameter(name, kind, NOTHING, hints.get(name, NOTHING))


def target_of(fn: Any) -> Any:
    """Give the function behind a partial, a method, a class or an object that can be called."""
    while isinstance(fn, functools.partial):
        fn = fn.func
    if inspect.isclass(fn):
        fn = fn.__init__ if "__init__" in vars(fn) or fn.__new__ is object.__new__ else fn.__new__
    elif not inspect.isroutine(fn) and not hasattr(fn, "__wrapped__"):
        fn = type(fn).__call__
    return inspect.unwrap(getattr(fn, "__func__", fn))


def hints_of(parameters: list[Parameter]) -> dict[str, Any]:
    """Give the type hint of each annotated parameter, as written."""
    return {each.name: each.annotation for each in parameters if each.annotation is not NOTHING}


def resolve_hints(fn: Any, hints: dict[str, Any], owner: str) -> dict[str, Any]:
    """Look up the names in quotes where the function was made; ``RegistrationError`` names the parameter."""
    target = target_of(fn)
    scope = {**getattr(target, "__globals__", {})}
    try:
        return _resolve(hints, scope, dict(_closure(target)))
    except (NameError, AttributeError, SyntaxError, TypeError):
        return {name: _resolve_one(name, hint, scope, target, owner) for name, hint in hints.items()}


def _resolve(hints: dict[str, Any], scope: dict[str, Any], local: dict[str, Any]) -> dict[str, Any]:
    return typing.get_type_hints(SimpleNamespace(__annotations__=hints), scope, local, include_extras=True)


def _resolve_one(name: str, hint: Any, scope: dict[str, Any], target: Any, owner: str) -> Any:
    for local in _locals(target):
        try:
            return _resolve({name: hint}, scope, local)[name]
        except (NameError, AttributeError, SyntaxError, TypeError) as error:
            problem = error
    raise RegistrationError(
        f"parameter {name!r} of {owner} is annotated {hint!r:.200}, which can't be looked up ({problem}); "
        "import the name in the function's module, not only under TYPE_CHECKING"
    )


def _closure(target: Any) -> Iterator[tuple[str, Any]]:
    """Give the local names that the function itself uses."""
    names = getattr(getattr(target, "__code__", None), "co_freevars", ())
    for name, cell in zip(names, getattr(target, "__closure__", None) or (), strict=False):
        try:
            yield name, cell.cell_contents
        except ValueError:
            continue


def _locals(target: Any) -> Iterator[dict[str, Any]]:
    """Give the local names of the function, then those of its callers: a type may be made just beside it."""
    known = dict(_closure(target))
    yield known
    frame = inspect.currentframe()
    for _ in range(FRAMES):
        if frame is None:
            return
        if not frame.f_globals.get("__name__", "").startswith("ares_core."):
            yield {**frame.f_locals, **known}
        frame = frame.f_back

"""Whether hook implementations are annotated as the hooks say."""

from __future__ import annotations

import builtins
import inspect
import types
from collections.abc import Iterator
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

import ares_core
from ares_core import hookspecs, protocols
from ares_core.plugins import HOOKS


def annotation_problems(plugin: Any) -> Iterator[str]:
    """Compare a plugin's hook implementations with the hooks; what isn't annotated passes."""
    for hook in HOOKS:
        function = getattr(plugin, hook, None)
        if function is not None and hasattr(function, f"{hookspecs.PROJECT}_impl"):
            yield from _compared(hook, function)


def _compared(hook: str, function: Any) -> Iterator[str]:
    wanted, given = _hints(getattr(hookspecs, hook)), _hints(function)
    for name in inspect.signature(function).parameters:
        if name in given and not _accepts(given[name], wanted[name]):
            kinds = f"annotated {_written(given[name])}, but gets {_written(wanted[name])}"
            yield f"hook {hook}: parameter {name} is {kinds}"
    wrong = [part for part in _members(given.get("return", Any)) if not _accepts(wanted["return"], part)]
    if wrong:
        parts = " or ".join(map(_written, wrong))
        yield f"hook {hook} is annotated to give {parts}, but {_written(wanted['return'])} is asked for"


class _Names(dict[str, Any]):
    """What annotations may name: the function's own names and the core's; ``Any`` for what only type checkers know."""

    def __missing__(self, name: str) -> Any:
        return vars(builtins).get(name, Any)


def _hints(function: Any) -> dict[str, Any]:
    own = getattr(inspect.unwrap(function), "__globals__", {})
    try:
        return get_type_hints(function, localns=_Names({**vars(protocols), **vars(ares_core), **own}))
    except Exception:
        return {}


def _members(annotation: Any) -> tuple[Any, ...]:
    if get_origin(annotation) in (Union, types.UnionType):
        return get_args(annotation)
    if get_origin(annotation) is Literal:
        return tuple(type(value) for value in get_args(annotation))
    return (annotation,)


def _accepts(wide: Any, narrow: Any) -> bool:
    """Whether everything that ``narrow`` describes fits ``wide``."""
    return all(any(_one_accepts(a, b) for a in _members(wide)) for b in _members(narrow))


def _one_accepts(wide: Any, narrow: Any) -> bool:
    if any(value in (Any, object) or isinstance(value, TypeVar) for value in (wide, narrow)):
        return True
    outer, inner = get_origin(wide) or wide, get_origin(narrow) or narrow
    if not (isinstance(outer, type) and isinstance(inner, type)):
        return True
    try:
        if not issubclass(inner, outer):
            return False
    except TypeError:  # a protocol with attributes can't be compared by class
        return True
    return all(_accepts(a, b) for a, b in zip(get_args(wide), get_args(narrow), strict=False))


def _written(annotation: Any) -> str:
    if annotation is type(None):
        return "None"
    if get_origin(annotation) is not None:
        return str(annotation).replace("typing.", "").replace("collections.abc.", "")
    return getattr(annotation, "__name__", str(annotation))

"""Values against the types of the settings, with sentences for people who wrote the value."""

from __future__ import annotations

import types
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Annotated, Any, Literal, Union, get_args, get_origin

import msgspec
from msgspec import Meta, Struct
from msgspec.structs import replace

from ares_core.errors import ConfigError
from ares_core.names import nearest
from ares_core.settings import SHARED_SECTIONS, Settings

if TYPE_CHECKING:
    from pydantic import BaseModel

Path = tuple[str, ...]
UNSET = "the defaults"


class Leaf(Struct, frozen=True):
    """One checked value, where it goes, and whether the key is the core's."""

    path: Path
    value: Any
    core: bool = True


def leaves(values: Mapping[str, Any], source: str, *, text: bool = False) -> Iterator[Leaf]:
    """Give every value of one layer, checked; ``text`` says that values are text, to be read by the key's type.

    Nothing (``null``) where the type doesn't take it leaves the key unset.
    """
    check = _Check(source, text)
    sections = fields(Settings)
    for name, section in values.items():
        if section is None:
            continue
        check.mapping(section, (str(name),))
        for key, value in section.items():
            at = (str(name), str(key))
            kind = _kind_of(sections, at)
            if kind is None and (name not in sections or name in SHARED_SECTIONS):
                yield from _plugin_leaves(value, at)
            elif kind is None:
                raise check.unknown(at, fields(sections[name]))
            else:
                yield from check.leaves(value, kind, at)


def fields(struct: type[Struct]) -> dict[str, Any]:
    """The types of a section's keys."""
    return {field.name: field.type for field in msgspec.structs.fields(struct)}


def expected(kind: Any) -> str:
    """Say in words what a type takes.

    >>> expected(tuple[str, ...] | None)
    'a list, each text; or nothing'
    """
    origin, inner = get_origin(kind), get_args(kind)
    if origin is Annotated:
        said = (note.description for note in inner if isinstance(note, Meta) and note.description)
        return next(said, None) or expected(inner[0])
    if origin in (Union, types.UnionType):
        return "; or ".join(expected(part) for part in inner)
    if origin is Literal:
        return "one of " + ", ".join(map(str, inner))
    if origin is tuple:
        return f"a list, each {expected(inner[0])}"
    if origin is dict:
        return "a mapping" if inner[1] is Any else f"a mapping, each {expected(inner[1])}"
    if _is_struct(kind):
        return f"a mapping with {', '.join(fields(kind))}"
    return {str: "text", bool: "true or false", type(None): "nothing"}.get(kind, getattr(kind, "__name__", "a value"))


def agreed(settings: Settings, source: Callable[[str], str]) -> Settings:
    """Check what single keys can't say: limits that contradict each other, patterns that are none."""
    limits = settings.limits
    for number, pattern in enumerate(settings.results.redact):
        _check_pattern(pattern, f"results.redact[{number}] in {source('results.redact')}")
    if limits.timeout <= limits.max_timeout:
        return settings
    if source("limits.timeout") != UNSET:
        raise ConfigError(
            f"limits.timeout in {source('limits.timeout')}: expected at most limits.max_timeout, which is "
            f"{limits.max_timeout:g} in {source('limits.max_timeout')}, got {limits.timeout:g}; "
            "lower one or raise the other"
        )
    return replace(settings, limits=replace(limits, timeout=limits.max_timeout))


def _check_pattern(pattern: str, at: str) -> None:
    import re

    try:
        re.compile(pattern)
    except (re.error, RecursionError, OverflowError) as error:
        raise ConfigError(f"{at}: expected a regular expression, got {pattern!r:.60} ({error})") from None


def section_as(model: type[BaseModel], name: str, values: Mapping[str, Any], where: Callable[[str], str]) -> Any:
    """Check a plugin's section against its pydantic model; ``where`` tells which source set a key."""
    import pydantic

    known = {field.alias or key for key, field in model.model_fields.items()} | set(model.model_fields)
    if model.model_config.get("extra") != "allow":
        for key in values:
            if key not in known:
                raise _Check(where(key), False).unknown((name, key), known)
    try:
        return model.model_validate(dict(values))
    except pydantic.ValidationError as error:
        raise ConfigError("; ".join(_sentence(name, issue, where) for issue in error.errors())) from None


def struct_as(model: type[Struct], name: str, values: Mapping[str, Any], where: Callable[[str], str]) -> Any:
    """Check a plugin's section against its msgspec ``Struct``, which costs no import; texts are read by type."""
    known = fields(model)
    converted = {}
    for key, value in values.items():
        check = _Check(where(key), text=True)
        if key not in known:
            raise check.unknown((name, key), known)
        converted[key] = check.convert(value, known[key], (name, key))
    for field in msgspec.structs.fields(model):
        if field.required and field.name not in values:
            raise ConfigError(f"{name}.{field.name} is missing: expected {expected(field.type)}")
    return model(**converted)


class _Check:
    """The checks of one layer; every error names its source."""

    def __init__(self, source: str, text: bool) -> None:
        self.source = source
        self.text = text

    def leaves(self, value: Any, kind: Any, at: Path) -> Iterator[Leaf]:
        """Descend to the values that layers replace as a whole."""
        inner = _entries(kind, value if isinstance(value, Mapping) else {})
        if inner is None:
            if value is not None or type(None) in get_args(kind):
                yield Leaf(at, self.convert(value, kind, at))
        elif value is not None:
            self.mapping(value, at)
            for key, part in value.items():
                if key not in inner:
                    raise self.unknown((*at, str(key)), inner)
                yield from self.leaves(part, inner[key], (*at, key))

    def convert(self, value: Any, kind: Any, at: Path) -> Any:
        """Convert one value, or say what was expected."""
        origin, inner = get_origin(kind), get_args(kind)
        value = _from_text(value, kind) if self.text else value
        if origin is tuple and isinstance(value, list | tuple) and _is_struct(inner[0]):
            return tuple(self.struct(part, inner[0], (*at[:-1], f"{at[-1]}[{i}]")) for i, part in enumerate(value))
        try:
            return msgspec.convert(value, kind, strict=not self.text)
        except msgspec.ValidationError:
            self.parts(value, kind, at)
            raise ConfigError(self.wrong(at, expected(kind), value)) from None

    def parts(self, value: Any, kind: Any, at: Path) -> None:
        """Say which part of a list is wrong, if one is."""
        lists = [part for part in (kind, *get_args(kind)) if get_origin(part) is tuple]
        for number, part in enumerate(value if lists and isinstance(value, list | tuple) else ()):
            self.convert(part, get_args(lists[0])[0], (*at[:-1], f"{at[-1]}[{number}]"))

    def struct(self, value: Any, kind: type[Struct], at: Path) -> Any:
        """Convert a mapping inside a list."""
        self.mapping(value, at)
        known = fields(kind)
        for key in value:
            if key not in known:
                raise self.unknown((*at, str(key)), known)
        for field in msgspec.structs.fields(kind):
            if field.required and field.name not in value:
                raise ConfigError(f"{'.'.join(at)} in {self.source}: {field.name} is missing, {expected(field.type)}")
        return kind(**{key: self.convert(part, known[key], (*at, key)) for key, part in value.items()})

    def mapping(self, value: Any, at: Path) -> None:
        """Refuse what is no mapping."""
        if not isinstance(value, Mapping):
            raise ConfigError(self.wrong(at, "a mapping of keys to values", value) + _section_hint(at))

    def wrong(self, at: Path, wanted: str, value: Any) -> str:
        """The sentence about a wrong value."""
        return f"{'.'.join(at)} in {self.source}: expected {wanted}, got {_got(value)}"

    def unknown(self, at: Path, known: Iterable[str]) -> ConfigError:
        """The error about a key that does not exist."""
        *section, key = at
        near = nearest(key, known, 1)
        hint = f"did you mean {'.'.join([*section, *near])}?" if near else f"there are {', '.join(sorted(known))}"
        return ConfigError(f"{'.'.join(at)} in {self.source}: there is no such key; {hint}")


def _kind_of(sections: Mapping[str, Any], at: Path) -> Any:
    section = sections.get(at[0])
    inner = _entries(section, {at[1]: None}) if section else None
    return inner.get(at[1]) if inner else None


def _entries(kind: Any, value: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """The types of what lies below, if layers are merged below this point."""
    if _is_struct(kind):
        return fields(kind)
    if get_origin(kind) is dict:
        return dict.fromkeys(value, get_args(kind)[1])
    return None


def _plugin_leaves(value: Any, at: Path) -> Iterator[Leaf]:
    if isinstance(value, Mapping) and value:
        for key, part in value.items():
            yield from _plugin_leaves(part, (*at, str(key)))
    else:
        yield Leaf(at, value, core=False)


def _from_text(value: Any, kind: Any) -> Any:
    """Read a variable's text where the type is a list: parts between commas."""
    if not isinstance(value, str) or not any(get_origin(part) is tuple for part in (kind, *get_args(kind))):
        return value
    return [part.strip() for part in value.split(",") if part.strip()]


def _sentence(name: str, issue: Any, where: Callable[[str], str]) -> str:
    at = [str(part) for part in issue["loc"]]
    source = where(at[0]) if at else where("")
    return f"{'.'.join([name, *at])} in {source}: {issue['msg']}, got {_got(issue['input'])}"


def _section_hint(at: Path) -> str:
    if len(at) > 1:
        return ""
    owners = [
        f"{name}.{at[0]}" for name, kind in fields(Settings).items() if _is_struct(kind) and at[0] in fields(kind)
    ]
    return f"; did you mean {owners[0]}?" if owners else ""


def _got(value: Any) -> str:
    if value is None:
        return "nothing"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return f"the text {value[:60]!r}"
    if isinstance(value, Mapping):
        return "a mapping"
    return "a list" if isinstance(value, list | tuple) else f"{value!r:.60}"


def _is_struct(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, Struct)

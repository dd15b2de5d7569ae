"""References to earlier outputs: ``${node.path}``, ``${input.name}``, ``${state.key}``.

A text that is one whole reference keeps the type of what it names; inside other text a value is written out. ``?`` at
the end gives null where there is nothing: ``${node.path?}``. ``$${`` is the text ``${``. What a reference gives is data
and is never read as a reference again, whatever braces it has.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from msgspec import Struct

PATTERN = re.compile(r"\$\$\{|\$\{([^{}]{0,500})\}")
STEP = re.compile(r"\.([^.\[\]\s?]{1,200})|\[(\d{1,9})\]|\[\"([^\"\]]{0,200})\"\]")
NAME = re.compile(r"[^\W\d][\w-]{0,99}")
Lookup = Callable[[str], Any]
"""Gives the output of a node, the input or the state by name; raises ``ReferenceFault`` when there is none."""


class ReferenceFault(ValueError):
    """A reference that can't be read, or that names nothing."""


class Reference(Struct, frozen=True):
    """One reference: the name, the way into its value, and whether it may name nothing."""

    text: str
    name: str
    path: tuple[str | int, ...] = ()
    optional: bool = False

    def value(self, lookup: Lookup) -> Any:
        """Give what it names."""
        try:
            return _inside(lookup(self.name), self)
        except ReferenceFault:
            if self.optional:
                return None
            raise


def parse(text: str) -> Reference:
    """Read what stands between the braces.

    >>> parse("sum.result")
    Reference(text='sum.result', name='sum', path=('result',), optional=False)
    >>> parse('rows.items[0]["a b"]?').path
    ('items', 0, 'a b')
    """
    inner = text.strip()
    optional = inner.endswith("?")
    rest = inner.removesuffix("?").rstrip()
    name = NAME.match(rest)
    if name is None:
        raise ReferenceFault(f"${{{text}}} is no reference; write ${{node.path}}, or $${{ for the text ${{")
    path: list[str | int] = []
    place = name.end()
    while place < len(rest):
        step = STEP.match(rest, place)
        if step is None:
            raise ReferenceFault(f"${{{text}}} can't be read from {rest[place:]!r} on; write ${{node.name[0].name}}")
        path.append(int(step[2]) if step[2] else step[1] if step[1] is not None else step[3])
        place = step.end()
    return Reference(inner, name.group(), tuple(path), optional)


def _inside(value: Any, reference: Reference) -> Any:
    said = reference.name
    for step in reference.path:
        if isinstance(step, int) and isinstance(value, list):
            if step >= len(value):
                raise ReferenceFault(f"{said} has no item {step}: it has {len(value)}")
            value = value[step]
        elif isinstance(value, Mapping):
            if step not in value:
                raise ReferenceFault(f"{said}.{step} is missing; {said} has {_keys(value)}")
            value = value[step]
        else:
            raise ReferenceFault(f"{said}.{step} is missing; {said} is {_kind(value)}")
        said = f"{said}[{step}]" if isinstance(step, int) else f"{said}.{step}"
    return value


def _keys(value: Mapping[str, Any]) -> str:
    names = [str(name)[:60] for name in value]
    return ", ".join(names[:12]) + (f" and {len(names) - 12} more" if len(names) > 12 else "") or "nothing"


def _kind(value: Any) -> str:
    kinds: dict[type, str] = {str: "text", bool: "true or false", int: "a number", float: "a number", list: "a list"}
    return "null" if value is None else kinds.get(type(value), type(value).__name__)


def compiled(template: Any) -> Callable[[Lookup], Any] | None:
    """Make what gives the value of a template; ``None`` where it has no reference and stands as it is."""
    if isinstance(template, str):
        return _compiled_text(template)
    if isinstance(template, Mapping):
        made = {key: compiled(value) for key, value in template.items()}
        if not any(made.values()):
            return None
        pairs = [(key, make, template[key]) for key, make in made.items()]
        return lambda lookup: {key: value if make is None else make(lookup) for key, make, value in pairs}
    if isinstance(template, list | tuple):
        items = [(compiled(value), value) for value in template]
        if not any(make for make, _ in items):
            return None
        return lambda lookup: [value if make is None else make(lookup) for make, value in items]
    return None


def _compiled_text(text: str) -> Callable[[Lookup], Any] | None:
    if "${" not in text:
        return None
    parts: list[str | Reference] = []
    end = 0
    for found in PATTERN.finditer(text):
        parts.append(text[end : found.start()])
        parts.append("${" if found[1] is None else parse(found[1]))
        end = found.end()
    if "${" in text[end:]:
        raise ReferenceFault(f"{text[end:]!r:.80} has a '${{' without its '}}'; write $${{ for the text ${{")
    parts.append(text[end:])
    kept = [part for part in parts if part != ""]
    if len(kept) == 1 and isinstance(kept[0], Reference):
        return kept[0].value
    return lambda lookup: "".join(part if isinstance(part, str) else _written(part.value(lookup)) for part in kept)


def _written(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def references(template: Any) -> Iterator[Reference]:
    """Give every reference in a template; one that can't be read raises ``ReferenceFault``."""
    if isinstance(template, str):
        for found in PATTERN.finditer(template):
            if found[1] is not None:
                yield parse(found[1])
    elif isinstance(template, Mapping):
        for value in template.values():
            yield from references(value)
    elif isinstance(template, list | tuple):
        for value in template:
            yield from references(value)


__all__ = ["Lookup", "Reference", "ReferenceFault", "compiled", "parse", "references"]

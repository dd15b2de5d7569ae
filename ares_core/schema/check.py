"""The checker of one tool: is it valid, what is missing, what is wrong, what would be right."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any, Literal

import msgspec

from ares_core.calls import ArgumentEdit, Failure, Issue
from ares_core.schema.coerce import Find, Repair
from ares_core.schema.engines import Engine, Fault, make_engine
from ares_core.schema.envelope import contents, may_be_envelope
from ares_core.schema.example import examples
from ares_core.schema.excerpt import excerpt, first_name
from ares_core.schema.faults import Finder
from ares_core.schema.fill import Filled, make_fill, unchanged
from ares_core.schema.issues import Explainer
from ares_core.schema.references import find_secrets, properties_of
from ares_core.schema.root import normalise_root
from ares_core.schema.tidy import GeneratedSchema

EngineName = Literal["fast", "reference"]
ENVELOPES_DEEP = 2
EXCERPTS = 200
LONGEST_KEPT = 2_000


class Corrected(msgspec.Struct, frozen=True):
    """Arguments after repair: what they are now, what was changed, and what is still wrong."""

    arguments: Any
    edits: tuple[ArgumentEdit, ...]
    issues: tuple[Issue, ...]


class Checker:
    """Checks, fills and repairs the arguments of one tool against its schema.

    ``is_valid(arguments)`` and ``fill(arguments)`` are what every call goes through; ``has_defaults`` turns false when
    it is known that ``fill`` has nothing to do. ``correct`` is for arguments
    that are not valid. Arguments are plain JSON values; none of the methods changes what it is given.
    ``refused`` has the last text that did not fit, and what was said to it.
    ``secrets`` are pointers to what the schema calls secret (``writeOnly``, ``format: password``), with ``*`` for
    any item or key.

    >>> checker = compile_schema({"properties": {"n": {"type": "integer"}}, "required": ["n"]}, tool="count")
    >>> checker.is_valid({"n": "5"}), checker.correct({"n": "5"}).arguments
    (False, {'n': 5})
    """

    def __init__(self, schema: dict[str, Any], tool: str, engine: EngineName) -> None:
        self.schema = schema
        self.tool = tool
        self._engine_name = engine
        self.is_valid: Callable[[Any], bool] = self._first_is_valid
        self.fill: Callable[[Any], Filled] = self._first_fill
        self.has_defaults = True
        self.refused: tuple[str, Failure, str] | None = None

    @cached_property
    def secrets(self) -> tuple[str, ...]:
        """Pointers to what the schema calls secret."""
        return find_secrets(self.schema)

    @cached_property
    def engine(self) -> Engine:
        """The engine, made when first needed."""
        return make_engine(self.schema, self.tool, self._engine_name)

    def _first_is_valid(self, arguments: Any) -> bool:
        self.is_valid = self.engine.is_valid
        return self.is_valid(arguments)

    def _first_fill(self, arguments: Any) -> Filled:
        fill = make_fill(self.schema, lambda path, value: self.engine.part(path)(value))
        self.has_defaults = fill is not unchanged
        self.fill = fill
        return self.fill(arguments)

    def correct(self, arguments: Any) -> Corrected:
        """Repair arguments that don't fit, and say what is still wrong; see ``to_type`` for what is repaired.

        What is missing is filled in as well. Arguments in an envelope (``{"arguments": {…}}``) are taken out if the
        envelope doesn't fit, its name is no property, and the content fits.
        """
        value, filled = self.fill(arguments) if self.has_defaults else (arguments, ())
        repair, faults = self._repaired(value)
        if faults and may_be_envelope(arguments) and (opened := self._opened(arguments, ENVELOPES_DEEP)) is not None:
            return opened
        edits = filled
        value = repair.value
        if repair.edits:
            value, more = self.fill(value)
            edits = (*filled, *(edit for _, edit in repair.edits), *more)
        return Corrected(value, edits, self._explainer.issues(faults) if faults else ())

    def coerce(self, arguments: Any) -> Filled:
        """Repair arguments that don't fit as far as it goes without loss."""
        corrected = self.correct(arguments)
        return corrected.arguments, corrected.edits

    def issues(self, arguments: Any) -> tuple[Issue, ...]:
        """Tell what is wrong with arguments, at most 50 issues in the order of their pointers."""
        return self._explainer.issues(self._find(arguments))

    def _repaired(self, arguments: Any) -> tuple[Repair, list[Fault]]:
        repair = Repair(self._find, self.schema, arguments)
        if type(arguments) is not dict and (name := self._only_argument(arguments)) is not None:
            repair.bind(name)
        return repair, repair.run()

    def _only_argument(self, value: Any) -> str | None:
        """Give the name that a bare text or number can only be meant for; a number is not taken for a text."""
        required = self.schema.get("required")
        if type(value) not in (str, int, float) or not isinstance(required, list) or len(required) != 1:
            return None
        part = self.properties.get(required[0])
        kind = part.get("type") if isinstance(part, dict) else None
        return required[0] if kind in ("integer", "number") or kind == "string" and type(value) is str else None

    @cached_property
    def properties(self) -> dict[str, Any]:
        """The declared properties, those in ``allOf`` and behind ``$ref`` too."""
        return properties_of(self.schema, self.schema)

    def _opened(self, arguments: Any, depth: int) -> Corrected | None:
        for name, content in contents(arguments, self.properties):
            value, filled = self.fill(content)
            repair, faults = self._repaired(value)
            edit = ArgumentEdit("", arguments, content, f"taken out of {name!r}")
            if not faults:
                value, more = self.fill(repair.value)
                return Corrected(value, (edit, *filled, *(each for _, each in repair.edits), *more), ())
            if depth > 1 and (inner := self._opened(content, depth - 1)) is not None:
                return Corrected(inner.arguments, (edit, *inner.edits), ())
        return None

    @cached_property
    def _find(self) -> Find:
        return (Finder(self.schema, self.tool, self.engine) if self._engine_name == "fast" else self.engine).faults

    @cached_property
    def _explainer(self) -> Explainer:
        return Explainer(self.schema, frozenset(self.secrets))

    def excerpt(self, issues: Sequence[Issue]) -> dict[str, Any]:
        """Give the part of the schema that the issues are about."""
        return excerpt(self.schema, self.properties, _names(issues))

    def shown_excerpt(self, issues: tuple[Issue, ...]) -> str:
        """Write that part as JSON; what was written is kept."""
        names = _names(issues)
        known = self._excerpts.get(names)
        if known is None:
            known = msgspec.json.encode(excerpt(self.schema, self.properties, names)).decode()
            if len(self._excerpts) < EXCERPTS:
                self._excerpts[names] = known
        return known

    def remember(self, text: Any, failure: Failure, extra: str) -> None:
        """Keep the words of a refusal, for the caller who sends the very same text again."""
        if type(text) is str and len(text) <= LONGEST_KEPT and not self.secrets:
            self.refused = (text, failure, extra)

    @cached_property
    def _excerpts(self) -> dict[tuple[str | None, ...], str]:
        return {}

    def example(self) -> dict[str, Any] | None:
        """Make a correct example of arguments, checked against the schema; ``None`` if none comes to mind."""
        return self._example

    @cached_property
    def _example(self) -> dict[str, Any] | None:
        candidates = (each for each in examples(self.schema, self.schema) if type(each) is dict)
        return next((each for each in candidates if self.is_valid(each)), None)


def _names(issues: Sequence[Issue]) -> tuple[str | None, ...]:
    if len(issues) == 1:
        return (first_name(issues[0].pointer),)
    return tuple(dict.fromkeys([first_name(issue.pointer) for issue in issues]))


def compile_schema(parameters: Any, *, tool: str, engine: EngineName = "fast") -> Checker:
    """Make the checker of a tool from its parameters.

    A schema written by hand is checked at once: ``SchemaError`` says what is wrong with it and names the tool.
    References must be local; nothing is ever fetched. A schema that Ares made from a function is compiled when it
    is first used.
    """
    checker = Checker(normalise_root(parameters, tool), tool, engine)
    if type(parameters) is not GeneratedSchema:
        make_engine(checker.schema, tool, "fast") if engine != "fast" else checker.engine
    return checker


__all__ = ["Checker", "Corrected", "EngineName", "compile_schema"]

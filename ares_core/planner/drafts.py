"""From what is wanted to drafts of steps, before any tool is chosen."""

from __future__ import annotations

import re
from collections.abc import Iterable
from decimal import Decimal
from fractions import Fraction
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from ares_core.planner.grammar import Grammar
from ares_core.planner.numbers import Number
from ares_core.planner.phrases import Entry
from ares_core.planner.plan import Place
from ares_core.planner.readings import Reading
from ares_core.planner.text import Text
from ares_core.planner.wanted import Wanted

_SLOT = re.compile(r"\{([^\W\d]\w*)\}")
_FIGURE = re.compile(r"(?<![\w.])\d+(?:\.\d+)?")


class Given(Struct, frozen=True):
    """What an argument is to be: a value with its place, or what a step gives. A tuple offers alternatives."""

    value: Any = None
    place: Place | None = None
    step: str | None = None
    steps: tuple[str, ...] = ()
    optional: bool = False
    missing: bool = False
    after: str | None = None
    """A step that has to be done before, although it gives nothing for it."""


class Draft(Struct, frozen=True):
    """One step to be: ``needs`` has alternatives of capabilities, of each of which the tool must have one."""

    id: str
    rule: str
    rule_set: str
    said: str
    needs: tuple[tuple[str, ...], ...]
    given: dict[str, Given]
    numbers: tuple[int | float, ...] = ()
    hints: frozenset[str] = frozenset()
    cost: int = 0

    @property
    def missing(self) -> tuple[str, ...]:
        """The arguments for which the request has no value."""
        return tuple(name for name, given in self.given.items() if given.missing)

    @property
    def depends_on(self) -> tuple[str, ...]:
        """The steps whose results it takes."""
        taken = (name for given in self.given.values() for name in (given.step, *given.steps, given.after) if name)
        return tuple(dict.fromkeys(taken))


class Drafter:
    """Makes the drafts of one request; ids are counted up in the order in which the steps are wanted."""

    def __init__(self, grammar: Grammar) -> None:
        self._grammar = grammar
        self.drafts: list[Draft] = []
        self._gathered: tuple[str, ...] = ()

    def all(self, wanted: Iterable[Wanted]) -> list[Draft]:
        """Draft a step for each thing wanted, after those for what stands inside it."""
        last: list[str] = []
        for one in wanted:
            before = last[one.follows] if one.follows is not None else None
            self._gathered = tuple(last[index] for index in one.gathers)
            last.append(self._draft(one.reading, one.text, before))
        return self.drafts

    def _draft(self, reading: Reading, text: Text, before: str | None) -> str:
        calculates = reading.kind == "value"
        given = self._expression(reading, text) if calculates else self._arguments(reading, text, before)
        entry = self._entry(reading)
        needs = self._needs(reading) if calculates else (entry.rule.capabilities,)
        step = f"s{len(self.drafts) + 1}"
        hints = frozenset(re.findall(r"[^\W\d_]+", " ".join((entry.rule.name, *entry.rule.phrases)).lower()))
        numbers = _numbers(reading) if calculates else ()
        said = text.said(reading.start, reading.end)
        self.drafts.append(Draft(step, entry.rule.name, entry.source, said, needs, given, numbers, hints, reading.cost))
        return step

    def _entry(self, reading: Reading) -> Entry:
        """The rule that hit: of a calculation the outermost that is more than signs."""
        worded = [entry for entry in reading.entries if entry.source != "signs" and not entry.rule.reads]
        if worded or self._grammar.plain is None:
            return worded[0]
        return self._grammar.plain

    def _needs(self, reading: Reading) -> tuple[tuple[str, ...], ...]:
        worded = [
            entry.rule.capabilities for entry in reading.entries if entry.source != "signs" and entry.rule.capabilities
        ]
        plain = self._grammar.plain.rule.capabilities if self._grammar.plain else ()
        return tuple(dict.fromkeys(worded)) or (plain,)

    def _expression(self, reading: Reading, text: Text) -> dict[str, Given]:
        missing = reading.gaps > 0
        return {"expression": Given(None if missing else reading.text, _place(reading, text), missing=missing)}

    def _arguments(self, reading: Reading, text: Text, before: str | None) -> dict[str, Given]:
        slots = dict(reading.slots)
        made: dict[str, Given] = {}
        for name, form in reading.entries[0].rule.arguments.items():
            given = self._given(form, slots, text, before)
            if given is not None:
                optional = name.endswith("?")
                made[name.removesuffix("?")] = replace(given, optional=optional)
        return made

    def _given(self, form: Any, slots: dict[str, Reading], text: Text, before: str | None) -> Given | None:
        """Fill a template; ``None`` if its slot does not occur in this wording."""
        if not isinstance(form, str) or "{" not in form:
            return Given(form)
        names = _SLOT.findall(form)
        if any(name not in slots for name in names):
            return None
        if form != f"{{{names[0]}}}":
            return Given(_SLOT.sub(lambda match: slots[match[1]].text, form))
        slot = slots[names[0]]
        if slot.kind in ("missing", "ref"):
            return Given(missing=True) if slot.kind == "missing" else self._handed_on(before)
        if slot.kind == "refs":
            return Given(steps=self._gathered)
        if slot.kind == "wish" or slot.calculates:
            return Given(step=self._draft(slot, text, before))
        return Given(_plain(slot), _place(slot, text), after=before if slot.kind == "written" else None)

    def _handed_on(self, before: str | None) -> Given:
        """What "it" means: what the step before gave, or, if that only wrote a file, what it wrote."""
        step = next((draft for draft in self.drafts if draft.id == before), None)
        given = step.given if step else {}
        if "content" in given and _is(given, "operation", "write"):
            return replace(given["content"], after=before)
        return Given(step=before, missing=step is None or "content" in given or "destination" in given)


def _is(given: dict[str, Given], name: str, value: str) -> bool:
    return name in given and given[name].value == value


def _place(reading: Reading, text: Text) -> Place | None:
    if reading.end <= reading.start:
        return None
    first, last = text.tokens[reading.start], text.tokens[reading.end - 1]
    return Place(first.start, last.end) if first.start < last.end else None


def _plain(reading: Reading) -> Any:
    """The value of a slot as JSON has it."""
    value = reading.value
    return as_json(value.value) if isinstance(value, Number) else value


def as_json(value: Any) -> Any:
    """Write an exact number as a JSON number."""
    if isinstance(value, Decimal | Fraction):
        return int(value) if value == int(value) else float(value)
    return value


def _numbers(reading: Reading) -> tuple[int | float, ...]:
    """The numbers of a calculation with one operation, in its order; none of a longer one."""
    if reading.operations != 1 or any(slot.kind == "series" for _, slot in reading.slots):
        return ()
    found = _FIGURE.findall(reading.text) if len(reading.text) < 1000 else []
    return tuple(float(figure) if "." in figure else int(figure) for figure in found)

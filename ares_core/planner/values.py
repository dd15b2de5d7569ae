"""What a request says, as a parameter takes it: its type, its unit, its form of dates, its spelling."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from ares_core.planner.arguments import as_schema
from ares_core.planner.dates import as_wanted
from ares_core.planner.drafts import as_json
from ares_core.planner.finds import Find
from ares_core.planner.lexical import stem
from ares_core.planner.lexicon import CURRENCIES, DOLLARS, PEOPLES, STATES
from ares_core.planner.quantities import number_value
from ares_core.planner.units import agree, convert
from ares_core.planner.wishes import Wish


def value_of(wish: Wish, find: Find) -> Any:
    """Give a find as a parameter takes it; ``None`` if it takes no such value."""
    if wish.kind == "number":
        return as_schema(wish.schema, _numeric(wish, find))
    if wish.kind == "array":
        return _array(wish, find)
    if find.kind == "moment" and "format" in wish.description.lower():
        return None
    value = find.value
    if find.kind == "date":
        value = as_wanted(value, wish.description)
    elif find.kind in ("number", "year"):
        value = as_json(value)
    elif find.kind == "name" and wish.with_state and value in STATES:
        value = f"{value}, {STATES[value]}"
    elif isinstance(value, str):
        value = spoken(wish, value)
    return as_schema(wish.schema, value)


def _numeric(wish: Wish, find: Find) -> Any:
    if find.kind == "clock":
        return _hour_or_minute(wish, *find.spare)
    if find.spare is not None and _means_kelvin(wish, find):
        return as_json(find.spare)
    if find.unit and wish.unit:
        converted = convert(find.value, find.unit, wish.unit)
        if converted is not None and converted != find.value:
            return _rounded(converted)
    return number_value(find, wish.schema.get("type") == "integer", wish.percent)


def _hour_or_minute(wish: Wish, hour: int, minute: int, half: str) -> int:
    """Give the hour of the day, or of the clock's face if the parameter speaks of a clock."""
    if "minute" in wish.roles:
        return minute
    is_face = bool({"clock", stem("angle")} & wish.hints)
    return hour % 12 + 12 * (half == "p") if half and not is_face else hour


def _means_kelvin(wish: Wish, find: Find) -> bool:
    """Whether the K of 298K is a unit, and no thousand."""
    is_temperature = any(unit.quantity == "temperature" for unit in find.unit)
    return is_temperature and (agree(wish.names, wish.unit, find.unit) is True or stem("kelvin") in wish.hints)


def _rounded(value: Fraction) -> int | float:
    return int(value) if value.denominator == 1 else float(f"{float(value):.10g}")


def _array(wish: Wish, find: Find) -> Any:
    items = wish.schema.get("items")
    items = items if isinstance(items, dict) else {}
    is_numeric = items.get("type") in ("integer", "number")
    if find.kind == "json":
        return as_schema(wish.schema, find.value)
    if find.kind in ("numbers", "ordinals"):
        values = [number_value(one, False, wish.percent) for one in find.value]
        return None if items.get("type") == "string" else _shaped(items, values)
    if find.kind == "number":
        return _shaped(items, [as_json(find.value)]) if is_numeric else None
    values = [one.value for one in find.value] if isinstance(find.value, list) else [find.value]
    return None if is_numeric else _shaped(items, values)


def _shaped(items: dict[str, Any], values: list[Any]) -> list[Any] | None:
    shaped = [as_schema(items, value) for value in values]
    return None if None in shaped else shaped


def spoken(wish: Wish, value: str) -> str:
    """Give what is said as the parameter spells it: currencies by their code, countries by their name, examples."""
    said = value.lower().split()
    if "currency" in wish.roles and said:
        code = CURRENCIES.get(said[-1]) or CURRENCIES.get(said[-1].removesuffix("s"))
        return (DOLLARS.get(said[0], code) if code == "USD" else code) or value
    for example in wish.examples:
        if stem(example.lower()) == stem(value.lower()):
            return example
    return PEOPLES.get(value.lower(), value) if "country" in wish.roles else value

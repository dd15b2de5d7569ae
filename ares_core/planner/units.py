"""Units of measurement: which of them mean the same kind of quantity, and by how much they differ."""

from __future__ import annotations

import re
from decimal import Decimal
from fractions import Fraction

from msgspec import Struct

from ares_core.planner.lexical import stem

_TABLE = {
    "length": "m meter metre meters metres 米 1|mm millimeter 1/1000|cm centimeter centimetre 厘米 1/100"
    "|km kilometer kilometre 公里 千米 1000|inch inches in 127/5000|ft foot feet 381/1250|yd yard 1143/1250"
    "|mile mi 英里 201168/125",
    "mass": "kg kilogram kilo 公斤 千克 1|g gram 克 1/1000|mg milligram 1/1000000|lb lbs pound 45359237/100000000"
    "|oz ounce 45359237/1600000000|tonne 1000",
    "time": "s sec second 秒 1|ms millisecond 1/1000|min minute 分钟 60|h hr hour 小时 3600|day 天 86400"
    "|week 周 604800",
    "months": "month 月 1|quarter 3|year yr 年 12|decade 120|century centuries 1200",
    "temperature": "k kelvin 1", "celsius": "c celsius centigrade 摄氏度 1", "fahrenheit": "f fahrenheit 华氏度 1",
    "volume": "l liter litre 升 1|ml milliliter millilitre 毫升 1/1000",
    "gallon": "gallon 1", "energy": "j joule 1|kj kilojoule 1000", "calories": "cal calorie 1|kcal 1000",
    "pressure": "pa pascal 1|kpa kilopascal 1000", "atmosphere": "atm atmosphere 1",
    "current": "a amp ampere 1|ma milliampere 1/1000", "voltage": "v volt 1|kv kilovolt 1000|mv millivolt 1/1000",
    "frequency": "hz hertz 1|khz kilohertz 1000|mhz megahertz 1000000|ghz gigahertz 1000000000",
    "charge": "c coulomb 1|µc μc microcoulomb 1/1000000|nc nanocoulomb 1/1000000000",
    "inductance": "h henry henries 1|mh millihenry 1/1000|µh μh 1/1000000",
    "capacitance": "f farad 1|µf μf uf microfarad 1/1000000|nf nanofarad 1/1000000000|pf 1/1000000000000",
    "resistance": "ohm ω 1|kω 1000", "power": "w watt 1|kw kilowatt 1000|mw megawatt 1000000",
    "force": "n newton 1|kn kilonewton 1000", "money": "dollar euro pound yen yuan usd eur gbp cent rupee 元 美元 1",
    "angle": "degree 1", "radians": "radian rad 1", "amount": "mol mole 1", "data": "byte 1",
    "people": "people person 1",
}  # fmt: skip
NAMES = {
    "length": "height length width distance radius diameter depth altitude side",
    "mass": "weight mass",
    "time": "time duration",
    "temperature": "temperature temp",
    "money": "price cost budget salary principal investment revenue amount",
    "pressure": "pressure",
    "volume": "volume",
    "voltage": "voltage",
    "current": "current",
    "frequency": "frequency",
    "charge": "charge",
    "inductance": "inductance",
    "capacitance": "capacitance",
    "angle": "angle",
}
ALIKE = {
    "temperature": {"celsius", "fahrenheit", "temperature"},
    "time": {"time", "months"},
    "months": {"time", "months"},
    "energy": {"energy", "calories"},
    "volume": {"volume", "gallon"},
    "pressure": {"pressure", "atmosphere"},
    "angle": {"angle", "radians"},
}
"""Which quantities a name may mean besides its own."""


class Unit(Struct, frozen=True):
    """A unit: of what, and how many of the first unit of its kind it is."""

    quantity: str
    factor: Fraction


UNITS: dict[str, list[Unit]] = {}
for _quantity, _rows in _TABLE.items():
    for _row in _rows.split("|"):
        *_words, _factor = _row.split()
        for _word in _words:
            UNITS.setdefault(_word, []).append(Unit(_quantity, Fraction(_factor)))
            if len(_word) > 2 and _word < "一":
                UNITS.setdefault(_word + "s", []).append(Unit(_quantity, Fraction(_factor)))
QUANTITIES = {stem(word): quantity for quantity, words in NAMES.items() for word in words.split()}
_SAID = re.compile(
    r"\b(?:in|as|of|unit|units|per)[: ]+(?:the |unit |degrees? )*([a-zµμ]+)(/[a-z]+)?\b|\(([a-zµμ]{1,12})(/[a-z]+)?\)",
    re.IGNORECASE,
)


def units_of(word: str) -> list[Unit]:
    """What a word may mean as a unit.

    >>> [unit.quantity for unit in units_of("feet")]
    ['length']
    """
    return UNITS.get(word, [])


def wanted_unit(names: list[str], description: str) -> list[Unit]:
    """The unit that a parameter wants, by the words of its name or by its description.

    >>> wanted_unit(["weight"], "The weight in pounds.")[0].quantity
    'mass'
    """
    for name in names[::-1]:
        if len(name) > 2 and name in UNITS and name not in ("second", "seconds", "pound", "degree", "min"):
            return UNITS[name]
        if name in ("kg", "km", "cm", "mm", "ft", "lb", "mg"):
            return UNITS[name]
    quantities = {QUANTITIES[word] for name in names if (word := stem(name)) in QUANTITIES}
    found = []
    for match in _SAID.finditer(description[:300]):
        word = (match[1] or match[3]).lower()
        if not (match[2] or match[4]) and word in UNITS and word not in ("second", "in", "a"):
            found.append((not quantities & {unit.quantity for unit in UNITS[word]}, len(word) < 3, UNITS[word]))
    return min(found, key=lambda one: one[:2])[2] if found else []


def convert(value: int | Decimal | Fraction, said: list[Unit], wanted: list[Unit]) -> Fraction | None:
    """Give a quantity in another unit of its kind; ``None`` if there is none.

    >>> convert(Fraction(2), units_of("weeks"), units_of("days"))
    Fraction(14, 1)
    """
    for one in said:
        for other in wanted:
            if one.quantity == other.quantity:
                return Fraction(value) * one.factor / other.factor
    return None


def agree(names: frozenset[str], wanted: list[Unit], said: list[Unit]) -> bool | None:
    """Whether a unit suits a parameter; ``None`` if nothing can be said."""
    if not said:
        return None
    found = {unit.quantity for unit in said}
    if wanted:
        return bool(found & {unit.quantity for unit in wanted})
    quantities = {QUANTITIES[name] for name in names if name in QUANTITIES}
    if not quantities:
        return None
    return bool(found & {each for one in quantities for each in ALIKE.get(one, {one})})

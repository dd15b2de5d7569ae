"""Words that go together: what a request calls by one word, a tool's description may call by another."""

from __future__ import annotations

import re

from ares_core.planner.lexical import stem, words
from ares_core.planner.lexicon import CURRENCIES
from ares_core.planner.units import units_of

_GROUPS = """
king queen monarch ruler emperor reign throne
lawyer attorney solicitor counsel legal law
lawsuit case court trial litigation verdict
doctor physician clinic medical
movie film cinema
theater cinema movie show
car vehicle automobile auto drive
house home property estate apartment residence
price cost fee worth pay expensive cheap
buy purchase order shop shopping sell
flight plane airline ticket fly airport airplane
train rail railway bus transit journey trip
hotel accommodation lodging room stay inn
restaurant dining eat food cuisine meal
recipe cook cooking dish ingredient meal bake food
calorie protein carb fat nutrition nutritional vitamin
dollar euro pound yen rupee peso currency money exchange usd eur gbp
conversion convert exchange
ounce gram cup tablespoon teaspoon liter gallon measurement unit
mile kilometer distance
meter foot inch centimeter length measurement unit
far distance
temperature weather humidity forecast rain climate hot cold precipitation snow sunny
song music track album band playlist listen
concert gig show festival event ticket
sport team league player match championship tournament
football soccer
score point goal statistic stats
rank ranking standing position
war battle treaty history historical event revolution
president leader minister
invent invention inventor
discover discovery discoverer scientist
painting art artwork artist sculpture gallery exhibition
museum gallery exhibition
city town location place
country nation
population people inhabitant
animal species bird mammal wildlife
human species person
plant tree flower crop garden
gene dna genetic mutation genome
coin dice card probability odds chance likelihood
coin toss flip head tail trial binomial
us usa american america
probability odds chance likelihood
stock share equity ticker
company firm business corporation
religion buddhism christianity islam hinduism judaism church religious
email mail message inbox
remind reminder alarm calendar schedule appointment meeting
speed velocity fast pace
weight mass heavy
job employment career salary occupation
crime criminal police felony
library book author novel read
university school college education student
route direction path map navigation way
investment invest interest return portfolio
loan mortgage debt credit
tax income revenue
earthquake volcano disaster
pollution emission carbon greenhouse air
image picture photo
video clip film
phone call telephone contact number
delete remove erase cancel
create generate make new build
update change modify edit set
find search locate look discover
calculate compute determine
game play gaming
news article headline
taxi ride cab uber
health fitness exercise workout
sleep rest
language translate translation
user account profile login
file document folder
log event message error
database table record query sql
server host machine instance
solve equation root
area surface
triangle circle rectangle square geometry
integral integrate derivative calculus
sum add total plus
mean average median
prime factor divisor number
electric current voltage charge
energy heat
dose medicine drug prescription
team club
winner win champion
birth born birthday
death die died
location address where
date when day
monthly month
yearly year annual
天气 weather
forecast predict prediction
"""
RELATED: dict[str, frozenset[str]] = {}
for _line in _GROUPS.strip().splitlines():
    _stems = frozenset(map(stem, _line.split()))
    for _one in _stems:
        RELATED[_one] = RELATED.get(_one, frozenset()) | (_stems - {_one})
_CONVERT = {"money": ("convert", "currency", "exchange")}
_MONEY = frozenset(CURRENCIES) | frozenset("usd eur gbp jpy cny inr cad aud chf".split())
_ASKED = {"when": ("date",), "where": ("location",)}
_HAPPENS = re.compile(r"\bhappen|\b(?:takes?|taking|took) place\b")
_HOW_MUCH = re.compile(r"\b(?:how (?:many|much)|convert|exchange|worth|in)\b")


def meant(request: str) -> list[str]:
    """Give the stems that a request means without saying them: two currencies or units are there to be converted.

    >>> meant("how many ounces are 2 pounds?") == [stem("convert"), stem("unit"), stem("measurement")]
    True
    """
    said = words(request)[:400]
    found = [word for asked, means in _ASKED.items() if asked in said for word in means]
    found += ("event",) if _HAPPENS.search(request.lower()) else ()
    if _HOW_MUCH.search(request.lower()):
        money = [word for word in said if word.removesuffix("s") in _MONEY]
        mass = {unit.factor for word in said if len(word) > 2 for unit in units_of(word) if unit.quantity in _MEASURED}
        found += _CONVERT["money"] if len(money) > 1 else ()
        found += ("convert", "unit", "measurement") if len(mass) > 1 and len(money) < 2 else ()
    return [stem(word) for word in found]


_MEASURED = frozenset(("mass", "length", "volume", "temperature"))

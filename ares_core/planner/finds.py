"""What a request contains that may be an argument, each with its place: numbers, quotes, addresses, dates, names."""

from __future__ import annotations

from ares_core.planner.literals import WHOLE, literals
from ares_core.planner.naming import names
from ares_core.planner.quantities import Quantities
from ares_core.planner.surroundings import Find, Surroundings
from ares_core.planner.text import Text

MOST = 80


class Finder(Surroundings):
    """Looks once through a request for everything that is certain."""

    def __init__(self, text: Text) -> None:
        super().__init__(text)
        self.literals = literals(self)
        whole = {at for one in self.literals if one.kind in WHOLE for at in range(one.start, one.end)}
        quantities = Quantities(self)
        self.numbers = [one for one in quantities.all() if one.start not in whole]
        self.names = list(names(self))
        self.certain = [*self.literals, *self.numbers, *self.names, *quantities.units(self.numbers)][:MOST]


__all__ = ["Find", "Finder"]

"""The names an expression may use: functions with how many values they take, constants, and words that need advice."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

from ares_plugin_calculator import powers, probability, real_functions, sequences, whole
from ares_plugin_calculator.exact import Number, limbs, magnitude, modulo
from ares_plugin_calculator.mistakes import Mistake, nearest
from ares_plugin_calculator.sequences import Parts, expansion_cost, multiple_cost, parts_cost, product_cost

CONSTANTS: dict[str, float] = {"pi": math.pi, "e": math.e, "tau": math.tau}


def scalar_cost(*values: Number) -> float:
    """Measured: what a division or a greatest common divisor of values of this size takes."""
    width = sum(map(limbs, values))
    return 2_000 + 1.5 * width * width


class Function(NamedTuple):
    """A function by its usage, ``log(x[, base])``. With ``many`` it is given all its values as one sequence."""

    usage: str
    compute: Callable[..., Any]
    least: int
    most: int
    many: bool = False
    cost: Callable[..., float] = scalar_cost
    note: str = ""

    @property
    def name(self) -> str:
        """The name before the parenthesis."""
        return self.usage.partition("(")[0]


def _scalar(usage: str, compute: Callable[..., Any], **options: Any) -> Function:
    """A function of one to three numbers; brackets in the usage mark the optional ones."""
    values = usage.partition("(")[2].count(",") + 1
    return Function(usage, compute, values - usage.count("["), values, **options)


def _many(name: str, compute: Callable[[Parts], Any], **options: Any) -> Function:
    """A function of any number of numbers, ranges and lists."""
    return Function(f"{name}(a, b, …)", compute, 1, 10_000, many=True, **{"cost": parts_cost, **options})


_POPULATION = "{name} is that of a population (divided by n); sample_{name} divides by n-1"
_BASE_TEN = "log is to base 10; ln is the natural logarithm"
_ITEMS = {"cost": expansion_cost}
_FIXED = {"cost": lambda *values: 1_500_000 + scalar_cost(*values)}


def times(factor: float, cost: Callable[..., float]) -> dict[str, Any]:
    """The option ``cost``, multiplied."""
    return {"cost": lambda *values: factor * cost(*values)}


_FUNCTIONS: dict[str, Function] = {
    "sqrt": _scalar("sqrt(x)", powers.sqrt),
    "cbrt": _scalar("cbrt(x)", powers.cbrt, **times(10, scalar_cost)),
    "root": _scalar("root(x, n)", powers.root, **times(10, scalar_cost)),
    "isqrt": _scalar("isqrt(n)", powers.isqrt),
    "hypot": _scalar("hypot(x, y[, z])", powers.hypot, **times(6, scalar_cost)),
    "pow power": _scalar("pow(x, y)", powers.power, cost=powers.power_cost),
    "abs fabs": _scalar("abs(x)", magnitude),
    "sign sgn": _scalar("sign(x)", whole.sign),
    "exp": _scalar("exp(x)", real_functions.exp),
    "ln": _scalar("ln(x)", real_functions.ln),
    "log": _scalar("log(x[, base])", real_functions.log, note=_BASE_TEN),
    "log10": _scalar("log10(x)", real_functions.log),
    "log2": _scalar("log2(x)", real_functions.log2),
    "sin": _scalar("sin(x)", real_functions.sin),
    "cos": _scalar("cos(x)", real_functions.cos),
    "tan": _scalar("tan(x)", real_functions.tan),
    "asin arcsin": _scalar("asin(x)", real_functions.asin),
    "acos arccos": _scalar("acos(x)", real_functions.acos),
    "atan arctan": _scalar("atan(x)", real_functions.plain(math.atan)),
    "atan2 arctan2": _scalar("atan2(y, x)", real_functions.atan2),
    "sinh": _scalar("sinh(x)", real_functions.plain(math.sinh)),
    "cosh": _scalar("cosh(x)", real_functions.plain(math.cosh)),
    "tanh": _scalar("tanh(x)", real_functions.plain(math.tanh)),
    "asinh": _scalar("asinh(x)", real_functions.plain(math.asinh)),
    "acosh": _scalar("acosh(x)", real_functions.acosh),
    "atanh": _scalar("atanh(x)", real_functions.atanh),
    "radians": _scalar("radians(x)", real_functions.radians),
    "degrees": _scalar("degrees(x)", real_functions.degrees),
    "round": _scalar("round(x[, places])", whole.round_half_away),
    "floor": _scalar("floor(x)", whole.floor),
    "ceil ceiling": _scalar("ceil(x)", whole.ceil),
    "trunc int": _scalar("trunc(x)", whole.trunc),
    "mod": _scalar("mod(a, b)", modulo),
    "factorial fact": _scalar("factorial(n)", whole.factorial),
    "npr perm permutations": _scalar("nPr(n, r)", whole.permutations, cost=whole.permutation_cost),
    "ncr comb combinations choose": _scalar("nCr(n, r)", whole.combinations, cost=whole.combination_cost),
    "isprime": _scalar("isPrime(n)", whole.is_prime, cost=whole.is_prime_cost),
    "powmod modpow": _scalar("powmod(a, b, m)", whole.power_modulo, cost=whole.power_modulo_cost),
    "digits": _scalar("digits(n)", whole.digits),
    "binomial binomialpdf binomialpmf": _scalar("binomial(n, k, p)", probability.binomial, **_FIXED),
    "normalpdf": _scalar("normalPdf(x, mu, sigma)", probability.normal),
    "poissonpdf poisson poissonpmf": _scalar("poissonPdf(k, lambda)", probability.poisson),
    "sum total": _many("sum", sequences.total, **times(2, parts_cost)),
    "sumsq sumofsquares": _many("sum_of_squares", sequences.sum_of_squares, **times(4, parts_cost)),
    "sumofcubes": _many("sum_of_cubes", sequences.sum_of_cubes, **times(9, parts_cost)),
    "product prod": _many("product", sequences.product, cost=product_cost),
    "count len": _many("count", sequences.count),
    "min minimum": _many("min", sequences.smallest),
    "max maximum": _many("max", sequences.largest),
    "mean average avg": _many("mean", sequences.mean, **times(2, parts_cost)),
    "median": _many("median", sequences.median, **_ITEMS),
    "mode": _many("mode", sequences.mode, **_ITEMS),
    "variance": _many("variance", sequences.variance, **times(8, parts_cost), note=_POPULATION.format(name="variance")),
    "pvariance populationvariance varp": _many("pvariance", sequences.variance, **times(8, parts_cost)),
    "samplevariance variancesample svariance vars": _many(
        "sample_variance", sequences.sample_variance, **times(8, parts_cost)
    ),
    "stddev standarddeviation": _many(
        "stddev", sequences.stddev, **times(20, parts_cost), note=_POPULATION.format(name="stddev")
    ),
    "pstdev pstddev populationstddev stddevp stdevp": _many("pstdev", sequences.stddev, **times(20, parts_cost)),
    "samplestddev samplestdev stddevs stdevs": _many("sample_stddev", sequences.sample_stddev, **times(20, parts_cost)),
    "gcd": _many("gcd", sequences.common_divisor),
    "lcm": _many("lcm", sequences.common_multiple, cost=multiple_cost),
}
FUNCTIONS = {name: function for names, function in _FUNCTIONS.items() for name in names.split()}

UNITS = frozenset([
    "mm", "cm", "m", "km", "in", "inch", "inches", "ft", "feet", "foot", "yd", "yard", "yards", "mi", "mile", "miles",
    "mg", "g", "kg", "t", "lb", "lbs", "oz", "ton", "tons", "ml", "l", "liter", "liters", "litre", "litres", "gal",
    "s", "sec", "second", "seconds", "min", "minute", "minutes", "h", "hr", "hour", "hours", "day", "days", "week",
    "weeks", "month", "months", "year", "years", "ms", "hz", "khz", "mhz", "ghz", "b", "kb", "mb", "gb", "tb", "byte",
    "bytes", "w", "kw", "kwh", "v", "a", "k", "c", "f", "deg", "degree", "degrees", "rad", "bar", "pa", "kj",
    "cal", "kcal", "mph", "kmh", "usd", "eur", "gbp", "jpy", "cny", "rmb", "chf", "inr", "dollar", "dollars", "euro",
    "euros", "cent", "cents", "yuan",
])  # fmt: skip
_EITHER_WAY = "say which: {0} divides by n, sample_{0} by n-1"
_ADVICE = {
    "x": "write * for times; letters are no variables here",
    "i": "only real numbers are calculated",
    "j": "only real numbers are calculated",
    "nan": "give a number",
    "inf": "infinity is no number; give a finite one",
    "infinity": "infinity is no number; give a finite one",
    "range": "write 1..10, both ends included, or 1..10..3 with a step",
    "plus": "write +",
    "minus": "write -",
    "times": "write *",
    "divided": "write /",
    "over": "write /",
    "lg": "write log10(x) or log2(x)",
    "sd": _EITHER_WAY.format("stddev"),
    "std": _EITHER_WAY.format("stddev"),
    "stdev": _EITHER_WAY.format("stddev"),
    "var": _EITHER_WAY.format("variance"),
    "not": "only numbers are calculated",
    "and": "only numbers are calculated",
    "or": "only numbers are calculated",
}
_KNOWN = sorted({function.name for function in _FUNCTIONS.values()} | set(CONSTANTS))


def key(name: str) -> str:
    """Names differ neither by case nor by underscores: ``is_prime`` is ``isPrime``."""
    return name.lower().replace("_", "")


def unknown(name: str, after_number: bool) -> Mistake:
    """Say what is known about a name that means nothing here: a unit, a word, a slip of the pen."""
    short, plain = name[:40], key(name)
    if after_number and plain in UNITS:
        reason = f"'{short}' after a number is a unit or a variable"
        return Mistake(reason, "give plain numbers and put the unit back into your answer")
    advice = (
        _ADVICE.get(plain)
        or nearest(name, _KNOWN)
        or "there are no variables, only functions such as sqrt(x) and sum(1, 2)"
    )
    return Mistake(f"'{short}' is no name that is known here", advice)

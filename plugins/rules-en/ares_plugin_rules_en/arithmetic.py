"""Series, operations and powers in English words."""

from __future__ import annotations

from ares_core import Rule

SUM, STATISTICS = ("Summation", "Arithmetic"), ("Statistics", "ExpressionEvaluation")
ARITHMETIC = ("Arithmetic",)
WHOLE = "[all|every] [positive|natural|whole] [numbers|integers]"
SPAN = (
    "(from {first:number} (to|through|until|up to) {last:number}|between {first:number} and {last:number}"
    "|{first:number} (to|through|-) {last:number}|in [the] range {first:number} (to|-) {last:number})"
    " [[,] [both ends] (inclusive|included)]"
)
OF = "[of] [numbers|values|following|list|data] [numbers|values] [:]"


def series(name: str, *phrases: str, **arguments: object) -> Rule:
    """Make a rule for one more way to write a range of whole numbers."""
    return Rule(name, phrases, reads="series", arguments={"first": "{first}", "last": "{last}", **arguments})


def calculation(name: str, capabilities: tuple[str, ...], expression: str, *phrases: str) -> Rule:
    """Make a rule for a calculation."""
    return Rule(name, phrases, capabilities, expression=expression)


NEAREST = "to nearest (integer|whole number)"
PEOPLE, MONEY = "(people|persons|friends|children|ways)", "(dollars|euros|pounds|yuan|cents)"
SHARES = {"half": "1/2", "third": "1/3", "quarter": "1/4", "fifth": "1/5", "tenth": "1/10"}
SERIES = (
    series("range", f"{WHOLE} {SPAN}"),
    series(
        "range in steps",
        f"{WHOLE} {SPAN} [in|with|by] (steps of|step|a step of|increments of) {{step:number}}",
        f"every {{step:count}} [numbers|integers] {SPAN}",
        step="{step}",
    ),
    series("even numbers", f"[all|every] even [positive] [numbers|integers] {SPAN}", only="even"),
    series("odd numbers", f"[all|every] odd [positive] [numbers|integers] {SPAN}", only="odd"),
    series("squares", f"[all] squares [of] {WHOLE} {SPAN}", f"{WHOLE} squared {SPAN}", power=2),
    series("cubes", f"[all] cubes [of] {WHOLE} {SPAN}", power=3),
    series("first numbers", "first {last:number} [positive|natural|whole|counting] (numbers|integers)", first=1),
    series(
        "first squares",
        "first {last:number} [perfect] squares",
        "squares of first {last:number} [positive|natural] (numbers|integers)",
        first=1,
        power=2,
    ),
    series("first cubes", "first {last:number} [perfect] cubes", first=1, power=3),
)

SUMS = (
    calculation(
        "sum of a series",
        SUM,
        "{series.sum}",
        "(sum|total) [of] {series}",
        "add [up] [all] (numbers|integers|up) {series}",
        "total {series}",
        "summation of {series}",
    ),
    calculation(
        "sum of first even numbers",
        SUM,
        "{n}*({n}+1)",
        "(sum|total) of first {n:count} even [positive] (numbers|integers)",
    ),
    calculation(
        "sum of first odd numbers", SUM, "{n}**2", "(sum|total) of first {n:count} odd [positive] (numbers|integers)"
    ),
    calculation(
        "sum",
        SUM,
        "sum({values})",
        "(sum|total) [of] [following|list|values] [values] [:] {values}",
        "(sum|total) [of] [following] numbers [:] {values:list}",
        "(add|sum|total) [up|together] [numbers|values|following] {values:list} [up|together]",
        "summation of {values}",
        "{values} (added|summed) [up|together]",
        "combined (total|sum) of {values}",
    ),
    calculation("mean of a series", STATISTICS, "{series.mean}", "[arithmetic] (mean|average) [of] {series}"),
    calculation(
        "sum of squares", STATISTICS, "sum_of_squares({values})", "(sum|total) of squares of [numbers] {values:list}"
    ),
    calculation(
        "sum of cubes", STATISTICS, "sum_of_cubes({values})", "(sum|total) of cubes of [numbers] {values:list}"
    ),
    calculation("plus", ARITHMETIC, "{a}+{b}", "{a} (plus|added to) {b}"),
    calculation("more than", ARITHMETIC, "{b}+{a}", "{a} (more|greater|larger|higher) than {b}"),
    calculation("less than", ARITHMETIC, "{b}-{a}", "{a} (less|fewer|smaller|lower) than {b}"),
    calculation("add", ARITHMETIC, "{b}+{a}", "add {a} (to|onto) {b}", "increase {b} by {a}"),
    calculation(
        "minus",
        ARITHMETIC,
        "{a}-{b}",
        "{a} (minus|less|take away) {b}",
        "difference (between|of) {a} (and|from) {b}",
        "(decrease|reduce|lower) {a} by {b}",
    ),
    calculation(
        "subtract",
        ARITHMETIC,
        "{b}-{a}",
        "(subtract|deduct) {a} from {b}",
        "take {a} [away] from {b}",
        "{a} subtracted from {b}",
    ),
    calculation(
        "times", ARITHMETIC, "{a}*{b}", "{a} (times|multiplied by|x) {b}", "multiply {a} (by|and|with|times) {b}"
    ),
    calculation(
        "product of a series", ARITHMETIC, "{series.product}", "product of {series}", "multiply {series} [together]"
    ),
    calculation(
        "product", ARITHMETIC, "product({values})", f"product {OF} {{values}}", "multiply {values:list} [together]"
    ),
    calculation("twice", ARITHMETIC, "2*{a}", "(twice|double) {a}"),
    calculation("triple", ARITHMETIC, "3*{a}", "(triple|thrice) {a}"),
    calculation(
        "divided by",
        ARITHMETIC,
        "{a}/{b}",
        "{a} (divided by|over) {b}",
        "divide {a} by {b}",
        "quotient of {a} and {b}",
        "ratio of {a} to {b}",
    ),
    calculation("divide into", ARITHMETIC, "{b}/{a}", "divide {a} into {b}"),
    calculation(
        "divide into parts",
        ARITHMETIC,
        "{a}/{b}",
        "(divide|split) {a} into {b} [equal] (parts|pieces|shares|portions|groups)",
        f"(divide|split) {{a}} [{MONEY}] (evenly|equally) (by|between|among) {{b}} [{PEOPLE}]",
        f"(divide|split) {{a}} [{MONEY}] (between|among) {{b}} {PEOPLE}",
    ),
    calculation(
        "modulo",
        ARITHMETIC,
        "{a}%{b}",
        "{a} (mod|modulo|modulus) {b}",
        "remainder (of|when) {a} [is] divided by {b}",
        "remainder (of|when) dividing {a} by {b}",
    ),
    calculation("part of", ARITHMETIC, "{a}*{b}", "{a:fraction} of {b}"),
    calculation("part in figures of", ARITHMETIC, "{a}/{c}*{b}", "{a:count}/{c:count} of {b}"),
    *(Rule(name, (f"[a|one] {name}",), reads="share", arguments={"value": value}) for name, value in SHARES.items()),
    calculation("less by a share", ARITHMETIC, "{v}*(1-{s})", "(decrease|reduce|lower|cut) {v} by {s:share}"),
    calculation("more by a share", ARITHMETIC, "{v}*(1+{s})", "(increase|raise) {v} by {s:share}"),
    calculation("half", ARITHMETIC, "{a}/2", "half [of] {a}"),
    calculation("reciprocal", ARITHMETIC, "1/{a}", "(reciprocal|inverse) of {a}"),
    calculation("absolute value", ARITHMETIC, "abs({a})", "(absolute value|modulus) of {a}"),
)

THEN = "[,] [and] [then]"
CONTINUED = (
    calculation(
        "then multiply",
        ARITHMETIC,
        "({a})*{b}",
        f"{{a}} {THEN} (multiply|multiplied|multiplying) [it|that|result] by {{b}}",
    ),
    calculation(
        "then divide",
        ARITHMETIC,
        "({a})/{b}",
        f"{{a}} {THEN} (divide|dividing) [it|that|result] by {{b}}",
        "{a} [,] and [then] divided by {b}",
        "{a} , [then] divided by {b}",
    ),
    calculation("then add", ARITHMETIC, "({a})+{b}", f"{{a}} {THEN} (add|adding) {{b}} [to (it|that|result)]"),
    calculation(
        "then subtract", ARITHMETIC, "({a})-{b}", f"{{a}} {THEN} (subtract|subtracting) {{b}} [from (it|that|result)]"
    ),
    calculation("then square", ARITHMETIC, "({a})**2", f"{{a}} {THEN} square (it|that|result)"),
)

POWERS = (
    calculation(
        "power",
        ARITHMETIC,
        "{a}**{b}",
        "{a} [raised] to power [of] {b}",
        "{a} raised to {b}",
        "{a} to the {b:ordinal} [power]",
        "raise {a} to [power [of]] {b}",
        "{b:ordinal} power of {a}",
    ),
    calculation("square", ARITHMETIC, "{a}**2", "{a} squared", "square [of] {a}"),
    calculation("cube", ARITHMETIC, "{a}**3", "{a} cubed", "cube [of] {a}"),
    calculation("square root", ARITHMETIC, "sqrt({a})", "(square root|sqrt|squareroot) [of] {a}"),
    calculation("cube root", ARITHMETIC, "cbrt({a})", "(cube root|cubic root|cbrt|third root) [of] {a}"),
    calculation("root", ARITHMETIC, "root({a},{n})", "{n:ordinal} root of {a}"),
    calculation("natural logarithm", ARITHMETIC, "ln({a})", "(natural log|natural logarithm|ln) [of] {a}"),
    calculation(
        "logarithm",
        ARITHMETIC,
        "log({a},{b})",
        "(log|logarithm) [of] {a} (base|to [the] base|in base) {b}",
        "(log|logarithm) [to [the]] base {b} of {a}",
    ),
    calculation("binary logarithm", ARITHMETIC, "log2({a})", "log2 of {a}"),
    calculation(
        "decimal logarithm",
        ARITHMETIC,
        "log({a})",
        "(common|decimal) (log|logarithm) of {a}",
        "(log|logarithm|log10) of {a}",
    ),
    calculation("exponential", ARITHMETIC, "exp({a})", "(exp|exponential) of {a}"),
    calculation("sine", ARITHMETIC, "sin({a})", "(sin|sine) of {a} [radians]"),
    calculation("cosine", ARITHMETIC, "cos({a})", "(cos|cosine) of {a} [radians]"),
    calculation("tangent", ARITHMETIC, "tan({a})", "(tan|tangent) of {a} [radians]"),
    calculation("sine of degrees", ARITHMETIC, "sin({a}*pi/180)", "(sin|sine) [of] {a} (degrees|degree|deg|°)"),
    calculation("cosine of degrees", ARITHMETIC, "cos({a}*pi/180)", "(cos|cosine) [of] {a} (degrees|degree|deg|°)"),
    calculation("tangent of degrees", ARITHMETIC, "tan({a}*pi/180)", "(tan|tangent) [of] {a} (degrees|degree|deg|°)"),
    calculation(
        "round to places",
        ARITHMETIC,
        "round({a},{n})",
        "round {a} to {n:count} (decimal places|decimals|digits|decimal place|places|decimal)",
        "{a} [rounded] to {n:count} (decimal places|decimals|decimal place|places|decimal)",
    ),
    calculation(
        "round",
        ARITHMETIC,
        "round({a})",
        f"round {{a}} [{NEAREST}]",
        "{a} rounded",
        f"{{a}} rounded {NEAREST}",
    ),
    calculation(
        "floor", ARITHMETIC, "floor({a})", "floor of {a}", "round {a} down", "round down {a}", "{a} rounded down"
    ),
    calculation(
        "ceiling", ARITHMETIC, "ceil({a})", "(ceiling|ceil) of {a}", "round {a} up", "round up {a}", "{a} rounded up"
    ),
)

BARE = calculation("expression", ARITHMETIC, "{value}", "{value}")
RULES = (*SERIES, *SUMS, *CONTINUED, *POWERS, BARE)

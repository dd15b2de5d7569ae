"""Calculations in English words."""

from __future__ import annotations

from ares_core import Rule

SUM, STATISTICS = ("Summation", "Arithmetic"), ("Statistics", "ExpressionEvaluation")
NUMBERS, COUNTING = ("NumberTheory", "ExpressionEvaluation"), ("DiscreteMath", "ExpressionEvaluation")
CHANCE, ARITHMETIC = ("Probability", "ExpressionEvaluation"), ("Arithmetic",)
WHOLE = "[all|every] [positive|natural|whole] [numbers|integers]"
SPAN = "(from {first:number} (to|through|until|up to) {last:number}|between {first:number} and {last:number}" \
       "|{first:number} (to|through|-) {last:number}|in [the] range {first:number} (to|-) {last:number})"  # fmt: skip
OF = "[of] [numbers|values|following|list|data] [numbers|values] [:]"


def series(name: str, *phrases: str, **arguments: object) -> Rule:
    """Make a rule for one more way to write a range of whole numbers."""
    return Rule(name, phrases, reads="series", arguments={"first": "{first}", "last": "{last}", **arguments})


def calculation(name: str, capabilities: tuple[str, ...], expression: str, *phrases: str) -> Rule:
    """Make a rule for a calculation."""
    return Rule(name, phrases, capabilities, expression=expression)


SERIES = (
    series("range", f"{WHOLE} {SPAN}"),
    series("range in steps", f"{WHOLE} {SPAN} [in|with|by] (steps of|step|a step of|increments of) {{step:number}}",
           f"every {{step:count}} [numbers|integers] {SPAN}", step="{step}"),
    series("even numbers", f"[all|every] even [positive] [numbers|integers] {SPAN}", only="even"),
    series("odd numbers", f"[all|every] odd [positive] [numbers|integers] {SPAN}", only="odd"),
    series("squares", f"[all] squares [of] {WHOLE} {SPAN}", f"{WHOLE} squared {SPAN}", power=2),
    series("cubes", f"[all] cubes [of] {WHOLE} {SPAN}", power=3),
    series("first numbers", "first {last:number} [positive|natural|whole|counting] (numbers|integers)", first=1),
    series("first squares", "first {last:number} [perfect] squares", "squares of first {last:number} [positive|natural] (numbers|integers)",
           first=1, power=2),
    series("first cubes", "first {last:number} [perfect] cubes", first=1, power=3),
)  # fmt: skip

SUMS = (
    calculation("sum of a series", SUM, "{series.sum}", "(sum|total) [of] {series}", "add [up] [all] (numbers|integers|up) {series}", "total {series}", "summation of {series}"),
    calculation("sum of first even numbers", SUM, "{n}*({n}+1)", "(sum|total) of first {n:count} even [positive] (numbers|integers)"),
    calculation("sum of first odd numbers", SUM, "{n}**2", "(sum|total) of first {n:count} odd [positive] (numbers|integers)"),
    calculation("sum", SUM, "sum({values})", f"(sum|total) {OF} {{values}}", "(add|sum|total) [up|together] {values:list} [up|together]",
                "summation of {values}", "{values} (added|summed) [up|together]", "combined (total|sum) of {values}"),
    calculation("mean of a series", STATISTICS, "{series.mean}", "[arithmetic] (mean|average) [of] {series}"),
    calculation("plus", ARITHMETIC, "{a}+{b}", "{a} (plus|added to) {b}"),
    calculation("add", ARITHMETIC, "{b}+{a}", "add {a} (to|onto) {b}", "increase {b} by {a}"),
    calculation("minus", ARITHMETIC, "{a}-{b}", "{a} (minus|less|take away) {b}", "difference (between|of) {a} (and|from) {b}",
                "(decrease|reduce|lower) {a} by {b}"),
    calculation("subtract", ARITHMETIC, "{b}-{a}", "(subtract|deduct) {a} from {b}", "take {a} [away] from {b}",
                "{a} subtracted from {b}"),
    calculation("times", ARITHMETIC, "{a}*{b}", "{a} (times|multiplied by|x) {b}", "multiply {a} (by|and|with|times) {b}"),
    calculation("product of a series", ARITHMETIC, "{series.product}", "product of {series}"),
    calculation("product", ARITHMETIC, "product({values})", f"product {OF} {{values}}", "multiply {values:list} [together]"),
    calculation("twice", ARITHMETIC, "2*{a}", "(twice|double) {a}"),
    calculation("triple", ARITHMETIC, "3*{a}", "(triple|thrice) {a}"),
    calculation("divided by", ARITHMETIC, "{a}/{b}", "{a} (divided by|over) {b}", "divide {a} by {b}", "quotient of {a} and {b}",
                "ratio of {a} to {b}"),
    calculation("divide into", ARITHMETIC, "{b}/{a}", "divide {a} into {b}"),
    calculation("modulo", ARITHMETIC, "{a}%{b}", "{a} (mod|modulo|modulus) {b}", "remainder (of|when) {a} [is] divided by {b}",
                "remainder (of|when) dividing {a} by {b}"),
    calculation("part of", ARITHMETIC, "{a}*{b}", "{a:fraction} of {b}"),
    calculation("half", ARITHMETIC, "{a}/2", "half [of] {a}"),
    calculation("reciprocal", ARITHMETIC, "1/{a}", "(reciprocal|inverse) of {a}"),
    calculation("absolute value", ARITHMETIC, "abs({a})", "(absolute value|modulus) of {a}"),
)  # fmt: skip

THEN = "[,] [and] [then]"
CONTINUED = (
    calculation("then multiply", ARITHMETIC, "({a})*{b}", f"{{a}} {THEN} (multiply|multiplied|multiplying) [it|that|result] by {{b}}"),
    calculation("then divide", ARITHMETIC, "({a})/{b}", f"{{a}} {THEN} (divide|dividing) [it|that|result] by {{b}}",
                "{a} [,] and [then] divided by {b}", "{a} , [then] divided by {b}"),
    calculation("then add", ARITHMETIC, "({a})+{b}", f"{{a}} {THEN} (add|adding) {{b}} [to (it|that|result)]"),
    calculation("then subtract", ARITHMETIC, "({a})-{b}", f"{{a}} {THEN} (subtract|subtracting) {{b}} [from (it|that|result)]"),
    calculation("then square", ARITHMETIC, "({a})**2", f"{{a}} {THEN} square (it|that|result)"),
)  # fmt: skip

POWERS = (
    calculation("power", ARITHMETIC, "{a}**{b}", "{a} [raised] to power [of] {b}", "{a} raised to {b}", "{a} to the {b:ordinal} [power]",
                "raise {a} to [power [of]] {b}", "{b:ordinal} power of {a}"),
    calculation("square", ARITHMETIC, "{a}**2", "{a} squared", "square [of] {a}"),
    calculation("cube", ARITHMETIC, "{a}**3", "{a} cubed", "cube [of] {a}"),
    calculation("square root", ARITHMETIC, "sqrt({a})", "(square root|sqrt|squareroot) [of] {a}"),
    calculation("cube root", ARITHMETIC, "cbrt({a})", "(cube root|cubic root|cbrt|third root) [of] {a}"),
    calculation("root", ARITHMETIC, "root({a},{n})", "{n:ordinal} root of {a}"),
    calculation("natural logarithm", ARITHMETIC, "ln({a})", "(natural log|natural logarithm|ln) [of] {a}"),
    calculation("logarithm", ARITHMETIC, "log({a},{b})", "(log|logarithm) [of] {a} (base|to [the] base|in base) {b}",
                "(log|logarithm) [to [the]] base {b} of {a}"),
    calculation("decimal logarithm", ARITHMETIC, "log({a})", "(common|decimal) (log|logarithm) of {a}", "(log|logarithm) of {a}"),
    calculation("exponential", ARITHMETIC, "exp({a})", "(exp|exponential) of {a}"),
    calculation("sine", ARITHMETIC, "sin({a})", "(sin|sine) of {a} [radians]"),
    calculation("cosine", ARITHMETIC, "cos({a})", "(cos|cosine) of {a} [radians]"),
    calculation("tangent", ARITHMETIC, "tan({a})", "(tan|tangent) of {a} [radians]"),
    calculation("sine of degrees", ARITHMETIC, "sin({a}*pi/180)", "(sin|sine) of {a} degrees"),
    calculation("cosine of degrees", ARITHMETIC, "cos({a}*pi/180)", "(cos|cosine) of {a} degrees"),
    calculation("tangent of degrees", ARITHMETIC, "tan({a}*pi/180)", "(tan|tangent) of {a} degrees"),
    calculation("round to places", ARITHMETIC, "round({a},{n})", "round {a} to {n:count} (decimal places|decimals|digits|decimal place|places)",
                "{a} rounded to {n:count} (decimal places|decimals|decimal place|places)"),
    calculation("round", ARITHMETIC, "round({a})", "round {a} [to nearest (integer|whole number)]"),
    calculation("floor", ARITHMETIC, "floor({a})", "floor of {a}", "round {a} down", "round down {a}"),
    calculation("ceiling", ARITHMETIC, "ceil({a})", "(ceiling|ceil) of {a}", "round {a} up", "round up {a}"),
)  # fmt: skip

PERCENTAGES = (
    calculation("percent of", ARITHMETIC, "{v}*{p}/100", "{p:percent} of {v}", "{p:percent} (tip|tax|vat) on {v}"),
    calculation("percent off", ARITHMETIC, "{v}*(100-{p})/100", "{p:percent} (off|discount on|off of) {v}", "{v} (minus|less) {p:percent}",
                "{v} with [a] {p:percent} discount", "(decrease|reduce|lower) {v} by {p:percent}", "subtract {p:percent} from {v}",
                "take {p:percent} off {v}", "{v} (decreased|reduced) by {p:percent}"),
    calculation("percent more", ARITHMETIC, "{v}*(100+{p})/100", "{v} plus {p:percent} [tax|tip|vat|interest]",
                "(add|apply) [a|an] {p:percent} [sales] [tax|vat|tip|interest|markup] to {v}", "(increase|raise) {v} by {p:percent}",
                "{v} with [a] {p:percent} (tip|tax|vat)", "{v} increased by {p:percent}"),
    calculation("what percent", ARITHMETIC, "{a}*100/{b}", "(percent|percentage) of {b} is {a}", "what (percent|percentage) of {b} is {a}",
                "{a} is what (percent|percentage) of {b}", "{a} as [a] (percent|percentage) of {b}", "what (percent|percentage) is {a} of {b}"),
    calculation("percent change", ARITHMETIC, "({b}-{a})*100/{a}", "(percent|percentage) (increase|change|growth) from {a} to {b}",
                "(increase|change|growth) from {a} to {b} (in percent|as [a] percentage|percent)"),
    calculation("percent decrease", ARITHMETIC, "({a}-{b})*100/{a}", "(percent|percentage) (decrease|drop) from {a} to {b}",
                "(decrease|drop) from {a} to {b} (in percent|as [a] percentage|percent)"),
)  # fmt: skip

WHOLE_NUMBERS = (
    calculation("factorial", COUNTING, "factorial({n})", "{n} factorial", "factorial [of] {n}"),
    calculation("choose", COUNTING, "nCr({n},{k})", "{n} choose {k}", "choose {k} [items|things|elements] (of|from|out of) {n}",
                "[how many|number of] (ways|combinations) [are there] (to|of) (choose|choosing|pick|picking|select|selecting) {k} [items|things|people|elements] (of|from|out of) {n} [items|things|people|elements]",
                "[how many|number of] combinations (of|for) {n} [items|things|elements] [taken|choose|choosing] {k} at [a] time",
                "[how many|number of] combinations of {k} [items|things|elements] (of|from|out of) {n}"),
    calculation("permutations", COUNTING, "nPr({n},{k})", "{n} permute {k}",
                "[how many|number of] permutations (of|for) {n} [items|things|elements] taken {k} at [a] time",
                "[how many|number of] permutations of {k} [items|things|elements] (of|from|out of) {n}",
                "[how many|number of] ways to arrange {k} [items|things|people] (of|from|out of) {n}"),
    calculation("arrangements", COUNTING, "factorial({n})", "[how many|number of] ways to (arrange|order) {n} [different] [items|things|people|books]",
                "permutations of {n} [items|things|elements]"),
    calculation("greatest common divisor", NUMBERS, "gcd({values})",
                f"(gcd|hcf|gcf|greatest common divisor|greatest common factor|highest common factor) {OF} {{values}}"),
    calculation("least common multiple", NUMBERS, "lcm({values})",
                f"(lcm|least common multiple|lowest common multiple|smallest common multiple) {OF} {{values}}"),
    calculation("prime", NUMBERS, "isPrime({n})", "is [number] {n} [a] prime [number]", "{n} is [a] prime [number]",
                "(check|test|see) (if|whether) [number] {n} is [a] prime [number]", "(if|whether) {n} is [a] prime [number]",
                "primality of {n}", "is [number] {n} prime or not"),
)  # fmt: skip

STATISTICAL = (
    calculation("mean", STATISTICS, "mean({values})", f"[arithmetic] (mean|average) {OF} {{values}}", "average [out] {values}"),
    calculation("median", STATISTICS, "median({values})", f"median {OF} {{values}}"),
    calculation("mode", STATISTICS, "mode({values})", f"mode {OF} {{values}}"),
    calculation("sample variance", STATISTICS, "sample_variance({values})", f"sample variance {OF} {{values}}"),
    calculation("variance", STATISTICS, "variance({values})", f"[population] variance {OF} {{values}}"),
    calculation("sample standard deviation", STATISTICS, "sample_stddev({values})",
                f"sample (standard deviation|stddev|std dev|stdev|std) {OF} {{values}}"),
    calculation("standard deviation", STATISTICS, "stddev({values})",
                f"[population] (standard deviation|stddev|std dev|stdev|std) {OF} {{values}}"),
    calculation("smallest", STATISTICS, "min({values})", f"(minimum|min|smallest|lowest|least) {OF} {{values}}"),
    calculation("largest", STATISTICS, "max({values})", f"(maximum|max|largest|highest|greatest|biggest) {OF} {{values}}"),
)  # fmt: skip

EQUALS = "[=|:|of|is]"


def parameter(name: str, *names: str) -> Rule:
    """Make a rule for a parameter that is given by its name, such as "mu = 0"."""
    return Rule(name, (f"({'|'.join(names)}) {EQUALS} {{n:number}}",), reads=name, arguments={"value": "{n}"})


PROBABILITIES = (
    parameter("mean_parameter", "mu", "μ", "mean"),
    parameter("deviation_parameter", "sigma", "σ", "stddev", "standard deviation", "sd"),
    parameter("rate_parameter", "lambda", "λ", "rate", "mean"),
    parameter("chance_parameter", "p", "probability", "success probability", "success rate"),
    parameter("trials_parameter", "n", "trials"),
    parameter("successes_parameter", "k", "successes"),
    Rule("x_parameter", (f"[x] {EQUALS} {{n:number}}",), reads="x_parameter", arguments={"value": "{n}"}),
    calculation("binomial", CHANCE, "binomial({n},{k},{p})",
                "[binomial] probability of [exactly] {k:count} successes in {n:count} trials [,] (with|at|if) {p:chance_parameter}",
                "binomial [distribution|probability] [with|for] {n:trials_parameter} [,] {k:successes_parameter} [,] [and] {p:chance_parameter}"),
    calculation("coins", CHANCE, "binomial({n},{k},1/2)",
                "probability of [getting] [exactly] {k:count} (heads|tails) in {n:count} [fair] [coin] (flips|tosses|throws)"),
    calculation("normal density", CHANCE, "normalPdf({x},{mu},{sigma})",
                "normal [distribution] [probability] (pdf|density|distribution) [at|for|with|of] {x:x_parameter} [,] [with|and] {mu:mean_parameter} [,] [and] {sigma:deviation_parameter}"),
    calculation("poisson", CHANCE, "poissonPdf({k},{rate})",
                "poisson [distribution] [probability] [at|for|with|of] {k:successes_parameter} [,] [with|and] {rate:rate_parameter}"),
)  # fmt: skip

BARE = calculation("expression", ARITHMETIC, "{value}", "{value}")
RULES = (*SERIES, *SUMS, *CONTINUED, *POWERS, *PERCENTAGES, *WHOLE_NUMBERS, *STATISTICAL, *PROBABILITIES, BARE)

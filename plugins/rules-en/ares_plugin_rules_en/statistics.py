"""Percentages, whole numbers, statistics and probability in English words."""

from __future__ import annotations

from ares_core import Rule
from ares_plugin_rules_en.arithmetic import ARITHMETIC, OF, STATISTICS, calculation

NUMBERS, COUNTING = ("NumberTheory", "ExpressionEvaluation"), ("DiscreteMath", "ExpressionEvaluation")
ARRANGED = "[different] [items|things|people|books|letters|objects]"
CHANCE = ("Probability", "ExpressionEvaluation")

PERCENTAGES = (
    calculation(
        "percent of", ARITHMETIC, "{v}*{p}/100", "{p:percent} of {v}", "[a|an] {p:percent} [sales] (tip|tax|vat) on {v}"
    ),
    calculation(
        "percent off",
        ARITHMETIC,
        "{v}*(100-{p})/100",
        "{p:percent} (off|discount on|off of) {v}",
        "a {p:percent} discount on {v}",
        "{v} (minus|less) {p:percent}",
        "{v} with [a] {p:percent} discount",
        "(decrease|reduce|lower) {v} by {p:percent}",
        "subtract {p:percent} from {v}",
        "take {p:percent} off {v}",
        "{v} (decreased|reduced) by {p:percent}",
        "{p:percent} (less|lower|smaller|cheaper) than {v}",
    ),
    calculation(
        "percent more",
        ARITHMETIC,
        "{v}*(100+{p})/100",
        "{v} plus {p:percent} [tax|tip|vat|interest]",
        "(add|apply) [a|an] {p:percent} [sales] [tax|vat|tip|interest|markup] to {v}",
        "(increase|raise) {v} by {p:percent}",
        "{v} with [a] {p:percent} (tip|tax|vat)",
        "{v} increased by {p:percent}",
        "{p:percent} (more|higher|greater|larger) than {v}",
    ),
    calculation(
        "what percent",
        ARITHMETIC,
        "{a}*100/{b}",
        "(percent|percentage) of {b} is {a}",
        "what (percent|percentage) of {b} is {a}",
        "{a} is what (percent|percentage|%) of {b}",
        "what (percent|percentage) is {a} out of {b}",
        "{a} as [a] (percent|percentage) of {b}",
        "what (percent|percentage) is {a} of {b}",
    ),
    calculation(
        "whole of a percent",
        ARITHMETIC,
        "{a}*100/{p}",
        "{a} is {p:percent} of (what|which) [number|amount|value]",
        "{p:percent} of (what|which) [number|amount|value] is {a}",
        "[of] (what|which) [number|amount|value] is {a} {p:percent}",
    ),
    calculation(
        "percent change",
        ARITHMETIC,
        "({b}-{a})*100/{a}",
        "(percent|percentage) (increase|change|growth) from {a} to {b}",
        "(increase|change|growth) from {a} to {b} (in percent|as [a] percentage|percent)",
    ),
    calculation(
        "percent decrease",
        ARITHMETIC,
        "({a}-{b})*100/{a}",
        "(percent|percentage) (decrease|drop) from {a} to {b}",
        "(decrease|drop) from {a} to {b} (in percent|as [a] percentage|percent)",
    ),
)

WHOLE_NUMBERS = (
    calculation("factorial", COUNTING, "factorial({n})", "{n} factorial", "factorial [of] {n}"),
    calculation(
        "choose",
        COUNTING,
        "nCr({n},{k})",
        "{n} choose {k}",
        "choose {k} [items|things|elements] (of|from|out of) {n}",
        "[how many|number of] ways (can|could) (i|you|we|one) (choose|pick|select) {k} [items|things|people|elements] (of|from|out of) {n} [items|things|people|elements]",
        "[how many|number of] (ways|combinations) [are there] (to|of) (choose|choosing|pick|picking|select|selecting) {k} [items|things|people|elements] (of|from|out of) {n} [items|things|people|elements]",
        "[how many|number of] combinations (of|for) {n} [items|things|elements] [taken|choose|choosing] {k} at [a] time",
        "[how many|number of] combinations of {k} [items|things|elements] (of|from|out of|(can|could) be (chosen|picked|made|formed) (from|out of)) {n}",
    ),
    calculation(
        "permutations",
        COUNTING,
        "nPr({n},{k})",
        "{n} permute {k}",
        "[how many|number of] permutations (of|for) {n} [items|things|elements] taken {k} at [a] time",
        "[how many|number of] permutations of {k} [items|things|elements] (of|from|out of) {n}",
        "[how many|number of] ways to arrange {k} [items|things|people] (of|from|out of) {n}",
    ),
    calculation(
        "arrangements",
        COUNTING,
        "factorial({n})",
        f"[how many|number of] ways (to|(can|could) (i|you|we|one)) (arrange|order) {{n}} {ARRANGED}",
        "permutations of {n} [items|things|elements]",
    ),
    calculation(
        "greatest common divisor",
        NUMBERS,
        "gcd({values})",
        f"(gcd|hcf|gcf|greatest common divisor|greatest common factor|highest common factor) {OF} {{values}}",
    ),
    calculation(
        "least common multiple",
        NUMBERS,
        "lcm({values})",
        f"(lcm|least common multiple|lowest common multiple|smallest common multiple) {OF} {{values}}",
    ),
    calculation(
        "prime",
        NUMBERS,
        "isPrime({n})",
        "is [number] {n} [a] prime [number]",
        "{n} is [a] prime [number]",
        "(check|test|see) (if|whether) [number] {n} is [a] prime [number]",
        "(if|whether) {n} is [a] prime [number]",
        "primality of {n}",
        "is [number] {n} [a] prime [number] or not",
    ),
)

AMONG, LEAST = "[of|among|out of|:|,]", "smallest|lowest|least|smaller|lower"
MOST = "largest|highest|greatest|biggest|larger|higher|bigger"


def choice(name: str, expression: str, phrase: str) -> Rule:
    """Make a rule for one of some numbers, with "or" before the last."""
    return calculation(name, STATISTICS, expression, f"(which|what) [one|number|value] is {phrase}")


STATISTICAL = (
    calculation(
        "mean", STATISTICS, "mean({values})", f"[arithmetic] (mean|average) {OF} {{values}}", "average [out] {values}"
    ),
    calculation("median", STATISTICS, "median({values})", f"median {OF} {{values}}"),
    calculation("mode", STATISTICS, "mode({values})", f"mode {OF} {{values}}"),
    calculation("sample variance", STATISTICS, "sample_variance({values})", f"sample variance {OF} {{values}}"),
    calculation("variance", STATISTICS, "variance({values})", f"[population] variance {OF} {{values}}"),
    calculation(
        "sample standard deviation",
        STATISTICS,
        "sample_stddev({values})",
        f"sample (standard deviation|stddev|std dev|stdev|std) {OF} {{values}}",
    ),
    calculation(
        "standard deviation",
        STATISTICS,
        "stddev({values})",
        f"[population] (standard deviation|stddev|std dev|stdev|std) {OF} {{values}}",
    ),
    calculation("smallest", STATISTICS, "min({values})", f"(minimum|min|smallest|lowest|least) {OF} {{values}}"),
    calculation(
        "largest", STATISTICS, "max({values})", f"(maximum|max|largest|highest|greatest|biggest) {OF} {{values}}"
    ),
    choice("smaller of two", "min({a},{b})", f"({LEAST}|less) {AMONG} {{a}} [,] or {{b}}"),
    choice("larger of two", "max({a},{b})", f"({MOST}|greater) {AMONG} {{a}} [,] or {{b}}"),
    choice("smallest of several", "min({values},{b})", f"({LEAST}) {AMONG} {{values:list}} [,] or {{b}}"),
    choice("largest of several", "max({values},{b})", f"({MOST}) {AMONG} {{values:list}} [,] or {{b}}"),
    calculation(
        "which of some is smallest",
        STATISTICS,
        "min({values})",
        f"which [one|number|value] is ({LEAST}) {AMONG} {{values:list}}",
        f"which of {{values:list}} is ({LEAST})",
    ),
    calculation(
        "which of some is largest",
        STATISTICS,
        "max({values})",
        f"which [one|number|value] is ({MOST}) {AMONG} {{values:list}}",
        "which of {values:list} is (largest|highest|greatest|biggest|larger|higher|bigger)",
    ),
    calculation("spread", STATISTICS, "max({values})-min({values})", f"range {OF} {{values:list}}"),
)

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
    calculation(
        "binomial",
        CHANCE,
        "binomial({n},{k},{p})",
        "[binomial] probability of [exactly] {k:count} successes in {n:count} trials [,] (with|at|if) {p:chance_parameter}",
        "binomial [distribution|probability] [with|for] {n:trials_parameter} [,] {k:successes_parameter} [,] [and] {p:chance_parameter}",
    ),
    calculation(
        "coins",
        CHANCE,
        "binomial({n},{k},1/2)",
        "probability of [getting] [exactly] {k:count} (heads|tails) in {n:count} [fair] [coin] (flips|tosses|throws)",
    ),
    calculation(
        "normal density",
        CHANCE,
        "normalPdf({x},{mu},{sigma})",
        "normal [distribution] [probability] (pdf|density|distribution) [at|for|with|of] {x:x_parameter} [,] [with|and] {mu:mean_parameter} [,] [and] {sigma:deviation_parameter}",
    ),
    calculation(
        "poisson",
        CHANCE,
        "poissonPdf({k},{rate})",
        "poisson [distribution] [probability] [at|for|with|of] {k:successes_parameter} [,] [with|and] {rate:rate_parameter}",
    ),
)

RULES = (*PERCENTAGES, *WHOLE_NUMBERS, *STATISTICAL, *PROBABILITIES)

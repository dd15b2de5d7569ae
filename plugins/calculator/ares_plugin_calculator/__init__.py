"""The tool ``calculator``: exact arithmetic, statistics, probability and number theory on one expression."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ares_core import Capability, Effects, Result, Tool, ToolContext, ToolError, hookimpl

TOOL = "calculator"
DESCRIPTION = (
    "Calculate one expression. Whole numbers and decimals are exact (0.1+0.2 is 0.3). Operators: + - * / // % mod, "
    "^ or ** (power), ! and comparisons. Percent: 15% of 80, 10% off 50, 22+10% (of the value on its left). Functions: "
    "sqrt cbrt root abs exp ln log (base 10) log(x, base) sin cos tan asin … (radians) round floor ceil min max sum "
    "product sum_of_squares mean median mode variance stddev (population) sample_variance sample_stddev gcd lcm "
    "factorial nCr nPr isPrime powmod binomial(n,k,p) normalPdf(x,mu,sigma) poissonPdf(k,lambda). Constants: pi e tau. "
    "Ranges with both ends, lists: sum(1..100), sum(2..100..2), mean([1,2,3]). No variables, units or currencies."
)
PARAMETERS: dict[str, Any] = {
    "type": "object",
    "properties": {
        "expression": {
            "type": "string",
            "maxLength": 4096,
            "description": "What to calculate, such as (3+4)*5, sqrt(16), sum(1..100) or variance(1, 2, 3).",
        }
    },
    "required": ["expression"],
    "additionalProperties": False,
}
OUTPUT: dict[str, Any] = {
    "type": "object",
    "properties": {"expression": {"type": "string"}, "result": {"type": ["number", "boolean"]}},
    "required": ["expression", "result"],
    "additionalProperties": False,
}
EXAMPLES = (
    {"expression": "100*(100+1)/2"},
    {"expression": "sum(1..1000000)"},
    {"expression": "sample_stddev([2, 4, 4, 5])"},
    {"expression": "15% of 240"},
)
PURE = Effects(read_only=True, destructive=False, idempotent=True, open_world=False)
SHOWN = 200
_STATISTICS = ("mean", "median", "stddev", "variance", "average", "平均", "标准差", "方差", "统计")


async def execute(arguments: Mapping[str, Any], context: ToolContext) -> dict[str, Any] | Result:
    """Calculate; every step is bounded before it is taken, so this needs no thread."""
    from ares_plugin_calculator.answer import evaluate
    from ares_plugin_calculator.mistakes import Mistake

    expression = arguments["expression"]
    try:
        answer = evaluate(expression)
    except Mistake as mistake:
        raise ToolError(mistake.told(expression), hint=mistake.hint, blame="input") from None
    except (ArithmeticError, ValueError, RecursionError, MemoryError) as error:
        unforeseen = Mistake(f"it can't be worked out ({type(error).__name__})", "write it in a simpler way")
        raise ToolError(unforeseen.told(expression), hint=unforeseen.hint, blame="input") from error
    data = {"expression": expression, "result": answer.result}
    return Result(success=True, data=data, metadata={"notes": list(answer.notes)}) if answer.notes else data


@hookimpl
def register_tools() -> list[Tool]:
    """Bring ``calculator``."""
    return [
        Tool(
            TOOL,
            DESCRIPTION,
            PARAMETERS,
            execute,
            capabilities=tuple(capability.name for capability in declare_capabilities()),
            effects=PURE,
            examples=EXAMPLES,
            output_schema=OUTPUT,
            cost=1,
            latency_ms=1,
            deterministic=True,
        )
    ]


@hookimpl
def declare_capabilities() -> list[Capability]:
    """Declare arithmetic and what is a kind of it."""
    return [
        Capability(
            "Arithmetic",
            ("calculate", "compute", "math", "加", "减", "乘", "除", "计算", "运算"),
            inputs=("Expression",),
            outputs=("Number",),
        ),
        _arithmetic("Summation", "sum", "add", "total", "plus", "累加", "求和"),
        _arithmetic(
            "DiscreteMath", "combinatorics", "permutation", "combination", "factorial", "组合", "排列", "阶乘", "离散"
        ),
        _arithmetic("Probability", "binomial", "normal", "poisson", "概率", "正态分布", "泊松"),
        _arithmetic("Statistics", *_STATISTICS, values=True),
        _arithmetic(
            "NumberTheory", "gcd", "lcm", "prime", "modulo", "最大公约数", "最小公倍数", "素数", "质数", "数论"
        ),
    ]


def _arithmetic(name: str, *aliases: str, values: bool = False) -> Capability:
    return Capability(
        name,
        aliases,
        inputs=("Expression", "Values") if values else ("Expression",),
        outputs=("Number",),
        implies=("Arithmetic",),
    )


@hookimpl
def format_result(result: Result) -> str | None:
    """Write ``expression = result``, and what should be known about it."""
    if not result.success:
        return None
    from ares_plugin_calculator.tokens import unwrapped

    expression, value = " ".join(unwrapped(result.data["expression"]).split()), result.data["result"]
    shown = expression if len(expression) <= SHOWN else expression[:SHOWN] + "…"
    written = str(value).lower() if isinstance(value, bool) else str(value)
    notes = "; ".join(result.metadata.get("notes", ()))
    return f"{shown} = {written}" + (f" ({notes})" if notes else "")

"""Whole numbers, statistics and probability in Chinese words."""

from __future__ import annotations

from ares_core import Rule
from ares_plugin_rules_zh.arithmetic import ADDED, CHANCE, COUNTING, HEAD, NUMBERS, STATISTICS, calculation

CHOSEN = "[不同] [的] [人|东西|球|元素|数|物品|样品|学生|同学|苹果|水果|书] [中|里|里面|之中|当中]"
WHOLE_NUMBERS = (
    calculation("阶乘", COUNTING, "factorial({n})", "{n} [的] 阶乘"),
    calculation(
        "组合",
        COUNTING,
        "nCr({n},{k})",
        f"[从] {{n}} [个|人|本|件|张|种] {CHOSEN} [任] (选|选出|选择|取|取出|抽|抽取|挑|挑选|挑出) {{k}} [个|人|本|件|张|种] [人|东西|球|元素|数] [,] [的] [组合数|组合|方法数|选法|取法|方案数|组合方式]",
        f"[从] {{n}} [个|人|本|件|张|种] {CHOSEN} [任] (选|选出|选择|取|取出|抽|抽取|挑|挑选|挑出) {{k}} [个|人|本|件|张|种] [人|东西|球|元素|数] [,] [一共|共] [有] (多少|几) 种 [不同] [的] [选法|方法|组合|取法|可能|选择|情况]",
        "{n} 选 {k} [的] [组合数|组合]",
    ),
    calculation(
        "排列",
        COUNTING,
        "nPr({n},{k})",
        f"[从] {{n}} [个|人|本|件|张] {CHOSEN} [任] (选|选出|取|取出|抽|抽取) {{k}} [个|人|本|件|张] [人|东西|球|元素|数] [,] [的|进行] [有] (排列数|排列|排成一列|全排列|多少种排列|排列方式)",
        "{n} 选 {k} [的] (排列数|排列)",
    ),
    calculation(
        "全排列",
        COUNTING,
        "factorial({n})",
        "{n} 个 [不同] [的] [元素|数|人|东西] [的] 全排列 [数]",
        "{n} 个 (人|同学|学生|元素|数|球|东西) 排成 一 (排|列) [,] [有|共有|一共有] (多少|几) 种 (排法|排列|方法|排列方法|站法)",
    ),
    calculation(
        "最大公约数",
        NUMBERS,
        "gcd({values})",
        f"{{values:list}} {HEAD} [的] (最大公约数|最大公因数|最大公因子|gcd)",
        "(最大公约数|最大公因数) [:] {values:list}",
    ),
    calculation(
        "最小公倍数",
        NUMBERS,
        "lcm({values})",
        f"{{values:list}} {HEAD} [的] (最小公倍数|lcm)",
        "(最小公倍数) [:] {values:list}",
    ),
    calculation(
        "素数",
        NUMBERS,
        "isPrime({n})",
        "{n} (是|是不是|是否是|是否为|为) [一个] (素数|质数)",
        "(判断|检查|验证) [一下] {n} (是不是|是否是|是否为|是) [一个] (素数|质数)",
    ),
)

IN = "[的|中|中的|里|里面|里面的|当中|之中|中间|这几个数中]"


def statistic(name: str, function: str, words: str) -> Rule:
    """Make a rule for what can be said of some values; its name may stand before them or after."""
    after = f"{{values}} {HEAD} [的] ({words})"
    before = f"({words}) [:|是|为] {{values:list}}"
    return calculation(name, STATISTICS, f"{function}({{values}})", after, before)


STATISTICAL = (
    statistic("平均数", "mean", "平均数|平均值|均值|平均|算术平均数|算术平均值|平均分"),
    statistic("中位数", "median", "中位数|中值"),
    statistic("众数", "mode", "众数"),
    statistic("样本方差", "sample_variance", "样本方差"),
    statistic("方差", "variance", "方差|总体方差"),
    statistic("样本标准差", "sample_stddev", "样本标准差"),
    statistic("标准差", "stddev", "标准差|标准偏差|总体标准差"),
    calculation(
        "最大值",
        STATISTICS,
        "max({values})",
        f"{{values}} {HEAD} {IN} [最大的] (最大值|最大|最大数|最大的数|最大的|最大的是哪个|最大的数是哪个|哪个最大|谁最大)",
        "(最大值|最大数) [:|是|为] {values:list}",
    ),
    calculation(
        "最小值",
        STATISTICS,
        "min({values})",
        f"{{values}} {HEAD} {IN} [最小的] (最小值|最小|最小数|最小的数|最小的|最小的是哪个|最小的数是哪个|哪个最小|谁最小)",
        "(最小值|最小数) [:|是|为] {values:list}",
    ),
    calculation("哪个大", STATISTICS, "max({a},{b})", "{a:number} (和|与|跟) {b:number} (哪个|谁) [更] 大"),
    calculation("哪个小", STATISTICS, "min({a},{b})", "{a:number} (和|与|跟) {b:number} (哪个|谁) [更] 小"),
)


def parameter(name: str, *names: str) -> Rule:
    """Make a rule for a parameter that is given by its name, such as "mu=0"."""
    return Rule(name, (f"({'|'.join(names)}) [=|:|为|是] {{n:number}}",), reads=name, arguments={"value": "{n}"})


PROBABILITIES = (
    parameter("x参数", "x"),
    parameter("均值参数", "mu", "μ", "均值", "平均值", "期望"),
    parameter("标准差参数", "sigma", "σ", "标准差"),
    parameter("速率参数", "lambda", "λ", "均值", "参数"),
    parameter("概率参数", "p", "概率", "成功概率", "成功率"),
    parameter("次数参数", "n", "试验次数"),
    parameter("成功参数", "k", "成功次数"),
    calculation(
        "正态分布",
        CHANCE,
        "normalPdf({x},{mu},{sigma})",
        "正态分布 [中|在|,] {x:x参数} [,] {mu:均值参数} [,] {sigma:标准差参数} [处|时] [的] [概率密度|密度|概率|概率密度函数值|pdf]",
        "{mu:均值参数} [,] {sigma:标准差参数} [的] 正态分布 [在] {x:x参数} [处|时] [的] [概率密度|密度|概率]",
    ),
    calculation(
        "二项分布",
        CHANCE,
        "binomial({n},{k},{p})",
        "二项分布 [中|,] {n:次数参数} [,] {k:成功参数} [,] {p:概率参数} [时] [的] [概率]",
    ),
    calculation(
        "泊松分布",
        CHANCE,
        "poissonPdf({k},{rate})",
        "泊松分布 [中|,] {k:成功参数} [,] {rate:速率参数} [时] [的] [概率]",
        "泊松分布 [中|,] {rate:速率参数} [,] {k:成功参数} [时] [的] [概率]",
    ),
    Rule(
        "累加范围",
        (f"[从|由] {{first:number}} [开始] [一直] {ADDED} (到|至) {{last:number}}",),
        reads="added",
        arguments={"first": "{first}", "last": "{last}"},
    ),
    Rule(
        "连乘范围",
        ("[从|由] {first:number} [开始] [一直] (乘|连乘|累乘|依次乘) (到|至) {last:number}",),
        reads="multiplied",
        arguments={"first": "{first}", "last": "{last}"},
    ),
)

RULES = (*WHOLE_NUMBERS, *STATISTICAL, *PROBABILITIES)

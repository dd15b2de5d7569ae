"""Calculations in Chinese words."""

from __future__ import annotations

from ares_core import Rule

SUM, STATISTICS = ("Summation", "Arithmetic"), ("Statistics", "ExpressionEvaluation")
NUMBERS, COUNTING = ("NumberTheory", "ExpressionEvaluation"), ("DiscreteMath", "ExpressionEvaluation")
CHANCE, ARITHMETIC = ("Probability", "ExpressionEvaluation"), ("Arithmetic",)
TO = "(到|至|~|-|直到)"
SPAN = f"[从|由|在] {{first:number}} {TO} {{last:number}} [之间|之内|以内|间|中|里|内]"
ALL = "[所有|全部|每个|各个] [的]"
WHOLE = "(整数|自然数|正整数|数|数字|数值)"
ADDED = "(累加|加|一直加|连加|依次加|累计加|累加求和)"
HEAD = "[这|那] [几个|些|组|两个|三个|四个|五个|列] [数|数字|数值|数据]"


def series(name: str, *phrases: str, **arguments: object) -> Rule:
    """Make a rule for one more way to write a range of whole numbers."""
    return Rule(name, phrases, reads="series", arguments={"first": "{first}", "last": "{last}", **arguments})


def calculation(name: str, capabilities: tuple[str, ...], expression: str, *phrases: str) -> Rule:
    """Make a rule for a calculation."""
    return Rule(name, phrases, capabilities, expression=expression)


STEP = "[,] [每|步长|间隔|步长为|间隔为|每隔] [为] {step:count} [个]"
SERIES = (
    series("范围", f"{SPAN} [的] {ALL} {WHOLE}", SPAN, f"{SPAN} 这 [些] {WHOLE}"),
    series("偶数", f"{SPAN} [的] {ALL} (偶数|双数)", f"{ALL} {SPAN} 的 (偶数|双数)", only="even"),
    series("奇数", f"{SPAN} [的] {ALL} (奇数|单数)", f"{ALL} {SPAN} 的 (奇数|单数)", only="odd"),
    series("平方数", f"{SPAN} [的] {ALL} [整数|自然数|数] [的] 平方", power=2),
    series("立方数", f"{SPAN} [的] {ALL} [整数|自然数|数] [的] 立方", power=3),
    series("步长", f"{SPAN} [,] 步长 [为|是] {{step:count}} [的] {ALL} [{WHOLE}]", step="{step}"),
    series("以内", f"{{last:number}} (以内|之内) [的] {ALL} {WHOLE}", first=1),
    series("以内偶数", f"{{last:number}} (以内|之内) [的] {ALL} (偶数|双数)", first=1, only="even"),
    series("以内奇数", f"{{last:number}} (以内|之内) [的] {ALL} (奇数|单数)", first=1, only="odd"),
    series("前几个", "前 {last:number} 个 (正整数|自然数|整数)", first=1),
    series("前几个平方", "前 {last:number} 个 (正整数|自然数|整数) [的] 平方", first=1, power=2),
    series("前几个立方", "前 {last:number} 个 (正整数|自然数|整数) [的] 立方", first=1, power=3),
)

SUMS = (
    calculation(
        "连加",
        SUM,
        "{series.sum}",
        "{series} [的] (总和|和|累加和|求和|之和|相加之和|相加的和|相加|累加|加起来|累加起来|合计|总计|累加值)",
        "(求和|累加|相加) [:] {series}",
    ),
    calculation("加到", SUM, "{added.sum}", "{added} [的] [和|总和|结果]"),
    calculation(
        "和",
        SUM,
        "sum({values})",
        f"{{values:list}} {HEAD} [的|之] (和|总和|求和|合计|总计|累加|相加|加起来|加在一起|加总|相加的和|相加之和|相加的结果)",
        "(把|将|对) {values:list} (相加|加起来|求和|累加|加在一起|加总)",
        "(求和|累加|相加|总和|合计|总计) [:|是|为] {values:list}",
    ),
    calculation("平方之和", STATISTICS, "sum_of_squares({values})", "{values:list} 的 (平方和|平方的和|平方之和)"),
    calculation("几个相加", ARITHMETIC, "{n}*{a}", "{n:count} 个 {a:number} (相加|加起来|之和|的和|加在一起)"),
    calculation("等差平均", STATISTICS, "{series.mean}", "{series} 的 (平均数|平均值|均值|平均)"),
    calculation("加", ARITHMETIC, "{a}+{b}", "{a} (加|加上|再加) {b}"),
    calculation(
        "减",
        ARITHMETIC,
        "{a}-{b}",
        "{a} (减|减去|扣除|减掉) {b}",
        "{a} (和|与|跟) {b} 的 (差|差值|差是)",
        "{a} 比 {b} (多|大|高) (多少|几)",
    ),
    calculation(
        "少", ARITHMETIC, "{b}-{a}", "{a} 比 {b} (少|小|低) (多少|几)", "从 {b} (中|里|里面) (减去|扣除|减掉) {a}"
    ),
    calculation(
        "乘",
        ARITHMETIC,
        "{a}*{b}",
        "{a} (乘|乘以|乘上|乘于) {b}",
        "{a} (和|与|跟) {b} (相乘|的积|的乘积|之积)",
        "{a} 的 {b} 倍",
        "(把|将) {a} (和|与|跟) {b} 相乘",
    ),
    calculation("连乘", ARITHMETIC, "{series.product}", "{series} [的] (积|乘积|连乘|连乘积|相乘)"),
    calculation("乘到", ARITHMETIC, "{multiplied.product}", "{multiplied} [的] [积|乘积|结果]"),
    calculation("积", ARITHMETIC, "product({values})", "{values:list} [的|之] (积|乘积|相乘|连乘)"),
    calculation("除以", ARITHMETIC, "{a}/{b}", "{a} 除以 {b}", "{a} (和|与|跟|除以) {b} 的 (商|比值)", "{a} 被 {b} 除"),
    calculation(
        "平分",
        ARITHMETIC,
        "{a}/{b}",
        "[一共] [有] {a} [元|块|块钱] [,] [由] {b} 个 人 (平分|平均分|均分) [,] [每人|每个人] [分|得|付] [多少钱]",
        "(把|将) {a} [元|块|块钱] (平分|平均分) (给|成) {b} [个] [人|份] [,] [每人|每个人|每份] [分|得]",
    ),
    calculation("除", ARITHMETIC, "{b}/{a}", "{a} (除|去除) {b}"),
    calculation(
        "余数",
        ARITHMETIC,
        "{a}%{b}",
        "{a} (除以|被) {b} [除] [的] (余数|余|余几|取余|求余|的余数)",
        "{a} (对|模|取模|取余|mod) {b} [取模|取余|求余|求模] [的余数]",
    ),
    calculation("分之", ARITHMETIC, "{a}*{b}", "{a} 的 {b:fraction}"),
    calculation("几分之几", ARITHMETIC, "{a}*{b}/{c}", "{a} 的 {b:count}/{c:count}"),
    calculation("一半", ARITHMETIC, "{a}/2", "{a} 的 一半"),
    calculation("翻倍", ARITHMETIC, "2*{a}", "{a} (翻倍|翻一倍|翻一番|加倍)"),
    calculation("圆周率", ARITHMETIC, "pi", "圆周率"),
    calculation("倒数", ARITHMETIC, "1/{a}", "{a} 的 倒数"),
    calculation("绝对值", ARITHMETIC, "abs({a})", "{a} 的 绝对值"),
    calculation("相反数", ARITHMETIC, "-{a}", "{a} 的 相反数"),
)

SUM_OF = "[的|之] (和|总和) [再]"
THEN = "[,] (再|然后|然后再|接着|之后|之后再)"
CONTINUED = (
    calculation("和乘", ARITHMETIC, "({a}+{b})*{c}", f"{{a}} (加|加上|与|和|跟) {{b}} {SUM_OF} (乘|乘以) {{c}}"),
    calculation("和除以", ARITHMETIC, "({a}+{b})/{c}", f"{{a}} (加|加上|与|和|跟) {{b}} {SUM_OF} 除以 {{c}}"),
    calculation("差乘", ARITHMETIC, "({a}-{b})*{c}", "{a} (减|减去|与|和|跟) {b} 的 (差|差值) [再] (乘|乘以) {c}"),
    calculation("差除以", ARITHMETIC, "({a}-{b})/{c}", "{a} (减|减去|与|和|跟) {b} 的 (差|差值) [再] 除以 {c}"),
    calculation("再乘", ARITHMETIC, "({a})*{b}", f"{{a}} {THEN} (乘|乘以|乘上) {{b}}"),
    calculation("再除以", ARITHMETIC, "({a})/{b}", f"{{a}} {THEN} 除以 {{b}}"),
    calculation("再加", ARITHMETIC, "({a})+{b}", f"{{a}} {THEN} (加|加上) {{b}}"),
    calculation("再减", ARITHMETIC, "({a})-{b}", f"{{a}} {THEN} (减|减去) {{b}}"),
    calculation("再开方", ARITHMETIC, "({a})**(1/2)", f"{{a}} {THEN} (开平方|开方|开根号|求平方根)"),
    calculation("再平方", ARITHMETIC, "({a})**2", f"{{a}} {THEN} (平方|求平方)"),
    calculation("两数之和", ARITHMETIC, "{a}+{b}", "{a} (加|加上) {b} 的 (和|总和|结果)"),
    calculation("两数之差", ARITHMETIC, "{a}-{b}", "{a} (减|减去) {b} 的 (差|差值|结果)"),
    calculation("两数之积", ARITHMETIC, "{a}*{b}", "{a} (乘|乘以) {b} 的 (积|乘积|结果)"),
    calculation("两数之商", ARITHMETIC, "{a}/{b}", "{a} 除以 {b} 的 (商|结果)"),
)

POWERS = (
    calculation("次方", ARITHMETIC, "{a}**{b}", "{a} 的 {b} (次方|次幂)", "{a} {b} 次方"),
    calculation("平方", ARITHMETIC, "{a}**2", "{a} [的] (平方|二次方)"),
    calculation("立方", ARITHMETIC, "{a}**3", "{a} [的] (立方|三次方)"),
    calculation(
        "平方根",
        ARITHMETIC,
        "sqrt({a})",
        "{a} [的] (平方根|算术平方根|二次方根|开平方|开方|开根号|开平方根)",
        "根号 [下] {a}",
        "(对|给|把|将) {a} (开平方|开方|开根号)",
    ),
    calculation("立方根", ARITHMETIC, "cbrt({a})", "{a} [的] (立方根|三次方根|开立方|开三次方)"),
    calculation("次方根", ARITHMETIC, "root({a},{n})", "{a} [的] {n} 次方 根", "{a} [的] 开 {n} 次方 [根]"),
    calculation("对数", ARITHMETIC, "log({a},{b})", "以 {b} 为底 [的] {a} 的 对数", "{a} 以 {b} 为底 的 对数"),
    calculation("自然对数", ARITHMETIC, "ln({a})", "{a} 的 自然对数", "ln {a}"),
    calculation("常用对数", ARITHMETIC, "log({a})", "{a} 的 常用对数", "lg {a}"),
    calculation("正弦", ARITHMETIC, "sin({a}*pi/180)", "{a} 度 [角] 的 正弦 [值]", "(sin|正弦) {a} (度|°)"),
    calculation("余弦", ARITHMETIC, "cos({a}*pi/180)", "{a} 度 [角] 的 余弦 [值]", "(cos|余弦) {a} (度|°)"),
    calculation("正切", ARITHMETIC, "tan({a}*pi/180)", "{a} 度 [角] 的 正切 [值]", "(tan|正切) {a} (度|°)"),
    calculation(
        "四舍五入",
        ARITHMETIC,
        "round({a},{n})",
        "[把|将] {a} 四舍五入 [,] (到|保留|保留到|精确到) [小数点后] {n:count} 位 [小数]",
        "{a} 保留 {n:count} 位 小数",
    ),
    calculation(
        "取整",
        ARITHMETIC,
        "round({a})",
        "(把|将) {a} 四舍五入 [取整|到整数|到个位]",
        "{a} 四舍五入 [取整|到整数|到个位]",
        "四舍五入 {a}",
    ),
    calculation("向下取整", ARITHMETIC, "floor({a})", "{a} 向下 取整"),
    calculation("向上取整", ARITHMETIC, "ceil({a})", "{a} 向上 取整"),
)

SHARE = "(百分之几|百分之多少|多少百分比)"
PERCENTAGES = (
    calculation("百分比", ARITHMETIC, "{v}*{p}/100", "{v} 的 {p:percent}"),
    calculation("打折", ARITHMETIC, "{v}*{d}", "[原价] {v} [元|块|块钱] [打] {d:discount}", "{d:discount} 后 的 {v}"),
    calculation(
        "增加百分比",
        ARITHMETIC,
        "{v}*(100+{p})/100",
        "{v} (增加|增长|上涨|涨|涨价|加价|提价|提高|加上|加) [了] {p:percent}",
    ),
    calculation(
        "减少百分比",
        ARITHMETIC,
        "{v}*(100-{p})/100",
        "{v} (减少|下降|降低|下跌|跌|降|降价|减价|便宜|减去|减) [了] {p:percent}",
    ),
    calculation("几成", ARITHMETIC, "{v}*{n}/10", "{v} 的 {n:count} 成"),
    calculation("增加几成", ARITHMETIC, "{v}*(10+{n})/10", "{v} (增加|增长|上涨|涨|提高) [了] {n:count} 成"),
    calculation("减少几成", ARITHMETIC, "{v}*(10-{n})/10", "{v} (减少|下降|降低|下跌|跌|降) [了] {n:count} 成"),
    calculation("多百分比", ARITHMETIC, "{v}*(100+{p})/100", "比 {v} (多|大|高|贵) {p:percent} [的数|的价格]"),
    calculation("少百分比", ARITHMETIC, "{v}*(100-{p})/100", "比 {v} (少|小|低|便宜) {p:percent} [的数|的价格]"),
    calculation("多百分之几", ARITHMETIC, "({a}-{b})*100/{b}", f"{{a}} 比 {{b}} (多|大|高|贵) [了] {SHARE}"),
    calculation("少百分之几", ARITHMETIC, "({b}-{a})*100/{b}", f"{{a}} 比 {{b}} (少|小|低|便宜) [了] {SHARE}"),
    calculation(
        "占比",
        ARITHMETIC,
        "{a}*100/{b}",
        f"{{a}} (是|占) {{b}} 的 ({SHARE}|百分比)",
        "{a} 占 {b} 的 (比例|百分比)",
    ),
    calculation(
        "变化",
        ARITHMETIC,
        "({b}-{a})*100/{a}",
        "从 {a} (增加|增长|涨|上涨|提高) 到 {b} [,] (增加|增长|涨|上涨|提高) [了] (百分之几|百分之多少|多少百分比)",
    ),
)

BARE = calculation("算式", ARITHMETIC, "{value}", "{value}")
RULES = (*SERIES, *SUMS, *CONTINUED, *POWERS, *PERCENTAGES, BARE)

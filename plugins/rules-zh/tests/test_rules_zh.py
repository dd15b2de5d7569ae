"""Chinese requests and what they are understood as; the tools only say what they were given."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import ares_plugin_rules_zh
import pytest

from ares_core import Ares, Effects, ExecutionPlan, Tool
from ares_core.testing import check_plugin

MATHS = ("Arithmetic", "Summation", "Statistics", "NumberTheory", "DiscreteMath", "Probability")
OTHERS = {
    "hash_tool": ("Hashing", "Base64"),
    "string_utils": ("StringManipulation",),
    "id_generator": ("IDGeneration",),
    "regex": ("Regex",),
    "json_tools": ("JSONProcessing",),
    "pdf_tool": ("PDFParsing", "TextExtraction"),
    "web_search": ("WebSearch",),
    "code_runner": ("CodeExecution",),
    "embedding": ("Embedding",),
    "datetime": ("DateTime",),
    "file_tools": ("FileOperations",),
}
PARAMETERS = "operation input text path expected algorithm count type query data pattern pages language code value other unit old new".split()


def tool(name: str, capabilities: tuple[str, ...], parameters: Mapping[str, Any]) -> Tool:
    reads = Effects(read_only=True)
    return Tool(
        name, "", {"properties": parameters}, lambda arguments, context: dict(arguments), capabilities, effects=reads
    )


@pytest.fixture
def plan(ares: Ares) -> Callable[[str], ExecutionPlan]:
    ares.add(ares_plugin_rules_zh)
    ares.register(tool("calculator", MATHS, {"expression": {"type": "string"}}))
    for name, capabilities in OTHERS.items():
        ares.register(tool(name, capabilities, {parameter: {} for parameter in PARAMETERS}))
    return ares.plan


EXPRESSIONS = {
    "1+1等于多少": "1+1",
    "计算 2的10次方": "2**10",
    "从1累加到100万": "1000000*(1000000+1)/2",
    "从一加到一百": "100*(100+1)/2",
    "从1一直加到100": "100*(100+1)/2",
    "從一百加到二百": "101*(100+200)/2",
    "１到１００求和": "100*(100+1)/2",
    "1至100的总和是多少": "100*(100+1)/2",
    "1~100的和": "100*(100+1)/2",
    "10到1的和": "10*(10+1)/2",
    "5到10之间所有整数的和": "6*(5+10)/2",
    "1到100所有偶数的和": "50*(2+100)/2",
    "1到10的平方和": "10*(10+1)*(2*10+1)/6",
    "1到100的平均数": "(1+100)/2",
    "3和4的和": "sum(3,4)",
    "把１２３和４５６相加": "sum(123,456)",
    "1、2、3、4、5的平均值": "mean(1,2,3,4,5)",
    "计算1,2,3,4,5的标准差": "stddev(1,2,3,4,5)",
    "3，5，7的中位数是多少": "median(3,5,7)",
    "12和18的最大公约数": "gcd(12,18)",
    "求15和20的最小公倍数": "lcm(15,20)",
    "17是素数吗": "isPrime(17)",
    "10的阶乘是多少": "factorial(10)",
    "计算从10个中选3个的组合数": "nCr(10,3)",
    "从8人中选3人多少种选法": "nCr(8,3)",
    "从5人中选2人的排列数": "nPr(5,2)",
    "根号16等于多少": "sqrt(16)",
    "16开平方": "sqrt(16)",
    "3的立方": "3**3",
    "-7的绝对值": "abs(-7)",
    "100除以8": "100/8",
    "8除100": "100/8",
    "17除以5的余数": "17%5",
    "8的3倍": "8*3",
    "90的三分之二": "90*(2/3)",
    "百分之二十乘以80": "20/100*80",
    "80的20%": "80*20/100",
    "200打八折": "200*0.8",
    "100增加20%": "100*(100+20)/100",
    "50是200的百分之几": "50*100/200",
    "3加4乘5": "3+4*5",
    "3加4的和乘5": "(3+4)*5",
    "100减去25再除以5": "(100-25)/5",
    "先算3加4，再求它的平方": "(3+4)**2",
    "5比3大多少": "5-3",
    "二十五减七": "25-7",
    "十二点五加一": "12.5+1",
    "8÷2": "8/2",
    "（1＋2）×3": "(1+2)*3",
    "10除以3保留两位小数": "round(10/3,2)",
    "96元4个人平分，每人多少": "96/4",
    "前5个自然数的平方和": "5*(5+1)*(2*5+1)/6",
    "正态分布x=0 mu=0 sigma=1的概率密度": "normalPdf(0,0,1)",
}


@pytest.mark.parametrize(("request_", "expression"), EXPRESSIONS.items())
def test_a_calculation_in_words_becomes_its_expression(
    plan: Callable[[str], ExecutionPlan], request_: str, expression: str
) -> None:
    found = plan(request_)
    assert [(step.tool, step.arguments) for step in found.steps] == [("calculator", {"expression": expression})]


CALLS: dict[str, tuple[str, dict[str, Any]]] = {
    "计算hello的sha256哈希值": ("hash_tool", {"operation": "sha256", "input": "hello"}),
    "用md5加密Hello": ("hash_tool", {"operation": "md5", "input": "Hello"}),
    "把“你好”用base64编码": ("hash_tool", {"operation": "base64_encode", "input": "你好"}),
    "把aGVsbG8=用base64解码": ("hash_tool", {"operation": "base64_decode", "input": "aGVsbG8="}),
    "把hello改成大写": ("string_utils", {"operation": "upper", "input": "hello"}),
    "反转字符串abc": ("string_utils", {"operation": "reverse", "input": "abc"}),
    "把'a-b'中的'-'替换成'+'": ("string_utils", {"operation": "replace", "input": "a-b", "old": "-", "new": "+"}),
    "生成一个UUID": ("id_generator", {"operation": "generate_uuid", "count": 1}),
    "给我三个UUID": ("id_generator", {"operation": "generate_uuid", "count": 3}),
    "搜索一下Go语言的最新动态": ("web_search", {"query": "Go语言的最新动态"}),
    "提取report.pdf中的文字": ("pdf_tool", {"operation": "text", "path": "report.pdf"}),
    "现在几点": ("datetime", {"operation": "now"}),
    "反转你好": ("string_utils", {"operation": "reverse", "input": "你好"}),
    "大写Hello World": ("string_utils", {"operation": "upper", "input": "Hello World"}),
    "把你好世界用base64编码": ("hash_tool", {"operation": "base64_encode", "input": "你好世界"}),
    "列出docs文件": ("file_tools", {"operation": "list", "path": "docs"}),
    "src文件夹里有什么": ("file_tools", {"operation": "list", "path": "src"}),
    "找出src下所有*.py文件": ("file_tools", {"operation": "list", "pattern": "*.py", "path": "src"}),
    "读取文件notes.txt": ("file_tools", {"operation": "read", "path": "notes.txt"}),
    "能帮我把notes.txt删掉吗": ("file_tools", {"operation": "delete", "path": "notes.txt"}),
}


@pytest.mark.parametrize(("request_", "call"), CALLS.items())
def test_a_wish_names_the_tool_and_its_arguments(
    plan: Callable[[str], ExecutionPlan], request_: str, call: tuple[str, dict[str, Any]]
) -> None:
    assert [(step.tool, step.arguments) for step in plan(request_).steps] == [call]


@pytest.mark.parametrize(
    ("request_", "steps"),
    [
        ("先计算1到100的和，再求它的sha256", [("100*(100+1)/2", ()), ("sha256", ("s1",))]),
        ("48和72的最大公约数和最小公倍数", [("gcd(48,72)", ()), ("lcm(48,72)", ())]),
        ("把hello改成大写，然后反转，再求md5", [("upper", ()), ("reverse", ("s1",)), ("md5", ("s2",))]),
        ("hello的md5和sha1", [("md5", ()), ("sha1", ())]),
        ("hello的md5的sha256", [("md5", ()), ("sha256", ("s1",))]),
    ],
)
def test_several_wishes_become_several_steps(
    plan: Callable[[str], ExecutionPlan], request_: str, steps: list[tuple[str, tuple[str, ...]]]
) -> None:
    found = plan(request_)
    done = [step.arguments.get("expression", step.arguments.get("operation")) for step in found.steps]
    assert list(zip(done, [step.depends_on for step in found.steps], strict=True)) == steps


NOT_TO_BE_DONE = """
反转链表
反转命运
反转来得太快
md5哈希：原理
大写金额
查看docker文件
python里有什么库
前10个质数之和
计算机多少钱？预算5000
云计算有哪3种服务模式
小明和小红今年12岁
参加了2个会议和3个培训
除了5号都可以
删除第3行
删除notes.txt吗
请不要删除notes.txt好吗
出差2天
这个地方有3个出口
加油站在500米外
和平饭店在外滩20号
平均每天走1万步
第3章到第5章的内容
2024年5月17日到18日
他的分数是3比1
十分感谢
哈希表是什么
大写字母有哪些
搜索引擎的原理是什么
生成一首诗
千万不要算1+1
请勿计算1到100的和
别把hello改成大写
怎么算1到100的和
为什么1+1等于2
1到100的质数的和
1到100
五
百分之二十
计算
""".split()


@pytest.mark.parametrize("request_", NOT_TO_BE_DONE)
def test_what_is_not_asked_for_or_not_understood_is_not_done(
    plan: Callable[[str], ExecutionPlan], request_: str
) -> None:
    found = plan(request_)
    assert found.error is not None
    assert (found.error.code, found.steps) == ("no_plan", ())
    assert found.error.message.endswith("未执行。")


@pytest.mark.parametrize(
    "request_",
    [
        "去掉这个字符串两端的空格",
        "用正则表达式匹配邮箱地址",
        "把这段json格式化一下",
        "提取这个PDF文件中的文字",
        "运行这段Python代码",
        "把这个文本做向量化",
        "12的最大公约数",
        "求和",
    ],
)
def test_what_the_request_does_not_contain_is_missing(plan: Callable[[str], ExecutionPlan], request_: str) -> None:
    error = plan(request_).error
    assert error is not None
    assert error.code == "missing_input"
    assert "还缺少" in error.message


def test_the_plugin_stands_what_every_plugin_should() -> None:
    check_plugin(ares_plugin_rules_zh)

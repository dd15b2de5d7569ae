"""Requests as people write them in Chinese: polite, short, in old and full-width characters, mixed with English."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ares_core import Ares

ROOT = Path(__file__).parents[2]
PLUGINS = sorted(path.parent.name for path in ROOT.glob("plugins/*/pyproject.toml"))
CALCULATED = {
    "请问17乘以23等于多少？": "17*23",
    "能帮我算一下17乘以23吗": "17*23",
    "麻烦帮我算一下12、15和21的平均数": "mean(12,15,21)",
    "225的平方根是多少呢": "sqrt(225)",
    "80的百分之十五": "80*15/100",
    "80的15%是多少": "80*15/100",
    "计算3+4": "3+4",
    "二百五十乘以四": "250*4",
    "三百除以十二": "300/12",
    "负五加八": "-5+8",
    "2的8次方": "2**8",
    "4的立方": "4**3",
    "7的阶乘等于多少？": "factorial(7)",
    "29除以6的余数是几": "29%6",
    "84和36的最大公约数": "gcd(84,36)",
    "求4、6、10的最小公倍数": "lcm(4,6,10)",
    "221是质数吗？": "isPrime(221)",
    "2加5是质数吗": "isPrime(2+5)",
    "2的5次方减1是不是素数": "isPrime(2**5-1)",
    "9.9比9.11大多少": "9.9-9.11",
    "从8个里选3个有多少种选法": "nCr(8,3)",
    "8个里面选3个一共有多少种": "nCr(8,3)",
    "2、4、6的样本标准差": "sample_stddev(2,4,6)",
    "3、9、4里最大的是哪个": "max(3,9,4)",
    "1到6的乘积": "factorial(6)",
    "从1一直乘到6": "factorial(6)",
    "1到5的立方和": "(5*(5+1)/2)**2",
    "1到10的和的平方": "(10*(10+1)/2)**2",
    "10除以1到4的和": "10/(4*(4+1)/2)",
    "先算12乘以12，再开平方": "(12*12)**(1/2)",
    "１２＋３４": "12+34",
    "一百二十三乘四十五": "123*45",
    "幫我計算１００減去３７": "100-37",
    "三点五乘以二": "3.5*2",
    "两万五千加三千": "25000+3000",
    "0.5加四分之一": "0.5+1/4",
    "帮我 calculate 3+5": "3+5",
    "what is 三加五": "3+5",
    "compute 1到100的和": "100*(100+1)/2",
}
CALLED: dict[str, tuple[str, dict[str, Any]]] = {
    "把 hello world 转成大写": ("string_utils", {"operation": "upper", "input": "hello world"}),
    "“Hello World”的sha256": ("hash_tool", {"operation": "sha256", "input": "Hello World"}),
    "给我“test”的sha1摘要": ("hash_tool", {"operation": "sha1", "input": "test"}),
    "求空字符串的md5": ("hash_tool", {"operation": "md5", "input": ""}),
    "用SHA-512对“abc”进行哈希": ("hash_tool", {"operation": "sha512", "input": "abc"}),
    "把“héllo”转成base64": ("hash_tool", {"operation": "base64_encode", "input": "héllo"}),
    "把aGk=用base64解码": ("hash_tool", {"operation": "base64_decode", "input": "aGk="}),
    "把“quiet please”变成大写": ("string_utils", {"operation": "upper", "input": "quiet please"}),
    "请将“HELLO”转换为小写": ("string_utils", {"operation": "lower", "input": "HELLO"}),
    "“the quick brown fox”里有多少个单词": (
        "string_utils",
        {"operation": "count", "input": "the quick brown fox", "unit": "words"},
    ),
    "banana有几个字母": ("string_utils", {"operation": "length", "input": "banana"}),
    "“an”在“banana”中出现了几次": (
        "string_utils",
        {"operation": "count", "input": "banana", "unit": "occurrences", "search": "an"},
    ),
    "把“stressed”倒过来": ("string_utils", {"operation": "reverse", "input": "stressed"}),
    "“hello world”中是否包含“world”": (
        "string_utils",
        {"operation": "contains", "input": "hello world", "search": "world"},
    ),
    "把“cat food”里的“cat”替换为“dog”": (
        "string_utils",
        {"operation": "replace", "input": "cat food", "old": "cat", "new": "dog"},
    ),
    "把“a;b;c”用“;”分割": ("string_utils", {"operation": "split", "input": "a;b;c", "delimiter": ";"}),
    "“banana”的前3个字母": ("string_utils", {"operation": "substring", "input": "banana", "start": 0, "end": 3}),
    "来5个uuid": ("id_generator", {"operation": "generate_uuid", "count": 5}),
    "今天几号": ("datetime", {"operation": "now"}),
    "今天是星期几？": ("datetime", {"operation": "now"}),
    "明天是几号": ("datetime", {"operation": "add", "value": "today", "amount": "P1D"}),
    "昨天是星期几": ("datetime", {"operation": "add", "value": "today", "amount": "-P1D"}),
    "距离2027年1月1日还有多少天": ("datetime", {"operation": "diff", "value": "today", "other": "2027-01-01"}),
    "2024年3月1日至今有多少天": ("datetime", {"operation": "diff", "value": "2024-03-01", "other": "today"}),
    "1969年7月20日是星期几": ("datetime", {"operation": "parse", "value": "1969-07-20"}),
    "三周后是几号": ("datetime", {"operation": "add", "value": "now", "amount": "P21D"}),
    "2024-12-25之前45天是哪天": ("datetime", {"operation": "add", "value": "2024-12-25", "amount": "-P45D"}),
    "2024年2月29日加一年": ("datetime", {"operation": "add", "value": "2024-02-29", "amount": "P1Y"}),
    "伦敦现在几点": ("datetime", {"operation": "now", "zone": "Europe/London"}),
    "纽约时间": ("datetime", {"operation": "now", "zone": "America/New_York"}),
    "现在悉尼是几点": ("datetime", {"operation": "now", "zone": "Australia/Sydney"}),
    "把2024-07-01T12:00:00Z转换成东京时间": (
        "datetime",
        {"operation": "convert", "value": "2024-07-01T12:00:00Z", "zone": "Asia/Tokyo"},
    ),
    "下载https://example.com/data.csv": ("http_request", {"url": "https://example.com/data.csv", "method": "GET"}),
    "获取https://example.com/post的正文": ("web_scraper", {"url": "https://example.com/post"}),
    "打开https://example.com": ("http_request", {"url": "https://example.com", "method": "GET"}),
    "搜索那不勒斯最好吃的披萨": ("web_search", {"query": "那不勒斯最好吃的披萨"}),
    "百度一下冰岛的人口": ("web_search", {"query": "冰岛的人口"}),
    "读取notes.md": ("file_tools", {"operation": "read", "path": "notes.md"}),
    "显示config.yaml的内容": ("file_tools", {"operation": "read", "path": "config.yaml"}),
    "todo.txt里写了什么": ("file_tools", {"operation": "read", "path": "todo.txt"}),
    "把“买牛奶”保存到todo.txt": ("file_tools", {"operation": "write", "path": "todo.txt", "content": "买牛奶"}),
    "将a.txt改名为b.txt": ("file_tools", {"operation": "move", "path": "a.txt", "destination": "b.txt"}),
    "有没有setup.py这个文件": ("file_tools", {"operation": "exists", "path": "setup.py"}),
    "列出src目录下的文件": ("file_tools", {"operation": "list", "path": "src"}),
    "删除old.log": ("file_tools", {"operation": "delete", "path": "old.log"}),
    "创建一个名为build的目录": ("file_tools", {"operation": "mkdir", "path": "build"}),
    '格式化{"b":2,"a":1}': ("json_tools", {"operation": "pretty", "data": '{"b":2,"a":1}'}),
    "[1,2]是合法的JSON吗": ("data_validation", {"operation": "validate_json", "data": "[1,2]"}),
    "从“see https://a.io and https://b.io”中提取所有链接": (
        "regex",
        {"operation": "extract", "text": "see https://a.io and https://b.io", "pattern": "https?://[^\\s<>\\\"']+"},
    ),
    "找出“a1b22c333”中的所有数字": ("regex", {"operation": "extract", "text": "a1b22c333", "pattern": "\\d+"}),
    "“abc123”是否匹配正则“\\d+”": ("regex", {"operation": "match", "text": "abc123", "pattern": "\\d+"}),
    "提取manual.pdf第3到5页的文字": ("pdf_tool", {"operation": "text", "path": "manual.pdf", "pages": "3-5"}),
    "manual.pdf的文字": ("pdf_tool", {"operation": "text", "path": "manual.pdf"}),
    "对“我喜欢茶”做向量化": ("embedding", {"operation": "embed", "text": "我喜欢茶"}),
    "运行这段python：print(1)": ("code_runner", {"language": "python", "code": "print(1)"}),
    "执行Python代码“print(2)”": ("code_runner", {"language": "python", "code": "print(2)"}),
    "請把「你好」轉成base64": ("hash_tool", {"operation": "base64_encode", "input": "你好"}),
    '请 hash "abc" 用 md5': ("hash_tool", {"operation": "md5", "input": "abc"}),
}
CALCULATED |= {
    "求100以内所有偶数的和": "50*(2+100)/2",
    "100以内的自然数之和": "100*(100+1)/2",
    "3的平方加4的平方": "3**2+4**2",
    "根号二": "sqrt(2)",
}
CALLED |= {
    "base64解码aGVsbG8=": ("hash_tool", {"operation": "base64_decode", "input": "aGVsbG8="}),
    "现在北京时间": ("datetime", {"operation": "now", "zone": "Asia/Shanghai"}),
    "100天前是哪天": ("datetime", {"operation": "add", "value": "now", "amount": "-P100D"}),
}
CALCULATED |= {
    "5个8相加是多少": "5*8",
    "样本方差：1,2,3": "sample_variance(1,2,3)",
    "8,2,5里面最小的是哪个": "min(8,2,5)",
    "总和：10、20、30": "sum(10,20,30)",
    "9.11和9.9哪个大": "max(9.11,9.9)",
    "3和4的平方和": "sum_of_squares(3,4)",
    "圆周率乘2": "pi*2",
    "12翻一番": "2*12",
    "四舍五入2.5": "round(2.5)",
    "100降价20%后是多少": "100*(100-20)/100",
    "200打七五折后是多少": "200*0.75",
    "sin30度": "sin(30*pi/180)",
    "lg100": "log(100)",
    "1/2和1/3的和": "sum(1/2,1/3)",
    "-3和5的和": "sum(-3,5)",
    "100减去1和2的和": "100-sum(1,2)",
    "1+2+3+…+100": "100*(100+1)/2",
    "组合数C(5,2)": "nCr(5,2)",
    "200的三成": "200*3/10",
    "9的2/3": "9*2/3",
    "10减4/2": "10-4/2",
    "5和3的差的平方": "(5-3)**2",
    "7加8的结果乘以9": "(7+8)*9",
    "3/4的平方": "(3/4)**2",
    "比100多20%": "100*(100+20)/100",
    "80比100少百分之几": "(100-80)*100/100",
    "5个人排成一排有多少种排法": "factorial(5)",
    "3.14159四舍五入保留2位小数": "round(3.14159,2)",
}
CALLED |= {
    "删除“a b c”里的所有空格": (
        "string_utils",
        {"operation": "replace", "input": "a b c", "old": " ", "new": ""},
    ),
    "重复“ab”3次": ("string_utils", {"operation": "repeat", "input": "ab", "times": 3}),
    '格式化这个json：{"a": 1}': ("json_tools", {"operation": "pretty", "data": '{"a": 1}'}),
    '这是合法的json吗：{"a": 1}': ("data_validation", {"operation": "validate_json", "data": '{"a": 1}'}),
}
REFUSED = [
    "搜索队3人",
    "嵌入式开发",
    "百度公司",
    "uuid是什么",
    "3-1和2的和",
    "2的3次方和4的和",
    "100以内的质数的和",
    "翻译你好",
    "打开灯",
    "1到9的奇数的平方和",
    "1到100之间3的倍数的和",
    "前5个质数的和",
    "5英里等于多少公里",
    "把5公里换成英里",
    "九折后200元是多少",
]


@pytest.fixture(scope="module")
def everything() -> Iterator[Ares]:
    with Ares(plugins=PLUGINS) as ares:
        yield ares


def calls(ares: Ares, request: str) -> list[tuple[str, dict[str, Any]]]:
    found = ares.plan(request)
    assert found.error is None, found.error
    return [(step.tool, dict(step.arguments)) for step in found.steps]


@pytest.mark.parametrize("request_", CALCULATED)
def test_a_calculation_is_understood(everything: Ares, request_: str) -> None:
    assert calls(everything, request_) == [("calculator", {"expression": CALCULATED[request_]})]


@pytest.mark.parametrize("request_", CALLED)
def test_a_wish_is_the_call_that_was_meant(everything: Ares, request_: str) -> None:
    assert calls(everything, request_) == [CALLED[request_]]


@pytest.mark.parametrize("request_", REFUSED)
def test_what_no_tool_can_do_or_no_rule_knows_is_not_half_done(everything: Ares, request_: str) -> None:
    found = everything.plan(request_)
    assert found.error is not None
    assert found.steps == ()

"""Every operation of every builtin tool, asked for in Chinese: the exact call that is planned."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from ares_core import Ares

ROOT = Path(__file__).parents[2]
PLUGINS = sorted(path.parent.name for path in ROOT.glob("plugins/*/pyproject.toml"))
EMAILS = r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+"

Calls = dict[str, dict[str, Any]]
CALCULATOR = {
    "3加4等于多少": "3+4",
    "求3、4、5的和": "sum(3,4,5)",
    "6的阶乘": "factorial(6)",
    "正态分布x=0 mu=0 sigma=1的概率密度": "normalPdf(0,0,1)",
    "5、1、9的中位数": "median(5,1,9)",
    "12和18的最小公倍数": "lcm(12,18)",
}
CODE: Calls = {
    "运行python代码：print(1+1)": {"language": "python", "code": "print(1+1)"},
    "执行这段javascript代码：console.log(2)": {"language": "javascript", "code": "console.log(2)"},
}
DATA: Calls = {
    "把csv“a,b”转换成json": {"operation": "csv_to_json", "data": "a,b"},
    '把[{"a": 1}]转成csv': {"operation": "json_to_csv", "data": '[{"a": 1}]'},
    '展平{"a": {"b": 1}}': {"operation": "flatten", "data": '{"a": {"b": 1}}'},
    '把{"a.b": 1}还原成嵌套结构': {"operation": "unflatten", "data": '{"a.b": 1}'},
}
VALIDATION: Calls = {
    '{"a": 1}是合法的json吗': {"operation": "validate_json", "data": '{"a": 1}'},
    '判断{"a": 1,}是不是合法的json': {"operation": "validate_json", "data": '{"a": 1,}'},
    "ada@example.com是不是有效的邮箱地址": {"operation": "validate_email", "data": "ada@example.com"},
    "检查https://example.com是否是有效的网址": {"operation": "validate_url", "data": "https://example.com"},
    '{"a": 1}是否符合模式{"type": "object"}': {
        "operation": "validate_schema",
        "data": '{"a": 1}',
        "schema": '{"type": "object"}',
    },
}
DATES: Calls = {
    "现在几点了": {"operation": "now"},
    "现在东京几点": {"operation": "now", "zone": "Asia/Tokyo"},
    "2024年3月3日是星期几": {"operation": "parse", "value": "2024-03-03"},
    "把2024-03-03格式化成%Y年": {"operation": "format", "value": "2024-03-03", "format": "%Y年"},
    "把2024-03-03转成时间戳": {"operation": "format", "value": "2024-03-03", "format": "unix"},
    "把2024-03-03 14:30从东京时间换算成纽约时间": {
        "operation": "convert",
        "value": "2024-03-03 14:30",
        "from_zone": "Asia/Tokyo",
        "zone": "America/New_York",
    },
    "2024年1月1日之后90天是哪天": {"operation": "add", "value": "2024-01-01", "amount": "P90D"},
    "2024年1月1日90天后是哪天": {"operation": "add", "value": "2024-01-01", "amount": "P90D"},
    "2024-05-01两周前是几号": {"operation": "add", "value": "2024-05-01", "amount": "-P14D"},
    "从2024年3月3日到2024-05-01有多少天": {"operation": "diff", "value": "2024-03-03", "other": "2024-05-01"},
}
EMBEDDING: Calls = {
    "把“红色的狐狸”向量化": {"operation": "embed", "text": "红色的狐狸"},
    "把“甲”和“乙”分别向量化": {"operation": "embed_batch", "texts": ["甲", "乙"]},
    "“猫”和“狗”的相似度": {"operation": "similarity", "text": "猫", "other": "狗"},
}
FILES: Calls = {
    "读取文件notes.txt的内容": {"operation": "read", "path": "notes.txt"},
    "把“你好”写入notes.txt": {"operation": "write", "path": "notes.txt", "content": "你好"},
    "把“更多”追加到notes.txt": {"operation": "append", "path": "notes.txt", "content": "更多"},
    "列出目录docs下的所有文件": {"operation": "list", "path": "docs"},
    "notes.txt存在吗": {"operation": "exists", "path": "notes.txt"},
    "notes.txt有多大": {"operation": "stat", "path": "notes.txt"},
    "新建文件夹reports": {"operation": "mkdir", "path": "reports"},
    "把a.txt重命名为b.txt": {"operation": "move", "path": "a.txt", "destination": "b.txt"},
    "把a.txt复制到old/a.txt": {"operation": "copy", "path": "a.txt", "destination": "old/a.txt"},
    "删除文件a.txt": {"operation": "delete", "path": "a.txt"},
    "列出所有的md文件": {"operation": "list", "pattern": "*.md"},
    "列出docs文件夹里的所有文件": {"operation": "list", "path": "docs"},
}
HASHES: Calls = {
    **{
        f"“abc”的{name}": {"operation": operation, "input": "abc"}
        for name, operation in {
            "md5值": "md5",
            "SHA1": "sha1",
            "sha224哈希": "sha224",
            "SHA-256": "sha256",
            "sha384": "sha384",
            "sha512哈希值": "sha512",
            "sha3-256": "sha3_256",
            "sha3-384": "sha3_384",
            "sha3-512": "sha3_512",
            "blake2b": "blake2b",
            "blake2s": "blake2s",
            "crc32校验码": "crc32",
        }.items()
    },
    "文件a.txt的sha256": {"operation": "sha256", "path": "a.txt"},
    "用密钥“k”计算“abc”的hmac": {"operation": "hmac", "input": "abc", "key": "k"},
    "验证abc的md5是不是900150983cd24fb0d6963f7d28e17f72": {
        "operation": "verify",
        "input": "abc",
        "expected": "900150983cd24fb0d6963f7d28e17f72",
        "algorithm": "md5",
    },
    "把“a b”用base64编码": {"operation": "base64_encode", "input": "a b"},
    "base64解码“YQ==”": {"operation": "base64_decode", "input": "YQ=="},
    "把“a b”用base64url编码": {"operation": "base64url_encode", "input": "a b"},
    "base64url解码“YQ”": {"operation": "base64url_decode", "input": "YQ"},
}
HTTP: Calls = {
    "请求https://example.com/a的内容": {"url": "https://example.com/a", "method": "GET"},
    '把{"a": 1}提交到https://example.com': {"url": "https://example.com", "method": "POST", "json": {"a": 1}},
    '用PUT把{"a": 1}发送到https://example.com': {"url": "https://example.com", "method": "PUT", "json": {"a": 1}},
    '用patch把{"a": 1}发送到https://example.com': {"url": "https://example.com", "method": "PATCH", "json": {"a": 1}},
    "向https://example.com/1发送DELETE请求": {"url": "https://example.com/1", "method": "DELETE"},
    "向https://example.com发送一个HEAD请求": {"url": "https://example.com", "method": "HEAD"},
}
IDS: Calls = {
    "生成3个uuid": {"operation": "generate_uuid", "count": 3},
    "生成一个uuid v7": {"type": "uuid7", "count": 1},
    "生成两个ulid": {"type": "ulid", "count": 2},
    "生成一个nanoid": {"type": "nanoid", "count": 1},
    "生成一个短id": {"operation": "generate_short_id", "count": 1},
}
JSON: Calls = {
    '解析{"a": 1}': {"operation": "parse", "data": '{"a": 1}'},
    '把{"a": 1}格式化一下': {"operation": "pretty", "data": '{"a": 1}'},
    '从{"a": 1}中取出“$.a”': {"operation": "query", "data": '{"a": 1}', "query": "$.a"},
    '把{"b": 2}合并到{"a": 1}': {"operation": "merge", "data": '{"a": 1}', "other": '{"b": 2}'},
    '把补丁[{"op": "remove", "path": "/a"}]应用到{"a": 1}': {
        "operation": "patch",
        "data": '{"a": 1}',
        "patch": '[{"op": "remove", "path": "/a"}]',
    },
    '比较{"a": 1}和{"a": 2}': {"operation": "diff", "data": '{"a": 1}', "other": '{"a": 2}'},
}
LOGS: Calls = {
    "解析日志“INFO up”": {"operation": "parse_log", "log_content": "INFO up"},
    "找出日志“ERROR disk”中的错误": {"operation": "find_errors", "log_content": "ERROR disk"},
    "提取日志“took 5 ms”中的指标": {"operation": "extract_metrics", "log_content": "took 5 ms"},
}
PDF: Calls = {
    "提取report.pdf中的文字": {"operation": "text", "path": "report.pdf"},
    "读取report.pdf的第2到3页": {"operation": "text", "path": "report.pdf", "pages": "2-3"},
    "report.pdf的作者": {"operation": "metadata", "path": "report.pdf"},
    "report.pdf有多少页": {"operation": "metadata", "path": "report.pdf"},
    "列出report.pdf的目录": {"operation": "outline", "path": "report.pdf"},
    "列出report.pdf的表单字段": {"operation": "form_fields", "path": "report.pdf"},
}
REGEX: Calls = {
    "用正则“a+”匹配“caat”": {"operation": "match", "pattern": "a+", "text": "caat"},
    "从“a@b.de”中提取所有邮箱": {"operation": "extract", "pattern": EMAILS, "text": "a@b.de"},
    "用正则“a+”把“caat”中的匹配内容替换成“o”": {
        "operation": "replace",
        "pattern": "a+",
        "replacement": "o",
        "text": "caat",
    },
    "用正则“[0-9]”分割“a1b2c”": {"operation": "split", "pattern": "[0-9]", "text": "a1b2c"},
}
STRINGS: Calls = {
    "把“ab c”改成大写": {"operation": "upper", "input": "ab c"},
    "把AB转成小写": {"operation": "lower", "input": "AB"},
    "把“ab cd”改成每个单词首字母大写": {"operation": "title", "input": "ab cd"},
    "把“ab cd”的首字母大写": {"operation": "capitalize", "input": "ab cd"},
    "去掉“ a ”两端的空格": {"operation": "trim", "input": " a "},
    "把“a,b”用逗号分割": {"operation": "split", "input": "a,b", "delimiter": ","},
    "把“a”、“b”和“c”用“-”连接起来": {"operation": "join", "join_items": ["a", "b", "c"], "delimiter": "-"},
    "“abc”的长度": {"operation": "length", "input": "abc"},
    "反转“abc”": {"operation": "reverse", "input": "abc"},
    "“abc”里有几个字符": {"operation": "length", "input": "abc"},
    "“abc”的前2个字符": {"operation": "substring", "input": "abc", "start": 0, "end": 2},
    "截取“abcd”的第2到3个字符": {"operation": "substring", "input": "abcd", "start": 1, "end": 3},
    "把“banana”中的“a”替换成“b”": {"operation": "replace", "input": "banana", "old": "a", "new": "b"},
    "把“ab”重复3遍": {"operation": "repeat", "input": "ab", "times": 3},
    "“hello”是否包含“ell”": {"operation": "contains", "input": "hello", "search": "ell"},
    "“hello”是否以“he”开头": {"operation": "starts_with", "input": "hello", "search": "he"},
    "“hello”是不是以“lo”结尾": {"operation": "ends_with", "input": "hello", "search": "lo"},
    "统计“a b”中的单词数": {"operation": "count", "input": "a b", "unit": "words"},
    "“banana”中有几个“a”": {"operation": "count", "input": "banana", "unit": "occurrences", "search": "a"},
    "把“7”用“0”补齐到3位": {"operation": "pad", "input": "7", "length": 3, "fill": "0"},
    "把“abcdef”截断到3个字符": {"operation": "truncate", "input": "abcdef", "length": 3},
}
PAGES: Calls = {"抓取网页https://example.com/a的正文": {"url": "https://example.com/a"}}
SEARCHES: Calls = {"上网搜索小熊猫": {"query": "小熊猫"}, "搜索一下奥斯陆的天气": {"query": "奥斯陆的天气"}}

CALLS = [
    *(("calculator", request, {"expression": expression}) for request, expression in CALCULATOR.items()),
    *(
        (tool, request, arguments)
        for tool, calls in {
            "code_runner": CODE, "data_transform": DATA, "data_validation": VALIDATION, "datetime": DATES,
            "embedding": EMBEDDING, "file_tools": FILES, "hash_tool": HASHES, "http_request": HTTP,
            "id_generator": IDS, "json_tools": JSON, "log_analyzer": LOGS, "pdf_tool": PDF, "regex": REGEX,
            "string_utils": STRINGS, "web_scraper": PAGES, "web_search": SEARCHES,
        }.items()
        for request, arguments in calls.items()
    ),
]  # fmt: skip


@pytest.fixture(scope="module")
def everything() -> Iterator[Ares]:
    with Ares(plugins=PLUGINS) as ares:
        yield ares


@pytest.mark.parametrize(("tool", "request_", "arguments"), CALLS, ids=[request for _, request, _ in CALLS])
def test_a_request_is_planned_as_the_exact_call(
    tool: str, request_: str, arguments: dict[str, Any], everything: Ares
) -> None:
    found = everything.plan(request_)
    assert found.error is None, found.error
    assert [(step.tool, dict(step.arguments)) for step in found.steps] == [(tool, arguments)]
    schema = everything.registry.get(tool)
    assert schema is not None
    assert not list(Draft202012Validator(schema.parameters).iter_errors(arguments))

"""Documents, data, the web, code, dates and files."""

from __future__ import annotations

from typing import Any

from ares_core import Rule
from ares_plugin_rules_zh.texts import TEXT


def rule(name: str, capabilities: str, *phrases: str, **arguments: Any) -> Rule:
    """Make a rule; the names of optional arguments end in an underscore."""
    given = {f"{key[:-1]}?" if key.endswith("_") else key: value for key, value in arguments.items()}
    return Rule(name, phrases, tuple(capabilities.split()), arguments=given)


DATA = "({data:json}|{data:quoted})"
JSON = (
    rule(
        "格式化JSON",
        "JSONProcessing",
        f"[把|将] [json] {DATA} [json] (格式化|美化|排版) [一下]",
        f"(格式化|美化) [json] {DATA}",
        operation=("pretty", "prettify"),
        data="{data}",
    ),
    rule(
        "解析JSON",
        "JSONProcessing",
        f"(解析|读取) [json] {DATA}",
        f"[把|将] {DATA} 解析 [一下|成json|为json]",
        operation="parse",
        data="{data}",
    ),
    rule(
        "校验JSON",
        "DataValidation JSONProcessing",
        f"(验证|校验|检查) [json] {DATA} [是否] [有效|合法|正确]",
        f"{DATA} (是不是|是否是|是) (合法|有效) 的 json",
        operation=("validate_json", "validate"),
        data="{data}",
    ),
)

PATTERNS = {
    "数字": ("数字|数", r"\d+"),
    "邮箱": ("邮箱|邮箱地址|邮件地址|电子邮件|电子邮箱", r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+"),
    "链接": ("链接|网址|url", r"https?://[^\s<>\"']+"),
    "手机号": ("手机号|手机号码|电话号码", r"1[3-9]\d{9}"),
}
REGEXES = tuple(
    rule(
        f"提取{name}",
        "Regex",
        f"[用] [正则|正则表达式] (从|在) {TEXT} (中|里|里面) (提取|找出|匹配|抽取|查找) [所有|全部|出] [的] ({words})",
        f"[用|使用] [正则|正则表达式] (提取|找出|匹配|抽取) {TEXT} (中|里|里面) [的] [所有|全部] [的] ({words})",
        f"(用|使用) (正则|正则表达式) (匹配|提取|查找) [所有] ({words}) [:] {{text:quoted}}",
        operation="extract",
        text="{text}",
        pattern=pattern,
    )
    for name, (words, pattern) in PATTERNS.items()
)

READ = "(读取|提取|解析|读|打开|读一下|抽取|获取)"
TEXTS = "[中|里|里面] [的] [所有|全部] [文字|文本|内容|文本内容|文字内容]"
PDF = (
    rule(
        "PDF文字",
        "TextExtraction PDFParsing",
        f"{READ} [pdf] [文件|文档] {{path:pdf}} {TEXTS}",
        f"{READ} [pdf] [文件] {{path:pdf}} [的] 第 {{pages}} 页 {TEXTS}",
        f"[把|将] {{path:pdf}} {TEXTS} (提取|读取|抽取) [出来|出]",
        operation=("text", "extract_text"),
        path="{path}",
        pages_="{pages}",
    ),
)

WEB = (
    rule(
        "搜索网络",
        "WebSearch",
        "(搜索|搜|搜一下|查找|百度|谷歌|查询|查一下|搜搜) [一下] [关于] {query:rest}",
        "(上网|在网上|网上|在互联网上|联网) (搜索|搜|查|查找|查询) [一下] [关于] {query:rest}",
        query="{query}",
    ),
    rule(
        "抓取网页", "WebFetch", "(抓取|爬取|采集) [网页|页面|网站] {url} [的] [内容|正文|文字|标题|链接]", url="{url}"
    ),
    rule(
        "获取地址",
        "HTTPRequest WebFetch",
        "(下载|获取|请求|访问|打开) [网页|文件|页面|网址] {url} [的] [内容]",
        url="{url}",
        method_="GET",
    ),
)

CODE = (
    rule(
        "运行Python",
        "CodeExecution",
        "(运行|执行|跑) [一下] [这段|下面的] {code:python}",
        "(运行|执行|跑) [python] [代码|脚本] [:] {code:snippet}",
        language="python",
        code="{code}",
    ),
    Rule("代码", ("{c:quoted}",), reads="snippet", arguments={"value": "{c}"}),
    Rule("Python代码", ("python (代码|脚本|程序) [:] {c:quoted}",), reads="python", arguments={"value": "{c}"}),
)

OTHERS = (
    rule(
        "向量化",
        "Embedding",
        f"[把|将|对] {TEXT} [做|进行|转|转换] [成|为] (向量化|向量|嵌入|词向量) [处理]",
        f"(向量化|嵌入) {TEXT}",
        f"生成 {TEXT} 的 (向量|嵌入|嵌入向量|embedding)",
        operation=("embed",),
        text="{text}",
    ),
    rule(
        "现在",
        "DateTime",
        "(现在|目前|当前) [是] [的] (几点|时间|几点钟|什么时间|日期)",
        "今天 [是] (几号|星期几|几月几号|什么日期|日期|周几)",
        "几点 [了|钟了]",
        "当前 [的] (时间|日期)",
        operation="now",
    ),
    rule(
        "日期之差",
        "DateTime",
        "{a:date} (到|至|和|与) {b:date} (之间|间) [有|相差|差|隔|相隔] [多少|几] 天",
        "{a:date} (到|至) {b:date} [有|相差|隔] (多少|几) 天",
        operation="diff",
        value="{a}",
        other="{b}",
    ),
    rule(
        "CSV转JSON",
        "DataTransform",
        f"[把|将] [csv] {TEXT} [从csv] (转|转换) [成|为] json",
        operation="csv_to_json",
        data="{text}",
    ),
    rule("JSON转CSV", "DataTransform", "[把|将] {json} (转|转换) [成|为] csv", operation="json_to_csv", data="{json}"),
    rule(
        "校验邮箱",
        "DataValidation",
        "{email} (是不是|是否是|是) [一个] (有效|合法) 的 (邮箱|邮箱地址|邮件地址)",
        "(验证|校验|检查) [邮箱] {email}",
        operation="validate_email",
        data="{email}",
    ),
    rule(
        "日志错误",
        "LogAnalysis",
        f"(分析|查找|找出) [日志] {TEXT} [中|里] [的] [错误|日志]",
        operation="find_errors",
        log_content="{text}",
    ),
    rule(
        "读文件",
        "FileOperations",
        "(读取|打开|查看|读|显示) [文件] {path} [文件] [的] [内容]",
        operation="read",
        path="{path}",
    ),
    rule(
        "列目录",
        "FileOperations",
        "(列出|查看|显示) [目录|文件夹] {path} [目录|文件夹] (下|里|中) [的] [所有] [文件|内容]",
        operation="list",
        path="{path}",
    ),
    rule(
        "写文件",
        "FileOperations",
        "[把|将] {content:quoted} (写入|写到|保存到|存到) [文件] {path}",
        operation="write",
        path="{path}",
        content="{content}",
    ),
    rule("删文件", "FileOperations", "(删除|删掉) [文件] {path} [文件]", operation="delete", path="{path}"),
)

RULES = (*JSON, *REGEXES, *PDF, *WEB, *CODE, *OTHERS)

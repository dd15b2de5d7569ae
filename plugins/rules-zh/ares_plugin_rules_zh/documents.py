"""JSON, patterns and PDF documents."""

from __future__ import annotations

from typing import Any

from ares_core import Rule
from ares_plugin_rules_zh.texts import TEXT


def rule(name: str, capabilities: str, *phrases: str, excludes: tuple[str, ...] = (), **arguments: Any) -> Rule:
    """Make a rule; the names of optional arguments end in an underscore."""
    given = {f"{key[:-1]}?" if key.endswith("_") else key: value for key, value in arguments.items()}
    return Rule(name, phrases, tuple(capabilities.split()), arguments=given, excludes=excludes)


THIS = "[这个|这段|下面的|以下|下列]"
DATA = f"({THIS} [json] [数据|文本|字符串] [:] {{data:json}}|{{data:quoted}}|{{data:ref}})"
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
        f"{DATA} (是不是|是否是|是) (合法|有效|正确) 的 json",
        "{data:braced} (是不是|是否是|是) (合法|有效|正确) 的 json",
        "(判断|检查|验证|校验|看看) [一下] {data:braced} (是不是|是否是|是否为|是否) [一] [个|段] (合法|有效|正确) [的] json",
        "(验证|校验|检查) json [:] {data:braced}",
        "(这|下面|以下) (是不是|是否是|是) (合法|有效|正确) 的 json [吗] [:] {data:braced}",
        operation=("validate_json", "validate"),
        data="{data}",
    ),
    rule(
        "查询JSON",
        "JSONProcessing",
        "(从|在) [json] {data:json} (中|里|里面) (取|取出|提取|查询|查找|获取|读取) [出] {query:quoted}",
        "(取|取出|提取|查询|获取) [json] {data:json} [中|里] 的 {query:quoted}",
        operation=("query", "extract"),
        data="{data}",
        query="{query}",
    ),
    rule(
        "合并JSON",
        "JSONProcessing",
        "(把|将) {other:json} 合并 (到|进|入) {data:json} [中|里]",
        "合并 {data:json} (和|与|跟) {other:json}",
        "(把|将) {data:json} (和|与|跟) {other:json} 合并 [起来]",
        operation="merge",
        data="{data}",
        other="{other}",
    ),
    rule(
        "修补JSON",
        "JSONProcessing",
        "(把|将) [补丁] {patch:json} (应用到|用于|应用于) {data:json}",
        "用 [补丁] {patch:json} (修改|修补|更新) {data:json}",
        "(对|给) {data:json} (应用|打) [补丁] {patch:json}",
        operation="patch",
        data="{data}",
        patch="{patch}",
    ),
    rule(
        "比较JSON",
        "JSONProcessing",
        "{data:json} (和|与|跟) {other:json} [有] [什么|哪些] [的] (差异|区别|不同|差别)",
        "(比较|对比) [json] {data:json} (和|与|跟) {other:json}",
        operation="diff",
        data="{data}",
        other="{other}",
    ),
)

PATTERNS = {
    "数字": ("数字|数", r"\d+"),
    "邮箱": ("邮箱|邮箱地址|邮件地址|电子邮件|电子邮箱", r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+"),
    "链接": ("链接|网址|url", r"https?://[^\s<>\"']+"),
    "手机号": ("手机号|手机号码|电话号码", r"1[3-9]\d{9}"),
}
PATTERN = "(正则表达式|正则|模式)"
REGEXES = (
    *(
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
    ),
    rule(
        "匹配模式",
        "Regex",
        f"用 {PATTERN} {{pattern:quoted}} 匹配 {TEXT}",
        f"{TEXT} (是否|是不是|能否|能不能) 匹配 [{PATTERN}] {{pattern:quoted}}",
        operation="match",
        text="{text}",
        pattern="{pattern}",
    ),
    rule(
        "提取匹配",
        "Regex",
        f"用 {PATTERN} {{pattern:quoted}} [从] {TEXT} [中|里|里面] (提取|查找|找出)",
        f"用 {PATTERN} {{pattern:quoted}} (提取|查找|找出) {TEXT} [中|里|里面] [的] [所有] [匹配|内容]",
        f"(从|在) {TEXT} (中|里|里面) (提取|查找|找出) [所有] [匹配] {PATTERN} {{pattern:quoted}} [的内容]",
        operation="extract",
        text="{text}",
        pattern="{pattern}",
    ),
    rule(
        "替换匹配",
        "Regex",
        f"[把|将] {{text:quoted}} [中|里|里面] [的] [所有] [匹配] {PATTERN} {{pattern:quoted}} [的内容] (替换|换|改) (成|为) {{new:quoted}}",
        f"用 {PATTERN} {{pattern:quoted}} [把|将] {{text:quoted}} [中|里|里面] [的] [匹配|内容|匹配的内容|匹配内容] (替换|换|改) (成|为) {{new:quoted}}",
        operation="replace",
        text="{text}",
        pattern="{pattern}",
        replacement="{new}",
    ),
    rule(
        "按模式分割",
        "Regex",
        f"[把|将] {TEXT} (用|按|按照) {PATTERN} {{pattern:quoted}} (分割|拆分|切分|分开) [开]",
        f"(用|按|按照) {PATTERN} {{pattern:quoted}} (分割|拆分|切分) {TEXT}",
        operation="split",
        text="{text}",
        pattern="{pattern}",
    ),
)

READ = "(读取|提取|解析|读|打开|读一下|抽取|获取)"
NAMED = "[pdf] [文件|文档] {path:pdf} [这个] [文件|文档]"
TEXTS = "[中|里|里面] [的] [所有|全部] [文字|文本|内容|文本内容|文字内容]"
OPERATION = ("text", "extract_text")
PDF = (
    rule(
        "PDF文字",
        "TextExtraction PDFParsing",
        f"{READ} {NAMED} {TEXTS}",
        f"{READ} {NAMED} [的] 第 {{pages}} 页 {TEXTS}",
        f"{NAMED} (中|里|里面|的) [的] [所有|全部] (文字|文本|内容|文本内容|文字内容)",
        f"[把|将|从] {NAMED} {TEXTS} (提取|读取|抽取) [出来|出|文字|文本|内容]",
        operation=OPERATION,
        path="{path}",
        pages_="{pages}",
    ),
    rule(
        "所得文字",
        "TextExtraction PDFParsing",
        "(提取|抽取|读取) {path:ref} [中|里|里面] [的] [所有|全部] (文字|文本|文本内容|文字内容|正文)",
        "(提取|抽取|读取) [其中|里面] [的] [所有|全部] (文字|文本|文本内容|文字内容|正文) {path:ref}",
        operation=OPERATION,
        path="{path}",
    ),
    rule(
        "PDF信息",
        "PDFParsing TextExtraction",
        f"[读取|查看|显示|获取] {NAMED} 的 (元数据|信息|属性|作者|标题|页数)",
        f"{NAMED} [一共|总共] 有 (多少|几) 页",
        operation=("metadata", "info"),
        path="{path}",
    ),
    rule(
        "PDF目录",
        "PDFParsing TextExtraction",
        f"[读取|查看|显示|获取|列出] {NAMED} 的 (目录|大纲|书签|章节)",
        operation="outline",
        path="{path}",
    ),
    rule(
        "PDF表单",
        "PDFParsing TextExtraction",
        f"[读取|查看|显示|获取|列出] {NAMED} [中|里] 的 [所有] (表单字段|表单|表单域)",
        operation="form_fields",
        path="{path}",
    ),
)

RULES = (*JSON, *REGEXES, *PDF)

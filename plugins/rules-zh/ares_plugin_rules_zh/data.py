"""Data, logs and embeddings."""

from __future__ import annotations

from ares_plugin_rules_zh.documents import DATA, rule
from ares_plugin_rules_zh.texts import TEXT

TO = "(转|转换|转化|变|改) [成|为]"
IS = "(是不是|是否是|是否为|是) [一个]"
RIGHT = "(有效|合法|正确|合格)"
CHECK = "(验证|校验|检查|检验) [一下]"
TABLES = (
    rule(
        "CSV转JSON",
        "DataTransform",
        f"[把|将] [csv] [数据|文本] [:] {TEXT} [从csv] {TO} json",
        operation="csv_to_json",
        data="{text}",
    ),
    rule("JSON转CSV", "DataTransform", f"[把|将] [json] {{json}} {TO} csv", operation="json_to_csv", data="{json}"),
    rule(
        "展平JSON",
        "DataTransform",
        "(展平|扁平化|打平|压平) [json] [对象] {json}",
        "[把|将] [json] {json} (展平|扁平化|打平|压平) [一下]",
        operation=("flatten", "flatten_json"),
        data="{json}",
    ),
    rule(
        "还原JSON",
        "DataTransform",
        "[把|将] [json] {json} (反展平|反扁平化|还原成嵌套|还原为嵌套|还原成嵌套结构|还原为嵌套结构)",
        "(反展平|反扁平化) [json] {json}",
        operation=("unflatten", "unflatten_json"),
        data="{json}",
    ),
)

CHECKS = (
    rule(
        "校验邮箱",
        "DataValidation",
        f"{{email}} {IS} {RIGHT} 的 (邮箱|邮箱地址|邮件地址|电子邮箱|电子邮件地址)",
        f"{CHECK} [邮箱|邮箱地址|邮件地址] {{email}} [{IS}] [{RIGHT}]",
        f"{CHECK} {{email}} {IS} {RIGHT} 的 (邮箱|邮箱地址|邮件地址)",
        operation="validate_email",
        data="{email}",
    ),
    rule(
        "校验网址",
        "DataValidation",
        f"{{url}} {IS} {RIGHT} 的 (网址|链接|url|地址)",
        f"{CHECK} [网址|链接|url|地址] {{url}} [{IS}] [{RIGHT}]",
        f"{CHECK} {{url}} {IS} {RIGHT} 的 (网址|链接|url|地址)",
        operation="validate_url",
        data="{url}",
    ),
    rule(
        "按模式校验",
        "DataValidation",
        f"(用|按|按照) [json] (模式|schema) {{schema:json}} {CHECK} [json] {DATA}",
        f"{CHECK} [json] {DATA} [是否] (符合|满足) [json] (模式|schema) {{schema:json}}",
        "{data:json} (是否|是不是) (符合|满足) [json] (模式|schema) {schema:json}",
        operation="validate_schema",
        data="{data}",
        schema="{schema}",
    ),
)

LOG = f"[日志] [:] {TEXT} [这段日志]"
LOGS = (
    rule(
        "日志错误",
        "LogAnalysis",
        f"(查找|找出|提取|统计) {LOG} [中|里|里面] [的] [所有] (错误|异常|报错)",
        f"分析 日志 [:] {TEXT} [中|里] [的] [错误]",
        f"日志 {TEXT} (中|里) 有 (哪些|什么) 错误",
        operation="find_errors",
        log_content="{text}",
    ),
    rule("解析日志", "LogAnalysis", f"解析 日志 [:] {TEXT}", operation="parse_log", log_content="{text}"),
    rule(
        "日志指标",
        "LogAnalysis",
        f"(提取|找出|统计) 日志 [:] {TEXT} [中|里|里面] [的] [所有] (指标|数据指标|性能指标)",
        operation="extract_metrics",
        log_content="{text}",
    ),
)

EMBEDDINGS = (
    rule(
        "向量化",
        "Embedding",
        f"[把|将|对] {TEXT} [做|进行|转|转换] [成|为] (向量化|向量|嵌入|词向量) [处理]",
        f"(向量化|嵌入) {TEXT}",
        f"(生成|计算|求) {TEXT} 的 (向量|嵌入|嵌入向量|embedding)",
        operation=("embed",),
        text="{text}",
    ),
    rule(
        "批量向量化",
        "Embedding",
        "[把|将|对] {texts} [都|一起|分别] [做|进行|转|转换] [成|为] (向量化|向量|嵌入) [处理]",
        "(向量化|嵌入) {texts}",
        "[把|将|对] {texts:refs} [都|一起|分别] [做|进行|转|转换] [成|为] (向量化|嵌入) [处理]",
        "(生成|计算|求) {texts} 的 (向量|嵌入|嵌入向量|embedding)",
        operation="embed_batch",
        texts="{texts}",
    ),
    rule(
        "相似度",
        "Embedding",
        "{a:quoted} (和|与|跟) {b:quoted} [的|之间的] [语义] (相似度|相似程度|相似性)",
        "{a:quoted} (和|与|跟) {b:quoted} (有多相似|有多像|多相似)",
        "(比较|计算) {a:quoted} (和|与|跟) {b:quoted} 的 [语义] (相似度|相似程度|相似性)",
        operation="similarity",
        text="{a}",
        other="{b}",
    ),
)

RULES = (*TABLES, *CHECKS, *LOGS, *EMBEDDINGS)

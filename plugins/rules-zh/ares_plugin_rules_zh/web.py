"""The web, and code to run."""

from __future__ import annotations

from ares_core import Rule
from ares_plugin_rules_zh.documents import rule

METHODS = ("get", "head", "options", "post", "put", "patch", "delete")
WHAT = "[关于]"
PAGE = "[网页|页面|网站|网址|链接|地址]"
WEB = (
    rule(
        "搜索网络",
        "WebSearch",
        f"(搜索|搜|搜一下|查找|百度|谷歌|查询|查一下|搜搜) [一下] {WHAT} {{query:rest}}",
        f"(上网|在网上|网上|在互联网上|联网) (搜索|搜|查|查找|查询|找) [一下|找] {WHAT} {{query:rest}}",
        query="{query}",
    ),
    rule(
        "抓取网页",
        "WebFetch",
        f"(抓取|爬取|采集) {PAGE} {{url}} [上|中|里] [的] [内容|正文|文字|文本|标题|链接]",
        f"(提取|读取|获取) {PAGE} {{url}} [上|中|里] 的 (正文|文字|文本)",
        "(读|阅读|读取) (网页|页面|文章) {url}",
        url="{url}",
    ),
    rule(
        "下载文件",
        "Download HTTPRequest WebFetch",
        "(下载|获取) [文件|pdf|pdf文件] {url:pdflink} [的] [文件|pdf|pdf文件]",
        "(下载|获取) (pdf|pdf文件) {url}",
        "从 {url} 下载 (pdf|pdf文件)",
        "[把|将] {url:pdflink} 下载 [下来]",
        url="{url}",
        method_="GET",
        save_to_="downloads/",
    ),
    rule(
        "获取地址",
        "HTTPRequest WebFetch",
        f"(下载|获取|请求|访问|打开) [文件|pdf|pdf文件] {PAGE} {{url}} [的] [内容]",
        "从 {url} 下载 [文件|pdf|pdf文件]",
        url="{url}",
        method_="GET",
    ),
    rule(
        "下载到",
        "Download",
        "[把|将] [文件] {url} (下载到|保存到) [文件|目录|文件夹] {to:folder}",
        url="{url}",
        method_="GET",
        save_to="{to}",
    ),
    rule(
        "用方法请求",
        "HTTPRequest",
        "[向|对|给] {url} (发送|发起|发) [一个] {method} [请求]",
        "(发送|发起|发) [一个] {method} 请求 (到|给) {url}",
        "[用|以] {method} (请求|方法请求|访问) {url}",
        "[向|对|给] {url} (发送|发起|发) [一个] {method} 请求 [,] (内容|数据|请求体|json) [为|是|:] {json}",
        "[用] {method} [把|将] {json} (发送|发|提交) (到|给) {url}",
        url="{url}",
        method="{method}",
        json_="{json}",
    ),
    rule(
        "提交数据",
        "HTTPRequest",
        "(把|将) {json} (发送|发|提交|post) (到|给) {url}",
        url="{url}",
        method="POST",
        json="{json}",
    ),
    *(Rule(f"方法{name}", (name,), reads="method", arguments={"value": name.upper()}) for name in METHODS),
)

RUN = "(运行|执行|跑) [一下] [这段|下面的|以下] [一段]"
PROGRAM = "(代码|脚本|程序)"
CODE = (
    rule(
        "运行Python",
        "CodeExecution",
        f"{RUN} {{code:python}}",
        f"{RUN} [python] {PROGRAM} [:] {{code:snippet}}",
        f"{RUN} python [{PROGRAM}] : {{code}}",
        f"用 python (运行|执行|跑) [这段|下面的|以下] [{PROGRAM}] [:] {{code:snippet}}",
        f"用 python (运行|执行|跑) [这段|下面的|以下] [{PROGRAM}] : {{code}}",
        language="python",
        code="{code}",
    ),
    rule(
        "运行JavaScript",
        "CodeExecution",
        f"{RUN} (javascript|js) [{PROGRAM}] [:] {{code:snippet}}",
        f"{RUN} (javascript|js) [{PROGRAM}] : {{code}}",
        f"用 (javascript|js) (运行|执行|跑) [这段|下面的|以下] [{PROGRAM}] [:] {{code:snippet}}",
        language=("javascript", "js"),
        code="{code}",
    ),
    Rule("代码", ("{c:quoted}",), reads="snippet", arguments={"value": "{c}"}),
    Rule("Python代码", ("python (代码|脚本|程序) [:] {c:quoted}",), reads="python", arguments={"value": "{c}"}),
)

RULES = (*WEB, *CODE)

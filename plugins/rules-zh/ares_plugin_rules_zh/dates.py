"""Dates, times and zones."""

from __future__ import annotations

from ares_core import Rule
from ares_plugin_rules_zh.documents import rule

WHEN = "(几点|几点钟|时间|什么时间|什么时候|日期|几号|星期几|周几|几月几号|什么日期)"
NOW = "(现在|目前|当前|此刻|今天|今日)"
WEEKDAY = "(星期几|周几|礼拜几)"
GAP = "[有|相差|差|隔|相隔|一共|一共有|总共|总共有]"
DATES = (
    rule(
        "现在",
        "DateTime",
        f"{NOW} [是] [的] {WHEN} [了]",
        "几点 [了|钟了]",
        operation="now",
    ),
    rule(
        "别处现在",
        "DateTime",
        f"{{zone}} [的] [{NOW}] [是] [的] {WHEN} [了]",
        f"[{NOW}] [在] {{zone}} [{NOW}] [是] [的] {WHEN} [了]",
        operation="now",
        zone="{zone}",
    ),
    rule(
        "另一天",
        "DateTime",
        f"{{shift:near}} [是] [的] {WHEN}",
        operation="add",
        value="today",
        amount="{shift}",
    ),
    rule(
        "日期信息",
        "DateTime",
        f"{{day}} [是|那天是|这天是] {WEEKDAY}",
        "解析 [日期|时间] {day}",
        "{day} 是 (第几周|哪一周|今年第几周)",
        operation="parse",
        value="{day}",
    ),
    rule(
        "日期格式",
        "DateTime",
        "[把|将] [日期] {day} (格式化|写|转|转换) (成|为) {form}",
        "[用|按] {form} [格式] (格式化|显示|输出) {day}",
        operation="format",
        value="{day}",
        format="{form}",
    ),
    rule(
        "换时区",
        "DateTime",
        "[把|将] {day} [从] {origin:zone} [时间] (转|转换|换|换算|转化) (成|为|到) {zone} [时间]",
        "[把|将] {origin:zone} [时间] [的] {day} (转|转换|换|换算|转化) (成|为|到) {zone} [时间]",
        "[把|将] {day} (转|转换|换|换算|转化) (成|为|到) {zone} [时间]",
        "{origin:zone} [时间] [的] {day} 是 {zone} [时间] [的] [几点|什么时间|什么时候]",
        operation="convert",
        value="{day}",
        zone="{zone}",
        from_zone_="{origin}",
    ),
    rule(
        "之后",
        "DateTime",
        f"{{day}} [的] {{span}} (后|之后|以后) [的] [是] [{WHEN}|哪天|哪一天]",
        f"{{day}} (加|加上|再过|过) {{span}} [后|之后] [是] [{WHEN}|哪天|哪一天]",
        "(给|把|将) {day} (加|加上) {span}",
        f"{{day}} (后|之后|以后) [的] [第] {{span}} [是] [{WHEN}|哪天|哪一天]",
        operation="add",
        value="{day}",
        amount="{span}",
    ),
    rule(
        "之前",
        "DateTime",
        f"{{day}} [的] {{span}} (前|之前|以前) [的] [是] [{WHEN}|哪天|哪一天]",
        f"{{day}} (前|之前|以前) [的] {{span}} [是] [{WHEN}|哪天|哪一天]",
        f"{{day}} (减|减去|往前推|往前) {{span}} [是] [{WHEN}|哪天|哪一天]",
        operation="add",
        value="{day}",
        amount="-{span}",
    ),
    rule(
        "从现在起",
        "DateTime",
        f"{{span}} (后|之后|以后) [的今天] [是] ({WHEN}|哪天|哪一天)",
        operation="add",
        value="now",
        amount="{span}",
    ),
    rule(
        "到现在为止",
        "DateTime",
        f"{{span}} (前|之前|以前) [的今天] [是] ({WHEN}|哪天|哪一天)",
        operation="add",
        value="now",
        amount="-{span}",
    ),
    rule(
        "日期之差",
        "DateTime",
        f"[从] {{a:day}} (到|至|和|与|跟) {{b:day}} [之间|间] {GAP} [多少|几] 天 [数]",
        "[从] {a:day} (到|至|和|与|跟) {b:day} [之间|间] [的] (相差|差|隔|相隔|间隔) [了] [多久|多长时间|天数|的天数]",
        f"{{a:day}} (距离|距) {{b:day}} [还] {GAP} [多少|几] 天",
        operation="diff",
        value="{a}",
        other="{b}",
    ),
    rule(
        "距离某天",
        "DateTime",
        f"(距离|距|离) {{b:day}} [还] {GAP} [多少|几] 天",
        f"到 {{b:day}} [还] {GAP} (多少|几) 天",
        operation="diff",
        value="today",
        other="{b}",
    ),
    rule(
        "自从某天",
        "DateTime",
        "[自|从|自从] {a:day} (以来|至今|到今天|到现在) [已经] [过了|过去了|有] [多少|几] 天 [了]",
        operation="diff",
        value="{a}",
        other="today",
    ),
    Rule("明天", ("(明天|明日)",), reads="near", arguments={"value": "P1D"}),
    Rule("昨天", ("(昨天|昨日)",), reads="near", arguments={"value": "-P1D"}),
    Rule("后天", ("后天",), reads="near", arguments={"value": "P2D"}),
    Rule("前天", ("前天",), reads="near", arguments={"value": "-P2D"}),
    Rule("日期样式", ("{p:quoted}", "{p:strftime}", "{p:stamp}"), reads="form", arguments={"value": "{p}"}),
    Rule("周数", ("(iso周|周数)",), reads="stamp", arguments={"value": "week"}),
    Rule("时间戳", ("(unix时间戳|时间戳|unix时间)",), reads="stamp", arguments={"value": "unix"}),
    Rule("标准格式", ("(iso|iso格式|iso 8601)",), reads="stamp", arguments={"value": "iso"}),
)

RULES = DATES

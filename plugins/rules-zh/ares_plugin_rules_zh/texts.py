"""Changing and counting text, and identifiers."""

from __future__ import annotations

from typing import Any

from ares_core import Rule

NOUN = "(字符串|文本|文字|单词|词|句子|短语|密码|字符|值|内容)"
TERM = f"({{text:term}}|{NOUN} [:] {{text}})"
TEXT = f"({{text}}|{NOUN} [:] {{text}})"
BY = "(用|使用|以|按|按照|采用)"
TO = "(转|转换|转化|变|改|换|写|变换|改写|转变|设置|处理)"
INTO = f"{TO} [成|为|成为|到]"


def strings(name: str, operation: str, *phrases: str, **arguments: Any) -> Rule:
    """Make a rule for an operation on a text."""
    return Rule(
        name,
        phrases,
        ("StringManipulation", "TextProcessing"),
        arguments={"operation": operation, "input": "{text}", **arguments},
    )


TURNED = tuple(
    "链 表 列 录 数组 串 字符串 树 栈 队列 图 屏幕 视频 音频 剧情 剧本 结局 情节 故事 顺序 次序 课堂 黑白 是非 人生 局 形势 趋势 方向 硬币 矩阵 "
    "决定 命运 魔咒 工程 代理 电流 极性 密码 角色 关系 身份 时间 历史 案件 乾坤 效果 现象 字 词 句 文件 编码 解码 大写 小写 哈希 得 太 新闻 真相 依赖 控制 电机 手术 术式 思维 疗法 录音".split()
)
"""反转的对象本身不是文字时出现的词。"""
OF = "[里|中|里面|当中] [的]"
ENDS = "(首尾|两端|前后|左右|两边|两侧|头尾|开头和结尾|首尾两端)"
SPACES = f"{ENDS} [多余] [的] (空格|空白|空白字符|空白符)"
REMOVE = "(去掉|去除|删除|移除|删掉|清除)"
STRINGS = (
    strings(
        "大写",
        "upper",
        f"[把|将] {TEXT} [全部|全|都] {INTO} (大写|大写字母|全大写|大写形式)",
        f"{TERM} [的] (大写|大写形式)",
        f"(大写|大写化) {TERM}",
        "(大写|大写化) {text:phrase}",
        f"{TEXT} {INTO} (大写|大写字母)",
    ),
    strings(
        "小写",
        "lower",
        f"[把|将] {TEXT} [全部|全|都] {INTO} (小写|小写字母|全小写|小写形式)",
        f"{TERM} [的] (小写|小写形式)",
        f"小写 {TERM}",
        "小写 {text:phrase}",
    ),
    strings(
        "去空格",
        "trim",
        f"{REMOVE} {TERM} {OF} {SPACES}",
        f"[把|将] {TERM} {OF} {SPACES} {REMOVE}",
    ),
    strings(
        "去所有空格",
        "replace",
        f"{REMOVE} {TERM} {OF} [所有|全部] [的] 空格",
        f"[把|将] {TERM} {OF} [所有|全部] [的] 空格 [全部|都] {REMOVE}",
        old=" ",
        new="",
    ),
    strings(
        "反转",
        "reverse",
        f"(反转|翻转|颠倒|倒转|逆转) {TERM}",
        f"[把|将] {TERM} (反转|翻转|颠倒|倒过来|倒序|逆序|反过来) [一下|输出|排列]",
        f"{TERM} [的] (反转|倒序|逆序|反写)",
    ),
    Rule(
        "反转文字",
        ("反转 {text}",),
        ("StringManipulation", "TextProcessing"),
        arguments={"operation": "reverse", "input": "{text}"},
        excludes=TURNED,
    ),
    strings(
        "长度",
        "length",
        f"{TERM} [的] (长度|字符数|字数|字符长度)",
        f"{TERM} 有 (多少|几) 个 (字符|字|字母)",
        f"{TERM} {OF} 有 (多少|几) 个 (字符|字|字母)",
        f"{TERM} (多长|有多长)",
        "(统计|数|数一下|求) [其] (字符数|字数|长度) {text:ref}",
        f"[统计] {TERM} {OF} (字符|字) [的] (个数|数量|数)",
    ),
    strings(
        "词数",
        "count",
        f"[统计|数|计算] {TERM} {OF} (单词数|词数|单词个数|单词数量|单词的个数|单词的数量)",
        f"{TERM} {OF} 有 (多少|几) 个 (单词|词)",
        f"[数] {TERM} 有 (多少|几) 个 (单词|词)",
        "(统计|数|数一下) [其中|里面] [的] (单词数|词数|单词个数|单词数量) {text:ref}",
        unit="words",
    ),
    strings(
        "替换",
        "replace",
        "[把|将] {text:quoted} (中|里|里面|当中) 的 {old:片段} (替换|换|改) [成|为|成为] {new:片段}",
        "(把|将) {text:quoted} [中|里] [的] [所有] {old:片段} (替换|换|改) (成|为) {new:片段}",
        old="{old}",
        new="{new}",
    ),
    strings(
        "包含",
        "contains",
        "{text:quoted} [中|里] (是否包含|包含|有没有|是否含有|包不包含|含有) {search:quoted}",
        search="{search}",
    ),
    strings(
        "重复",
        "repeat",
        "[把|将] {text:term} 重复 {times:count} (次|遍)",
        "重复 {text:term} {times:count} (次|遍)",
        times="{times}",
    ),
    strings(
        "截取", "substring", f"[截取|取|提取] {TERM} [的] 前 {{end:count}} [个|位] (字符|字|字母)", start=0, end="{end}"
    ),
    strings(
        "分割",
        "split",
        f"[把|将] {TEXT} {BY} {{delimiter:sign}} (分割|拆分|切分|分开|隔开) [开]",
        delimiter="{delimiter}",
    ),
    strings("标题大小写", "title", f"[把|将] {TEXT} {INTO} (标题格式|标题大小写|每个单词首字母大写|单词首字母大写)"),
    strings(
        "首字母大写",
        "capitalize",
        f"[把|将] {TEXT} [的] 首字母 [{TO}] [成|为] 大写",
        f"{TEXT} [的] 首字母 大写",
    ),
    strings(
        "行数",
        "count",
        f"[统计|数|计算] {TERM} {OF} (行数)",
        f"{TERM} {OF} 有 (多少|几) 行",
        "(统计|数|数一下) [其] 行数 {text:ref}",
        unit="lines",
    ),
    strings(
        "出现次数",
        "count",
        "[统计|数|计算] {search:quoted} 在 {text:quoted} [中|里|里面] 出现 [了] [的] (次数|多少次|几次)",
        "{text:quoted} [中|里|里面] 有 (多少|几) 个 {search:quoted}",
        "{text:quoted} [中|里|里面] {search:片段} 出现 [了] [的] (次数|多少次|几次)",
        unit="occurrences",
        search="{search}",
    ),
    strings(
        "开头是",
        "starts_with",
        "{text:quoted} (是否|是不是) 以 {search:quoted} (开头|开始)",
        search="{search}",
    ),
    strings(
        "结尾是",
        "ends_with",
        "{text:quoted} (是否|是不是) 以 {search:quoted} (结尾|结束)",
        search="{search}",
    ),
    strings(
        "截取一段",
        "substring",
        f"[截取|取|提取] {TERM} [的] 第 {{start:index}} (到|至|-) [第] {{end:count}} [个] (字符|字|字母)",
        start="{start}",
        end="{end}",
    ),
    strings(
        "补齐",
        "pad",
        f"[把|将] {TERM} (补齐|填充|补足|补) (到|至|成|为) {{length:count}} (位|个字符|个字)",
        f"[把|将] {TERM} 用 {{fill:sign}} (补齐|填充|补足|补) (到|至|成|为) {{length:count}} (位|个字符|个字)",
        length="{length}",
        **{"fill?": "{fill}"},
    ),
    strings(
        "截短",
        "truncate",
        f"[把|将] {TERM} (截断|截短|缩短|裁剪) (到|至|成|为) {{length:count}} (个字符|个字|位|字)",
        length="{length}",
    ),
    Rule(
        "连接",
        (
            "[把|将] {texts} (用|以) {by:sign} (连接|拼接|连|合并|拼) [起来|在一起|成一个字符串]",
            "(用|以) {by:sign} (连接|拼接|合并) {texts}",
            "(把|将) {texts:refs} (用|以) {by:sign} (连接|拼接|连|合并|拼) [起来|在一起]",
            "(用|以) {by:sign} [把|将] {texts:refs} (连接|拼接|连|合并|拼) [起来|在一起]",
        ),
        ("StringManipulation", "TextProcessing"),
        arguments={"operation": "join", "join_items": "{texts}", "delimiter": "{by}"},
    ),
    Rule(
        "拼接",
        (
            "[把|将] {texts} (连接|拼接|连|合并|拼) (起来|在一起|成一个字符串)",
            "(拼接|连接) {texts}",
            "[把|将] {texts:refs} (连接|拼接|连|合并|拼) (起来|在一起)",
        ),
        ("StringManipulation", "TextProcessing"),
        arguments={"operation": "join", "join_items": "{texts}", "delimiter": ""},
    ),
    Rule("引号内容", ("{p:quoted}", "{p:word}"), reads="片段", arguments={"value": "{p}"}),
    Rule("引号符号", ("{p:quoted}",), reads="sign", arguments={"value": "{p}"}),
    Rule("逗号", ("(逗号|,)",), reads="sign", arguments={"value": ","}),
    Rule("空格", ("(空格|空白)",), reads="sign", arguments={"value": " "}),
    Rule("分号", ("分号",), reads="sign", arguments={"value": ";"}),
)

MAKE = "(生成|产生|创建|新建|来|要|需要|给我|造|弄|搞|制作|获取)"
IDENTIFIERS = (
    Rule(
        "随机标识",
        (
            "[新的] [随机] [的] (uuid|guid)",
            "uuid v4",
            "uuid4",
            "uuidv4",
            "[全局] [唯一|随机] [的] (id|标识|标识符|编号|识别码|标识码)",
        ),
        reads="random_id",
    ),
    Rule("有序标识", ("uuid7", "uuidv7", "uuid v7", "有序 [的] uuid"), reads="ordered_id"),
    Rule(
        "生成UUID",
        (f"[随机] {MAKE} [{{count}}] [个|条|串] {{id:random_id}}", "{count} 个 {id:random_id}"),
        ("IDGeneration",),
        arguments={"operation?": ("generate_uuid", "uuid", "uuid4"), "count?": "{count}"},
        excludes=("v7", "短"),
    ),
    Rule(
        "生成有序UUID",
        (f"{MAKE} [{{count}}] [个|条|串] {{id:ordered_id}}",),
        ("IDGeneration",),
        arguments={"type": ("uuid7", "uuidv7"), "count?": "{count}"},
    ),
    Rule(
        "生成ULID",
        (f"{MAKE} [{{count}}] [个|条] ulid",),
        ("IDGeneration",),
        arguments={"type": "ulid", "count?": "{count}"},
    ),
    Rule(
        "生成NanoID",
        (f"{MAKE} [{{count}}] [个|条] (nanoid|nano id)",),
        ("IDGeneration",),
        arguments={"type": "nanoid", "count?": "{count}"},
    ),
    Rule(
        "生成短标识",
        (f"{MAKE} [{{count}}] [个|条] [随机] 短 (id|标识|标识符)",),
        ("IDGeneration",),
        arguments={"operation": ("generate_short_id", "short"), "count?": "{count}"},
    ),
)

RULES = (*STRINGS, *IDENTIFIERS)

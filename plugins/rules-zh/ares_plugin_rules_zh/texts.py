"""Hashing, Base64, changing and counting text, and identifiers."""

from __future__ import annotations

from typing import Any

from ares_core import Rule

NOUN = "(字符串|文本|文字|单词|词|句子|短语|密码|字符|值|内容)"
TERM = f"({{text:term}}|{NOUN} [:] {{text}})"
TEXT = f"({{text}}|{NOUN} [:] {{text}})"
DIGESTS = {
    "md5": "md5|md5值",
    "sha1": "sha1|sha-1|sha 1",
    "sha224": "sha224|sha-224",
    "sha256": "sha256|sha-256|sha 256",
    "sha384": "sha384|sha-384",
    "sha512": "sha512|sha-512|sha 512",
    "sha3_256": "sha3-256|sha3",
    "blake2b": "blake2b|blake2",
    "crc32": "crc32|crc-32",
}
VALUE = "[哈希|散列|摘要|校验和|校验码|哈希值|散列值|摘要值|哈希码|值]"
BY = "(用|使用|以|按|按照|采用)"
TO = "(转|转换|转化|变|改|换|写|变换|改写|转变|设置|处理)"
INTO = f"{TO} [成|为|成为|到]"


def digest(name: str, spellings: str) -> Rule:
    """Make a rule for the spellings of a digest."""
    return Rule(name, (f"({spellings})",), reads="digest", arguments={"value": name})


def hashing(name: str, *phrases: str, **arguments: Any) -> Rule:
    """Make a rule for a digest of a text."""
    return Rule(name, phrases, ("Hashing",), arguments=arguments)


def strings(name: str, operation: str, *phrases: str, **arguments: Any) -> Rule:
    """Make a rule for an operation on a text."""
    return Rule(
        name,
        phrases,
        ("StringManipulation", "TextProcessing"),
        arguments={"operation": operation, "input": "{text}", **arguments},
    )


HASHES = (
    *(digest(name, spellings) for name, spellings in DIGESTS.items()),
    hashing(
        "文本摘要",
        f"{TEXT} [的] {{digest}} {VALUE}",
        f"{{digest}} {VALUE} [:] {TERM}",
        f"[对|把|将|给] {TEXT} [做|进行|作] {{digest}} [哈希|加密|散列|摘要|编码|运算|计算|处理]",
        f"[把|将|对] {TEXT} {BY} {{digest}} [来] [哈希|加密|散列|摘要|编码|做哈希]",
        f"{BY} {{digest}} (哈希|加密|散列|计算|处理) {TEXT}",
        f"{BY} {{digest}} [算法] [对|把|将|给] {TEXT} [做|进行] [哈希|加密|散列|摘要]",
        operation="{digest}",
        input="{text}",
    ),
    hashing(
        "文本哈希",
        f"{TERM} [的] (哈希|散列|摘要|校验) [值|码|和]",
        f"[对|把|将|给] {TEXT} [做|进行] (哈希|散列) [运算|计算|处理]",
        f"(哈希|散列) {TERM}",
        operation="sha256",
        input="{text}",
    ),
    hashing("文件摘要", f"[文件] {{path}} [文件] [的] {{digest}} {VALUE}", operation="{digest}", path="{path}"),
    hashing(
        "文件哈希", "[文件] {path} [文件] [的] (哈希|散列|摘要|校验) [值|码|和]", operation="sha256", path="{path}"
    ),
    hashing(
        "校验摘要",
        f"[验证|校验|检查|判断] {TEXT} [的] {{digest}} {VALUE} (是不是|是否是|是否为|是否等于|等于|是|为|是否等于) {{expected:hex}}",
        f"{{expected:hex}} (是不是|是否是|是否为|是) {TEXT} 的 {{digest}} {VALUE}",
        operation="verify",
        input="{text}",
        expected="{expected}",
        **{"algorithm?": "{digest}"},
    ),
)

B64 = "(base64|base-64|base 64)"
BASE64 = (
    Rule(
        "Base64编码",
        (
            f"[把|将|对|给] {TEXT} [用|使用|以|按|按照] [做|进行] {B64} [来] [进行] (编码|加密|编一下码)",
            f"{TEXT} [的] {B64} [编码] [值|结果]",
            f"[把|将] {TEXT} {INTO} {B64} [编码|格式]",
            f"{B64} (编码|加密) [:] {TEXT}",
            f"[把|将|对] {TEXT} 编码 (成|为) {B64}",
            f"(编码|加密) {TEXT} (成|为) {B64}",
            f"{BY} {B64} (编码|加密) {TEXT}",
        ),
        ("Base64",),
        arguments={"operation": "base64_encode", "input": "{text}"},
    ),
    Rule(
        "Base64解码",
        (
            f"[把|将|对|给] [{B64}] [编码] [的] {TEXT} [用|使用] [做|进行] [{B64}] [进行] (解码|解密)",
            f"{B64} (解码|解密) [:] {TEXT}",
            f"(解码|解密) {B64} [编码|字符串] [的] {TEXT}",
            f"{BY} {B64} (解码|解密) {TEXT}",
        ),
        ("Base64",),
        arguments={"operation": "base64_decode", "input": "{text}"},
    ),
)

OF = "[里|中|里面|当中] [的]"
SPACES = "[首尾|两端|前后|左右|两边|两侧|头尾|开头和结尾|首尾两端] [多余] [的] (空格|空白|空白字符|空白符)"
STRINGS = (
    strings(
        "大写",
        "upper",
        f"[把|将] {TEXT} [全部|全|都] {INTO} (大写|大写字母|全大写|大写形式)",
        f"{TERM} [的] (大写|大写形式)",
        f"(大写|大写化) {TEXT}",
        f"{TEXT} {INTO} (大写|大写字母)",
    ),
    strings(
        "小写",
        "lower",
        f"[把|将] {TEXT} [全部|全|都] {INTO} (小写|小写字母|全小写|小写形式)",
        f"{TERM} [的] (小写|小写形式)",
        f"小写 {TEXT}",
    ),
    strings(
        "去空格",
        "trim",
        f"(去掉|去除|删除|移除|删掉|清除) {TERM} {OF} {SPACES}",
        f"[把|将] {TERM} {OF} {SPACES} (去掉|去除|删除|移除|删掉|清除)",
    ),
    strings(
        "反转",
        "reverse",
        f"(反转|翻转|颠倒|倒转|逆转) {TERM}",
        f"[把|将] {TERM} (反转|翻转|颠倒|倒过来|倒序|逆序|反过来) [一下|输出|排列]",
        f"{TERM} [的] (反转|倒序|逆序|反写)",
    ),
    strings(
        "长度",
        "length",
        f"{TERM} [的] (长度|字符数|字数|字符长度)",
        f"{TERM} 有 (多少|几) 个 (字符|字|字母)",
        f"{TERM} (多长|有多长)",
        f"[统计] {TERM} {OF} (字符|字) [的] (个数|数量|数)",
    ),
    strings(
        "词数",
        "count",
        f"[统计|数|计算] {TERM} {OF} (单词数|词数|单词个数|单词数量|单词的个数|单词的数量)",
        f"{TERM} {OF} 有 (多少|几) 个 (单词|词)",
        f"[数] {TERM} 有 (多少|几) 个 (单词|词)",
        unit="words",
    ),
    strings(
        "替换",
        "replace",
        "[把|将] {text:quoted} (中|里|里面|当中) 的 {old:piece} (替换|换|改) [成|为|成为] {new:piece}",
        "(把|将) {text:quoted} [中|里] [的] [所有] {old:piece} (替换|换|改) (成|为) {new:piece}",
        old="{old}",
        new="{new}",
    ),
    strings(
        "包含",
        "contains",
        "{text:quoted} [中|里] (是否包含|包含|有没有|是否含有|包不包含|含有) {search:quoted}",
        search="{search}",
    ),
    strings("重复", "repeat", "[把|将] {text:term} 重复 {times:count} (次|遍)", times="{times}"),
    strings(
        "截取", "substring", f"[截取|取|提取] {TERM} [的] 前 {{end:count}} [个|位] (字符|字|字母)", start=0, end="{end}"
    ),
    strings(
        "分割",
        "split",
        f"[把|将] {TEXT} {BY} {{delimiter:sign}} (分割|拆分|切分|分开|隔开) [开]",
        delimiter="{delimiter}",
    ),
    Rule("引号内容", ("{p:quoted}", "{p:word}"), reads="piece", arguments={"value": "{p}"}),
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
        (f"{MAKE} [{{count}}] [个|条|串] {{id:random_id}}", "{count} 个 {id:random_id}"),
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
        "生成短标识",
        (f"{MAKE} [{{count}}] [个|条] [随机] 短 (id|标识|标识符)",),
        ("IDGeneration",),
        arguments={"operation": ("generate_short_id", "short"), "count?": "{count}"},
    ),
)

RULES = (*HASHES, *BASE64, *STRINGS, *IDENTIFIERS)

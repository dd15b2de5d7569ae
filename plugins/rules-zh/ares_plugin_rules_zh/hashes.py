"""Hashing and Base64 in Chinese words."""

from __future__ import annotations

from typing import Any

from ares_core import Rule
from ares_plugin_rules_zh.texts import BY, INTO, TERM, TEXT

DIGESTS = {
    "md5": "md5|md5值",
    "sha1": "sha1|sha-1|sha 1",
    "sha224": "sha224|sha-224",
    "sha256": "sha256|sha-256|sha 256",
    "sha384": "sha384|sha-384",
    "sha512": "sha512|sha-512|sha 512",
    "sha3_224": "sha3-224",
    "sha3_256": "sha3-256|sha3",
    "sha3_384": "sha3-384",
    "sha3_512": "sha3-512",
    "blake2b": "blake2b|blake2",
    "blake2s": "blake2s",
    "crc32": "crc32|crc-32",
}
VALUE = "[哈希|散列|摘要|校验和|校验码|哈希值|散列值|摘要值|哈希码|值]"


def digest(name: str, spellings: str) -> Rule:
    """Make a rule for the spellings of a digest."""
    return Rule(name, (f"({spellings})",), reads="digest", arguments={"value": name})


def hashing(name: str, *phrases: str, **arguments: Any) -> Rule:
    """Make a rule for a digest of a text."""
    return Rule(name, phrases, ("Hashing",), arguments=arguments)


HASHES = (
    *(digest(name, spellings) for name, spellings in DIGESTS.items()),
    hashing(
        "文本摘要",
        f"{TEXT} [的] {{digest}} {VALUE}",
        f"{{digest}} {VALUE} [:] {TERM}",
        f"[对|把|将|给] {TEXT} [做|进行|作] {{digest}} [哈希|加密|散列|摘要|编码|运算|计算|处理]",
        f"[把|将|对] {TEXT} {BY} {{digest}} [来] [哈希|加密|散列|摘要|编码|做哈希]",
        f"{BY} {{digest}} (哈希|加密|散列|计算|处理) {TEXT}",
        f"(哈希|散列|hash) {TEXT} {BY} {{digest}}",
        f"{BY} {{digest}} [算法] [对|把|将|给] {TEXT} [做|进行] [哈希|加密|散列|摘要]",
        operation="{digest}",
        input="{text}",
    ),
    hashing(
        "空文本摘要",
        f"空 (字符串|文本|串) [的] {{digest}} {VALUE}",
        operation="{digest}",
        input="",
    ),
    hashing(
        "文本哈希",
        f"{TERM} [的] (哈希|散列|摘要|校验) [值|码|和]",
        f"[对|把|将|给] {TEXT} [做|进行] (哈希|散列) [运算|计算|处理]",
        f"(哈希|散列) {TERM}",
        operation="sha256",
        input="{text}",
    ),
    hashing(
        "密钥摘要",
        f"[用|使用] 密钥 {{key:quoted}} [计算|求|对] {TEXT} [的] hmac [值]",
        f"{TEXT} [的] hmac [值] [,] [用|使用] 密钥 [是|为|:] {{key:quoted}}",
        f"[用|使用] 密钥 {{key:quoted}} [对] {TEXT} [做|进行] hmac [签名|运算|计算]",
        operation="hmac",
        input="{text}",
        key="{key}",
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

SAFE = "(base64url|base64-url|base64 url|url安全的base64)"
SAFE64 = (
    Rule(
        "Base64url编码",
        (
            f"[把|将|对|给] {TEXT} [用|使用|以|按] [做|进行] {SAFE} [来] [进行] (编码|加密)",
            f"{TEXT} [的] {SAFE} [编码] [值|结果]",
            f"{SAFE} (编码|加密) [:] {TEXT}",
        ),
        ("Base64",),
        arguments={"operation": "base64url_encode", "input": "{text}"},
        excludes=("解码", "解密"),
    ),
    Rule(
        "Base64url解码",
        (
            f"[把|将|对|给] {TEXT} [用|使用] [做|进行] {SAFE} [进行] (解码|解密)",
            f"{SAFE} (解码|解密) [:] {TEXT}",
            f"(解码|解密) {SAFE} [编码|字符串] [的] {TEXT}",
        ),
        ("Base64",),
        arguments={"operation": "base64url_decode", "input": "{text}"},
    ),
)

RULES = (*HASHES, *BASE64, *SAFE64)

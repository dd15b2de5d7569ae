"""Digests and Base64 in English words."""

from __future__ import annotations

from typing import Any

from ares_core import Rule
from ares_plugin_rules_en.texts import TERM, TEXT, named

DIGESTS = {
    "md5": "md5|md-5",
    "sha1": "sha1|sha-1|sha 1",
    "sha224": "sha224|sha-224",
    "sha256": "sha256|sha-256|sha 256|sha2",
    "sha384": "sha384|sha-384",
    "sha512": "sha512|sha-512|sha 512",
    "sha3_224": "sha3-224|sha3_224",
    "sha3_256": "sha3-256|sha3_256|sha3",
    "sha3_384": "sha3-384|sha3_384",
    "sha3_512": "sha3-512|sha3_512",
    "blake2b": "blake2b|blake2",
    "blake2s": "blake2s",
    "crc32": "crc32|crc-32|crc",
}
SUM = "[hash|digest|checksum|hash value|hashsum|sum]"
KEY = "(with|using|and) [a] [secret] (key|secret) {key:quoted}"
TALK = tuple(
    "vs versus or length size algorithm algorithms collision collisions attack attacks table tables implementation "
    "function functions security secure broken format output example examples vulnerability library bits".split()
)
NOT_HASHES = tuple(
    "browns brown tag tags table tables map maps house oil function functions rate key keys length size".split()
)


def digest(name: str, spellings: str) -> Rule:
    """Make a rule for the spellings of a digest."""
    return Rule(name, (f"({spellings})",), reads="digest", arguments={"value": name})


def hashing(name: str, *phrases: str, excludes: tuple[str, ...] = (), **arguments: Any) -> Rule:
    """Make a rule for a digest of a text; the names of optional arguments end in an underscore."""
    return Rule(name, phrases, ("Hashing",), arguments=named(arguments), excludes=excludes)


HASHES = (
    *(digest(name, spellings) for name, spellings in DIGESTS.items()),
    hashing(
        "digest of a text",
        f"{{digest}} {SUM} (of|for|from) {TEXT}",
        f"hash {TEXT} (with|using|by|in|to|as|into) {{digest}}",
        "{text:ref} {digest} [hash|digest|checksum]",
        f"(hash|digest|checksum) (of|for) {TEXT} (with|using|by|in|as) {{digest}}",
        f"{TEXT} hashed (with|using|in|by) {{digest}}",
        operation="{digest}",
        input="{text}",
    ),
    hashing(
        "digest and a text",
        f"{{digest}} {SUM} {TERM}",
        excludes=TALK,
        operation="{digest}",
        input="{text}",
    ),
    hashing(
        "digest of nothing",
        f"{{digest}} {SUM} (of|for) [an] empty (string|text|input)",
        operation="{digest}",
        input="",
    ),
    hashing(
        "hash of a text",
        f"hash {TERM}",
        f"hash (of|for) {TERM}",
        "(digest|checksum|fingerprint) (of|for) {text:quoted}",
        "{text:ref} (hash|checksum|digest)",
        excludes=NOT_HASHES,
        operation="sha256",
        input="{text}",
    ),
    hashing(
        "digest of a file",
        f"{{digest}} {SUM} [of|for] [file] {{path}}",
        "hash [file] {path} (with|using) {digest}",
        operation="{digest}",
        path="{path}",
    ),
    hashing(
        "keyed digest",
        f"hmac (of|for) {TEXT} {KEY}",
        f"(hmac|sign) {TEXT} {KEY}",
        f"hmac [with|using] {{digest}} (of|for) {TEXT} {KEY}",
        f"hmac (of|for) {TEXT} {KEY} (with|using|and|in) {{digest}}",
        operation="hmac",
        input="{text}",
        key="{key}",
        algorithm_="{digest}",
    ),
    hashing(
        "hash of a file",
        "hash [file] {path}",
        "(hash|digest|checksum) (of|for) [file] {path}",
        operation="sha256",
        path="{path}",
    ),
    hashing(
        "verify a digest",
        f"[is] {{digest}} {SUM} of {TEXT} [is] (equal to|equals|=|==|same as|identical to) {{expected:hex}}",
        f"is {{digest}} {SUM} of {TERM} {{expected:hex}}",
        f"(verify|check|confirm) (that|whether|if) {{digest}} {SUM} of {TEXT} (is|equals|matches|is equal to|=) {{expected:hex}}",
        f"does {{digest}} {SUM} of {TEXT} (match|equal) {{expected:hex}}",
        f"(verify|check|confirm) (that|whether|if) {{expected:hex}} is {{digest}} {SUM} (of|for) {TEXT}",
        f"(verify|check) {{digest}} {SUM} {{expected:hex}} (of|for|against) {TEXT}",
        f"is {{expected:hex}} {{digest}} {SUM} of {TEXT}",
        f"does {TEXT} (hash|have {{digest}} {SUM}) (to|of|) {{expected:hex}}",
        operation="verify",
        input="{text}",
        expected="{expected}",
        algorithm_="{digest}",
    ),
)

B64 = "(base64|base-64|base 64|b64)"
BASE64 = (
    Rule(
        "base64 encode",
        (
            f"{B64} [-] (encode|encoded) [of|for] {TEXT}",
            f"{B64} [-] encoding ((of|for) {TEXT}|{{text:quoted}})",
            f"encode {TEXT} (in|to|into|as|with|using) {B64} [encoding|format]",
            f"{B64} (of|for) {TEXT}",
            f"(convert|turn|change|transform) {TEXT} (to|into) {B64}",
            f"{TEXT} (in|as|to) {B64}",
            f"{{text:ref}} {B64} [encoding]",
        ),
        ("Base64",),
        arguments={"operation": "base64_encode", "input": "{text}"},
        excludes=("decode", "decoded", "image", "images"),
    ),
    Rule(
        "base64 and a text",
        (f"{B64} {TERM}",),
        ("Base64",),
        arguments={"operation": "base64_encode", "input": "{text}"},
        excludes=("decode", "decoded", "image", "images", "encoding"),
    ),
    Rule(
        "base64 decode",
        (
            f"{B64} [-] (decode|decoding|decoded) [of|for] {TEXT}",
            f"decode {TEXT} (from|as|with|using) {B64}",
            f"decode [this|following] {B64} [string|text|value] [:] {TEXT}",
            f"(convert|turn) {TEXT} from {B64} [to text]",
            "decode {text:ref} [again]",
        ),
        ("Base64",),
        arguments={"operation": "base64_decode", "input": "{text}"},
    ),
)

SAFE = "(base64url|base64-url|base64 url|url-safe base64|url safe base64)"
SAFE64 = (
    Rule(
        "base64url encode",
        (
            f"{SAFE} [-] (encode|encoding|encoded) [of|for] {TEXT}",
            f"encode {TEXT} (in|to|into|as|with|using) {SAFE} [encoding|format]",
            f"{SAFE} (of|for) {TEXT}",
            f"(convert|turn|change|transform) {TEXT} (to|into) {SAFE}",
        ),
        ("Base64",),
        arguments={"operation": "base64url_encode", "input": "{text}"},
        excludes=("decode", "decoded"),
    ),
    Rule(
        "base64url decode",
        (
            f"{SAFE} [-] (decode|decoding|decoded) [of|for] {TEXT}",
            f"decode {TEXT} (from|as|with|using) {SAFE}",
            f"decode {SAFE} [string|text|value] {TEXT}",
        ),
        ("Base64",),
        arguments={"operation": "base64url_decode", "input": "{text}"},
    ),
)

RULES = (*HASHES, *BASE64, *SAFE64)

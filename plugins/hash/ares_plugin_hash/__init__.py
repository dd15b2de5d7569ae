"""The tool ``hash_tool``: digests, HMAC, checksums and Base64 of a text or a file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ares_core import Capability, Effects, Result, Tool, ToolContext, counted, hookimpl

LONGEST_INPUT = 1_000_000
PARAMETERS: dict[str, Any] = {
    "type": "object",
    "properties": {
        "operation": {
            "type": "string",
            "maxLength": 40,
            "description": "What to do. A digest by its name: md5, sha1, sha224, sha256, sha384, sha512, sha3_224, "
            "sha3_256, sha3_384, sha3_512, blake2b, blake2s, crc32 (spellings such as SHA-256 are understood); hash "
            "(digest named by 'algorithm'); hmac (with 'key'); verify (compare with 'expected'); base64_encode, "
            "base64_decode, base64url_encode, base64url_decode.",
        },
        "input": {
            "type": "string",
            "maxLength": LONGEST_INPUT,
            "description": "The text, taken as UTF-8 exactly as it stands; may be empty.",
        },
        "text": {"type": "string", "maxLength": LONGEST_INPUT, "description": "Another name of 'input'."},
        "path": {
            "type": "string",
            "minLength": 1,
            "maxLength": 4096,
            "description": "A file to read instead of 'input'; Base64 takes files of up to 1 MB.",
        },
        "algorithm": {
            "type": "string",
            "maxLength": 40,
            "description": "For hash and hmac (sha256 if left out), and for verify (recognised by the length of "
            "'expected' if left out).",
        },
        "expected": {
            "type": "string",
            "maxLength": 300,
            "description": "For verify: the digest in hexadecimal, in either case, as it is or as 'sha256:…'.",
        },
        "key": {
            "type": "string",
            "maxLength": 10_000,
            "writeOnly": True,
            "description": "For hmac, and for verifying an HMAC: the secret key, taken as UTF-8.",
        },
    },
    "required": ["operation"],
    # Not "anyOf": providers refuse it at the top level, and its error would not name what is missing.
    "if": {"not": {"anyOf": [{"required": ["text"]}, {"required": ["path"]}]}},
    "then": {"required": ["input"]},
    "additionalProperties": False,
}
EXAMPLES = (
    {"operation": "sha256", "input": "hello"},
    {"operation": "base64_encode", "input": "hello world"},
    {"operation": "verify", "input": "hello", "expected": "5d41402abc4b2a76b9719d911017c592"},
    {"operation": "hmac", "algorithm": "sha512", "key": "secret", "input": "hello"},
)
ON_TEXT = Effects(read_only=True, destructive=False, idempotent=True, open_world=False)
ON_A_FILE = Effects(
    read_only=True, destructive=False, idempotent=True, open_world=False, resources=("file:{path}",)
)  # fmt: skip


def effects(arguments: Mapping[str, Any]) -> Effects:
    """Say what a call touches: a file only if it names one."""
    return ON_A_FILE if arguments.get("path") else ON_TEXT


async def execute(arguments: Mapping[str, Any], context: ToolContext) -> dict[str, Any]:
    """Run one operation; a file, which may be large, is read in a thread."""
    from ares_plugin_hash.operations import run

    if not arguments.get("path"):
        return run(arguments, context)
    import asyncio

    return await asyncio.to_thread(run, arguments, context)


@hookimpl
def register_tools() -> list[Tool]:
    """Bring ``hash_tool``."""
    return [
        Tool(
            "hash_tool",
            "Compute or verify a digest (MD5, SHA-1, SHA-2, SHA-3, BLAKE2, CRC-32) or an HMAC of a text or a file, or "
            "encode and decode Base64. Digests are lower-case hexadecimal. MD5, SHA-1 and CRC-32 don't protect "
            "against deliberate changes.",
            PARAMETERS,
            execute,
            capabilities=("Hashing", "Base64"),
            effects=effects,
            examples=EXAMPLES,
            cost=1,
            latency_ms=1,
            deterministic=True,
        )
    ]


@hookimpl
def declare_capabilities() -> list[Capability]:
    """Declare hashing and Base64: from a text or a file to a text."""
    hashing = ("md5", "sha1", "sha256", "sha512", "hash", "digest", "checksum", "哈希", "散列", "摘要")
    coding = ("base64", "encode", "decode", "编码", "解码")
    return [
        Capability("Hashing", aliases=hashing, inputs=("Text", "File"), outputs=("Text",)),
        Capability("Base64", aliases=coding, inputs=("Text", "File"), outputs=("Text",)),
    ]


@hookimpl
def format_result(result: Result) -> str | None:
    """Give the digest or the text by itself; for verify the verdict in words."""
    data = result.data
    if not result.success or "output" not in data:
        return None
    if data.get("operation") == "verify":
        return _verdict(data)
    if data.get("encoding") == "hex":
        return f"{counted(data['bytes'], 'byte')}, no UTF-8 text, in hexadecimal: {data['output']}"
    return str(data["output"]) or "(the empty text)"


def _verdict(data: Mapping[str, Any]) -> str:
    if data["output"]:
        return f"match: the {data.get('algorithm', '')} digest is the expected one"
    found = "".join(f"; {name} is {digest}" for name, digest in data.get("digests", {}).items())
    return f"no match: {data.get('expected', '')} is not the {' or '.join(data.get('tried', ()))} digest{found}"

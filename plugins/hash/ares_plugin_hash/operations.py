"""What ``hash_tool`` does, by the name of the operation."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ares_core import ToolContext, ToolError
from ares_plugin_hash import base64_text, digests

LONGEST_ECHO = 200
LARGEST_FILE_FOR_BASE64 = 1_000_000
CHUNK = 1_048_576
OPERATIONS = (*digests.ALGORITHMS, "hash", "hmac", "verify", *base64_text.OPERATIONS)


def run(arguments: Mapping[str, Any], context: ToolContext) -> dict[str, Any]:
    """Run the operation that the arguments name."""
    operation = digests.legal_name(arguments["operation"], OPERATIONS, "operation")
    source = _source(arguments)
    if operation in base64_text.OPERATIONS:
        data = base64_text.convert(operation, _whole(arguments, context))
    elif operation == "verify":
        data = _verify(arguments, context)
    else:
        data = _digest(operation, arguments, context)
    return {"operation": operation, **data, **source}


def _source(arguments: Mapping[str, Any]) -> dict[str, str]:
    """Give what the result says of its source: the file, or the text if it is short."""
    given = [name for name in ("input", "text", "path") if name in arguments]
    if len(given) > 1:
        raise _refusal(f"{' and '.join(given)} are both given, and only one can be read", "leave the others out")
    value: str = arguments[given[0]]
    if given == ["path"]:
        return {"path": value}
    return {"input": value} if len(value) <= LONGEST_ECHO else {}


def _digest(operation: str, arguments: Mapping[str, Any], context: ToolContext) -> dict[str, Any]:
    name = _algorithm(operation, arguments)
    key = _key(operation, arguments)
    return {"algorithm": name, "output": digests.compute([name], _chunks(arguments, context), key)[name]}


def _algorithm(operation: str, arguments: Mapping[str, Any]) -> str:
    given = arguments.get("algorithm")
    named = None if given is None else digests.legal_name(given, digests.ALGORITHMS, "algorithm")
    if operation in ("hash", "hmac"):
        return named or "sha256"
    if named and named != operation:
        raise _refusal(f"the operation is {operation} but the algorithm {named}", "leave the algorithm out")
    return operation


def _key(operation: str, arguments: Mapping[str, Any]) -> bytes | None:
    key = arguments.get("key")
    if operation == "hmac" and not key:
        raise _refusal("hmac needs a key", "give 'key'")
    if operation not in ("hmac", "verify") and key is not None:
        raise _refusal(f"{operation} takes no key", "use the operation hmac, with 'algorithm'")
    return digests.utf8(key, "key") if key else None


def _verify(arguments: Mapping[str, Any], context: ToolContext) -> dict[str, Any]:
    if not arguments.get("expected"):
        raise _refusal("verify needs a digest to compare with", "give 'expected'")
    expected, tried = digests.expectation(arguments["expected"], arguments.get("algorithm"))
    key = _key("verify", arguments)
    found = digests.compute(tried, _chunks(arguments, context), key)
    fitting = [name for name in tried if digests.equal(found[name], expected)]
    verdict = {"algorithm": fitting[0] if fitting else tried[0], "output": bool(fitting), "expected": expected}
    if fitting:
        return verdict
    # The right HMAC is not told to whoever brings a wrong one: it would let them forge.
    return {**verdict, "tried": list(tried), **({} if key else {"digests": found})}


def _chunks(arguments: Mapping[str, Any], context: ToolContext) -> Iterator[bytes]:
    if "path" not in arguments:
        yield digests.utf8(arguments.get("input", arguments.get("text")), "text")
        return
    path = arguments["path"]
    try:
        with context.files.open(path) as file:
            while chunk := file.read(CHUNK):
                if context.cancelled:
                    raise ToolError("nobody waits for the digest any more", blame="world")
                yield chunk
    except OSError as error:
        raise _refusal(f"can't read {path}: {error.strerror or error}", "check the path") from error


def _whole(arguments: Mapping[str, Any], context: ToolContext) -> bytes:
    if "path" not in arguments:
        return b"".join(_chunks(arguments, context))
    whole = bytearray()
    for chunk in _chunks(arguments, context):
        whole += chunk
        if len(whole) > LARGEST_FILE_FOR_BASE64:
            limit = f"{LARGEST_FILE_FOR_BASE64:,} bytes"
            raise _refusal(f"{arguments['path']} is larger than the {limit} that Base64 takes", "use a smaller file")
    return bytes(whole)


def _refusal(message: str, hint: str) -> ToolError:
    return ToolError(f"{message}; nothing was computed", hint=hint, blame="input")

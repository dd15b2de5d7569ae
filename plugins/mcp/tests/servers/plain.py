"""A small MCP server over stdio, written by hand, that does what its first argument says."""

from __future__ import annotations

import json
import os
import sys
import time
from typing import Any

WAY = sys.argv[1] if len(sys.argv) > 1 else "good"
DIARY = sys.argv[2] if len(sys.argv) > 2 else os.devnull


def note(text: str) -> None:
    with open(DIARY, "a", encoding="utf-8") as file:
        file.write(f"{text}\n")


def send(message: Any) -> None:
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()


def answer(request: dict[str, Any], result: Any) -> None:
    send({"jsonrpc": "2.0", "id": request["id"], "result": result})


def tool(name: Any, schema: Any = None, **more: Any) -> dict[str, Any]:
    schema = {"type": "object", "properties": {"text": {"type": "string"}}} if schema is None else schema
    return {"name": name, "description": f"The tool {name}.", "inputSchema": schema, **more}


COUNT = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"], "additionalProperties": False}


COLOUR = {"type": "object", "properties": {"colour": {"type": "string"}}, "required": ["colour"]}


def tools() -> list[Any]:
    if WAY == "odd":
        return [
            tool("ok1"), tool("bad1") | {"inputSchema": None}, tool("bad2", {"type": "object", "required": None}),
            {"inputSchema": {"type": "object"}}, tool("ok2", {}), tool("ok1"), tool("array", {"type": "array"}), 7,
            tool("lost", {"type": "object", "properties": {"a": {"$ref": "#/$defs/none"}}}),
        ]  # fmt: skip
    if WAY == "examples":
        shown = {"type": "object", "properties": {"n": {"type": "integer", "examples": [4]}}, "required": ["n"]}
        return [tool("count", shown, annotations={"readOnlyHint": True}), tool("echo")]
    if WAY == "eager":
        with open(DIARY, encoding="utf-8") as file:
            return [tool("old"), tool("new")][: file.read().count("list")]
    if WAY == "growing":
        with open(DIARY, encoding="utf-8") as file:
            return [tool("new"), tool("newer")] if "grown" in file.read() else [tool("old")]
    words = os.environ.get("WORDS", "The tool echo.")
    return [
        tool("echo") | {"description": words}, tool("count", COUNT, annotations={"readOnlyHint": True}),
        tool("die"), tool("hang", annotations={"readOnlyHint": True}), tool("long"), tool("kinds"), tool("error"),
        tool("fail"), tool("none", {"type": "object", "properties": {}}), tool("talk"), tool("ask"),
        tool("demand"), tool("last"), tool("chore", execution={"taskSupport": "required"}),
        tool("weak", annotations={"readOnlyHint": True}),
    ]  # fmt: skip


def page(cursor: str | None) -> dict[str, Any]:
    if WAY != "pages":
        return {"tools": tools()}
    start = int(cursor or 0)
    names = [tool(f"t{number}") for number in range(start, min(start + 50, 107))]
    return {"tools": names, "nextCursor": str(start + 50) if start + 50 < 107 else ""}


KINDS = [
    {"type": "text", "text": "see"},
    {"type": "image", "data": "AAEC" * 100, "mimeType": "image/png"},
    {"type": "audio", "data": "UklGRg==", "mimeType": "audio/wav"},
    {"type": "resource", "resource": {"uri": "file:///r.txt", "mimeType": "text/plain", "text": "body"}},
    {"type": "resource", "resource": {"uri": "file:///r.bin", "blob": "AAEC"}},
    {"type": "resource_link", "uri": "https://example.test/x", "name": "x"},
    {"type": "hologram", "data": 1},
]


Request = dict[str, Any]


def say(request: Request, *texts: str, **more: Any) -> None:
    answer(request, {"content": [{"type": "text", "text": text} for text in texts], **more})


def die(request: Request) -> None:
    sys.stderr.write("boom\n")
    sys.stderr.flush()
    os._exit(1)


def weak(request: Request) -> None:
    with open(DIARY, encoding="utf-8") as file:
        first = file.read().count("call weak") == 1
    os._exit(2) if first else say(request, "at last")


def talk(request: Request) -> None:
    token = request["params"]["_meta"]["progressToken"]
    send({"jsonrpc": "2.0", "method": "notifications/progress",
          "params": {"progressToken": token, "progress": 1, "total": 2, "message": "half"}})  # fmt: skip
    send({"jsonrpc": "2.0", "method": "notifications/message", "params": {"level": "info", "data": "a word"}})
    say(request)


def demand(request: Request) -> None:
    for number, method in enumerate(("ping", "roots/list", "sampling/createMessage", "x/y")):
        send({"jsonrpc": "2.0", "id": f"s{number}", "method": method, "params": {}})
    replies = [json.loads(sys.stdin.readline()) for _ in range(4)]
    say(request, json.dumps({reply["id"]: reply.get("error", {}).get("code", "result") for reply in replies}))


def ask(request: Request) -> None:
    send({"jsonrpc": "2.0", "id": "q1", "method": "elicitation/create",
          "params": {"message": "Which colour?", "requestedSchema": COLOUR}})  # fmt: skip
    say(request, json.dumps(json.loads(sys.stdin.readline())["result"]))


def chore(request: Request) -> None:
    TASKS.append("working")
    answer(request, {"task": task()})


def fail(request: Request) -> None:
    error = {"code": -32602, "message": "Invalid params", "data": {"field": "id"}}
    send({"jsonrpc": "2.0", "id": request["id"], "error": error})


def last(request: Request) -> None:
    content = [{"type": "text", "text": "the end"}]
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", "id": request["id"], "result": {"content": content}}))
    sys.stdout.flush()
    os._exit(0)


def count(request: Request) -> None:
    number = request["params"]["arguments"]["n"]
    say(request, str(number), structuredContent={"n": number})


CALLS = {
    "die": die, "hang": lambda request: None, "weak": weak, "talk": talk, "demand": demand, "chore": chore, "ask": ask,
    "long": lambda request: say(request, "x" * 3_000_000), "kinds": lambda request: answer(request, {"content": KINDS}),
    "error": lambda request: say(request, "no such row", isError=True), "fail": fail, "count": count, "last": last,
}  # fmt: skip


def call(request: Request) -> None:
    name, arguments = request["params"]["name"], request["params"].get("arguments")
    note(f"call {name} {json.dumps(arguments)}")
    if name in CALLS:
        CALLS[name](request)
    else:
        say(request, json.dumps(arguments))


TASKS: list[str] = []


def task() -> dict[str, Any]:
    return {"taskId": "t1", "status": TASKS[-1], "createdAt": "2026-01-01T00:00:00Z",
            "lastUpdatedAt": "2026-01-01T00:00:00Z", "ttl": None, "pollInterval": 50}  # fmt: skip


def task_state(request: dict[str, Any]) -> None:
    TASKS.append("completed")
    answer(request, task())


def task_result(request: dict[str, Any]) -> None:
    answer(request, {"content": [{"type": "text", "text": "the chore is done"}]})


def hello(request: dict[str, Any]) -> None:
    version = {"future": "2099-01-01", "old": "2024-11-05"}.get(WAY, request["params"]["protocolVersion"])
    if WAY == "unlicensed":
        send({"jsonrpc": "2.0", "id": request["id"], "error": {"code": -32000, "message": "license expired"}})
        return
    if WAY == "bare":
        answer(request, {"capabilities": {}})
        return
    answer(request, {"protocolVersion": version, "capabilities": {"tools": {"listChanged": True}},
                     "serverInfo": {"name": "my-server", "version": "1"}})  # fmt: skip


def listing(request: dict[str, Any]) -> None:
    note("list")
    answer(request, page((request.get("params") or {}).get("cursor")))


def calling(request: dict[str, Any]) -> None:
    if WAY == "growing":
        note("grown")
        for _ in range(2):
            send({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"})
    call(request)


def cancelled(request: dict[str, Any]) -> None:
    note(f"cancelled {request['params']['requestId']}")


def unknown(request: dict[str, Any]) -> None:
    if request.get("method") == "server/discover" and WAY == "fragile":
        os._exit(3)
    if "id" in request and WAY != "quiet":
        send({"jsonrpc": "2.0", "id": request["id"], "error": {"code": -32601, "message": "Method not found"}})


def initialized(request: dict[str, Any]) -> None:
    if WAY == "eager":
        send({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"})


METHODS = {"initialize": hello, "notifications/initialized": initialized, "tools/list": listing, "tools/call": calling,
           "notifications/cancelled": cancelled, "tasks/get": task_state, "tasks/result": task_result}  # fmt: skip


def begin() -> None:
    note(f"start {os.getpid()}")
    if WAY == "mute":
        time.sleep(60)
    if WAY == "noise":
        sys.stdout.write('\ufeffServer v1.2 ready!\n\x1b[32minfo\x1b[0m listening\n\n42\n{"level":"info"}\n')
        sys.stdout.flush()
    while WAY == "flood":
        sys.stdout.write("noise noise noise\n" * 1000)


def main() -> None:
    begin()
    for line in sys.stdin:
        request = json.loads(line)
        METHODS.get(request.get("method"), unknown)(request)


if __name__ == "__main__":
    main()

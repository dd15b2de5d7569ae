"""The tools that the conformance suite calls, in an Ares that is shown over HTTP without a token: PORT is given."""

from __future__ import annotations

import asyncio
import sys
from functools import partial
from typing import Any

from ares_plugin_mcp.server import client_approver, http, make_server

from ares_core import Approval, Ares, Effects, Result, Tool, ToolContext, ToolError, tool

READS = Effects(read_only=True, destructive=False, open_world=False)
PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
WAV = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQAAAAA="
IMAGE = {"type": "image", "data": PNG, "mimeType": "image/png"}
SOUND = {"type": "audio", "data": WAV, "mimeType": "audio/wav"}
RESOURCE = {"uri": "test://embedded-resource", "mimeType": "text/plain", "text": "This is an embedded resource."}
SCHEMA: dict[str, Any] = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "$defs": {
        "address": {
            "$anchor": "addressDef",
            "type": "object",
            "properties": {"street": {"type": "string"}, "city": {"type": "string"}},
        }
    },
    "properties": {
        "name": {"type": "string"},
        "address": {"$ref": "#/$defs/address"},
        "contactMethod": {"type": "string", "enum": ["phone", "email"]},
        "phone": {"type": "string"},
        "email": {"type": "string"},
    },
    "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
    "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
    "then": {"required": ["phone"]},
    "else": {"required": ["email"]},
    "additionalProperties": False,
}
approver = client_approver()


async def asked(context: ToolContext, message: str, title: str = "form", **properties: Any) -> str:
    form = {"type": "object", "title": title, "properties": properties, "required": list(properties)[:1]}
    answer = await approver(Approval(context.call, message, "", form=form))
    return f"{answer}" if isinstance(answer, dict) else f"no answer: {answer}"


@tool(effects=READS)
def test_simple_text() -> str:
    """Give text."""
    return "This is a simple text response for testing."


@tool(effects=READS)
def test_image_content() -> Result:
    """Give an image."""
    return Result(True, text="An image.", metadata={"images": [{"media_type": "image/png", "data": PNG}]})


@tool(effects=READS)
def test_audio_content() -> Result:
    """Give a sound."""
    return Result(True, text="A sound.", metadata={"content": [SOUND]})


@tool(effects=READS)
def test_embedded_resource() -> Result:
    """Give a resource."""
    return Result(True, text="A resource.", metadata={"content": [{"type": "resource", "resource": RESOURCE}]})


@tool(effects=READS)
def test_multiple_content_types() -> Result:
    """Give several kinds of content."""
    blocks = [IMAGE, {"type": "resource", "resource": {**RESOURCE, "uri": "test://mixed-content-resource"}}]
    return Result(True, text="Multiple content types test:", metadata={"content": blocks})


@tool(effects=READS)
async def test_tool_with_progress(context: ToolContext) -> str:
    """Tell how far it has come."""
    for step in (0, 50, 100):
        context.emit(f"Completed step {step} of 100", progress=step, total=100)
        await asyncio.sleep(0.05)
    return "done"


@tool(effects=READS)
def test_error_handling() -> str:
    """Fail."""
    raise ToolError("This tool intentionally returns an error for testing")


@tool(effects=READS)
async def test_elicitation(message: str, context: ToolContext) -> str:
    """Ask the user."""
    return await asked(context, message, username={"type": "string"}, email={"type": "string"})


@tool(effects=READS)
async def test_elicitation_sep1034_defaults(context: ToolContext) -> str:
    """Ask with defaults."""
    status = {"type": "string", "enum": ["active", "inactive", "pending"], "default": "active"}
    return await asked(
        context, "Please review and update the form fields with defaults",
        name={"type": "string", "default": "John Doe"}, age={"type": "integer", "default": 30},
        score={"type": "number", "default": 95.5}, status=status, verified={"type": "boolean", "default": True},
    )  # fmt: skip


@tool(effects=READS)
async def test_elicitation_sep1330_enums(context: ToolContext) -> str:
    """Ask for choices."""
    titled = [{"const": f"value{n}", "title": f"Option {n}"} for n in (1, 2, 3)]
    names = [f"option{n}" for n in (1, 2, 3)]
    old = {"enum": ["opt1", "opt2", "opt3"], "enumNames": ["Option One", "Option Two", "Option Three"]}
    return await asked(
        context, "Please select options from the enum fields",
        untitledSingle={"type": "string", "enum": names}, titledSingle={"type": "string", "oneOf": titled},
        legacyEnum={"type": "string", **old},
        untitledMulti={"type": "array", "items": {"type": "string", "enum": names}},
        titledMulti={"type": "array", "items": {"anyOf": titled}},
    )  # fmt: skip


@tool(effects=READS)
async def test_input_required_result_elicitation(context: ToolContext) -> str:
    """Ask for a name."""
    return await asked(context, "What is your name?", title="user_name", name={"type": "string"})


@tool(effects=READS)
async def test_input_required_result_request_state(context: ToolContext) -> str:
    """Ask once."""
    return f"state-ok {await asked(context, 'Please confirm', ok={'type': 'boolean'})}"


@tool(effects=READS)
async def test_input_required_result_tampered_state(context: ToolContext) -> str:
    """Ask once."""
    return await asked(context, "Please confirm", ok={"type": "boolean"})


@tool(effects=READS)
async def test_input_required_result_multi_round(context: ToolContext) -> str:
    """Ask twice."""
    name = await asked(context, "Step 1: What is your name?", name={"type": "string"})
    return f"{name} {await asked(context, 'Step 2: What is your favorite color?', color={'type': 'string'})}"


@tool(effects=READS)
def test_logging_tool(context: ToolContext) -> str:
    """Write to the log."""
    context.log.warning("a line that is the operator's")
    return "logged"


@tool(effects=READS)
async def test_streaming_elicitation(context: ToolContext) -> str:
    """Ask in the middle."""
    context.emit("asking")
    return await asked(context, "Please confirm", ok={"type": "boolean"})


TOOLS = [value for name, value in list(globals().items()) if name.startswith("test_")]
TOOLS += [
    Tool("json_schema_2020_12_tool", "Take anything.", SCHEMA, lambda arguments, context: "ok", effects=READS),
    Tool(
        "test_header",
        "Take a region, which is repeated in a header.",
        {"type": "object", "properties": {"region": {"type": "string", "x-mcp-header": "Region"}}},
        lambda arguments, context: f"region {arguments.get('region')}",
        effects=READS,
    ),
]


def toggle(ares: Ares, arguments: Any, context: ToolContext) -> str:
    new = Tool("test_new", "Comes and goes.", {}, lambda arguments, context: "new", effects=READS)
    there = ares.registry.get(new.name) is not None
    return f"{(ares.unregister(new.name) if there else ares.register(new)).name} changed"


def main(port: int) -> None:
    with Ares(plugins=[], approver=approver) as ares:
        for value in TOOLS:
            ares.register(value)
        ares.register(Tool("test_trigger_tool_change", "Bring a tool, or take it out.", {}, partial(toggle, ares)))
        with http.listen("127.0.0.1", port) as opened:
            sys.stdout.write(f"{http.address('127.0.0.1', opened)}\n")
            sys.stdout.flush()
            asyncio.run(http.serve_http(http.app(make_server(ares), "127.0.0.1", None), opened))


if __name__ == "__main__":
    main(int(sys.argv[1]))

"""Attribute names: those of the conventions for generative AI, and our own below ``ares.``.

The conventions moved out of the package of constants, so the few that are used stand here.
"""

from __future__ import annotations

AGENT = "gen_ai.agent.name"
ARGUMENTS = "gen_ai.tool.call.arguments"
CALL_ID = "gen_ai.tool.call.id"
CONVERSATION = "gen_ai.conversation.id"
DESCRIPTION = "gen_ai.tool.description"
ERROR_TYPE = "error.type"
INPUT_TOKENS = "gen_ai.usage.input_tokens"
MODEL = "gen_ai.request.model"
OPERATION = "gen_ai.operation.name"
OUTPUT_TOKENS = "gen_ai.usage.output_tokens"
PROVIDER = "gen_ai.provider.name"
RESULT = "gen_ai.tool.call.result"
TOOL = "gen_ai.tool.name"
TOOL_TYPE = "gen_ai.tool.type"
WORKFLOW = "gen_ai.workflow.name"
MCP_METHOD = "mcp.method.name"

ATTEMPTS = "ares.attempts"
EDITS = "ares.edits"
NODE = "ares.node"
QUEUE_WAIT = "ares.queue.wait"
RUN = "ares.run"
STATUS = "ares.status"
TURN = "ares.turn"

DURATION = "gen_ai.client.operation.duration"
REFUSALS = "ares.refusals"

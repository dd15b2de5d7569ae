"""Calls that a server of revision 2025-11-25 runs only as tasks: started, asked after, and fetched."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from mcp_types import (
    CallToolRequest,
    CallToolRequestParams,
    CallToolResult,
    CancelTaskRequest,
    CancelTaskRequestParams,
    CancelTaskResult,
    CreateTaskResult,
    GetTaskPayloadRequest,
    GetTaskPayloadRequestParams,
    GetTaskRequest,
    GetTaskRequestParams,
    GetTaskResult,
    TaskMetadata,
)

from ares_plugin_mcp.client.connection import Underway

if TYPE_CHECKING:
    from mcp.client import Client

KEPT_MS = 3_600_000
SHORTEST_PAUSE, USUAL_PAUSE, LONGEST_PAUSE = 0.05, 0.5, 5.0
CANCEL_SECONDS = 2.0


async def run_task(client: Client, tool: str, arguments: Mapping[str, Any], underway: Underway) -> CallToolResult:
    """Call a tool as a task and wait for its result; whoever is cancelled cancels the task."""
    params = CallToolRequestParams(name=tool, arguments=dict(arguments), task=TaskMetadata(ttl=KEPT_MS))
    task = (await client.session.send_request(CallToolRequest(params=params), CreateTaskResult)).task
    asked = GetTaskRequest(params=GetTaskRequestParams(task_id=task.task_id))
    try:
        while task.status == "working":
            usual = USUAL_PAUSE if task.poll_interval is None else task.poll_interval / 1000
            await asyncio.sleep(min(max(usual, SHORTEST_PAUSE), LONGEST_PAUSE))
            task = await client.session.send_request(asked, GetTaskResult)
            await underway.progress(0, None, task.status_message)
        wanted = GetTaskPayloadRequest(params=GetTaskPayloadRequestParams(task_id=task.task_id))
        return await client.session.send_request(wanted, CallToolResult)
    except asyncio.CancelledError:
        cancel = CancelTaskRequest(params=CancelTaskRequestParams(task_id=task.task_id))
        with contextlib.suppress(Exception):
            await asyncio.wait_for(client.session.send_request(cancel, CancelTaskResult), CANCEL_SECONDS)
        raise

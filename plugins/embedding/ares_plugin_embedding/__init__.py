"""The tool ``embedding``: vectors of texts, and how near texts are to each other."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ares_core import Capability, Effects, Result, Tool, ToolContext, hookimpl
from ares_plugin_embedding.schema import EXAMPLES, PARAMETERS
from ares_plugin_embedding.settings import Settings

if TYPE_CHECKING:
    from ares_core import Host


@hookimpl
def configuration() -> type[Settings]:
    """Check the section ``embedding``."""
    return Settings


@hookimpl
def register_tools(host: Host) -> list[Tool]:
    """Bring ``embedding``, also when there is no model: its answer then says how to get one."""
    from ares_plugin_embedding.engines import Embedder

    embedder = Embedder(host.config)
    host.on_close(embedder.close)

    async def execute(arguments: Mapping[str, Any], context: ToolContext) -> dict[str, Any]:
        return await embedder.run(arguments, context)

    return [
        Tool(
            "embedding",
            "Turn texts into vectors for semantic search, or tell how near texts are in meaning (cosine similarity). "
            "The vectors are in the data of the result; its text shows only their beginning.",
            PARAMETERS,
            execute,
            capabilities=("Embedding",),
            effects=_effects(host.config.base_url),
            timeout=120,
            examples=EXAMPLES,
            cost=8,
            latency_ms=100,
            deterministic=True,
        )
    ]


def _effects(base_url: str | None) -> Effects:
    """With a server the texts leave this machine."""
    if base_url is None:
        return Effects(read_only=True, destructive=False, idempotent=True, open_world=False)
    return Effects(read_only=True, destructive=False, idempotent=True, resources=(f"host:{base_url}",))


@hookimpl
def declare_capabilities() -> list[Capability]:
    """Declare embedding: from a text to a vector."""
    aliases = (
        "embed",
        "embedding",
        "vector",
        "vectorize",
        "semantic similarity",
        "向量",
        "向量化",
        "嵌入",
        "语义相似度",
    )
    return [Capability("Embedding", aliases=aliases, inputs=("Text",), outputs=("Vector",))]


@hookimpl
def format_result(result: Result) -> str | None:
    """Give counts, dimension and the first numbers, never whole vectors."""
    if not result.success:
        return None
    from ares_plugin_embedding.shown import words

    arguments = result.call.arguments if result.call else {}
    return words(result.data, arguments if isinstance(arguments, Mapping) else {})

"""Who makes the vectors: the local model or a server, behind one memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, Protocol

from ares_core import ToolContext
from ares_plugin_embedding.settings import Settings

Kind = Literal["query", "passage"]
Vector = list[float]


class Engine(Protocol):
    """Makes vectors."""

    model: str
    note: str | None

    async def embed(self, texts: Sequence[str], kind: Kind, context: ToolContext) -> list[Vector]:
        """Give a vector for each text."""

    def close(self) -> None:
        """Let go of what is held."""


class Embedder:
    """The tool's one engine, chosen by the configuration, made at the first call."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._engine: Engine | None = None

    async def run(self, arguments: Mapping[str, Any], context: ToolContext) -> dict[str, Any]:
        """Run one operation."""
        from ares_plugin_embedding.operations import run

        if self._engine is None:
            self._engine = self._made()
        return await run(arguments, context, self._engine)

    def close(self) -> None:
        """Let the engine go."""
        if self._engine is not None:
            self._engine.close()

    def _made(self) -> Engine:
        from ares_plugin_embedding.memory import Remembering

        if self._settings.base_url is None:
            from ares_plugin_embedding.local import LocalModel

            return Remembering(LocalModel())
        from ares_plugin_embedding.server import Server

        return Remembering(Server(self._settings))

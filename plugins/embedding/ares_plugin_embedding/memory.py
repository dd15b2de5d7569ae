"""An engine that remembers: the same text is embedded once."""

from __future__ import annotations

import threading
from array import array
from collections import OrderedDict
from collections.abc import Sequence
from hashlib import sha256

from ares_core import ToolContext, ToolError
from ares_plugin_embedding.engines import Engine, Kind, Vector

ROOM = 2_000_000
"""How many numbers are kept: 16 MB, 5,000 vectors of the local model."""


class Remembering:
    """Asks another engine only for what it has not given before; the longest unused vectors are forgotten."""

    def __init__(self, engine: Engine, room: int = ROOM) -> None:
        self.model = engine.model
        self.note = engine.note
        self._engine = engine
        self._room = room
        self._kept: OrderedDict[bytes, array[float]] = OrderedDict()
        self._numbers = 0
        self._lock = threading.Lock()

    async def embed(self, texts: Sequence[str], kind: Kind, context: ToolContext) -> list[Vector]:
        """Give a vector for each text."""
        keys = [sha256(f"{kind}:{text}".encode()).digest() for text in texts]
        known = self._look_up(keys)
        missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in known}
        made = await self._engine.embed(list(missing.values()), kind, context) if missing else []
        fresh = dict(zip(missing, made, strict=True))
        known |= fresh
        if len(set(map(len, known.values()))) > 1:
            self._forget()
            told = "vectors of different lengths, as if its model had changed; nothing was embedded"
            raise ToolError(f"{self.model} gave {told}", retriable=True, blame="world")
        self._keep(fresh)
        return [list(known[key]) for key in keys]

    def close(self) -> None:
        """Forget everything."""
        self._forget()
        self._engine.close()

    def _forget(self) -> None:
        with self._lock:
            self._kept.clear()
            self._numbers = 0

    def _look_up(self, keys: Sequence[bytes]) -> dict[bytes, Vector]:
        with self._lock:
            for key in keys:
                if key in self._kept:
                    self._kept.move_to_end(key)
            return {key: self._kept[key].tolist() for key in keys if key in self._kept}

    def _keep(self, fresh: dict[bytes, Vector]) -> None:
        with self._lock:
            for key, vector in fresh.items():
                self._numbers += len(vector) - len(self._kept.pop(key, ()))
                self._kept[key] = array("d", vector)
            while self._numbers > self._room:
                self._numbers -= len(self._kept.popitem(last=False)[1])

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import ares_plugin_store_sqlite
import pytest


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "state" / "ares.db"


@pytest.fixture
def open_store(path: Path) -> Iterator[Callable[..., Any]]:
    opened: list[Any] = []

    def open_it(kind: str, **config: Any) -> Any:
        host = SimpleNamespace(config={"path": str(path), **config}, log=logging.getLogger("ares.plugin.store-sqlite"))
        opened.append(ares_plugin_store_sqlite.open_store(kind, host))
        return opened[-1]

    yield open_it
    for store in opened:
        store.close()

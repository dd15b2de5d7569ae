"""A job of four calls that change something, which the tests kill and start again."""

from __future__ import annotations

import asyncio
import importlib.util
import os
import sys
import time
from pathlib import Path
from typing import Any

from ares_plugin_durable import Durable

from ares_core import Ares, tool

FOLDER = Path(sys.argv[-1])


@tool
def change(n: int) -> int:
    """Change the world: one line, written at once."""
    time.sleep(0.03)
    with open(FOLDER / "effects", "a", encoding="utf-8") as file:
        file.write(f"{n}\n")
        file.flush()
        os.fsync(file.fileno())
    time.sleep(0.03)
    return n


async def four(job: Any, payload: Any) -> str:
    """Make four calls; say how they ended."""
    for n in range(4):
        result = await job.call("change", {"n": n})
        if not result.success:
            return "unknown" if result.error.code == "outcome_unknown" else result.text
    return "done"


async def main() -> None:
    """Begin the job, or go on with it."""
    sys.modules.setdefault("crashing", sys.modules["__main__"])
    plugins: list[str] = ["durable"]
    config: dict[str, Any] = {}
    if importlib.util.find_spec("ares_plugin_store_sqlite"):  # the ledger on disk, where it is installed
        plugins.append("store-sqlite")
        config = {"stores": {"ledger": "store-sqlite"}, "store_sqlite": {"path": f"{FOLDER}/ares.db"}}
    with Ares(plugins=plugins, config=config) as ares:
        ares.register(change)
        async with Durable(ares, f"sqlite:///{FOLDER}/durable.db") as durable:
            name = await durable.start("crashing:four", id="j")
            sys.stdout.write("begun\n")
            sys.stdout.flush()
            sys.stdout.write(f"{await durable.result(name)}\n")


if __name__ == "__main__":
    asyncio.run(main())

"""A job of four calls that change something; the tests hold it up before the third, and kill it or let it go on."""

from __future__ import annotations

import asyncio
import importlib.util
import sys
import time
from pathlib import Path
from typing import Any

from ares_plugin_durable import Durable

from ares_core import Ares, tool

FOLDER = Path(sys.argv[-1])
HAS_LEDGER = importlib.util.find_spec("ares_plugin_store_sqlite") is not None


@tool
def change(n: int) -> int:
    """Change the world: one line."""
    if n == 2:
        (FOLDER / "reached").touch()
        while (FOLDER / "hold").exists():
            time.sleep(0.01)
    with open(FOLDER / "effects", "a", encoding="utf-8") as file:
        file.write(f"{n}\n")
    return n


async def four(job: Any, payload: Any) -> str:
    """Make four calls; say how they ended."""
    for n in range(4):
        result = await job.call("change", {"n": n})
        if not result.success:
            return "unknown" if result.error.code == "outcome_unknown" else result.text
    return "done"


def opened() -> Ares:
    """Give an Ares that has the tool, and a ledger on disk where that plugin is installed."""
    plugins: list[str] = ["durable"]
    config: dict[str, Any] = {}
    if HAS_LEDGER:
        plugins.append("store-sqlite")
        config = {"stores": {"ledger": "store-sqlite"}, "store_sqlite": {"path": f"{FOLDER}/ares.db"}}
    ares = Ares(plugins=plugins, config=config)
    ares.register(change)
    return ares


async def main() -> None:
    """Do the job, and say how it ended."""
    sys.modules.setdefault("crashing", sys.modules["__main__"])
    with opened() as ares:
        async with Durable(ares, f"sqlite:///{FOLDER}/durable.db") as durable:
            sys.stdout.write(f"{await durable.run('crashing:four', id='j')}\n")


if __name__ == "__main__":
    asyncio.run(main())

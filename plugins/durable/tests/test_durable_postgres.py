"""The same on PostgreSQL, started here from the system's packages; skipped with a word where there is none.

With ``ARES_SERVICES=1`` a missing program is a failure.
"""

from __future__ import annotations

import asyncio
import glob
import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from ares_plugin_durable import Durable, Queue

from ares_core import Ares, Effects, tool


@tool(effects=Effects(read_only=True))
async def double(n: int) -> int:
    """Give twice a number."""
    await asyncio.sleep(0.01)
    return 2 * n


def _program(name: str) -> str | None:
    found = sorted(glob.glob(f"/usr/lib/postgresql/*/bin/{name}"))
    return found[-1] if found else shutil.which(name)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A PostgreSQL server on loopback, with a database of its own."""
    initdb, postgres = _program("initdb"), _program("postgres")
    if initdb is None or postgres is None:
        if os.environ.get("ARES_SERVICES"):
            pytest.fail("PostgreSQL is not installed; apt install postgresql")
        pytest.skip("PostgreSQL is not installed: apt install postgresql, or nox -s services")
    folder = tmp_path_factory.mktemp("pg")
    as_user: list[str] = []
    if os.geteuid() == 0:  # the server refuses to run as root
        as_user = ["setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups"]
        for path in (folder, *folder.parents):
            if path.is_relative_to("/tmp/pytest-of-root") or "pytest" in path.name or path == folder:
                path.chmod(0o755)
        shutil.chown(folder, "nobody", "nogroup")
    data = folder / "data"
    subprocess.run([*as_user, initdb, "-D", data, "-U", "ares", "--auth=trust"], check=True, capture_output=True)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command: list[Any] = [
        *as_user,
        postgres,
        "-D",
        data,
        "-p",
        str(port),
        "-h",
        "127.0.0.1",
        "-k",
        folder,
        "-c",
        "fsync=off",
    ]
    with (folder.parent / "pg.log").open("wb") as log, subprocess.Popen(command, stdout=log, stderr=log) as process:
        _await(port)
        yield f"postgresql://ares@127.0.0.1:{port}/postgres"
        process.terminate()


def _await(port: int) -> None:
    import time

    for _ in range(300):
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
        except OSError:
            time.sleep(0.1)
        else:
            return
    pytest.fail("PostgreSQL did not start")


def test_calls_and_queues_work_on_postgresql_too(server: str) -> None:
    async def main() -> list[Any]:
        with Ares(plugins=["durable"]) as ares:
            ares.register(double)
            async with Durable(ares, server, {"double": Queue(concurrency=2)}) as durable:
                found = await asyncio.gather(*(durable.call("double", {"n": n}, id=f"j{n}") for n in range(4)))
                again = await durable.call("double", {"n": 100}, id="j3")
                return [*(one.data for one in found), again.data]

    assert asyncio.run(main()) == [0, 2, 4, 6, 6]


def test_two_processes_share_a_queue(server: str, tmp_path: Path) -> None:
    program = Path(__file__).parent / "sharing.py"
    command = [sys.executable, str(program), server]
    processes = [subprocess.Popen([*command, str(n)], stdout=subprocess.PIPE, text=True) for n in range(2)]
    said = [process.communicate(timeout=100)[0].strip() for process in processes]
    assert said == ["20 right", "20 right"]

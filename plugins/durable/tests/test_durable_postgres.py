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
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from ares_plugin_durable import Durable, Queue
from ares_plugin_durable.processes import Sessions

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
def server() -> Iterator[str]:
    """A PostgreSQL server on loopback, with a database of its own."""
    initdb, postgres = _program("initdb"), _program("postgres")
    if initdb is None or postgres is None:
        if os.environ.get("ARES_SERVICES"):
            pytest.fail("PostgreSQL is not installed; apt install postgresql")
        pytest.skip("PostgreSQL is not installed: apt install postgresql, or nox -s services")
    folder = Path(tempfile.mkdtemp(prefix="ares-pg-"))
    as_user: list[str] = []
    if os.geteuid() == 0:  # the server refuses to run as root, and nobody else may look into pytest's own folders
        as_user = ["setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups"]
        shutil.chown(folder, "nobody", "nogroup")
    data, log = folder / "data", folder / "log"
    subprocess.run([*as_user, initdb, "-D", data, "-U", "ares", "--auth=trust"], check=True, capture_output=True)
    with socket.socket() as held, log.open("wb") as out:
        held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # nobody else gets the port until it is served
        held.bind(("127.0.0.1", 0))
        port = held.getsockname()[1]
        place = ["-D", str(data), "-p", str(port), "-h", "127.0.0.1", "-k", str(folder), "-c", "fsync=off"]
        process = subprocess.Popen([*as_user, postgres, *place], stdout=out, stderr=out)
        try:
            _await(port)
            yield f"postgresql://ares@127.0.0.1:{port}/postgres"
        finally:
            process.terminate()
            process.wait()
    shutil.rmtree(folder)


def _await(port: int) -> None:
    for _ in range(900):
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
                again = await durable.call("double", {"n": 3}, id="j3")
                return [*(one.data for one in found), again.data]

    assert asyncio.run(main()) == [0, 2, 4, 6, 6]


def test_two_processes_keep_one_concurrency_and_one_rate(server: str, share: Any) -> None:
    said, made, at_once, rare = share(server)
    assert (said, made, rare) == ([10, 10], 20, 5)
    assert at_once <= 3


def test_a_process_that_has_ended_is_known_by_its_lock(server: str) -> None:
    first, second = Sessions(server), Sessions(server)
    assert first.dead([first.id, second.id, "never-there"]) == ["never-there"]
    second.close()
    assert ended(first, second.id)
    first.close()


def ended(by: Sessions, id: str) -> bool:
    """The server ends a session some time after its connection."""
    for _ in range(6000):
        if by.dead([id]):
            return True
        time.sleep(0.01)
    return False

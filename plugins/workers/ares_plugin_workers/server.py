"""A NATS server of one's own, for this machine and this user, where no other is configured."""

from __future__ import annotations

import os
import secrets
import shutil
import socket
import subprocess
import tempfile
import time
from contextlib import suppress
from pathlib import Path

from ares_core import ConfigError

PROGRAM = "nats-server"
PLACES = "/usr/sbin:/usr/local/sbin"
"""Where system programs lie that a user's path may leave out."""
START = 20.0
MISSING = (
    "no NATS server is configured (workers.url), and the program nats-server is not here to start one; "
    "install it (Debian: apt install nats-server), or give --url nats://HOST:PORT"
)
CONFIGURATION = """listen: "127.0.0.1:{port}"
authorization {{ token: "{token}" }}
max_payload: 1MB
"""


def program() -> str | None:
    """Find the program."""
    return shutil.which(PROGRAM) or shutil.which(PROGRAM, path=PLACES)


class LocalServer:
    """A server on a free port of the loopback interface, that lets in who knows its token; ends with ``close``."""

    def __init__(self) -> None:
        found = program()
        if found is None:
            raise ConfigError(MISSING)
        self._folder = Path(tempfile.mkdtemp(prefix="ares-nats-"))
        self._token = secrets.token_urlsafe(16)
        self._port = _free_port()
        configuration = self._folder / "server.conf"
        # the command line can be read by every user of the machine, this file by nobody else
        with open(os.open(configuration, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
            file.write(CONFIGURATION.format(port=self._port, token=self._token))
        self._log = self._folder / "server.log"
        command = [found, "-c", str(configuration), "-l", str(self._log)]
        nowhere = subprocess.DEVNULL
        self._process = subprocess.Popen(  # noqa: S603 - the program that was found, and files of our own
            command, stdin=nowhere, stdout=nowhere, stderr=nowhere, start_new_session=True
        )
        self._wait()

    @property
    def url(self) -> str:
        """Where it is, with the token in it."""
        return f"nats://{self._token}@127.0.0.1:{self._port}"

    def _wait(self) -> None:
        until = time.monotonic() + START
        while time.monotonic() < until and self._process.poll() is None:
            with suppress(OSError), socket.create_connection(("127.0.0.1", self._port), timeout=0.2):
                return
            time.sleep(0.02)
        said = self._log.read_text("utf-8", "replace")[-300:].strip() if self._log.exists() else ""
        self.close()
        raise ConfigError(f"{PROGRAM} did not start: {said or 'it says nothing'}")

    def close(self) -> None:
        """End it."""
        self._process.terminate()
        try:
            self._process.wait(timeout=3)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait(timeout=3)
        shutil.rmtree(self._folder, ignore_errors=True)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    return port

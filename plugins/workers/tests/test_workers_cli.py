"""``ares worker``."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from ares_plugin_workers.server import LocalServer

from ares_core import cli

COMMAND = [sys.executable, "-m", "ares_core", "worker"]


def run(*words: str, **variables: str) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, **variables}
    return subprocess.run([*COMMAND, *words], capture_output=True, text=True, timeout=100, env=env, check=False)


def test_without_a_name_it_says_what_to_write(ares_home: Path) -> None:
    done = run()
    assert done.returncode == 2
    assert "ares worker --tools NAME" in done.stderr


def test_a_tool_that_is_not_there_is_wrong_usage(ares_home: Path, fake: Any) -> None:
    done = run("--tools", "*", "nothing_like_it", "--url", fake.url)
    assert done.returncode == 2
    assert "There is no tool 'nothing_like_it'" in done.stderr


def test_a_server_that_is_not_there_is_a_sentence(ares_home: Path, fake: Any) -> None:
    fake.stop()
    done = run("--tools", "*", "--url", fake.url)
    assert done.returncode == 1
    assert f"the NATS server at {fake.url} can't be used" in done.stderr
    assert "Traceback" not in done.stderr


def test_without_a_server_and_without_the_program_it_says_what_to_install(
    ares_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ares_plugin_workers.server.PLACES", "/nowhere")
    monkeypatch.setenv("PATH", "/nowhere")
    from ares_core import ConfigError

    with pytest.raises(ConfigError, match="apt install nats-server"):
        LocalServer()


@pytest.fixture
def provider() -> None:
    """A network provider that the command finds by itself."""
    if find_spec("ares_plugin_network") is None:
        pytest.skip("ares-plugin-network is not installed beside this plugin, so the command has no way out")


@pytest.mark.usefixtures("provider")
def test_it_lists_who_is_there(ares_home: Path, fake: Any, serve: Any, add: Any) -> None:
    serve(fake, add, name="kitchen")
    done = run("--list", "--json", "--url", fake.url, ARES_ONLY_PLUGINS="workers,network")
    assert [(row["name"], row["tools"]) for row in json.loads(done.stdout)] == [("kitchen", ["add"])]


@pytest.mark.usefixtures("provider")
def test_a_tool_that_a_worker_serves_is_described_by_its_name(
    ares_home: Path, fake: Any, serve: Any, add: Any, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    serve(fake, add)
    monkeypatch.setenv("ARES_WORKERS__URL", fake.url)
    monkeypatch.setenv("ARES_ONLY_PLUGINS", "workers,network")
    with pytest.raises(SystemExit) as end:
        cli.main(["tools", "add", "--json"])
    assert (end.value.code, json.loads(capsys.readouterr().out)["plugin"]) == (0, "workers")


@pytest.mark.services
@pytest.mark.usefixtures("provider")
def test_a_server_of_its_own_is_on_loopback_and_asks_for_its_token(local_server: Any, ares_home: Path) -> None:
    found = re.fullmatch(r"nats://([\w-]{20,})@127\.0\.0\.1:(\d+)", local_server.url)
    assert found is not None
    command = Path(f"/proc/{local_server._process.pid}/cmdline")
    if command.exists():
        assert found[1] not in command.read_text()
    done = run("--tools", "*", "--url", f"nats://127.0.0.1:{found[2]}")
    assert "Authorization Violation" in done.stderr


@pytest.mark.services
@pytest.mark.usefixtures("provider")
def test_it_serves_until_it_is_told_to_stop(local_server: Any, ares_home: Path) -> None:
    worker = subprocess.Popen([*COMMAND, "--tools", "*", "--url", local_server.url, "--json"], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True)  # fmt: skip
    assert worker.stdout is not None
    first = worker.stdout.readline()
    worker.send_signal(signal.SIGTERM)
    worker.communicate(timeout=100)
    assert (first, worker.returncode) == ("{\n", 0)

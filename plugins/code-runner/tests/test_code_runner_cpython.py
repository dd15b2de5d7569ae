"""Attempts to get out of CPython: each is a real one, made inside."""

from __future__ import annotations

import asyncio
import os
import re
import secrets
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import pytest
from ares_plugin_code_runner.jail import landlock

from ares_core import ToolCall

HEAD = """
import ctypes, os, signal, socket, sys, threading, time
libc = ctypes.CDLL(None, use_errno=True)
def tried(function, *arguments):
    try:
        return function(*arguments)
    except (Exception, SystemExit):
        return None
def escaped():
    print("ESC" "APED")
"""

IN_THE_OPEN = {
    "reads_the_environment": "print(dict(os.environ))",
    "reads_a_private_file": "print(open('@FILE@').read())",
    "reads_the_list_of_users": "if tried(open, '/etc/passwd'): escaped()",
    "writes_outside": "if tried(open, '@FOLDER@/x', 'w'): escaped()",
    "follows_a_link_of_its_own": "os.symlink('@FILE@', 'link'); print(open('link').read())",
    "lists_a_private_folder": "if tried(os.listdir, '@FOLDER@'): escaped()",
    "connects_to_a_server": "if tried(socket.create_connection, ('127.0.0.1', @PORT@)): escaped()",
    "sends_a_datagram": "if tried(lambda: socket.socket(2, 2).sendto(b'x', ('127.0.0.1', @PORT@))): escaped()",
    "listens": "if tried(socket.create_server, ('127.0.0.1', 0)): escaped()",
    "opens_an_abstract_socket": "if tried(lambda: socket.socket(1, 1).bind(chr(0) + 'escape@PORT@') or 1): escaped()",
    "starts_a_shell": "import subprocess\nif tried(subprocess.run, ['/bin/sh', '-c', 'exit 0']): escaped()",
    "forks": "pid = tried(os.fork)\nif pid == 0: os._exit(0)\nif pid: escaped()",
    "imports_what_the_host_has": "sys.path[:0] = @PATHS@\nimport ares_core\nescaped()",
    "reads_its_process_table": "print(open('/proc/self/environ').read())",
    "sees_the_host": "if str(@US@) in (tried(os.listdir, '/proc') or ()): escaped()",
    "maps_memory_that_no_limit_counts": "import mmap\nif tried(mmap.mmap, -1, 1 << 20): escaped()",
    "keeps_a_file_in_memory": "if tried(os.memfd_create, 'x'): escaped()",
}
"""Attempts that do no harm, so that they can also be made outside: there each of them succeeds."""

INSIDE = {
    "makes_a_hard_link": "if tried(os.link, '@FILE@', 'link') or os.path.exists('link'): escaped()",
    "writes_into_the_library": "if tried(open, os.__file__, 'a') or tried(open, '/usr/lib/x', 'w'): escaped()",
    "opens_sockets_of_every_family": """
for n in range(64):
    if tried(socket.socket, n, 3) or tried(socket.socket, n, 1): escaped()
""",
    "floods_with_processes": "while True:\n  if os.fork(): escaped()",
    "floods_with_threads": "for _ in range(10_000): threading.Thread(target=time.sleep, args=(60,)).start()\nescaped()",
    "takes_memory_at_once": "len(bytearray(2 << 30))\nescaped()",
    "takes_memory_bit_by_bit": "kept = []\nwhile True: kept.append('x' * 1_000_000 + str(len(kept)))",
    "fills_its_folder": "for n in range(100): open(str(n), 'wb').write(bytes(4 << 20))\nescaped()",
    "fills_its_folder_with_names": "for n in range(1_000_000): open(str(n), 'w')\nescaped()",
    "runs_for_ever": "while True: pass",
    "computes_for_ever_in_c": "sum(range(10 ** 15))",
    "never_gives_the_interpreter_back": "10 ** 10 ** 10",
    "sleeps_past_its_time": "time.sleep(60)\nescaped()",
    "floods_the_output": "while True: print('x' * 10_000)",
    "floods_the_errors": "while True: print('x' * 10_000, file=sys.stderr)",
    "writes_one_huge_line": "os.write(1, b'x' * 100_000_000)",
    "catches_every_signal": "for s in range(1, 65): tried(signal.signal, s, signal.SIG_IGN)\nwhile True: pass",
    "catches_every_error": "while True:\n  try: time.sleep(60)\n  except BaseException: pass",
    "closes_its_output_and_goes_on": "os.closerange(0, 256)\nwhile True: pass",
    "kills_its_parent": "print(tried(os.kill, os.getppid(), 9), tried(os.kill, @US@, 9))",
    "kills_everybody": "tried(os.kill, -1, 9)",
    "kills_its_group": "tried(os.killpg, 0, 9); tried(os.killpg, os.getpgid(0), 9)",
    "traces_the_first_process": "for n in (1, os.getppid()):\n  if libc.ptrace(16, n, 0, 0) == 0: escaped()",
    "lets_itself_be_traced": "if libc.ptrace(0, 0, 0, 0) == 0: escaped()",
    "reads_the_memory_of_others": "if libc.process_vm_readv(os.getppid() or 1, None, 0, None, 0, 0) >= 0: escaped()",
    "makes_namespaces_of_its_own": "if libc.unshare(0x10000000) == 0 or libc.unshare(0x40000000) == 0: escaped()",
    "mounts_the_process_table": "os.mkdir('p')\nif libc.mount(b'proc', b'p', b'proc', 0, None) == 0: escaped()",
    "leaves_its_root": "os.mkdir('r')\nif tried(lambda: os.chroot('r') or 1): escaped()",
    "makes_a_device": "if tried(lambda: os.mknod('d', 0o60600, os.makedev(254, 0)) or 1): escaped()",
    "becomes_root": "if tried(lambda: os.setuid(0) or 1) or os.geteuid() == 0: escaped()",
    "raises_its_limits": "import resource as r\nif tried(lambda: r.setrlimit(r.RLIMIT_DATA, (-1, -1)) or 1): escaped()",
    "drops_its_filter": "if libc.prctl(22, 0, 0, 0, 0) == 0 or libc.prctl(38, 0, 0, 0, 0) == 0: escaped()",
    "unbinds_itself_from_its_parent": "if libc.prctl(1, 0, 0, 0, 0) == 0: escaped()",
    "uses_the_ring": "if libc.syscall(425, 1, None) >= 0 or ctypes.get_errno() not in (1, 38): escaped()",
    "shares_old_memory": "if libc.shmget(0, 1 << 30, 0o1600) >= 0: escaped()",
    "runs_a_file_of_its_own": """
open('x', 'w').write('#!/bin/sh'); os.chmod('x', 0o755)
if tried(lambda: os.execv('./x', ['x'])): escaped()
""",
    "reads_descriptors_left_open": "for fd in range(3, 256):\n  if tried(os.fstat, fd): escaped()",
    "reads_its_request": "if tried(os.read, 0, 1): escaped()",
    "looks_for_the_host_in_memory": """
import gc
if [o for o in gc.get_objects() if 'ares' in str(getattr(o, '__name__', ''))]: escaped()
""",
    "looks_up_the_call_stack": "if sys._getframe().f_back: escaped()",
    "watches_with_settrace": """
sys.settrace(lambda *a: None); sys.setprofile(lambda *a: None)
import json
while True: json.dumps(1)
""",
    "breaks_the_interpreter": "ctypes.string_at(0)",
    "recurses_without_end": "sys.setrecursionlimit(10 ** 9)\ndef f(): f()\nf()",
    "leaves_zombies": "for _ in range(1000):\n  if os.fork() == 0: os._exit(0)\nescaped()",
    "writes_no_text": "os.write(1, bytes(range(256)) * 1000)",
    "opens_devices": "if [n for n in os.listdir('/dev') if n not in ('null', 'zero', 'random', 'urandom')]: escaped()",
    "reads_the_kernel": """
if tried(os.listdir, '/sys') or tried(open, '/proc/kallsyms') or tried(open, '/dev/kmsg'): escaped()
""",
    "loads_another_program": """
tried(os.execv, '/lib64/ld-linux-x86-64.so.2', ['ld', '/bin/sh'])
if os.path.exists('/bin/sh'): escaped()
""",
    "adds_a_key": """
if libc.syscall({'x86_64': 248}.get(os.uname().machine, 217), b'user', b'a', b'b', 1, -3) > 0: escaped()
""",
}


@pytest.mark.parametrize("code", INSIDE.values(), ids=INSIDE)
def test_no_attempt_gets_out(attempt: Any, code: str) -> None:
    result = attempt("cpython", HEAD + code)
    assert not re.search(r"(?:Syntax|Name|Reference)Error", result.text)


@pytest.mark.parametrize("code", IN_THE_OPEN.values(), ids=IN_THE_OPEN)
def test_no_attempt_gets_out_that_would_succeed_in_the_open(attempt: Any, canary: Any, code: str) -> None:
    attempt("cpython", HEAD + code)
    outside = subprocess.run(
        [sys.executable, "-c", canary.fill(HEAD + code)],
        capture_output=True, text=True, timeout=60, check=False, cwd=canary.folder,
    )  # fmt: skip
    assert "ESCAPED" in outside.stdout or canary.token in outside.stdout


@pytest.mark.parametrize(
    "last_words", ["time.sleep(60)", "os.setsid()\ntime.sleep(60)", "while True: pass", "1 / 0", ""]
)
def test_nothing_of_a_run_is_left(attempt: Any, is_running: Callable[[str], bool], last_words: str) -> None:
    name = secrets.token_hex(7)
    naming = (
        f"threading.Thread(target=time.sleep, args=(60,), daemon=True).start()\nlibc.prctl(15, b'{name}', 0, 0, 0)\n"
    )
    attempt("cpython", HEAD + naming + last_words)
    until = time.monotonic() + 60
    while is_running(name) and time.monotonic() < until:
        time.sleep(0.02)
    assert not is_running(name)


def test_the_name_by_which_a_run_is_looked_for_can_be_seen(is_running: Callable[[str], bool]) -> None:
    name = secrets.token_hex(7)
    code = f"import ctypes, sys; ctypes.CDLL(None).prctl(15, b'{name}', 0, 0, 0); print(flush=True); sys.stdin.read()"
    with subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline()
        assert is_running(name)


def test_the_walls_are_named_and_root_has_no_rights_inside(run: Any) -> None:
    code = """
import ctypes, os
head, rights = (ctypes.c_uint32 * 2)(0x20080522, 0), (ctypes.c_uint32 * 6)()
ctypes.CDLL(None).capget(head, rights)
print(os.getuid() > 0 and os.geteuid() > 0, list(rights), os.getgroups(), os.uname().nodename)
"""
    result = run("cpython", code)
    if result is not None:
        assert result.data["stdout"] == "True [0, 0, 0, 0, 0, 0] [] sandbox\n" or os.getuid() > 0
        assert "[0, 0, 0, 0, 0, 0]" in result.data["stdout"]
        assert {"seccomp", "rlimits"} < set(result.data["isolation"])
        assert ("Landlock" in result.data["isolation"]) is (landlock.version() > 0)


def test_the_whole_language_is_there(run: Any) -> None:
    code = """
import asyncio, concurrent.futures, decimal, json, sqlite3, statistics, tempfile, zoneinfo
class Base: pass
class Point(Base):
    def __iter__(self): yield from (1, 2)
async def wait(): await asyncio.sleep(0.01); return 3
with tempfile.TemporaryFile() as file: file.write(b"x")
with concurrent.futures.ThreadPoolExecutor(4) as pool: doubled = list(pool.map(lambda n: 2 * n, range(3)))
print(*Point(), asyncio.run(wait()), doubled, statistics.median([3, 1, 2]), decimal.Decimal("0.1") + 1)
"""
    result = run("cpython", code)
    if result is not None:
        assert result.data["stdout"] == "1 2 3 [0, 2, 4] 2 1.1\n"
        assert result.data["exit_code"] == 0


def test_two_runs_share_nothing(run: Any) -> None:
    code = "import os\nprint(sorted(os.listdir()), os.getcwd())\nopen('left', 'w').write('x')"
    first, second = run("cpython", code), run("cpython", code)
    if first is not None and second is not None:
        assert first.data["stdout"] == second.data["stdout"] == "['main.py'] /tmp\n"


def test_runs_side_by_side_have_each_their_own_limits(runner: Any, walled: dict[str, bool]) -> None:
    code = "for n in range(30): threading.Thread(target=time.sleep, args=(0.2,)).start()\nprint(n)"
    arguments = {"language": "python", "code": HEAD + code, "engine": "cpython"}

    async def all_at_once() -> Any:
        return await runner.call_many([ToolCall("code_runner", arguments) for _ in range(4)])

    assert {result.success for result in asyncio.run(all_at_once())} == {walled["cpython"]}


HOST = """
from ares_core import Ares
ares = Ares(plugins=["code-runner"], config={"code_runner": {"enabled": True, "seconds": 60}})
ares.call_sync("code_runner", {"language": "python", "engine": "cpython", "code": CODE})
"""


def test_code_does_not_outlive_a_host_that_is_killed(
    walled: dict[str, bool], is_running: Callable[[str], bool]
) -> None:
    name = secrets.token_hex(7)
    code = f"import ctypes; ctypes.CDLL(None).prctl(15, b'{name}', 0, 0, 0)\nwhile True: pass"
    host = subprocess.Popen([sys.executable, "-c", f"CODE = {code!r}\n{HOST}"])

    def seen(expected: bool) -> bool:
        until = time.monotonic() + 60
        while is_running(name) is not expected and time.monotonic() < until and walled["cpython"]:
            time.sleep(0.02)
        return is_running(name)

    try:
        assert seen(True) is walled["cpython"]
    finally:
        host.kill()
        host.wait()
    assert not seen(False)

"""Attempts to get out of Node: each is a real one, made inside."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from typing import Any

import pytest

HEAD = """
const fs = require("fs"), processes = require("child_process"), net = require("net");
const tried = f => { try { return f() } catch (e) { return undefined } };
const escaped = () => console.log("ESC" + "APED");
"""

IN_THE_OPEN = {
    "reads_the_environment": "console.log(process.env)",
    "reads_a_private_file": "console.log(String(fs.readFileSync('@FILE@')))",
    "reads_the_list_of_users": "if (tried(() => fs.readFileSync('/etc/passwd'))) escaped()",
    "writes_outside": "fs.writeFileSync('@FOLDER@/x', 'x'); escaped()",
    "follows_a_link_of_its_own": "fs.symlinkSync('@FILE@', 'link'); console.log(String(fs.readFileSync('link')))",
    "lists_a_private_folder": "console.log(fs.readdirSync('@FOLDER@')); escaped()",
    "starts_a_shell": "processes.execSync('exit 0'); escaped()",
    "starts_a_program": "if (!processes.spawnSync(process.execPath, ['--version']).error) escaped()",
    "connects_to_a_server": """
net.connect(@PORT@, '127.0.0.1', () => { escaped(); process.exit() }).on('error', () => 0)
""",
    "fetches_from_a_server": """
net.connect({host: 'localhost', port: @PORT@}, () => { escaped(); process.exit() }).on('error', () => 0)
""",
    "listens": """
const s = net.createServer().listen(0, '127.0.0.1', () => { escaped(); process.exit() }).on('error', () => 0)
""",
    "reads_its_process_table": "console.log(String(fs.readFileSync('/proc/self/environ')))",
    "sees_the_host": "if (fs.existsSync('/proc/@US@')) escaped()",
}
INSIDE = {
    "sends_a_datagram": """
require('dgram').createSocket('udp4').on('error', () => 0).send('x', @PORT@, '127.0.0.1', e => e || escaped())
""",
    "looks_up_a_name": """
require('dns').lookup('localhost', e => e || net.connect(@PORT@, 'localhost', escaped).on('error', () => 0))
""",
    "makes_a_hard_link": "tried(() => fs.linkSync('@FILE@', 'link')); if (fs.existsSync('link')) escaped()",
    "writes_into_the_library": "tried(() => { fs.writeFileSync('/usr/lib/x', 'x'); escaped() })",
    "forks": "if (tried(() => processes.fork('main.js').pid)) escaped()",
    "floods_with_workers": """
const {Worker} = require('worker_threads');
for (let n = 0; n < 500; n++) tried(() => new Worker('for(;;);', {eval: true}).on('error', () => 0))
""",
    "runs_for_ever": "for (;;);",
    "waits_for_ever": "setInterval(() => 0, 1000)",
    "sleeps_past_its_time": "Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 60000); escaped()",
    "floods_the_output": "for (;;) fs.writeSync(1, 'x'.repeat(10000))",
    "logs_for_ever": "for (;;) console.log('x'.repeat(10000))",
    "takes_memory_on_the_heap": "const kept = []; for (;;) kept.push('x'.repeat(1000) + kept.length)",
    "takes_memory_off_the_heap": "const kept = []; for (;;) kept.push(Buffer.alloc(10 << 20, 1))",
    "takes_memory_at_once": "Buffer.alloc(2 ** 31, 1); escaped()",
    "grows_web_assembly": """
const m = new WebAssembly.Memory({initial: 1, maximum: 65536});
m.grow(60000);
new Uint8Array(m.buffer).fill(1);
escaped()
""",
    "backtracks": "/^(a+)+$/.test('a'.repeat(50) + 'b'); escaped()",
    "fills_its_folder": "for (let n = 0; n < 100; n++) fs.writeFileSync(String(n), Buffer.alloc(4 << 20)); escaped()",
    "kills_its_parent": "tried(() => process.kill(process.ppid, 9)); tried(() => process.kill(@US@, 9))",
    "kills_everybody": "tried(() => process.kill(-1, 9)); tried(() => process.kill(0, 9))",
    "becomes_root": "tried(() => { process.setuid(0); escaped() }); if (process.geteuid() === 0) escaped()",
    "catches_every_signal": """
for (const s of ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGXCPU']) process.on(s, () => 0); for (;;);
""",
    "opens_the_inspector": "tried(() => require('inspector').open(0)); if (require('inspector').url()) escaped()",
    "loads_a_library": """
fs.writeFileSync('x.node', Buffer.alloc(10)); tried(() => { process.dlopen({exports: {}}, './x.node'); escaped() })
""",
    "asks_for_inner_parts": """
const p = tried(() => process.binding('spawn_sync'));
if (p && !p.spawn({file: '/bin/sh', args: ['sh'], stdio: []}).error) escaped()
""",
    "leaves_a_context": """
const p = require('vm').runInNewContext('this.constructor.constructor("return process")()'); if (p.env.CANARY) escaped()
""",
    "requires_what_the_host_has": """
if (tried(() => require('npm')) || tried(() => require('/usr/lib/node_modules/npm/package.json'))) escaped()
""",
    "reads_descriptors_left_open": "for (let n = 50; n < 256; n++) if (tried(() => fs.fstatSync(n))) escaped()",
    "reads_its_request": "if (tried(() => fs.readSync(0, Buffer.alloc(1)))) escaped()",
    "breaks_the_interpreter": "process.abort()",
    "recurses_without_end": "const f = () => f(); f()",
    "nests_without_end": "JSON.parse('['.repeat(1e6)); escaped()",
}


@pytest.mark.parametrize("code", INSIDE.values(), ids=INSIDE)
def test_no_attempt_gets_out(attempt: Any, code: str) -> None:
    result = attempt("node", HEAD + code)
    assert not re.search(r"(?:Syntax|Name|Reference)Error", result.text)


@pytest.mark.parametrize("code", IN_THE_OPEN.values(), ids=IN_THE_OPEN)
def test_no_attempt_gets_out_that_would_succeed_in_the_open(attempt: Any, canary: Any, code: str) -> None:
    result = attempt("node", HEAD + code)
    node = shutil.which("node")
    if node is None:
        assert "no program 'node'" in result.error.message
        return
    outside = subprocess.run(
        [node, "-e", canary.fill(HEAD + code)],
        capture_output=True, text=True, timeout=60, check=False, cwd=canary.folder,
    )  # fmt: skip
    assert "ESCAPED" in outside.stdout or canary.token in outside.stdout


def test_javascript_runs_with_its_library(run: Any) -> None:
    code = """
const {createHash} = require("crypto");
setTimeout(() => console.log(createHash("sha256").update("a").digest("hex").slice(0, 8)), 10);
Promise.all([1, 2].map(async n => 2 * n)).then(all => console.log(all));
"""
    result = run("node", code)
    if result is not None:
        assert result.data["stdout"] == "[ 2, 4 ]\nca978112\n"
        assert result.data["exit_code"] == 0


def test_modules_may_be_imported_in_the_new_way(run: Any) -> None:
    result = run("node", "import {basename} from 'path';\nconsole.log(await basename('/a/b'))")
    if result is not None:
        assert result.data["stdout"] == "b\n"


def test_an_error_is_named(run: Any) -> None:
    result = run("node", "console.log(1);\nnull.x")
    if result is not None:
        assert "exit code 1: TypeError: Cannot read properties of null" in result.error.message
        assert result.data["stdout"] == "1\n"
        assert os.sep not in result.error.message

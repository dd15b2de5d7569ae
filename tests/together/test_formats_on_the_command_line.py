"""``ares parse`` and ``ares definitions`` with the provider formats that Ares comes with."""

from __future__ import annotations

import json
import struct
import subprocess
import sys
from pathlib import Path
from zlib import crc32

import pytest


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home and a working folder of their own."""
    for variable in ("HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.setenv(variable, str(tmp_path))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ARES_ONLY_PLUGINS", "wires,hash")
    return tmp_path


def ares(*args: str) -> tuple[int, str, str]:
    command = [sys.executable, "-m", "ares_core", *args]
    ended = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", timeout=240, check=False)
    return ended.returncode, ended.stdout, ended.stderr


def frame(kind: str, payload: object) -> bytes:
    head = b"\x0b:event-type\x07" + struct.pack(">H", len(kind)) + kind.encode()
    body = json.dumps(payload, ensure_ascii=False).encode()
    begun = struct.pack(">II", 16 + len(head) + len(body), len(head))
    whole = begun + struct.pack(">I", crc32(begun)) + head + body
    return whole + struct.pack(">I", crc32(whole))


def test_a_binary_stream_is_read_from_a_file(folder: Path) -> None:
    use = {"contentBlockIndex": 0, "start": {"toolUse": {"toolUseId": "t", "name": "hash_tool"}}}
    (folder / "stream").write_bytes(
        frame("messageStart", {"role": "assistant"})
        + frame("contentBlockStart", use)
        + frame("contentBlockDelta", {"contentBlockIndex": 0, "delta": {"toolUse": {"input": '{"text": "é"}'}}})
        + frame("messageStop", {"stopReason": "tool_use"})
    )
    for named in ((), ("--wire", "bedrock-converse")):
        assert ares("parse", "stream", *named) == (0, 'hash_tool({"text": "é"})\n', "bedrock-converse, calls\n")


def test_a_response_that_was_cut_off_says_so(folder: Path) -> None:
    (folder / "stream").write_text('data: {"choices": [{"delta": {"content": "I"}}]}\n\n', "utf-8")
    assert ares("parse", "stream") == (1, "I\n", "openai-chat, truncated: the stream was cut off\n")


def test_the_profile_of_a_model_lets_text_be_read_as_calls(folder: Path) -> None:
    (folder / "ares.yaml").write_text('models: {"small*": {text_calls: json}}', "utf-8")
    said = {"role": "assistant", "content": '{"name": "hash_tool", "arguments": {"text": "a"}}'}
    (folder / "body.json").write_text(json.dumps({"choices": [{"message": said}]}), "utf-8")
    assert ares("parse", "body.json", "--model", "small-1")[1] == 'hash_tool({"text": "a"})\n'
    assert "openai-chat, final" in ares("parse", "body.json")[2]


def test_what_a_dialect_loses_is_printed_and_fails_the_check() -> None:
    code, out, _ = ares("definitions", "--wire", "ollama", "--tool-choice", "required", "--check")
    assert (code, "tool_choice 'required': Ollama has no such choice" in out.splitlines()) == (1, True)
    code, out, _ = ares("definitions", "--wire", "ollama", "--tool-choice", "required", "--check", "--json")
    told = json.loads(out)
    assert (code, sorted(told)) == (1, ["lost", "names", "prompt", "request", "tools"])
    assert "tool_choice 'required': Ollama has no such choice" in told["lost"]

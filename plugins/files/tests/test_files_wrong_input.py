"""Every parameter missing, of the wrong type, empty, huge or hostile: a code, a sentence, and nothing is touched."""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import Any

import ares_plugin_files
import pytest

from ares_core import Ares, FileStat, hookimpl


class Witness:
    """A provider with two files, that remembers every change it was asked for."""

    def __init__(self) -> None:
        self.changes: list[Any] = []

    @hookimpl
    def open_files(self) -> Any:
        return self

    def open(self, path: str, mode: str = "rb") -> Any:
        if mode != "rb":
            self.changes.append(path)
        if path != "a.txt":
            raise FileNotFoundError(2, "No such file or directory", path)
        return io.BytesIO(b"a")

    def list(self, path: str = ".") -> Iterator[FileStat]:
        if path != ".":
            raise FileNotFoundError(2, "No such file or directory", path)
        return iter([FileStat("a.txt", "file", 1, 0.0), FileStat("caf\xe9.md", "file", 1, 0.0)])

    def stat(self, path: str) -> FileStat:
        self.open(path)
        return FileStat(path, "file", 1, 0.0)

    def change(self, *arguments: Any) -> int:
        self.changes.append(arguments)
        return 0

    write = mkdir = rename = remove = change


WRONG: list[tuple[dict[str, Any], str]] = [
    ({}, "operation"),
    ({"operation": "read"}, "/path"),
    ({"operation": "write", "path": "new"}, "/content"),
    ({"operation": "append", "content": "x"}, "/path"),
    ({"operation": "move", "path": "a.txt"}, "/destination"),
    ({"operation": "copy", "destination": "new"}, "/path"),
    *(({"operation": operation}, "/path") for operation in ("exists", "stat", "mkdir", "delete")),
    ({"operation": "erase", "path": "a.txt"}, "expected one of"),
    ({"operation": "read", "path": ""}, "at least 1 character"),
    ({"operation": "read", "path": "x" * 5000}, "at most 4096"),
    ({"operation": "read", "path": ["a.txt", "b.txt"]}, "/path"),
    ({"operation": "read", "path": {"a": 1}}, "/path"),
    ({"operation": "write", "path": "new", "content": None}, "/content"),
    ({"operation": "write", "path": "new", "content": "x", "mode": "append"}, "mode"),
    ({"operation": "read", "path": "a.txt", "offset": -1}, "/offset"),
    ({"operation": "read", "path": "a.txt", "offset": 10**400}, "/offset"),
    ({"operation": "read", "path": "a.txt", "offset": "many"}, "/offset"),
    ({"operation": "read", "path": "a.txt", "offset": 2**50}, "has only 1 line"),
    ({"operation": "read", "path": "a.txt", "limit": 0}, "/limit"),
    ({"operation": "read", "path": "a.txt", "limit": 10**9}, "/limit"),
    ({"operation": "read", "path": "a.txt", "unit": "pages"}, "/unit"),
    ({"operation": "read", "path": "a.txt", "encoding": "zlib"}, "/encoding"),
    ({"operation": "read", "path": "a.txt", "encoding": "utf-16"}, "no utf-16 text"),
    ({"operation": "write", "path": "new", "content": "你", "encoding": "latin-1"}, "has no character"),
    ({"operation": "write", "path": "new", "content": "xyz", "encoding": "hex"}, "no hex"),
    ({"operation": "write", "path": "new", "content": "x", "encoding": "base64"}, "no base64"),
    ({"operation": "delete", "path": "a.txt", "recursive": "perhaps"}, "/recursive"),
    ({"operation": "list", "pattern": "x" * 2000}, "/pattern"),
    ({"operation": "read", "path": "C:\temp\new.txt"}, "backslash"),
    ({"operation": "write", "path": "C:\\temp\\new.txt", "content": "x"}, "a path of Windows"),
    ({"operation": "move", "path": "a.txt", "destination": "b\nc"}, "control character"),
    ({"operation": "write", "path": "~/new", "content": "x"}, "~"),
    ({"operation": "mkdir", "path": "file:///tmp/x"}, "a URL"),
    ({"operation": "read", "path": "A.TXT"}, "Did you mean 'a.txt'?"),
    ({"operation": "read", "path": "cafe\u0301.md"}, "Did you mean 'caf\xe9.md'?"),
    ({"operation": "read", "path": "none/a.txt"}, "The folder 'none' isn't there either."),
]


@pytest.mark.parametrize(("arguments", "sentence"), WRONG, ids=lambda value: ascii(value)[:60])
def test_wrong_input_gets_a_sentence_and_changes_nothing(ares: Ares, arguments: dict[str, Any], sentence: str) -> None:
    witness = Witness()
    ares.add(ares_plugin_files)
    ares.add(witness)
    refused = ares.call_sync("file_tools", arguments)
    assert refused.error is not None
    assert refused.error.code in ("invalid_arguments", "tool_error")
    assert refused.error.blame == "input"
    assert sentence in refused.text
    assert witness.changes == []

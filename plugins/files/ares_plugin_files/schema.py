"""What ``file_tools`` takes."""

from __future__ import annotations

from typing import Any

OPERATIONS = ("read", "write", "append", "list", "exists", "stat", "mkdir", "move", "copy", "delete")
ENCODINGS = (
    "utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "latin-1", "cp1252", "iso-8859-2", "cp1251",
    "koi8-r", "gb18030", "gbk", "big5", "shift_jis", "euc-jp", "euc-kr", "base64", "hex",
)  # fmt: skip
LONGEST_PATH = 4096
MOST_AT_ONCE = 1_000_000
PATH = {"type": "string", "minLength": 1, "maxLength": LONGEST_PATH}


def _required(operations: list[str], names: list[str], otherwise: dict[str, Any]) -> dict[str, Any]:
    """Ask for parameters with some operations; ``if`` because providers refuse ``anyOf`` at the top."""
    condition = {"properties": {"operation": {"enum": operations}}, "required": ["operation"]}
    return {"if": condition, "then": {"required": names}, "else": otherwise}


PARAMETERS: dict[str, Any] = {
    "type": "object",
    "properties": {
        "operation": {
            "type": "string",
            "enum": list(OPERATIONS),
            "description": "What to do: read a page of a file; write (replace in one step or create) or append "
            "'content'; list a folder, with 'pattern' to find files; exists and stat tell about one path; mkdir; move "
            "(also renames) and copy to 'destination'; delete. Missing folders above a new file are made.",
        },
        "path": {
            **PATH,
            "description": "The file or folder, relative to the allowed folder, with / between names. For list it "
            "may be left out: then it is the allowed folder itself.",
        },
        "content": {
            "type": "string",
            "maxLength": 5_000_000,
            "description": "For write and append: the text, which is stored exactly as given, line ends included.",
        },
        "offset": {
            "type": "integer",
            "minimum": 0,
            "maximum": 2**50,
            "description": "For read: how many lines to skip (bytes, if 'unit' is bytes). For list: how many entries.",
        },
        "limit": {
            "type": "integer",
            "minimum": 1,
            "maximum": MOST_AT_ONCE,
            "description": "For read: how many lines, or bytes, at most (a page of about 24,000 bytes if left out). "
            "For list: how many entries at most (500 if left out).",
        },
        "unit": {
            "type": "string",
            "enum": ["lines", "bytes"],
            "description": "For read: what 'offset' and 'limit' count; lines if left out. In large files bytes are "
            "found at once, lines are counted from the start.",
        },
        "pattern": {
            "type": "string",
            "minLength": 1,
            "maxLength": 1000,
            "description": "For list: only entries whose name fits, such as *.txt; with / the path below 'path' has "
            "to fit, such as src/*.py or **/*.md, and sub-folders are searched.",
        },
        "recursive": {
            "type": "boolean",
            "description": "For list: also what is in sub-folders. For copy and delete: a folder with all in it.",
        },
        "destination": {**PATH, "description": "For move and copy: the full new path, not just the folder."},
        "overwrite": {
            "type": "boolean",
            "description": "For move and copy: whether a file at 'destination' may be replaced; false if left out.",
        },
        "encoding": {
            "type": "string",
            "enum": list(ENCODINGS),
            "description": "For read: if left out it is recognised. For write and append: if left out it is that of "
            "the file that was there, else UTF-8. base64 and hex stand for the bytes of any file.",
        },
    },
    "required": ["operation"],
    **_required(
        ["write", "append"],
        ["path", "content"],
        _required(
            ["move", "copy"],
            ["path", "destination"],
            _required(["read", "exists", "stat", "mkdir", "delete"], ["path"], {}),
        ),
    ),
    "additionalProperties": False,
}
EXAMPLES = (
    {"operation": "list"},
    {"operation": "exists", "path": "notes/todo.txt"},
    {"operation": "list", "path": ".", "pattern": "**/*.md", "limit": 50},
    {"operation": "write", "path": "notes/todo.txt", "content": "buy bread\n"},
    {"operation": "append", "path": "notes/todo.txt", "content": "call home\n"},
    {"operation": "read", "path": "notes/todo.txt"},
    {"operation": "read", "path": "server.log", "offset": 2000, "limit": 100},
    {"operation": "copy", "path": "notes/todo.txt", "destination": "notes/todo.bak"},
)

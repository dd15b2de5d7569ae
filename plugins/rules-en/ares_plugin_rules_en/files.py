"""Files and folders."""

from __future__ import annotations

from ares_core import Rule
from ares_plugin_rules_en.documents import rule

FILE = "[file|document] [called|named] {path:file}"
FOLDER = "(folder|directory|dir)"
WHERE = f"({{path:place}}|{FOLDER} [called|named] {{path:name}})"
IN = f"(in|of|under|inside|from) {WHERE}"
NAMED = f"({{path:known}}|{{path:bare}} {FOLDER}|{FOLDER} [called|named] {{path:name}})"
INSIDE = f"({IN}|(in|inside|within) {NAMED}|(in|inside|within) {{path:bare}})"
NEW = "[a] [new]"
SHOW = "(list|show|display|view) [me] [all]"
TYPES = {
    "python": "py", "javascript": "js", "typescript": "ts", "java": "java", "text": "txt", "txt": "txt", "pdf": "pdf",
    "csv": "csv", "json": "json", "markdown": "md", "html": "html", "xml": "xml", "yaml": "yaml", "log": "log",
    "excel": "xlsx", "word": "docx", "png": "png", "jpg": "jpg", "zip": "zip", "sql": "sql",
}  # fmt: skip
FILES = (
    rule(
        "read a file",
        "FileOperations",
        f"(read|open|show|print|display|cat|view) [me] [contents of|content of|text of] {FILE}",
        "(what|what's|what is|whats) in (file|document) {path:file}",
        f"(contents|content) of {FILE}",
        operation="read",
        path="{path}",
    ),
    rule(
        "list a folder",
        "FileOperations",
        f"{SHOW} (files|contents|entries|folders|files and folders) {IN}",
        f"{SHOW} (files|folders|files and folders) {INSIDE}",
        f"{SHOW} (contents|content|everything) (in|of|inside|from) ({NAMED}|{{path:place}})",
        f"(what|what's|what is|whats) (in|inside) ({NAMED}|{{path:closed}})",
        f"{SHOW} {{path:bare}} {FOLDER}",
        f"(list|ls) ({WHERE}|{{path:known}})",
        "ls {path:bare}",
        f"(what|which) (files|folders) are [there] {INSIDE}",
        f"[all] files {IN}",
        operation="list",
        path="{path}",
    ),
    rule(
        "list files by pattern",
        "FileOperations",
        f"(list|show|find) [me] [all] ({{pattern:glob}}|{{pattern:filetype}}) files [{INSIDE}]",
        f"(list|show|find) [me] [all] (files|files like|files matching|files named) {{pattern:glob}} [{INSIDE}]",
        operation="list",
        pattern="{pattern}",
        path_="{path}",
    ),
    rule(
        "list the folder",
        "FileOperations",
        f"(list|show) [me] [all] [my] (files|files and folders) [here|(in|of) [current|this|working] {FOLDER}]",
        f"(list|show) [contents of] (current|this|working) {FOLDER}",
        operation="list",
        path=".",
    ),
    rule(
        "write a file",
        "FileOperations",
        f"(write|save|put|store) [text|words|line] {{content:quoted}} (to|into|in|as) {NEW} {FILE}",
        f"(create|make) {NEW} {FILE} (with|containing) [content|contents|text] [:] {{content:quoted}}",
        f"(write|save|put|store) {{content:ref}} (to|into|in|as) {NEW} {FILE}",
        operation="write",
        path="{path}",
        content="{content}",
    ),
    rule(
        "append to a file",
        "FileOperations",
        f"(append|add) [text|words|line] {{content:quoted}} to [end of] {FILE}",
        f"append {{content:ref}} to [end of] {FILE}",
        operation="append",
        path="{path}",
        content="{content}",
    ),
    rule(
        "whether a file exists",
        "FileOperations",
        f"does {FILE} exist",
        f"(check|test|see) (if|whether) {FILE} exists",
        f"is there [a] {FILE}",
        f"does {FOLDER} {{path:name}} exist",
        operation="exists",
        path="{path}",
    ),
    rule(
        "facts about a file",
        "FileOperations",
        f"(how big|how large|how old|what size) is {FILE}",
        f"(size|file size|modification time|details|info|information|properties|stats) (of|about|on|for) {FILE}",
        f"when was {FILE} (changed|modified|written|last changed|last modified)",
        f"stat {FILE}",
        operation="stat",
        path="{path}",
    ),
    rule(
        "make a folder",
        "FileOperations",
        f"(create|make|add) {NEW} {FOLDER} [called|named] {{path:name}}",
        "mkdir {path:name}",
        operation="mkdir",
        path="{path}",
    ),
    rule(
        "move a file",
        "FileOperations",
        f"(move|rename|mv) {FILE} (to|into|as) [file] {{to:file}}",
        f"(move|mv) {FILE} (to|into) {{to:place}}",
        f"(move|rename) {FOLDER} {{path:name}} to {{to:name}}",
        operation="move",
        path="{path}",
        destination="{to}",
    ),
    rule(
        "copy a file",
        "FileOperations",
        f"(copy|duplicate|cp) {FILE} (to|into|as) [file] {{to:file}}",
        operation="copy",
        path="{path}",
        destination="{to}",
    ),
    rule(
        "delete a file",
        "FileOperations",
        f"(delete|remove|erase|rm) {FILE}",
        f"(delete|remove) {FOLDER} {{path:name}}",
        operation="delete",
        path="{path}",
    ),
    Rule("file", ("{p:path}", "{p:filename}", "{p:quoted}"), reads="file", arguments={"value": "{p}"}),
    Rule("name", ("{p:path}", "{p:foldername}", "{p:quoted}"), reads="name", arguments={"value": "{p}"}),
    Rule("place", ("{p:path}", "{p:dots}", "{p:slashed}"), reads="place", arguments={"value": "{p}"}),
    *(Rule(f"{name} files", (name,), reads="filetype", arguments={"value": f"*.{end}"}) for name, end in TYPES.items()),
)
WRITTEN = (
    rule(
        "read what was written",
        "FileOperations",
        "(read|open|show|print|display|cat|view) [me] [contents of|content of|text of] {path:written} [back|again]",
        operation="read",
        path="{path}",
    ),
    rule(
        "append to what was written",
        "FileOperations",
        "(append|add) [text|words|line] {content:quoted} to [end of] {path:written}",
        operation="append",
        path="{path}",
        content="{content}",
    ),
    rule(
        "copy what was written",
        "FileOperations",
        "(copy|duplicate|cp) {path:written} (to|into|as) [file] {to:file}",
        operation="copy",
        path="{path}",
        destination="{to}",
    ),
    rule(
        "facts about what was written",
        "FileOperations",
        "(how big|how large|what size) is {path:written}",
        "(check|get|show) [its|the] size [of] {path:written}",
        operation="stat",
        path="{path}",
    ),
)

RULES = FILES

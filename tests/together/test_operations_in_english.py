"""Every operation of every builtin tool, asked for in English: the exact call that is planned."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from ares_core import Ares

ROOT = Path(__file__).parents[2]
PLUGINS = sorted(path.parent.name for path in ROOT.glob("plugins/*/pyproject.toml"))
EMAILS = r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+"

Calls = dict[str, dict[str, Any]]
CALCULATOR = {
    "what is 3 plus 4": "3+4",
    "sum of 3, 4 and 5": "sum(3,4,5)",
    "factorial of 6": "factorial(6)",
    "normal distribution at x=0, mu=0, sigma=1": "normalPdf(0,0,1)",
    "median of 5, 1, 9": "median(5,1,9)",
    "lcm of 12 and 18": "lcm(12,18)",
}
CODE: Calls = {
    "run python code: print(1+1)": {"language": "python", "code": "print(1+1)"},
    "execute this javascript: console.log(2)": {"language": "javascript", "code": "console.log(2)"},
}
DATA: Calls = {
    'convert the csv "a,b" to json': {"operation": "csv_to_json", "data": "a,b"},
    'convert [{"a": 1}] to csv': {"operation": "json_to_csv", "data": '[{"a": 1}]'},
    'flatten {"a": {"b": 1}}': {"operation": "flatten", "data": '{"a": {"b": 1}}'},
    'unflatten {"a.b": 1}': {"operation": "unflatten", "data": '{"a.b": 1}'},
}
VALIDATION: Calls = {
    'is {"a": 1} valid json?': {"operation": "validate_json", "data": '{"a": 1}'},
    "is ada@example.com a valid email address?": {"operation": "validate_email", "data": "ada@example.com"},
    "check whether https://example.com is a valid URL": {"operation": "validate_url", "data": "https://example.com"},
    'validate {"a": 1} against the schema {"type": "object"}': {
        "operation": "validate_schema",
        "data": '{"a": 1}',
        "schema": '{"type": "object"}',
    },
}
DATES: Calls = {
    "what time is it?": {"operation": "now"},
    "what time is it in Tokyo": {"operation": "now", "zone": "Asia/Tokyo"},
    "parse the date March 3, 2024": {"operation": "parse", "value": "2024-03-03"},
    "what day of the week is 2024-03-03?": {"operation": "parse", "value": "2024-03-03"},
    "format 2024-03-03 as %d.%m.%Y": {"operation": "format", "value": "2024-03-03", "format": "%d.%m.%Y"},
    "convert 2024-03-03 14:30 from Tokyo to New York time": {
        "operation": "convert",
        "value": "2024-03-03 14:30",
        "from_zone": "Asia/Tokyo",
        "zone": "America/New_York",
    },
    "add 90 days to 2024-01-01": {"operation": "add", "value": "2024-01-01", "amount": "P90D"},
    "what date is two weeks before May 1, 2024": {"operation": "add", "value": "2024-05-01", "amount": "-P14D"},
    "days between March 3, 2024 and 2024-05-01": {
        "operation": "diff",
        "value": "2024-03-03",
        "other": "2024-05-01",
    },
}
EMBEDDING: Calls = {
    'embed "a red fox"': {"operation": "embed", "text": "a red fox"},
    'embed the texts "a" and "b"': {"operation": "embed_batch", "texts": ["a", "b"]},
    'how similar are "cat" and "dog"?': {"operation": "similarity", "text": "cat", "other": "dog"},
}
FILES: Calls = {
    "read the file notes.txt": {"operation": "read", "path": "notes.txt"},
    'write "hello" to notes.txt': {"operation": "write", "path": "notes.txt", "content": "hello"},
    'append "more" to notes.txt': {"operation": "append", "path": "notes.txt", "content": "more"},
    "list files in folder .": {"operation": "list", "path": "."},
    "does notes.txt exist?": {"operation": "exists", "path": "notes.txt"},
    "how big is the file notes.txt": {"operation": "stat", "path": "notes.txt"},
    "create the folder reports/2024": {"operation": "mkdir", "path": "reports/2024"},
    "move a.txt to b.txt": {"operation": "move", "path": "a.txt", "destination": "b.txt"},
    "copy a.txt to old/a.txt": {"operation": "copy", "path": "a.txt", "destination": "old/a.txt"},
    "delete the file a.txt": {"operation": "delete", "path": "a.txt"},
}
HASHES: Calls = {
    **{
        f"{name} of 'abc'": {"operation": operation, "input": "abc"}
        for name, operation in {
            "md5": "md5",
            "SHA-1": "sha1",
            "sha224": "sha224",
            "SHA-256": "sha256",
            "sha384": "sha384",
            "sha 512": "sha512",
            "sha3-256": "sha3_256",
            "sha3-384": "sha3_384",
            "sha3-512": "sha3_512",
            "blake2b": "blake2b",
            "blake2s": "blake2s",
            "crc32": "crc32",
        }.items()
    },
    "hash of the file a.txt": {"operation": "sha256", "path": "a.txt"},
    "hmac of 'abc' with the key 'k'": {"operation": "hmac", "input": "abc", "key": "k"},
    "is the md5 of abc equal to 900150983cd24fb0d6963f7d28e17f72?": {
        "operation": "verify",
        "input": "abc",
        "expected": "900150983cd24fb0d6963f7d28e17f72",
        "algorithm": "md5",
    },
    'base64 encode "a b"': {"operation": "base64_encode", "input": "a b"},
    "decode 'YQ==' from base64": {"operation": "base64_decode", "input": "YQ=="},
    'base64url encode "a b"': {"operation": "base64url_encode", "input": "a b"},
    "decode 'YQ' from base64url": {"operation": "base64url_decode", "input": "YQ"},
}
HTTP: Calls = {
    "fetch https://example.com/a": {"url": "https://example.com/a", "method": "GET"},
    'post {"a": 1} to https://example.com': {"url": "https://example.com", "method": "POST", "json": {"a": 1}},
    'put {"a": 1} to https://example.com': {"url": "https://example.com", "method": "PUT", "json": {"a": 1}},
    'send a PATCH request to https://example.com with {"a": 1}': {
        "url": "https://example.com",
        "method": "PATCH",
        "json": {"a": 1},
    },
    "send a DELETE request to https://example.com/1": {"url": "https://example.com/1", "method": "DELETE"},
    "head request to https://example.com": {"url": "https://example.com", "method": "HEAD"},
}
IDS: Calls = {
    "generate 3 uuids": {"operation": "generate_uuid", "count": 3},
    "create a uuid v7": {"type": "uuid7"},
    "give me 2 ulids": {"type": "ulid", "count": 2},
    "make a nanoid": {"type": "nanoid"},
    "generate a short id": {"operation": "generate_short_id"},
}
JSON: Calls = {
    'parse {"a": 1}': {"operation": "parse", "data": '{"a": 1}'},
    'pretty-print {"a": 1}': {"operation": "pretty", "data": '{"a": 1}'},
    'get "$.a" from {"a": 1}': {"operation": "query", "data": '{"a": 1}', "query": "$.a"},
    'merge {"b": 2} into {"a": 1}': {"operation": "merge", "data": '{"a": 1}', "other": '{"b": 2}'},
    'apply the patch [{"op": "remove", "path": "/a"}] to {"a": 1}': {
        "operation": "patch",
        "data": '{"a": 1}',
        "patch": '[{"op": "remove", "path": "/a"}]',
    },
    'difference between {"a": 1} and {"a": 2}': {"operation": "diff", "data": '{"a": 1}', "other": '{"a": 2}'},
}
LOGS: Calls = {
    'parse the log "INFO up"': {"operation": "parse_log", "log_content": "INFO up"},
    'find errors in the log "ERROR disk"': {"operation": "find_errors", "log_content": "ERROR disk"},
    'extract metrics from the log "took 5 ms"': {"operation": "extract_metrics", "log_content": "took 5 ms"},
}
PDF: Calls = {
    "extract the text from report.pdf": {"operation": "text", "path": "report.pdf"},
    "read report.pdf page 2 and 3": {"operation": "text", "path": "report.pdf", "pages": "2,3"},
    "metadata of report.pdf": {"operation": "metadata", "path": "report.pdf"},
    "how many pages does report.pdf have": {"operation": "metadata", "path": "report.pdf"},
    "show the outline of report.pdf": {"operation": "outline", "path": "report.pdf"},
    "list the form fields of report.pdf": {"operation": "form_fields", "path": "report.pdf"},
}
REGEX: Calls = {
    "match the regex 'a+' against 'caat'": {"operation": "match", "pattern": "a+", "text": "caat"},
    "extract the email addresses from 'a@b.de'": {"operation": "extract", "pattern": EMAILS, "text": "a@b.de"},
    "replace the regex 'a+' with 'o' in 'caat'": {
        "operation": "replace",
        "pattern": "a+",
        "replacement": "o",
        "text": "caat",
    },
    "split 'a1b2c' by the regex '[0-9]'": {"operation": "split", "pattern": "[0-9]", "text": "a1b2c"},
}
STRINGS: Calls = {
    "uppercase 'ab c'": {"operation": "upper", "input": "ab c"},
    "convert 'AB' to lower case": {"operation": "lower", "input": "AB"},
    "title case 'ab cd'": {"operation": "title", "input": "ab cd"},
    "capitalize 'ab cd'": {"operation": "capitalize", "input": "ab cd"},
    "trim ' a '": {"operation": "trim", "input": " a "},
    "split 'a,b' by comma": {"operation": "split", "input": "a,b", "delimiter": ","},
    "join 'a', 'b' and 'c' with '-'": {"operation": "join", "join_items": ["a", "b", "c"], "delimiter": "-"},
    "length of 'abc'": {"operation": "length", "input": "abc"},
    "reverse 'abc'": {"operation": "reverse", "input": "abc"},
    "first 2 characters of 'abc'": {"operation": "substring", "input": "abc", "start": 0, "end": 2},
    "characters 2 to 3 of 'abcd'": {"operation": "substring", "input": "abcd", "start": 1, "end": 3},
    "replace 'a' with 'b' in 'banana'": {"operation": "replace", "input": "banana", "old": "a", "new": "b"},
    "repeat 'ab' 3 times": {"operation": "repeat", "input": "ab", "times": 3},
    "does 'hello' contain 'ell'?": {"operation": "contains", "input": "hello", "search": "ell"},
    "does 'hello' start with 'he'": {"operation": "starts_with", "input": "hello", "search": "he"},
    "does 'hello' end with 'lo'": {"operation": "ends_with", "input": "hello", "search": "lo"},
    "count the words in 'a b'": {"operation": "count", "input": "a b", "unit": "words"},
    "pad '7' to 3 characters": {"operation": "pad", "input": "7", "length": 3},
    "truncate 'abcdef' to 3 characters": {"operation": "truncate", "input": "abcdef", "length": 3},
}
PAGES: Calls = {"scrape the text of https://example.com/a": {"url": "https://example.com/a"}}
SEARCHES: Calls = {
    "search the web for red pandas": {"query": "red pandas"},
    "look up the weather in Oslo online": {"query": "the weather in Oslo"},
}

CALLS = [
    *(("calculator", request, {"expression": expression}) for request, expression in CALCULATOR.items()),
    *(
        (tool, request, arguments)
        for tool, calls in {
            "code_runner": CODE, "data_transform": DATA, "data_validation": VALIDATION, "datetime": DATES,
            "embedding": EMBEDDING, "file_tools": FILES, "hash_tool": HASHES, "http_request": HTTP,
            "id_generator": IDS, "json_tools": JSON, "log_analyzer": LOGS, "pdf_tool": PDF, "regex": REGEX,
            "string_utils": STRINGS, "web_scraper": PAGES, "web_search": SEARCHES,
        }.items()
        for request, arguments in calls.items()
    ),
]  # fmt: skip


@pytest.fixture(scope="module")
def everything() -> Iterator[Ares]:
    with Ares(plugins=PLUGINS) as ares:
        yield ares


@pytest.mark.parametrize(("tool", "request_", "arguments"), CALLS, ids=[request for _, request, _ in CALLS])
def test_a_request_is_planned_as_the_exact_call(
    tool: str, request_: str, arguments: dict[str, Any], everything: Ares
) -> None:
    found = everything.plan(request_)
    assert found.error is None, found.error
    assert [(step.tool, dict(step.arguments)) for step in found.steps] == [(tool, arguments)]


@pytest.mark.parametrize(("tool", "request_", "arguments"), CALLS, ids=[request for _, request, _ in CALLS])
def test_the_tool_takes_the_arguments(tool: str, request_: str, arguments: dict[str, Any], everything: Ares) -> None:
    found = everything.registry.get(tool)
    assert found is not None
    assert not list(Draft202012Validator(found.parameters).iter_errors(arguments))


def test_no_operation_is_left_out(everything: Ares) -> None:
    asked = {(tool, arguments.get("operation")) for tool, _, arguments in CALLS}
    synonyms = {"json", "email", "url", "schema", "parse", "errors", "metrics", "prettify", "format", "get"}
    synonyms |= {"search", "findall", "flatten_json", "unflatten_json", "validate"}
    for tool in everything.registry.list_tools():
        if tool.toolset == "agent":  # for a model in the middle of its work, not for requests in words
            continue
        options = tool.parameters["properties"].get("operation", {}).get("enum", [None])
        lacking = {option for option in options if (tool.name, option) not in asked}
        assert lacking <= {*synonyms, None}, tool.name

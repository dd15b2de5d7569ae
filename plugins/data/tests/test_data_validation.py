from __future__ import annotations

import socket
import threading
from typing import Any

import ares_plugin_data
import pytest
from ares_plugin_data.schema_checks import is_tame
from ares_plugin_data.schema_engine import faults
from hypothesis import given
from hypothesis import strategies as st

FAST = {"type": "object", "required": ["name"], "properties": {"age": {"type": "integer", "minimum": 0}}}
IN_A_CHILD = {"$defs": {"person": FAST}, "$ref": "#/$defs/person"}


@pytest.fixture
def call(ares: Any) -> Any:
    ares.add(ares_plugin_data)
    return lambda **arguments: ares.call_sync("data_validation", arguments)


@pytest.mark.parametrize(
    "address",
    [
        "ada@example.org", "a.b+c@sub.example.co.uk", "o'hara@example.org", "x@xn--exmple-cua.de", "用户@例子.公司",
        f"{'a' * 64}@example.org", "!#$%&'*+/=?^_`{|}~-@example.org",
    ],
)  # fmt: skip
def test_email_addresses_that_are_right(call: Any, address: str) -> None:
    result = call(operation="validate_email", data=address)
    assert result.data["valid"] is True
    assert result.data["local_part"] + "@" + result.data["domain"] == address


@pytest.mark.parametrize(
    ("address", "words"),
    [
        ("", "empty"),
        ("ada", "no '@'"),
        ("@example.org", "before the '@'"),
        ("ada@", "domain is missing"),
        ("ada@example", "no dot"),
        ("ada@@example.org", "more than one"),
        (" ada@example.org", "white space"),
        ("ada@example.org\n", "white space"),
        ("ada lovelace@example.org", "white space"),
        (".ada@example.org", "dot"),
        ("ada..b@example.org", "dot"),
        ("ada@example..org", "part ''"),
        ("ada@-example.org", "'-example'"),
        ("ada@example.1", "top-level"),
        ("ada@[127.0.0.1]", "IP address"),
        ('"ada"@example.org', "quoted"),
        ("a,b@example.org", "','"),
        (f"{'a' * 65}@example.org", "64 bytes"),
        (f"ada@{'a' * 64}.org", "1 to 63"),
        (f"ada@{'a.' * 150}org", "254 bytes"),
    ],
)
def test_email_addresses_that_are_wrong_come_with_the_reason(call: Any, address: str, words: str) -> None:
    result = call(operation="email", data=address)
    assert (result.success, result.data["valid"]) == (True, False)
    assert words in result.data["error"]
    assert words in result.text


@pytest.mark.parametrize(
    ("address", "facts"),
    [
        ("https://example.org", {"scheme": "https", "host": "example.org", "port": 443}),
        ("HTTP://example.org:8080/a/b?c=d&e#f", {"port": 8080, "path": "/a/b", "query": "c=d&e", "fragment": "f"}),
        ("http://[::1]:80/", {"host": "[::1]"}),
        ("http://127.0.0.1/", {"host": "127.0.0.1"}),
        ("http://localhost/%E6%B1%89", {"host": "localhost"}),
        ("https://u:p@example.org/", {"has_user": True}),
        ("ftp://example.org/x", {"port": 21}),
        ("https://example.org./", {"host": "example.org."}),
    ],
)
def test_web_addresses_that_are_right(call: Any, address: str, facts: dict[str, Any]) -> None:
    data = call(operation="validate_url", data=address).data
    assert data["valid"] is True
    assert facts.items() <= data.items()


@pytest.mark.parametrize(
    ("address", "words"),
    [
        ("", "empty"),
        ("example.org/a", "no scheme"),
        ("localhost:8080", "no scheme"),
        ("javascript:alert(1)", "'javascript' is none of"),
        ("file:///etc/passwd", "'file' is none of"),
        ("http://", "host is missing"),
        ("http:///a", "host is missing"),
        ("http://a b/", "' ' at position 8"),
        ("http://example.org/\n", "position 19"),
        ("http://example.org/%zz", "'%' at position 19"),
        ("http://example.org:99999/", "port '99999'"),
        ("http://example.org:x/", "port 'x'"),
        ("http://1.2.3.999/", "no IP address"),
        ("http://[::g]/", "no IP address"),
        ("http://::1/", "brackets"),
        ("http://-a.org/", "'-a'"),
        ("http://a..org/", "part ''"),
        ("https://例子.公司/", "outside ASCII"),
        ("https://example.org/" + "a" * 9_000, "9,020 characters"),
        ("https://a@b@example.org/", "'@' in the user"),
    ],
)
def test_web_addresses_that_are_wrong_come_with_the_reason(call: Any, address: str, words: str) -> None:
    result = call(operation="url", data=address)
    assert (result.success, result.data["valid"]) == (True, False)
    assert words in result.data["error"]
    assert words in result.text


@given(st.text(max_size=60), st.sampled_from(["", "http://", "a@"]))
def test_every_text_gets_a_verdict_and_every_no_a_reason(text: str, before: str) -> None:
    from ares_plugin_data.addresses import check_email, check_url

    for verdict in (check_email(before + text), check_url(before + text)):
        assert verdict["valid"] or verdict["error"]


def test_json_is_valid_or_comes_with_the_place(call: Any) -> None:
    assert call(operation="validate_json", data='{"a": []}').data == {
        "operation": "validate_json", "valid": True, "type": "object",
    }  # fmt: skip
    result = call(operation="json", data='{"a": 1,\n}')
    assert (result.data["valid"], result.data["line"], result.data["column"]) == (False, 2, 1)
    assert "key in double quotes" in result.text
    assert "NaN is no JSON value" in call(operation="json", data="[NaN]").data["error"]
    assert call(operation="json", data="").data["error"] == "no JSON: the text is empty"


@pytest.mark.parametrize("schema", [FAST, IN_A_CHILD], ids=["here", "in a child"])
def test_a_schema_gives_every_fault_with_its_place(call: Any, schema: Any) -> None:
    good = call(operation="validate_schema", data={"name": "Ada", "age": 36}, schema=schema)
    assert (good.data["valid"], good.text) == (True, "Valid.")
    bad = call(operation="schema", data='{"age": -1.5}', schema=schema)
    assert bad.data["valid"] is False
    assert {(fault["pointer"], fault["keyword"]) for fault in bad.data["errors"]} == {
        ("", "required"), ("/age", "minimum"), ("/age", "type"),
    }  # fmt: skip
    assert "/age" in bad.data["error"]
    assert "3" in str(bad.data["count"])


def test_a_schema_may_be_text_or_a_truth_value(call: Any) -> None:
    assert call(operation="validate_schema", data="5", schema='{"type": "integer"}').data["valid"] is True
    assert call(operation="validate_schema", data="5", schema=False).data["valid"] is False


def test_older_drafts_and_formats_are_known(call: Any) -> None:
    draft4 = {"$schema": "http://json-schema.org/draft-04/schema#", "minimum": 5, "exclusiveMinimum": True}
    assert call(operation="validate_schema", data="5", schema=draft4).data["valid"] is False
    assert call(operation="validate_schema", data='"x"', schema={"format": "email"}).data["valid"] is False


def test_data_that_is_no_json_does_not_fit(call: Any) -> None:
    result = call(operation="validate_schema", data='{"age":', schema={})
    assert result.data["valid"] is False
    assert "no JSON" in result.data["error"]


@pytest.mark.parametrize(
    ("schema", "words"),
    [
        ({"type": "strin"}, "can't be used"),
        ({"properties": {"a": 5}}, "can't be used"),
        ({"$ref": "#/$defs/missing"}, "can't be used"),
        ({"$schema": "http://127.0.0.1:9/draft"}, "can't be used"),
        ({"pattern": "(?=a)"}, "can't be used"),
        ("[1]", "object, true or false"),
        ("{", "schema is no JSON"),
    ],
)
def test_a_schema_that_is_none_is_refused(call: Any, schema: Any, words: str) -> None:
    result = call(operation="validate_schema", data="{}", schema=schema)
    assert (result.success, result.error.blame) == (False, "input")
    assert words in result.error.message


@pytest.mark.parametrize("keyword", ["$ref", "$id", "$schema"])
def test_nothing_is_ever_fetched(call: Any, keyword: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(0.5)
        heard: list[Any] = []

        def listen() -> None:
            try:
                heard.append(server.accept())
            except TimeoutError:
                return

        listening = threading.Thread(target=listen)
        listening.start()
        call(operation="validate_schema", data="{}", schema={keyword: f"http://127.0.0.1:{server.getsockname()[1]}/s"})
        listening.join()
    assert heard == []


def test_small_schemas_without_references_are_checked_here() -> None:
    assert is_tame(FAST)
    assert not is_tame(IN_A_CHILD)
    assert not is_tame({"items": [{"pattern": r"\p{L}{300}"}]})
    assert not is_tame({"patternProperties": {"a" * 201: {}}})


@given(st.recursive(st.integers() | st.text(max_size=3), lambda below: st.lists(below, max_size=3), max_leaves=8))
def test_a_verdict_here_is_that_of_the_engine_itself(value: Any) -> None:
    import jsonschema_rs

    schema = {"type": ["array", "integer"], "items": {"type": "array"}, "maxItems": 2}
    assert bool(faults(schema, value)["faults"]) is not jsonschema_rs.is_valid(schema, value)


@pytest.mark.parametrize(
    "arguments",
    [
        {},
        {"operation": "validate_email"},
        {"data": "a"},
        {"operation": "validate_phone", "data": "1"},
        {"operation": "validate_schema", "data": "1", "schema": [1]},
        {"operation": "validate_email", "data": "a@b.de", "strict": True},
        {"operation": "validate_json", "data": "x" * 2_000_001},
    ],
)
def test_arguments_that_do_not_fit_are_refused_before_anything_runs(call: Any, arguments: dict[str, Any]) -> None:
    result = call(**arguments)
    assert result.error.code == "invalid_arguments"
    assert "Not executed" in result.text


def test_what_does_not_go_together_is_named(call: Any) -> None:
    assert "needs a schema" in call(operation="validate_schema", data="1").error.message
    assert "takes no schema" in call(operation="validate_json", data="1", schema={}).error.message
    assert "not object" in call(operation="validate_email", data={"a": 1}).error.message


def test_a_key_given_twice_is_told(call: Any) -> None:
    result = call(operation="validate_json", data='{"a": [{"b": 1, "b": 1}]}')
    assert (result.data["valid"], "'b' comes more than once" in result.text) == (True, True)
    assert "notes" not in call(operation="validate_json", data='[{"b": 1}, {"b": 1}]').data

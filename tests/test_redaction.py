"""Secrets leave a call neither in text nor in events, stored approvals or logs; what surrounds them stays."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ares_core import Approval, Ares, Effects, Event, Tool, ToolCall, ToolContext
from ares_core.call import redact
from ares_core.call.redact import MASK, Redactor

QUIET = Effects(read_only=True, open_world=False)
URL = "https://u:p4ss@api.example.test/v1?api_key=KEY123&q=1"
SECRETS = ("p4ss", "KEY123", "TOK456", "COOK789")
GITHUB = "ghp_" + "a1" * 18


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        (URL, "https://u:[redacted]@api.example.test/v1?api_key=[redacted]&q=1"),
        ("password=hunter22 user=ann", "password=[redacted] user=ann"),
        ('{"password": "hunter22", "user": "ann"}', '{"password": "[redacted]", "user": "ann"}'),
        ("{'api_key': 'hunter22'}", "{'api_key': '[redacted]'}"),
        (r"{\"token\": \"hunter22\", \"a\": 1}", r"{\"token\": \"[redacted]\", \"a\": 1}"),
        (r'"{\"token\": \"hunter22\"}"', r'"{\"token\": \"[redacted]\"}"'),
        (r"{\\\"token\\\": \\\"hunter22\\\"}", r"{\\\"token\\\": \\\"[redacted]\\\"}"),
        ('{"password": ["hunter22"], "n": []}', '{"password": ["[redacted]"], "n": []}'),
        ('{"password": "a \\"quoted\\" hunter22"}', '{"password": "[redacted]"}'),
        ("PASSWORD: hunter22", "PASSWORD: [redacted]"),
        ("client_secret=hunter22&x=1", "client_secret=[redacted]&x=1"),
        ("Authorization: Bearer hunter22.abc", "Authorization: [redacted]"),
        ("curl -H 'Authorization: Bearer hunter22.abc' x", "curl -H 'Authorization: [redacted]' x"),
        ("Bearer hunter22.abc and more", "Bearer [redacted] and more"),
        ("Cookie: sid=hunter22; b=c", "Cookie: [redacted]"),
        ("Set-Cookie: sid=hunter22", "Set-Cookie: [redacted]"),
        (f"pushed with {GITHUB} today", "pushed with [redacted] today"),
        ("key AKIAIOSFODNN7EXAMPLE used", "key [redacted] used"),
        ("key AIzaSyA1234567890abcdefghijklmnopqrs used", "key [redacted] used"),
        ("with hf_abcdefghijklmnopqrstuvwxyzABCDEFGH", "with [redacted]"),
        ("with npm_abcdefghijklmnopqrstuvwxyz0123456789", "with [redacted]"),
        ("with glpat-abcdefghij_klmnopqrst", "with [redacted]"),
        ("with github_pat_11ABCDEFG0abcdefghij_klmnopqrst", "with [redacted]"),
        ("sk-abcdefghijklmnop1234", "[redacted]"),
        ("xoxb-123456789012-abc", "[redacted]"),
        ("a?sig=hunter22&b=1", "a?sig=[redacted]&b=1"),
        ("postgres://ann:hunter22@db/x", "postgres://ann:[redacted]@db/x"),
        ("密码：hunter22，请保存", "密码：[redacted]，请保存"),
        ('{"口令": "hunter22", "a": 1}', '{"口令": "[redacted]", "a": 1}'),
        ("API密钥=hunter22 令牌: hunter22", "API密钥=[redacted] 令牌: [redacted]"),
        ("a?X-Amz-Signature=hunter22&b=1", "a?X-Amz-Signature=[redacted]&b=1"),
        ("got eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.hunter22-_ here", "got [redacted] here"),
        ("密码是hunter22", "密码是[redacted]"),
        ("mysql --password hunter22 --db-token hunter22", "mysql --password [redacted] --db-token [redacted]"),
        ("the password is hunter22, and more", "the password is [redacted] and more"),
        ("a;jsessionid=hunter22?b=1", "a;jsessionid=[redacted]"),
        ("AccountKey=hunter22==;x", "AccountKey=[redacted];x"),
        ("with pypi-AgEIcHlwaS5vcmcabcdefghijkl", "with [redacted]"),
        ("with gsk_abcdefghijklmnopqrst0123", "with [redacted]"),
        ("with sk_live_abcdefghijklmnop01", "with s[redacted]"),
        ("with SG.abcdefghijklmnopqr.abcdefghijklmnopqrst", "with [redacted]"),
        ("a%5Ftoken%3Dhunter22 token%3Dhunter22", "a%5Ftoken%3D[redacted] token%3D[redacted]"),
    ],
)
def test_what_looks_like_a_secret_is_blacked_out_and_the_rest_stays(text: str, kept: str) -> None:
    assert Redactor().text(text) == kept
    assert "hunter22" not in Redactor().text(f"Before. {text}")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "The password policy asks for 12 letters.",
        "keyboard: qwerty",
        "Give the --password flag, or --token TEXT; the password is required. 密码是什么？密码为空",
        '{"password": [], "token": {}, "secret": null}',
        '{"token": {"kind": "short"}}',
        "password = None",
        '{"cookie": [], "credentials": {}, "a": 1}',
        "monkey=banana",
        "a key question: why?",
        "tokens: 12",
        "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
        "https://example.test/a?b=c",
        "task-list of a desk-lamp",
        "12:30@noon",
        "密码长度至少12位，请输入密码。",
        "密码是base64编码的，密钥为RSA-2048位，密码是 8-16 位字符，密钥为None",
        "Your password is 8-16 characters long; the password is sha256-hashed. Give --max-token 4096.",
        "See https://example.test/pypi-attestations-and-publishing/.",
        "/password: expected string, got nothing",
        "/cookie: expected string, got nothing",
        "İstanbul: 5",
    ],
)
def test_what_is_no_secret_stays(text: str) -> None:
    assert Redactor().text(text) == text


PARTS = st.sampled_from([
    "password", "Passwd", "PWD", "secret_key", "api-key", "?key", "token", "Authorization", "Set-Cookie", "credentials",
    "密码", "密钥", "：", "eyJhbGciOiJIUzI1NiJ9", ".eyJzdWI", "&X-Amz-Signature",
    "Bearer ", "BASIC ", "sk-", "ghp_", "AKIA", "xoxb-", "-----BEGIN RSA PRIVATE KEY-----", "https://u", "?sig", "=",
    ":", ": ", "%3D", "%3d", "\\\"", '"', "'", "[", "@", "/", "\n", " ", "hunter22hunter22hunter22", "A1B2C3D4E5F6G7H8",
])  # fmt: skip


@given(st.lists(PARTS | st.text(max_size=3), max_size=8))
def test_the_look_through_beforehand_misses_nothing_that_the_marks_find(parts: list[str]) -> None:
    text = "".join(parts)
    usual = Redactor().text(text)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(redact, "_may_hold_one", lambda text: True)
        assert Redactor().text(text) == usual


def test_patterns_of_ones_own_are_added_by_configuration() -> None:
    with Ares(plugins=[], config={"results": {"redact": [r"EMP-\d+", "(?i)codename \\w+"]}}) as ares:
        ares.register(Tool("say", "", {}, lambda arguments, context: "EMP-123 has Codename Otter", effects=QUIET))
        assert ares.call_sync("say").text == "[redacted] has [redacted]"


def everything(fails: bool) -> tuple[str, list[Event]]:
    """Call a tool with secrets in every place; gives what the model reads, and the events."""

    async def http_request(url: str, headers: dict[str, str], context: ToolContext) -> str:
        """Fetch."""
        context.emit(f"asking {url}", headers=headers)
        if fails:
            raise ConnectionError(f"{url} refused")
        return f"fetched {url} with {headers}"

    events: list[Event] = []
    headers = {"Authorization": "Bearer TOK456", "Cookie": "sid=COOK789"}
    with Ares(plugins=[]) as ares:
        ares.on_event(events.append)
        ares.register(Tool.from_function(http_request, effects=Effects(read_only=True)))
        result = ares.call_sync("HTTP-request", {"url": URL, "headers": headers}, session="s")
    assert result.call is not None
    assert result.call.arguments == {"url": URL, "headers": headers}
    return result.text + (result.error.message if result.error else ""), events


@pytest.mark.parametrize("fails", [False, True])
def test_secrets_in_arguments_and_errors_are_in_no_text_event_or_log(
    fails: bool, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.DEBUG):
        text, events = everything(fails)
    for place in (text, repr(events), caplog.text):
        assert [secret for secret in SECRETS if secret in place] == []
    assert "api.example.test/v1" in text
    assert "q=1" in text


@pytest.fixture
def with_password() -> Iterator[Callable[..., tuple[Ares, list[Event]]]]:
    """Makes an Ares with a tool that takes secrets; gives it with its events."""
    parameters = {
        "type": "object",
        "properties": {
            "user": {"type": "string"},
            "password": {"type": "string", "minLength": 6, "format": "password"},
            "pin": {"type": "string", "writeOnly": True},
            "deep": {"type": "object", "properties": {"inner": {"type": "string", "writeOnly": True}}},
        },
    }

    async def login(arguments: Any, context: ToolContext) -> Any:
        if arguments.get("user") == "raise":
            raise ValueError(f"wrong: {dict(arguments)}")
        return f"tried {' '.join(map(str, arguments.values()))}"

    opened: list[Ares] = []

    def made(**options: Any) -> tuple[Ares, list[Event]]:
        events: list[Event] = []
        opened.append(Ares(plugins=[], **options))
        opened[-1].on_event(events.append)
        opened[-1].register(Tool("login", "", parameters, login, effects=QUIET))
        return opened[-1], events

    yield made
    for ares in opened:
        ares.close()


@pytest.mark.parametrize("user", ["ann", "raise"])
def test_values_that_the_schema_calls_secret_are_blacked_out_wherever_they_come_back(
    user: str, with_password: Any
) -> None:
    ares, events = with_password()
    result = ares.call_sync(
        "login", {"user": user, "password": "swordfish", "pin": "86421", "deep": {"inner": "treasure"}}
    )
    for place in (result.text, repr(events)):
        assert [word for word in ("swordfish", "86421", "treasure") if word in place] == []
    assert user in result.text


@pytest.mark.parametrize(
    "arguments",
    [{"password": "swrd"}, '{"password": "swrd"}', {"password": "swordfish", "user": 5.5, "pin": ["86421"]}],
)
def test_a_refusal_does_not_show_a_secret_value_to_those_who_listen(arguments: Any, with_password: Any) -> None:
    ares, events = with_password()
    result = ares.call_sync("login", arguments)
    assert result.error is not None
    assert result.error.code == "invalid_arguments"
    for place in (result.text, repr(result.error), repr(events)):
        assert [word for word in ("swrd", "swordfish", "86421") if word in place] == []


def test_a_secret_that_was_coerced_shows_in_no_event(with_password: Any) -> None:
    ares, events = with_password()
    assert ares.call_sync("login", {"password": 123456789, "pin": 86421}).success
    assert "123456789" not in repr(events)
    assert "86421" not in repr(events)


def test_a_name_that_holds_a_whole_call_is_shortened_and_without_secrets(with_password: Any) -> None:
    ares, events = with_password()
    result = ares.call_sync(f'login(url="{URL}", {"x" * 5000})')
    for place in (result.text, repr(events)):
        assert [secret for secret in SECRETS if secret in place] == []
        assert len(place) < 2_000


def test_an_approver_sees_the_call_as_it_is_and_events_do_not(with_password: Any) -> None:
    seen: list[Any] = []

    def approver(request: Approval) -> bool:
        seen.append(request.call.arguments)
        return True

    ares, events = with_password(approver=approver)
    ares.register(Tool("pay", "", {}, lambda arguments, context: None, requires_approval=True))
    ares.call_sync("pay", {"password": "swordfish"})
    assert seen == [{"password": "swordfish"}]
    assert "swordfish" not in repr(events)


def test_if_redaction_fails_the_text_is_withheld(ares: Ares) -> None:
    class Broken(Redactor):
        has_own = True

        def __init__(self) -> None:
            """Without patterns."""

        def text(self, text: str, secrets: Any = ()) -> str:
            raise RuntimeError("redaction is down")

        def data(self, value: Any, secrets: Any = ()) -> Any:
            raise RuntimeError("redaction is down")

    events: list[Event] = []
    ares.on_event(events.append)
    ares.runner.redactor = Broken()
    ares.register(Tool("say", "", {}, lambda arguments, context: "hello there", effects=QUIET))
    result = ares.call_sync(ToolCall("say", {"to": "somebody"}))
    assert result.success
    assert "hello there" not in result.text
    assert "withheld" in result.text
    assert "somebody" not in repr(events)


@pytest.mark.parametrize(
    "text",
    [
        "password=" * 20_000,
        "pass" * 50_000,
        "://" * 50_000 + ":" * 50_000,
        "key='" + "\\'" * 50_000,
        "-----begin " * 20_000,
        "bearer " * 30_000,
        "a@" * 100_000,
        'token="' + "x" * 200_000,
        "x" * 500_000,
    ],
    ids=lambda text: text[:12],
)
def test_hostile_text_is_looked_at_once(text: str) -> None:
    began = time.process_time()
    Redactor().text(text)
    assert time.process_time() - began < 30


@given(st.text(max_size=60), st.text("abc123", min_size=6, max_size=12), st.text(max_size=60))
def test_a_known_secret_is_gone_whatever_surrounds_it(before: str, secret: str, after: str) -> None:
    assert secret not in Redactor().text(f"{before}{secret}{after}", [secret]).replace(MASK, "")


@given(st.text(max_size=200))
def test_redacting_twice_is_redacting_once_and_never_fails(text: str) -> None:
    once = Redactor().text(text)
    assert Redactor().text(once) == once

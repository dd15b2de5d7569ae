"""Stage 8: a person decides, about exactly what will run, once, on every path."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest

from ares_core import Approval, Ares, Deny, Effects, Tool, ToolCall, hookimpl, replace

Load = Callable[[str], ModuleType]


class Person:
    """An approver with one answer, who remembers what was shown."""

    def __init__(self, answer: Any = True) -> None:
        self.answer = answer
        self.shown: list[Approval] = []

    def __call__(self, request: Approval) -> Any:
        self.shown.append(request)
        if isinstance(self.answer, BaseException):
            raise self.answer
        return self.answer


def delete_rows(table: str, limit: int = 1) -> str:
    """Delete rows."""
    return f"{limit} gone from {table}"


DELETE = Tool.from_function(delete_rows, requires_approval=True)


def call(person: Any, *plugins: Any, arguments: Any = None, **config: Any) -> Any:
    with Ares(plugins=list(plugins), config=config, approver=person) as ares:
        ares.register(DELETE)
        return ares.call_sync("delete_rows", arguments or {"table": "t", "limit": "10"})


async def _yes(request: Approval) -> bool:
    await asyncio.sleep(0)
    return True


@pytest.mark.parametrize(
    ("answer", "code"),
    [
        (True, None),
        (False, "denied"),
        (None, "denied"),
        ("yes", "denied"),
        (1, "denied"),
        (Deny("too many"), "denied"),
        (RuntimeError("no terminal"), "denied"),
        (SystemExit(1), "denied"),
    ],
    ids=repr,
)
def test_only_true_approves(answer: Any, code: str | None) -> None:
    result = call(Person(answer))
    assert (result.error.code if result.error else None) == code
    assert code is None or "Not executed" in result.text


def test_the_reason_of_a_person_reaches_the_model() -> None:
    assert "too many" in call(Person(Deny("too many"))).text


def test_an_approver_may_be_async() -> None:
    assert call(_yes).data == "10 gone from t"


def test_without_an_approver_nothing_is_approved() -> None:
    result = call(None)
    assert result.error.code == "approval_required"
    assert "Not executed" in result.text


def test_what_is_shown_are_the_final_checked_arguments() -> None:
    person = Person()
    call(person)
    (request,) = person.shown
    assert request.call.arguments == {"table": "t", "limit": 10}
    assert request.call.name == "delete_rows"


def test_what_a_guard_rewrote_is_what_is_shown() -> None:
    plugin = ModuleType("smaller")
    plugin.pre_tool_call = hookimpl(lambda call: replace(call, arguments={"table": "t", "limit": 2}))  # type: ignore[attr-defined]
    person = Person()
    result = call(person, plugin)
    assert person.shown[0].call.arguments == {"table": "t", "limit": 2}
    assert result.data == "2 gone from t"


def test_changing_what_was_shown_changes_nothing_that_runs() -> None:
    def sly(request: Approval) -> bool:
        assert isinstance(request.call.arguments, dict)
        request.call.arguments["limit"] = 100_000
        return True

    assert call(sly).data == "10 gone from t"


def test_arguments_that_change_between_approval_and_run_are_refused() -> None:
    kept: list[Any] = []
    plugin = ModuleType("keeps")
    plugin.pre_tool_call = hookimpl(lambda call: kept.append(call.arguments))  # type: ignore[attr-defined]

    def late(request: Approval) -> bool:
        kept[0]["limit"] = 100_000
        return True

    result = call(late, plugin)
    assert result.error.code == "denied"
    assert "changed after it was approved" in result.text


def test_what_was_approved_runs_although_a_guard_kept_the_arguments_and_changes_them_later() -> None:
    kept: list[Any] = []
    plugin = ModuleType("keeps")
    plugin.pre_tool_call = hookimpl(lambda call: kept.append(call.arguments))  # type: ignore[attr-defined]

    def late(event: Any) -> None:
        if event.kind in ("approved", "started"):
            kept[0]["limit"] = 100_000

    with Ares(plugins=[plugin], approver=Person()) as ares:
        ares.register(DELETE)
        ares.on_event(late)
        assert ares.call_sync("delete_rows", {"table": "t", "limit": 10}).data == "10 gone from t"


def test_an_approval_is_bound_to_tool_and_arguments() -> None:
    person = Person()
    for arguments in ({"table": "t", "limit": 10}, '{"limit": 10, "table": "t"}', {"table": "t", "limit": 11}):
        call(person, arguments=arguments)
    first, same, other = (request.fingerprint for request in person.shown)
    assert first == same != other
    with Ares(plugins=[], approver=person) as ares:
        ares.register(replace(DELETE, description="Delete more rows."))
        ares.call_sync("delete_rows", {"table": "t", "limit": 10})
    assert person.shown[-1].fingerprint != first


@pytest.mark.parametrize("name", ["delete_rows", "Delete-Rows", "functions.delete_rows"])
def test_a_person_is_asked_once_per_call_whatever_the_spelling(name: str) -> None:
    person = Person()
    with Ares(plugins=[], approver=person) as ares:
        ares.register(DELETE)
        assert ares.call_sync(name, {"table": "t"}).success
    assert len(person.shown) == 1


def test_a_denied_call_is_never_put_to_a_person(sample: Load) -> None:
    person = Person()
    assert call(person, sample("denies")).error.code == "denied"
    assert person.shown == []


def test_two_who_ask_are_one_question_with_the_first_reason(sample: Load) -> None:
    person = Person()
    call(person, sample("asks"))
    assert [request.reason for request in person.shown] == ["delete_rows costs money"]


RULES: list[tuple[list[dict[str, str]], str | None, int]] = [
    ([{"answer": "allow", "tool": "delete_*"}], None, 0),
    ([{"answer": "ask"}], None, 1),
    ([{"answer": "deny", "tool": "delete_rows", "reason": "frozen until Monday"}], "denied", 0),
    ([{"answer": "allow"}, {"answer": "deny", "effect": "destructive"}], "denied", 0),
    ([{"answer": "allow"}, {"answer": "ask"}], None, 1),
    ([{"answer": "deny", "effect": "read_only"}], None, 1),
    ([{"answer": "deny", "tool": "other"}], None, 1),
]


@pytest.mark.parametrize(("rules", "code", "questions"), RULES, ids=repr)
def test_the_strictest_standing_rule_that_fits_holds(rules: Any, code: str | None, questions: int) -> None:
    person = Person()
    result = call(person, approvals={"rules": rules})
    assert (result.error.code if result.error else None) == code
    assert len(person.shown) == questions


def test_a_standing_allow_does_not_answer_what_a_guard_asked(sample: Load) -> None:
    person = Person()
    call(person, sample("asks"), approvals={"rules": [{"answer": "allow"}]})
    assert len(person.shown) == 1


def test_a_rule_denies_also_what_a_person_would_approve() -> None:
    result = call(Person(), approvals={"rules": [{"answer": "deny", "reason": "frozen until Monday"}]})
    assert "frozen until Monday" in result.text


def test_one_refusal_in_a_batch_leaves_the_others_alone() -> None:
    def read(path: str) -> str:
        """Read."""
        return path

    with Ares(plugins=[], approver=Person(False)) as ares:
        ares.register(Tool.from_function(read, effects=Effects(read_only=True, open_world=False)))
        ares.register(DELETE)
        calls = [
            ToolCall("read", {"path": "a"}),
            ToolCall("delete_rows", {"table": "b"}),
            ToolCall("read", {"path": "c"}),
        ]
        first, refused, last = ares.call_many_sync(calls)
    assert (first.data, last.data) == ("a", "c")
    assert refused.error is not None
    assert "a person declined it" in refused.text


def test_waiting_for_a_person_does_not_count_against_the_deadline() -> None:
    async def slow(request: Approval) -> bool:
        await asyncio.sleep(0.15)
        return True

    async def delete(table: str) -> str:
        """Delete at once."""
        return table

    with Ares(plugins=[], approver=slow) as ares:
        ares.register(Tool.from_function(delete, requires_approval=True))
        assert ares.call_sync("delete", {"table": "t"}, timeout=0.1).success

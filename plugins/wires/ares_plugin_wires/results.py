"""What goes back to a provider for each result."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ares_core import Result

from .calls import strict_object


def told(result: Result) -> str:
    """Give the text that the model reads; there always is one, since providers refuse an empty or blank answer."""
    if result.text.strip():
        return result.text
    return (result.error.message if result.error else "") or ("(blank text)" if result.text else "(no output)")


def told_in_words(result: Result) -> str:
    """Give the text for a provider that takes no images here, with a word on those that are left out."""
    if left_out := len(images(result)):
        return f"{told(result)}\n({left_out} image{'s' * (left_out > 1)} left out: only text can be sent here)"
    return told(result)


def structured(result: Result) -> dict[str, Any] | None:
    """Give the answer as an object, for providers that take one, if that is what its text says.

    >>> structured(Result(success=True, text='{"sum": 5}')), structured(Result(success=True, text="5"))
    ({'sum': 5}, None)
    """
    text = result.text
    return strict_object(text) if result.success and text.startswith("{") and text.endswith("}") else None


def images(result: Result) -> list[tuple[str, str]]:
    """Give the images of a result, as media type and base64 text.

    A tool or a formatting plugin puts them into ``metadata["images"]``, each as
    ``{"media_type": "image/png", "data": "<base64>"}``.
    """
    found = result.metadata.get("images")
    if not isinstance(found, list | tuple):
        return []
    pairs = ((image.get("media_type"), image.get("data")) for image in found if isinstance(image, Mapping))
    return [(kind, data) for kind, data in pairs if isinstance(kind, str) and isinstance(data, str)]


def data_address(media_type: str, data: str) -> str:
    """Give an image as a ``data:`` address."""
    return f"data:{media_type};base64,{data}"


def called(result: Result) -> str:
    """Give the name of the tool that a result came from."""
    return result.call.name if result.call else "the tool"

"""What the section ``embedding`` of the configuration may say."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Annotated, Any

import msgspec

from ares_core import ConfigError

_ADDRESS = re.compile(r"https?://[^\s/?#@{}]{1,255}(/[^\s?#@{}]{0,1000})?", re.IGNORECASE)
Prefix = Annotated[str, msgspec.Meta(max_length=1000)]


class Settings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Who makes the vectors: the local model, or with ``base_url`` a server that speaks as OpenAI's does.

    ``model`` is the name that the server knows, ``dimensions`` what it is asked for if it can choose, ``batch_size``
    how many texts go into one request. The prefixes are put before texts of either kind.
    """

    base_url: str | None = None
    model: Annotated[str, msgspec.Meta(min_length=1, max_length=200)] | None = None
    api_key: Annotated[str, msgspec.Meta(pattern=r"\A[!-~]{1,1000}\Z")] | None = None
    dimensions: Annotated[int, msgspec.Meta(ge=1, le=8192)] | None = None
    batch_size: Annotated[int, msgspec.Meta(ge=1, le=128)] = 32
    query_prefix: _ADDRESS = re.compile(r"https?://[^\s/?#@{}]{1,255}(/[^\s?#@{}]{0,1000})?", re.IGNORECASE)
Prefix = ""
    passage_prefix: _ADDRESS = re.compile(r"https?://[^\s/?#@{}]{1,255}(/[^\s?#@{}]{0,1000})?", re.IGNORECASE)
Prefix = ""


def checked(section: Mapping[str, Any]) -> Settings:
    """Check the section; numbers may be text, as they are when they come from the environment.

    >>> checked({"base_url": "http://localhost:11434/v1", "model": "bge-m3", "batch_size": "16"}).batch_size
    16
    """
    try:
        settings = msgspec.convert(dict(section), Settings, strict=False)
    except msgspec.ValidationError as error:
        raise ConfigError(f"embedding: {error}; there are {', '.join(Settings.__struct_fields__)}") from None
    if settings.base_url is not None and not _ADDRESS.fullmatch(settings.base_url):
        raise ConfigError(
            "embedding.base_url: expected the address of a server, such as http://localhost:11434/v1, without "
            f"credentials and query, got {settings.base_url[:80]!r}"
        )
    if settings.base_url and not settings.model:
        raise ConfigError("embedding.model is missing: the name of a model that the server at embedding.base_url has")
    if not settings.base_url and any(value is not None for value in section.values()):
        raise ConfigError("embedding.base_url is missing: the address of a server, such as http://localhost:11434/v1")
    return settings

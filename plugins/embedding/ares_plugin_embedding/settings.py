"""What the section ``embedding`` of the configuration may say."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct

from ares_core import ConfigError

Address = Annotated[
    str,
    Meta(
        pattern=r"\Ahttps?://[^\s/?#@{}]{1,255}(/[^\s?#@{}]{0,1000})?\Z",
        description="the address of a server without credentials and query, such as http://localhost:11434/v1",
    ),
]
ModelName = Annotated[str, Meta(min_length=1, max_length=200, description="the name of a model")]
Dimensions = Annotated[int, Meta(ge=1, le=8192, description="a whole number from 1 to 8192")]
BatchSize = Annotated[int, Meta(ge=1, le=128, description="a whole number from 1 to 128")]
Prefix = Annotated[str, Meta(max_length=1000, description="a text of up to 1000 characters")]


class Settings(Struct, frozen=True):
    """Who makes the vectors: the local model, or with ``base_url`` a server that speaks as OpenAI's does.

    ``model`` is the name that the server knows, ``dimensions`` what it is asked for if it can choose, ``batch_size``
    how many texts go into one request. The prefixes are put before texts of either kind.

    >>> Settings(base_url="http://localhost:11434/v1", model="bge-m3").batch_size
    32
    """

    base_url: Address | None = None
    model: ModelName | None = None
    api_key: str | None = None
    dimensions: Dimensions | None = None
    batch_size: BatchSize = 32
    query_prefix: Prefix = ""
    passage_prefix: Prefix = ""

    def __post_init__(self) -> None:
        """Refuse settings of which one needs another, and a key that can't be sent, without showing it."""
        if self.base_url and not self.model:
            raise ConfigError("embedding.model is missing: the name of a model that the server at base_url has")
        if self.model and not self.base_url:
            raise ConfigError("embedding.base_url is missing: the address of the server that has the model")
        if self.api_key is not None and not (self.api_key.isascii() and self.api_key.isprintable()):
            raise ConfigError("embedding.api_key: expected a key in printable ASCII characters")

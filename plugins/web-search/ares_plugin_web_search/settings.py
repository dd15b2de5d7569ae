"""What the section ``web_search`` of the configuration may say."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

from ares_core import ConfigError

Engine = Literal["duckduckgo", "mojeek", "brave"]
PROVIDERS = ("searxng", "duckduckgo", "mojeek", "brave")


class Settings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Who answers, and where.

    ``base_url`` is the address of a SearXNG, which then is the provider; for the others, which need no key, it stands
    in for their own address.
    """

    provider: Literal["searxng", "duckduckgo", "mojeek", "brave"] | None = None
    base_url: Annotated[
        str,
        msgspec.Meta(
            pattern=r"\A(?:https?://\S+)?\Z", max_length=2000, description="an address such as http://localhost:8888"
        ),
    ] = ""
    safe_search: Literal["off", "moderate", "strict"] = "moderate"

    def __post_init__(self) -> None:
        if self.provider == "searxng" and not self.base_url:
            raise ConfigError(
                "web_search.base_url is missing: the address of the SearXNG, such as http://localhost:8888"
            )
        if self.base_url and self.provider is None:
            msgspec.structs.force_setattr(self, "provider", "searxng")

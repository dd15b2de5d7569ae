"""What the section ``web_search`` of the configuration may say."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

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
    base_url: Annotated[str, msgspec.Meta(pattern=r"\A(?:https?://\S+)?\Z", max_length=2000)] = ""
    safe_search: Literal["off", "moderate", "strict"] = "moderate"


def checked(section: Mapping[str, Any]) -> Settings:
    """Check the section.

    >>> checked({"base_url": "http://localhost:8888"}).provider
    'searxng'
    """
    try:
        settings = msgspec.convert(dict(section), Settings, strict=False)
    except msgspec.ValidationError as error:
        known = ", ".join(Settings.__struct_fields__)
        raise ConfigError(f"web_search: {error}; there are {known}; providers are {', '.join(PROVIDERS)}") from None
    if settings.provider == "searxng" and not settings.base_url:
        raise ConfigError("web_search.base_url is missing: the address of the SearXNG, such as http://localhost:8888")
    if settings.base_url and settings.provider is None:
        return msgspec.structs.replace(settings, provider="searxng")
    return settings

"""From the name of a model, such as ``openai:gpt-4o``, to who is asked, where, and with which key."""

from __future__ import annotations

import os
from ipaddress import ip_address
from urllib.parse import urlsplit

from msgspec import Struct

from ares_core import ConfigError
from ares_plugin_agent.providers import PROVIDERS, Place, Provider

_LOCAL_NAMES = ("localhost", "host.docker.internal")
_LOCAL_ENDS = (".localhost", ".local", ".internal", ".lan")


class Model(Struct, frozen=True):
    """A model that can be asked; ``address`` has no slash at its end."""

    full_name: str
    name: str
    provider: Provider
    address: str
    key: str = ""

    def __repr__(self) -> str:
        return f"Model({self.full_name!r} at {self.address})"  # without the key


def find(full_name: str, base_url: str | None = None, api_key: str | None = None) -> Model:
    """Find who is asked for a model. With ``base_url`` a name without a provider is one of chat completions.

    >>> find("openai:gpt-4o", "http://localhost:8080").address
    'http://localhost:8080/v1'
    """
    if not full_name:
        raise ConfigError(
            "no model is named; give one, such as --model openai:gpt-4o, or set agent.model in ares.yaml "
            "(in Python: Agent(ares, model='openai:gpt-4o'))"
        )
    prefix, name = _split(full_name, base_url)
    provider, place = PROVIDERS[prefix]
    address = _address(provider, place, base_url)
    return Model(full_name, name, provider, address, api_key or _key(full_name, place, address))


def _split(full_name: str, base_url: str | None) -> tuple[str, str]:
    prefix, colon, name = full_name.partition(":")
    if colon and prefix in PROVIDERS and name:
        return prefix, name
    if base_url and prefix not in PROVIDERS:
        return "openai", full_name
    raise ConfigError(
        f"model {full_name!r:.80} names no provider; write PROVIDER:MODEL, such as openai:gpt-4o, with one of "
        f"{', '.join(PROVIDERS)}; or give the address of a server that speaks chat completions (--base-url, base_url)"
    )


def _address(provider: Provider, place: Place, base_url: str | None) -> str:
    given = base_url or (os.environ.get(place.variable) if place.variable else None) or _own(place.address)
    if "://" not in given:
        given = f"http://{given}"
    try:
        parts = urlsplit(given)
        is_sound = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        is_sound = False
    if not is_sound:
        raise ConfigError(f"{given!r:.200} is no address of a server, such as http://localhost:8080/v1")
    return given.rstrip("/") + (provider.root if parts.path in ("", "/") else "")


def _own(address: str) -> str:
    """Fill in the region where a provider's address has one."""
    if "{AWS_REGION}" not in address:
        return address
    region = os.environ.get("AWS_REGION") or os.environ.get("AWS_DEFAULT_REGION")
    if not region:
        raise ConfigError("AWS_REGION is not set; name the region of Bedrock, such as us-east-1, or give base_url")
    return address.replace("{AWS_REGION}", region)


def _key(full_name: str, place: Place, address: str) -> str:
    for variable in place.keys:
        if key := os.environ.get(variable, "").strip():
            return key
    if is_local(address):
        return ""
    others = f" (or {', '.join(place.keys[1:])})" if place.keys[1:] else ""
    raise ConfigError(
        f"{place.keys[0]}{others} is not set, and {full_name!r:.80} at {address} needs a key; "
        f"set it in the environment, or name a local server with --base-url (agent.base_url)"
    )


def is_local(address: str) -> bool:
    """Whether an address is one of this machine or network, where servers ask for no key.

    >>> is_local("http://10.0.0.5:8000/v1"), is_local("https://api.openai.com/v1")
    (True, False)
    """
    host = (urlsplit(address).hostname or "").lower()
    try:
        return not ip_address(host).is_global
    except ValueError:
        return "." not in host or host in _LOCAL_NAMES or host.endswith(_LOCAL_ENDS)

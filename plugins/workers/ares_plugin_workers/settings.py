"""What the section ``workers`` of the configuration says: where the NATS server is, and how one is let in."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from typing import Annotated

import msgspec
from msgspec import Meta, Struct

from ares_core import ConfigError

Seconds = Annotated[float, Meta(gt=0, le=3_600, description="seconds, a number above 0")]
FILLED = ("url", "user", "password", "token", "creds", "tls_ca", "tls_cert", "tls_key")
_ONE = r"(?:(?:nats|tls)://|\$\{)[^\s,]+"
Url = Annotated[
    str, Meta(pattern=rf"\A(?:|{_ONE}(?:,\s*{_ONE})*)\Z", description="nats://HOST:PORT or tls://HOST:PORT")
]  # fmt: skip
_VARIABLE = re.compile(r"\$\{(?:env:)?([A-Za-z_][A-Za-z0-9_]*)\}")


class Settings(Struct, frozen=True, forbid_unknown_fields=True):
    """The section ``workers``.

    ``url`` is where the NATS server is, several with commas between them; unset means that there are no workers.
    ``user`` with ``password``, ``token`` and ``creds``, a file, are ways to be let in; ``${NAME}`` in them stands for a
    secret. ``prefix`` keeps the subjects of one installation apart from another's. Definitions wait ``wait`` seconds
    for workers; one that says nothing for ``silence`` seconds in the middle of a call counts as lost.
    """

    url: Url = ""
    user: str = ""
    password: str = ""
    token: str = ""
    creds: str = ""
    tls_ca: str = ""
    tls_cert: str = ""
    tls_key: str = ""
    tls_hostname: str = ""
    prefix: Annotated[str, Meta(pattern=r"\A[A-Za-z0-9_-]{1,40}\Z", description="a word of letters and digits")] = (
        "ares"
    )
    wait: Seconds = 2.0
    silence: Seconds = 5.0
    max_message_bytes: Annotated[int, Meta(ge=10_000, le=1_000_000_000)] = 16_000_000


def without_secret(url: str) -> str:
    """Give an address as it may be shown.

    >>> without_secret("nats://me:word@host:4222")
    'nats://host:4222'
    """
    scheme, mark, rest = url.partition("://")
    return f"{scheme}{mark}{rest.rpartition('@')[2]}" if mark else url.rpartition("@")[2]


def filled(settings: Settings, secrets: Mapping[str, str]) -> Settings:
    """Put in what ``${NAME}`` stands for: a secret of the program's, else a variable of the environment."""

    def value_of(found: re.Match[str]) -> str:
        value = secrets.get(found[1], os.environ.get(found[1]))
        if value is None:
            raise ConfigError(f"workers: ${{{found[1]}}} is neither a secret nor a variable")
        return value

    return msgspec.structs.replace(settings, **{key: _VARIABLE.sub(value_of, getattr(settings, key)) for key in FILLED})


def servers(settings: Settings) -> list[str]:
    """Give the addresses, one by one."""
    return [url.strip() for url in settings.url.split(",") if url.strip()]

"""Host names as the resolver takes them, and names that never lead to the public internet."""

from __future__ import annotations

import re

_NAME = re.compile(r"(?=.{1,253}\Z)[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63})*")
_PRIVATE = re.compile(r"(?:.*\.)?(?:localhost|localdomain|local|internal|home\.arpa)|ip6-localhost|ip6-loopback")


def ascii_name(host: str) -> str:
    """Give a host name in lower case, in ASCII and without the dot at the end; nothing for what is no host name.

    >>> ascii_name("Bücher.Example."), ascii_name("exa mple")
    ('xn--bcher-kva.example', '')
    """
    if not host.isascii():
        host = _from_unicode(host)
    name = host.lower().removesuffix(".")
    return name if _NAME.fullmatch(name) else ""


def is_private_name(name: str) -> bool:
    """Whether a name is set aside for one machine or one network, so that no public resolver is to be asked.

    >>> is_private_name("a.localhost"), is_private_name("localhost.example")
    (True, False)
    """
    return _PRIVATE.fullmatch(name) is not None


def _from_unicode(host: str) -> str:
    import idna

    try:
        return idna.encode(host, uts46=True).decode("ascii")
    except (idna.IDNAError, UnicodeError):
        return ""

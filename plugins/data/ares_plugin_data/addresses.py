"""Email and web addresses: whether they are written as the standards say. Nothing is looked up."""

from __future__ import annotations

import ipaddress
import re
from typing import Any

ATOM = re.compile(r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+")
LABEL = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?")
URL = re.compile(
    r"(?P<scheme>[A-Za-z][A-Za-z0-9+.-]*):(?://(?P<authority>[^/?#]*))?(?P<path>[^?#]*)"
    r"(?:\?(?P<query>[^#]*))?(?:#(?P<fragment>.*))?",
    re.DOTALL,
)
ALLOWED = re.compile(r"[A-Za-z0-9._~:/?#\[\]@!$&'()*+,;=%-]")
BAD_PERCENT = re.compile(r"%(?![0-9A-Fa-f]{2})")
SCHEMES = {"http": 80, "https": 443, "ws": 80, "wss": 443, "ftp": 21, "ftps": 990}
LONGEST_URL = 8_000


def check_email(text: str) -> dict[str, Any]:
    """Check an address of RFC 5321, as mail systems take it: no comments, no quoted names, a domain with a dot.

    >>> check_email("ada@example.org")["domain"]
    'example.org'
    >>> check_email("ada@example")["error"]
    "the domain 'example' has no dot"
    """
    local, at, domain = text.rpartition("@")
    reason = _why_no_email(text, local, at, domain)
    if reason:
        return {"valid": False, "error": reason}
    ascii_domain = _ascii(domain)
    more = {"ascii_domain": ascii_domain} if ascii_domain != domain else {}
    return {"valid": True, "local_part": local, "domain": domain, **more}


def _why_no_email(text: str, local: str, at: str, domain: str) -> str:
    if not text:
        return "the text is empty"
    if text != text.strip() or any(letter.isspace() or not letter.isprintable() for letter in text):
        return "it holds white space or a control character"
    if not at:
        return "there is no '@'"
    if "@" in local:
        return "there is more than one '@'"
    if len(text.encode("utf-8", "replace")) > 254:
        return f"it has {len(text)} characters; at most 254 bytes are allowed"
    return _why_no_local_part(local) or why_no_domain(domain, needs_dot=True)


def _why_no_local_part(local: str) -> str:
    if not local:
        return "there is nothing before the '@'"
    if len(local.encode("utf-8", "replace")) > 64:
        return f"the part before the '@' has {len(local)} characters; at most 64 bytes are allowed"
    if local.startswith('"'):
        return "the part before the '@' is quoted, which most mail systems refuse"
    if local.startswith(".") or local.endswith(".") or ".." in local:
        return "a dot before the '@' stands at an end or beside another"
    odd = next((letter for letter in local if letter.isascii() and letter != "." and not ATOM.fullmatch(letter)), None)
    return f"{odd!r} is not allowed before the '@'" if odd else ""


def why_no_domain(domain: str, *, needs_dot: bool) -> str:
    """Say why a text is no domain name; nothing if it is one."""
    if not domain:
        return "the domain is missing"
    if domain.startswith("["):
        return "the domain is an IP address in brackets, which most systems refuse"
    ascii_domain = _ascii(domain)
    if ascii_domain is None:
        return f"the domain {domain[:80]!r} can't be written in ASCII"
    if len(ascii_domain) > 253:
        return f"the domain has {len(ascii_domain)} characters; at most 253 are allowed"
    labels = ascii_domain.split(".")
    bad = next((label for label in labels if not LABEL.fullmatch(label)), None)
    if bad is not None:
        return (
            f"the domain has the part {bad[:80]!r}; parts have 1 to 63 letters, digits and hyphens, no hyphen at an end"
        )
    if needs_dot and len(labels) < 2:
        return f"the domain {domain[:80]!r} has no dot"
    if needs_dot and (len(labels[-1]) < 2 or labels[-1].isdigit()):
        return f"the domain ends in {labels[-1]!r}, which is no top-level domain"
    return ""


def _ascii(domain: str) -> str | None:
    if domain.isascii():
        return domain
    try:
        return domain[:300].encode("idna").decode("ascii")
    except UnicodeError:
        return None


def check_url(text: str) -> dict[str, Any]:
    """Check a web address of RFC 3986: a scheme that is used on the web, a host, and no stray characters.

    >>> check_url("https://example.org:8080/a?b=c")["port"]
    8080
    >>> check_url("example.org/a")["error"]
    "there is no scheme such as 'https://'"
    """
    reason = _why_no_text(text)
    if reason:
        return _invalid_url(text, reason)
    found = URL.fullmatch(text)
    if found is None or found["authority"] is None and "://" not in text:
        scheme = found["scheme"].lower() if found else ""
        known = scheme in SCHEMES or found is None or "." in scheme or found["path"][:1].isdigit()
        unknown = f"the scheme {scheme!r} is none of {', '.join(SCHEMES)}"
        reason = "there is no scheme such as 'https://'" if known else unknown
        return _invalid_url(text, reason)
    return _check_parts(text, found)


def _why_no_text(text: str) -> str:
    if not text:
        return "the text is empty"
    if len(text) > LONGEST_URL:
        return f"it has {len(text):,} characters, more than {LONGEST_URL:,}"
    odd = next((letter for letter in text if not ALLOWED.match(letter) and letter.isascii()), None)
    if odd:
        return f"{odd!r} at position {text.index(odd)} is not allowed; it is written %{ord(odd):02X}"
    bad = BAD_PERCENT.search(text)
    return f"the '%' at position {bad.start()} is not followed by two hexadecimal digits" if bad else ""


def _check_parts(text: str, found: re.Match[str]) -> dict[str, Any]:
    scheme = found["scheme"].lower()
    if scheme not in SCHEMES:
        return _invalid_url(text, f"the scheme {scheme!r} is none of {', '.join(SCHEMES)}")
    user, has_user, place = (found["authority"] or "").rpartition("@")
    host, port, reason = _host_and_port(place)
    reason = reason or ("there is an '@' in the user's name" if "@" in user else "")
    if reason:
        return _invalid_url(text, reason)
    facts: dict[str, Any] = {"scheme": scheme, "host": host, "port": port or SCHEMES[scheme], "path": found["path"]}
    facts |= {name: found[name] for name in ("query", "fragment") if found[name] is not None}
    if has_user:
        facts["has_user"] = True
    if not text.isascii():
        return _invalid_url(text, "it holds letters outside ASCII, which are written in percent signs and xn--")
    return {"valid": True, **facts}


def _host_and_port(place: str) -> tuple[str, int | None, str]:
    """Cut ``host:port``; the third says what is wrong with them."""
    found = re.fullmatch(r"(\[[^\[\]]*\]|[^:\[\]]*)(?::([^:]*))?", place)
    if not found:
        return "", None, f"the host {place[:80]!r} can't be read; an IPv6 address stands in brackets"
    host, port = found[1], found[2]
    if port and not (port.isascii() and port.isdigit() and len(port) <= 5 and int(port) <= 65535):
        return host, None, f"the port {port[:20]!r} is no number from 0 to 65535"
    return host, int(port) if port else None, _why_no_host(host)


def _why_no_host(host: str) -> str:
    if not host:
        return "the host is missing"
    try:
        if host.startswith("["):
            ipaddress.IPv6Address(host[1:-1])
            return ""
        if re.fullmatch(r"[0-9.]+", host):
            ipaddress.IPv4Address(host)
            return ""
    except ValueError:
        return f"the host {host[:80]!r} is no IP address"
    return why_no_domain(host.removesuffix("."), needs_dot=False).replace("domain", "host")


def _invalid_url(text: str, reason: str) -> dict[str, Any]:
    return {"valid": False, "error": reason}

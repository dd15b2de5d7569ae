"""What is said when an exchange fails."""

from __future__ import annotations

import ssl

LONGEST = 300


def shortened(text: str) -> str:
    """Cut what somebody else made long.

    >>> shortened("a" * 400)[-4:]
    'aaa…'
    """
    return text if len(text) <= LONGEST else text[:LONGEST] + "…"


def no_url(url: str, reason: str = "it can't be read as one") -> str:
    """The address can't be requested."""
    return f"{shortened(url)!r} is no address that can be requested: {reason}; nothing was sent"


def no_tls(url: str, error: BaseException) -> str:
    """The connection stands, but it can't be made a safe one."""
    cause: BaseException | None = error
    while cause is not None and not isinstance(cause, ssl.SSLError):
        cause = cause.__cause__ or cause.__context__
    if isinstance(cause, ssl.SSLCertVerificationError):
        return f"the certificate of {url} is not trusted ({cause.verify_message}); nothing was sent"
    reason = cause.reason if cause else None
    return f"no safe connection to {url} ({reason or 'the server broke it off'}); nothing was sent"


def too_late(url: str) -> str:
    """The time for the exchange is over."""
    return f"{url} did not answer in time"


def no_request(url: str) -> str:
    """The request is none that HTTP knows."""
    return (
        f"the request to {url} breaks the rules of HTTP: a header or the method has a character that must not be there"
    )


def broken_off(url: str, error: BaseException | None = None) -> str:
    """The answer ends before its end."""
    reason = shortened(str(error)).strip() if error else ""
    return f"the answer of {url} broke off" + (f" ({reason})" if reason else "")


def damaged(url: str) -> str:
    """The compressed body can't be undone."""
    return f"the answer of {url} is compressed, and damaged"


def unknown_encoding(url: str, encoding: str) -> str:
    """The body is compressed in a way that was not asked for."""
    return f"the answer of {url} is compressed with {encoding[:40]!r}, which was not asked for"


def too_large(url: str, limit: int, came: int, gave: int) -> str:
    """The answer is over the limit."""
    how = f"{came:,} bytes grew beyond" if gave > came else "it goes on after"
    return f"the answer of {url} is too large: {how} {limit:,} bytes (network.max_bytes), and the rest was not read"


def redirected(method: str, url: str, status: int, to: str) -> str:
    """How the way goes on."""
    return f"{method} {url} answered {status} and leads on to {to}"


def bad_redirect(method: str, url: str) -> str:
    """Where the way goes on can't be read."""
    return f"{method} {url} was answered with a redirect to what is no address"

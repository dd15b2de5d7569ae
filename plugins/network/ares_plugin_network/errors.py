"""What goes wrong on the way: one error, a ``ToolError``, so that no other plugin needs to know the HTTP library."""

from __future__ import annotations

from typing import Literal, Self

from ares_core import ToolError

Blame = Literal["tool", "input", "world"]


class NetworkError(ToolError):
    """A connection that is refused or fails, or an exchange that does.

    ``sent`` tells whether the request may have reached the server: if it may, something that is not idempotent
    must not be sent again.
    """

    def __init__(
        self, message: str, retriable: bool = False, hint: str | None = None, blame: Blame = "world", *,
        sent: bool = False,
    ) -> None:  # fmt: skip
        super().__init__(message, retriable, hint, blame)
        self.sent = sent

    def after(self, way: str) -> Self:
        """The same error, with the way that led there."""
        return type(self)(f"{way}: {self.message}", self.retriable, self.hint, self.blame, sent=True)

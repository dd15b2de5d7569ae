"""What is wrong with a document, in words; the words of the library are for those who write libraries."""

from __future__ import annotations

from typing import Any


class ProblemError(Exception):
    """Why a document can't be read, and what to do next."""

    def __init__(self, message: str, hint: str = "", blame: str = "input") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.blame = blame

    def told(self) -> dict[str, Any]:
        """Write it as a message."""
        return {"message": self.message, "hint": self.hint, "blame": self.blame}


TAIL = 2_048
NO_CRYPTOGRAPHY = ProblemError(
    "is encrypted with AES, and the package 'cryptography' that is needed to open it is not installed",
    "Let the operator install pypdf[crypto].",
    "world",
)


def problem_of(error: BaseException, data: bytes = b"") -> ProblemError:
    """Say what an error of the library means; ``data`` is the file, if that is what could not be read."""
    from pypdf import errors

    if isinstance(error, ProblemError):
        return error
    if isinstance(error, errors.DependencyError):
        return NO_CRYPTOGRAPHY
    if isinstance(error, errors.LimitReachedError):
        return ProblemError("unpacks to more, or holds more parts, than is read; it may be made to do harm")
    if isinstance(error, MemoryError):
        return ProblemError("needs more memory than reading a PDF may take")
    if isinstance(error, RecursionError):
        return ProblemError("is nested too deeply; it is damaged or made to do harm")
    if isinstance(error, NotImplementedError):
        return ProblemError("uses a part of the PDF format that can't be read here")
    if data and b"startxref" not in data[-TAIL:]:
        return ProblemError("is damaged and can't be read: its end is missing", "It may have been cut off on its way.")
    return ProblemError("is damaged and can't be read")


__all__ = ["ProblemError", "problem_of"]

"""Opening a document: its limits, its password, its pages."""

from __future__ import annotations

import io
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ares_plugin_pdf.worker.problems import ProblemError

if TYPE_CHECKING:
    from pypdf import PdfReader

HEAD = 1_100
END = b"%%EOF"
VERSION = re.compile(rb"%PDF-(\d{1,2}\.\d{1,2})")
MOST_WORK = 300_000
"""Steps of one page's content; a page full of text has about 10,000."""
MOST_RECOVERED = 2_000
MOST_ENTRIES = 10_000


def set_limits(unpacked: int) -> None:
    """Tell the library how far it may go before it gives up; no other program is ever asked."""
    from pypdf import overwrite_configuration

    filters = ("array_based_stream", "brotli", "jbig2", "lzw", "run_length", "zlib")
    outputs: dict[str, Any] = {f"{name}_maximum_output_length": unpacked for name in filters}
    overwrite_configuration(
        **outputs,
        maximum_declared_stream_length=2_000_000_000,
        zlib_maximum_recovery_input_length=1_000_000,
        stream_decoding_work_maximum_length=3 * unpacked,
        stream_parsing_work_maximum_count=MOST_WORK,
        xform_maximum_invocations_per_extraction=1_000,
        outline_maximum_entries=MOST_ENTRIES,
        form_fields_maximum_entries=MOST_ENTRIES,
        named_destinations_maximum_entries=MOST_ENTRIES,
        jbig2dec_binary=None,
    )


def opened(data: bytes, password: str | None) -> tuple[PdfReader, Mapping[str, Any]]:
    """Open a document; gives it and what is known of it at once."""
    from pypdf import PdfReader

    if END not in data[-HEAD:]:  # all else may be there
        data = data.rstrip(b"%EO \r\n") + b"\n" + END
    reader = PdfReader(io.BytesIO(data), root_object_recovery_limit=MOST_RECOVERED, xref_stream_maximum_entries=500_000)
    way = _unlocked(reader, password) if reader.is_encrypted else None
    count = len(reader.pages)
    if not count:
        raise ProblemError("has no pages; it is damaged")
    return reader, {"page_count": count, "encrypted": reader.is_encrypted, **({"opened_with": way} if way else {})}


def version(data: bytes) -> str:
    """Give the version of the format that a file names; others may stand before its mark.

    >>> version(b"HTTP/1.1 200 OK, %PDF-1.7 ...")
    '1.7'
    """
    found = VERSION.search(data, 0, HEAD)
    return found[1].decode() if found else "unknown"


def _unlocked(reader: PdfReader, password: str | None) -> str:
    """Open an encrypted document: without a password if that is enough, as readers do, else with the one given."""
    if reader.decrypt(""):
        return "no password"
    if not password:
        raise ProblemError("is encrypted and opens only with a password", "Give 'password'.")
    for given in (password, password.encode("utf-8", "replace")):
        kind = int(reader.decrypt(given))
        if kind:
            return "the user password" if kind == 1 else "the owner password"
    raise ProblemError("is encrypted, and the password is wrong", "Give the right 'password'.")


__all__ = ["opened", "set_limits", "version"]

"""Decompression in small pieces, so that a bomb is noticed by whoever counts them before it has gone off.

Only gzip and deflate are asked for, and nothing else is taken: their decoder can stop in the middle.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator

PIECE = 65_536
MOST_MEMBERS = 100
OFFERED = "gzip, deflate"
_GZIP, _ZLIB, _RAW = zlib.MAX_WBITS | 16, zlib.MAX_WBITS, -zlib.MAX_WBITS


class Inflate:
    """Undoes one content encoding; ``identity`` passes everything through.

    >>> inflate = Inflate("deflate")
    >>> b"".join(inflate.feed(zlib.compress(b"hello")))
    b'hello'
    """

    def __init__(self, encoding: str) -> None:
        self._is_gzip = encoding in ("gzip", "x-gzip")
        self.is_plain = encoding in ("", "identity")
        if not (self._is_gzip or self.is_plain or encoding == "deflate"):
            raise ValueError(encoding)
        self._decoder = zlib.decompressobj(_GZIP if self._is_gzip else _ZLIB)
        self._is_first = True
        self._members = 1

    @property
    def is_cut_off(self) -> bool:
        """Whether something came, but not the end of it."""
        return not (self.is_plain or self._is_first or self._decoder.eof)

    def feed(self, data: bytes) -> Iterator[bytes]:
        """Give what these bytes become, in pieces of at most 64 KB; raises ``zlib.error`` for what is damaged."""
        if self.is_plain or not data:
            yield data
            return
        if self._is_first:
            self._is_first = False
            self._decoder = self._fitting(data)
        while True:
            if self._decoder.eof:
                data = self._next_member(data)
                if not data:
                    return
            piece = self._decoder.decompress(data, PIECE)
            data = self._decoder.unused_data or self._decoder.unconsumed_tail
            if piece:
                yield piece
            if not (data or self._decoder.eof or len(piece) == PIECE):
                return

    def _fitting(self, data: bytes) -> zlib._Decompress:
        """Some servers send deflate without the header that belongs to it."""
        if self._is_gzip or len(data) < 2 or data[0] & 15 == 8 and (data[0] << 8 | data[1]) % 31 == 0:
            return self._decoder
        return zlib.decompressobj(_RAW)

    def _next_member(self, rest: bytes) -> bytes:
        """A gzip file may go on with another member; whatever else follows the end is no part of it."""
        if not self._is_gzip or rest[:1] != b"\x1f":
            return b""
        self._members += 1
        if self._members > MOST_MEMBERS:
            raise zlib.error("too many members")
        self._decoder = zlib.decompressobj(_GZIP)
        return rest

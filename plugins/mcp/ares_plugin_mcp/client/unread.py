"""Whether a process read what was written to it: one that ended before that did not end because of it."""

from __future__ import annotations

import os
from typing import Any


class Stdin:
    """A second hold on the way to a process, by which what it left unread can be counted after its end.

    As long as it is held the process sees no end of its stdin, so it is let go when it has said a word.
    """

    def __init__(self) -> None:
        self._held: int | None = None

    def hold(self, pipe: Any) -> None:
        """Hold a pipe, where that can be done."""
        if os.name == "posix" and not pipe.closed:
            self._held = os.dup(pipe.fileno())

    def is_unread(self) -> bool:
        """Whether something is known to lie there unread; where that can't be told, it counts as read."""
        return self._held is not None and _waiting(self._held) > 0

    def let_go(self) -> None:
        """Hold it no longer."""
        held, self._held = self._held, None
        if held is not None:
            os.close(held)


def _waiting(descriptor: int) -> int:
    import fcntl
    import struct
    import termios

    try:
        count: int = struct.unpack("i", fcntl.ioctl(descriptor, termios.FIONREAD, bytes(4)))[0]
    except OSError:
        return 0
    return count

"""``ares version``: show the versions."""

from __future__ import annotations

import platform
import sys

from ares_core.cli import options, output


@options.command()
def command() -> None:
    """Show the versions."""
    show()


def show() -> None:
    """Write the versions of the core and of Python."""
    from ares_core import __version__

    if options.current().as_json:
        output.document({"ares": __version__, "python": platform.python_version(), "platform": sys.platform})
    else:
        output.answer(f"ares {__version__} (Python {platform.python_version()})")

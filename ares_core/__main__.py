"""``python -m ares_core``: the command line; the package itself has dropped the working folder from the path."""

from ares_core.cli import main

main()

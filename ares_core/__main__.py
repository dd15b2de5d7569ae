"""``python -m ares_core``: the command line, without letting the working folder provide modules."""

import os
import sys

if not sys.flags.safe_path and sys.path[:1] == [os.getcwd()]:
    # -m puts the working folder first on the path, where an agent may be able to write a json.py or a click.py.
    del sys.path[0]

from ares_core.cli import main

main()

"""``ares init``: write a commented ares.yaml."""

from __future__ import annotations

import os

import click

from ares_core import config
from ares_core.cli import options, output
from ares_core.cli.ending import WRONG

TEXT = """\
# Configuration of Ares for this project; everything here may be left out.
# Strongest first: arguments, variables such as ARES_LIMITS__TIMEOUT=5, this file, ~/.config/ares/ares.yaml, defaults.
# Keys marked * count only after 'ares trust', because they widen what may run or be reached.

limits:
  timeout: 30              # seconds that a call may take, unless its tool says otherwise
#   max_parallel: 8        # calls that run at once

# guard:
#   max_identical_calls: 3 # how often a session may repeat a call that gives the same each time
#   budgets: {calls: 100}  # what one session may use up: calls, time, tokens

# approvals:
#   defer: true            # a call that finds nobody to approve it waits: see 'ares approvals'
#   rules:                 # deny, ask (a person has to agree) or *allow
#     - {answer: ask, effect: destructive}

# results:
#   max_tokens: 10000      # a longer result is cut, and says so
#   redact: ['\\bEMP-\\d+']  # regular expressions for what nobody may read, besides passwords and keys

# plugins:
#   block: [some-plugin]   # * not even imported

# A plugin's section has its name, with _ for -:
# store_sqlite:
#   max_events: 100000
"""


@options.command()
@click.option("--user", is_flag=True, help="Write the user's own file instead of one for this folder.")
def command(user: bool) -> int:
    """Write a commented ares.yaml.

    A file that exists is never overwritten.
    """
    folder = config.config_dir() if user else os.getcwd()
    path = os.path.join(folder, "ares.yaml")
    try:
        os.makedirs(folder, exist_ok=True)
        with open(path, "x", encoding="utf-8") as file:
            file.write(TEXT)
    except FileExistsError:
        return _told(path, False, f"{path} is there already, so nothing was written.")
    except OSError as error:
        return _told(path, False, f"{path} can't be written ({error.strerror}).")
    return _told(path, True, f"{path} is written; 'ares doctor' shows what is in force.")


def _told(path: str, written: bool, sentence: str) -> int:
    if options.current().as_json:
        error = {} if written else {"error": {"code": "usage", "message": sentence}}
        output.document({"success": written, "file": path, **error})
    else:
        (output.answer if written else output.error)(sentence)
    return 0 if written else WRONG

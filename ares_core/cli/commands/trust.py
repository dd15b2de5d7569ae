"""``ares trust``: let a project's configuration file count in full."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from typing import Any

import click

from ares_core import config
from ares_core.cli import options, output
from ares_core.cli.ending import FAILED
from ares_core.cli.opening import opened
from ares_core.config.documents import read


@options.command()
@click.argument("file", required=False, type=click.Path(dir_okay=False))
@click.option("--yes", "-y", is_flag=True, help="Do not ask.")
@click.option("--remove", is_flag=True, help="Take trust away from the file, whatever it says or ever said.")
def command(file: str | None, yes: bool, remove: bool) -> int:
    """Let a project's configuration file count in full.

    Shows the keys that widen what may run or be reached; on a terminal it asks. Trust is given to this file with
    this content. Without FILE it is the project's file.
    """
    path = os.path.abspath(file) if file else config.project_file()
    if path is None:
        raise click.UsageError("There is no ares.yaml or [tool.ares] in this project; name a file.")
    if remove:
        return _told(path, "is no longer trusted" if config.untrust(path) else "was not trusted", [], 0)
    values = read(path).values
    keys = config.widening_keys(values)
    if not keys:
        return _told(path, "sets nothing that needs trust", keys, 0)
    if config.is_trusted(path):
        return _told(path, "is trusted already", keys, 0)
    _check(path)
    for key in keys:
        output.note(f"{key}: {output.json_text(_value(values, key), indent=None)}")
    if not (yes or _agreed(path)):
        return _told(path, "is not trusted", keys, FAILED)
    if config.trust(path) != keys or read(path).values != values:
        config.untrust(path)
        return _told(path, "was changed meanwhile, so it is not trusted; look again", keys, FAILED)
    return _told(path, "is trusted, as long as it stays as it is", keys, 0)


def _check(path: str) -> None:
    """Raise ``ConfigError`` for what would end every later command: unknown keys, the plugins' too, wrong values."""
    wanted = config.load(path)
    with opened(warns=False) as ares:
        for name in ares.plugins.loaded():
            config.check_section(wanted, name, ares.hooks.configuration(name))


def _agreed(path: str) -> bool:
    """Whether the user wants it after seeing the keys; where nobody can be asked, the command itself has said so."""
    is_terminal = sys.stdin is not None and sys.stdin.isatty() and sys.stderr.isatty()
    return not is_terminal or click.confirm(f"Let {path} set this?", err=True)


def _told(path: str, what: str, keys: list[str], code: int) -> int:
    if options.current().as_json:
        output.document({"file": path, "state": what, "keys": keys, "trusted": code == 0 and config.is_trusted(path)})
    else:
        output.answer(f"{path} {what}.")
    return code


def _value(values: Any, key: str) -> Any:
    """Give what a dotted key holds; keys may have dots of their own."""
    if key == "approvals.rules (allow)":
        rules = values["approvals"]["rules"]
        return [rule for rule in rules if isinstance(rule, Mapping) and rule.get("answer") == "allow"]
    if not isinstance(values, Mapping):
        return None
    for name, inner in values.items():
        if key == str(name):
            return inner
        if key.startswith(f"{name}.") and (found := _value(inner, key[len(str(name)) + 1 :])) is not None:
            return found
    return None

"""``ares plugin``: write a new plugin."""

from __future__ import annotations

import os

import click

from ares_core.cli import options, output
from ares_core.cli.template import LONGEST, NewPlugin, legal_name
from ares_core.discovery import installed


@click.group(cls=options.Section)
def command() -> None:
    """Write a new plugin."""


@command.command()
@click.argument("name")
@click.option(
    "--dir", "parent", default=".", type=click.Path(exists=True, file_okay=False), help="Where to put its folder."
)
def new(name: str, parent: str) -> None:
    """Write a new plugin, whose tests pass, into a folder of its own.

    A folder that exists is never touched.
    """
    legal = legal_name(name)
    if legal is None:
        raise click.UsageError(
            f"{name!r} is no name for a plugin; take up to {LONGEST} letters a-z, digits and '-', a letter first."
        )
    plugin = NewPlugin(legal)
    folder = os.path.normpath(os.path.join(parent, plugin.folder))
    files = write(plugin, folder)
    if options.current().as_json:
        output.document({"name": plugin.name, "folder": folder, "files": files})
        return
    output.answer(f"{folder} is written: {', '.join(files)}")
    if plugin.name in installed():
        output.note(f"warning: a plugin {plugin.name!r} is installed already, and installing this one takes its place.")
    output.note(f"Go on with: pip install -e {folder} pytest && pytest {folder}")


def write(plugin: NewPlugin, folder: str) -> list[str]:
    """Write the files into a folder that must not exist yet."""
    from ares_core import __version__

    files = plugin.files(__version__)
    try:
        os.mkdir(folder)
        for path, text in files.items():
            target = os.path.join(folder, path)
            os.makedirs(os.path.dirname(target), exist_ok=True)
            with open(target, "x", encoding="utf-8") as file:
                file.write(text)
    except FileExistsError:
        raise click.UsageError(f"{folder} is there already, so nothing was written; take another name.") from None
    except OSError as error:
        raise click.UsageError(f"{folder} can't be written ({error.strerror}).") from None
    return list(files)

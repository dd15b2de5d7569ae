"""``ares completion``: print the completion script of a shell."""

from __future__ import annotations

import click

from ares_core.cli import options, output
from ares_core.cli.completing import VARIABLE


@options.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def command(context: click.Context, shell: str) -> None:
    """Print the completion script of a shell.

    \b
    ares completion bash > ~/.local/share/bash-completion/completions/ares
    ares completion zsh > "${fpath[1]}/_ares"
    ares completion fish > ~/.config/fish/completions/ares.fish
    """
    from click.shell_completion import get_completion_class

    found = get_completion_class(shell)
    if found is None:
        raise click.UsageError(f"There is no completion for {shell}.")
    script = found(context.find_root().command, {}, "ares", VARIABLE).source().strip()
    output.document({"shell": shell, "script": script}) if options.current().as_json else output.answer(script)

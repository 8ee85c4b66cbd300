"""``fivebook completion``."""

import click
from click.shell_completion import get_completion_class

from fivebook.cli import COMPLETE_VARIABLE, PROGRAM


@click.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def completion(ctx: click.Context, shell: str) -> None:
    """Print the script by which SHELL completes commands, options, game ids and book files.

    \b
    Examples:
      eval "$(fivebook completion bash)"   # in ~/.bashrc
      eval "$(fivebook completion zsh)"    # in ~/.zshrc
      fivebook completion fish > ~/.config/fish/completions/fivebook.fish
    """
    kind = get_completion_class(shell)
    assert kind is not None
    click.echo(kind(ctx.find_root().command, {}, PROGRAM, COMPLETE_VARIABLE).source())

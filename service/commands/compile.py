"""``fivebook compile``."""

import click

from service.warm import load_searchers


@click.command("compile")
def compile_kernels() -> None:
    """Compile the search of every game ahead of its first use.

    The machine code is kept: later commands start without the wait. A later version compiles
    anew, and what an earlier one left is deleted.

    \b
    Example:
      fivebook compile
    """
    load_searchers(lambda game: click.echo(f"compiling {game.title}", err=True))
    from engine.kernels import cache_folder, drop_outdated_caches

    drop_outdated_caches()
    click.echo(f"compiled code is in {cache_folder()}", err=True)

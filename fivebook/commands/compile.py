"""``fivebook compile``."""

import click

from engine.warm import load_agents, load_provers, load_searchers
from fivebook.console import echo


@click.command("compile")
def compile_kernels() -> None:
    """Compile searches, provers and the published agents ahead of their first use.

    The machine code is kept: later commands start without the wait. A later version compiles
    anew, and what an earlier one left is deleted.

    \b
    Example:
      fivebook compile
    """
    load_searchers(lambda game: _announce(game.title))
    load_provers(_announce)
    load_agents(_announce)
    from engine.kernels import cache_folder, drop_outdated_caches, load_all

    load_all()
    drop_outdated_caches()
    echo(f"compiled code is in {cache_folder()}", err=True)


def _announce(what: str) -> None:
    echo(f"compiling {what}", err=True)

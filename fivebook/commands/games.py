"""``fivebook games``."""

import click

from engine.registry import families
from fivebook.console import print_json
from fivebook.options import json_option


@click.command()
@json_option
def games(as_json: bool) -> None:
    """List the games, their ids and options.

    \b
    Examples:
      fivebook games
      fivebook games --json
    """
    if as_json:
        print_json(
            [
                {
                    "family": family.name,
                    "title": family.title,
                    "ids": family.ids,
                    "options": family.options,
                    "examples": family.examples,
                }
                for family in families()
            ]
        )
        return
    for family in families():
        click.echo(family.title)
        click.echo(f"  ids       {family.ids}")
        click.echo(f"  options   {family.options}")
        click.echo(f"  examples  {', '.join(family.examples)}")

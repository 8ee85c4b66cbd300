"""The `fivebook` command, which loads each command by name when it is asked for."""

import errno
import importlib
import os
import sys
from typing import Any, NamedTuple

import click

from engine import __version__
from engine.errors import FivebookError


class _Lazy(NamedTuple):
    target: str
    help: str


_COMMANDS = {
    "games": _Lazy("fivebook.commands.games:games", "The games and their options."),
    "build": _Lazy("fivebook.commands.build:build", "Build a book, or go on building it."),
    "info": _Lazy("fivebook.commands.contents:info", "What is in a book."),
    "log": _Lazy("fivebook.commands.contents:log", "The build runs of a book."),
    "export": _Lazy("fivebook.commands.contents:export", "Write a book as CSV or JSON."),
    "merge": _Lazy("fivebook.commands.upkeep:merge", "Make one book of several."),
    "diff": _Lazy("fivebook.commands.diff:diff", "How two books differ."),
    "prune": _Lazy("fivebook.commands.upkeep:prune", "Take positions out of a book."),
    "vacuum": _Lazy("fivebook.commands.upkeep:vacuum", "Give back the space a book does not use."),
    "snapshot": _Lazy("fivebook.commands.upkeep:snapshot", "Copy a book, even while it is built."),
    "wish": _Lazy("fivebook.commands.wish:wish", "Where a book is to grow, or not to."),
    "verify": _Lazy("fivebook.commands.verify:verify", "Check that a book holds together."),
    "repair": _Lazy("fivebook.commands.repair:repair", "Mend a damaged book."),
    "tree": _Lazy("fivebook.commands.tree:tree", "The main lines below a position."),
    "plot": _Lazy("fivebook.commands.plot:plot", "Draw what is in a book."),
    "query": _Lazy("fivebook.commands.query:query", "The moves of a position, best first."),
    "prove": _Lazy("fivebook.commands.prove:prove", "Who wins by force, as far as it is proven."),
    "certify": _Lazy(
        "fivebook.commands.certify:certify", "Write the certificate of a win, to be checked."
    ),
    "prove-check": _Lazy(
        "fivebook.commands.prove_check:prove_check", "Check proofs, without the engine."
    ),
    "serve": _Lazy("fivebook.commands.serve:serve", "Answer over HTTP."),
    "play": _Lazy("fivebook.commands.play:play", "Play a game in the terminal."),
    "gobang": _Lazy("fivebook.commands.gobang:gobang", "Play through pipes, line by line."),
    "gomocup": _Lazy("fivebook.commands.gomocup:gomocup", "Play for a tournament manager."),
    "arena": _Lazy("fivebook.commands.arena:arena", "Matches between players, and their Elo."),
    "bench": _Lazy("fivebook.commands.bench:bench", "Measure this machine."),
    "compile": _Lazy("fivebook.commands.compile:compile_kernels", "Compile the engine ahead."),
}


class _Refusal(click.ClickException):
    """One sentence on standard error, and the exit status of bad input."""

    exit_code = 2


class _LazyGroup(click.Group):
    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in _COMMANDS:
            return None
        module, _, name = _COMMANDS[cmd_name].target.partition(":")
        command: click.Command = getattr(importlib.import_module(module), name)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        # click's own loads every command for its first sentence.
        with formatter.section("Commands"):
            formatter.write_dl([(name, command.help) for name, command in _COMMANDS.items()])

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except FivebookError as error:
            raise _Refusal(str(error)) from error
        except click.FileError as error:
            raise _Refusal(error.format_message()) from error


@click.group(cls=_LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="fivebook")
def cli() -> None:
    """Opening books for five-in-a-row games: build them offline, answer from them at play time.

    \b
    Examples:
      fivebook games
      fivebook build gomoku.db --game gomoku-15 --positions 500 --nodes 20000
      fivebook query gomoku.db "h8 i9"
      fivebook serve gomoku.db --port 8000
    """


def main() -> None:
    """Run the command line; exit status 2 for bad input, 130 after Ctrl-C."""
    try:
        status = cli.main(standalone_mode=False)
    except click.ClickException as error:
        click.echo(f"Error: {error.format_message()}", err=True)
        status = error.exit_code
    except click.Abort:
        status = 130
    except OSError as error:
        if error.errno != errno.ENOSPC:
            raise
        click.echo(f"Error: cannot write: {error.strerror}", err=True)
        status = 2
    try:
        sys.stdout.flush()
    except OSError:
        # Python would try it once more at the end, and leave with a status of its own.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        status = status or 2
    sys.exit(status if isinstance(status, int) else 0)


if __name__ == "__main__":
    main()

"""The `fivebook` command, which loads each command by name when it is asked for."""

import errno
import importlib
import os
import signal
import sys
from difflib import get_close_matches
from keyword import iskeyword
from typing import Any

import click
from click.shell_completion import CompletionItem

from book.processes import exit_by_interrupt
from book.visible import visible
from engine import __version__
from engine.errors import FivebookError

# By purpose. The command NAME is in fivebook/commands/NAME.py: see `_module_of`.
GROUPS = {
    "Build a book": {
        "build": "Build a book, or go on building it.",
        "wish": "Where a book is to grow, or not to.",
        "import": "Bring games, trees and databases of other programs into a book.",
    },
    "Look into it": {
        "games": "The games and their options.",
        "query": "The moves of a position, best first.",
        "tree": "The main lines below a position.",
        "balance": "Moves that make a position even.",
        "info": "What is in a book.",
        "log": "The build runs of a book.",
        "diff": "How two books differ.",
        "plot": "Draw what is in a book.",
        "export": "Write a book for other programs: CSV, SGF, RenLib, Rapfi, ...",
    },
    "Prove": {
        "prove": "Who wins by force, as far as it is proven.",
        "certify": "Write the certificate of a win, to be checked.",
        "prove-check": "Check proofs, without the engine.",
    },
    "Serve and play": {
        "serve": "Answer over HTTP.",
        "play": "Play a game in the terminal.",
        "gobang": "Play through pipes, line by line.",
        "gomocup": "Play for a tournament manager.",
        "arena": "Matches between players, and their Elo.",
        "referee": "Two programs play, as in a tournament.",
    },
    "Keep books in order": {
        "merge": "Make one book of several.",
        "prune": "Take positions out of a book.",
        "verify": "Check that a book holds together.",
        "repair": "Mend a damaged book.",
        "vacuum": "Give back the space a book does not use.",
        "snapshot": "Copy a book, even while it is built.",
    },
    "This machine": {
        "bench": "Measure it.",
        "compile": "Compile the engine ahead.",
        "completion": "Have the shell complete what is typed.",
    },
}
# Which may compile, and search.
_COMPILING = {
    *("build", "query", "balance", "verify", "prove", "certify", "prove-check"),
    *("serve", "play", "gobang", "gomocup", "arena", "referee", "bench", "compile"),
}
_COMMANDS = {name: text for group in GROUPS.values() for name, text in group.items()}

PROGRAM = "fivebook"
COMPLETE_VARIABLE = "_FIVEBOOK_COMPLETE"
"""By which a shell's script asks this program to complete what is typed."""


_OF_THE_MACHINE = {
    errno.ENOSPC: "cannot write",
    errno.EMFILE: "the limit of open files (ulimit -n) is too low",
    errno.ENFILE: "this machine has no room for further open files",
}
_WORDS = "fivebook.words"
INTERRUPTED = 128 + signal.SIGINT


class _Refusal(click.ClickException):
    """One sentence on standard error, and the exit status of bad input."""

    exit_code = 2


class _LazyGroup(click.Group):
    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in _COMMANDS:
            return None
        module = importlib.import_module(f"fivebook.commands.{_module_of(cmd_name)}")
        found = next(
            command
            for command in vars(module).values()
            if isinstance(command, click.Command) and command.name == cmd_name
        )
        _name_variables(found)
        return found

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name = args[0]
        ctx.meta[_WORDS] = args[1:]
        if name in _COMPILING and not ctx.resilient_parsing and not {"-h", "--help"} & {*args}:
            _prepare()
        if name in _COMMANDS or name.startswith("-"):
            return super().resolve_command(ctx, args)
        meant = get_close_matches(name, _COMMANDS, n=1)
        guess = f" Did you mean '{meant[0]}'?" if meant else ""
        raise click.UsageError(f"No such command '{name}'.{guess}", ctx)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        # click's own loads every command for its first sentence, as the two below do.
        names = [
            CompletionItem(name, help=text)
            for name, text in _COMMANDS.items()
            if name.startswith(incomplete)
        ]
        return names + click.Command.shell_complete(self, ctx, incomplete)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        widest = max(map(len, _COMMANDS))
        for title, commands in GROUPS.items():
            with formatter.section(title):
                formatter.write_dl([(f"{name:<{widest}}", text) for name, text in commands.items()])

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except FivebookError as error:
            raise _Refusal(visible(str(error))) from error
        except click.FileError as error:
            raise _Refusal(visible(error.format_message())) from error
        except (ArithmeticError, LookupError, TypeError, ValueError) as error:
            from fivebook.damage import damaged_book

            damaged = damaged_book(ctx.meta.get(_WORDS, ()))
            if damaged is None:
                raise
            raise _Refusal(visible(str(damaged))) from error


def _module_of(command: str) -> str:
    """The name of a command's module; a word of Python's has a dash at its end."""
    name = command.replace("-", "_")
    return f"{name}_" if iskeyword(name) else name


def _prepare() -> None:
    """Have the machine ready for a command that may compile and search."""
    from fivebook.machine import prepare

    note = prepare()
    if note:
        click.echo(note, err=True)


def _name_variables(command: click.Command) -> None:
    """Have each option be read from a variable of the environment as well, by its long name."""
    for option in command.params:
        if isinstance(option, click.Option):
            name = next(name for name in option.opts if name.startswith("--"))
            words = f"fivebook_{command.name}_{name.removeprefix('--')}"
            option.envvar = words.replace("-", "_").upper()


@click.group(cls=_LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name=PROGRAM)
def cli() -> None:
    """Opening books for five-in-a-row games: build them offline, answer from them at play time.

    \b
    Examples:
      fivebook games
      fivebook build gomoku.db --game gomoku-15 --positions 500 --nodes 20000
      fivebook query gomoku.db "h8 i9"
      fivebook serve gomoku.db --port 8000

    Every option can also be set by an environment variable: --port of serve by FIVEBOOK_SERVE_PORT.
    """


def main() -> None:
    """Run the command line; docs/commands.md tells the exit statuses."""
    settle = exit_by_interrupt()
    status: object
    try:
        status = cli.main(prog_name=PROGRAM, complete_var=COMPLETE_VARIABLE, standalone_mode=False)
    except click.ClickException as error:
        click.echo(f"Error: {visible(error.format_message())}", err=True)
        status = _Refusal.exit_code
    except (click.Abort, KeyboardInterrupt):
        status = INTERRUPTED
    except SystemExit as ending:
        # Of SIGTERM, which every file and display has been closed by.
        status = ending.code
    except OSError as error:
        if error.errno not in _OF_THE_MACHINE:
            raise
        click.echo(f"Error: {_OF_THE_MACHINE[error.errno]}: {error.strerror}", err=True)
        status = 2
    try:
        sys.stdout.flush()
    except OSError:
        # Python would try it once more at the end, and leave with a status of its own.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        status = status or 2
    settled = status if isinstance(status, int) else 0
    settle(settled)
    sys.exit(settled)


def pbrain() -> None:
    """Run ``fivebook gomocup``: managers start a program by its name alone."""
    sys.argv.insert(1, "gomocup")
    main()


if __name__ == "__main__":
    main()

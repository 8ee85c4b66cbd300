"""Proves parts of a win in Gomoku that resist, with the moves of others.

python -m tools.advised_proof won.db.parts --game gomoku-17 \\
    --book gomoku-15 data/gomoku-15.db --rapfi path/to/pbrain-rapfi

The book of another board knows by which move it wins the same stones there. Rapfi
(https://github.com/dhbloo/rapfi) says where it sees a mate, or with `--value` hopes for one, and by
which move. Nothing else is taken from either: the replies to the move are listed and refuted here,
one after the other, and what comes of that is written down and checked like every other part.
`fivebook certify` goes on with the file as it does with its own.
"""

import itertools
import math
import re
import subprocess
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import click
from joblib import Parallel, delayed

from book.closing import Closing
from book.reader import BookReader
from engine.game import Game
from engine.games.gomoku import Gomoku, Rule
from engine.position import Cell, Move, Position, board_of, cells_of
from fivebook.options import GAME, POSITIVE
from precompute.certificates.gomoku.opening import Line, Opening
from precompute.certificates.gomoku.part import Part, game_of, make_part
from precompute.certificates.gomoku.part_file import PartFile

_RULES = {Rule.FREESTYLE: 0, Rule.STANDARD: 1}
_MEMORY = 1 << 30
# How much longer it may look for a shorter mate than it took to see the first.
_SHARE_FOR_SHORTER = 0.2
# So that `certify` tries none of them again with less than was spent here.
_LIMIT = 2_000_000_000
_NANOSECONDS = 1_000_000_000

# What a mate is worth to the side to move, as it is printed.
_MATE = {"+M": math.inf, "-M": -math.inf}

_SECONDS = click.FloatRange(0, min_open=True)


class Rapfi(Closing):
    """A process of Rapfi, for positions of `game`."""

    def __init__(self, program: Path, game: Gomoku) -> None:
        self._size = game.size
        # It looks for its configuration and its model in the folder that it runs in.
        self._process = subprocess.Popen(
            [program.absolute()],
            cwd=program.parent,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            bufsize=1,
        )
        self._tell(
            f"START {game.size}",
            f"INFO rule {_RULES[game.rule]}",
            f"INFO max_memory {_MEMORY}",
            "INFO thread_num 1",
            "INFO timeout_match 0",
        )

    def close(self) -> None:
        """End the process."""
        self._process.kill()
        self._process.communicate()

    def advice(self, position: Position, seconds: float, least: float) -> Move | None:
        """The move that it values at `least`, in its own units, after at most `seconds`.

        A mate for the side to move is worth more than any other value.
        """
        self._tell(f"INFO timeout_turn {seconds * 1000:.0f}", *self._board(position))
        asked = time.monotonic()
        seen: float | None = None
        worth = -math.inf
        for line in self._lines():
            if value := re.search(r"Eval ([+-]M)?(-?\d+)", line):
                mate, number = value.groups()
                worth = _MATE[mate] if mate else int(number)
            if worth == math.inf:
                seen = seen or time.monotonic()
                if time.monotonic() - seen >= (seen - asked) * _SHARE_FOR_SHORTER:
                    self._tell("STOP")
            if move := re.fullmatch(r"(\d+),(\d+)", line):
                return int(move[2]) * self._size + int(move[1]) if worth >= least else None
        raise click.ClickException("Rapfi has ended")

    def _board(self, position: Position) -> Iterator[str]:
        yield "BOARD"
        sides = position.dark, position.light
        for who, side in enumerate(sides if position.dark_to_move else sides[::-1], 1):
            for cell in cells_of(side):
                yield f"{cell % self._size},{cell // self._size},{who}"
        yield "DONE"

    def _tell(self, *lines: str) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write("\n".join([*lines, ""]))

    def _lines(self) -> Iterator[str]:
        assert self._process.stdout is not None
        return map(str.strip, self._process.stdout)


class GivenMoves:
    """At the end of each of these `lines` but for its last move, that move; in any orientation."""

    def __init__(self, game: Gomoku, lines: Iterable[Line]) -> None:
        self._game = game
        self._moves: dict[bytes, Move] = {}
        for *line, move in lines:
            canonical = game.canonical(game.play_line(line))
            self._moves[canonical.stones] = game.map_move(move, canonical.symmetry)

    def advice(self, position: Position) -> Move | None:
        """The move given for `position`."""
        canonical = self._game.canonical(position)
        move = self._moves.get(canonical.stones)
        if move is None:
            return None
        return self._game.map_move(move, self._game.inverse(canonical.symmetry))


class OtherBoard:
    """What wins the same stones, as they lie about the centre, on the board of `book`."""

    def __init__(self, game: Gomoku, book: BookReader, its_game: Gomoku) -> None:
        self._game = game
        self._book = book
        self._its_game = its_game

    def advice(self, position: Position) -> Move | None:
        """The book's move, if it has the stones and a proof, and the move has room here."""
        there = self._game, self._its_game
        stones = [[_moved(cell, *there) for cell in cells_of(side)] for side in position]
        if None in itertools.chain(*stones):
            return None
        dark, light = (board_of(cell for cell in side if cell is not None) for side in stones)
        entry = self._book.get(self._its_game, Position(dark, light), best_only=True)
        if entry is None or not entry.proven or entry.value <= 0:
            return None
        return _moved(entry.moves[0].move, *reversed(there))


def _moved(cell: Cell, of: Gomoku, to: Gomoku) -> Cell | None:
    """A cell of one board on another, as far from the centre; None where that has no such."""
    shift = to.size // 2 - of.size // 2
    row, column = (number + shift for number in divmod(cell, of.size))
    return row * to.size + column if {row, column} <= set(range(to.size)) else None


class FirstAdvice:
    """The first advice that there is: the moves given, another board's, Rapfi's."""

    spent = 0

    def __init__(self, sources: Iterable[Callable[[Position], Move | None]]) -> None:
        self._sources = tuple(sources)

    def advice(self, position: Position, nodes: int) -> Move | None:
        """See `Adviser`."""
        said = (source(position) for source in self._sources)
        return next((move for move in said if move is not None), None)

    def forget(self) -> None:
        """See `Adviser`; each board is a new one for all of them."""


@dataclass(frozen=True, slots=True)
class Advice:
    """Whose moves to follow: those `given` first, then those of the games' books in `others`, then
    those that `rapfi`, asked for at most `seconds` a position, values at `least`.
    """

    given: tuple[Line, ...]
    others: tuple[tuple[str, Path], ...]
    rapfi: Path | None
    seconds: float
    least: float

    def prove(self, game_id: str, line: Line, longest: float) -> Part:
        """The part at the end of `line`, tried for at most `longest` seconds."""
        game = game_of(game_id)
        sources = [GivenMoves(game, self.given).advice]
        with ExitStack() as opened:
            for its_id, path in self.others:
                book = opened.enter_context(BookReader(path))
                sources.append(OtherBoard(game, book, game_of(its_id)).advice)
            if self.rapfi is not None:
                rapfi = opened.enter_context(Rapfi(self.rapfi, game))
                sources.append(partial(rapfi.advice, seconds=self.seconds, least=self.least))
            deadline = time.monotonic_ns() + round(longest * _NANOSECONDS)
            return make_part(game_id, line, _LIMIT, FirstAdvice(sources), deadline=deadline)


@click.command()
@click.argument("parts", type=click.Path(path_type=Path, dir_okay=False, exists=True))
@click.option("--game", "game_id", required=True, metavar="ID", help="The game of the proof.")
@click.option("--root", default="", metavar="LINE", help="The line that the proof begins after.")
@click.option(
    "--book",
    "others",
    type=(GAME, click.Path(path_type=Path, dir_okay=False, exists=True)),
    multiple=True,
    metavar="ID BOOK",
    help="Follow what wins the same stones about the centre of another game's board; several times "
    "for several.",
)
@click.option(
    "--rapfi",
    type=click.Path(path_type=Path, dir_okay=False, exists=True),
    help="The program, with its configuration and model beside it.",
)
@click.option("--seconds", type=_SECONDS, default=120, show_default=True, help="For a position.")
@click.option("--longest", type=_SECONDS, default=1800, show_default=True, help="For a part.")
@click.option(
    "--value", "least", type=float, default=math.inf, help="Follow moves that it values so, too."
)
@click.option(
    "--move",
    "given",
    multiple=True,
    metavar="LINE",
    help="Follow the last move of this line there, whatever others say; several times for several.",
)
@click.option("--jobs", type=POSITIVE, default=1, show_default=True, help="Parts side by side.")
def main(
    parts: Path,
    game_id: str,
    root: str,
    others: tuple[tuple[Game, Path], ...],
    rapfi: Path | None,
    seconds: float,
    longest: float,
    least: float,
    given: tuple[str, ...],
    jobs: int,
) -> None:
    """Try all open parts of the proof in PARTS once, and add what is won to the file."""
    game = game_of(game_id)
    moves = [tuple(game.parse_line(line)) for line in given]
    if not all(moves):
        raise click.UsageError("--move needs a line with a move")
    for its_game, _ in others:
        if not isinstance(its_game, Gomoku):
            raise click.UsageError(f"--book needs a game of Gomoku, not {its_game.id}")
    books = tuple((its_game.id, path) for its_game, path in others)
    advice = Advice(tuple(moves), books, rapfi, seconds, least)
    with PartFile(parts, game_id) as file:
        opening = Opening(game, tuple(game.parse_line(root)))
        lines = [line for each in opening.parts(file.chosen) for line in each]
        won = {line for line, part in file.parts.items() if part.won}
        open_ = [line for line in lines if line not in won]
        tried = Parallel(n_jobs=jobs, return_as="generator_unordered")(
            delayed(advice.prove)(game_id, line, longest) for line in open_
        )
        for count, part in enumerate(tried, 1):
            # `certify` has not tried what is open.
            if part.won:
                file.keep(part)
            state = f"won, {len(part.entries):,} entries" if part.won else "open"
            click.echo(
                f"{count:,} of {len(open_):,}: {game.format_line(part.line)} {state}, "
                f"{part.nodes:,} nodes"
            )


if __name__ == "__main__":
    main()

"""The gomoku program of the BSD games (Ralph Campbell, 1994), as Debian's bsdgames has it."""

import re
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from itertools import zip_longest

from engine.game import Game
from engine.players.base import Choice, Player, UnsuitableGame
from engine.position import Cell, Position, cells_of
from service.errors import PlayerFailed

_GAME = "gomoku-19"
_LETTERS = "ABCDEFGHJKLMNOPQRST"
# Debian puts games where not every user's search path leads.
_FALLBACK = "/usr/games/gomoku"
_PATIENCE = 300.0


class BsdGamesPlayer(Player):
    """Runs ``gomoku -b -d`` once a move, on 19×19.

    In background mode this version plays its moves without printing them. Its debug output
    (``-d``, which also fixes its random numbers) names the best cell for each colour, with the
    numbers from which it chooses between attack and defence; the choice is made here by its own
    rule.

    Raises:
        UnsuitableGame: if `game` is another one.
        PlayerFailed: if the program is not installed.
    """

    name = "bsdgames"

    def __init__(self, game: Game) -> None:
        if game.id != _GAME:
            raise UnsuitableGame(f"bsdgames plays {_GAME} and not {game.id}")
        self.game = game
        program = shutil.which("gomoku") or shutil.which(_FALLBACK)
        if program is None:
            raise PlayerFailed("bsdgames: there is no program gomoku; Debian has it in bsdgames")
        self._program = program

    def choose(self, position: Position) -> Choice:
        if position.ply == 0:
            # Its first move is always the centre, and is not in its debug output.
            return Choice(self.game.cell_count // 2)
        report = self._run(position)
        ours, theirs = ("B", "W") if position.dark_to_move else ("W", "B")
        attack, defence = self._best(report, ours), self._best(report, theirs)
        return Choice((defence if defence.comes_before(attack) else attack).cell)

    def _run(self, position: Position) -> str:
        """What the program prints when it is to move in `position`.

        It takes over a saved game with the other side to move; so the last stone, which is the
        other side's, is played to it as a move.
        """
        dark, light = cells_of(position.dark), cells_of(position.light)
        stones = [
            self._name(cell)
            for pair in zip_longest(dark, light)
            for cell in pair
            if cell is not None
        ]
        with tempfile.NamedTemporaryFile("w", suffix=".gomoku") as saved:
            saved.write("".join(f"{stone}\n" for stone in stones[:-1]))
            saved.flush()
            try:
                run = subprocess.run(
                    [self._program, "-b", "-d", saved.name],
                    input=f"black\n{stones[-1]}\n",
                    capture_output=True,
                    text=True,
                    timeout=_PATIENCE,
                )
            except subprocess.TimeoutExpired as error:
                raise PlayerFailed(f"bsdgames: no move within {_PATIENCE:.0f} s") from error
        return run.stderr

    def _best(self, report: str, colour: str) -> "_Best":
        lines = re.findall(rf"^{colour} ([A-HJ-T])([0-9]+) ([0-9a-f]+)/", report, re.MULTILINE)
        if not lines:
            raise PlayerFailed(f"bsdgames: no move in its output '{report.strip()[-80:]}'")
        letter, row, combination = lines[-1]
        cell = (int(row) - 1) * self.game.width + _LETTERS.index(letter)
        return _Best(cell, *divmod(int(combination, 16), 256))

    def _name(self, cell: Cell) -> str:
        row, column = divmod(cell, self.game.width)
        return f"{_LETTERS[column]}{row + 1}"


@dataclass(frozen=True, slots=True)
class _Best:
    """The best cell for one colour: how many moves complete a forcing combination of rows that
    a stone there is part of, and in how many moves that wins."""

    cell: Cell
    to_force: int
    to_win: int

    def comes_before(self, attack: "_Best") -> bool:
        """Whether the program blocks here, a cell of the opponent's, rather than `attack`."""
        return self.to_force <= 1 and (
            attack.to_force > 1 or self.to_force + self.to_win < attack.to_force + attack.to_win
        )

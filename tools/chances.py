"""What became of the values that the engine gave its moves, in matches that were saved.

python -m tools.chances data/matches/rapfi-1s/gomoku-15-renju
"""

from bisect import bisect
from collections.abc import Iterator, Sequence
from math import sqrt
from pathlib import Path
from typing import NamedTuple

import click

from engine.errors import FivebookError
from engine.position import Side
from engine.values import is_decisive, winning_probability
from service.play.arena.folder import saved_match
from service.play.arena.referee import PlayedGame
from tools.selfplay import DARK_SCORE

# In centi-units. What is below the first of them is one range, as is what is above the last.
_LIMITS = (-400, -200, -100, 0, 100, 200, 400)


class _Judged(NamedTuple):
    """A position whose value decides nothing: in which range that is, the chance that it says for
    the side to move, and the score that came of it.
    """

    part: int
    chance: float
    score: float


@click.command()
@click.argument("folders", nargs=-1, required=True, type=click.Path(path_type=Path))
def main(folders: tuple[Path, ...]) -> None:
    """Tell for the matches in FOLDERS what dark and light scored from positions of each value.

    Beside it is what the values say. The error is one standard deviation between games, of which
    those that are move for move the same count once.
    """
    for folder in folders:
        games = _games_of(folder)
        click.echo(f"{folder}: {len(games)} different games\n")
        click.echo("| to move | value | positions | scored | its value says |")
        click.echo("| --- | --- | --- | --- | --- |")
        for side in Side:
            judged = [list(_judged(played, side)) for played in games]
            for part in range(len(_LIMITS) + 1):
                _tell(side, part, [[each for each in game if each.part == part] for game in judged])


def _games_of(folder: Path) -> list[PlayedGame]:
    try:
        games = saved_match(folder).games
    except FivebookError as error:
        raise click.BadParameter(str(error)) from error
    return list({played.moves: played for played in games.values()}.values())


def _judged(played: PlayedGame, side: Side) -> Iterator[_Judged]:
    first, score = 0, DARK_SCORE[played.outcome]
    if side is Side.LIGHT:
        first, score = 1, 1 - score
    for value in played.values[first::2]:
        if value is not None and not is_decisive(value):
            yield _Judged(bisect(_LIMITS, value), winning_probability(value), score)


def _tell(side: Side, part: int, games: Sequence[Sequence[_Judged]]) -> None:
    """A row for the positions of this part in each game, if there are any."""
    count = sum(map(len, games))
    if count == 0:
        return
    chance = sum(each.chance for game in games for each in game) / count
    score = sum(each.score for game in games for each in game) / count
    error = sqrt(sum(sum(each.score - score for each in game) ** 2 for game in games)) / count
    values = [f"below {_LIMITS[0]}", *(f"from {low:+d}" for low in _LIMITS)][part]
    click.echo(f"| {side} | {values} | {count} | {score:.2f} ± {error:.2f} | {chance:.2f} |")


if __name__ == "__main__":
    main()

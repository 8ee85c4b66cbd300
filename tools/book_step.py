"""The step from a book to the search: how the first live move is, beside what it might be.

    python -m tools.book_step BOOK --game gomoku-15 --openings FILE

From each opening both sides play by the book until it ends. The move after that is made by an
engine that the book hands on to, by one that knows nothing of the game, and by one that has
searched every move before in the same time, as it would without a book. Prints JSON.
"""

import json
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from statistics import fmean, median, quantiles

import click

from book.reader import BookReader
from engine.game import Game
from engine.players.base import Choice, Player
from engine.players.engine import EnginePlayer
from engine.position import Move, Position
from engine.search import Limits, Searcher
from fivebook.options import GAME, POSITIVE
from service.answers import win_rate
from service.play.arena.openings import read_openings
from service.play.book import BookPlayer

_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)
_Line = tuple[Move, ...]


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("book", type=_FILE)
@click.option("--game", type=GAME, required=True)
@click.option("--openings", type=_FILE, required=True, help="A line of moves for each.")
@click.option("--milliseconds", type=POSITIVE, default=100, show_default=True, help="For a move.")
@click.option(
    "--nodes", type=POSITIVE, default=2_000_000, show_default=True, help="To judge a move by."
)
def main(book: Path, game: Game, openings: Path, milliseconds: int, nodes: int) -> None:
    """Compare first live moves after BOOK."""
    limits, judge = Limits(movetime=milliseconds / 1000), game.searcher()
    found: dict[str, list[tuple[float, int, float]]] = {"handed on": [], "cold": [], "warm": []}
    with BookReader(book) as reader:
        found_ways = (_way(reader, game, line) for line in read_openings(game, openings))
        ways = [way for way in found_ways if way is not None]
    for line, ahead in ways:
        best = _worth(game, judge, line, None, nodes)
        for name, seconds, choice in _first_moves(book, game, limits, line, ahead):
            worth = _worth(game, judge, line, choice.move, nodes)
            found[name].append((1000 * seconds, choice.depth, best - worth))
    told = {name: _told(made) for name, made in found.items() if made}
    click.echo(json.dumps({"openings": len(ways), **told}, indent=1))


def _way(reader: BookReader, game: Game, line: _Line) -> tuple[_Line, int] | None:
    """The line on which both sides follow the book to its end, and how much of it they play.

    None where the book does not begin, or decides the game.
    """
    start, position = line, game.play_line(line)
    while (entry := reader.get(game, position)) is not None:
        best = entry.moves[0]
        if entry.proven:
            return None
        went = best.line[:1] if best.in_book else best.line[:2]
        line += went
        position = game.play_line(went, position)
        if game.outcome(position) is not None:
            return None
    return (line, len(line) - len(start)) if line != start else None


def _first_moves(
    book: Path, game: Game, limits: Limits, line: _Line, ahead: int
) -> Iterator[tuple[str, float, Choice]]:
    """The first live move of each kind after `line`, of which the last `ahead` moves are played."""
    own = list(range(len(line) - 2, len(line) - ahead - 1, -2))[::-1]
    played = [game.play_line(line[:ply]) for ply in own]
    end = game.play_line(line)
    engine = EnginePlayer(game, limits)
    players: dict[str, tuple[Player, list[Position]]] = {
        "handed on": (BookPlayer(book, engine), played),
        "cold": (EnginePlayer(game, limits), []),
        "warm": (EnginePlayer(game, limits), played),
    }
    for name, (player, before) in players.items():
        with closing(player):
            for position in before:
                player.choose(position)
            began = time.perf_counter()
            choice = player.choose(end)
            yield name, time.perf_counter() - began, choice


def _worth(game: Game, judge: Searcher, line: _Line, move: Move | None, nodes: int) -> float:
    """The chance of the side to move after `line`, with this move or with the best one."""
    position, sign = game.play_line(line), 1
    if move is not None:
        position, sign = game.play(position, move), -1
        outcome = game.outcome(position)
        if outcome is not None:
            return 1.0
    result = judge.search(position, Limits(nodes=nodes))
    chance = win_rate(result.value, result.proven)
    return chance if sign > 0 else 1 - chance


def _told(made: list[tuple[float, int, float]]) -> dict[str, float]:
    milliseconds, depths, losses = zip(*made, strict=True)
    return {
        "median milliseconds": round(median(milliseconds), 1),
        "99 % within milliseconds": round(quantiles(milliseconds, n=100)[98], 1),
        "mean depth": round(fmean(depths), 2),
        "chance given away, percent": round(100 * fmean(losses), 2),
    }


if __name__ == "__main__":
    main()

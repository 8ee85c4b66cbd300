"""Plays the matches behind the tables of docs/strength.md, and writes them.

    python -m tools.field --jobs 2

What has been played is in matches/field and is not played again: delete that to measure anew.
"""

from collections.abc import Iterable, Sequence
from itertools import combinations
from pathlib import Path

import click

from engine import registry
from engine.game import Game
from engine.search import Limits
from engine.warm import load_agents, load_searchers
from fivebook.displays.match_report import (
    describe_elo,
    describe_results,
    match_view,
    percent,
    summary_line,
)
from fivebook.displays.progress import ProgressDisplay
from fivebook.options import POSITIVE
from service.play.arena.match import Match, MatchSettings
from service.play.arena.openings import suite
from service.play.arena.statistics import estimate
from service.play.arena.tournament import Tournament, cross_table

_HOME = Path("matches/field")
_PAGE = Path("docs/strength.md")
_LIMITS = Limits(movetime=0.1)
# A move may wait for a core for some 50 ms where other processes want it, too.
_MARGIN = 0.25
_GAMES = 100
_GAMES_WITH_ITSELF = 4

# The engine's opponents, each on the board of its report.
_OPPONENTS = {
    "consecutive-rows": "gomoku-11",
    "weighted-defence": "gomoku-15",
    "six-cell-frames": "gomoku-11",
    "five-cell-bins": "gomoku-11",
    "closeness": "pentago-swap",
}
_ROUND_ROBIN = ("consecutive-rows", "weighted-defence", "six-cell-frames", "five-cell-bins")
_ROUND_ROBIN_GAME = "gomoku-11"

_GOBANG = ("gomoku-11", "gomoku-15", "gomoku-19", "gomoku-26")
# What the reports say of depth and time, and where that is measured here.
_REPORTS = {
    "consecutive-rows": ("depth 3, about 10 s a move late on 11×11", _GOBANG[:3]),
    "weighted-defence": ("depth 1, then 2", _GOBANG[:3]),
    "six-cell-frames": ("depth 3, or 4", _GOBANG[:3]),
    "five-cell-bins": ("0.05 to 1 s a move at any size", _GOBANG),
    "closeness": ("depth 3 within 2 s a move", ("pentago-swap",)),
}


@click.command()
@click.option("--jobs", type=POSITIVE, default=1, show_default=True, help="Games at a time.")
def main(jobs: int) -> None:
    """Measure the published agents and write the tables into docs/strength.md."""
    load_searchers()
    load_agents()
    tables = {
        "engine": _engine_table(jobs),
        "efforts": _efforts_table(jobs),
        "round robin": _round_robin_table(jobs),
    }
    page = _PAGE.read_text()
    for name, lines in tables.items():
        page = with_table(page, name, lines)
    _PAGE.write_text(page)


def with_table(text: str, name: str, lines: Iterable[str]) -> str:
    """`text` with other lines between the two comments that name a table.

    Raises:
        ValueError: if it has no such comments.
    """
    start, end = f"<!-- {name} -->\n", f"<!-- end of {name} -->\n"
    before, opened, rest = text.partition(start)
    _, closed, after = rest.partition(end)
    if not (opened and closed):
        raise ValueError(f"no place for the table '{name}'")
    return before + start + "".join(f"{line}\n" for line in lines) + end + after


def _engine_table(jobs: int) -> list[str]:
    header = ("opponent", "board", "engine won", "drawn", "lost", "score", "Elo (95 % interval)")
    rows = []
    for opponent, game_id in _OPPONENTS.items():
        (match,) = _played([(registry.get(game_id), "engine", opponent)], _GAMES, jobs)
        total = match.tally.total
        counts = map(str, (total.wins, total.draws, total.losses))
        elo = describe_elo(estimate(match.tally.pairs))
        rows.append((opponent, game_id, *counts, percent(total.score), elo))
    return _markdown(header, rows)


def _efforts_table(jobs: int) -> list[str]:
    header = ("agent", "its report", "board", "depth", "nodes a move", "a move", "longest")
    rows = []
    for agent, (report, boards) in _REPORTS.items():
        for match in _played(
            [(registry.get(game_id), agent, agent) for game_id in boards], _GAMES_WITH_ITSELF, jobs
        ):
            effort = match.tally.efforts[0] + match.tally.efforts[1]
            rows.append(
                (
                    agent,
                    report,
                    match.settings.game.id,
                    f"{effort.depth / effort.moves:.1f}",
                    f"{effort.nodes / effort.moves:,.0f}",
                    f"{effort.seconds / effort.moves * 1000:,.1f} ms",
                    f"{effort.longest * 1000:,.1f} ms",
                )
            )
    return _markdown(header, rows)


def _round_robin_table(jobs: int) -> list[str]:
    game = registry.get(_ROUND_ROBIN_GAME)
    matches = _played([(game, *pair) for pair in combinations(_ROUND_ROBIN, 2)], _GAMES, jobs)
    table = cross_table(_ROUND_ROBIN, matches)
    header = ("", *(str(place) for place in range(1, len(table) + 1)), "points", "score")
    rows = [
        (
            f"{place} {row.player}",
            *("" if each is None else describe_results(each) for each in row.results),
            f"{row.total.points:g} of {row.total.games}",
            percent(row.total.score),
        )
        for place, row in enumerate(table, start=1)
    ]
    return _markdown(header, rows)


def _played(pairs: Sequence[tuple[Game, str, str]], count: int, jobs: int) -> list[Match]:
    """The finished matches between these players, `count` games each."""
    settings = [
        MatchSettings(game, (first, second), _LIMITS, _MARGIN, suite(game))
        for game, first, second in pairs
    ]
    tournament = Tournament({_HOME / f"{s.label}-{s.game.id}": s for s in settings}, count)
    with ProgressDisplay(summary_line, match_view) as progress:
        tournament.play(jobs, progress.show)
    return tournament.matches


def _markdown(header: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    lines = [header, ["---"] * len(header), *rows]
    return [f"| {' | '.join(line)} |" for line in lines]


if __name__ == "__main__":
    main()

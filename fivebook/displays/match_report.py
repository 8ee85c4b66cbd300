"""What a match has come to, as JSON and as people read it."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from datetime import timedelta
from math import inf, isinf
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.columns import Columns
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from engine.clock import describe_clock
from engine.search import Limits
from fivebook.displays.painting import paint
from service.play.arena.match import Match, MatchSettings
from service.play.arena.referee import Effort, Forfeit
from service.play.arena.statistics import EloEstimate, Sprt, SprtVerdict, estimate
from service.play.arena.tally import Results
from service.play.arena.tournament import Row
from service.play.players import keeps_to_limits


def as_document(match: Match) -> dict[str, Any]:
    """The match as JSON has it: infinite Elo is null, efforts are averages over moves."""
    tally = match.tally
    return {
        "folder": str(match.folder),
        "complete": match.complete,
        "settings": match.settings.as_dict(),
        "games": {
            "planned": match.planned,
            "finished": match.finished,
            "counted": match.counted,
            "different": len(tally.lines),
        },
        **asdict(tally.total),
        "as_dark": asdict(tally.as_dark),
        "as_light": asdict(tally.as_light),
        "pairs": list(tally.pairs),
        "score": tally.total.score,
        "elo": _elo_document(estimate(tally.pairs)),
        "sprt": None if match.sprt is None else _sprt_document(match.sprt, match),
        "players": [
            {
                "name": name,
                "forfeits": _forfeits_document(forfeits),
                **_effort_document(effort),
            }
            for name, forfeits, effort in zip(
                match.settings.names, tally.forfeits, tally.efforts, strict=True
            )
        ],
    }


def table_document(rows: Sequence[Row]) -> list[dict[str, Any]]:
    """A cross table as JSON has it; a player's results by the names of the others."""
    return [
        {
            "player": row.player,
            **asdict(row.total),
            "points": row.total.points,
            "score": row.total.score,
            "forfeits": _forfeits_document(row.forfeits),
            "against": {
                other.player: asdict(results)
                for other, results in zip(rows, row.results, strict=True)
                if results is not None
            },
        }
        for row in rows
    ]


def _elo_document(elo: EloEstimate | None) -> dict[str, float | None] | None:
    if elo is None:
        return None
    return {name: None if isinf(end) else round(end, 1) for name, end in asdict(elo).items()}


def _sprt_document(sprt: Sprt, match: Match) -> dict[str, Any]:
    return {
        **asdict(sprt),
        "llr": round(sprt.llr(match.tally.pairs), 3),
        "lower": round(sprt.lower, 3),
        "upper": round(sprt.upper, 3),
        "state": match.verdict.value,
    }


def _forfeits_document(forfeits: Counter[Forfeit]) -> dict[str, int]:
    return {kind.value: forfeits[kind] for kind in Forfeit}


def _effort_document(effort: Effort) -> dict[str, Any]:
    moves = max(effort.moves, 1)
    return {
        "moves": effort.moves,
        "average_ms": round(effort.seconds * 1000 / moves, 1),
        "longest_ms": round(effort.longest * 1000, 1),
        "average_depth": round(effort.depth / moves, 2),
        "average_nodes": round(effort.nodes / moves),
    }


def summary_line(match: Match) -> str:
    """The match in one line."""
    parts = [
        f"{' - '.join(match.settings.names)}: {match.finished:,} of {match.planned:,} games",
        describe_results(match.tally.total),
        describe_repetition(match),
        f"Elo {describe_elo(estimate(match.tally.pairs))}",
        describe_sprt(match),
        time_left(match),
    ]
    return ", ".join(filter(None, parts))


def match_view(match: Match) -> RenderableType:
    """The match as a live table shows it."""
    players = f"{' - '.join(match.settings.names)} on {match.settings.game.id}"
    what = ", ".join(filter(None, (players, _conditions(match.settings))))
    title = f"{what}: {match.finished:,} of {match.planned:,} games"
    lines = [f"Elo   {describe_elo(estimate(match.tally.pairs))}"]
    if match.sprt is not None:
        lines.append(f"SPRT  {describe_sprt(match)}")
    if repeated := describe_repetition(match):
        lines.append(repeated)
    if left := time_left(match):
        lines.append(left)
    boards = [Columns(drawn, padding=(1, 4))] if (drawn := _boards(match)) else []
    return Group(
        Text(title), *boards, _results_table(match), *map(Text, lines), _efforts_table(match)
    )


def _boards(match: Match) -> list[RenderableType]:
    """The games that are being played, each drawn as far as it has come."""
    game = match.settings.game
    drawn: list[RenderableType] = []
    for number, moves in match.boards.items():
        *before, last = moves or (None,)
        landed = None if last is None else game.landing(game.play_line(before), last)
        board = paint(game, game.play_line(moves), landed)
        drawn.append(Text(f"game {number + 1}, {len(moves)} moves\n\n") + board)
    return drawn


def cross_table_view(rows: Sequence[Row]) -> RenderableType:
    """A cross table: wins-draws-losses of the row's player against the column's."""
    forfeited = any(row.forfeits for row in rows)
    columns = [*map(str, range(1, len(rows) + 1)), "points", "score"]
    table = _table("", *columns, *(["forfeits"] if forfeited else []))
    for place, row in enumerate(rows, start=1):
        results = ["" if each is None else describe_results(each) for each in row.results]
        points = f"{row.total.points:g}/{row.total.games}"
        cells = [*results, points, percent(row.total.score)]
        if forfeited:
            cells.append(_describe_forfeits(row.forfeits))
        table.add_row(Text(f"{place}  {row.player}"), *cells)
    return table


def describe_results(results: Results) -> str:
    """Wins, draws and losses: ``5-1-4``; empty where there are none."""
    return f"{results.wins}-{results.draws}-{results.losses}" if results.games else ""


def percent(score: float | None) -> str:
    """A score from 0 to 1 as ``55.0 %``; empty for none."""
    return "" if score is None else f"{100 * score:.1f} %"


def describe_elo(elo: EloEstimate | None) -> str:
    """How people write it: ``+120 (+80 to +165)``."""
    if elo is None:
        return "unknown"
    if elo.value == inf:
        return f"+inf (at least {_whole(elo.low)})"
    if elo.value == -inf:
        return f"-inf (at most {_whole(elo.high)})"
    return f"{_whole(elo.value)} ({_whole(elo.low)} to {_whole(elo.high)})"


def describe_sprt(match: Match) -> str:
    """The state of the sequential test; empty where there is none."""
    sprt = match.sprt
    if sprt is None:
        return ""
    state = {
        SprtVerdict.RUNNING: "running",
        SprtVerdict.ACCEPTED: f"accepted: at least {_signed(sprt.elo1)} Elo",
        SprtVerdict.REJECTED: f"rejected: at most {_signed(sprt.elo0)} Elo",
    }[match.verdict]
    llr = f"LLR {sprt.llr(match.tally.pairs):+.2f} ({sprt.lower:.2f} to {sprt.upper:.2f})"
    return f"{_signed(sprt.elo0)} to {_signed(sprt.elo1)} Elo: {llr}, {state}"


def describe_repetition(match: Match) -> str:
    """How many games differ, if some repeat others: the interval then speaks of few games."""
    different = len(match.tally.lines)
    return f"different games: {different:,}" if different < match.counted else ""


def describe_limits(limits: Limits) -> str:
    """What each move may take, and each side in a whole game."""
    parts = []
    if limits.movetime is not None:
        parts.append(f"{limits.movetime * 1000:,.0f} ms")
    if limits.nodes is not None:
        parts.append(f"{limits.nodes:,} nodes")
    if limits.depth is not None:
        parts.append(f"depth {limits.depth}")
    a_move = f"{', '.join(parts)} a move" if parts else ""
    a_side = "" if limits.clock is None else f"{describe_clock(limits.clock)} a side"
    return ", ".join(filter(None, (a_move, a_side)))


def _conditions(settings: MatchSettings) -> str:
    """The limits that count for any player of the match; empty where each has its own."""
    if any(map(keeps_to_limits, settings.players)):
        return describe_limits(settings.limits)
    clock = settings.limits.clock
    return "" if clock is None else describe_limits(Limits(clock=clock))


def time_left(match: Match) -> str:
    """How long the rest will take at the rate so far; empty while nobody knows."""
    if match.complete or not match.played:
        return ""
    seconds = (match.planned - match.finished) * match.seconds / match.played
    at_most = "at most " if match.sprt is not None else ""
    return f"{at_most}{timedelta(seconds=round(seconds))} left"


def _results_table(match: Match) -> Table:
    first, _ = match.settings.names
    tally = match.tally
    table = _table("", "wins", "draws", "losses", "score")
    for label, results in (
        (f"{first} as dark", tally.as_dark),
        (f"{first} as light", tally.as_light),
        (first, tally.total),
    ):
        counts = map(str, (results.wins, results.draws, results.losses))
        table.add_row(Text(label), *counts, percent(results.score))
    return table


def _efforts_table(match: Match) -> Table:
    table = _table("", "moves", "average", "longest", "depth", "nodes", "forfeits")
    tally = match.tally
    for name, effort, forfeits in zip(
        match.settings.names, tally.efforts, tally.forfeits, strict=True
    ):
        found = _effort_document(effort)
        table.add_row(
            Text(name),
            f"{found['moves']:,}",
            f"{found['average_ms']:,.1f} ms",
            f"{found['longest_ms']:,.1f} ms",
            f"{found['average_depth']:.1f}",
            f"{found['average_nodes']:,}",
            _describe_forfeits(forfeits),
        )
    return table


def _table(first: str, *others: str) -> Table:
    table = Table(box=SIMPLE_HEAD)
    # Wide enough for the names of agents; a command line is folded.
    table.add_column(first, min_width=20, max_width=36, overflow="fold")
    for name in others:
        table.add_column(Text(name), justify="right")
    return table


def _describe_forfeits(forfeits: Counter[Forfeit]) -> str:
    return ", ".join(f"{forfeits[kind]} {kind}" for kind in Forfeit if forfeits[kind]) or "none"


def _whole(elo: float) -> str:
    return f"{round(elo):+d}"


def _signed(elo: float) -> str:
    return f"{elo:+g}" if elo else "0"

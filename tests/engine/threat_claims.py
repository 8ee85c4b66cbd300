"""The threat solver's claims in the words of the plain checker."""

from collections.abc import Callable

from engine.game import Game
from engine.games.gomoku.prover import GomokuProver
from engine.games.gomoku.threat_solver import ThreatResult
from engine.position import Position, board_of, cells_of
from engine.proof import Proof
from tests.oracles.threat_checker import Ask, Claim, Stones


def sides(game: Game, position: Position) -> tuple[Stones, Stones]:
    """The stones of the side to move and of the other."""
    dark, light = (
        frozenset(divmod(cell, game.size) for cell in cells_of(board))
        for board in (position.dark, position.light)
    )
    return (dark, light) if position.dark_to_move else (light, dark)


def asker(game: Game, solve: Callable[[Position], ThreatResult]) -> Ask:
    """Asks `solve` for a win."""
    return _asker(game, lambda position, within: solve(position))


def follower(game: Game, solver: GomokuProver) -> Ask:
    """Asks `solver` to go on with what it proved last."""
    return _asker(game, lambda position, within: solver.follow(position, within=within))


def _asker(game: Game, solve: Callable[[Position, int | None], ThreatResult | Proof]) -> Ask:
    def ask(own: Stones, other: Stones, within: int | None = None, /) -> Claim | None:
        mine, theirs = (
            board_of(row * game.size + column for row, column in stones) for stones in (own, other)
        )
        dark_to_move = len(own) == len(other)
        position = Position(mine, theirs) if dark_to_move else Position(theirs, mine)
        result = solve(position, within)
        if not result.won or result.distance is None:
            return None
        return Claim(divmod(result.line[0], game.size), result.distance)

    return ask

"""The parts of a proof: what wins after one line of the opening, proved and written down alone."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from book.certificates.gomoku.board import Rules, rules_of
from book.certificates.gomoku.file import Entry, Start
from book.certificates.gomoku.writer import Unanswered, Writer, entries_of
from engine import registry
from engine.games.gomoku import Gomoku
from engine.games.gomoku.strategy.finder import Entry as Known
from engine.games.gomoku.strategy.finder import StrategyFinder
from engine.position import Move, Position, cells_of
from precompute.certificates.gomoku.adviser import StrategyAdviser, position_of


@dataclass(frozen=True, slots=True)
class Part:
    """What is known of the position after `line`, in which the winner is to move.

    `move` wins, and `entries` answer every reply to it; it is None where `limit` nodes did not
    suffice to find it. `nodes` have been spent.
    """

    line: tuple[Move, ...]
    limit: int
    nodes: int
    move: Move | None = None
    entries: tuple[Entry, ...] = field(default=(), repr=False)

    @property
    def won(self) -> bool:
        """Whether it is proven and written down."""
        return self.move is not None


def make_part(
    game_id: str, line: Sequence[Move], limit: int, known: dict[bytes, Known] | None = None
) -> Part:
    """Prove that the side to move wins after `line`, within `limit` nodes, and write it down.

    `known` is part of a store of the finder's. The result depends on the arguments alone.

    Raises:
        ValueError: if the game forbids moves, or is over.
    """
    game = game_of(game_id)
    finder = StrategyFinder(game, dict(known or {}))
    result = finder.prove(game.play_line(line), nodes=limit)
    part = Part(tuple(line), limit, result.nodes)
    if not result.won:
        return part
    # The finder may prove a position by threats that it does not keep, and that nobody finds
    # again: with more nodes it may find another way.
    return write_part(game, part, finder, lambda _: False)


def write_part(
    game: Gomoku, part: Part, finder: StrategyFinder, settle: Callable[[Position], bool]
) -> Part:
    """`part` with what `finder` knows of it; as it is where that does not suffice.

    `settle` is asked to have the finder know what wins in a position that it does not know, and
    gives whether it does then.
    """
    rules = rules_for(game.id)
    position = game.play_line(part.line)
    writer = Writer(rules, StrategyAdviser(game, finder, position.to_move))
    start = Start(
        tuple(cells_of(position.dark)), tuple(cells_of(position.light)), position.dark_to_move
    )
    while True:
        try:
            certificate = writer.write(start)
            break
        except Unanswered as open_:
            if not settle(position_of(open_.board, position.to_move)):
                return part
    entries = tuple(entries_of(certificate).values())
    return replace(part, move=certificate.start.move, entries=entries)


def game_of(game_id: str) -> Gomoku:
    """The game of Gomoku with this id.

    Raises:
        ValueError: if it is none.
    """
    game = registry.get(game_id)
    if not isinstance(game, Gomoku):
        raise ValueError(f"{game_id} is no game of Gomoku")
    return game


def rules_for(game_id: str) -> Rules:
    """The rules of a game as the certificate has them.

    Raises:
        ValueError: if there is no certificate for it.
    """
    rules = rules_of(game_id)
    if rules is None:
        raise ValueError(f"there is no certificate for {game_id}")
    return rules

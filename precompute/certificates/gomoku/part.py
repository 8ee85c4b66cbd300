"""The parts of a proof: what wins after one line of the opening, proved and written down alone."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from threading import local

from book.certificates.gomoku.board import Rules, rules_of
from book.certificates.gomoku.file import Entry, Start
from book.certificates.gomoku.writer import Unanswered, Writer, entries_of
from engine import registry
from engine.games.gomoku import Gomoku
from engine.games.gomoku.strategy.advised import AdvisedFinder, Adviser
from engine.position import Move, cells_of
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


class Finders(local):
    """A finder for each thread, of the game that it was asked for last.

    Its tables take longer to make than many a part.
    """

    def __init__(self) -> None:
        self._last: tuple[str, AdvisedFinder] | None = None

    def of(self, game: Gomoku) -> AdvisedFinder:
        """The finder of this thread for `game`."""
        if self._last is None or self._last[0] != game.id:
            self._last = game.id, AdvisedFinder(game)
        return self._last[1]


finders = Finders()


def make_part(
    game_id: str,
    line: Sequence[Move],
    limit: int,
    adviser: Adviser | None = None,
    *,
    deadline: int = 0,
) -> Part:
    """Prove that the side to move wins after `line`, within `limit` nodes, and write it down.

    The `adviser` and the `deadline` are as for `AdvisedFinder`. Without them the result depends on
    the other arguments alone.

    Raises:
        ValueError: if the game forbids moves, or is over.
    """
    game = game_of(game_id)
    finder = finders.of(game) if adviser is None else AdvisedFinder(game, adviser)
    part = Part(tuple(line), limit, 0)
    if finder.prove(game.play_line(line), nodes=limit, deadline=deadline).won:
        part = _written(game, part, finder)
    return replace(part, nodes=finder.nodes)


def _written(game: Gomoku, part: Part, found: AdvisedFinder) -> Part:
    """`part` with what is `found`; as it is where that does not suffice.

    The finder may prove a position by threats that it does not keep, and that nobody finds again;
    it may settle such a one in another way.
    """
    position = game.play_line(part.line)
    writer = Writer(rules_for(game.id), StrategyAdviser(game, found.finder, position.to_move))
    start = Start(
        tuple(cells_of(position.dark)), tuple(cells_of(position.light)), position.dark_to_move
    )
    while True:
        try:
            certificate = writer.write(start)
            break
        except Unanswered as open_:
            if not found.settle(position_of(open_.board, position.to_move)):
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

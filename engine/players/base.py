"""What every player is to those who let it play."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

from engine.clock import Clock
from engine.errors import FivebookError
from engine.game import Game
from engine.position import Move, Position
from engine.values import Value


class UnsuitableGame(FivebookError, ValueError):
    """The player does not play this game."""


@dataclass(frozen=True, slots=True)
class Choice:
    """A player's move, and what it took to find it.

    `value` is on the player's own scale from the point of view of the side to move, None where
    it has none. `depth` is in plies and `nodes` counts the moves made in the tree; both are 0
    for a player that does not search or does not say.
    """

    move: Move
    value: int | None = None
    depth: int = 0
    nodes: int = 0


class Player(ABC):
    """Plays one game: a position in, a move out. For one thread at a time.

    `name` is what the command line calls it. `movetime`, in seconds, is what it promises to keep
    to for each move; None for a player that takes the time it needs.
    """

    name: str
    game: Game
    movetime: float | None = None

    @abstractmethod
    def choose(self, position: Position) -> Choice:
        """A move in `position`, which is not finished. The same player may be asked about any
        position at any time."""

    def choose_by_clock(self, position: Position, clock: Clock) -> Choice:
        """A move in `position`, in a game with a clock, which is that of the side to move.

        A player that knows nothing of clocks takes the time it always takes.
        """
        return self.choose(position)

    def expect(  # noqa: B027 most players begin every search with nothing
        self, position: Position, line: Sequence[Move], value: Value, depth: int
    ) -> None:
        """Be told what a book expects in `position`, where the player moves next.

        See `engine.search.Searcher.expect`.
        """

    def look_ahead(  # noqa: B027 most players begin every search with nothing
        self, position: Position
    ) -> None:
        """Think of `position`, where the opponent moves next, while a book's move takes no time.

        A player that is to keep what it does not need of its time does nothing.
        """

    def nodes_for(self, position: Position, clock: Clock | None = None) -> int | None:
        """About how many nodes a search of `position` may make, by `clock` if there is one.

        None for a player that does not say.
        """
        return None

    def close(self) -> None:  # noqa: B027 most players have nothing to give back
        """Give back what the player holds: processes, files."""


class Agent(Player):
    """A published agent: evaluation, search and depth are its author's.

    `plays` is the class of its games. `depth` is in plies; None for the depth of the report.

    Raises:
        UnsuitableGame: if the report's agent does not play `game`, such as renju.
    """

    plays: type[Game]

    def __init__(self, game: Game, depth: int | None = None) -> None:
        if not isinstance(game, self.plays):
            raise UnsuitableGame(f"{self.name} does not play {game.id}")
        if game.forbids_moves:
            raise UnsuitableGame(
                f"{self.name} does not play {game.id}: it knows of no forbidden moves"
            )
        self.game = game
        self.depth = depth

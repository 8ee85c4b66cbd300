"""What a format is, and what its writer is given."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import BinaryIO

from book.files.contents import Item, LeftOut, Node, Noted, Request
from engine import registry
from engine.game import Game

Reader = Callable[[BinaryIO, Request], Iterator[Item]]


@dataclass(frozen=True, slots=True)
class Writing:
    """What is to be written: the positions of one game, as a list and as trees.

    `nodes` gives the nodes of all trees (`book.files.contents.Node`), `noted` every position once.
    What does not fit into the format is counted in `left_out`.
    """

    game: Game
    nodes: Callable[[], Iterator[Node]]
    noted: Callable[[], Iterator[Noted]]
    left_out: LeftOut = field(default_factory=LeftOut)


Writer = Callable[[Writing, BinaryIO], None]


@dataclass(frozen=True, slots=True)
class Format:
    """A kind of file.

    `is_one` looks at the first bytes of a file, as many as `book.files.formats` reads; what is
    known by its ending alone has none. `read` raises `InvalidRecord` where the file is damaged.
    `family` names the only family of games whose moves it can hold, if there is but one.
    """

    name: str
    title: str
    endings: tuple[str, ...]
    read: Reader
    write: Writer | None = None
    is_one: Callable[[bytes], bool] | None = None
    family: str | None = None

    def holds(self, game: Game) -> bool:
        """Whether it has a way to write the moves of `game`."""
        return self.family in (None, registry.family_of(game).name)

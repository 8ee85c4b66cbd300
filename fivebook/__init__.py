"""Opening books for five-in-a-row games, from Python.

    >>> import fivebook
    >>> with fivebook.open_book("gomoku.db") as book:
    ...     book.best("h8 i9")
    'i10'

`open_book` reads a book, `search` has the engine look for the best move, `prove` asks who wins by
force, and `games` lists what can be played. Positions are given by the moves that lead to them
from the empty board, and answers come in the same orientation. What is compiled is loaded by the
first search or proof in a process, which takes seconds; the first one after an installation
compiles it, which takes a minute or two.

Everything that is raised on purpose is a `FivebookError`, whose text is one sentence for a user:

    FivebookError
    ├── UnknownGame (LookupError)       no game has this id
    ├── InvalidLimits (ValueError)      a search limit that makes no sense
    ├── InvalidOptions (ValueError)     threads, a table or a side that make no sense
    ├── InvalidMove (ValueError)        what cannot be read as a move of the game
    ├── IllegalMove (ValueError)        a move that cannot be played in the position
    ├── GameNotNamed (ValueError)       the book holds several games: say which
    ├── GameOver (ValueError)           the game has ended: nothing is left to search or prove
    ├── NotProvable (ValueError)        the game's prover cannot be asked this
    ├── MachineRefuses                  no folder for compiled code can be written
    └── BookError
        ├── NoAddress (ValueError)      what was given leads to no book, whatever is there
        ├── BookMissing                 there is no book at this address
        ├── NotABook                    the file is something else
        ├── NewerSchema                 a later version of fivebook wrote it
        ├── BookUnreadable              the file cannot be read, or is damaged
        ├── BookUnwritable              the book cannot be written
        └── PositionNotFound (LookupError)  the book does not hold this position
"""

from book.errors import (
    BookError,
    BookMissing,
    BookUnreadable,
    BookUnwritable,
    NewerSchema,
    NoAddress,
    NotABook,
    PositionNotFound,
)
from engine import __version__
from engine.errors import (
    FivebookError,
    IllegalMove,
    InvalidLimits,
    InvalidMove,
    InvalidOptions,
    UnknownGame,
)
from engine.game import Family, Game
from engine.position import Side
from engine.values import Bound
from fivebook._book import Book, BookEntry, KnownMove, open_book
from fivebook._games import GameOver, Moves, MoveText, game, games
from fivebook._proofs import NotProvable, ProofResult, prove
from fivebook._search import Analysis, AnalysisLine, search
from fivebook.machine import MachineRefuses
from service.errors import GameNotNamed

__all__ = [
    "Analysis",
    "AnalysisLine",
    "Book",
    "BookEntry",
    "BookError",
    "BookMissing",
    "BookUnreadable",
    "BookUnwritable",
    "Bound",
    "Family",
    "FivebookError",
    "Game",
    "GameNotNamed",
    "GameOver",
    "IllegalMove",
    "InvalidLimits",
    "InvalidMove",
    "InvalidOptions",
    "KnownMove",
    "MachineRefuses",
    "MoveText",
    "Moves",
    "NewerSchema",
    "NoAddress",
    "NotABook",
    "NotProvable",
    "PositionNotFound",
    "ProofResult",
    "Side",
    "UnknownGame",
    "__version__",
    "game",
    "games",
    "open_book",
    "prove",
    "search",
]

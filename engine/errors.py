"""What can be wrong with what somebody asks.

    FivebookError               one clear sentence, safe to show to a user
    ├── UnknownGame             no game has this id
    ├── InvalidLimits           a search limit that makes no sense
    ├── InvalidOptions          an option of the search that makes no sense
    │   └── InvalidQuantity     a text that is no duration, clock, size or number
    ├── InvalidMove             a text that is no move of this game
    └── IllegalMove             a move that cannot be played in this position

Rooms above derive their own errors from `FivebookError`. The command line shows its text and
exits with status 2; the service answers with a problem document and a status of 4xx.
"""


class FivebookError(Exception):
    """Base of everything this project raises on purpose."""


class UnknownGame(FivebookError, LookupError):
    """No game has this id."""


class InvalidLimits(FivebookError, ValueError):
    """A search limit that makes no sense."""


class InvalidOptions(FivebookError, ValueError):
    """An option of the search that makes no sense, or that this machine cannot grant."""


class InvalidQuantity(InvalidOptions):
    """A text that cannot be read as the duration, clock, size or number it should be."""


class InvalidMove(FivebookError, ValueError):
    """A text that cannot be read as a move of the game."""


class IllegalMove(FivebookError, ValueError):
    """A move that cannot be played in the position."""

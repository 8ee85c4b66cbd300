"""What can be wrong with a question, a player, or the service that should answer.

FivebookError               (engine.errors)
├── GameNotNamed            the question names no game, and the books leave a choice
├── AnswerTooLarge          the answer to the question would be longer than answers may be
├── NotProven               no book proves who wins
├── TooBusy                 too much else is asked for to answer now
│   └── TooManySearches     one client has asked for too many live searches in a time
├── CannotListen            the address or port cannot be had
├── InvalidPlayer           a text that describes no player
└── PlayerFailed            a player gave no move
"""

from math import ceil

from engine.errors import FivebookError


class GameNotNamed(FivebookError, ValueError):
    """The question names no game, and the books leave a choice."""


class AnswerTooLarge(FivebookError, ValueError):
    """The answer to the question would be longer than answers may be."""


class NotProven(FivebookError, LookupError):
    """No book proves who wins."""


class TooBusy(FivebookError):
    """Too much else is asked for: a live search could not answer within its movetime.

    `retry_after` is in whole seconds.
    """

    def __init__(self, message: str, wait: float) -> None:
        super().__init__(message)
        self.retry_after = max(1, ceil(wait))


class TooManySearches(TooBusy):
    """One client has asked for too many live searches in a time."""


class CannotListen(FivebookError):
    """The address or port cannot be had."""


class InvalidPlayer(FivebookError, ValueError):
    """A text that describes no player."""


class PlayerFailed(FivebookError):
    """A player gave no move: its program ended, hung, or answered with something else."""

"""What can be wrong with a question, a player, or the service that should answer.

FivebookError               (engine.errors)
├── GameNotNamed            the question names no game, and the books leave a choice
├── TooBusy                 the live search cannot answer within its movetime
├── CannotListen            the address or port cannot be had
├── InvalidPlayer           a text that describes no player
└── PlayerFailed            a player gave no move
"""

from math import ceil

from engine.errors import FivebookError


class GameNotNamed(FivebookError, ValueError):
    """The question names no game, and the books leave a choice."""


class TooBusy(FivebookError):
    """The live search cannot answer within its movetime: too many others are waiting.

    `retry_after` is in whole seconds.
    """

    def __init__(self, message: str, wait: float) -> None:
        super().__init__(message)
        self.retry_after = max(1, ceil(wait))


class CannotListen(FivebookError):
    """The address or port cannot be had."""


class InvalidPlayer(FivebookError, ValueError):
    """A text that describes no player."""


class PlayerFailed(FivebookError):
    """A player gave no move: its program ended, hung, or answered with something else."""

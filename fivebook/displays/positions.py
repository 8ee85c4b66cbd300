"""Positions and values of books in one line."""

from book.rows.encoding import stones_by_name
from book.rows.propagation import BookValue
from engine.game import Game
from engine.values import Bound, describe_value


def describe_stones(game: Game, stones: bytes) -> str:
    """A packed position as a line of text."""
    dark, light = stones_by_name(game, stones)
    return f"{game.id} dark {dark or '-'} light {light or '-'}"


def describe_book_value(value: BookValue) -> str:
    """A value with what is known of it: ``+35``, ``win in 7``, ``win in 7 or sooner``."""
    sooner = " or sooner" if value.proven and value.bound is not Bound.EXACT else ""
    return describe_value(value.value, value.proven) + sooner

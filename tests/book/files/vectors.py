"""Files written by hand, byte by byte, from what is known of the formats."""

from collections.abc import Iterator
from io import BytesIO

from book.files.contents import Item, Noted, Played, Request
from book.files.formats import formats
from engine import registry
from engine.game import Game
from engine.position import Position


def items(form: str, raw: bytes, request: Request | None = None) -> list[Item]:
    """What a file of `raw` bytes holds."""
    return list(formats()[form].read(BytesIO(raw), request or Request()))


def noted(found: list[Item]) -> list[Noted]:
    """The noted positions among some items."""
    return [item for item in found if isinstance(item, Noted)]


def lines(found: list[Item]) -> Iterator[str]:
    """The moves of each played game among some items."""
    for item in found:
        if isinstance(item, Played):
            yield item.game.format_line(item.moves)


def position(game: Game | str, moves: str) -> Position:
    """The position after `moves`."""
    game = registry.get(game) if isinstance(game, str) else game
    return game.play_line(game.parse_line(moves))

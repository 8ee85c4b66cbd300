"""The notation of a game as the views of a book need it: in tables."""

from typing import Any

from sqlalchemy import Connection, Table, bindparam, delete, insert

from book.rows.encoding import pack_line
from book.storage.schema import cells, move_names
from engine.game import Game


def notation_of(game: Game, number: int) -> dict[Table, list[dict[str, Any]]]:
    """The rows of the tables of notation for `game`, which has this number in the book."""
    return {
        cells: [
            {
                "game": number,
                "number": cell,
                "code": game.pack_cell(cell),
                "name": game.format_cell(cell),
            }
            for cell in range(game.cell_count)
        ],
        move_names: [
            {
                "game": number,
                "move": move,
                "code": pack_line(game, [move]),
                "name": game.format_move(move),
            }
            for move in range(game.move_count)
        ],
    }


def store_notation(connection: Connection, game: Game, number: int) -> None:
    """Write the notation of `game` in the place of what is there."""
    for table, rows in notation_of(game, number).items():
        connection.execute(delete(table).where(table.c.game == bindparam("of")), {"of": number})
        connection.execute(insert(table), rows)

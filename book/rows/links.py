"""From position to position: the one behind a rest move, and the moves that lead to one."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import lru_cache

from book.rows.canonical_images import smallest_images
from book.rows.encoding import AnyRow, move_width, unpack_line
from book.rows.lookup import GameRows
from book.storage.schema import RestState
from engine.game import Game, Key
from engine.position import Move, Position


def rest_child(game: Game, row: AnyRow) -> Key | None:
    """The key of the position behind the rest move of `row`, None where there is none."""
    return rest_children(game, [row])[0]


def rest_children(game: Game, rows: Sequence[AnyRow]) -> list[Key | None]:
    """`rest_child` of many rows."""
    behind: dict[int, Position] = {}
    for at, row in enumerate(rows):
        if row.rest_state == RestState.OPEN:
            move = unpack_line(game, row.rest_line[: move_width(game)])[0]
            behind[at] = game.play(game.unpack(row.stones), move)
    images = smallest_images(game, list(behind.values()))
    keys = {at: image.key for at, image in zip(behind, images, strict=True)}
    return [keys.get(at) for at in range(len(rows))]


class WaysTo:
    """The moves that lead to some positions from the ones before.

    `children` has these positions by their numbers. `parents` are the keys of all positions
    before, few of which are stored as a rule.
    """

    def __init__(self, game: Game, children: Mapping[int, Position]) -> None:
        self._game = game
        steps = [
            (id, before, move)
            for id, position in children.items()
            for before, move in game.unplay(position)
        ]
        images = smallest_images(game, [before for _, before, _ in steps])
        self.parents = {image.key for image in images}
        self._ways = [(image, id, move) for (id, _, move), image in zip(steps, images, strict=True)]

    def links(self, stored: Collection[Key]) -> dict[tuple[Key, int], Move]:
        """The smallest move from each of the parents that are `stored` to each child, by both.

        In the orientation of the parents' canonical images.
        """
        found: dict[tuple[Key, int], Move] = {}
        for image, child, move in self._ways:
            if image.key in stored:
                smallest = min(self._game.map_move(move, turn) for turn in image.symmetries)
                link = image.key, child
                found[link] = min(smallest, found.get(link, smallest))
        return found


@lru_cache(maxsize=512)
def ways_to(game: Game, position: Position) -> WaysTo:
    """Those to one position, as child 0; asked for when it is planned, and when it enters."""
    return WaysTo(game, {0: position})


def links_to(rows: GameRows, children: Iterable[AnyRow]) -> list[dict[str, int]]:
    """The links that lead from stored positions to `children`, as rows of the table."""
    unpack = rows.game.unpack
    ways = WaysTo(rows.game, {child.id: unpack(child.stones) for child in children})
    stored = rows.ids_of(ways.parents)
    return [
        {"parent": stored[key], "child": child, "move": move}
        for (key, child), move in ways.links(stored).items()
    ]

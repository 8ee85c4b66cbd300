"""Entering results in a book."""

from pathlib import Path

from book.writer import BookWriter
from engine import registry
from tests.book.handmade import GAME_ID, OPEN_FOUR, OPEN_THREE, enter
from tests.books import rows_of
from tests.oracles.book_checker import assert_sound


def test_a_position_that_was_stored_since_it_was_planned_is_not_stored_twice(
    tmp_path: Path,
) -> None:
    path = tmp_path / "twice.db"
    game = registry.get(GAME_ID)
    with BookWriter(path, game) as writer:
        run = writer.start_run({"limits": {"depth": 4}})
        for line in (OPEN_THREE, OPEN_FOUR, OPEN_THREE):
            enter(writer, game, line, run, depth=4)
        assert writer.count() == 2
    assert rows_of(path, "SELECT positions FROM runs") == [{"positions": 2}]
    assert_sound(path, game)

"""What answers cost the service beside a constant route."""

from pathlib import Path

from book.reader import BookReader
from engine import registry
from tests.books import small_book
from tools.bench.service_ratios import measure, stored_lines


def test_each_line_leads_to_another_stored_position(tmp_path: Path) -> None:
    game = registry.get("gomoku-9")
    with BookReader(small_book(tmp_path / "book.db", game.id, 12)) as reader:
        lines = stored_lines(reader, game, 8)
        positions = [game.play_line(game.parse_line(line)) for line in lines]
        assert all(reader.get(game, position) for position in positions)
        assert len({game.canonical(position).key for position in positions}) == len(lines) > 1


def test_both_routes_are_measured(tmp_path: Path) -> None:
    book = small_book(tmp_path / "book.db", "gomoku-9", 12)
    best, position = measure(book, 2)
    assert (best.route, position.route) == ("/best", "/position")
    assert best.bytes < position.bytes
    assert best.positions == 2

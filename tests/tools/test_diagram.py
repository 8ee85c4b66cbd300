"""A diagram shows the stones where they are, and the numbers of their moves."""

import re
from pathlib import Path

from click.testing import CliRunner

from tools.diagram import main

BOOK = Path("data/gomoku-15.db")


def drawn(*arguments: str) -> str:
    result = CliRunner().invoke(main, [str(BOOK), *arguments])
    assert result.exit_code == 0, result.output
    return result.stdout


def test_a_line_of_moves_is_numbered_on_its_stones() -> None:
    picture = drawn("h8 i9 g9", "--numbered")
    stones = re.findall(r'<circle class="(\w+)" cx="(\d+)" cy="(\d+)"', picture)
    numbers = re.findall(r'<text x="(\d+)" y="(\d+)" fill="#\w+">(\d+)</text>', picture)
    where = {(x, y): side for side, x, y in stones}
    assert [(where[x, y], number) for x, y, number in numbers] == [
        ("dark", "1"), ("light", "2"), ("dark", "3"),
    ]  # fmt: skip


def test_the_moves_that_a_book_knows_lie_on_free_cells() -> None:
    picture = drawn("")
    assert not re.findall(r'class="(dark|light)" cx', picture)
    assert re.search(r'fill="hsl\(120 70% 72%\)"', picture)

"""What tells the figures of a win, from a proof whose figures are known."""

import shutil
from itertools import chain
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from book.rows.encoding import Rest, Searched
from book.writer import BookWriter, Task
from engine.games.gomoku.strategy.openings import third_moves
from engine.position import Move
from engine.values import WIN, Bound
from precompute.certificates.gomoku.opening import Line, Opening
from precompute.certificates.gomoku.part import Part, game_of
from precompute.certificates.gomoku.part_file import PartFile
from precompute.certificates.gomoku.proof import ProofByParts
from tools import won

GAME = game_of("gomoku-9")
OPENING = Opening(GAME)
LAST = OPENING.undecided[-1]
# As the bounds are told, from the empty board on.
PLIES, MOST_PLIES = 31, 45
NODES, MOST_NODES = 1_000, 3_000_000


def third_after(line: Line) -> Move:
    """The winner's second stone after `line`, not the same one everywhere."""
    moves = third_moves(GAME, line[1])
    return moves[line[1] % len(moves)]


def parts() -> list[Part]:
    """All parts, won; the last one is the hardest."""
    ends = [(*line, third_after(line)) for line in OPENING.undecided]
    *others, last = chain.from_iterable(map(OPENING.after_replies, ends))
    return [
        *(Part(line, MOST_NODES, NODES, move=0) for line in others),
        Part(last, MOST_NODES, MOST_NODES, move=0),
    ]


@pytest.fixture
def book(tmp_path: Path) -> Path:
    """A book of dark's second stones alone; they were made up, and so were the parts beside it."""
    path = tmp_path / "won.db"
    with PartFile(path.with_name("won.db.parts"), GAME.id) as file:
        for line in OPENING.undecided:
            file.choose(line, third_after(line))
        for part in parts():
            file.keep(part)
    with BookWriter(path, GAME) as writer:
        run = writer.start_run({})
        with writer.transaction():
            writer.enter_missing([second_stone(line) for line in OPENING.undecided], run)
    return path


def second_stone(line: Line) -> tuple[Task, Searched]:
    plies = (MOST_PLIES if line == LAST else PLIES) - len(line)
    canonical = GAME.canonical(GAME.play_line(line))
    move = GAME.map_move(third_after(line), canonical.symmetry)
    rest = Rest(move, WIN - plies, Bound.LOWER, True, None, (move,))
    searched = Searched(canonical.key, canonical.stones, rest, plies, 0, 0, {})
    return Task(canonical.key, canonical.stones, True, frozenset()), searched


def told(*options: object) -> Result:
    return CliRunner().invoke(won.main, list(map(str, options)))


def test_it_tells_what_the_parts_took_and_how_long_each_second_move_may_last(book: Path) -> None:
    result = told(GAME.id, book)
    assert result.exit_code == 0, result.output
    of_parts, of_bounds = (each.splitlines() for each in result.stdout.split("\n\n"))
    *others, last = parts()
    nodes = len(others) * NODES + MOST_NODES
    assert of_parts == [
        f"{len(others) + 1:,} pairs, {nodes:,} nodes, median {NODES:,}",
        f"hardest: {GAME.format_line(last.line)}, {MOST_NODES:,} nodes",
        f"pairs with up to 2,000,000 nodes: {len(others):,}, {len(others) * NODES:,} nodes in all",
        f"pairs with up to 20,000,000 nodes: 1, {MOST_NODES:,} nodes in all",
        "pairs with up to 200,000,000 nodes: 0, 0 nodes in all",
        "pairs with up to 2,000,000,000 nodes: 0, 0 nodes in all",
    ]
    thirds = [GAME.format_line((*line, third_after(line))) for line in sorted(OPENING.undecided)]
    longest = GAME.format_line((*LAST, third_after(LAST)))
    thirds.remove(longest)
    assert of_bounds == [
        f"within {MOST_PLIES} plies: {longest}",
        f"within {PLIES} plies: {', '.join(thirds)}",
    ]


def test_its_file_of_second_stones_is_read_by_a_proof(book: Path, tmp_path: Path) -> None:
    file = tmp_path / "thirds.txt"
    assert told(GAME.id, book, "--thirds", file).exit_code == 0
    comment, *lines = file.read_text().splitlines()
    assert comment.startswith("#")
    thirds = [tuple(GAME.parse_line(line)) for line in lines]
    with ProofByParts(GAME, tmp_path / "again.parts", thirds=thirds) as proof:
        assert proof.thirds == [(*line, third_after(line)) for line in sorted(OPENING.undecided)]


def test_a_proof_with_an_open_part_is_refused(book: Path, tmp_path: Path) -> None:
    *_, last = parts()
    with PartFile(book.with_name("won.db.parts"), GAME.id) as file:
        file.keep(Part(last.line, MOST_NODES, MOST_NODES))
    thirds = tmp_path / "thirds.txt"
    result = told(GAME.id, book, "--thirds", thirds)
    assert result.exit_code == 1
    assert "is not complete" in result.output
    assert not thirds.exists()


def test_what_it_cannot_tell_of_is_refused_in_a_sentence(book: Path) -> None:
    assert "no proof of gomoku-15-renju is made of parts" in told("gomoku-15-renju", book).output
    BookWriter(other := book.with_name("other.db"), GAME).close()
    shutil.copy(book.with_name("won.db.parts"), other.with_name("other.db.parts"))
    assert "has no win after" in told(GAME.id, other).output
    book.with_name("won.db.parts").unlink()
    assert "does not exist" in told(GAME.id, book).output
    assert not book.with_name("won.db.parts").exists()

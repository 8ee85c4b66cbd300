"""A book and a certificate of one win of Gomoku, and the play from both."""

import lzma
import random
from pathlib import Path

import pytest

from book.certificates.gomoku.checker import Checker
from book.certificates.gomoku.file import read, write
from book.reader import BookReader
from engine.games.gomoku import Gomoku
from engine.games.gomoku.strategy.openings import first_move, second_moves
from engine.position import Move, Position, cells_of
from engine.search import Limits
from engine.values import distance
from precompute.certificates.gomoku.builder import PartsBuilder, PartsOptions
from precompute.certificates.gomoku.part import game_of
from precompute.certificates.gomoku.proof import ProofByParts
from service.answerer import Answerer
from service.answers import Source
from service.inquiry import Inquiry
from tests.checkout import DATA

GAME: Gomoku = game_of("gomoku-15")
SHIPPED = {
    "gomoku-13": (77, 77),
    "gomoku-13-standard": (73, 69),
    "gomoku-15": (57, 57),
    "gomoku-15-standard": (63, 63),
    "gomoku-17": (69, 69),
    "gomoku-19": (61, 61),
}
"""The games whose win is shipped, and within how many plies it comes by the certificate and by the
book: what it stores for one line may be a shorter way in another."""
ELEVEN = game_of("gomoku-11")
START = tuple(GAME.parse_line("h8 a1 i9 g9"))
LIMITS = Limits(nodes=400_000)
LINES = 10


@pytest.fixture(scope="module")
def won(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A book of the win after `START`, with its certificate beside it."""
    book = tmp_path_factory.mktemp("won") / "won.db"
    PartsBuilder(book, PartsOptions(GAME, 2, line=START)).run()
    with ProofByParts(GAME, book.with_name("won.db.parts"), root=START) as proof:
        write(proof.certificate(), book.with_suffix(".cert"))
    return book


def test_the_book_and_the_certificate_tell_the_same_distance(won: Path) -> None:
    checker = Checker(read(won.with_suffix(".cert")))
    for _ in checker.steps():
        pass
    assert (checker.hole, checker.whole) == (None, True)
    with BookReader(won) as reader:
        assert checker.distance == distance(reader.find(GAME, GAME.play_line(START)).value)


def test_every_position_on_random_lines_is_a_proof_until_dark_has_won(won: Path) -> None:
    rng = random.Random(4)
    with Answerer([won]) as answerer:
        for _ in range(LINES):
            play_on(answerer, GAME, START, rng)


def test_light_is_told_the_reply_that_lasts_longest(won: Path) -> None:
    """Where the book ends, its last distance still holds."""
    with Answerer([won]) as answerer:
        line = list(START)
        position, promised = GAME.play_line(line), None
        while GAME.outcome(position) is None:
            answer = answerer.answer(Inquiry(GAME, tuple(line), position), LIMITS)
            assert answer.best is not None
            if answer.method is None:
                assert answer.distance is not None
                assert promised is None or answer.distance <= promised
                promised = answer.distance - 1
            line.append(answer.best.move)
            position = GAME.play(position, line[-1])
    assert len(line) % 2 == 1


def shipped_check(game_id: str, sample: int | None) -> Checker:
    """A check of a shipped certificate, to its end."""
    checker = Checker(read(DATA / f"{game_id}.cert"), sample=sample, seed=7)
    for _ in checker.steps(jobs=2):
        pass
    assert (checker.hole, checker.complete) == (None, True)
    return checker


@pytest.mark.parametrize("game_id", SHIPPED)
def test_a_sample_of_a_shipped_certificate_is_accepted(game_id: str) -> None:
    assert shipped_check(game_id, 300).checked == 300


@pytest.mark.slow
@pytest.mark.parametrize("game_id", SHIPPED)
def test_a_shipped_certificate_is_accepted_and_tells_the_distance(game_id: str) -> None:
    checker = shipped_check(game_id, None)
    assert (checker.whole, checker.distance) == (True, SHIPPED[game_id][0])


@pytest.mark.parametrize("game_id", SHIPPED)
def test_a_shipped_book_tells_the_distance_of_each_second_move(game_id: str) -> None:
    game, (_, within) = game_of(game_id), SHIPPED[game_id]
    with BookReader(DATA / f"{game_id}.db") as reader:
        assert distance(reader.find(game, game.initial).value) == within
        first = reader.find(game, game.initial).moves[0].move
        after = game.play(game.initial, first)
        entry = reader.find(game, after)
        # Symmetry leaves an eighth of the board: a triangle with the first stone at its tip.
        side = game.size // 2 + 1
        assert len(entry.moves) == len(game.children(after)) == side * (side + 1) // 2 - 1
        assert all(move.proven and distance(move.value) is not None for move in entry.moves)
        assert max(distance(move.value) or 0 for move in entry.moves) == within - 1


@pytest.mark.parametrize("game_id", SHIPPED)
def test_every_position_on_random_lines_of_a_shipped_book_is_a_proof(game_id: str) -> None:
    rng = random.Random(9)
    with Answerer([DATA / f"{game_id}.db"]) as answerer:
        for _ in range(LINES):
            play_on(answerer, game_of(game_id), (), rng)


def second_moves_of_11() -> list[tuple[Move, ...]]:
    """The lines of two moves, from the middle of 11×11, that are proved to be won."""
    lines = [(first_move(ELEVEN), move) for move in second_moves(ELEVEN)]
    open_ = {tuple(ELEVEN.parse_line(text)) for text in ("f6 e5", "f6 f5")}
    assert open_ < set(lines)
    return [line for line in lines if line not in open_]


def test_on_11_every_position_on_random_lines_after_what_is_proved_is_a_proof() -> None:
    rng = random.Random(5)
    with Answerer([DATA / "gomoku-11.db"]) as answerer:
        for line in second_moves_of_11():
            play_on(answerer, ELEVEN, line, rng)


@pytest.mark.slow
def test_the_shipped_proofs_on_11_are_accepted(tmp_path: Path) -> None:
    parts = tmp_path / "eleven.parts"
    parts.write_bytes(lzma.decompress((DATA / "gomoku-11.parts.xz").read_bytes()))
    for line in second_moves_of_11():
        with ProofByParts(ELEVEN, parts, root=line) as proof:
            checker = Checker(proof.certificate())
        for _ in checker.steps(jobs=2):
            pass
        assert (checker.hole, checker.complete, checker.whole) == (None, True, True)


def play_on(answerer: Answerer, game: Gomoku, start: tuple[Move, ...], rng: random.Random) -> None:
    """After `start` dark plays the best move and light one near: each answer is a proof of it."""
    line = list(start)
    position = game.play_line(line)
    while game.outcome(position) is None:
        answer = answerer.answer(Inquiry(game, tuple(line), position), LIMITS)
        assert answer.source is Source.PROOF, game.format_line(line)
        assert (answer.value > 0) == position.dark_to_move
        assert answer.best is not None
        line.append(answer.best.move if position.dark_to_move else near(game, position, rng))
        position = game.play(position, line[-1])
    assert len(line) % 2 == 1


def near(game: Gomoku, position: Position, rng: random.Random) -> Move:
    """A reply within two rows and columns of a stone, where it may matter."""
    taken = [divmod(cell, game.size) for cell in cells_of(position.dark | position.light)]

    def is_near(move: Move) -> bool:
        row, column = divmod(move, game.size)
        return any(max(abs(row - up), abs(column - right)) <= 2 for up, right in taken)

    return rng.choice([move for move in game.legal_moves(position) if is_near(move)])

"""A book and a certificate of one win of Gomoku, and the play from both."""

import random
from pathlib import Path

import pytest

from book.certificates.gomoku.checker import Checker
from book.certificates.gomoku.file import read, write
from book.reader import BookReader
from engine.games.gomoku import Gomoku
from engine.position import Move, Position, cells_of
from engine.search import Limits
from engine.values import distance
from precompute.certificates.gomoku.builder import PartsBuilder, PartsOptions
from precompute.certificates.gomoku.part import game_of
from precompute.certificates.gomoku.proof import ProofByParts
from service.answerer import Answerer
from service.answers import Source
from service.inquiry import Inquiry

GAME: Gomoku = game_of("gomoku-15")
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
            line = list(START)
            position = GAME.play_line(line)
            while GAME.outcome(position) is None:
                answer = answerer.answer(Inquiry(GAME, tuple(line), position), LIMITS)
                assert answer.source is Source.PROOF, GAME.format_line(line)
                assert (answer.value > 0) == position.dark_to_move
                assert answer.best is not None
                line.append(answer.best.move if position.dark_to_move else near(position, rng))
                position = GAME.play(position, line[-1])
            assert len(line) % 2 == 1


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


def near(position: Position, rng: random.Random) -> Move:
    """A reply within two rows and columns of a stone, where it may matter."""
    taken = [divmod(cell, GAME.size) for cell in cells_of(position.dark | position.light)]

    def is_near(move: Move) -> bool:
        row, column = divmod(move, GAME.size)
        return any(max(abs(row - up), abs(column - right)) <= 2 for up, right in taken)

    return rng.choice([move for move in GAME.legal_moves(position) if is_near(move)])

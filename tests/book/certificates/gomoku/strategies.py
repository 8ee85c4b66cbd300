"""Strategies for the tests of certificates, and how they are written down and changed."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path

from book.certificates.check import Hole
from book.certificates.gomoku import file
from book.certificates.gomoku.board import Board, Cell, Rules, rules_of
from book.certificates.gomoku.checker import Checker
from book.certificates.gomoku.file import Certificate, Entry, Start, certificate_of
from book.certificates.gomoku.writer import EFFORT, Writer
from engine import registry
from engine.position import cells_of
from tests.book.certificates.gomoku.advisers import EngineAdviser, board_from

# Quiet moves for the first player, each as the stones of both sides and the move.
QUIET = {
    "h8 i9 g9 e3": "i7",
    "h8 i9 g9 e3 i7 f10": "h7",
    "h8 i9 g9 e3 i7 j6": "g8",
}


def rules_for(game_id: str) -> Rules:
    rules = rules_of(game_id)
    assert rules is not None
    return rules


def start_after(game_id: str, line: str, *, winner_is_dark: bool = True) -> Start:
    """The start of a strategy, with dark and light playing `line` in turn."""
    game = registry.get(game_id)
    position = game.play_line(game.parse_line(line))
    return Start(tuple(cells_of(position.dark)), tuple(cells_of(position.light)), winner_is_dark)


def quiet_moves(game_id: str, lines: Mapping[str, str]) -> dict[Board, Cell]:
    """The moves after these lines, by canonical boards."""
    game, rules = registry.get(game_id), rules_for(game_id)
    moves = {}
    for line, move in lines.items():
        board = board_from(game.play_line(game.parse_line(line)))
        canonical, symmetry = rules.canonical(board)
        moves[canonical] = rules.maps[symmetry][game.parse_move(move)]
    return moves


@cache
def written(
    game_id: str = "gomoku-15", line: str = "h8 i9 g9 e3", *, winner_is_dark: bool = True
) -> Certificate:
    """The certificate of the win after `line`; it has some five entries."""
    rules = rules_for(game_id)
    quiet = quiet_moves(game_id, QUIET) if game_id.startswith("gomoku-15") else {}
    adviser = EngineAdviser(rules, winner_is_dark=winner_is_dark, quiet=quiet)
    return Writer(rules, adviser).write(start_after(game_id, line, winner_is_dark=winner_is_dark))


def entries(certificate: Certificate) -> list[Entry]:
    return [certificate.entry(number) for number in range(certificate.entries)]


def rebuilt(
    certificate: Certificate, change: Callable[[list[Entry]], object] = lambda entries: None
) -> Certificate:
    """The certificate after `change` has been made to its entries, in order again."""
    some = entries(certificate)
    change(some)
    return certificate_of(certificate.rules, certificate.start, certificate.effort, some)


def with_entry(certificate: Certificate, number: int, entry: Entry) -> Certificate:
    def change(some: list[Entry]) -> None:
        some[number] = entry

    return rebuilt(certificate, change)


def of_start(game_id: str, start: Start, *some: Entry, effort: int = EFFORT) -> Certificate:
    return certificate_of(rules_for(game_id), start, effort, some)


def checked(certificate: Certificate, folder: Path, jobs: int = 1) -> Checker:
    """The check of a certificate after it has been written to a file and read again."""
    path = folder / "some.cert"
    file.write(certificate, path)
    checker = Checker(file.read(path), checksum=file.checksum_of(path))
    for _ in checker.steps(jobs):
        pass
    return checker


def hole(certificate: Certificate, folder: Path) -> Hole | None:
    return checked(certificate, folder).hole


def with_start(certificate: Certificate, **changes: object) -> Certificate:
    return replace(certificate, start=replace(certificate.start, **changes))  # type: ignore[arg-type]

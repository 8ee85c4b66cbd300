"""What the checker's own searches find is so, by every move and every reply."""

import pytest

from book.audit.end_search import Exhaustive
from book.audit.gomoku import GomokuRules
from book.audit.gomoku_threats import Threats
from book.audit.registry import end_search, rules_of
from engine import registry
from tests.book.audit.grown import late
from tests.checkout import DATA

PUZZLES = DATA / "puzzles"


class EveryReply(Threats):
    """Takes no reply for one that changes nothing."""

    def _touching(self, own: int, other: int, dark: bool, empty: int) -> int:
        return empty


@pytest.mark.parametrize("game_id", ["pentago", "pentago-twist", "pentago-swap"])
@pytest.mark.parametrize("plies", [1, 2, 3])
def test_endings_are_those_of_a_game_played_in_every_way(game_id: str, plies: int) -> None:
    game, rules = registry.get(game_id), rules_of(game_id)
    search = end_search(rules, 10**6)
    found = set()
    for seed in range(6):
        board = rules.unpack(game.pack(late(game, 33, seed, quiet=True)))
        value = Exhaustive(rules, 10**6).value(board, plies)
        assert search.won(board, plies) == (value == 1)
        if plies == 3:
            assert search.holds(board) == (value >= 0)
        found.add(value)
    assert len(found) > (plies > 1)


def test_an_ending_that_takes_too_many_nodes_stays_open() -> None:
    game, rules = registry.get("pentago"), rules_of("pentago")
    board = rules.unpack(game.pack(late(game, 12, 1)))
    assert end_search(rules, 5).won(board, 7) is None


def puzzles(name: str, most: int) -> list[tuple[str, int, str]]:
    found = []
    for line in (PUZZLES / f"{name}.txt").read_text().splitlines():
        if line and not line.startswith("#"):
            game_id, plies, moves = line.split(maxsplit=2)
            if int(plies) <= most and game_id != "gomoku-19":
                found.append((game_id, int(plies), moves))
    return found


@pytest.mark.parametrize("name", ["vcf", "vct"])
def test_published_wins_are_found_and_shorter_ones_never_by_fours_alone(name: str) -> None:
    some = puzzles(name, 11)[:6]
    assert len(some) == 6
    for game_id, plies, moves in some:
        game, rules = registry.get(game_id), rules_of(game_id)
        assert isinstance(rules, GomokuRules)
        board = rules.unpack(game.pack(game.play_line(game.parse_line(moves))))
        search = Threats(rules, 200_000)
        assert search.won(board, plies)
        assert search.kind == ("fours" if name == "vcf" else "fours and threes")
        assert not search.won(board, 1)


@pytest.mark.parametrize("game_id", ["gomoku-9", "gomoku-9-standard"])
def test_replies_that_are_left_out_would_have_changed_nothing(game_id: str) -> None:
    game, rules = registry.get(game_id), rules_of(game_id)
    assert isinstance(rules, GomokuRules)
    found = {True: 0, False: 0}
    for seed in range(40):
        board = rules.unpack(game.pack(late(game, 18, seed)))
        own, other = board.sides
        asked = own, other, board.dark_to_move, 5
        answers = {
            search(rules, 10**6)._wins_by(*asked, threes=True) for search in (Threats, EveryReply)
        }
        assert len(answers) == 1
        found[answers.pop()] += 1
    assert min(found.values()) > 3


def test_where_no_five_is_left_it_is_a_draw() -> None:
    rules = rules_of("gomoku-5")
    assert isinstance(rules, GomokuRules)
    rows = ["xoxox", "oxoxo", "oxox.", "xoxo.", "oxo.."]
    cells = {stone: [] for stone in "xo."}  # type: dict[str, list[int]]
    for number, stone in enumerate("".join(rows)):
        cells[stone].append(number)
    board = rules.unpack(bytes(cells["x"] + cells["o"]))
    search = Threats(rules, 10_000)
    assert search.holds(board)
    assert search.kind == "no five left"
    assert Exhaustive(rules, 10**6).value(board, len(cells["."])) == 0

"""The threat solver: it finds the wins by fours that there are, and what it claims is a win."""

import subprocess
import sys
from random import Random

import pytest

from engine import registry
from engine.game import Game
from engine.games.gomoku import Gomoku, Rule, threats, vct
from engine.games.gomoku.threat_solver import ThreatResult, ThreatSolver
from engine.position import Position, board_of, cells_of
from tests.engine.records import content
from tests.engine.samples import RULES
from tests.engine.threat_claims import asker, sides
from tests.oracles.boards import board_of as drawn
from tests.oracles.boards import position_of, slow_rules_of
from tests.oracles.slow_rules import SlowGomoku
from tests.oracles.solver import WIN, Solver
from tests.oracles.threat_checker import Claim, Stones, ThreatChecker

SMALL = [f"gomoku-{size}{rule}" for size in (5, 6, 7) for rule in RULES]

both_rules = pytest.mark.parametrize("rule", ["", "-standard"], ids=["freestyle", "standard"])
every_rule = pytest.mark.parametrize("rule", RULES, ids=["freestyle", "standard", "renju"])
both_kinds = pytest.mark.parametrize("kind", ["vcf", "vct"])
small_boards = pytest.mark.parametrize("name", SMALL)

FOUR_AND_THREE = """
    .........
    .........
    ....x....
    ....x....
    oxxx.....
    .........
    .........
    .........
    oo..o...o
"""
BLOCKED_WITH_A_FOUR = """
    .........
    .....o...
    ....xo...
    ....xo...
    oxxx.....
    .........
    .........
    .........
    o........
"""
BLOCKED_WITH_A_FIVE = """
    .....o...
    .....o...
    ....xo...
    ....xo...
    oxxx.....
    .........
    .........
    x........
    o........
"""
BEYOND_FIVE = """
    .........
    .........
    ....x....
    ....x....
    oxxx..x..
    .........
    .........
    o........
    oo..o...o
"""
AT_THE_EDGE = """
    .........
    .........
    .....x...
    .....x...
    ......xxx
    .........
    .........
    o........
    oo..o...o
"""
NO_ROOM_AT_THE_EDGE = """
    .........
    .........
    .....x...
    .....x...
    ....o.xxx
    .........
    .........
    o........
    oo......o
"""
SIX_OR_FIVE = """
    .........
    .........
    .........
    .ooo.....
    .xx.x.x..
    .........
    .........
    o........
    .........
"""
TWO_THREES = """
    .........
    .........
    ....x....
    ....x....
    ..xx.....
    .........
    .........
    o.......o
    o.......o
"""
TWO_THREES_AGAINST_A_THREE = """
    .........
    .........
    ....x....
    ....x....
    ..xx.....
    .........
    .........
    ....ooo..
    o........
"""
TWO_THREES_AGAINST_A_FOUR = """
    .....x...
    .....o...
    ....xo...
    ....xo...
    ..xx.....
    .........
    .........
    .........
    o.......o
"""
OPEN_THREE_AND_THE_OTHER_TO_MOVE = """
    .........
    .........
    .........
    .........
    ..xxx....
    .........
    .........
    .........
    o.......o
"""


def solve(kind: str, name: str, drawing: str) -> tuple[bool | None, int | None]:
    """Whether the side to move was found to win, and in how many plies."""
    result = getattr(ThreatSolver(game_of(name)), kind)(position_of(drawing))
    return result.won, result.distance


def game_of(name: str) -> Gomoku:
    game = registry.get(name)
    assert isinstance(game, Gomoku)
    return game


@pytest.mark.parametrize(
    ("drawing", "freestyle", "standard"),
    [
        pytest.param(FOUR_AND_THREE, 5, 5, id="four and three"),
        pytest.param(AT_THE_EDGE, 5, 5, id="at the edge"),
        pytest.param(NO_ROOM_AT_THE_EDGE, None, None, id="no room at the edge"),
        pytest.param(BLOCKED_WITH_A_FOUR, None, None, id="blocked with a four"),
        pytest.param(BLOCKED_WITH_A_FIVE, None, None, id="blocked with a five"),
        pytest.param(BEYOND_FIVE, 5, None, id="a row of six"),
        pytest.param(SIX_OR_FIVE, 3, None, id="a five or a row of six"),
        pytest.param(TWO_THREES, None, None, id="threes only"),
    ],
)
def test_wins_by_fours(drawing: str, freestyle: int | None, standard: int | None) -> None:
    assert solve("vcf", "gomoku-9", drawing) == (freestyle is not None, freestyle)
    assert solve("vcf", "gomoku-9-standard", drawing) == (standard is not None, standard)


@both_rules
def test_two_threes_win_by_threats(rule: str) -> None:
    assert solve("vct", f"gomoku-9{rule}", TWO_THREES) == (True, 5)


@both_rules
def test_two_threes_do_not_win_against_a_three(rule: str) -> None:
    assert solve("vct", f"gomoku-9{rule}", TWO_THREES_AGAINST_A_THREE) == (False, None)


@both_rules
def test_a_parry_that_makes_a_four_gains_time(rule: str) -> None:
    won, distance = solve("vct", f"gomoku-9{rule}", TWO_THREES_AGAINST_A_FOUR)
    assert won
    assert distance == 13


@pytest.mark.parametrize("size", [9, 11, 15, 20, 26])
@pytest.mark.parametrize("corner", ["low", "high"])
@every_rule
def test_wins_are_found_wherever_they_are_on_the_board(size: int, corner: str, rule: str) -> None:
    game = game_of(f"gomoku-{size}{rule}")
    shift = 0 if corner == "low" else size - 9
    small = position_of(AT_THE_EDGE)

    def moved(board: int) -> int:
        return board_of(
            (cell // 9 + shift) * size + cell % 9 + (size - 9) for cell in cells_of(board)
        )

    position = Position(moved(small.dark), moved(small.light))
    assert ThreatSolver(game).vcf(position).distance == 5


def test_the_line_of_a_win_leads_to_the_five() -> None:
    game = game_of("gomoku-9")
    for kind, drawing in (("vcf", FOUR_AND_THREE), ("vct", TWO_THREES_AGAINST_A_FOUR)):
        position = position_of(drawing)
        result: ThreatResult = getattr(ThreatSolver(game), kind)(position)
        assert len(result.line) == result.distance
        assert game.outcome(game.play_line(result.line, start=position)) is not None


def test_after_a_pass_the_win_of_the_other_side_is_found() -> None:
    solver = ThreatSolver(game_of("gomoku-9"))
    position = position_of(OPEN_THREE_AND_THE_OTHER_TO_MOVE)
    assert solver.vcf(position).won is False
    assert solver.vcf(position, after_pass=True).distance == 3


def test_the_defences_against_an_open_three() -> None:
    game = game_of("gomoku-9")
    solver = ThreatSolver(game)
    position = position_of(OPEN_THREE_AND_THE_OTHER_TO_MOVE)
    line = game.parse_line("f5 g5 b5")
    assert solver.defences(position, line) == set(game.parse_line("b5 f5 g5"))


@small_boards
def test_replies_outside_the_defences_lose(name: str) -> None:
    game, random = game_of(name), Random(f"defences {name}")
    solver, checker = ThreatSolver(game), checker_of(game)
    lost = 0
    for _ in range(20):
        position = quiet_position(game, random)
        for result in (
            solver.vcf(position, after_pass=True),
            solver.vct(position, after_pass=True, nodes=5_000),
        ):
            if not result.won or (result.distance or 0) > 7:
                continue
            defences = solver.defences(position, result.line)
            own, other = sides(game, position)
            for reply in set(game.legal_moves(position)) - defences:
                answered = own | {divmod(reply, game.size)}
                checker.turn_to(own, other)
                assert not checker.fives(answered, other)
                assert checker.hole(other, answered, asker(game, solver.vct)) is None
                lost += 1
    assert lost > 0 or game.size == 5


@small_boards
def test_wins_on_small_boards_are_the_true_ones(name: str) -> None:
    compare(name, Random(name), count=40, longest=9)


@pytest.mark.slow
@small_boards
def test_wins_on_small_boards_are_the_true_ones_in_many_positions(name: str) -> None:
    compare(name, Random(f"slow {name}"), count=10_000 // len(SMALL) + 1, longest=15)


def compare(name: str, random: Random, count: int, longest: int) -> None:
    """Wins by fours are those there are; wins by threats hold against every legal reply.

    Those of more than `longest` plies take too long to check.
    """
    game = game_of(name)
    solver, checker = ThreatSolver(game), checker_of(game)
    won = 0
    for _ in range(count):
        position = quiet_position(game, random)
        own, other = sides(game, position)
        by_fours, by_threats = solver.vcf(position), solver.vct(position)
        truth = checker.win_by_fours(own, other)
        assert (by_fours.won, by_fours.distance) == (truth is not None, truth)
        if by_threats.distance is None:
            assert truth is None
        elif by_threats.distance <= longest:
            assert truth is None or by_threats.distance <= truth
            assert checker.hole(own, other, asker(game, solver.vct)) is None
            won += 1
    assert won > 0 or game.size == 5


@pytest.mark.parametrize("name", ["gomoku-6", "gomoku-7-standard"])
def test_no_short_win_by_threats_is_missed(name: str) -> None:
    game, random = game_of(name), Random(f"short {name}")
    solver, checker = ThreatSolver(game), checker_of(game)
    found = 0
    while found < 2:
        position = quiet_position(game, random, free=20)
        distance = solver.vct(position).distance
        truth = checker.win_by_threats(*sides(game, position), 1)
        assert truth == (distance if distance is not None and distance <= 5 else None)
        found += truth == 5


@pytest.mark.parametrize(
    "name", ["gomoku-5", "gomoku-5-standard", "gomoku-6", "gomoku-6-standard", "gomoku-6-renju"]
)
def test_wins_agree_with_trying_everything(name: str) -> None:
    game, random = game_of(name), Random(f"everything {name}")
    solver = ThreatSolver(game)
    slow_game = slow_rules_of(game)
    won = 0
    while won < 4:
        position = quiet_position(game, random, free=7)
        result = solver.vct(position)
        if result.won:
            value = Solver(slow_game).value(drawn(game, position))
            assert value >= WIN - (result.distance or 0)
            won += 1


def checker_of(game: Gomoku) -> ThreatChecker:
    exactly_five, renju = game.rule is Rule.STANDARD, game.rule is Rule.RENJU
    return ThreatChecker(game.size, exactly_five=exactly_five, renju=renju)


def quiet_position(game: Game, random: Random, free: int | None = None) -> Position:
    """Random stones, after which the side to move has no five at hand."""
    while True:
        count = free or random.randrange(2, game.cell_count - 5)
        position = game.initial
        for move in random.sample(range(game.cell_count), game.cell_count - count):
            position = game.play(position, move)
        if game.outcome(position) is None:
            following = [game.play(position, move) for move in game.legal_moves(position)]
            if not any(game.outcome(after) for after in following):
                return position


def test_the_checker_finds_a_hole_in_a_false_claim() -> None:
    checker = ThreatChecker(9, exactly_five=False)
    own, other = sides(game_of("gomoku-9"), position_of(TWO_THREES))
    assert checker.hole(own, other, lambda *_: Claim((4, 4), 3)) is not None
    assert checker.hole(own, other, lambda *_: None) == []


@both_rules
def test_the_checker_sees_fives_where_the_rules_see_them(rule: str) -> None:
    exactly_five = rule == "-standard"
    rules = SlowGomoku(7, exactly_five=exactly_five)
    checker = ThreatChecker(7, exactly_five=exactly_five)
    random, seen = Random(7), 0
    cells = checker.free(frozenset(), frozenset())
    for _ in range(30):
        stones = frozenset(random.sample(cells, random.randrange(18, 28)))
        if finished(rules, stones):
            continue
        for cell in checker.free(stones, frozenset()):
            wins = finished(rules, stones | {cell})
            assert checker.makes_five(stones, cell) == wins
            seen += wins
    assert seen > 10


def finished(rules: SlowGomoku, stones: Stones) -> bool:
    board = rules.empty_board()
    for row, column in stones:
        board[row][column] = "x"
    return rules.outcome(board) == "dark wins"


@both_kinds
@every_rule
def test_a_search_leaves_the_record_as_it_was(kind: str, rule: str) -> None:
    game, random = game_of(f"gomoku-11{rule}"), Random(kind)
    solver = ThreatSolver(game)
    kernel = {"vcf": threats.vcf, "vct": vct.vct}[kind]
    wins = 0
    for _ in range(40):
        solver._set_up(quiet_position(game, random, free=random.randrange(50, 90)))
        before = content(solver._state)
        wins += kernel(solver._state, solver._threats, threats.MAX_DEPTH, 2_000) > 0
        assert content(solver._state) == before
    assert wins > 0


@both_kinds
def test_limits_are_kept(kind: str) -> None:
    solver = ThreatSolver(game_of("gomoku-9"))
    position = position_of(BLOCKED_WITH_A_FOUR)
    needed = getattr(solver, kind)(position).nodes
    assert needed > 1
    for nodes in range(1, min(needed, 60)):
        result = getattr(solver, kind)(position, nodes=nodes)
        assert result.nodes <= nodes
        assert result.won is None


@both_kinds
@pytest.mark.parametrize(
    ("limit", "value"), [("node_limit", 3), ("deadline", 1), ("stop", 1)], ids=str
)
def test_the_limits_of_the_record_are_obeyed(kind: str, limit: str, value: int) -> None:
    solver = ThreatSolver(game_of("gomoku-9"))
    solver._set_up(position_of(BLOCKED_WITH_A_FOUR))
    solver._state[limit] = value
    solver._state["next_check"] = 0
    kernel = {"vcf": threats.vcf, "vct": vct.vct}[kind]
    result = kernel(solver._state, solver._threats, threats.MAX_DEPTH, 10_000)
    assert result == threats.CUT
    assert solver._state["nodes"] <= 3


def test_results_depend_on_the_arguments_alone() -> None:
    game = game_of("gomoku-9")
    solver, position = ThreatSolver(game), position_of(BLOCKED_WITH_A_FOUR)
    first = solver.vct(position)
    solver.vct(position_of(TWO_THREES_AGAINST_A_FOUR))
    assert solver.vct(position) == ThreatSolver(game).vct(position) == first
    script = (
        "from engine import registry; from engine.position import Position\n"
        "from engine.games.gomoku.threat_solver import ThreatSolver\n"
        f"solver = ThreatSolver(registry.get('gomoku-9'))\nprint(solver.vct({position!r}))"
    )
    other = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert other.stdout.strip() == repr(first)


@every_rule
@both_kinds
def test_what_is_remembered_saves_nodes_and_changes_no_win(kind: str, rule: str) -> None:
    game, random = game_of(f"gomoku-7{rule}"), Random(f"remembered {kind} {rule}")
    fresh, remembering = ThreatSolver(game), ThreatSolver(game, remembers=True)
    saved = 0
    for _ in range(30):
        position = quiet_position(game, random)
        for after_pass in (False, True):
            expected = getattr(fresh, kind)(position, after_pass=after_pass)
            for _ in range(2):
                found = getattr(remembering, kind)(position, after_pass=after_pass)
                assert (found.won, found.line) == (expected.won, expected.line)
                assert found.nodes <= expected.nodes
                saved += expected.nodes - found.nodes
    assert saved > 0


@pytest.mark.parametrize("kind", ["vcf", "vct", "defences"])
def test_a_finished_game_is_an_error(kind: str) -> None:
    game = game_of("gomoku-9")
    finished = game.play_line(game.parse_line("a1 a9 b1 b9 c1 c9 d1 d9 e1"))
    solver = ThreatSolver(game)
    with pytest.raises(ValueError, match="game is over"):
        solver.defences(finished, ()) if kind == "defences" else getattr(solver, kind)(finished)

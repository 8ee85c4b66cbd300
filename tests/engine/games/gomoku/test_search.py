"""The Gomoku search: it takes and parries fives, and what it calls proven is true."""

import subprocess
import sys
from itertools import product
from random import Random

import numpy as np
import pytest

from engine import registry
from engine.game import Game, Outcome
from engine.games.gomoku import alphabeta, board, patterns
from engine.games.gomoku.board import FOUR_MOVE, LEVELS, OPEN_FOURS, unpadded
from engine.games.gomoku.searcher import GomokuSearcher
from engine.position import Move, Position
from engine.search import Limits, SearchOptions, SearchResult
from engine.values import HEURISTIC_MAX, WIN, Bound
from tests.engine.samples import RULES
from tests.oracles.boards import slow_rules_of
from tests.oracles.slow_rules import as_board
from tests.oracles.solver import Solver

SIZES = (5, 11, 15, 19, 26)
DIRECTIONS = {"row": (0, 1), "column": (1, 0), "rising": (1, 1), "falling": (1, -1)}
LINES_OF_FIVE = [
    (size, direction, corner)
    for size in SIZES
    for direction in DIRECTIONS
    for corner in ("low", "high", "middle")
]

every_line = pytest.mark.parametrize(("size", "direction", "corner"), LINES_OF_FIVE)
both_colours = pytest.mark.parametrize("dark", [True, False], ids=["dark", "light"])
SMALL = [f"gomoku-{size}{rule}" for size in (5, 6) for rule in RULES] + ["gomoku-7-renju"]
small_boards = pytest.mark.parametrize("name", SMALL)
every_rule = pytest.mark.parametrize("rule", RULES, ids=["freestyle", "standard", "renju"])
both_rules = pytest.mark.parametrize("rule", ["", "-standard"], ids=["freestyle", "standard"])


def line_of_cells(size: int, direction: str, corner: str, length: int = 5) -> list[int]:
    """Cells in a row: from the first or last place where they fit, or in the middle."""
    up, right = DIRECTIONS[direction]
    places = [
        [(row + k * up) * size + column + k * right for k in range(length)]
        for row in range(size)
        for column in range(size)
        if row + (length - 1) * up < size and 0 <= column + (length - 1) * right < size
    ]
    return places[{"low": 0, "high": -1, "middle": len(places) // 2}[corner]]


def completing(game: Game, stones: list[int], taken: list[int]) -> set[int]:
    """The free cells on which a further stone makes a five."""
    board_of = sum(1 << cell for cell in stones)
    return {
        cell
        for cell in range(game.cell_count)
        if cell not in stones
        and cell not in taken
        and game.outcome(Position(board_of | 1 << cell)) is Outcome.DARK_WINS
    }


def position_with(
    game: Game, own: list[int], *, dark: bool, own_to_move: bool, free: list[int], taken: list[int]
) -> Position:
    """`own` stones of one colour; of the other, on `taken` and where they threaten nothing."""
    count = len(own) + (not dark) - (not own_to_move)
    elsewhere = [c for c in range(game.cell_count) if c not in {*own, *free, *taken}]
    random = Random(1)
    while True:
        others = taken + random.sample(elsewhere, count - len(taken))
        mine, theirs = (sum(1 << cell for cell in cells) for cells in (own, others))
        position = Position(mine, theirs) if dark else Position(theirs, mine)
        if game.outcome(position) is None and not completing(game, others, own):
            return position


def search(game: Game, position: Position, **limits: int) -> SearchResult:
    return game.searcher().search(position, Limits(**limits))


@every_line
@both_colours
@both_rules
def test_a_five_in_one_move_is_played(
    size: int, direction: str, corner: str, dark: bool, rule: str
) -> None:
    game = registry.get(f"gomoku-{size}{rule}")
    searcher = game.searcher()
    five = line_of_cells(size, direction, corner)
    for missing in five:
        own = [cell for cell in five if cell != missing]
        position = position_with(game, own, dark=dark, own_to_move=True, free=[missing], taken=[])
        result = searcher.search(position, Limits(depth=2))
        assert game.outcome(game.play(position, result.move)) is not None
        assert (result.value, result.proven, result.bound) == (WIN - 1, True, Bound.EXACT)


@every_line
@both_colours
@both_rules
def test_a_threatened_five_is_blocked(
    size: int, direction: str, corner: str, dark: bool, rule: str
) -> None:
    game = registry.get(f"gomoku-{size}{rule}")
    searcher = game.searcher()
    five = line_of_cells(size, direction, corner)
    for missing in five:
        own = [cell for cell in five if cell != missing]
        # A four with both ends open cannot be blocked: the other end is taken before.
        taken = sorted(completing(game, own, []) - {missing})
        position = position_with(
            game, own, dark=dark, own_to_move=False, free=[missing], taken=taken
        )
        assert searcher.search(position, Limits(depth=2)).move == missing


@pytest.mark.parametrize("size", SIZES[1:])
@pytest.mark.parametrize("direction", DIRECTIONS)
@both_colours
@both_rules
def test_an_open_three_becomes_an_open_four_and_wins(
    size: int, direction: str, dark: bool, rule: str
) -> None:
    game = registry.get(f"gomoku-{size}{rule}")
    searcher = game.searcher()
    line = line_of_cells(size, direction, "middle", length=7)
    position = position_with(game, line[2:5], dark=dark, own_to_move=True, free=line, taken=[])
    result = searcher.search(position, Limits(depth=2))
    assert (result.value, result.bound) == (WIN - 3, Bound.EXACT)
    assert_win_is_forced(game, searcher, position, WIN - 3)


def assert_win_is_forced(
    game: Game, searcher: GomokuSearcher, position: Position, value: int
) -> None:
    """Follow the searcher's wins against every legal reply down to the end of the game."""
    result = searcher.search(position, Limits(nodes=200_000))
    assert result.proven
    # A win in three that rests on what dark is forbidden is not seen before a longer win.
    assert result.value > HEURISTIC_MAX if game.forbids_moves else result.value >= value
    after = game.play(position, result.move)
    if game.outcome(after) is None:
        for reply in game.legal_moves(after):
            answered = game.play(after, reply)
            assert game.outcome(answered) is None
            assert_win_is_forced(game, searcher, answered, result.value + 2)
    else:
        assert game.outcome(after) is not Outcome.DRAW


def assert_loss_is_forced(
    game: Game, searcher: GomokuSearcher, position: Position, value: int
) -> None:
    """The other side wins in time whatever is played."""
    for move in game.legal_moves(position):
        after = game.play(position, move)
        assert game.outcome(after) is None
        assert_win_is_forced(game, searcher, after, -value + 1)


@pytest.mark.parametrize("name", ["gomoku-7", "gomoku-8-standard", "gomoku-9", "gomoku-9-renju"])
def test_what_is_proven_in_the_open_holds_against_every_reply(name: str) -> None:
    check_proofs_in_the_open(name, random=Random(name), wanted=6, longest=5)


@pytest.mark.parametrize("wanted", [1, pytest.param(5, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", ["gomoku-9", "gomoku-9-standard", "gomoku-9-renju"])
def test_two_threats_at_once_win_in_five_plies_where_nothing_gains_a_move(
    name: str, wanted: int
) -> None:
    game, random = registry.get(name), Random(f"two threats {name}")
    searcher = game.searcher()
    checked = 0
    while checked < wanted:
        position = crowded_position(game, random)
        if position is None:
            continue
        state = searcher.state_of(position)
        if alphabeta._win_in_sight(state, 0) == WIN - 5:
            assert not (name.endswith("renju") and position.dark_to_move)
            move = unpadded(int(state["pv"][0]), game.size)
            assert_loss_is_forced(game, searcher, game.play(position, move), 4 - WIN)
            checked += 1


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    [
        "gomoku-7",
        "gomoku-8-standard",
        "gomoku-9",
        "gomoku-11",
        "gomoku-7-renju",
        "gomoku-9-renju",
        "gomoku-11-renju",
    ],
)
def test_many_longer_proofs_hold_against_every_reply(name: str) -> None:
    check_proofs_in_the_open(name, random=Random(f"slow {name}"), wanted=40, longest=7)


def check_proofs_in_the_open(name: str, random: Random, wanted: int, longest: int) -> None:
    game = registry.get(name)
    searcher = game.searcher()
    checked = 0
    while checked < wanted:
        position = crowded_position(game, random)
        if position is None:
            continue
        result = searcher.search(position, Limits(nodes=20_000))
        if result.proven and 2 <= (result.distance or 0) <= longest:
            check = assert_win_is_forced if result.value > 0 else assert_loss_is_forced
            check(game, searcher, position, result.value)
            checked += 1


def crowded_position(game: Game, random: Random) -> Position | None:
    """Random stones around the centre, as a fight leaves them; None if the game ended."""
    position = game.initial
    middle = game.size // 2
    near = [
        cell
        for cell in range(game.cell_count)
        if abs(cell // game.size - middle) <= 2 and abs(cell % game.size - middle) <= 2
    ]
    for cell in random.sample(near, random.randrange(6, 16)):
        position = game.play(position, cell)
        if game.outcome(position) is not None:
            return None
    return position


def late_position(game: Game, random: Random, free: int) -> Position:
    """A random unfinished position with `free` free cells."""
    while True:
        position = game.initial
        for move in random.sample(range(game.cell_count), game.cell_count - free):
            position = game.play(position, move)
        if game.outcome(position) is None:
            return position


def drawn(game: Game, position: Position) -> str:
    """The position as the slow rules read it."""

    def stone(cell: int) -> str:
        return "x" if position.dark >> cell & 1 else "o" if position.light >> cell & 1 else "."

    size = game.size
    return "\n".join(
        "".join(stone(row * size + column) for column in range(size))
        for row in reversed(range(size))
    )


@small_boards
def test_small_boards_agree_with_trying_everything(name: str) -> None:
    compare_with_solver(name, Random(name), count=5, free=7)


@pytest.mark.slow
@small_boards
def test_many_small_boards_agree_with_trying_everything(name: str) -> None:
    compare_with_solver(name, Random(f"slow {name}"), count=150, free=8)


@small_boards
def test_several_threads_together_agree_with_trying_everything(name: str) -> None:
    compare_with_solver(name, Random(f"threads {name}"), count=10, free=7, threads=3)


def compare_with_solver(name: str, random: Random, count: int, free: int, threads: int = 1) -> None:
    game = registry.get(name)
    searcher = game.searcher(SearchOptions(threads=threads))
    slow_game = slow_rules_of(game)
    for _ in range(count):
        position = late_position(game, random, free)
        solver = Solver(slow_game)
        slow_board = as_board(drawn(game, position))
        truth = solver.value(slow_board)
        for depth in (1, 2, 3, free):
            result = searcher.search(position, Limits(depth=depth))
            assert_true(result, truth)
        assert result.proven
        moves = game.legal_moves(position)
        allowed = random.sample(moves, random.randrange(1, len(moves)))
        rest = searcher.search(position, Limits(depth=free), exclude=set(moves) - set(allowed))
        assert rest.move in allowed
        assert rest.proven
        names = [game.format_move(move) for move in allowed]
        assert_true(rest, solver.value_of_moves(slow_board, names))


def assert_true(result: SearchResult, truth: int) -> None:
    """Whatever `result` claims is so; what it does not claim stays within the heuristic range."""
    if not result.proven:
        assert abs(result.value) <= HEURISTIC_MAX
    elif result.bound is Bound.EXACT:
        assert result.value == truth
    elif result.bound is Bound.LOWER:
        assert truth >= result.value > HEURISTIC_MAX
    else:
        assert truth <= result.value < -HEURISTIC_MAX


@every_rule
def test_a_search_to_the_last_cell_takes_nothing_on_trust(rule: str) -> None:
    game, random = registry.get(f"gomoku-6{rule}"), Random(4)
    searcher = game.searcher()
    drawn_games = 0
    for _ in range(1_000):
        position = late_position(game, random, free=random.randrange(1, 7))
        result = searcher.search(position, Limits(depth=6))
        assert result.proven
        drawn_games += result.value == 0
    assert drawn_games > 100


@every_rule
def test_incremental_patterns_equal_those_of_a_board_set_up_afresh(rule: str) -> None:
    game = registry.get(f"gomoku-9{rule}")
    searcher, fresh = GomokuSearcher(game), GomokuSearcher(game)
    random = Random(2)
    order = random.sample(range(81), 60)
    cells = [board.padded(cell, 9) for cell in order]
    board.set_up(searcher._states[0], 9, np.array(cells[:20]))
    for cell in cells[20:]:
        board.place(searcher._states[0], cell)
    for cell in reversed(cells[30:]):
        board.take_back(searcher._states[0], cell)
    board.set_up(fresh._states[0], 9, np.array(cells[:30]))
    sums = ("level_count", "level_sum", "worth", "hash", "empties")
    for field in ("cell", "lines", "patterns", "level", "near", *sums):
        assert np.array_equal(searcher._states[0][field], fresh._states[0][field]), field


@every_rule
def test_cells_are_found_by_what_a_stone_there_would_achieve(rule: str) -> None:
    game = registry.get(f"gomoku-15{rule}")
    searcher, random = GomokuSearcher(game), Random(rule)
    found, levels = set(), patterns.levels()
    for _ in range(8):
        position = late_position(game, random, free=random.randrange(50, 200))
        state = searcher.state_of(position)
        taken = position.dark | position.light
        free = [board.padded(cell, 15) for cell in range(game.cell_count) if not taken >> cell & 1]
        for colour, level in product(range(2), range(board.LEVELS)):
            restricted = board.PATTERNS * (rule == "-renju" and colour == board.DARK_COLOUR)
            expected = [
                at
                for at in free
                if levels[restricted + board.pattern_of(state, colour, at)] >= level
            ]
            cells, at = [], board.BEFORE_ALL
            while at := board.next_cell(state, colour, level, at):
                cells.append(at)
            assert cells == expected
            found |= {level} if cells else set()
    assert len(found) == board.LEVELS


def test_a_search_leaves_as_many_references_to_the_table_as_there_were() -> None:
    game = registry.get("gomoku-15")
    searcher = GomokuSearcher(game)
    before = sys.getrefcount(searcher._table)
    for _ in range(3):
        searcher.search(game.initial, Limits(nodes=100))
        # In an assertion, pytest would hold one more.
        after = sys.getrefcount(searcher._table)
        assert after == before


@every_rule
def test_what_a_stone_would_achieve_after_another_is_what_it_achieves_once_that_is_there(
    rule: str,
) -> None:
    game = registry.get(f"gomoku-15{rule}")
    searcher, random = GomokuSearcher(game), Random(rule)
    changed = 0
    for _ in range(20):
        state = searcher.state_of(late_position(game, random, free=random.randrange(50, 200)))
        free = np.flatnonzero(state["cell"] == board.EMPTY).tolist()
        waiting = 1 - int(state["colour"])
        before = state["level"][waiting * board.CELLS :].copy()
        for blocked in random.sample(free, 20):
            foretold = [board.level_after(state, waiting, at, blocked) for at in free]
            board.place(state, blocked)
            for at, level in zip(free, foretold, strict=True):
                now = state["level"][waiting * board.CELLS + at]
                assert level == (board.PLAIN if at == blocked else now)
                changed += at != blocked and now != before[at]
            board.take_back(state, blocked)
    assert changed > 100


@every_rule
def test_fives_are_seen_where_the_rules_see_them(rule: str) -> None:
    game = registry.get(f"gomoku-11{rule}")
    searcher = GomokuSearcher(game)
    random = Random(3)
    seen = 0
    for _ in range(150):
        position = late_position(game, random, free=random.randrange(20, 90))
        state = searcher.state_of(position)
        for colour, own in enumerate((position.dark, position.light)):
            for cell in range(game.cell_count):
                if (position.dark | position.light) >> cell & 1:
                    continue
                level = state["level"][colour * board.CELLS + board.padded(cell, 11)]
                stones = own | 1 << cell
                after = Position(dark=stones) if colour == 0 else Position(light=stones)
                wins = game.outcome(after) in (Outcome.DARK_WINS, Outcome.LIGHT_WINS)
                assert (level == board.FIVE_MOVE) == wins
                seen += wins
    assert seen > 20


@pytest.mark.parametrize(
    "name", ["gomoku-9", "gomoku-15-standard", "gomoku-15-renju", "gomoku-19", "gomoku-20"]
)
def test_the_first_stone_goes_to_the_centre_at_once(name: str) -> None:
    game = registry.get(name)
    result = game.searcher().search(game.initial, Limits(movetime=60))
    assert result.move is not None
    row, column = divmod(result.move, game.width)
    assert {row, column} <= {(game.width - 1) // 2, game.width // 2}
    assert result.depth == 6
    assert not result.proven


def test_a_first_stone_beside_the_centre_is_searched_where_the_centre_is_excluded() -> None:
    game = registry.get("gomoku-9")
    centre = game.parse_move("e5")
    result = game.searcher().search(game.initial, Limits(nodes=2_000), exclude=[centre])
    assert result.move not in (None, centre)


@pytest.mark.parametrize(
    ("line", "open_fours", "fours"),
    [
        ("g8 a1 h8 o1 i8 a15", 2, 2),
        ("g8 a1 h8 o1 j8 a15", 1, 2),
        ("b8 a1 c8 o1 d8 a15", 1, 2),
        ("a8 e8 b8 a1 c8 o1", 0, 0),
        ("d4 a1 h8 o1 l13 a15", 0, 0),
    ],
    ids=["open three", "gapped three", "three at the edge", "three without room", "scattered"],
)
def test_the_cells_that_make_fours_are_counted(line: str, open_fours: int, fours: int) -> None:
    game = registry.get("gomoku-15")
    state = GomokuSearcher(game).state_of(game.play_line(game.parse_line(line)))
    dark = state["level_count"][:LEVELS]
    assert (dark[OPEN_FOURS], dark[FOUR_MOVE]) == (open_fours, fours)


def test_gaps_and_ends_count() -> None:
    def worth_of(line: str) -> int:
        game = registry.get("gomoku-15")
        return int(GomokuSearcher(game).state_of(game.play_line(game.parse_line(line)))["worth"][0])

    open_three = worth_of("g8 a1 h8 o1 i8 a15")
    gapped_three = worth_of("g8 a1 h8 o1 j8 a15")
    scattered = worth_of("d4 a1 h8 o1 l13 a15")
    three_at_the_edge = worth_of("b8 a1 c8 o1 d8 a15")
    three_without_room = worth_of("a8 e8 b8 a1 c8 o1")
    assert open_three > gapped_three > scattered
    assert open_three > three_at_the_edge > scattered
    assert three_without_room < three_at_the_edge


@pytest.mark.parametrize(
    "name", ["gomoku-15", "gomoku-15-standard", "gomoku-15-renju", "gomoku-19"]
)
def test_a_search_limited_by_nodes_repeats_itself(name: str) -> None:
    game = registry.get(name)
    position = game.play_line(game.parse_line("h8 i9 h9 h7"))
    searcher = game.searcher()
    first = without_time(searcher.search(position, Limits(nodes=5_000)))
    searcher.search(game.initial, Limits(nodes=3_000))
    assert without_time(searcher.search(position, Limits(nodes=5_000))) == first
    assert without_time(game.searcher().search(position, Limits(nodes=5_000))) == first
    script = (
        "from engine import registry; from engine.search import Limits\n"
        f"game = registry.get('{name}')\n"
        "position = game.play_line(game.parse_line('h8 i9 h9 h7'))\n"
        "result = game.searcher().search(position, Limits(nodes=5_000))\n"
        "print(result.move, result.value, result.depth, result.nodes, result.line)"
    )
    other = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert other.stdout.strip() == " ".join(map(str, first))


def test_only_a_search_by_time_begins_with_what_another_one_expected() -> None:
    game = registry.get("gomoku-15")
    position = game.play_line(game.parse_line("h8 i9 h9 h7"))
    searcher = game.searcher()
    unaware = without_time(searcher.search(position, Limits(nodes=5_000)))
    # Nobody would expect so much of these moves.
    line = game.parse_line("j6 g6 k5")
    searcher.expect(position, line, 2_000, 40)
    assert without_time(searcher.search(position, Limits(nodes=5_000))) == unaware
    for told in (searcher, game.searcher()):
        told.expect(position, line, 2_000, 40)
        result = told.search(position, Limits(movetime=0.3))
        assert (result.move, result.value) == (line[0], 2_000)


def test_what_is_said_to_be_decided_is_not_believed() -> None:
    game = registry.get("gomoku-15")
    position = game.play_line(game.parse_line("h8 i9 h9 h7"))
    searcher = game.searcher()
    searcher.expect(position, game.parse_line("j6 g6 k5"), WIN - 5, 40)
    assert searcher.search(position, Limits(movetime=0.1)).value < HEURISTIC_MAX


def without_time(result: SearchResult) -> tuple[Move | None, int, int, int, tuple[Move, ...]]:
    return result.move, result.value, result.depth, result.nodes, result.line


def test_limits_are_kept() -> None:
    game = registry.get("gomoku-15")
    position = game.play_line(game.parse_line("h8 i9"))
    searcher = game.searcher()
    for nodes in (1, 10, 999, 5_000):
        result = searcher.search(position, Limits(nodes=nodes))
        assert result.nodes <= nodes
        assert result.move in game.legal_moves(position)
    assert searcher.search(position, Limits(depth=3)).depth == 3


def test_several_threads_share_the_nodes() -> None:
    game = registry.get("gomoku-15")
    position = game.play_line(game.parse_line("h8 i9 h9 h7"))
    result = game.searcher(SearchOptions(threads=3)).search(position, Limits(nodes=30_000))
    # A thread may be stopped before it has had its part.
    assert 10_000 <= result.nodes <= 30_000 + 3


def test_several_threads_find_several_lines() -> None:
    game = registry.get("gomoku-15")
    position = game.play_line(game.parse_line("h8 i9 h9 h7"))
    searcher = game.searcher(SearchOptions(threads=2))
    results = searcher.search_lines(position, Limits(depth=4), 3)
    assert len({result.move for result in results}) == 3
    for result in results:
        game.play_line(result.line, position)


def test_a_deadline_too_near_still_gives_a_legal_move() -> None:
    game = registry.get("gomoku-26")
    result = game.searcher().search(game.initial, Limits(movetime=1e-6))
    assert result.move in game.legal_moves(game.initial)


@pytest.mark.parametrize("name", ["gomoku-15", "gomoku-6", "gomoku-26-standard", "gomoku-9-renju"])
def test_lines_start_with_the_move_and_can_be_played(name: str) -> None:
    game = registry.get(name)
    searcher = game.searcher()
    random = Random(5)
    for _ in range(20):
        position = late_position(game, random, free=game.cell_count - random.randrange(12))
        result = searcher.search(position, Limits(nodes=2_000))
        assert result.line[0] == result.move
        game.play_line(result.line, start=position)


def test_excluded_moves_are_left_out_even_where_they_are_all_that_is_near() -> None:
    game = registry.get("gomoku-15")
    position = game.play_line(game.parse_line("h8"))
    near = {move for move in game.legal_moves(position) if move != game.parse_move("a1")}
    result = game.searcher().search(position, Limits(depth=2), exclude=near)
    assert result.move == game.parse_move("a1")


def test_nothing_left_to_search_is_an_error() -> None:
    game = registry.get("gomoku-5")
    searcher = game.searcher()
    with pytest.raises(ValueError, match="no move"):
        searcher.search(game.initial, Limits(depth=1), exclude=game.legal_moves(game.initial))


def test_a_full_board_without_a_five_is_a_proven_draw_from_afar() -> None:
    game = registry.get("gomoku-5")
    random = Random(9)
    found = 0
    while found < 5:
        position = late_position(game, random, free=10)
        result = game.searcher().search(position, Limits(depth=10))
        assert result.proven
        found += result.value == 0

"""`fivebook gomocup` as a tournament manager has it: lines in, lines out."""

import shlex
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from book.lessons import Lessons
from engine import registry
from engine.clock import Clock
from engine.game import Game
from engine.games.gomoku import Gomoku, Rule
from engine.players.engine import EnginePlayer
from engine.position import Position, Side
from engine.search import Limits, SearchOptions
from fivebook.cli import cli
from service.errors import PlayerFailed
from service.play import brain
from service.play.brain import Brain
from service.play.gomocup import GomocupPlayer
from service.play.players import make_player
from service.play.stopping import read_ahead
from tests.book.handmade import GAME_ID, OPEN_FOUR, OPEN_THREE, proven_book

TIMEOUT = 120
COMMAND = shlex.join([sys.executable, "-m", "fivebook.cli", "gomocup"])
# As fast as it can.
FAST = "INFO timeout_turn 0"


def said(*lines: str, **options: Any) -> list[str]:
    with closing(Brain(None, SearchOptions(), **options)) as player:
        return list(player.answers(lines))


def cell(answer: str) -> tuple[int, int]:
    column, row = answer.split(",")
    return int(column), int(row)


def test_a_game_goes_back_and_forth() -> None:
    ok, first, second = said("START 9", FAST, "BEGIN", "TURN 0,0")
    assert ok == "OK"
    assert {cell(first), cell(second), (0, 0)} <= {(x, y) for x in range(9) for y in range(9)}
    assert len({cell(first), cell(second), (0, 0)}) == 3


@pytest.mark.parametrize("own_first", [True, False])
def test_it_completes_its_own_four_on_a_board_given_as_a_whole(own_first: bool) -> None:
    own = ["1,1,1", "2,1,1", "3,1,1", "4,1,1"]
    other = ["1,3,2", "2,3,2", "3,3,2", "8,8,2"] + ([] if own_first else ["7,3,2"])
    stones = own + other if own_first else other + own
    ok, answer = said("START 9", FAST, "BOARD", *stones, "DONE")
    assert (ok, cell(answer) in [(0, 1), (5, 1)]) == ("OK", True)


def test_columns_come_before_rows() -> None:
    other = ["2,0,2", "2,1,2", "2,2,2", "2,3,2"]
    own = ["5,5,1", "7,2,1", "0,8,1", "8,0,1"]
    _, answer = said("START 9", FAST, "BOARD", *own, *other, "DONE")
    assert answer == "2,4"


def test_exactly_five_is_asked_for_by_rule_1() -> None:
    # A stone on 4,1 makes six.
    own = [f"{x},1,1" for x in (1, 2, 3, 5, 6)]
    other = [f"{x},7,2" for x in (0, 2, 4, 6, 8)]
    for rule, six_wins in ((0, True), (1, False)):
        info = (f"INFO rule {rule}", FAST)
        _, answer = said("START 9", *info, "BOARD", *own, *other, "DONE")
        assert (answer == "4,1") == six_wins


def test_renju_is_asked_for_by_rule_4() -> None:
    # A stone on 5,5 makes two fours, each closed at one end.
    own = [*(f"{x},5,1" for x in (2, 3, 4)), *(f"5,{y},1" for y in (6, 7, 8))]
    other = ["1,5,2", "5,9,2", "0,0,2", "10,0,2", "0,10,2", "10,10,2"]
    for rule, forbidden in ((0, False), (4, True)):
        _, answer = said("START 11", f"INFO rule {rule}", FAST, "BOARD", *own, *other, "DONE")
        assert (answer == "5,5") != forbidden


def test_moves_can_be_taken_back() -> None:
    answers = said("START 7", FAST, "BEGIN", "TAKEBACK 3,3", "BEGIN")
    assert answers[2] == ("OK" if answers[1] == "3,3" else "ERROR there is no stone on 3,3")


def test_a_new_game_begins_with_an_empty_board() -> None:
    *_, restarted, answer = said("START 7", FAST, "TURN 3,3", "RESTART", "TURN 3,3")
    assert restarted == "OK"
    assert cell(answer)


def test_it_says_who_it_is() -> None:
    (about,) = said("about")
    assert about.startswith('name="fivebook", version="')


def test_after_the_end_nothing_is_read() -> None:
    assert said("ABOUT", "END", "ABOUT") == said("ABOUT")


@pytest.mark.parametrize(
    ("lines", "answer"),
    [
        (["HELLO"], "UNKNOWN command 'HELLO'"),
        (["TURN 1,1"], "ERROR there is no board yet: START and its size"),
        (["BEGIN"], "ERROR there is no board yet: START and its size"),
        (["RESTART"], "ERROR there is no board yet: START and its size"),
        (["BOARD", "1,1,2", "DONE"], "ERROR there is no board yet: START and its size"),
        (["START 4"], "ERROR there is no game of size 4 by rule 0"),
        (["START 27"], "ERROR there is no game of size 27 by rule 0"),
        (["START"], "ERROR '' is no size of a board"),
        (["START many"], "ERROR 'many' is no size of a board"),
        (["RECTSTART 15,20"], "ERROR only square boards are played: START and a size"),
        (["INFO rule 8", "START 9"], "ERROR there is no game of size 9 by rule 8"),
        (["START 7", "INFO rule 8"], "ERROR there is no game of size 7 by rule 8"),
        (["START 7", "TURN 7,0"], "ERROR '7,0' is no cell: cells run from 0,0 to 6,6"),
        (["START 7", "TURN 1"], "ERROR '1' is no cell: cells run from 0,0 to 6,6"),
        (["START 7", "TURN -1,2"], "ERROR '-1,2' is no cell: cells run from 0,0 to 6,6"),
        (["START 7", "TAKEBACK 2,3"], "ERROR there is no stone on 2,3"),
        (["START 7", "BOARD", "1,1", "DONE"], "ERROR '1,1' is no stone, such as 7,7,1"),
        (["START 7", "BOARD", "1,1,5", "DONE"], "ERROR '1,1,5' is no stone, such as 7,7,1"),
        (["START 7", "BOARD", "1,1,2", "1,1,1", "DONE"], "ERROR 1,1 is taken"),
        (
            ["START 7", "BOARD", "1,1,1", "DONE"],
            "ERROR 1 stones of mine and 0 of the other side: it is not my turn",
        ),
        (
            ["START 5", "BOARD", *(f"{x},0,2" for x in range(5)), "0,1,1", "1,1,1", "2,1,1",
             "0,2,1", "DONE"],
            "ERROR the game is over",
        ),
    ],
)  # fmt: skip
def test_what_makes_no_sense_is_answered_with_one_line(lines: list[str], answer: str) -> None:
    assert said(*lines)[-1] == answer


def test_after_an_error_the_board_is_as_it_was() -> None:
    before = ["START 7", FAST, "TURN 3,3"]
    answers = said(*before, "TURN 3,3", "BOARD", "0,0,1", "DONE", "TURN 0,0")
    assert answers[2].startswith("ERROR 3,3 is taken")
    assert answers[3].startswith("ERROR")
    assert cell(answers[4])


@pytest.mark.parametrize(
    "line", ["INFO", "INFO folder /tmp", "INFO game_type 1", "INFO rule x", "INFO time_left soon"]
)
def test_information_of_no_use_is_passed_over(line: str) -> None:
    assert said("START 7", line, "ABOUT") == said("START 7", "ABOUT")


# Time


@pytest.fixture
def limits(monkeypatch: pytest.MonkeyPatch) -> list[Limits]:
    """The limits of each search for a move, which are replaced by short ones."""
    found: list[Limits] = []
    choose = EnginePlayer.choose

    def noted(self: EnginePlayer, position: Position) -> Any:
        if self.limits.nodes is None:
            found.append(self.limits)
        self.limits = Limits(nodes=10)
        return choose(self, position)

    monkeypatch.setattr(EnginePlayer, "choose", noted)
    return found


def test_a_turn_takes_what_the_manager_gives_less_a_reserve(limits: list[Limits]) -> None:
    said("START 7", "INFO timeout_turn 2000", "BEGIN")
    assert limits[0].clock is None
    assert limits[0].movetime == pytest.approx(1.97, abs=0.02)


def test_without_a_word_of_time_a_turn_takes_at_most_a_second(limits: list[Limits]) -> None:
    said("START 7", "BEGIN")
    assert limits[0].clock is None
    assert limits[0].movetime == pytest.approx(0.97, abs=0.02)


def test_a_match_without_a_limit_has_no_clock(limits: list[Limits]) -> None:
    info = ("INFO timeout_turn 500", "INFO timeout_match 0", "INFO time_left 2147483647")
    said("START 7", *info, "BEGIN")
    assert limits[0].clock is None


def test_what_is_left_of_a_match_is_its_clock(limits: list[Limits]) -> None:
    info = ("INFO timeout_turn 5000", "INFO timeout_match 60000", "INFO time_left 30000")
    said("START 7", *info, "BEGIN", "INFO time_left 20000", "TURN 0,0")
    lefts = [limit.clock.left for limit in limits if limit.clock is not None]
    assert lefts == [pytest.approx(30.0, abs=0.05), pytest.approx(20.0, abs=0.05)]
    assert all(limit.movetime is not None and limit.movetime < 5.0 for limit in limits)


def test_a_match_that_has_time_but_no_turns_is_limited_by_its_clock(limits: list[Limits]) -> None:
    said("START 7", "INFO timeout_turn 0", "INFO timeout_match 60000", "BEGIN")
    assert limits[0].movetime is None
    assert limits[0].clock is not None
    assert limits[0].clock.left == pytest.approx(60.0, abs=0.05)


def test_it_counts_for_itself_where_the_manager_does_not(
    limits: list[Limits], monkeypatch: pytest.MonkeyPatch
) -> None:
    ticks = iter(range(0, 1000, 2))
    monkeypatch.setattr(brain.time, "monotonic", lambda: float(next(ticks)))
    said("START 7", "INFO timeout_match 60000", "BEGIN", "TURN 0,0")
    first, second = (limit.clock.left for limit in limits if limit.clock is not None)
    # A look at the clock takes two seconds here: one before each search, one after it.
    assert (first, second) == (58.0, 54.0)


def test_time_that_is_over_is_no_error(limits: list[Limits]) -> None:
    info = ("INFO timeout_turn 1", "INFO timeout_match 10", "INFO time_left -50")
    assert len(said("START 7", *info, "BEGIN")) == 2
    assert limits[0].clock == Clock(0.01)


# Memory


def table_after(*lines: str, table: int = 4, may_grow: bool = True) -> int:
    with closing(Brain(None, SearchOptions(table=table), may_grow=may_grow)) as player:
        list(player.answers(["START 7", *lines]))
        assert player._engine is not None
        return player._engine.options.table


def test_the_table_grows_and_shrinks_with_the_memory_allowed() -> None:
    assert table_after() == 4
    assert table_after("INFO max_memory 0") == 4
    assert table_after("INFO max_memory 1") == 1
    assert table_after(f"INFO max_memory {2**40}") == 64
    assert table_after(f"INFO max_memory {2**40}", "INFO max_memory 1") == 1


def test_a_table_that_was_asked_for_only_shrinks() -> None:
    assert table_after(f"INFO max_memory {2**40}", table=8, may_grow=False) == 8
    assert table_after("INFO max_memory 1", table=8, may_grow=False) == 1


# As a process


def spoken(game: Game, limits: Limits, *options: object) -> closing[GomocupPlayer]:
    command = f"{COMMAND} {shlex.join(map(str, options))}"
    return closing(GomocupPlayer(game, command, limits))


@pytest.mark.parametrize("game_id", ["gomoku-7", "gomoku-9-standard"])
def test_it_plays_whole_games_against_its_own_side_of_the_protocol(game_id: str) -> None:
    game = registry.get(game_id)
    other = make_player("random:seed=5", game, Limits(nodes=1))
    with spoken(game, Limits(movetime=0.02)) as player:
        for own_side in (0, 1):
            position = game.initial
            while game.outcome(position) is None:
                mover = player if position.ply % 2 == own_side else other
                position = game.play_line([mover.choose(position).move], position)


def test_a_size_that_is_not_played_is_refused() -> None:
    huge = Gomoku(30, Rule.FREESTYLE)
    with pytest.raises(PlayerFailed, match="there is no game of size 30"):
        GomocupPlayer(huge, COMMAND, Limits(movetime=0.1))


def test_the_book_answers_first(tmp_path: Path) -> None:
    path = proven_book(tmp_path / "proven.db")
    game = registry.get(GAME_ID)
    position = game.play_line(game.parse_line(OPEN_THREE))
    with spoken(game, Limits(movetime=0.02), "--book", path) as player:
        assert player.choose(position).move == game.parse_line(OPEN_FOUR)[-1]


@pytest.mark.parametrize("command", ["STOP", "yxstop"])
def test_a_search_is_stopped_and_its_move_made(command: str) -> None:
    hours = ["START 15", "INFO timeout_turn 36000000", "TURN 7,7", command, "ABOUT", "END"]
    with closing(Brain(None, SearchOptions())) as player:
        ok, answer, about = player.answers(read_ahead(hours, player.stop))
    assert (ok, about.partition("=")[0]) == ("OK", "name")
    assert cell(answer) != (7, 7)


def test_without_a_search_there_is_nothing_to_stop() -> None:
    with closing(Brain(None, SearchOptions())) as player:
        assert list(player.answers(read_ahead(["STOP", "START 9", "STOP"], player.stop))) == ["OK"]


def test_nothing_is_read_ahead_of_the_end() -> None:
    assert list(read_ahead(iter(["ABOUT", "END", "ABOUT"]), lambda: None)) == ["ABOUT", "END"]


def test_the_input_may_just_end() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "fivebook.cli", "gomocup"],
        input="ABOUT\r\n\r\nSTART 7\r\nSTART x",
        capture_output=True,
        text=True,
        check=False,
        timeout=TIMEOUT,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert [line.split()[0] for line in done.stdout.splitlines()] == [
        'name="fivebook",',
        "OK",
        "ERROR",
    ]


def test_each_answer_is_there_before_the_next_question() -> None:
    with subprocess.Popen(
        [sys.executable, "-m", "fivebook.cli", "gomocup"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        for question in ("ABOUT", "START 7", FAST, "BEGIN"):
            process.stdin.write(f"{question}\n")
            process.stdin.flush()
            if question != FAST:
                assert process.stdout.readline()
        process.stdin.write("END\n")
        process.stdin.flush()
        assert process.wait(TIMEOUT) == 0


def test_a_missing_book_is_told_before_the_first_line(runner: CliRunner, tmp_path: Path) -> None:
    result = runner.invoke(cli, ["gomocup", "--book", str(tmp_path / "none.db")], input="END\n")
    assert result.exit_code == 2
    assert "none.db" in result.stderr
    assert result.stdout == ""


def test_games_that_it_sees_to_be_lost_are_lessons(tmp_path: Path) -> None:
    lessons = Lessons(tmp_path / "book.db")
    # The other side has an open four.
    others = [f"{column},7,2" for column in range(4, 8)]
    stones = (*others, "0,0,1", "0,2,1", "0,6,1")
    said("START 15", "TURN 7,7", "RESTART", "BOARD", *stones, "DONE", "END", lessons=lessons)
    (lesson,) = lessons.waiting(registry.get("gomoku-15"))
    # The game before went on.
    assert lesson.side is Side.LIGHT
    assert lesson.first == 7
    assert len(lesson.moves) == 8

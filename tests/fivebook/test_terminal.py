"""`fivebook play`: what is typed, what is shown, what becomes of the game."""

import signal
import subprocess
import sys
from collections.abc import Callable
from io import StringIO
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from engine import registry
from engine.game import Game, Outcome
from engine.players.base import Choice, Player
from engine.position import Position, Side
from engine.search import Limits
from fivebook.cli import cli
from fivebook.terminal import TerminalGame
from service.answerer import Answerer
from service.errors import PlayerFailed
from service.inquiry import Inquiry
from service.play.records import GameRecord, format_record, read_records

GOMOKU = ("--game", "gomoku-9", "--opponent", "random:seed=0")
# The random player of that seed leaves this row alone.
WON = ("a1", "a2", "a3", "a4", "a5")

Play = Callable[..., Result]
Played = Callable[..., GameRecord]


@pytest.fixture
def play(runner: CliRunner) -> Play:
    """Runs the command with these lines typed."""

    def play(*arguments: object, typed: tuple[str, ...] = ()) -> Result:
        lines = "".join(f"{line}\n" for line in typed)
        result = runner.invoke(cli, ["play", *map(str, arguments)], input=lines)
        assert result.exit_code == 0, result.output
        return result

    return play


@pytest.fixture
def played(play: Play, tmp_path: Path) -> Played:
    """The game as it stands after these lines have been typed."""

    def played(*arguments: object, typed: tuple[str, ...] = ()) -> GameRecord:
        path = tmp_path / "as-it-stands.txt"
        play(*arguments, typed=(*typed, f"save {path}"))
        [record] = read_records(path)
        return record

    return played


def line_of(record: GameRecord) -> list[str]:
    return list(map(record.game.format_move, record.moves))


def hints_in(output: str) -> list[list[str]]:
    """The rows of the table of moves."""
    rows = [line.strip("│") for line in output.splitlines() if line.startswith("│")]
    return [[cell.strip() for cell in row.split("│")] for row in rows]


def save(path: Path, game_id: str, line: str, outcome: Outcome | None = None) -> Path:
    game = registry.get(game_id)
    path.write_text(
        format_record(GameRecord(game, "a", "b", tuple(game.parse_line(line)), outcome))
    )
    return path


def test_the_board_is_drawn_and_the_side_to_move_is_asked(play: Play) -> None:
    output = play(*GOMOKU).output
    assert "9  . . . . . . . . .\n" in output
    assert "   a b c d e f g h i\n" in output
    assert output.endswith("dark (X) to move: \n")


def test_a_move_is_answered(played: Played) -> None:
    record = played(*GOMOKU, typed=("E5",))
    assert (record.dark, record.light) == ("human", "random")
    assert line_of(record)[0] == "e5"
    assert len(record.moves) == 2


def test_the_last_move_is_marked(play: Play) -> None:
    shown, answered = play(*GOMOKU, typed=("e5",)).output.split("light plays")
    assert "5  . . . .(X). . . .\n" in shown
    board, _, _ = answered.partition("dark (X) to move")
    assert "(O)" in board
    assert "(X)" not in board


def test_the_program_moves_first_if_the_human_is_light(played: Played) -> None:
    record = played(*GOMOKU, "--human", "light")
    assert (record.dark, record.light) == ("random", "human")
    assert len(record.moves) == 1


@pytest.mark.parametrize(("game_id", "move"), [("gomoku-9", "e5"), ("pentago-swap", "b2:13")])
def test_the_engine_says_what_it_thinks(play: Play, game_id: str, move: str) -> None:
    output = play("--game", game_id, "--nodes", 300, typed=(move,)).output
    [line] = [line for line in output.splitlines() if line.startswith("light plays")]
    assert "(engine: " in line
    assert "depth " in line
    assert "300 nodes" in line


def test_pentago_swap_is_played_alike(played: Played) -> None:
    swap = ("--game", "pentago-swap", "--opponent", "random:seed=1")
    record = played(*swap, typed=("b2:13", "b2", "e5:24"))
    assert line_of(record)[::2] == ["b2:13", "e5:24"]
    assert len(record.moves) == 4


@pytest.mark.parametrize(
    ("typed", "sentence"),
    [
        ("z9", "'z9' is no cell of gomoku-9: cells run from a1 to i9"),
        ("hello", "'hello' is no cell of gomoku-9"),
        ("e5 e6", "'e5 e6' is no cell of gomoku-9"),
        ("a1", "illegal move 'a1' in gomoku-9: the cell is taken"),
        ("save", "name a file, such as game.sgf"),
        ("load", "name a file, such as game.sgf"),
        ("load {folder}/none", "cannot read '{folder}/none.sgf': No such file or directory"),
        ("load {folder}/empty.sgf", "there is no game in '{folder}/empty.sgf'"),
        ("load {folder}/other.sgf", "'{folder}/other.sgf' holds gomoku-15, and this is gomoku-9"),
        ("save {folder}/none/game", "cannot write '{folder}/none/game.sgf': No such file"),
    ],
)
def test_what_cannot_be_done_gets_a_sentence_and_another_try(
    play: Play, played: Played, tmp_path: Path, typed: str, sentence: str
) -> None:
    (tmp_path / "empty.sgf").touch()
    save(tmp_path / "other.sgf", "gomoku-15", "h8")
    line = typed.format(folder=tmp_path)
    output = play(*GOMOKU, typed=("a1", line)).output
    assert f"{line}\n{sentence.format(folder=tmp_path)}" in output
    assert output.endswith("dark (X) to move: \n")
    assert played(*GOMOKU, typed=("a1", line)) == played(*GOMOKU, typed=("a1",))


def test_input_that_is_no_text_is_bad_input(runner: CliRunner) -> None:
    result = runner.invoke(cli, ["play", *GOMOKU], input=b"\xff\n")
    assert result.exit_code == 0
    assert "is no cell of gomoku-9" in result.output


def test_undo_takes_back_a_move_and_its_answer(played: Played) -> None:
    record = played(*GOMOKU, typed=("e5", "a1", "undo"))
    assert line_of(record) == line_of(played(*GOMOKU, typed=("e5",)))
    assert played(*GOMOKU, typed=("e5", "a1", "undo", "UNDO")).moves == ()


def test_undo_leaves_light_the_move_before_its_own(played: Played) -> None:
    light = (*GOMOKU, "--human", "light")
    assert played(*light, typed=("a1", "undo")) == played(*light)


@pytest.mark.parametrize("human", ["dark", "light"])
def test_there_is_nothing_to_undo_before_the_first_own_move(play: Play, human: str) -> None:
    output = play(*GOMOKU, "--human", human, typed=("undo",)).output
    assert "there is no move of yours to take back" in output


def test_the_winner_is_named_with_the_row(play: Play, played: Played) -> None:
    assert "dark wins (a1 a2 a3 a4 a5).\n" in play(*GOMOKU, typed=WON).output
    record = played(*GOMOKU, typed=WON)
    assert (record.outcome, record.ending) == (Outcome.DARK_WINS, "")


def test_a_game_that_is_over_can_be_taken_back_and_not_gone_on(play: Play, played: Played) -> None:
    output = play(*GOMOKU, typed=(*WON, "b9", "resign", "hint")).output
    assert output.count("the game is over: dark wins (a1 a2 a3 a4 a5)\n") == 3
    assert output.endswith("save FILE, undo or quit: \n")
    before = played(*GOMOKU, typed=WON[:-1])
    assert played(*GOMOKU, typed=(*WON, "undo")) == before


def test_who_resigns_loses(play: Play, played: Played) -> None:
    assert "light wins (dark resigned).\n" in play(*GOMOKU, typed=("e5", "resign")).output
    record = played(*GOMOKU, "--human", "light", typed=("resign",))
    assert (record.outcome, record.ending) == (Outcome.DARK_WINS, "light resigned")


def test_a_resignation_can_be_taken_back(played: Played) -> None:
    record = played(*GOMOKU, typed=("e5", "a1", "resign", "undo"))
    assert record == played(*GOMOKU, typed=("e5",))


def test_quit_ends_it_at_once(play: Play) -> None:
    assert play(*GOMOKU, typed=("quit", "e5")).output.endswith("dark (X) to move: quit\n")


def test_help_names_every_command(play: Play) -> None:
    output = play(*GOMOKU, typed=("help",)).output
    for word in ("undo", "hint", "board", "save FILE", "load FILE", "resign", "quit"):
        assert f"\n{word} " in output


def test_the_board_is_drawn_again(play: Play) -> None:
    asked, not_asked = (play(*GOMOKU, typed=typed).output for typed in (("board",), ()))
    assert asked.count("9  .") == not_asked.count("9  .") + 1


def test_a_hint_has_the_moves_of_the_book(play: Play, gomoku_book: Path) -> None:
    game = registry.get("gomoku-9")
    with Answerer([gomoku_book]) as answerer:
        answer = answerer.answer(Inquiry.read(game, ""), Limits(nodes=1), book_only=True)
    output = play(*GOMOKU, "--book", gomoku_book, typed=("hint",)).output
    assert "; from the book (depth " in output
    assert hints_in(output) == [
        [game.format_move(move.move), f"{move.value:+d}", str(move.depth), move.source]
        for move in answer.moves
    ]


def test_a_hint_is_searched_where_there_is_no_book(play: Play) -> None:
    game = registry.get("gomoku-9")
    with Answerer([]) as answerer:
        best = answerer.answer(Inquiry.read(game, ""), Limits(nodes=500)).best
    assert best is not None
    output = play(*GOMOKU, "--nodes", 500, typed=("hint",)).output
    assert "; searched live (depth " in output
    assert hints_in(output) == [
        [game.format_move(best.move), f"{best.value:+d}", str(best.depth), "search"]
    ]


def test_a_hint_changes_nothing(played: Played) -> None:
    record = played(*GOMOKU, "--nodes", 300, typed=("e5", "hint"))
    assert record == played(*GOMOKU, typed=("e5",))


def test_the_engine_plays_from_the_book(play: Play, gomoku_book: Path) -> None:
    arguments = ("--game", "gomoku-9", "--human", "light", "--nodes", 300, "--book", gomoku_book)
    assert "(engine with a book: " in play(*arguments).output
    assert "from the book)" in play(*arguments).output


def test_a_game_is_loaded_as_it_was_saved(played: Played, tmp_path: Path) -> None:
    saved = played(*GOMOKU, typed=("e5", "a1", f"save {tmp_path / 'game'}"))
    assert (tmp_path / "game.sgf").exists()
    assert played(*GOMOKU, typed=("b2", f"load {tmp_path / 'game'}")) == saved


def test_pentago_swap_is_saved_as_text(play: Play, tmp_path: Path) -> None:
    play("--game", "pentago-swap", "--opponent", "random", typed=(f"save {tmp_path / 'game'}",))
    assert [path.name for path in tmp_path.iterdir()] == ["game.txt"]


def test_after_loading_the_human_keeps_his_colour(played: Played, tmp_path: Path) -> None:
    path = save(tmp_path / "game.sgf", "gomoku-9", "e5 d4")
    as_light = played(*GOMOKU, "--human", "light", typed=(f"load {path}",))
    assert line_of(as_light)[:2] == ["e5", "d4"]
    assert len(as_light.moves) == 3
    assert (as_light.dark, as_light.light) == ("random", "human")
    assert line_of(played(*GOMOKU, typed=(f"load {path}",))) == ["e5", "d4"]


def test_a_finished_game_can_be_loaded_and_taken_back(
    play: Play, played: Played, tmp_path: Path
) -> None:
    line = "a1 b1 a2 b2 a3 b3 a4 b4 a5"
    path = save(tmp_path / "game.sgf", "gomoku-9", line, Outcome.DARK_WINS)
    assert "dark wins (a1 a2 a3 a4 a5).\n" in play(*GOMOKU, typed=(f"load {path}",)).output
    record = played(*GOMOKU, typed=(f"load {path}", "undo"))
    assert line_of(record) == line.split()[:-1]


def test_two_players_play_to_the_end(played: Played) -> None:
    record = played("--game", "gomoku-5", "--human", "none", "--opponent", "random:seed=2")
    assert (record.dark, record.light) == ("random", "random")
    assert record.outcome is not None


def test_the_first_of_two_players_is_dark(played: Played) -> None:
    both = ("--opponent", "engine", "--opponent", "random:seed=2")
    record = played("--game", "gomoku-7", "--human", "none", "--nodes", 300, *both)
    assert (record.dark, record.light) == ("engine", "random")
    assert record.outcome is Outcome.DARK_WINS


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--opponent", "random", "--opponent", "engine"], "more opponents than sides"),
        (["--human", "none", *["--opponent", "random"] * 3], "more opponents than sides"),
        (["--opponent", "nobody"], "unknown player 'nobody'"),
        (["--game", "chess"], "unknown game 'chess'"),
        (["--human", "both"], "'both' is not one of"),
        (["--movetime", "0"], "'0' is no duration"),
        (["--book", "{folder}/none.db"], "none.db"),
    ],
)
def test_bad_options_get_a_sentence_and_status_2(
    runner: CliRunner, tmp_path: Path, arguments: list[str], sentence: str
) -> None:
    filled = [argument.format(folder=tmp_path) for argument in arguments]
    result = runner.invoke(cli, ["play", *filled])
    assert result.exit_code == 2
    assert sentence in result.stderr
    assert result.stdout == ""


class Failing(Player):
    """Gives no move at all, or always the same one."""

    name = "failing"

    def __init__(self, game: Game, answer: str | None) -> None:
        self.game = game
        self.answer = answer

    def choose(self, position: Position) -> Choice:
        if self.answer is None:
            raise PlayerFailed("the program ended")
        return Choice(self.game.parse_move(self.answer))


@pytest.mark.parametrize(
    ("answer", "reason"),
    [(None, "light: the program ended"), ("a1", "light: illegal move 'a1' in gomoku-9")],
)
def test_a_player_without_a_legal_move_loses(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    answer: str | None,
    reason: str,
) -> None:
    game = registry.get("gomoku-9")
    monkeypatch.setattr("sys.stdin", StringIO("a1\n"))
    with Answerer([]) as answerer:
        TerminalGame(game, {Side.LIGHT: Failing(game, answer)}, answerer, Limits(nodes=1)).run()
    output = capsys.readouterr().out
    assert reason in output
    assert "dark wins (light gave no legal move).\n" in output


def run(*arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "fivebook.cli", "play", *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_ctrl_c_ends_it_without_a_traceback() -> None:
    with run(*GOMOKU) as process:
        assert process.stdout is not None
        while process.stdout.readline() != "   a b c d e f g h i\n":
            pass
        assert process.stdout.read(len("\ndark (X) to move: "))
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=60)
    assert process.returncode == 130
    assert errors.strip() == ""


def test_a_game_through_pipes() -> None:
    with run(*GOMOKU) as process:
        output, errors = process.communicate("\n".join(WON), timeout=60)
    assert "dark wins (a1 a2 a3 a4 a5).\n" in output
    assert (process.returncode, errors) == (0, "")


def test_the_compiler_is_not_loaded_before_it_is_needed() -> None:
    program = (
        "import sys\n"
        "from fivebook.cli import cli\n"
        f"cli.main(['play', *{GOMOKU!r}], standalone_mode=False)\n"
        "print('numba' in sys.modules)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], input="e5\n", capture_output=True, text=True, check=True
    )
    assert done.stdout.endswith("False\n")


class TestClock:
    def test_both_sides_are_told_what_is_left(self, play: Play) -> None:
        output = play(*GOMOKU, "--clock", "10m+5s", typed=("e5",)).output
        assert "dark (X) to move, 10:00 left: e5" in output
        [answer] = [line for line in output.splitlines() if line.startswith("light plays")]
        # With the increment, less what little the move took.
        assert answer.endswith((", 10:05 left", ", 10:04 left", ", 10:03 left"))

    def test_the_engine_plays_by_its_clock(self, play: Play) -> None:
        output = play("--game", "gomoku-9", "--clock", "2s", typed=("e5",)).output
        [answer] = [line for line in output.splitlines() if line.startswith("light plays")]
        assert "(engine: " in answer
        assert answer.endswith((" 0:01 left", " 0:00 left"))

    def test_who_oversteps_its_clock_loses(self, played: Played) -> None:
        # Nothing can be typed as fast.
        record = played(*GOMOKU, "--clock", "0.001", typed=("e5",))
        assert record.outcome is Outcome.LIGHT_WINS
        assert record.ending == "dark overstepped its clock"
        assert record.moves == ()

    def test_without_a_clock_nothing_is_said_of_time(self, play: Play) -> None:
        assert " left" not in play(*GOMOKU, typed=("e5",)).output


class TestOpenings:
    """Stones that are put and colours that are chosen before the game."""

    RULE = ("--opponent", "engine", "--nodes", "300", "--seed", "1", "--opening-rule")

    def test_a_person_puts_three_stones_and_the_engine_chooses(self, played: Played) -> None:
        # Two dark stones side by side in the middle: the engine takes dark, and light is to move.
        record = played("--game", "gomoku-9", *self.RULE, "swap", typed=("e5", "a1", "f5", "a9"))
        assert line_of(record)[:4] == ["e5", "a1", "f5", "a9"]
        assert len(record.moves) == 5
        assert (record.dark, record.light) == ("engine", "human")
        assert record.opening == 3

    def test_the_engine_puts_three_stones_and_a_person_chooses(
        self, play: Play, played: Played
    ) -> None:
        arguments = ("--game", "gomoku-9", "--human", "light", *self.RULE, "swap2")
        record = played(*arguments, typed=("dark",))
        assert len(record.moves) == 4
        assert (record.dark, record.light) == ("human", "engine")
        output = play(*arguments, typed=("dark",)).output
        assert "choose light, dark, add: " in output
        assert "human plays dark" in output

    def test_two_more_stones_leave_the_choice_to_the_engine(self, played: Played) -> None:
        record = played(
            "--game", "gomoku-9", "--human", "light", *self.RULE, "swap2", typed=("add", "a1", "b1")
        )
        assert len(record.moves) >= 5
        assert line_of(record)[3:5] == ["a1", "b1"]
        assert {record.dark, record.light} == {"human", "engine"}

    def test_a_seed_puts_the_same_stones_again(self, play: Play) -> None:
        def output(seed: int) -> str:
            rest = ("--nodes", "300", "--seed", seed, "--opening-rule", "swap")
            return play("--game", "gomoku-9", "--human", "light", *rest, typed=("board",)).output

        assert output(1) == output(1) != output(2)

    def test_what_makes_no_sense_is_told_and_asked_again(self, play: Play) -> None:
        typed = ("light", "a1", "h8", "undo", "resign", "i8", "j9", "quit")
        output = play("--game", "gomoku-15-renju", *self.RULE, "rif", typed=typed).output
        assert "'light' is no cell of gomoku-15-renju" in output
        assert "stone 1 has to be on the centre, and not on a1" in output
        assert "there is no move of yours to take back" in output
        assert "there are no colours yet to resign with" in output
        assert "engine plays " in output

    def test_the_stones_of_an_opening_are_not_taken_back(self, played: Played) -> None:
        typed = ("e5", "a1", "f5", "a9", "undo", "undo")
        record = played("--game", "gomoku-9", *self.RULE, "swap", typed=typed)
        assert line_of(record) == ["e5", "a1", "f5"]

    def test_a_person_is_asked_for_a_choice_by_name(self, play: Play) -> None:
        typed = ("neither", "light")
        output = play(
            "--game", "gomoku-9", "--human", "light", *self.RULE, "swap", typed=typed
        ).output
        assert "'neither' is no choice: light, dark" in output
        assert "human plays light" in output

    def test_players_that_know_of_moves_alone_are_refused(self, runner: CliRunner) -> None:
        arguments = ["--game", "gomoku-9", "--opponent", "random", "--opening-rule", "swap"]
        result = runner.invoke(cli, ["play", *arguments])
        assert result.exit_code == 2
        assert "random chooses no openings" in result.output

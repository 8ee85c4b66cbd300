"""Game records: what is written, what is read, what is refused."""

from contextlib import suppress
from dataclasses import replace
from itertools import islice
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine import __version__, registry
from engine.errors import FivebookError
from engine.game import Outcome
from service.play.records import (
    GameRecord,
    InvalidRecord,
    format_record,
    parse_records,
    read_records,
    suffix,
)
from tests.engine.samples import random_game

SGF_IDS = ("gomoku-5", "gomoku-9-standard", "gomoku-15", "gomoku-26")
GAME_IDS = (*SGF_IDS, "pentago-swap")
LINE_BREAKS = "\t\n\v\f\r"

SGF = f"""\
(;FF[4]GM[4]CA[UTF-8]AP[fivebook:{__version__}]SZ[11]RU[gomoku-11]PB[engine]PW[random]RE[B+]\
ON[given moves: 2]
;B[ff];W[aa];B[gf];W[ka];B[hf];W[ak];B[if];W[kk];B[jf])
"""
MOVE_TEXT = """\
[Game "pentago-swap"]
[Dark "engine"]
[Light "closeness"]
[Result "dark wins"]
[Ending "light resigned"]
[Opening "2"]

b2:13 e5:24 a1:12

"""


def record_of(game_id: str, line: str, **parts: object) -> GameRecord:
    game = registry.get(game_id)
    record = GameRecord(game, "engine", "random", tuple(game.parse_line(line)))
    return replace(record, **parts)


SGF_RECORD = record_of(
    "gomoku-11", "f6 a11 g6 k11 h6 a1 i6 k1 j6", outcome=Outcome.DARK_WINS, opening=2
)
MOVE_TEXT_RECORD = record_of(
    "pentago-swap",
    "b2:13 e5:24 a1:12",
    light="closeness",
    outcome=Outcome.DARK_WINS,
    ending="light resigned",
    opening=2,
)


@st.composite
def records(draw: st.DrawFn, game_ids: tuple[str, ...] = GAME_IDS) -> GameRecord:
    """Random games, finished or not, some of them ended other than on the board."""
    game = registry.get(draw(st.sampled_from(game_ids)))
    played = random_game(game, Random(draw(st.integers(0, 2**32))))
    moves = tuple(move for move, _ in islice(played, draw(st.integers(0, 40))))
    names = st.text(st.characters(codec="utf-8", exclude_characters=LINE_BREAKS), max_size=20)
    outcome = game.outcome(game.play_line(moves))
    ending = ""
    if outcome is None and draw(st.booleans()):
        outcome, ending = draw(st.sampled_from(Outcome)), draw(names)
    opening = draw(st.integers(0, len(moves)))
    return GameRecord(game, draw(names), draw(names), moves, outcome, ending, opening)


@given(record=records())
def test_what_is_written_is_read_back(record: GameRecord) -> None:
    assert parse_records(format_record(record)) == [record]


@given(collection=st.lists(records(SGF_IDS), max_size=4))
def test_trees_in_a_row_are_a_collection(collection: list[GameRecord]) -> None:
    assert parse_records("".join(map(format_record, collection))) == collection


@given(collection=st.lists(records(("pentago-swap",)), max_size=4))
def test_blocks_of_move_text_in_a_row_are_a_collection(collection: list[GameRecord]) -> None:
    assert parse_records("".join(map(format_record, collection))) == collection


@given(record=records())
def test_a_record_ends_with_its_line(record: GameRecord) -> None:
    assert format_record(record).endswith("\n")


@pytest.mark.parametrize(
    ("game_id", "ending"),
    [
        ("gomoku-5", ".sgf"),
        ("gomoku-26", ".sgf"),
        ("gomoku-15-standard", ".sgf"),
        ("pentago-swap", ".txt"),
    ],
)
def test_gomoku_is_sgf_and_pentago_swap_is_text(game_id: str, ending: str) -> None:
    assert suffix(registry.get(game_id)) == ending


def test_sgf_is_written_as_it_always_was() -> None:
    assert format_record(SGF_RECORD) == SGF
    assert parse_records(SGF) == [SGF_RECORD]


def test_move_text_is_written_as_it_always_was() -> None:
    assert format_record(MOVE_TEXT_RECORD) == MOVE_TEXT
    assert parse_records(MOVE_TEXT) == [MOVE_TEXT_RECORD]


def test_long_games_are_wrapped() -> None:
    for game_id in ("gomoku-26", "pentago-swap"):
        game = registry.get(game_id)
        moves = tuple(move for move, _ in islice(random_game(game, Random(1)), 30))
        lines = format_record(GameRecord(game, "dark", "light", moves)).splitlines()
        assert 60 < max(map(len, lines[1:])) <= 80


@pytest.mark.parametrize(
    ("outcome", "ending", "result"),
    [
        (None, "", "?"),
        (Outcome.DRAW, "", "Draw"),
        (Outcome.DARK_WINS, "", "B+"),
        (Outcome.LIGHT_WINS, "dark resigned", "W+Resign"),
        (Outcome.DARK_WINS, "light overstepped its time: 120 ms of 100 ms", "B+Time"),
        (Outcome.LIGHT_WINS, "dark played an illegal move: h8", "W+Forfeit"),
    ],
)
def test_sgf_tells_the_result_as_other_programs_expect(
    outcome: Outcome | None, ending: str, result: str
) -> None:
    record = record_of("gomoku-15", "h8", outcome=outcome, ending=ending)
    assert f"RE[{result}]" in format_record(record)


@pytest.mark.parametrize(
    ("result", "outcome", "ending"),
    [
        ("?", None, ""),
        ("Void", None, ""),
        ("0", Outcome.DRAW, ""),
        ("Draw", Outcome.DRAW, ""),
        ("W+", Outcome.LIGHT_WINS, ""),
        ("B+12.5", Outcome.DARK_WINS, ""),
        ("B+R", Outcome.DARK_WINS, "light resigned"),
        ("W+Time", Outcome.LIGHT_WINS, "dark overstepped the time"),
        ("B+F", Outcome.DARK_WINS, "light forfeited the game"),
    ],
)
def test_results_of_other_programs_are_understood(
    result: str, outcome: Outcome | None, ending: str
) -> None:
    [record] = parse_records(f"(;FF[4]GM[4]SZ[15]RE[{result}];B[hh])")
    assert (record.outcome, record.ending) == (outcome, ending)


@pytest.mark.parametrize(
    ("size", "point", "cell"),
    [(5, "aa", "a5"), (5, "ee", "e1"), (15, "hh", "h8"), (19, "as", "a1"), (26, "zb", "z25")],
)
def test_points_count_rows_from_the_top(size: int, point: str, cell: str) -> None:
    [record] = parse_records(f"(;GM[4]SZ[{size}];B[{point}])")
    assert record.game.format_line(record.moves) == cell
    assert f";B[{point}]" in format_record(record)


def test_foreign_sgf_is_freestyle_on_a_board_of_its_size() -> None:
    [record] = parse_records("(;FF[4]GM[4]SZ[19]RU[some rule];B[jj])")
    assert record.game.id == "gomoku-19"


def test_only_the_main_line_of_a_tree_is_read() -> None:
    tree = "(;GM[4]SZ[15];B[aa](;W[bb];B[cc](;W[dd])(;W[de];B[ee]))(;W[bc];B[cd]))(;GM[4]SZ[5])"
    first, second = parse_records(tree)
    assert first.game.format_line(first.moves) == "a15 b14 c13 d12"
    assert second.moves == ()


def test_what_sgf_holds_besides_the_game_is_passed_over() -> None:
    text = """\ufeffsaved by some program
    ( ; GaMe [4] SZ
        [15] XX[a][b] [c]
        PlayerBlack[Ann [the 1st\\]: \\\\o/ \\
B.] C[(;not a game\\])]
      ;  B [hh] C[good] TR[aa][bb] ; W[gg]BL[12.5] )
    the end"""
    [record] = parse_records(text)
    assert record.dark == "Ann [the 1st]: \\o/ B."
    assert record.ending == ""
    assert record.game.format_line(record.moves) == "h8 g9"


def test_a_game_won_on_the_board_needs_no_result() -> None:
    [record] = parse_records(SGF.replace("RE[B+]", ""))
    assert record == SGF_RECORD


def test_a_game_won_on_the_board_can_be_lost_by_time() -> None:
    lost = replace(SGF_RECORD, outcome=Outcome.LIGHT_WINS, ending="dark overstepped the time")
    assert parse_records(format_record(lost)) == [lost]


def test_move_text_may_hold_comments_and_any_game() -> None:
    text = '{by hand}\n[Game "gomoku-9"] [Round "3"]\r\n\r\ne5 {the centre}\r\nd4\r\n'
    [record] = parse_records(text)
    assert record == GameRecord(record.game, "", "", tuple(record.game.parse_line("e5 d4")))


@pytest.mark.parametrize("game_id", GAME_IDS)
def test_line_breaks_in_names_become_spaces(game_id: str) -> None:
    record = record_of(game_id, "", dark="a\nb\r\tc")
    assert parse_records(format_record(record))[0].dark == "a b  c"


def test_no_text_holds_no_games() -> None:
    assert parse_records(" \n") == []


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("hello", "no game record: SGF starts with '(;', move text with '[Game'"),
        ("(;GM[4]SZ[15];B[hh]", "the game record breaks off: its last ')' is missing"),
        ("(;GM[4]SZ[15]\n;B[hh", "no SGF in line 2 from 'B[hh'"),
        ("(;GM[4]SZ[15]\n;B hh)", "no SGF in line 2 from 'B hh)'"),
        ("(;GM[1]SZ[19];B[hh])", "GM[1] is not Gomoku, which is GM[4] in SGF"),
        ("(;SZ[19];B[hh])", "GM[] is not Gomoku, which is GM[4] in SGF"),
        ("(;GM[4]SZ[27])", "unknown game 'gomoku-27'"),
        ("(;GM[4];B[hh])", "unknown game 'gomoku-'"),
        ("(;GM[4]SZ[19]RU[gomoku-15])", "SZ[19] is not the board of gomoku-15"),
        ("(;GM[4]SZ[15];B[pp])", "'pp' is no point of gomoku-15: in SGF they run from aa to oo"),
        ("(;GM[4]SZ[15];B[])", "'' is no point of gomoku-15"),
        ("(;GM[4]SZ[15];B[h8])", "'h8' is no point of gomoku-15"),
        ("(;GM[4]SZ[15];B[hh];B[gg])", "move 2 is B[gg], and dark (B) and light (W) play by turns"),
        ("(;GM[4]SZ[15];W[hh])", "move 1 is W[hh]"),
        ("(;GM[4]SZ[15]AB[hh][gg];W[ff])", "stones are set up (AB, AW or AE)"),
        ("(;GM[4]SZ[15];B[hh];W[hh])", "illegal move 'h8' in gomoku-15 after 'h8': the cell is t"),
        (SGF.replace(")", ";W[bb])"), "the game is over (dark wins)"),
        (SGF.replace("RE[B+]", "RE[W+]"), "the result is 'light wins', on the board 'dark wins'"),
        (SGF.replace("moves: 2", "moves: 10"), "the opening has 10 moves, the whole game 9"),
        (SGF.replace("moves: 2", "moves: x"), "'x' is no number of opening moves"),
        ('[Dark "engine"]\n', "a game record in move text starts with '[Game \"...\"]'"),
        ('[Game "chess"]\n\ne4', "unknown game 'chess'"),
        ('[Game "gomoku-9"]\n\ne5 [Dark', "no move text in line 3 from '[Dark'"),
        ('[Game "gomoku-9"]\n\ne5 {', "no move text in line 3 from '{'"),
        ('[Game "gomoku-9"]\n\nz5', "'z5' is no cell of gomoku-9"),
        ('[Game "gomoku-9"]\n\ne5 e5', "illegal move 'e5' in gomoku-9 after 'e5'"),
        ('[Game "pentago-swap"]\n\na1', "'a1' is no move of pentago-swap"),
        ('[Game "gomoku-9"][Result "1-0"]', "'1-0' is no result: there are 'dark wins', 'light"),
        ('[Game "gomoku-9"][Opening "-1"]', "'-1' is no number of opening moves"),
    ],
)
def test_what_is_wrong_is_said_in_a_sentence(text: str, sentence: str) -> None:
    with pytest.raises(FivebookError) as refused:
        parse_records(text)
    assert sentence in str(refused.value)
    assert "\n" not in str(refused.value)


@given(text=st.text("(;)[]BWGMSZ4159 hi\\\n\"ame-'", max_size=80))
def test_any_text_is_read_or_refused_in_our_own_words(text: str) -> None:
    for form in (text, f"(;GM[4]SZ[9]{text}", f'[Game "gomoku-9"]{text}'):
        with suppress(FivebookError):
            parse_records(form)


def test_a_file_is_read(tmp_path: Path) -> None:
    path = tmp_path / "games.sgf"
    path.write_text(SGF + SGF, "utf-8-sig")
    assert read_records(path) == [SGF_RECORD, SGF_RECORD]


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(InvalidRecord, match=r"cannot read '.*none.sgf': No such file"):
        read_records(tmp_path / "none.sgf")
    (tmp_path / "bytes.sgf").write_bytes(b"(;PB[\xff])")
    with pytest.raises(InvalidRecord, match=r"'.*bytes.sgf' is no text in UTF-8"):
        read_records(tmp_path / "bytes.sgf")

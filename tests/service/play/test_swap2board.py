"""SWAP2BOARD and a whole dialogue by the protocol, each answer to the letter."""

from collections.abc import Mapping
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from book.writer import BookWriter, Task
from engine import __version__, registry
from engine.search import Limits, SearchOptions
from precompute.job import run_task
from service.inquiry import Inquiry
from service.play.brain import Brain
from service.play.evenness import scattered
from service.play.variety import Variety

GAME = registry.get("gomoku-9")
OPTIONS = SearchOptions()
EVEN, WON = 0, 600
# Dark, light, dark; as managers write them: column and row from 0.
STONES = "e5 e6 g3"
SENT = ["4,4", "4,5", "6,2"]
# Two more stones, the first ones that are drawn without a seed.
START = Inquiry.read(GAME, STONES)
DRAWN = scattered(START, 2, 400, Random(0))[7]
MORE = GAME.format_line(DRAWN.played[3:])
# Limits by nodes alone, so that every answer is the same each time.
SETTINGS = ["START 9", "INFO timeout_turn 60000", "INFO max_node 300"]


def sent(line: str) -> list[str]:
    cells = [divmod(move, GAME.width) for move in GAME.parse_line(line)]
    return [f"{column},{row}" for row, column in cells]


def book_of(path: Path, values: Mapping[str, int]) -> Path:
    """A book of the positions after some lines, with values for the side to move."""
    with BookWriter(path, GAME) as writer:
        run = writer.start_run({"limits": {"depth": 1}})
        for line, value in values.items():
            canonical = GAME.canonical(GAME.play_line(GAME.parse_line(line)))
            task = Task(canonical.key, canonical.stones, True, frozenset())
            searched = run_task(GAME.id, task, Limits(depth=1))
            assert searched.rest is not None
            rest = replace(searched.rest, value=value, proven=False)
            with writer.transaction():
                writer.enter_batch([(task, replace(searched, rest=rest))], 1, run)
        writer.end_run(run)
    return path


def best_move(path: Path, line: str) -> str:
    """The move of a book that holds the position, as managers write it."""
    position = GAME.play_line(GAME.parse_line(line))
    from book.reader import BookReader

    with BookReader(path) as reader:
        entry = reader.get(GAME, position)
    assert entry is not None
    return sent(GAME.format_move(entry.moves[0].move))[0]


def said(book: Path | None, *lines: str, seed: int | None = None) -> list[str]:
    with closing(Brain(book, OPTIONS, variety=Variety(0.0, seed))) as brain:
        return list(brain.answers([*SETTINGS, *lines]))[1:]


@pytest.mark.parametrize("with_owners", [False, True])
def test_the_first_three_stones_are_kept_left_or_followed_by_two_more(
    tmp_path: Path, with_owners: bool
) -> None:
    stones = [f"{cell},{owner}" for cell, owner in zip(SENT, "212", strict=True)]
    asked = ["SWAP2BOARD", *(stones if with_owners else SENT), "DONE"]
    good = book_of(tmp_path / "good.db", {STONES: WON})
    assert said(good, *asked) == [best_move(good, STONES)]
    bad = book_of(tmp_path / "bad.db", {STONES: -WON})
    assert said(bad, *asked) == ["SWAP"]
    even = book_of(tmp_path / "even.db", {STONES: EVEN, f"{STONES} {MORE}": EVEN})
    assert said(even, *asked) == [" ".join(sent(MORE))]


def test_of_five_stones_one_colour_is_chosen(tmp_path: Path) -> None:
    line = f"{STONES} {MORE}"
    asked = ["SWAP2BOARD", *sent(line), "DONE"]
    good = book_of(tmp_path / "good.db", {line: 20})
    assert said(good, *asked) == [best_move(good, line)]
    assert said(book_of(tmp_path / "bad.db", {line: -20}), *asked) == ["SWAP"]


def test_the_stones_that_begin_are_even_ones_of_the_book(tmp_path: Path) -> None:
    drawn = scattered(Inquiry.read(GAME, ""), 3, 400, Random(0))
    lines = [GAME.format_line(each.played) for each in drawn[:9]]
    book = book_of(tmp_path / "book.db", dict.fromkeys(lines[:8], WON) | {lines[8]: EVEN})
    assert said(book, "SWAP2BOARD", "DONE") == [" ".join(sent(lines[8]))]


def test_without_a_book_the_stones_are_found_by_searches_and_vary_with_the_seed() -> None:
    asked = ["SWAP2BOARD", "DONE"]
    found = {seed: said(None, *asked, seed=seed) for seed in (None, 1, 2)}
    assert said(None, *asked) == found[None]
    assert said(None, *asked, seed=1) == found[1]
    assert found[1] != found[2]
    for (answer,) in found.values():
        cells = answer.split()
        assert len(set(cells)) == 3
        GAME.play_line(
            [int(row) * 9 + int(column) for column, row in (c.split(",") for c in cells)]
        )


def test_from_game_to_game_a_seed_gives_other_stones() -> None:
    first, ok, second = said(None, "SWAP2BOARD", "DONE", "RESTART", "SWAP2BOARD", "DONE", seed=1)
    assert ok == "OK"
    assert first != second


def test_the_game_goes_on_with_the_colours_that_were_chosen(tmp_path: Path) -> None:
    # Light's four is completed by the side that stays light, and stopped by the one that swaps.
    line = "e1 a5 e9 b5 h8"
    board = ["SWAP2BOARD", *sent(line), "DONE"]
    stays = book_of(tmp_path / "stays.db", {line: WON})
    answer, reply = said(stays, *board, "TURN 8,0")
    assert answer == best_move(stays, line)
    assert reply not in {*sent(line), answer, "8,0"}
    swaps = book_of(tmp_path / "swaps.db", {line: -WON})
    answer, reply = said(swaps, *board, "TURN 2,4")
    assert answer == "SWAP"
    assert reply not in {*sent(line), "2,4"}


@pytest.mark.parametrize(
    ("stones", "error"),
    [
        (["1,1"], "swap2 has no stones, three or five to begin with, not 1"),
        (["1,1", "1,1", "2,2"], "illegal move 'b2' in gomoku-9 after 'b2': the cell is taken"),
        (["1,1", "9,1", "2,2"], "'9,1' is no cell: cells run from 0,0 to 8,8"),
        (["1,1", "x", "2,2"], "'x' is no cell: cells run from 0,0 to 8,8"),
    ],
)
def test_stones_that_make_no_sense_are_one_error(stones: list[str], error: str) -> None:
    answers = said(None, "SWAP2BOARD", *stones, "DONE", "ABOUT")
    assert answers[0] == f"ERROR {error}"
    assert answers[1].startswith("name=")
    assert len(answers) == 2


def test_what_follows_an_unknown_command_is_not_answered_line_by_line() -> None:
    answers = said(None, "YXEDITTVDDATABASE", "1,1", "2,2", "DONE", "SWAP3BOARD", "DONE")
    assert answers == [
        "UNKNOWN command 'YXEDITTVDDATABASE'",
        "UNKNOWN command 'SWAP3BOARD'",
    ]


def test_a_book_of_another_game_is_said_to_be_unused_once(tmp_path: Path) -> None:
    book = book_of(tmp_path / "nine.db", {"": EVEN})
    with closing(Brain(book, OPTIONS)) as brain:
        answers = list(
            brain.answers(["START 7", "INFO max_node 10", "BEGIN", "TURN 0,0", "RESTART", "BEGIN"])
        )
    notes = [line for line in answers if line.startswith("MESSAGE")]
    assert notes == ["MESSAGE nine.db is not used: it holds gomoku-9, and this is gomoku-7"]
    assert answers.index(notes[0]) == 1


def test_a_dialogue_of_every_command_has_these_answers_and_no_others(tmp_path: Path) -> None:
    won = "e5 a1 f5 a3 g5 a7"
    book = book_of(tmp_path / "book.db", {"": 40, STONES: -WON, won: 500})
    first, fourth = best_move(book, ""), best_move(book, won)
    dialogue = {
        "ABOUT": [f'name="fivebook", version="{__version__}", author="the fivebook authors"'],
        "BEGIN": ["ERROR there is no board yet: START and its size"],
        "START 9": ["OK"],
        "RECTSTART 9,8": ["ERROR only square boards are played: START and a size"],
        "RECTSTART 9,9": ["OK"],
        "INFO timeout_turn 60000": [],
        "INFO timeout_match 600000": [],
        "INFO time_left 600000": [],
        "INFO max_memory 0": [],
        "INFO game_type 1": [],
        "INFO rule 0": [],
        "INFO folder /tmp": [],
        "INFO max_node 300": [],
        "begin": [first],
        "INFO evaluate " + first: [f"MESSAGE {first}: the cell is taken"],
        "TAKEBACK " + first: ["OK"],
        "RESTART": ["OK"],
        "\n".join(["SWAP2BOARD", *SENT, "DONE"]): ["SWAP"],
        "\n".join(["BOARD", *stones_of(won), "DONE"]): [fourth],
        "TURN " + fourth: [f"ERROR {fourth} is taken"],
        "\n".join(["YXBOARD", *stones_of(won), "DONE"]): [],
        "YXSHOWFORBID": ["FORBID ."],
        "YXSHOWINFO": ["MESSAGE INFO MAX_THREAD_NUM 256", "MESSAGE INFO MAX_HASH_SIZE 26"],
        "YXNBEST 1": [f"MESSAGE 1: +500 (77.7%), depth 1, rest: {fourth}", fourth],
        "YXHASHCLEAR": ["MESSAGE the transposition table is empty"],
        "\n".join(["YXQUERYDATABASEALL", "DONE"]): [
            "MESSAGE DATABASE REFRESH",
            f"MESSAGE DATABASE {first.replace(',', ' ')} {number_of('52%')} -40 1 3 0",
            "MESSAGE DATABASE DONE",
        ],
        "\n".join(["YXQUERYDATABASEONE", *SENT, "DONE"]): [
            f"MESSAGE DATABASE ONE -1 {-WON} 1 3 81%"
        ],
        "\n".join(["YXQUERYDATABASEONE", "0,0", "DONE"]): ["MESSAGE DATABASE ONE 0 0 0 0"],
        "\n".join(["YXQUERYDATABASETEXT", "DONE"]): ['MESSAGE DATABASE TEXT ""'],
        "YXSTOP": [],
        "HELLO": ["UNKNOWN command 'HELLO'"],
    }
    with closing(Brain(book, OPTIONS)) as brain:
        for command, answers in dialogue.items():
            assert list(brain.answers(command.split("\n"))) == answers, command
        assert list(brain.answers(["END", "ABOUT"])) == []


def stones_of(line: str) -> list[str]:
    """A board as managers send it to dark, whose turn it is."""
    return [f"{cell},{1 + ply % 2}" for ply, cell in enumerate(sent(line))]


def number_of(label: str) -> int:
    return int.from_bytes(label.encode(), "big")


def test_a_move_under_the_mouse_is_judged_and_nothing_else_is_answered(tmp_path: Path) -> None:
    book = book_of(tmp_path / "book.db", {"e5": -90})
    assert said(book, "INFO evaluate 4,4") == ["MESSAGE 4,4: +90, from the book"]
    assert said(book, "INFO evaluate 9,9", "INFO evaluate", "INFO evaluate here") == []
    with closing(Brain(None, OPTIONS)) as brain:
        assert list(brain.answers(["INFO evaluate 4,4"])) == []


def test_renju_shows_the_points_that_dark_must_not_play() -> None:
    own = [*(f"{x},5,1" for x in (2, 3, 4)), *(f"5,{y},1" for y in (6, 7, 8))]
    other = ["1,5,2", "5,9,2", "0,0,2", "10,0,2", "0,10,2", "10,10,2"]
    with closing(Brain(None, OPTIONS)) as brain:
        settings = ["START 11", "INFO rule 4", "YXBOARD", *own, *other, "DONE"]
        assert list(brain.answers([*settings, "YXSHOWFORBID"])) == ["OK", "FORBID 0505."]


def test_proofs_are_words_in_a_database_query(won_book: Path) -> None:
    line = "e5 a1 f5 a3 g5 a7 h5"
    with closing(Brain(won_book, OPTIONS)) as brain:
        query = ["START 9", "YXQUERYDATABASEONE", *sent(line), "DONE"]
        # Lost for light, who is to move: won for whoever moved there.
        assert list(brain.answers(query))[1].startswith("MESSAGE DATABASE ONE 119 -29998 ")


def test_a_database_may_be_switched_off(tmp_path: Path) -> None:
    book = book_of(tmp_path / "book.db", {STONES: -WON})
    board = ["SWAP2BOARD", *SENT, "DONE"]
    assert said(book, *board) == ["SWAP"]
    query = ["YXQUERYDATABASEONE", *SENT, "DONE"]
    assert said(book, "INFO usedatabase 0", *query) == ["MESSAGE DATABASE ONE 0 0 0 0"]

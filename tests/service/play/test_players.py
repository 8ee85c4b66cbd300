"""Players by their names, and those that need a book or another program."""

import shlex
import sys
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path

import pytest

from book.entry import BookMove
from book.errors import BookError
from book.reader import BookReader
from engine import registry
from engine.clock import Clock, allot
from engine.errors import FivebookError
from engine.game import Game, Key
from engine.players import AGENT_NAMES, UnknownPlayer
from engine.players.base import Choice, Player, UnsuitableGame
from engine.players.engine import EnginePlayer
from engine.position import Move, Position
from engine.search import Limits, SearchOptions
from service.errors import InvalidPlayer, PlayerFailed
from service.play import bsdgames, gomocup
from service.play.book import BookPlayer
from service.play.bsdgames import BsdGamesPlayer
from service.play.gomocup import GomocupPlayer
from service.play.players import make_player
from service.play.variety import Variety
from tests.book.handmade import GAME_ID, OPEN_FOUR, OPEN_THREE, proven_book

GOMOKU = registry.get("gomoku-7")
GOMOKU_19 = registry.get("gomoku-19")
SWAP = registry.get("pentago-swap")
LIMITS = Limits(movetime=0.05)
BRAIN = shlex.join([sys.executable, str(Path(__file__).with_name("brain.py"))])


def brain(fault: str = "") -> closing[Player]:
    """A running Gomocup program, with a fault that it knows by name."""
    return closing(make_player(f"gomocup:{BRAIN} {fault}", GOMOKU, LIMITS))


class Informed(EnginePlayer):
    """An engine that keeps what it is told."""

    def __init__(self, game: Game, nodes: int = 1) -> None:
        super().__init__(game, Limits(nodes=nodes))
        self.told: list[tuple[Sequence[Move], int, int]] = []
        self.ahead: list[Position] = []

    def expect(self, position: Position, line: Sequence[Move], value: int, depth: int) -> None:
        self.game.play_line(line, position)
        self.told.append((line, value, depth))

    def look_ahead(self, position: Position) -> None:
        self.ahead.append(position)


class Searching(EnginePlayer):
    """An engine that keeps what it has searched."""

    def __init__(self, game: Game, limits: Limits) -> None:
        super().__init__(game, limits)
        self.searched: list[Position] = []

    def _search(self, position: Position, limits: Limits) -> Choice:
        self.searched.append(position)
        return super()._search(position, limits)


def _stored(reader: BookReader, game: Game) -> Iterator[tuple[Position, BookMove]]:
    """The positions of a book, each with its best move."""
    positions = [game.initial]
    for position in positions:
        entry = reader.get(game, position)
        if entry is not None:
            yield position, entry.moves[0]
            positions += [game.play(position, move.move) for move in entry.moves if move.in_book]


def _last_moves(reader: BookReader, game: Game) -> Iterator[tuple[Position, BookMove]]:
    """Positions in which the best move leads out of the book, and goes on there, undecided."""
    for position, best in _stored(reader, game):
        if not best.in_book and len(best.line) > 2 and not best.proven:
            yield position, best


def _before_the_last(reader: BookReader, game: Game) -> Position:
    """A position of which the book knows the best move, the reply to it and what follows."""
    best_moves = dict(_stored(reader, game))
    return next(
        position
        for position, best in best_moves.items()
        if best.in_book and best_moves[game.play(position, best.move)].in_book
    )


def _work_of(reader: BookReader, game: Game, position: Position, met: set[Key]) -> int:
    """The nodes of all searches of a position and of those that follow it, not `met` before."""
    entry, key = reader.get(game, position), game.canonical(position).key
    if entry is None or key in met:
        return 0
    met.add(key)
    following = [game.play(position, each.move) for each in entry.moves if each.in_book]
    return entry.nodes + sum(_work_of(reader, game, each, met) for each in following)


def _another_reply(game: Game, position: Position, expected: BookMove) -> Move:
    after = game.play(position, expected.move)
    return next(move for move in game.legal_moves(after) if move != expected.line[1])


def choice(player: Player, text: str) -> str:
    """The player's move after the moves in `text`, checked."""
    position = player.game.play_line(player.game.parse_line(text))
    move = player.choose(position).move
    assert move in player.game.legal_moves(position)
    return player.game.format_move(move)


def play_out(game: Game, dark: Player, light: Player) -> str:
    """A whole game in notation."""
    line = ""
    while game.outcome(position := game.play_line(game.parse_line(line))) is None:
        line = f"{line} {choice((dark, light)[position.ply % 2], line)}"
    return line.strip()


@pytest.mark.parametrize("name", ["random", "engine"])
@pytest.mark.parametrize("game", [GOMOKU, SWAP], ids=lambda game: game.id)
def test_random_and_engine_play_every_game(name: str, game: Game) -> None:
    assert choice(make_player(name, game, LIMITS), "")


@pytest.mark.parametrize("name", AGENT_NAMES)
def test_every_agent_is_known_by_its_name(name: str) -> None:
    game = SWAP if name == "closeness" else GOMOKU
    assert make_player(f"{name}:depth=1", game, LIMITS).name == name


def test_a_seed_makes_the_random_player_repeatable() -> None:
    def line(seed: int) -> str:
        dark, light = (make_player(f"random:seed={seed}", GOMOKU, LIMITS) for _ in range(2))
        return play_out(GOMOKU, dark, light)

    assert line(1) == line(1) != line(2)


def test_a_seeded_random_move_depends_on_the_position_alone() -> None:
    player = make_player("random:seed=1", GOMOKU, LIMITS)
    first = choice(player, "d4")
    choice(player, "d4 c3")
    assert choice(player, "d4") == first


def test_the_engine_takes_the_limits_given_for_all_unless_it_has_its_own() -> None:
    def limits(text: str) -> Limits:
        player = make_player(text, GOMOKU, LIMITS)
        assert isinstance(player, EnginePlayer)
        return player.limits

    assert limits("engine") == LIMITS
    assert limits("engine:nodes=300") == Limits(nodes=300)
    assert limits("engine:depth=3,movetime=2s") == Limits(depth=3, movetime=2.0)


def test_the_engine_takes_threads_and_a_table() -> None:
    def options(text: str) -> SearchOptions:
        player = make_player(text, GOMOKU, LIMITS, SearchOptions(table=2))
        assert isinstance(player, EnginePlayer)
        assert player.limits == LIMITS
        return player.options

    assert options("engine") == SearchOptions(table=2)
    assert options("engine:threads=2,table=8") == SearchOptions(2, 8)
    assert options("engine:threads=2") == SearchOptions(2, 2)


@pytest.mark.parametrize("name", ["engine", "random", "six-cell-frames"])
def test_every_player_plays_by_a_clock(name: str) -> None:
    player = make_player(name, GOMOKU, Limits(clock=Clock(60.0)))
    move = player.choose_by_clock(GOMOKU.initial, Clock(0.01)).move
    assert move in GOMOKU.legal_moves(GOMOKU.initial)


def test_by_a_clock_the_engine_keeps_to_limits_of_its_own_as_well() -> None:
    player = make_player("engine:nodes=300", GOMOKU, LIMITS)
    assert player.choose_by_clock(GOMOKU.initial, Clock(1000.0)).nodes == 300


def test_only_what_keeps_to_a_time_promises_one() -> None:
    assert make_player("engine", GOMOKU, LIMITS).movetime == LIMITS.movetime
    assert make_player("engine:nodes=10", GOMOKU, LIMITS).movetime is None
    assert make_player("six-cell-frames", GOMOKU, LIMITS).movetime is None


@pytest.mark.parametrize(
    ("text", "game", "error", "said"),
    [
        ("engin", GOMOKU, UnknownPlayer, "unknown player 'engin'; there are engine, random, "),
        ("engine:node=5", GOMOKU, InvalidPlayer, "no option 'node': its options are movetime,"),
        ("engine:nodes=none", GOMOKU, InvalidPlayer, "player 'engine': nodes: 'none'"),
        ("engine:nodes=0", GOMOKU, InvalidPlayer, "player 'engine': nodes: 0"),
        ("engine:threads=0", GOMOKU, InvalidPlayer, "player 'engine': threads: 0"),
        ("engine:table=0", GOMOKU, InvalidPlayer, "player 'engine': table: 0"),
        ("random:seed=x", GOMOKU, InvalidPlayer, "player 'random': seed: 'x'"),
        ("bsdgames:depth=3", GOMOKU_19, InvalidPlayer, "no option 'depth': it has none"),
        ("bsdgames", GOMOKU, UnsuitableGame, "bsdgames plays gomoku-19 and not gomoku-7"),
        ("closeness", GOMOKU, UnsuitableGame, "does not play gomoku-7"),
        ("six-cell-frames", SWAP, UnsuitableGame, "does not play pentago-swap"),
        ("gomocup:x", SWAP, UnsuitableGame, "not pentago-swap"),
        ("gomocup:", GOMOKU, InvalidPlayer, "gomocup:COMMAND"),
        ("gomocup:no-such-program", GOMOKU, PlayerFailed, "no-such-program: it does not start"),
        ("gomocup:'", GOMOKU, PlayerFailed, "it does not start"),
        ("engine:book=missing.db", GOMOKU, BookError, "missing.db"),
    ],
)
def test_what_describes_no_player_is_said_in_one_sentence(
    text: str, game: Game, error: type[FivebookError], said: str
) -> None:
    with pytest.raises(error) as raised:
        make_player(text, game, LIMITS)
    assert said in str(raised.value)
    assert "\n" not in str(raised.value)


class TestBook:
    @pytest.fixture(scope="class")
    @classmethod
    def path(cls, tmp_path_factory: pytest.TempPathFactory) -> Path:
        return proven_book(tmp_path_factory.mktemp("books") / "proven.db")

    def test_the_books_move_is_played_without_a_search(self, path: Path) -> None:
        game = registry.get(GAME_ID)
        with closing(make_player(f"engine:book={path},nodes=1", game, LIMITS)) as player:
            chosen = player.choose(game.play_line(game.parse_line(OPEN_THREE)))
        assert game.format_line(game.parse_line(OPEN_FOUR)[-1:]) == game.format_move(chosen.move)
        assert chosen.nodes == 0

    def test_the_books_move_comes_in_the_orientation_of_the_question(self, path: Path) -> None:
        game = registry.get(GAME_ID)
        line = [game.map_move(move, 1) for move in game.parse_line(OPEN_THREE)]
        with closing(make_player(f"engine:book={path},nodes=1", game, LIMITS)) as player:
            chosen = player.choose(game.play_line(line))
        assert chosen.move == game.map_move(game.parse_line(OPEN_FOUR)[-1], 1)

    def test_where_the_book_ends_the_engine_searches(self, path: Path) -> None:
        game = registry.get(GAME_ID)
        with closing(make_player(f"engine:book={path},nodes=500", game, LIMITS)) as player:
            assert player.choose(game.play_line(game.parse_line("e5 e6"))).nodes == 500

    def test_where_the_book_ends_the_engine_is_told_what_it_expects(
        self, gomoku_book: Path
    ) -> None:
        game = registry.get("gomoku-9")
        with BookReader(gomoku_book) as reader:
            position, known = next(_last_moves(reader, game))
        informed = Informed(game)
        with closing(BookPlayer(gomoku_book, informed)) as player:
            for went_as_expected in (True, False):
                informed.told.clear()
                assert player.choose(position).move == known.move
                reply = known.line[1] if went_as_expected else _another_reply(game, position, known)
                player.choose(game.play_line((known.move, reply), position))
                assert informed.told == [(known.line[2:], known.value, known.depth - 2)] * (
                    went_as_expected
                )
            # Of a game that it has not followed it expects nothing.
            player.choose(game.play_line(known.line[:2], position))
            assert informed.told == []

    def test_while_the_last_book_move_is_made_the_engine_looks_ahead(
        self, gomoku_book: Path
    ) -> None:
        game = registry.get("gomoku-9")
        with BookReader(gomoku_book) as reader:
            position, known = next(_last_moves(reader, game))
            before = _before_the_last(reader, game)
        informed = Informed(game)
        with closing(BookPlayer(gomoku_book, informed)) as player:
            player.choose(before)
            assert informed.ahead == []
            player.choose(position)
            assert informed.ahead == [game.play(position, known.move)]
            player.choose(game.play_line(known.line[:2], position))
            assert len(informed.ahead) == 1

    def test_where_the_engine_may_do_more_than_the_book_has_done_it_searches(
        self, gomoku_book: Path
    ) -> None:
        game = registry.get("gomoku-9")
        with BookReader(gomoku_book) as reader:
            stored = [position for position, best in _stored(reader, game) if not best.proven]
            works = [_work_of(reader, game, position, set()) for position in stored]
            entries = [reader.find(game, position) for position in stored]
        assert len(set(works)) > 2
        for position, work, entry in zip(stored, works, entries, strict=True):
            best = entry.moves[0]
            for nodes in (work, work + 1):
                informed = Informed(game, nodes)
                with closing(BookPlayer(gomoku_book, informed)) as player:
                    searches = player.choose(position).nodes > 0
                assert searches == (nodes > work)
                told = [(best.line, best.value, best.depth)] if searches else []
                assert informed.told == told

    def test_a_position_that_many_follow_is_the_books(
        self, gomoku_book: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        game = registry.get("gomoku-9")
        with closing(BookPlayer(gomoku_book, Informed(game, 100_000))) as player:
            assert player.choose(game.initial).nodes > 0
            monkeypatch.setattr("service.play.book._MOST_LOOKUPS", 2)
            assert player.choose(game.initial).nodes == 0

    def test_what_the_book_proves_is_not_searched(self, path: Path) -> None:
        game = registry.get(GAME_ID)
        with closing(BookPlayer(path, Informed(game, 100_000))) as player:
            assert player.choose(game.play_line(game.parse_line(OPEN_THREE))).nodes == 0

    def test_a_book_that_varies_or_excludes_moves_is_not_searched_for_longer(
        self, gomoku_book: Path, tmp_path: Path
    ) -> None:
        game = registry.get("gomoku-9")
        prepared = tmp_path / "prepared.txt"
        with BookReader(gomoku_book) as reader:
            best = reader.find(game, game.initial).moves[0]
        prepared.write_text(game.format_move(best.move))
        for variety in (Variety(margin=0.01), Variety(excluded=str(prepared))):
            engine = Informed(game, 100_000)
            with closing(BookPlayer(gomoku_book, engine, variety)) as player:
                assert player.choose(game.initial).nodes == 0

    @pytest.mark.parametrize(
        ("limits", "clock", "nodes"),
        [
            (Limits(nodes=5000), None, 5000),
            (Limits(depth=5), None, None),
            (Limits(movetime=0.5), None, 500_000),
            (Limits(movetime=0.5, nodes=5000), None, 5000),
            (Limits(movetime=0.5), Clock(1000.0), 500_000),
            (Limits(depth=5), Clock(10.0), int(1_000_000 * allot(Clock(10.0), 0, 49).soft)),
        ],
    )
    def test_the_engine_says_how_many_nodes_its_limits_are(
        self, limits: Limits, clock: Clock | None, nodes: int | None
    ) -> None:
        player = EnginePlayer(GOMOKU, limits)
        assert player.nodes_for(GOMOKU.initial, clock) == nodes

    def test_the_engine_learns_how_fast_it_is(self) -> None:
        player = EnginePlayer(GOMOKU, Limits(movetime=0.5))
        first = player.nodes_for(GOMOKU.initial)
        player.choose(GOMOKU.play_line(GOMOKU.parse_line("d4 e5")))
        assert player.nodes_for(GOMOKU.initial) != first

    @pytest.mark.parametrize(
        ("limits", "looks"), [(Limits(movetime=0.05), True), (Limits(nodes=50), False)]
    )
    def test_the_engine_looks_ahead_where_each_move_has_a_time_of_its_own(
        self, limits: Limits, looks: bool
    ) -> None:
        player = Searching(GOMOKU, limits)
        player.look_ahead(GOMOKU.initial)
        assert player.searched == [GOMOKU.initial] * looks


class TestGomocup:
    def said(self, capfd: pytest.CaptureFixture[str]) -> list[str]:
        return capfd.readouterr().err.splitlines()

    @pytest.mark.parametrize(("rule", "number"), [("", 0), ("-standard", 1), ("-renju", 4)])
    def test_it_is_told_the_board_the_time_and_the_rule(
        self, capfd: pytest.CaptureFixture[str], rule: str, number: int
    ) -> None:
        game = registry.get(f"gomoku-9{rule}")
        make_player(f"gomocup:{BRAIN}", game, Limits(movetime=0.25)).close()
        assert self.said(capfd) == [
            "START 9",
            "INFO timeout_turn 250",
            "INFO timeout_match 0",
            "INFO time_left 2147483647",
            "INFO game_type 1",
            f"INFO rule {number}",
            "END",
        ]

    def test_it_is_told_of_a_match_with_a_clock_and_of_what_is_left_before_every_move(
        self, capfd: pytest.CaptureFixture[str]
    ) -> None:
        with closing(make_player(f"gomocup:{BRAIN}", GOMOKU, Limits(clock=Clock(60.0)))) as player:
            assert player.movetime is None
            first = player.choose_by_clock(GOMOKU.initial, Clock(60.0)).move
            other = next(m for m in GOMOKU.legal_moves(GOMOKU.initial) if m != first)
            player.choose_by_clock(GOMOKU.play_line([first, other]), Clock(41.5))
        said = self.said(capfd)
        turns = [line.split()[0] for line in said if not line.startswith("INFO")]
        assert turns == ["START", "START", "BEGIN", "TURN", "END"]
        times = [line for line in said[6:] if "time" in line]
        assert times == [
            "INFO timeout_turn 60000",
            "INFO timeout_match 60000",
            "INFO time_left 60000",
            "INFO time_left 60000",
            "INFO time_left 41500",
        ]
        assert said.index("BEGIN") > said.index("INFO rule 0")

    def test_it_begins_a_game_and_is_then_told_each_reply(
        self, capfd: pytest.CaptureFixture[str]
    ) -> None:
        with brain() as player:
            first = choice(player, "")
            assert first != "b3"
            choice(player, f"{first} b3")
        said = [line for line in self.said(capfd) if not line.startswith("INFO")]
        assert said == ["START 7", "START 7", "BEGIN", "TURN 1,2", "END"]

    def test_any_other_position_is_sent_as_a_board(self, capfd: pytest.CaptureFixture[str]) -> None:
        with brain() as player:
            choice(player, "a1 b3 g7")
        assert self.said(capfd)[-5:] == ["BOARD", "0,0,2", "1,2,1", "6,6,2", "END"]

    def test_a_position_that_is_not_its_game_going_on_is_a_new_board(
        self, capfd: pytest.CaptureFixture[str]
    ) -> None:
        with brain() as player:
            choice(player, "a1")
            choice(player, "g7")
        said = self.said(capfd)
        assert said.count("BOARD") == 2
        assert not [line for line in said if line.startswith("TURN")]

    def test_it_plays_whole_games_one_after_the_other(self) -> None:
        other = make_player("random:seed=3", GOMOKU, LIMITS)
        with brain() as player:
            for dark, light in ((player, other), (other, player)):
                assert play_out(GOMOKU, dark, light)

    @pytest.mark.parametrize(
        ("fault", "said"),
        [("rude", "its answer 'never' is no cell"), ("mortal", "it has ended")],
    )
    def test_a_program_that_gives_no_move_has_failed(self, fault: str, said: str) -> None:
        with (
            brain(fault) as player,
            pytest.raises(PlayerFailed, match=said),
        ):
            player.choose(GOMOKU.initial)

    def test_a_program_that_never_answers_is_given_up(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(gomocup, "_PATIENCE", 0.1)
        with (
            brain("deaf") as player,
            pytest.raises(PlayerFailed, match="no answer within"),
        ):
            player.choose(GOMOKU.initial)

    def test_a_program_that_does_not_play_on_this_board_is_refused(self) -> None:
        with pytest.raises(PlayerFailed, match="answers START 7 with 'ERROR unsupported size'"):
            brain("refuse")

    def test_it_needs_a_movetime(self) -> None:
        with pytest.raises(InvalidPlayer, match="give a movetime or a clock"):
            GomocupPlayer(GOMOKU, BRAIN, Limits(nodes=100))


class TestBsdGames:
    @pytest.fixture
    def player(self) -> Player:
        try:
            return BsdGamesPlayer(GOMOKU_19)
        except PlayerFailed as error:
            pytest.skip(str(error))

    def test_its_first_move_is_the_centre(self, player: Player) -> None:
        assert choice(player, "") == "j10"

    @pytest.mark.parametrize("text", ["a1", "j10 k11", "a19 s1 s19"])
    def test_it_answers_from_any_early_position(self, player: Player, text: str) -> None:
        assert choice(player, text)

    def test_it_completes_a_five_on_either_side(self, player: Player) -> None:
        assert choice(player, "j10 a1 j11 b3 j12 c5 j13 d7") in ("j9", "j14")
        assert choice(player, "a1 j10 b3 j11 c5 j12 d7 j13 q3") in ("j9", "j14")

    def test_it_blocks_a_four(self, player: Player) -> None:
        assert choice(player, "j10 j9 j11 b3 j12 c5 j13") == "j14"
        assert choice(player, "j9 j10 b3 j11 c5 j12 q3 j13") == "j14"

    def test_it_plays_a_whole_game(self, player: Player) -> None:
        assert play_out(GOMOKU_19, player, make_player("random:seed=1", GOMOKU_19, LIMITS))

    def test_a_missing_program_is_said_in_one_sentence(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(bsdgames.shutil, "which", lambda name: None)
        with pytest.raises(PlayerFailed, match="there is no program gomoku"):
            BsdGamesPlayer(GOMOKU_19)


def test_a_book_varies_within_a_margin_and_by_its_seed(gomoku_book: Path) -> None:
    game = registry.get("gomoku-9")

    def moves(options: str, games: int = 12) -> list[int]:
        text = f"engine:book={gomoku_book},nodes=1{options}"
        with closing(make_player(text, game, LIMITS)) as player:
            assert isinstance(player, BookPlayer)
            found = []
            for number in range(games):
                player.begin_game(number)
                found.append(player.choose(game.play_line(game.parse_line("e5"))).move)
        return found

    assert len(set(moves(""))) == 1
    varied = moves(",book-margin=100%,seed=1")
    assert len(set(varied)) > 1
    assert varied == moves(",book-margin=100%,seed=1") != moves(",book-margin=100%,seed=2")


def test_a_book_keeps_out_of_what_is_excluded(gomoku_book: Path, tmp_path: Path) -> None:
    game = registry.get("gomoku-9")
    position = game.play_line(game.parse_line("e5"))
    with BookReader(gomoku_book) as reader:
        entry = reader.get(game, position)
    assert entry is not None
    first, second = (game.format_move(known.move) for known in entry.moves[:2])
    prepared = tmp_path / "prepared.txt"

    def key(line: str) -> Key:
        return game.canonical(game.play_line(game.parse_line(line))).key

    def choice_without(*lines: str, turned: int = 0) -> Key:
        prepared.write_text("\n".join(lines))
        text = f"engine:book={gomoku_book},exclude={prepared},nodes=1"
        with closing(make_player(text, game, LIMITS)) as player:
            line = [game.map_move(move, turned) for move in game.parse_line("e5")]
            after = game.play_line(line)
            return game.canonical(game.play(after, player.choose(after).move)).key

    assert choice_without("a1 # somewhere else") == key(f"e5 {first}")
    assert choice_without(f"e5 {first}") == key(f"e5 {second}")
    assert choice_without(f"e5 {first}", turned=3) == key(f"e5 {second}")


def test_where_all_of_a_book_is_excluded_the_engine_searches(
    gomoku_book: Path, tmp_path: Path
) -> None:
    game = registry.get("gomoku-9")
    prepared = tmp_path / "prepared.txt"
    lines = (
        "e5 " + game.format_move(move) for move in game.legal_moves(game.initial) if move != 40
    )
    prepared.write_text("\n".join(lines))
    text = f"engine:book={gomoku_book},exclude={prepared},nodes=500"
    with closing(make_player(text, game, LIMITS)) as player:
        after = game.play_line(game.parse_line("e5"))
        assert player.choose(after) == EnginePlayer(game, Limits(nodes=500)).choose(after)


def test_no_proven_win_is_kept_out_of(tmp_path: Path) -> None:
    game = registry.get(GAME_ID)
    prepared = tmp_path / "prepared.txt"
    prepared.write_text(OPEN_FOUR)
    text = f"engine:book={proven_book(tmp_path / 'book.db')},exclude={prepared}"
    with closing(make_player(text, game, LIMITS)) as player:
        chosen = player.choose(game.play_line(game.parse_line(OPEN_THREE)))
    assert game.format_move(chosen.move) == OPEN_FOUR.split()[-1]


def test_a_file_of_what_is_excluded_names_its_bad_line(gomoku_book: Path, tmp_path: Path) -> None:
    prepared = tmp_path / "prepared.txt"
    prepared.write_text("e5\nz99\n")
    text = f"engine:book={gomoku_book},exclude={prepared}"
    with pytest.raises(FivebookError, match="line 2"):
        make_player(text, registry.get("gomoku-9"), LIMITS)

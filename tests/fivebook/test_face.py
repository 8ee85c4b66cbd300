"""The Python face: ``import fivebook``."""

import copy
import doctest
import inspect
import pickle
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

import fivebook
from book.reader import BookReader
from book.storage.address import AnyAddress
from engine import registry
from engine.game import Game
from engine.search import Limits, SearchOptions
from fivebook import _book, _games, _proofs, _search
from precompute.builder import Builder, BuildOptions
from precompute.modes.explore import Explore
from service.live import LiveSearches
from tests.book.handmade import OPEN_FOUR, OPEN_THREE, proven_book

ROOT = Path(__file__).parents[2]
DOCUMENT = ROOT / "docs" / "python.md"
# Dark completes its second row of five with i8.
FINISHED = "d4 a1 e4 a2 f4 a3 g4 a5 h4"


def grow(place: AnyAddress, game_id: str, positions: int, nodes: int = 300) -> None:
    options = BuildOptions(registry.get(game_id), Explore(positions), Limits(nodes=nodes))
    Builder(place, options).run()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where there is the book of the examples, made as the document says, and one of two games."""
    folder = tmp_path_factory.mktemp("face")
    (command,) = re.findall(r"^fivebook (build .*)$", DOCUMENT.read_text(), re.MULTILINE)
    arguments = [sys.executable, "-m", "fivebook", *command.split()]
    subprocess.run(arguments, cwd=folder, check=True, capture_output=True)
    for game_id in ("gomoku-9", "pentago-swap"):
        grow(folder / "both.db", game_id, 20)
    return folder


@pytest.fixture
def both(folder: Path) -> Iterator[fivebook.Book]:
    with fivebook.open_book(folder / "both.db") as book:
        yield book


@pytest.fixture(scope="module")
def gomoku(folder: Path) -> Iterator[fivebook.Book]:
    with fivebook.open_book(folder / "gomoku.db") as book:
        yield book


def examples_hold(examples: doctest.DocTest) -> None:
    failures: list[str] = []
    doctest.DocTestRunner(optionflags=doctest.REPORT_NDIFF).run(examples, out=failures.append)
    assert not failures, "".join(failures)


@pytest.mark.parametrize("module", [fivebook, _book, _games, _proofs, _search])
def test_the_examples_in_docstrings_run(
    module: ModuleType, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    found = doctest.DocTestFinder().find(module)
    examples = [each for each in found if each.examples]
    assert examples
    for each in examples:
        examples_hold(each)


@pytest.mark.parametrize(
    "function",
    [fivebook.open_book, fivebook.search, fivebook.prove, fivebook.games, fivebook.game],
)
def test_every_function_has_an_example(function: object) -> None:
    assert ">>> " in (inspect.getdoc(function) or "")


def test_the_examples_of_the_document_run(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    blocks = re.findall(r"^```python\n(.*?)^```$", DOCUMENT.read_text(), re.MULTILINE | re.DOTALL)
    assert len(blocks) > 5
    parser = doctest.DocTestParser()
    examples_hold(parser.get_doctest("".join(blocks), {}, DOCUMENT.name, str(DOCUMENT), 0))


def test_the_import_loads_no_compiler_no_database_and_no_server() -> None:
    program = "import sys, fivebook\nprint(*{name.split('.')[0] for name in sys.modules})"
    run = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True
    )
    loaded = set(run.stdout.split())
    assert "fivebook" in loaded
    heavy = {"numba", "numpy", "sqlalchemy", "flask", "click", "rich", "precompute"}
    assert not loaded & heavy


def test_the_public_names_are_sorted_and_there() -> None:
    assert fivebook.__all__ == sorted(fivebook.__all__)
    assert [name for name in fivebook.__all__ if not hasattr(fivebook, name)] == []
    assert "cli" not in fivebook.__all__


def test_the_docstring_draws_the_tree_of_errors() -> None:
    """With every class below its base, and beside it the builtin error that it also is."""
    drawn: dict[str, tuple[str, str | None]] = {}
    above: list[str] = []
    assert fivebook.__doc__
    for line in fivebook.__doc__.splitlines():
        match = re.match(r"    ([│ ]*)[├└]── (\w+)(?: \((\w+)\))?", line)
        if match:
            depth = len(match[1]) // 4
            above[depth:] = [match[2]]
            drawn[match[2]] = (above[depth - 1] if depth else "FivebookError", match[3])
    errors = {
        name: cls
        for name in fivebook.__all__
        if isinstance(cls := getattr(fivebook, name), type) and issubclass(cls, Exception)
    }
    assert set(drawn) | {"FivebookError"} == set(errors)
    for name, (base, builtin) in drawn.items():
        names = [each.__name__ for each in errors[name].__bases__]
        assert names == [base, *filter(None, [builtin])]


def every_orientation(game: Game, line: str) -> Iterator[tuple[int, str]]:
    for symmetry in game.symmetries:
        moves = [game.map_move(move, symmetry) for move in game.parse_line(line)]
        yield symmetry, game.format_line(moves)


@pytest.mark.parametrize("line", ["", "h8", "h8 i9", "h8 i8"])
def test_a_lookup_gives_what_the_reader_gives_in_the_orientation_asked_about(
    gomoku: fivebook.Book, folder: Path, line: str
) -> None:
    game = registry.get("gomoku-15")
    with BookReader(folder / "gomoku.db") as reader:
        for _, turned in every_orientation(game, line):
            entry = gomoku.lookup(turned, lines=2)
            stored = reader.find(game, game.play_line(game.parse_line(turned)), lines=2)
            assert (entry.game, entry.value, entry.bound) == (game.id, stored.value, stored.bound)
            assert (entry.proven, entry.depth, entry.nodes, entry.seconds) == (
                stored.proven,
                stored.depth,
                stored.nodes,
                stored.seconds,
            )
            for known, move in zip(entry.moves, stored.moves, strict=True):
                assert known.move.number == move.move
                assert known.move == game.format_move(move.move)
                assert known.line == tuple(map(game.format_move, move.line))
                assert [each.number for each in known.line] == list(move.line)
                assert (known.value, known.bound, known.proven, known.depth, known.in_book) == (
                    move.value,
                    move.bound,
                    move.proven,
                    move.depth,
                    move.in_book,
                )
            assert entry.best == entry.moves[0].move == gomoku.best(turned)
            assert entry.line == entry.moves[0].line


def test_moves_may_be_a_text_or_a_list_of_notations_and_numbers(gomoku: fivebook.Book) -> None:
    texts = gomoku.lookup("h8, I9")
    assert texts == gomoku.lookup(["h8", "i9"]) == gomoku.lookup([112, 128])
    assert texts == gomoku.lookup(iter(["h8", 128]))
    reply = next(known.move for known in gomoku.lookup("h8").moves if known.in_book)
    assert gomoku.best(["h8", reply]) == gomoku.best(f"h8 {reply}") == gomoku.best([112, reply])


@pytest.mark.parametrize("move", ["p9", "h", "", -1, 225])
def test_what_is_no_move_is_named(gomoku: fivebook.Book, move: str | int) -> None:
    with pytest.raises(fivebook.InvalidMove, match=re.escape(f"{move}" or "''")):
        gomoku.lookup(["h8", move])


def test_a_move_keeps_its_number_through_copies(gomoku: fivebook.Book) -> None:
    move = gomoku.best("h8 i9")
    for again in (copy.deepcopy(move), pickle.loads(pickle.dumps(move))):
        assert (again, again.number) == (move, move.number)


def test_a_proven_value_has_its_distance(tmp_path: Path) -> None:
    with fivebook.open_book(proven_book(tmp_path / "proven.db")) as book:
        won, lost = book.lookup(OPEN_THREE), book.lookup(OPEN_FOUR)
    assert (won.proven, won.value, won.distance) == (True, 29_997, 3)
    assert (won.moves[0].proven, won.moves[0].distance) == (True, 3)
    assert (lost.proven, lost.value, lost.distance) == (True, -29_998, 2)


def test_an_estimate_has_no_distance(gomoku: fivebook.Book) -> None:
    entry = gomoku.lookup("h8")
    assert (entry.proven, entry.distance, entry.moves[0].distance) == (False, None, None)


def test_a_book_of_several_games_asks_for_the_game(both: fivebook.Book) -> None:
    assert both.games == ("gomoku-9", "pentago-swap")
    assert both.positions() == both.positions("gomoku-9") + both.positions("pentago-swap") == 40
    with pytest.raises(fivebook.GameNotNamed, match="holds gomoku-9 and pentago-swap"):
        both.lookup()
    assert both.lookup(game="pentago-swap").game == "pentago-swap"
    assert re.fullmatch("[a-f][1-6]:[1-4][1-4]", both.best(game="pentago-swap"))
    with pytest.raises(fivebook.UnknownGame, match="gomoku-3"):
        both.best(game="gomoku-3")


@pytest.mark.parametrize(
    ("moves", "sentence"),
    [
        ("a1 i9 a9", "' does not hold gomoku-9 after 'a1 i9 a9'"),
        (FINISHED, f"' does not hold gomoku-9 after '{FINISHED}'"),
    ],
)
def test_a_position_that_is_not_stored_is_named(
    both: fivebook.Book, moves: str, sentence: str
) -> None:
    for ask in (both.lookup, both.best):
        with pytest.raises(fivebook.PositionNotFound) as failure:
            ask(moves, game="gomoku-9")
        assert str(failure.value).endswith(sentence)
    assert both.get(moves, game="gomoku-9") is None
    assert both.get(moves, "nothing", game="gomoku-9") == "nothing"
    entry = both.get("", "nothing", game="gomoku-9")
    assert isinstance(entry, fivebook.BookEntry)


def test_a_game_that_the_book_does_not_hold_is_not_found(both: fivebook.Book) -> None:
    with pytest.raises(fivebook.PositionNotFound, match="gomoku-11 with an empty board"):
        both.lookup(game="gomoku-11")


def test_a_move_that_cannot_be_played_is_refused_by_all(both: fivebook.Book) -> None:
    for ask in (both.lookup, both.get, both.best):
        with pytest.raises(fivebook.IllegalMove, match="'e5': the cell is taken"):
            ask("e5 e5", game="gomoku-9")
    with pytest.raises(fivebook.IllegalMove, match="the game is over"):
        both.get(f"{FINISHED} i9", game="gomoku-9")


def test_a_book_is_read_wherever_it_is(place: AnyAddress) -> None:
    grow(place, "gomoku-7", 5)
    with fivebook.open_book(place if isinstance(place, Path) else str(place)) as book:
        assert book.positions() == 5
        assert book.lookup().best == book.best()
        assert str(place) in repr(book) or book.address in repr(book)


def test_what_is_no_book_is_told(tmp_path: Path) -> None:
    with pytest.raises(fivebook.BookMissing, match=r"missing\.db"):
        fivebook.open_book(tmp_path / "missing.db")
    other = tmp_path / "other.txt"
    other.write_text("no book\n" * 1000)
    with pytest.raises(fivebook.NotABook, match=r"other\.txt"):
        fivebook.open_book(other)
    with pytest.raises(fivebook.NoAddress, match="mysql"):
        fivebook.open_book("mysql://somewhere/book")


QUIET = "e5 d6 f7 d4"


def test_a_search_is_that_of_the_service_in_any_orientation() -> None:
    game = registry.get("gomoku-9")
    searches = LiveSearches(at_once=1, waiting=0, options=SearchOptions())
    values = set()
    for _, turned in every_orientation(game, QUIET):
        found = fivebook.search(game.id, turned, nodes=2_000, lines=2)
        position = game.play_line(game.parse_line(turned))
        results = searches.search_lines(game, position, Limits(nodes=2_000), 2)
        for line, result in zip(found.lines, results, strict=True):
            assert line.move.number == result.move
            assert line.line == tuple(map(game.format_move, result.line))
            assert (line.value, line.bound, line.proven) == (
                result.value,
                result.bound,
                result.proven,
            )
            assert (line.depth, line.distance) == (result.depth, result.distance)
        best = found.lines[0]
        assert (found.best, found.value, found.bound, found.proven) == (
            best.move,
            best.value,
            best.bound,
            best.proven,
        )
        assert (found.depth, found.distance, found.line) == (best.depth, best.distance, best.line)
        assert found.nodes == sum(result.nodes for result in results)
        values.add(found.value)
    assert len(values) == 1


def test_a_search_sees_a_win_and_how_far_it_is() -> None:
    found = fivebook.search("gomoku-9", OPEN_THREE, depth=4)
    assert (found.proven, found.distance, found.value) == (True, 3, 29_997)
    assert found.best in {"d5", "h5"}
    assert found.seconds > 0


def test_a_search_within_a_time_ends() -> None:
    found = fivebook.search("pentago-swap", movetime=0.02)
    assert found.depth >= 1
    assert found.game == "pentago-swap"


@pytest.mark.parametrize(
    ("options", "error", "sentence"),
    [
        ({}, fivebook.InvalidLimits, "a search needs a limit"),
        ({"nodes": 0}, fivebook.InvalidLimits, "nodes must be greater than zero"),
        ({"depth": 1, "lines": 0}, fivebook.InvalidOptions, "lines must be 1 or more"),
        ({"depth": 1, "threads": 0}, fivebook.InvalidOptions, "threads must be from 1"),
        ({"depth": 1, "moves": FINISHED}, fivebook.GameOver, f"over after '{FINISHED}': dark wins"),
        ({"depth": 1, "moves": "e5 e5"}, fivebook.IllegalMove, "the cell is taken"),
        ({"depth": 1, "moves": "z9"}, fivebook.InvalidMove, "'z9'"),
        ({"depth": 1, "game": "chess"}, fivebook.UnknownGame, "unknown game 'chess'"),
    ],
)
def test_what_cannot_be_searched_is_told(
    options: dict[str, object], error: type[Exception], sentence: str
) -> None:
    with pytest.raises(error, match=re.escape(sentence)):
        fivebook.search(**{"game": "gomoku-9", **options})  # type: ignore[arg-type]


def test_a_proof_tells_who_wins_and_how() -> None:
    win = fivebook.prove("gomoku-9", OPEN_THREE, nodes=10_000)
    assert (win.result, win.wins, win.distance) == ("win", True, 3)
    assert len(win.line) == 3
    assert win.line[0].number == registry.get("gomoku-9").parse_move(win.line[0])
    loss = fivebook.prove("gomoku-9", OPEN_FOUR, nodes=10_000)
    assert (loss.result, loss.loses, loss.distance) == ("loss", True, 2)


def test_one_side_alone_can_be_asked_about() -> None:
    dark = fivebook.prove("gomoku-9", OPEN_THREE, side="dark", nodes=10_000)
    assert (dark.result, dark.wins, dark.loses) == ("win", True, None)
    light = fivebook.prove("gomoku-9", OPEN_THREE, side="light", nodes=10_000)
    assert (light.result, light.wins, light.loses) == ("open", None, False)


def test_a_drawn_game_is_a_draw() -> None:
    assert fivebook.prove("gomoku-5").result == "draw"


def test_a_proof_within_some_plies_says_what_is_ruled_out() -> None:
    proof = fivebook.prove("pentago-swap", "a1:12", side="dark", within=8)
    assert (proof.result, proof.no_loss_within) == ("open", 8)


@pytest.mark.parametrize(
    ("options", "error", "sentence"),
    [
        ({"within": 5}, fivebook.NotProvable, "a limit of plies needs a prover"),
        ({"nodes": 0}, fivebook.InvalidOptions, "nodes must be 1 or more"),
        ({"memory": 0}, fivebook.InvalidOptions, "memory must be 1 or more"),
        ({"side": "white"}, fivebook.InvalidOptions, "side must be 'dark' or 'light', not 'white'"),
        ({"moves": FINISHED}, fivebook.GameOver, "dark wins"),
    ],
)
def test_what_cannot_be_proven_is_told(
    options: dict[str, object], error: type[Exception], sentence: str
) -> None:
    with pytest.raises(error, match=re.escape(sentence)):
        fivebook.prove(**{"game": "gomoku-9", **options})  # type: ignore[arg-type]


def test_every_family_of_games_is_listed() -> None:
    assert fivebook.games() == registry.families()
    for family in fivebook.games():
        for game_id in family.examples:
            assert fivebook.game(game_id).id == game_id

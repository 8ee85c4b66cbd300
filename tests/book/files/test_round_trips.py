"""What is written is read back, as far as each format can hold it."""

from dataclasses import replace
from io import BytesIO

import pytest
from hypothesis import given
from hypothesis import strategies as st

from book.files.contents import Noted, Request, Results
from book.files.format import Writing
from book.files.formats import formats
from book.rows.imports import canonical_noted
from book.whole.writing import Trees
from engine import registry
from engine.game import Game
from engine.values import HEURISTIC_MAX, WIN, Bound
from tests.engine.samples import positions
from tests.examples import examples

GAME_IDS = ("gomoku-5", "gomoku-9-renju", "gomoku-15", "pentago-swap", "connect-four-7x6")
ANY_GAME = ("sgf", "txt", "boards")
FITTING = [(form, game_id) for form in ANY_GAME for game_id in GAME_IDS] + [
    (form, game_id) for form in ("lib", "rapfi-db") for game_id in GAME_IDS[:3]
]
WORDS = st.text(st.characters(codec="utf-8", exclude_characters="\0\r\x08"), max_size=30)


def values(even: bool) -> st.SearchStrategy[int]:
    """Values of a search, and claimed wins and losses."""
    estimates = st.integers(-6000, 6000).map(lambda half: 2 * half if even else half)
    wins = st.integers(WIN - 400, WIN - 1)
    return st.one_of(estimates, wins, wins.map(int.__neg__))


@st.composite
def said(draw: st.DrawFn, game: Game) -> Noted:
    """What a file might say of a random position."""
    where = draw(positions(game))
    wins = draw(st.tuples(*[st.integers(0, 5)] * 3))
    results = Results(sum(wins) + draw(st.integers(0, 2)), *wins)
    value = draw(st.none() | values(even=True))
    return Noted(
        game,
        where,
        value=value,
        bound=None if value is None else draw(st.none() | st.sampled_from(Bound)),
        depth=0 if value is None else draw(st.integers(0, 200)),
        label=draw(st.sampled_from(["", "", "w", "l", "d", "x"])),
        comment=draw(WORDS).strip(),
        results=results if results.games else Results(),
    )


def as_held(form: str, noted: Noted) -> Noted:
    """What is left of `noted` in a format."""
    if form == "boards":
        value = (
            None if noted.value is None else max(-HEURISTIC_MAX, min(HEURISTIC_MAX, noted.value))
        )
        return Noted(noted.game, noted.position, value=value)
    return replace(noted, results=Results()) if form == "rapfi-db" else noted


def read_back(form: str, game: Game, noted: dict[bytes, Noted]) -> dict[bytes, Noted]:
    """What is read, by canonical stones, where `noted` is written."""
    trees, file = Trees(game, noted), BytesIO()
    known = formats()[form]
    assert known.write is not None
    writing = Writing(game, trees.nodes, lambda: iter(noted.values()))
    known.write(writing, file)
    request = Request(game=game)
    found = list(known.read(BytesIO(file.getvalue()), request))
    assert not request.left_out.counts
    assert not writing.left_out.counts
    assert all(isinstance(item, Noted) for item in found)
    return dict(canonical_noted(game, item) for item in found if isinstance(item, Noted))


@pytest.mark.parametrize(("form", "game_id"), FITTING)
@examples(25)
@given(data=st.data())
def test_a_tree_that_is_written_is_read_back(form: str, game_id: str, data: st.DataObject) -> None:
    game = registry.get(game_id)
    noted = data.draw(st.lists(said(game), min_size=1, max_size=6))
    before = dict(canonical_noted(game, each) for each in noted)
    assert read_back(form, game, before) == {
        stones: as_held(form, each) for stones, each in before.items()
    }

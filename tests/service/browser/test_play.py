"""What a visitor does who plays."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.service.browser.conftest import Visit
from tests.service.browser.visitors import cell, moves_of, wait_for_moves, wait_for_text


def start(page: Any, **wanted: str) -> None:
    """Begin a game with these settings."""
    for name, value in wanted.items():
        page.locator(f"#play-{name}").select_option(value)
    page.get_by_role("button", name="Start the game").click()


@pytest.mark.parametrize("game", ["gomoku-9", "gomoku-15-renju"])
def test_a_visitor_plays_the_engine_and_takes_a_move_back(visit: Visit, game: str) -> None:
    page = visit(f"#game={game}&mode=play")
    start(page, movetime="100")
    cell(page, "e5").click()
    wait_for_moves(page, 2)
    wait_for_text(page, "#play .headline", "Your turn, Dark")
    page.get_by_role("button", name="Take back").click()
    assert moves_of(page) == []
    wait_for_text(page, "#play .headline", "Your turn, Dark")


def test_a_service_that_is_busy_is_asked_again(visit: Visit) -> None:
    page = visit("#game=gomoku-9&mode=play")
    busy = {"detail": "too busy: ask again later"}
    page.route(
        "**/api/v1/position*",
        lambda route: route.fulfill(status=503, headers={"Retry-After": "1"}, json=busy),
        times=1,
    )
    start(page, movetime="100")
    cell(page, "e5").click()
    wait_for_text(page, "#problem", "too busy: ask again later")
    wait_for_moves(page, 2)
    page.wait_for_selector("#problem", state="hidden")


def test_the_engine_begins_where_the_visitor_is_light(visit: Visit) -> None:
    page = visit("#game=pentago-swap&mode=play")
    start(page, side="light", movetime="100")
    wait_for_moves(page, 1)
    wait_for_text(page, "#play .headline", "Your turn, Light")


def test_a_hint_is_given_and_the_game_resigned(visit: Visit) -> None:
    page = visit("#game=gomoku-15&mode=play")
    start(page)
    page.get_by_role("button", name="Hint").click()
    wait_for_text(page, "#play", "Hint: h8")
    assert page.locator(".hint").count() == 1
    cell(page, "h8").click()
    wait_for_moves(page, 2)
    wait_for_text(page, "#play .headline", "Your turn, Dark")
    page.get_by_role("button", name="Resign").click()
    wait_for_text(page, "#play .headline", "Dark resigns. Light has won")


def test_two_people_play_and_the_losing_move_is_marked(visit: Visit) -> None:
    page = visit("#game=gomoku-9&mode=play")
    start(page, opponent="people")
    for name in ("e5", "a1", "d5", "i1", "c5", "i9", "f5", "a9", "g5"):
        cell(page, name).click()
    wait_for_text(page, "#play .headline", "Dark has won")
    wait_for_text(page, "#play", "Light lost it with move")
    assert page.locator("#moves b").count() == 1
    assert page.locator("#chart .dot-marked").count() == 1


def test_swap2_is_played_against_the_engine(visit: Visit) -> None:
    page = visit("#game=gomoku-9&mode=play")
    start(page, side="swap2-engine", movetime="100")
    wait_for_moves(page, 3)
    page.get_by_role("button", name="Put two more").click()
    free = page.locator("[role=gridcell]:not(.taken)")
    free.nth(3).click()
    wait_for_moves(page, 4)
    free.nth(40).click()
    # The engine chooses its colour; if that is light, it moves.
    page.wait_for_selector("#play .headline:has-text('Your turn')")
    if len(moves_of(page)) == 5:
        wait_for_text(page, "#play .headline", "Your turn, Light")
    else:
        wait_for_text(page, "#play .headline", "Your turn, Dark")


def test_swap2_is_opened_by_the_visitor(visit: Visit) -> None:
    page = visit("#game=gomoku-9&mode=play")
    start(page, side="swap2-you", movetime="100")
    cell(page, "a1").click()
    page.get_by_role("button", name="Put them for even chances").click()
    wait_for_moves(page, 3)
    page.wait_for_selector(
        "#play .headline:has-text('Your turn'), #play .headline:has-text('choose a colour')"
    )
    if page.get_by_role("button", name="Play Light").count():
        page.get_by_role("button", name="Play Light").click()
        page.wait_for_selector("#play .headline:has-text('Your turn, Light')")


def test_by_swap_there_are_colours_to_choose_and_no_more_stones(visit: Visit) -> None:
    page = visit("#game=gomoku-9&mode=play")
    start(page, side="swap-engine", movetime="100")
    wait_for_moves(page, 3)
    page.get_by_role("button", name="Play Light").wait_for()
    assert page.get_by_role("button", name="Put two more").count() == 0
    page.get_by_role("button", name="Play Dark").click()
    wait_for_moves(page, 4)
    wait_for_text(page, "#play .headline", "Your turn, Dark")


def test_an_opening_of_renju_lies_around_the_centre(visit: Visit) -> None:
    page = visit("#game=gomoku-9-renju&mode=play")
    start(page, opponent="people", side="rif-people")
    wait_for_text(page, "#play .headline", "dark on the centre")
    for name in ("a1", "e5", "e7", "e6", "h5", "g7"):
        cell(page, name).click()
    wait_for_text(page, "#play .headline", "The second player: choose a colour")
    assert moves_of(page) == ["e5", "e6", "g7"]


def test_the_engine_puts_an_opening_of_renju(visit: Visit) -> None:
    page = visit("#game=gomoku-15-renju&mode=play")
    start(page, side="rif-engine", movetime="100")
    wait_for_moves(page, 3)
    assert moves_of(page)[0] == "h8"


def test_openings_of_renju_are_offered_for_renju_alone(visit: Visit) -> None:
    page = visit("#game=gomoku-9&mode=play")
    values = page.locator("#play-side option").evaluate_all("all => all.map(each => each.value)")
    assert "swap-you" in values
    assert not [value for value in values if value.startswith("rif")]


def test_two_people_share_out_the_colours(visit: Visit) -> None:
    page = visit("#game=gomoku-9&mode=play")
    start(page, opponent="people", side="swap2-people")
    for name in ("e5", "d4", "f6"):
        cell(page, name).click()
    wait_for_text(page, "#play .headline", "The second player: choose a colour")
    cell(page, "a1").click()
    assert len(moves_of(page)) == 3
    page.get_by_role("button", name="Play Dark").click()
    wait_for_text(page, "#play", "The second player: chose Dark")
    cell(page, "a1").click()
    assert len(moves_of(page)) == 4


def test_a_game_is_saved_and_loaded_as_sgf(visit: Visit, tmp_path: Path) -> None:
    page = visit("#game=gomoku-15-renju&moves=h8,i9,j10,a1")
    with page.expect_download() as started:
        page.get_by_role("button", name="Save as SGF").click()
    saved = tmp_path / started.value.suggested_filename
    started.value.save_as(saved)
    assert "GM[4]" in saved.read_text()
    again = visit("#game=pentago-swap")
    again.set_input_files("#file", saved)
    wait_for_moves(again, 4)
    assert moves_of(again) == ["h8", "i9", "j10", "a1"]
    assert "game=gomoku-15-renju" in again.url


def test_what_is_wrong_with_a_file_is_told_in_words(
    visit: Visit, sgf_file: Callable[[str], Path]
) -> None:
    page = visit("#game=gomoku-9")
    page.set_input_files("#file", sgf_file("(;FF[4]GM[1]SZ[19])"))
    wait_for_text(page, "#problem", "game.sgf cannot be opened: it is not a game of Gomoku")

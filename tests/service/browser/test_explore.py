"""What a visitor does who explores."""

import re
from typing import Any

import pytest

from tests.service.browser.conftest import Visit
from tests.service.browser.visitors import (
    cell,
    moves_of,
    wait_for_answer,
    wait_for_moves,
    wait_for_text,
)

# Plies to the end of the shipped win once the first stone lies.
AFTER_H8 = 56

_KEEP_ANIMATIONS = """() => {
  window.animations = [];
  const animate = Element.prototype.animate;
  Element.prototype.animate = function (...given) {
    animations.push(animate.apply(this, given));
    return animations.at(-1);
  };
}"""

LOOKS = pytest.mark.parametrize(("scheme", "width"), [("light", 1280), ("dark", 360)])


@LOOKS
@pytest.mark.parametrize(
    ("game", "moves"),
    [("gomoku-15", "h8"), ("gomoku-15-renju", ""), ("pentago-swap", "b2:12")],
)
def test_a_visitor_sees_the_known_moves_with_their_values(
    visit: Visit, game: str, moves: str, scheme: str, width: int
) -> None:
    page = visit(f"#game={game}&moves={moves}", width=width, scheme=scheme)
    wait_for_answer(page)
    assert page.locator(".mark.first").count() >= 1
    assert page.locator("#known tbody tr").count() >= 1
    assert page.locator("#mainline button").count() >= 1
    assert page.locator(".badge").inner_text() in {"Proved", "Book"}
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_values_are_sorted_best_first(visit: Visit) -> None:
    page = visit("#game=gomoku-9")
    wait_for_answer(page)
    texts = page.locator("#known tbody .value").all_inner_texts()
    values = [int(re.sub(r"\D", "", text)) for text in texts]
    assert values == sorted(values, reverse=True)
    assert len(values) > 1


def test_the_moves_of_a_proof_tell_their_distance_and_all_that_are_alike(visit: Visit) -> None:
    page = visit("#game=gomoku-15&moves=h8")
    wait_for_answer(page)
    assert page.locator(".headline").first.inner_text() == f"Dark wins within {AFTER_H8} moves"
    assert page.locator(".mark").count() == 224
    assert page.locator(".mark.first").all_text_contents() == [f"L{AFTER_H8}"] * 4


def test_the_rest_is_drawn_as_the_best_of_all_others(visit: Visit) -> None:
    page = visit("#game=gomoku-9")
    wait_for_answer(page)
    assert page.locator(".mark.rest").count() >= 1
    assert page.get_by_text("best of all others").count() == 1


def test_forbidden_points_are_crossed_out_and_refused_in_words(visit: Visit) -> None:
    page = visit("#game=gomoku-15-renju&moves=f8,a1,g8,o1,h9,a15,h10,o15")
    wait_for_answer(page)
    assert page.locator("path.forbidden").count() == 1
    page.get_by_role("gridcell", name="h8: forbidden to Dark").click()
    wait_for_text(page, "#problem", "h8 is forbidden to Dark")
    assert len(moves_of(page)) == 8


def test_pointing_at_a_move_shows_its_line(visit: Visit) -> None:
    page = visit("#game=gomoku-15&moves=h8")
    wait_for_answer(page)
    page.locator("#known tbody tr").first.hover()
    assert page.locator(".ghost").count() >= 2
    assert page.locator(".mark").count() == 0


def test_a_visitor_plays_a_line_goes_back_and_jumps(visit: Visit) -> None:
    page = visit("#game=gomoku-9")
    for name in ("e5", "f6", "d4"):
        cell(page, name).click()
    assert moves_of(page) == ["e5", "f6", "d4"]
    page.go_back()
    assert moves_of(page) == ["e5", "f6"]
    page.go_forward()
    assert moves_of(page) == ["e5", "f6", "d4"]
    page.get_by_role("button", name="To the start").click()
    assert page.locator(".stone:not(.ghost)").count() == 0
    page.locator("#moves button", has_text="f6").click()
    assert page.locator(".stone:not(.ghost)").count() == 2
    page.get_by_role("button", name="One move forward").click()
    assert page.locator(".stone:not(.ghost)").count() == 3


def test_a_move_of_the_table_and_of_the_main_line_is_played(visit: Visit) -> None:
    page = visit("#game=gomoku-15")
    wait_for_answer(page)
    page.locator("#known tbody button").first.click()
    assert moves_of(page) == ["h8"]
    wait_for_text(page, ".headline", f"within {AFTER_H8}")
    line = page.locator("#mainline button").all_inner_texts()
    page.locator("#mainline button").nth(2).click()
    assert moves_of(page) == ["h8", *line[:3]]


def test_a_link_is_shared_and_opened_again(visit: Visit, site: str) -> None:
    page = visit("#game=gomoku-9", permissions=("clipboard-read", "clipboard-write"))
    cell(page, "e5").click()
    cell(page, "c3").click()
    page.get_by_role("button", name="Copy a link").click()
    wait_for_text(page, "#shared", "copied")
    link = page.evaluate("navigator.clipboard.readText()")
    again = visit(link.removeprefix(f"{site}/"))
    assert moves_of(again) == ["e5", "c3"]
    assert again.locator("#family").input_value() == "gomoku"


def test_the_board_is_turned_and_mirrored(visit: Visit) -> None:
    page = visit("#game=gomoku-9&moves=a1")

    def corner() -> tuple[bool, bool]:
        """Whether a1 is at the left, and at the top."""
        stone, board = cell(page, "a1").bounding_box(), page.locator(".board").bounding_box()
        return stone["x"] < board["x"] + 99, stone["y"] < board["y"] + 99

    assert corner() == (True, False)
    page.get_by_role("button", name="Mirror the board").click()
    assert corner() == (False, False)
    page.get_by_role("button", name="Turn the board").click()
    assert corner() == (True, False)
    page.get_by_role("button", name="Turn the board").click()
    assert corner() == (True, True)
    assert moves_of(page) == ["a1"]


def test_numbers_and_coordinates_are_shown_or_not(visit: Visit) -> None:
    page = visit("#game=gomoku-9&moves=e5,f6")
    assert page.locator(".coordinate").count() == 18
    page.get_by_label("Coordinates").uncheck()
    assert page.locator(".coordinate").count() == 0
    page.get_by_label("Numbers").check()
    assert page.locator(".stone .number").all_text_contents() == ["1", "2"]


def test_a_finished_game_shows_its_row(visit: Visit) -> None:
    page = visit("#game=gomoku-9&moves=e5,a1,d5,a2,c5,b9,f5,c9,g5")
    wait_for_answer(page)
    assert page.locator(".winning").count() == 5
    assert page.locator(".headline").first.inner_text() == "Dark has won"


def test_a_live_answer_is_reached_and_deepens(visit: Visit) -> None:
    page = visit("#game=gomoku-19")
    page.evaluate(
        """() => {
            window.told = new Set();
            const verdict = document.querySelector('#verdict');
            const note = () => window.told.add(verdict.querySelector('.source')?.innerText);
            new MutationObserver(note).observe(verdict, { childList: true });
        }"""
    )
    cell(page, "k10").click()
    cell(page, "l11").click()
    wait_for_answer(page)
    assert page.locator(".badge").inner_text() == "Live"
    told = page.evaluate("[...window.told].filter(Boolean)")
    depths = {int(match[1]) for text in told if (match := re.search(r"(\d+) moves deep", text))}
    assert len(depths) >= 2


def test_an_opening_is_called_by_its_name(visit: Visit) -> None:
    page = visit("#game=gomoku-15-renju&moves=h8,i9,j10,a1")
    wait_for_text(page, ".opening", "Opening 1I, Chosei")


@pytest.mark.parametrize(
    ("address", "sentence"),
    [
        ("#game=chess", "unknown game 'chess'"),
        ("#game=gomoku-9&moves=e5,z9", "'z9' is no cell of gomoku-9"),
        ("#game=gomoku-9&moves=e5,e5", "illegal move 'e5' in gomoku-9 after 'e5'"),
        ("#game=pentago-swap&moves=b2", "'b2' is no move of pentago-swap"),
    ],
)
def test_what_is_wrong_with_an_address_is_told_in_words(
    visit: Visit, address: str, sentence: str
) -> None:
    page = visit(address)
    wait_for_text(page, "#problem", sentence)


def test_a_service_that_is_away_is_told_in_words(visit: Visit) -> None:
    page = visit("#game=gomoku-9")
    page.context.set_offline(True)
    cell(page, "a1").click()
    wait_for_text(page, "#problem", "The service cannot be reached")
    page.context.set_offline(False)


@pytest.mark.parametrize("width", [360, 1280])
def test_quadrants_are_swapped_after_the_stone(visit: Visit, width: int) -> None:
    page = visit("#game=pentago-swap", width=width)
    press = "tap" if width < 600 else "click"
    getattr(cell(page, "b2"), press)()
    wait_for_text(page, "#turns", "change places")
    # Any cell stands for its quadrant.
    getattr(cell(page, "a1"), press)()
    assert page.locator(".chosen").count() == 1
    getattr(cell(page, "f6"), press)()
    assert moves_of(page) == ["b2:23"]
    page.get_by_role("gridcell", name="e5: Dark, move 1").wait_for()


def test_quadrants_are_turned_and_flipped_by_their_buttons(visit: Visit) -> None:
    page = visit("#game=pentago-twist", reduced_motion="reduce")
    cell(page, "a1").click()
    page.get_by_role("button", name="Turn quadrant 3 clockwise").click()
    page.get_by_role("gridcell", name="a3: Dark, move 1").wait_for()
    cell(page, "f6").click()
    page.get_by_role("button", name="Flip quadrant 2").click()
    page.get_by_role("gridcell", name="d6: Light, move 2").wait_for()
    assert moves_of(page) == ["a1:3R", "f6:2F"]


def test_the_quadrants_are_seen_to_move(visit: Visit) -> None:
    page = visit("#game=pentago-swap")
    cell(page, "b2").click()
    # They may be at rest again before they are looked at: they are kept as they start.
    page.evaluate(_KEEP_ANIMATIONS)
    page.keyboard.press("1")
    page.keyboard.press("3")
    page.get_by_role("gridcell", name="b5: Dark, move 1").wait_for()
    moved = page.evaluate("animations.map(each => each.effect.target.classList[0])")
    assert moved == ["quadrant", "quadrant"]


def test_a_stone_that_waits_for_its_turn_is_taken_back(visit: Visit) -> None:
    page = visit("#game=pentago-swap")
    cell(page, "b2").click()
    page.keyboard.press("Escape")
    assert page.locator(".stone:not(.ghost)").count() == 0
    assert page.locator("#turns").is_hidden()


def test_stones_fall_to_the_foot_of_their_column(visit: Visit) -> None:
    page = visit("#game=connect-four-7x6")
    cell(page, "d6").click()
    cell(page, "d6").click()
    assert moves_of(page) == ["d1", "d2"]


def test_games_are_chosen_with_their_size_and_rule(visit: Visit) -> None:
    page = visit()
    page.locator("#size").select_option("19")
    page.locator("#rule").select_option("renju")
    assert page.locator("[role=gridcell]").count() == 361
    assert "game=gomoku-19-renju" in page.url
    page.locator("#family").select_option("connect-four")
    page.locator("#width").select_option("5")
    page.locator("#height").select_option("4")
    assert page.locator("[role=gridcell]").count() == 20


def test_everything_is_done_by_keyboard(visit: Visit) -> None:
    page = visit("#game=gomoku-9")
    wait_for_answer(page)
    page.locator("[role=gridcell][tabindex='0']").focus()
    for key in ("Home", "PageDown", "ArrowRight", "ArrowUp", "Enter"):
        page.keyboard.press(key)
    assert moves_of(page) == ["b2"]
    focused = page.evaluate("document.activeElement.getAttribute('aria-label')")
    assert focused == "b2: Dark, move 1"
    page.keyboard.press("ArrowUp")
    page.keyboard.press("Space")
    assert moves_of(page) == ["b2", "b3"]
    page.keyboard.press("Tab")
    page.keyboard.press("ArrowLeft")
    assert page.locator(".stone:not(.ghost)").count() == 1
    page.keyboard.press("End")
    assert page.locator(".stone:not(.ghost)").count() == 2
    page.get_by_role("link", name="Play").focus()
    page.keyboard.press("Enter")
    page.get_by_role("button", name="Start the game").focus()
    page.keyboard.press("Enter")
    page.locator("[role=gridcell][tabindex='0']").focus()
    page.keyboard.press("Enter")
    wait_for_moves(page, 2)


def test_each_answer_is_told_to_a_screen_reader(visit: Visit) -> None:
    page = visit("#game=gomoku-15&moves=h8")
    wait_for_text(page, "#spoken", f"Dark wins within {AFTER_H8} moves. Best move h7")
    labels = page.locator("[role=gridcell]").evaluate_all(
        "cells => cells.map(cell => cell.getAttribute('aria-label'))"
    )
    assert "h8: Dark, move 1" in labels
    assert f"h7: loses within {AFTER_H8}, proved, the best move" in labels


def background(page: Any) -> str:
    return str(page.evaluate("getComputedStyle(document.body).backgroundColor"))


def test_the_scheme_is_changed_and_stays(visit: Visit) -> None:
    page = visit("#game=gomoku-9")
    light = background(page)
    page.get_by_role("button", name="Dark scheme").click()
    dark = background(page)
    assert dark != light
    page.reload()
    assert background(page) == dark
    page.get_by_role("button", name="Light scheme").click()
    assert background(page) == light

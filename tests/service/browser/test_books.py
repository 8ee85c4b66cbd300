"""What a visitor reads about the books."""

import pytest

from tests.service.browser.conftest import Visit
from tests.service.browser.visitors import moves_of, wait_for_moves, wait_for_text
from tests.service.http.test_serve import get


@pytest.mark.parametrize(("scheme", "width"), [("light", 1280), ("dark", 360)])
def test_a_visitor_reads_the_page_of_a_book(
    visit: Visit, missed_position: str, scheme: str, width: int
) -> None:
    page = visit("books/gomoku-9.db", width=width, scheme=scheme)
    assert page.locator(".figures dd").first.inner_text() == "20"
    assert page.locator("svg.chart").count() == 4
    assert page.locator(".runs tbody tr").count() == 1
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.get_by_role("link", name=f"Explore {missed_position}", exact=True).click()
    wait_for_moves(page, 1)
    assert moves_of(page) == [missed_position]


def test_from_the_board_a_visitor_comes_to_all_books(visit: Visit) -> None:
    page = visit()
    page.get_by_role("link", name="Books").click()
    assert page.locator(".cards li").count() == 4
    page.get_by_role("link", name="pentago-swap.db").click()
    wait_for_text(page, ".figures", "100")


def test_a_book_that_is_not_there_is_told_in_words(visit: Visit) -> None:
    page = visit("books/nothing.db")
    wait_for_text(page, "#problem", "No book called nothing.db is served here.")


def test_programs_read_the_same(site: str) -> None:
    book = get(f"{site}/api/v1/books/gomoku-9.db")
    assert book["file"] == "gomoku-9.db"
    (game,) = book["games"]
    assert game["positions"] == sum(layer["positions"] for layer in game["layers"]) == 20
    assert sum(game["proven_chances"]) + sum(game["other_chances"]) == 20
    assert game["runs"][0]["positions"] == 20

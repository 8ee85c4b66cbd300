"""What a visitor does who watches a proof."""

import pytest

from tests.service.browser.conftest import Visit
from tests.service.browser.visitors import cell, moves_of, wait_for_moves, wait_for_text


@pytest.mark.parametrize(
    ("game", "first", "reply"), [("gomoku-15", "h8", "a1"), ("pentago-swap", "b2:12", None)]
)
def test_a_visitor_steps_through_a_proof(
    visit: Visit, game: str, first: str, reply: str | None
) -> None:
    page = visit(f"#game={game}&mode=proof", reduced_motion="reduce")
    page.get_by_role("button", name=f"Play {first}").click()
    wait_for_text(page, "#proof", "Whatever Light plays now, Dark wins")
    page.wait_for_selector("#replies tbody tr")
    if reply:
        cell(page, reply).click()
    else:
        page.locator("#replies tbody button").last.click()
    # The winner's answer follows by itself.
    wait_for_moves(page, 3)
    wait_for_text(page, "#proof", "Whatever Light plays now, Dark wins")
    page.get_by_role("button", name="One move back").click()
    page.get_by_role("button", name="One move back").click()
    assert page.locator(".stone").count() == 1


def test_every_reply_is_told_with_what_follows(visit: Visit) -> None:
    page = visit("#game=gomoku-15&moves=h8,i9,g9&mode=proof")
    wait_for_text(page, "#replies h2", "222 replies")
    assert page.locator(".mark.lost").count() == 222
    wait_for_text(page, "#replies tr", "then")


def test_a_proof_is_played_through_and_paused(visit: Visit) -> None:
    page = visit("#game=pentago-swap&mode=proof", reduced_motion="reduce")
    page.get_by_role("button", name="Play it through").click()
    wait_for_moves(page, 3)
    page.get_by_role("button", name="Pause").click()
    count = len(moves_of(page))
    page.wait_for_timeout(1500)
    assert len(moves_of(page)) == count


def test_where_nothing_is_proved_the_proofs_that_are_there_are_offered(visit: Visit) -> None:
    page = visit("#game=gomoku-9&mode=proof")
    wait_for_text(page, "#proof .headline", "Nothing is proved here")
    page.locator("#proof .starts a", has_text="pentago-swap").click()
    wait_for_text(page, "#proof .headline", "Dark wins within 19 moves")

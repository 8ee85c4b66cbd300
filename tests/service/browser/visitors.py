"""What a visitor finds on a page."""

from typing import Any


def cell(page: Any, name: str) -> Any:
    """The cell of the board that is called so."""
    return page.locator(f'[role=gridcell][aria-label^="{name}:"]')


def moves_of(page: Any) -> list[str]:
    """The moves of the game on the board."""
    return [text.rstrip("?") for text in page.locator("#moves button").all_inner_texts()]


def wait_for_answer(page: Any) -> None:
    """Until all that is known of the position is shown."""
    page.wait_for_selector("#explore[aria-busy=false]")


def wait_for_moves(page: Any, count: int) -> None:
    """Until the game on the board has at least so many moves."""
    page.locator("#moves li").nth(count - 1).wait_for()


def wait_for_text(page: Any, selector: str, text: str) -> None:
    """Until the text stands there."""
    page.locator(selector, has_text=text).first.wait_for()

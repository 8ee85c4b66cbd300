"""How the command line reads its parameters, and what it offers to complete them."""

import click
import pytest

from engine import registry
from engine.clock import Clock
from fivebook.options import CLOCK, DURATION, GAME, MEMORY, PERCENTAGE, PROBABILITY


@pytest.mark.parametrize(
    ("kind", "text", "value"),
    [
        (DURATION, "1.5s", 1.5),
        (CLOCK, "40/60s", Clock(60.0, moves_to_go=40)),
        (MEMORY, "2MB", 2),
        (PROBABILITY, "10%", 0.1),
        (PERCENTAGE, "5%", 0.05),
    ],
)
def test_a_quantity_is_read_once(kind: click.ParamType[object], text: str, value: object) -> None:
    assert kind(text) == value
    assert kind(value) is value


@pytest.mark.parametrize(
    ("kind", "sentence"),
    [
        (DURATION, "'soon' is no duration greater than zero, such as 500ms, "),
        (CLOCK, "'soon' is no duration greater than zero, such as 500ms, "),
        (MEMORY, "'soon' is no size like 512MB or 4GB, "),
        (PROBABILITY, "'soon' is no probability, such as 0.1 or 10%"),
        (PERCENTAGE, "'soon' is no percentage from 0% to 100%, such as 5%"),
    ],
)
def test_any_other_text_is_refused_with_what_would_be_right(
    kind: click.ParamType[object], sentence: str
) -> None:
    with pytest.raises(click.BadParameter) as refused:
        kind("soon")
    assert refused.value.message.startswith(sentence)


def test_a_game_is_named_by_its_id() -> None:
    assert GAME("gomoku-15-standard") is registry.get("gomoku-15-standard")


@pytest.mark.parametrize("text", ["", "chess", "gomoku", "gomoku-4", "gomoku-27", "gomoku--9"])
def test_an_unknown_game_is_refused_with_those_there_are(text: str) -> None:
    with pytest.raises(click.BadParameter, match=f"unknown game '{text}'") as refused:
        GAME(text)
    assert "pentago-swap" in refused.value.message

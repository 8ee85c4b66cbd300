"""The tables of the field in docs/strength.md."""

import re

import pytest

from engine.players import AGENT_NAMES
from tests.checkout import ROOT
from tools.field import with_table

PAGE = (ROOT / "docs" / "strength.md").read_text()
TEXT = "before\n<!-- one -->\n| old |\n<!-- end of one -->\nafter\n"


def test_a_table_takes_the_place_of_the_old_one() -> None:
    text = with_table(TEXT, "one", ["| new |", "| row |"])
    assert text == "before\n<!-- one -->\n| new |\n| row |\n<!-- end of one -->\nafter\n"


def test_a_text_without_the_table_is_refused() -> None:
    with pytest.raises(ValueError, match="no place for the table 'two'"):
        with_table(TEXT, "two", [])


@pytest.mark.parametrize(
    ("table", "names"),
    [
        ("engine", AGENT_NAMES),
        ("efforts", AGENT_NAMES),
        ("round robin", [name for name in AGENT_NAMES if name != "closeness"]),
    ],
)
def test_the_page_has_a_row_for_every_agent(table: str, names: list[str]) -> None:
    found = re.search(f"<!-- {table} -->\n(.*?)<!-- end of {table} -->\n", PAGE, re.DOTALL)
    assert found is not None
    assert [name for name in names if name not in found[1]] == []

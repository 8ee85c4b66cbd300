"""The shape of a strategy: its figures fit together, and only a right one is drawn."""

from pathlib import Path
from xml.etree import ElementTree

import pytest
from click.testing import CliRunner, Result

from book.certificates.gomoku import file
from tests.book.certificates.gomoku.strategies import checked, rebuilt, written
from tests.checkout import ROOT
from tools import strategy_shape

AFTER_H8_A1 = ROOT / "tests" / "book" / "certificates" / "gomoku" / "h8-a1.cert"


def draw(certificate: Path, output: Path) -> Result:
    return CliRunner().invoke(strategy_shape.main, [str(certificate), "-o", str(output)])


@pytest.mark.slow
def test_every_entry_is_counted_and_the_longest_opening_is_the_win(tmp_path: Path) -> None:
    certificate = file.read(AFTER_H8_A1)
    stones, openings = strategy_shape.shape(AFTER_H8_A1)
    assert stones.total() == certificate.entries
    # One entry after dark's second stone, which each reply of light's leads on from.
    assert min(stones) == 3
    assert stones[3] == 1
    assert openings.total() == stones[5]
    assert max(openings) == (checked(certificate, tmp_path).distance or 0) - 3


def test_a_strategy_is_drawn_the_same_each_time(tmp_path: Path) -> None:
    file.write(written(), tmp_path / "won.cert")
    drawn = [tmp_path / "first.svg", tmp_path / "second.svg"]
    for output in drawn:
        assert draw(tmp_path / "won.cert", output).exit_code == 0
    assert ElementTree.fromstring(drawn[0].read_text()).tag.endswith("svg")
    assert drawn[0].read_bytes() == drawn[1].read_bytes()


def test_what_is_no_win_is_refused_in_a_sentence(tmp_path: Path) -> None:
    wrong, text, output = tmp_path / "wrong.cert", tmp_path / "text.cert", tmp_path / "some.svg"
    file.write(rebuilt(written(), lambda some: some.pop()), wrong)
    text.write_text("no certificate")
    for path, reason in ((wrong, "rejected: "), (text, "no certificate of fivebook")):
        result = draw(path, output)
        assert result.exit_code == 1
        assert result.output.startswith(f"Error: '{path}' is {reason}")
        assert result.output.count("\n") == 1
    assert not output.exists()

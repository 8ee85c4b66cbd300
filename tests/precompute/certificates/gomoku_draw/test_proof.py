"""The proof of a draw: the same however it is cut off, and what is kept of it."""

from pathlib import Path

import pytest

from engine.games.gomoku.breaker.finder import BreakerSearch, Holds
from precompute.certificates.gomoku_draw.kept_search import KeptSearchError, load, save
from precompute.certificates.gomoku_draw.proof import DrawProof
from tests.book.certificates.gomoku_draw.samples import shipped

MEMORY = 1 << 20


def test_a_search_that_was_cut_off_goes_on_as_if_it_had_not_been(tmp_path: Path) -> None:
    path = tmp_path / "some.draw"
    whole = BreakerSearch(7, MEMORY)
    parts = BreakerSearch(7, MEMORY)
    for _ in range(3):
        assert whole.run(100) is Holds.UNKNOWN
        assert parts.run(100) is Holds.UNKNOWN
        save(parts, 7, path)
        parts = BreakerSearch(7, MEMORY)
        load(parts, 7, path)
    assert (parts.nodes, parts.proofs) == (whole.nodes, whole.proofs)
    assert parts.open.tobytes() == whole.open.tobytes()
    assert parts.proven.tobytes() == whole.proven.tobytes()
    assert [other.name for other in tmp_path.iterdir()] == ["some.draw"]


def test_a_proof_that_was_stopped_is_kept_and_gone_on_with(tmp_path: Path) -> None:
    path = tmp_path / "some.draw"
    first = DrawProof(6, path, memory=MEMORY)
    first.stop()
    assert not first.run()
    assert path.exists()
    second = DrawProof(6, path, memory=MEMORY)
    assert second.run()
    assert second.certificate() == shipped(6)


@pytest.mark.parametrize("content", [b"", b"nothing", b"PK\x03\x04"])
def test_a_file_of_something_else_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "some.draw"
    path.write_bytes(content)
    with pytest.raises(KeptSearchError, match="cannot read"):
        DrawProof(6, path, memory=MEMORY)


def test_a_search_of_another_board_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "some.draw"
    save(BreakerSearch(5, MEMORY), 5, path)
    with pytest.raises(KeptSearchError, match="another board"):
        DrawProof(6, path, memory=MEMORY)


def test_boards_that_are_too_large_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="boards of 5 to 8 are searched, not of 9"):
        DrawProof(9, tmp_path / "some.draw", memory=MEMORY)

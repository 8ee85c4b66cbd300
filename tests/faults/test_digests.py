"""A thousand alterations of a book, none of which goes unseen."""

import shutil
from pathlib import Path

import pytest

from tests.book.integrity.alterations import alter, is_seen
from tests.book.integrity.test_digests import SEEDS, unfinished_book

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("hundred", range(8))
def test_no_alteration_goes_unseen(hundred: int, tmp_path: Path) -> None:
    sound, book = tmp_path / "sound.db", tmp_path / "book.db"
    unfinished_book(sound)
    unseen = []
    for seed in range(SEEDS + 100 * hundred, SEEDS + 100 * (hundred + 1)):
        shutil.copy(sound, book)
        told = alter(book, seed)
        if not is_seen(book):
            unseen.append(f"{seed}: {told}")
    assert unseen == []

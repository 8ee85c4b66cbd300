"""A proof by parts comes to the same certificate however it was made, and it is accepted."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

from book.certificates.gomoku.checker import Checker
from book.certificates.gomoku.file import read, write
from engine.games.gomoku.strategy.openings import third_moves
from precompute.backend import Workers
from precompute.certificates.gomoku.opening import Line
from precompute.certificates.gomoku.part import game_of, make_part
from precompute.certificates.gomoku.part_file import PartFile, PartFileError
from precompute.certificates.gomoku.proof import NotProved, PartsState, PartWork, ProofByParts

GAME = game_of("gomoku-9")
# Light is to move and loses, whatever the reply.
LOST = tuple(GAME.parse_line("e5 a1 f6 i1 e6 a9 f5"))
LARGE = game_of("gomoku-15")
WON = tuple(LARGE.parse_line("h8 f1 i9 b12"))
# What the parts of that one, which needs a quiet move, take in nodes.
FEW, ENOUGH = 1_000, 100_000


def run(proof: ProofByParts, jobs: int = 1) -> Iterator[PartsState]:
    with Workers(jobs).open(PartWork(proof.game.id)) as dispatch:
        yield from proof.steps(dispatch)


def proved(folder: Path, name: str, jobs: int = 1) -> bytes:
    """The certificate after `LOST`, as it is written."""
    with ProofByParts(GAME, folder / f"{name}.parts", root=LOST) as proof:
        for _ in run(proof, jobs):
            pass
        write(proof.certificate(), folder / f"{name}.cert")
    return (folder / f"{name}.cert").read_bytes()


def accepted(path: Path) -> bool:
    check = Checker(read(path))
    for _ in check.steps():
        pass
    return check.hole is None and check.complete and check.whole


def test_the_checker_accepts_the_certificate(tmp_path: Path) -> None:
    proved(tmp_path, "all")
    assert accepted(tmp_path / "all.cert")


def test_it_is_the_same_for_two_jobs_and_after_a_proof_that_was_cut_off(tmp_path: Path) -> None:
    whole = proved(tmp_path, "whole")
    assert proved(tmp_path, "jobs", jobs=2) == whole
    path = tmp_path / "cut.parts"
    with ProofByParts(GAME, path, root=LOST) as proof:
        for state in run(proof):
            if state.won >= 5:
                proof.stop()
        assert proof.stopped
        with pytest.raises(NotProved):
            proof.certificate()
    assert 5 <= state.won < state.parts == len(GAME.children(GAME.play_line(LOST)))
    # As if the machine had lost its power while a line was written.
    path.write_bytes(path.read_bytes()[:-20])
    assert proved(tmp_path, "cut") == whole


@pytest.mark.parametrize(
    ("jobs", "kills"),
    [
        (1, 1),
        pytest.param(1, 10, marks=pytest.mark.slow),
        pytest.param(2, 10, marks=pytest.mark.slow),
    ],
)
def test_it_is_the_same_after_a_proof_that_was_killed_at_any_moment(
    tmp_path: Path, jobs: int, kills: int
) -> None:
    whole = proved(tmp_path, "whole")
    size = (tmp_path / "whole.parts").stat().st_size
    rng = Random(jobs)
    while kills:
        if killed(tmp_path, jobs, grown_by=rng.randrange(size // 12)):
            kills -= 1
        else:
            assert (tmp_path / "killed.cert").read_bytes() == whole
            for path in tmp_path.glob("killed.*"):
                path.unlink()
    assert not killed(tmp_path, jobs, grown_by=2 * size)
    assert (tmp_path / "killed.cert").read_bytes() == whole
    # No part that was kept has been proved again.
    parts = (tmp_path / "whole.parts").read_bytes().splitlines()
    assert sorted(parts_file(tmp_path).read_bytes().splitlines()) == sorted(parts)


def killed(folder: Path, jobs: int, grown_by: int) -> bool:
    """Go on with a proof, and kill it with its workers once its file has grown by so many bytes.

    Whether it was killed; it may have come to its end before.
    """
    command = [sys.executable, "-m", "fivebook", "certify", str(folder / "killed.db")]
    options = ["--game", GAME.id, "--root", GAME.format_line(LOST), "--jobs", str(jobs)]
    before = size_of(parts_file(folder))
    process = subprocess.Popen(
        [*command, "-o", str(folder / "killed.cert"), *options],
        stdout=subprocess.DEVNULL,
        start_new_session=True,
    )
    while process.poll() is None and size_of(parts_file(folder)) <= before + grown_by:
        time.sleep(0.001)
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
    return process.wait() == -signal.SIGKILL


def parts_file(folder: Path) -> Path:
    return folder / "killed.db.parts"


def size_of(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0


def test_a_part_that_resists_is_tried_again_with_more_nodes(tmp_path: Path) -> None:
    path = tmp_path / "hard.parts"
    with ProofByParts(LARGE, path, root=WON, rounds=(FEW, ENOUGH)) as proof:
        limits = [state.limit for state in run(proof)]
        assert list(dict.fromkeys(limits)) == [FEW, ENOUGH]
        write(proof.certificate(), tmp_path / "hard.cert")
    assert accepted(tmp_path / "hard.cert")


@pytest.mark.slow
def test_where_parts_resist_another_second_stone_is_tried_and_the_best_one_kept(
    tmp_path: Path,
) -> None:
    path, line = tmp_path / "all.parts", tuple(GAME.parse_line("e5 a1"))
    with ProofByParts(GAME, path, root=line, rounds=(1, FEW)) as proof:
        list(run(proof))
        chosen = proof.state
    with PartFile(path, GAME.id) as file:
        counts = {
            move: sum(part.won for part in file.parts.values() if part.line[:3] == (*line, move))
            for move in file.choices[line]
        }
        assert sorted(counts) == third_moves(GAME, line[1])
        assert len(counts) > 1
    assert chosen.won == max(counts.values())


def test_a_second_stone_that_is_given_stays_whatever_resists(tmp_path: Path) -> None:
    path, line = tmp_path / "all.parts", tuple(GAME.parse_line("e5 a1"))
    thirds = third_moves(GAME, line[1])
    for third in thirds[:2]:
        given = [(*line, third)]
        with ProofByParts(GAME, path, root=line, rounds=(1, FEW), thirds=given) as proof:
            list(run(proof))
            assert {part.line[:3] for part in proof.tried_parts} == set(given)
    with PartFile(path, GAME.id) as file:
        assert file.choices == {line: thirds[:2]}


def test_what_is_not_proved_is_said(tmp_path: Path) -> None:
    with ProofByParts(LARGE, tmp_path / "few.parts", root=WON, rounds=(FEW,)) as proof:
        list(run(proof))
        assert (proof.complete, proof.open_parts) == (False, [WON])
        with pytest.raises(NotProved, match="after 'h8 f1 i9 b12'"):
            proof.certificate()


def test_the_time_left_counts_openings_that_are_not_decided_like_the_others() -> None:
    state = PartsState(
        openings=4, decided=2, finished=1, parts=100, won=60, done=30, limit=1, seconds=10.0
    )
    assert state.rate == 3.0
    assert state.seconds_left == pytest.approx((200 - 60) / 3.0)


def test_a_file_gives_back_what_it_was_given(tmp_path: Path) -> None:
    path = tmp_path / "some.parts"
    part = make_part(LARGE.id, WON, ENOUGH)
    opening: Line = WON[:2]
    with PartFile(path, LARGE.id) as file:
        file.choose(opening, WON[2])
        file.keep(part)
    with PartFile(path, LARGE.id) as file:
        assert file.chosen == {opening: WON[2]}
        assert (file.parts[WON].move, file.parts[WON].won) == (part.move, True)
        assert list(file.entries([WON])) == [part.entries]
        assert part.entries


def test_a_file_of_something_else_is_refused_and_left_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "other.parts"
    with PartFile(path, LARGE.id):
        pass
    before = path.read_bytes()
    with pytest.raises(PartFileError, match="no proof by parts of this game"):
        PartFile(path, GAME.id)
    path.write_bytes(b"anything")
    with pytest.raises(PartFileError):
        PartFile(path, LARGE.id)
    assert path.read_bytes() == b"anything"
    path.write_bytes(before + b'{"line": 3}\n{}\n')
    with pytest.raises(PartFileError, match=f"damaged at byte {len(before)}"):
        PartFile(path, LARGE.id)
    path.write_bytes(before)
    with PartFile(path, LARGE.id) as file:
        assert not file.parts

"""A fair sample: what one client, or many, can take of it, and what is left for the next."""

from collections.abc import Iterable

import pytest

from service import fair_sample
from service.fair_sample import FairSample

SIZE, MOST = 200, 50


def things(count: int) -> Iterable[bytes]:
    return (number.to_bytes(8, "little") for number in range(count))


def admitted(sample: FairSample, client: str, asked: int = 1_000) -> int:
    """How many of so many things count for the client."""
    return sum(sample.admits(client, thing) for thing in things(asked))


@pytest.fixture
def sample(monkeypatch: pytest.MonkeyPatch) -> FairSample:
    """One whose draws are the same every time."""
    monkeypatch.setattr("os.urandom", lambda count: bytes(range(count)))
    return FairSample(size=SIZE, most=MOST)


def test_a_pair_counts_once_and_asking_again_changes_nothing(sample: FairSample) -> None:
    for client in map(str, range(30)):
        admitted(sample, client)
    first = [sample.admits("late", thing) for thing in things(1_000)]
    assert 0 < sum(first) < MOST
    for _ in range(20):
        assert admitted(sample, "late") == 0
    assert sample.admits("later", b"thing")
    assert not sample.admits("later", b"thing")


def test_one_client_has_its_quota_and_leaves_the_others_theirs(sample: FairSample) -> None:
    assert admitted(sample, "greedy", 100_000) == MOST
    for client in ("first", "second", "third"):
        assert admitted(sample, client) == MOST


@pytest.mark.parametrize("crowd", [10, 40])
def test_a_client_after_a_crowd_has_about_the_share_of_each(sample: FairSample, crowd: int) -> None:
    for client in map(str, range(crowd)):
        admitted(sample, client)
    late = admitted(sample, "late", 5_000)
    assert SIZE // (crowd + 1) - 1 <= late <= SIZE // crowd + 1


def test_of_more_clients_than_places_the_late_ones_have_the_same_chance(
    sample: FairSample,
) -> None:
    crowd, late = 5 * SIZE, 5 * SIZE
    for client in range(crowd):
        admitted(sample, f"crowd {client}", 20)
    counted = sum(admitted(sample, f"late {client}", 1) for client in range(late))
    # The chance falls from a fifth to a tenth meanwhile.
    assert 0.1 * late < counted < 0.2 * late


def test_it_stays_small_however_many_ask(sample: FairSample) -> None:
    clients = 3_000
    total = sum(admitted(sample, str(client), MOST) for client in range(clients))
    # size * (1 + ln(clients * most / size)) is 1,525.
    assert total < 8 * SIZE
    assert len(sample._counted) == total
    assert len(sample._ranks) == SIZE


def test_every_hour_begins_anew(sample: FairSample, monkeypatch: pytest.MonkeyPatch) -> None:
    now = 1_000_000.0
    monkeypatch.setattr(fair_sample.time, "monotonic", lambda: now)
    assert sample.admits("one", b"thing")
    now += 3599.0
    assert not sample.admits("one", b"thing")
    now += 1.0
    assert sample.admits("one", b"thing")


def test_draws_cannot_be_foretold() -> None:
    samples = [FairSample(size=SIZE, most=MOST) for _ in range(2)]
    for sample in samples:
        sample.admits("one", b"thing")
    first, second = (sample._counted for sample in samples)
    assert first != second

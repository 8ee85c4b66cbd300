"""How durations, clocks, sizes and probabilities are read, and clocks and values written."""

import os

import pytest

from engine.clock import Clock, describe_clock
from engine.errors import InvalidOptions, InvalidQuantity
from engine.quantities import (
    parse_clock,
    parse_count,
    parse_duration,
    parse_memory,
    parse_percentage,
    parse_probability,
)
from engine.values import HEURISTIC_MAX, WIN, describe_value


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("500ms", 0.5),
        ("500", 0.5),
        ("1ms", 0.001),
        ("30s", 30.0),
        ("1.5s", 1.5),
        (".5s", 0.5),
        ("5.s", 5.0),
        ("2m", 120.0),
        ("0.5m", 30.0),
        ("8h", 28_800.0),
    ],
)
def test_a_duration_is_a_number_and_a_unit(text: str, seconds: float) -> None:
    assert parse_duration(text) == pytest.approx(seconds)


@pytest.mark.parametrize(
    "text",
    ["", "0", "0s", "0.0h", "-1s", "+1s", "s", ".", "5 s", "5d", "5M", "1e3s", "inf", "nan", "٣s"],
)
def test_any_other_duration_is_refused_with_what_would_be_right(text: str) -> None:
    with pytest.raises(InvalidQuantity) as refused:
        parse_duration(text)
    assert str(refused.value) == (
        f"'{text}' is no duration greater than zero, such as 500ms, 30s, 2m or 8h "
        "(a plain number counts milliseconds)"
    )


def test_memory_is_refused_that_the_machine_does_not_have(monkeypatch: pytest.MonkeyPatch) -> None:
    pages = {"SC_PAGE_SIZE": 4096, "SC_PHYS_PAGES": 1 << 18}
    monkeypatch.setattr(os, "sysconf", pages.__getitem__)
    assert parse_memory("1GB") == 1024
    with pytest.raises(InvalidOptions) as refused:
        parse_memory("2GB")
    assert str(refused.value) == (
        "there is no memory for a table of 2,048 MiB: this machine has 1,024"
    )


@pytest.mark.parametrize(
    ("text", "clock", "described"),
    [
        ("60s", Clock(60.0), "60 s"),
        ("60s+0.5s", Clock(60.0, 0.5), "60 s + 0.5 s"),
        ("5m+500ms", Clock(300.0, 0.5), "300 s + 0.5 s"),
        ("40/60s", Clock(60.0, moves_to_go=40), "40 moves in 60 s"),
        ("40/2m+1s", Clock(120.0, 1.0, 40), "40 moves in 120 s + 1 s"),
        ("500", Clock(0.5), "0.5 s"),
    ],
)
def test_a_clock_has_a_base_and_perhaps_an_increment_and_moves(
    text: str, clock: Clock, described: str
) -> None:
    assert parse_clock(text) == clock
    assert describe_clock(clock) == described


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "'' is no clock, such as 60s, 60s+500ms "),
        ("0/60s", "'0/60s' is no clock"),
        ("x/60s", "'x/60s' is no clock"),
        ("60s+1s+1s", "'60s+1s+1s' is no clock"),
        ("60s+", "'60s+' is no clock"),
        ("60s+soon", "'soon' is no duration"),
        ("0s", "'0s' is no duration"),
        ("60s+0s", "'0s' is no duration"),
        ("-60s", "'-60s' is no duration"),
    ],
)
def test_any_other_clock_is_refused(text: str, sentence: str) -> None:
    with pytest.raises(InvalidQuantity) as refused:
        parse_clock(text)
    assert str(refused.value).startswith(sentence)


@pytest.mark.parametrize(
    ("value", "proven", "text"),
    [
        (35, False, "+35"),
        (-120, False, "-120"),
        (0, False, "+0"),
        (0, True, "draw"),
        (WIN - 7, True, "win in 7"),
        (-(WIN - 6), True, "loss in 6"),
        (WIN - 1, True, "win in 1"),
        (HEURISTIC_MAX, False, "+29000"),
        (-HEURISTIC_MAX, False, "-29000"),
    ],
)
def test_a_value_reads_as_people_write_it(value: int, proven: bool, text: str) -> None:
    assert describe_value(value, proven) == text


@pytest.mark.parametrize(
    ("text", "probability"), [("0", 0.0), ("0.1", 0.1), (".05", 0.05), ("10%", 0.1), ("100%", 1.0)]
)
def test_a_probability_is_a_number_or_a_percentage(text: str, probability: float) -> None:
    assert parse_probability(text) == pytest.approx(probability)


@pytest.mark.parametrize("text", ["", "%", "1.1", "101%", "-1%", "a", "1e-3", "nan"])
def test_what_is_no_probability_is_refused(text: str) -> None:
    with pytest.raises(InvalidQuantity, match=r"no probability, such as 0\.1 or 10%"):
        parse_probability(text)


@pytest.mark.parametrize(("text", "share"), [("5%", 0.05), ("100 %", 1.0), ("0%", 0.0)])
def test_a_percentage_has_its_sign(text: str, share: float) -> None:
    assert parse_percentage(text) == pytest.approx(share)


@pytest.mark.parametrize("text", ["", "5", "0.1", "101%", "-1%", "%"])
def test_what_is_no_percentage_is_refused(text: str) -> None:
    with pytest.raises(InvalidQuantity, match="no percentage from 0% to 100%, such as 5%"):
        parse_percentage(text)


@pytest.mark.parametrize(
    ("text", "least", "most", "sentence"),
    [
        ("none", None, None, "'none' is not a valid integer"),
        ("1.5", 1, 4, "'1.5' is not a valid integer"),
        ("0", 1, None, "0 is not in the range x>=1"),
        ("5", None, 4, "5 is not in the range x<=4"),
        ("5", 1, 4, "5 is not in the range 1<=x<=4"),
    ],
)
def test_a_count_out_of_range_is_refused(
    text: str, least: int | None, most: int | None, sentence: str
) -> None:
    with pytest.raises(InvalidQuantity) as refused:
        parse_count(text, least, most)
    assert str(refused.value) == sentence


def test_a_count_within_its_range_is_read() -> None:
    assert [parse_count(text, 1, 4) for text in ("1", "4")] == [1, 4]
    assert parse_count("-7") == -7

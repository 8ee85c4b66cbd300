"""Files of other programs, spoilt: each reader says in a sentence what is wrong, or reads on.

A few thousand are tried each time, a hundred thousand for each format with the slow tests.
"""

import json
import resource
from io import BytesIO
from random import Random

import pytest
from lz4 import frame

from book.errors import InvalidRecord
from book.files.contents import Request
from book.files.formats import formats
from book.whole.export import write_parquet
from engine import registry

GAME = registry.get("gomoku-15")
SOME, MANY = 400, 100_000
MOST_BYTES = 1 << 20
# What reading one small file may add to the greatest memory of this process, in KiB.
MOST_MEMORY = 64 * 1024

RAPFI = (
    bytes.fromhex("03000000 0300 000000 1400 00 0000 0000") + b'charset="UTF-8"'
    + bytes.fromhex("0900 00 0f0f 0707 0807 0708 0900 77 da8a 3300") + b"gut!"
    + bytes.fromhex("0500 00 0f0f 0707 0500 ff 6400 0e00")
)  # fmt: skip
RENLIB = (
    bytes.fromhex("ff 52656e4c6962 ff 03 04") + b"\xff" * 10
    + bytes.fromhex("7808 6108 6200 6880 7949 0001 6869 0000 4100 7900 6740")
)  # fmt: skip
SGF = b"(;GM[4]SZ[15]PB[a]C[one](;B[hh]V[1.5];W[hg];B[gg])(;B[ii]C[two\\]];W[ab]N[A]))"
PSQ = b"Piskvorky 15x15, 11:11, 0\r\n8,8,0\r\n9,9,10\r\n8,9,5\r\nx.exe\r\n"
LOG = b"# Game ID: 7\nSTART 0\n0 0 TL BR 0\n5 5 BL TR 1\nGAMEOVER WINNER 0\n"
TEXT = b"# game: gomoku-15\nh8 i9 1-0\nh8i9h9 | value=5 bound=exact depth=3 | w | a\\nb\n8,8 9,9\n"
ROW = {
    "game": "gomoku-15",
    "ply": 1,
    "dark": "h8",
    "light": "",
    "value": 5,
    "bound": "exact",
    "depth": 3,
    "games": 2,
    "dark_wins": 1,
    "imported": '[{"comment": "x"}]',
}
CSV = (
    ",".join(ROW) + "\n" + ",".join(str(value).replace(",", "") for value in ROW.values())
).encode()
PARQUET = BytesIO()
write_parquet(list(ROW), [ROW, ROW], PARQUET)
SAMPLES = {
    "boards": [(b"-" * 112 + b"X" + b"-" * 112 + b" O +12\n") * 3],
    "csv": [CSV],
    "jsonl": [json.dumps(ROW).encode() + b"\n"],
    "parquet": [PARQUET.getvalue()],
    "lib": [RENLIB],
    "pos": [bytes([3, 112, 97, 96])],
    "psq": [PSQ],
    "rapfi-db": [RAPFI, frame.compress(RAPFI)],
    "sgf": [SGF],
    "swap-log": [LOG],
    "txt": [TEXT],
}


def spoilt(raw: bytes, chance: Random) -> bytes:
    """`raw` with one to four changes: cut, altered, doubled, or blown up."""
    for _ in range(chance.randint(1, 4)):
        at = chance.randrange(len(raw) + 1)
        length = chance.choice((1, 2, 4, 9))
        some = bytes(
            chance.choice((0, 1, 0x40, 0x80, 0xFF, chance.randrange(256))) for _ in range(length)
        )
        raw = chance.choice(
            (
                raw[:at],
                raw[:at] + some + raw[at:],
                raw[:at] + some + raw[at + length :],
                raw[:at] + raw[at + length :],
                raw[:at] + raw[at : at + 40] * chance.choice((2, 50)) + raw[at:],
                raw[at:] + raw[:at],
            )
        )
    return raw


def problem_of(form: str, raw: bytes, request: Request) -> str | None:
    """Why a file cannot be read, None if it can."""
    try:
        for _ in formats()[form].read(BytesIO(raw), request):
            pass
    except InvalidRecord as error:
        return str(error)
    return None


def try_files(form: str, count: int) -> int:
    """Read spoilt files; returns how many of them were refused."""
    refused = 0
    for seed in range(count):
        chance = Random(f"{form} {seed}")
        raw = spoilt(chance.choice(SAMPLES[form]), chance)
        request = Request(game=chance.choice((None, GAME)), most_bytes=MOST_BYTES)
        problem = problem_of(form, raw, request)
        refused += problem is not None
        assert problem is None or (problem and "\n" not in problem), seed
    return refused


@pytest.mark.parametrize("form", SAMPLES)
def test_spoilt_files_get_a_sentence_or_are_read(form: str) -> None:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert try_files(form, SOME) > 0
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < MOST_MEMORY


@pytest.mark.slow
@pytest.mark.parametrize("form", SAMPLES)
def test_a_hundred_thousand_spoilt_files_get_a_sentence_or_are_read(form: str) -> None:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert try_files(form, MANY) > MANY // 100
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < MOST_MEMORY


def test_every_format_that_is_read_is_tried() -> None:
    assert set(SAMPLES) == set(formats())


@pytest.mark.parametrize("form", ["sgf", "txt", "psq", "swap-log"])
def test_a_text_beyond_the_limit_is_refused(form: str) -> None:
    request = Request(most_text=1000)
    with pytest.raises(InvalidRecord, match="more than 1,000 bytes"):
        list(formats()[form].read(BytesIO(SAMPLES[form][0] * 1000), request))

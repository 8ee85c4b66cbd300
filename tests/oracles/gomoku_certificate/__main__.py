"""The command line of the second checker."""

import argparse
import random
import sys
import time
from collections.abc import Sequence
from lzma import LZMAError
from pathlib import Path

from tests.oracles.gomoku_certificate.checker import Counts, Hole, NoEntry, SlowChecker
from tests.oracles.gomoku_certificate.many import checked
from tests.oracles.gomoku_certificate.reading import SlowCertificate, read

_SECONDS_BETWEEN_REPORTS = 10.0


def main(arguments: Sequence[str] | None = None) -> int:
    """Check a certificate and print a verdict; 0 if no hole is found, 1 if one is, 2 if it is none.

    `arguments` are those of the command line.
    """
    asked = _parser().parse_args(arguments)
    try:
        certificate = read(asked.file)
    except (OSError, ValueError, KeyError, LZMAError) as error:
        print(f"{asked.file} is no certificate: {error}", file=sys.stderr)
        return 2
    header = certificate.header
    print(f"{asked.file}: {header['winner']} wins {header['game']}, {header['entries']:,} entries")
    try:
        counts = _check(asked, certificate)
    except Hole as hole:
        print(f"rejected: {hole}")
        return 1
    except NoEntry as error:
        print(f"nothing to check under '{asked.under}': {error}", file=sys.stderr)
        return 2
    print(f"{counts.by_list:,} replies answered by lists, {counts.by_move:,} by moves")
    whole = counts.entries == len(certificate.entries)
    verdict = "accepted" if whole else "no hole found"
    print(f"{verdict}: {counts.entries:,} of {header['entries']:,} entries checked")
    return 0


def _check(asked: argparse.Namespace, certificate: SlowCertificate) -> Counts:
    checker = SlowChecker(certificate)
    checker.start()
    numbers = list(range(len(certificate.entries)))
    if asked.under is not None:
        numbers = checker.below(checker.under(_cells(asked.under, certificate.size)))
        print(f"{len(numbers):,} entries under '{asked.under}'")
    if asked.sample is not None and asked.sample < len(numbers):
        numbers = random.Random(asked.seed).sample(numbers, asked.sample)
    if len(numbers) == len(certificate.entries):
        checker.check_nothing_superfluous()
    counts = Counts()
    reported = time.monotonic()
    for counts in checked(asked.file, numbers, asked.jobs):
        if time.monotonic() > reported + _SECONDS_BETWEEN_REPORTS:
            reported = time.monotonic()
            print(f"{counts.entries:,} of {len(numbers):,} checked", file=sys.stderr)
    return counts


def _cells(line: str, size: int) -> list[int]:
    """The cells of moves such as h8, separated by spaces."""
    return [(int(move[1:]) - 1) * size + ord(move[0]) - ord("a") for move in line.split()]


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m tests.oracles.gomoku_certificate",
        description="Check a certificate of Gomoku in plain Python.",
    )
    parser.add_argument("file", type=Path)
    parser.add_argument("--sample", type=int, metavar="N", help="check N entries drawn at random")
    parser.add_argument("--seed", type=int, default=0, help="by which they are drawn (default: 0)")
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="processes (default: 1)")
    parser.add_argument(
        "--under",
        metavar="LINE",
        help='check only what the strategy needs after these moves from the empty board, "h8 a1"',
    )
    return parser


if __name__ == "__main__":
    sys.exit(main())

"""What visitors of a site ask its host for: a simulation over the pieces of a real export.

python -m tools.site_traffic SITE --visitors 1000
"""

import gzip
import json
from collections import Counter, OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

import click

from book.whole.pieces import INDEX_SEED, PER_FOLDER, hash_of
from engine import registry
from engine.game import Game
from engine.position import Position
from fivebook.options import POSITIVE

# Visitors mostly follow the better moves: the share who take the best, and of the rest likewise.
_BEST = 0.5
_PLIES = 12
_SAMPLE = 50
# What an edge of a cache holds, as shares of the whole site.
_CACHES = (0.01, 0.1)


@dataclass(slots=True)
class Site:
    """The files of a site, as far as a lookup needs them: rows by stones, and where each lies."""

    game: Game
    index_bits: int
    rows: dict[str, list[Any]] = field(default_factory=dict)
    piece_of: dict[str, str] = field(default_factory=dict)
    sizes: dict[str, int] = field(default_factory=dict)

    @staticmethod
    def read(folder: Path) -> "Site":
        """The site in `folder`, the one that has index.html.

        Raises:
            OSError, ValueError: if there is none.
        """
        content = folder / json.loads((folder / "fivebook-site.json").read_text())["edition"]
        told = json.loads((content / "site.json").read_text())
        site = Site(registry.get(told["game"]), told["index_bits"])
        for path in sorted(content.glob("index/*.bin")):
            site.sizes[f"index/{path.name}"] = path.stat().st_size
        for path in sorted(content.glob("pieces/*/*.json")):
            name = str(int(path.parent.name) * PER_FOLDER + int(path.stem))
            site.sizes[name] = path.stat().st_size
            for stones, row in json.loads(path.read_bytes()).items():
                site.rows[stones] = row
                site.piece_of[stones] = name
        return site

    def index_of(self, stones: str) -> str:
        """The file of the index that a position is looked up in."""
        bits = hash_of(bytes.fromhex(stones), INDEX_SEED) >> 32 - self.index_bits
        return f"index/{bits}.bin"


@dataclass(slots=True)
class Traffic:
    """What some visitors asked for, in their order: names of files, and how many moves they saw."""

    answers: int = 0
    most_requests: int = 0
    asked: list[str] = field(default_factory=list)


def visit(site: Site, visitors: int, random: Random) -> Traffic:
    """Have `visitors` play from the empty board, one after the other, each with an empty cache."""
    traffic = Traffic()
    for _ in range(visitors):
        kept: set[str] = set()
        for stones in _seen(site, random):
            asked = _requests(site, stones, kept)
            traffic.answers += 1
            traffic.most_requests = max(traffic.most_requests, len(asked))
            traffic.asked += asked
    return traffic


def _seen(site: Site, random: Random) -> Iterator[str]:
    """The stored positions that a visitor sees, by their canonical stones."""
    game, position = site.game, site.game.initial
    for _ in range(_PLIES):
        image = game.canonical(position)
        row = site.rows.get(image.stones.hex())
        if row is None:
            return
        yield image.stones.hex()
        position = _after(game, image.position, row, random)
        if game.outcome(position) is not None:
            return


def _after(game: Game, position: Position, row: list[Any], random: Random) -> Position:
    """The position after one of a row's moves, the better ones more often."""
    moves = [move[0] for move in row[4]]
    while len(moves) > 1 and random.random() >= _BEST:
        moves.pop(0)
    return game.play(position, game.parse_move(moves[0]))


def _requests(site: Site, stones: str, kept: set[str]) -> list[str]:
    """The files to be asked for to see a position, which are kept from now on."""
    piece = site.piece_of[stones]
    if piece in kept:
        return []
    asked = [name for name in (site.index_of(stones), piece) if name not in kept]
    kept.update(asked)
    return asked


def share_missed(site: Site, asked: list[str], size: float) -> float:
    """The share of requests that a cache of `size` bytes passes on, the least recent leaving it."""
    held: OrderedDict[str, int] = OrderedDict()
    used = missed = 0
    for name in asked:
        if name in held:
            held.move_to_end(name)
            continue
        missed += 1
        held[name] = site.sizes[name]
        used += site.sizes[name]
        while used > size:
            used -= held.popitem(last=False)[1]
    return missed / max(len(asked), 1)


def packed_share(folder: Path, random: Random) -> float:
    """What gzip leaves of the pieces, by a sample of them."""
    paths = sorted(folder.glob("*/pieces/*/*.json"))
    contents = [path.read_bytes() for path in random.sample(paths, min(_SAMPLE, len(paths)))]
    return sum(len(gzip.compress(each)) for each in contents) / sum(map(len, contents))


@click.command()
@click.argument("folder", type=click.Path(path_type=Path, exists=True, file_okay=False))
@click.option("--visitors", type=POSITIVE, default=1_000, show_default=True)
@click.option("--seed", type=int, default=1, show_default=True)
def main(folder: Path, visitors: int, seed: int) -> None:
    """Tell what VISITORS of the site in FOLDER ask for in games of up to twelve moves."""
    random = Random(seed)
    site = Site.read(folder)
    traffic = visit(site, visitors, random)
    whole = sum(site.sizes.values())
    kinds = Counter("index" if name.startswith("index") else "pieces" for name in traffic.asked)
    sent = sum(site.sizes[name] for name in traffic.asked)
    largest = max(site.sizes.values())
    click.echo(f"{len(site.rows):,} positions in {len(site.sizes):,} files, {whole:,} bytes")
    click.echo(f"largest file {largest:,} bytes; gzip leaves {packed_share(folder, random):.0%}")
    click.echo(
        f"{traffic.answers:,} answers; for each {kinds['pieces'] / traffic.answers:.2f} pieces and "
        f"{kinds['index'] / traffic.answers:.2f} files of the index, "
        f"{sent / traffic.answers:,.0f} bytes; at most {traffic.most_requests} requests"
    )
    for share in _CACHES:
        missed = share_missed(site, traffic.asked, share * whole)
        click.echo(f"a cache of {share:.0%} of the site passes on {missed:.1%} of the requests")


if __name__ == "__main__":
    main()

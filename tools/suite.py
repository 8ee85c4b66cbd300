"""Makes the opening suites in data/openings: random positions that the engine finds balanced.

python -m tools.suite gomoku-15 data/openings
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path
from random import Random
from warnings import filterwarnings

import click
from joblib import Parallel, delayed

from engine import __version__, registry
from engine.game import Game, Key
from engine.position import Move, Position
from engine.search import Limits, Searcher
from fivebook import prove
from fivebook.options import GAME, POSITIVE
from service.play.arena.openings import InvalidOpenings, Opening, read_openings

HELD_OUT = "held-out"
# Stones near the centre bear on each other; on the small board of Pentago-swap this is all of it.
_REACH = 3
_PLIES = (3, 7)
# Shorter looks discard most of the unbalanced, with a margin for their being wrong. Each has so
# many times the nodes of the one before, the first no fewer than so many.
_LONGER, _LOOK_NODES = 10, 20_000
_LOOK_MARGIN = 2
# Lines that a process tries with one searcher.
_BLOCK = 8
# MiB for what a proof knows of positions.
PROOF_MEMORY = 256


@dataclass(frozen=True, slots=True)
class Balance:
    """What an opening has to be: within `margin` centi-units of equal by a search of `nodes`.

    With `proof_nodes` the game's prover, too, must leave open who wins: half of them are for a
    win of each side.
    """

    margin: int
    nodes: int
    proof_nodes: int = 0

    @property
    def options(self) -> str:
        """As on the command line."""
        proof = f" --proof-nodes {self.proof_nodes}" if self.proof_nodes else ""
        return f"--margin {self.margin} --nodes {self.nodes}{proof}"

    @property
    def comment(self) -> str:
        """For a file, to go on after `no two equal by symmetry`."""
        comment = f"""\
unproven and within {self.margin} centi-units
# of equal in a search of {self.nodes:,} nodes by fivebook {__version__}'s engine"""
        if self.proof_nodes:
            comment += f",\n# and open to a proof by {self.proof_nodes:,} nodes"
        return comment


@click.command()
@click.argument("game", type=GAME)
@click.argument("folder", type=click.Path(file_okay=False, path_type=Path))
@click.option("--openings", type=POSITIVE, default=500, show_default=True)
@click.option("--margin", type=POSITIVE, default=200, show_default=True, help="In centi-units.")
@click.option("--nodes", type=POSITIVE, default=300_000, show_default=True)
@click.option(
    "--proof-nodes",
    type=click.IntRange(min=0),
    default=0,
    show_default=True,
    help="Leave out, too, what the prover decides by so many nodes, half of them for each side.",
)
@click.option("--seed", type=int, default=1, show_default=True)
@click.option("--jobs", type=POSITIVE, default=1, show_default=True)
@click.option(
    "--roots",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    multiple=True,
    help="Openings below which a book has grown: none of them is held out. May be given again.",
)
def main(
    game: Game,
    folder: Path,
    openings: int,
    margin: int,
    nodes: int,
    proof_nodes: int,
    seed: int,
    jobs: int,
    roots: tuple[Path, ...],
) -> None:
    """Write a suite of balanced openings for GAME.

    It is the same for the same engine and options, whatever the number of jobs.

    One half, drawn by lot, goes to FOLDER, and is played while the engine is developed. The other
    goes to held-out/ in it, for matches that say how strong it has become.
    """
    grown = {key for file in roots for key in _keys_in(file, game)}
    balance = Balance(margin, nodes, proof_nodes)
    found: list[Opening] = []
    for line in islice(_balanced(game, balance, seed, jobs), openings):
        found.append(line)
        done = len(found) == openings
        click.echo(f"\r{game.id}: {len(found)} of {openings}", nl=done, err=True)
    Random(seed).shuffle(found)
    # The roots come into the first half, all others stay as they were drawn.
    found.sort(key=lambda line: _key(game, line) not in grown)
    command = f"{game.id} {folder} --openings {openings} {balance.options} --seed {seed}"
    command += "".join(f" --roots {file}" for file in roots)
    half = -(-openings // 2)
    for place, lines in ((folder, found[:half]), (folder / HELD_OUT, found[half:])):
        place.mkdir(parents=True, exist_ok=True)
        text = _suite(game, lines, balance, command)
        (place / f"{game.id}.txt").write_text(text, encoding="utf-8")


def _suite(game: Game, lines: Sequence[Opening], balance: Balance, command: str) -> str:
    """A file of openings, and how it was made."""
    shortest, longest = _PLIES
    head = f"""\
# {len(lines)} openings for {game.id}: {shortest} to {longest} random moves near
# the centre, no two equal by symmetry, {balance.comment}.
# Made by: python -m tools.suite {command}
# Licence: MIT, as fivebook itself.
"""
    return head + "".join(f"{game.format_line(line)}\n" for line in lines)


def _keys_in(roots: Path, game: Game) -> set[Key]:
    try:
        return {_key(game, line) for line in read_openings(game, roots)}
    except InvalidOpenings as error:
        raise click.BadParameter(str(error), param_hint="--roots") from error


def _key(game: Game, line: Sequence[Move]) -> Key:
    return game.canonical(game.play_line(line)).key


def _balanced(game: Game, balance: Balance, seed: int, jobs: int) -> Iterator[Opening]:
    # More are tried at once than will be wanted.
    filterwarnings("ignore", message=".* tasks which were still being processed")
    lines = _lines(game, Random(seed))
    blocks = iter(lambda: list(islice(lines, _BLOCK)), [])
    found = Parallel(n_jobs=jobs, return_as="generator")(
        delayed(_balanced_of)(game.id, block, balance) for block in blocks
    )
    return chain.from_iterable(found)


def _lines(game: Game, random: Random) -> Iterator[Opening]:
    """Lines at random, without end: after none the game is over, and no two are alike."""
    seen = set()
    while True:
        line = random_line(game, random)
        position = game.play_line(line)
        key = game.canonical(position).key
        if key not in seen and game.outcome(position) is None:
            seen.add(key)
            yield tuple(line)


def _balanced_of(game_id: str, lines: Sequence[Opening], balance: Balance) -> list[Opening]:
    """Those of the lines that neither the search, nor shorter ones, nor a proof take for uneven."""
    game = registry.get(game_id)
    searcher = game.searcher()
    even = [line for line in lines if _is_even(searcher, game.play_line(line), balance)]
    return [line for line in even if not balance.proof_nodes or _is_open(game, line, balance)]


def _is_even(searcher: Searcher, position: Position, balance: Balance) -> bool:
    looks = [balance.nodes]
    while looks[0] // _LONGER >= _LOOK_NODES:
        looks.insert(0, looks[0] // _LONGER)
    for spent in looks:
        result = searcher.search(position, Limits(nodes=spent))
        most = balance.margin if spent == balance.nodes else _LOOK_MARGIN * balance.margin
        if result.proven or abs(result.value) > most:
            return False
    return True


def _is_open(game: Game, line: Opening, balance: Balance) -> bool:
    moves = game.format_line(line)
    proof = prove(game.id, moves, nodes=balance.proof_nodes, memory=PROOF_MEMORY)
    return proof.result == "open"


def random_line(game: Game, random: Random) -> list[Move]:
    """A few random moves near the centre; the game may be over after them."""
    line: list[Move] = []
    position = game.initial
    length = random.randint(*_PLIES)
    while len(line) < length and game.outcome(position) is None:
        move = random.choice(central_moves(game, position))
        line.append(move)
        position = game.play(position, move)
    return line


def central_moves(game: Game, position: Position, reach: int = _REACH) -> list[Move]:
    """The legal moves to cells within `reach` of the centre, in rows and in columns."""
    return [move for move in game.legal_moves(position) if _is_central(game, move, reach)]


def _is_central(game: Game, move: Move, reach: int) -> bool:
    row, column = divmod(game.cell_of(move), game.width)
    # Twice the distance from the centre, which on an even board lies between cells.
    return max(abs(2 * row - game.height + 1), abs(2 * column - game.width + 1)) <= 2 * reach


if __name__ == "__main__":
    main()

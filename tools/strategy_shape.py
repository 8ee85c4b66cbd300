"""Draws the shape of a strategy: its positions by stones, and how long the openings may last.

python -m tools.strategy_shape data/gomoku-15.cert -o docs/gomoku-won-shape.svg
"""

from collections import Counter
from pathlib import Path

import click
from matplotlib import rc_context
from matplotlib.figure import Figure

from book.certificates.gomoku.checker import Checker
from book.certificates.gomoku.file import CertificateError, read

_SIZE = (8.0, 3.2)
# After the second and the fourth move each is a proof of its own.
_STONES_OF_OPENING = 5
_BLUE, _ORANGE = "#0072b2", "#d55e00"


@click.command()
@click.argument("certificate", type=click.Path(path_type=Path, dir_okay=False, exists=True))
@click.option("-o", "--output", required=True, type=click.Path(path_type=Path, dir_okay=False))
def main(certificate: Path, output: Path) -> None:
    """Check CERTIFICATE, a win of Gomoku, and draw it."""
    try:
        entries, openings = shape(certificate)
    except CertificateError as error:
        raise click.ClickException(str(error)) from None
    _draw(entries, openings, output)


def shape(certificate: Path) -> tuple[Counter[int], Counter[int]]:
    """How many entries have so many stones, and how many openings last so many plies at most.

    Raises:
        CertificateError: if the file is none, or has a hole.
    """
    strategy = read(certificate)
    checker = Checker(strategy)
    for _ in checker.steps():
        pass
    distances = checker.distances
    if distances is None:
        raise CertificateError(f"'{certificate}' is rejected: {checker.hole}")
    stones = [strategy.board(number).stones for number in range(strategy.entries)]
    openings = [
        plies
        for count, plies in zip(stones, distances.tolist(), strict=True)
        if count == _STONES_OF_OPENING
    ]
    return Counter(stones), Counter(openings)


def _draw(entries: Counter[int], openings: Counter[int], output: Path) -> None:
    figure = Figure(figsize=_SIZE, layout="constrained")
    how_many, how_long = figure.subplots(1, 2)
    how_many.bar(list(entries), list(entries.values()), width=1.6, color=_BLUE)
    how_many.set(yscale="log", xlabel="stones", ylabel="positions")
    how_many.set_title("Positions of the strategy, light to move")
    how_long.bar(list(openings), list(openings.values()), width=1.6, color=_ORANGE)
    how_long.set(yscale="log", xlabel="plies to dark's five, at most", ylabel="positions")
    how_long.set_title(f"Those with {_STONES_OF_OPENING} stones")
    for axes in (how_many, how_long):
        axes.spines[["top", "right"]].set_visible(False)
        axes.grid(axis="y", color="#e6e6e6")
        axes.set_axisbelow(True)
    # So that a picture of the same strategy is the same file.
    with rc_context({"svg.hashsalt": "fivebook"}):
        figure.savefig(output, metadata={"Date": None} if output.suffix == ".svg" else None)


if __name__ == "__main__":
    main()

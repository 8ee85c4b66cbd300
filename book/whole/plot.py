"""A book in four pictures. All that is drawn is added up by the database."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqlalchemy import bindparam, func, inspect, literal_column, select

from book.errors import BookError
from book.output import check_output, files_of
from book.reader import BookReader
from book.replacing import replacing
from book.storage.address import Address
from book.storage.schema import games, history, moves, positions
from book.whole.summary import Layer, summarise
from engine.game import Game
from engine.values import WIN, winning_probability

# Values are counted in steps of so much, which is about one hundredth of a winning probability.
_STEP = 20
_BINS = 20
# Okabe and Ito's colours, which people of any colour vision tell apart.
_DARK_BLUE, _LIGHT_BLUE, _ORANGE = "#0072B2", "#9AD0F0", "#D55E00"
_DPI = 120
# Of the files that matplotlib writes.
_STARTS = (
    b"\x89PNG",
    b"%PDF",
    b"%!PS",
    b"<?xml",
    b"<svg",
    b"\xff\xd8\xff",
    b"RIFF",
    b"II*",
    b"GIF",
)
_LONGEST_START = 8

_of_game = games.c.name == bindparam("name")
_parity = positions.c.ply % literal_column("2")
_step = (positions.c.value + literal_column(str(WIN))) // literal_column(str(_STEP))
_values = (
    select(
        _parity.label("parity"),
        positions.c.proven,
        _step.label("step"),
        func.count().label("positions"),
    )
    .join(games)
    .where(_of_game)
    .group_by(_parity, positions.c.proven, _step)
)
_links = (
    select(positions.c.ply, func.count().label("links"))
    .join(moves, moves.c.parent == positions.c.id)
    .join(games, games.c.id == positions.c.game)
    .where(_of_game)
    .group_by(positions.c.ply)
)
_history = (
    select(history.c.at, history.c.positions, history.c.value, history.c.proven)
    .join(games)
    .where(_of_game)
    .order_by(history.c.id)
)


class NoPlot(BookError):
    """A plot cannot be drawn."""


@dataclass(frozen=True, slots=True)
class RecordedValue:
    """What the empty board was worth, for dark, from a number of positions on."""

    at: str
    positions: int
    value: int
    proven: bool


@dataclass(frozen=True, slots=True)
class Picture:
    """What is drawn of a game.

    `chances` counts the positions by dark's winning probability, in bins of equal width from 0 to
    1: first the proven ones, then the others. `branching` is the mean number of stored children of
    a position, by ply.
    """

    game: Game
    layers: tuple[Layer, ...]
    chances: tuple[list[int], list[int]]
    branching: dict[int, float]
    recorded: tuple[RecordedValue, ...]


def picture(reader: BookReader, game: Game) -> Picture:
    """What there is to draw of `game` in an open book."""
    layers = summarise(reader, game).layers
    chances: tuple[list[int], list[int]] = ([0] * _BINS, [0] * _BINS)
    named = {"name": game.id}
    with reader.connection() as connection:
        for row in connection.execute(_values, named):
            value = row.step * _STEP + _STEP // 2 - WIN
            chance = winning_probability(-value if row.parity else value)
            chances[0 if row.proven else 1][min(int(chance * _BINS), _BINS - 1)] += row.positions
        links = {row.ply: row.links for row in connection.execute(_links, named)}
        # An older book, which no builder has had since, has no such table.
        has_history = inspect(connection).has_table(history.name)
        recorded = tuple(
            RecordedValue(row.at, row.positions, row.value, bool(row.proven))
            for row in (connection.execute(_history, named) if has_history else ())
        )
    branching = {layer.ply: links.get(layer.ply, 0) / layer.positions for layer in layers}
    return Picture(game, layers, chances, branching, recorded)


@contextmanager
def image(
    path: Path,
    inches: tuple[float, float] = (10, 7),
    *,
    inputs: Sequence[Path] = (),
    force: bool = False,
) -> Iterator[Any]:
    """A matplotlib figure, which is written to `path`, by its ending, at the end of the block.

    Without an ending it is a .png file. See `check_output` for `inputs` and `force`.

    Raises:
        OutputRefused: if there is something else at `path`.
        NoPlot: if matplotlib is missing or the file cannot be written.
    """
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise NoPlot("a plot needs matplotlib: pip install 'fivebook[plot]'") from None
    if not path.suffix:
        path = path.with_name(f"{path.name}.png")
    check_output(path, inputs, _is_image, force=force)
    figure = Figure(figsize=inches, layout="constrained")
    yield figure
    try:
        with replacing(path) as partial:
            figure.savefig(partial, dpi=_DPI, format=path.suffix.removeprefix("."))
    except (OSError, ValueError) as error:
        raise NoPlot(f"cannot write the plot '{path}': {error}") from error


def _is_image(path: Path) -> bool:
    with path.open("rb") as file:
        start = file.read(_LONGEST_START)
    return not start or start.startswith(_STARTS)


def draw(picture: Picture, book: Address, path: Path, *, force: bool = False) -> None:
    """Draw the picture of a book into a file, by its ending.

    Raises:
        OutputRefused: if there is something else at `path`, unless it is forced, or the book.
        NoPlot: if matplotlib is missing or the file cannot be written.
    """
    with image(path, inputs=files_of(book), force=force) as figure:
        (plies, values), (branches, root) = figure.subplots(2, 2)
        _draw_plies(plies, picture)
        _draw_values(values, picture)
        _draw_branching(branches, picture)
        _draw_root(root, picture)
        for axes in (plies, values, branches, root):
            axes.spines[["top", "right"]].set_visible(False)
            axes.grid(axis="y", alpha=0.3)
            axes.set_axisbelow(True)
        stored = sum(layer.positions for layer in picture.layers)
        figure.suptitle(f"{book.name}: {picture.game.id}, {stored:,} positions")


def _draw_plies(axes: Any, picture: Picture) -> None:
    plies = [layer.ply for layer in picture.layers]
    proven = [layer.proven for layer in picture.layers]
    others = [layer.positions - layer.proven for layer in picture.layers]
    axes.bar(plies, proven, color=_DARK_BLUE, label="proven", width=0.8)
    axes.bar(plies, others, bottom=proven, color=_LIGHT_BLUE, label="not proven", width=0.8)
    axes.set(title="Positions by ply", xlabel="ply", ylabel="positions")
    _whole_numbers(axes)
    axes.yaxis.set_major_formatter("{x:,.0f}")
    axes.legend(frameon=False)


def _draw_values(axes: Any, picture: Picture) -> None:
    proven, others = picture.chances
    left = [100 * bin / _BINS for bin in range(_BINS)]
    width = {"width": 0.9 * 100 / _BINS, "align": "edge"}
    axes.bar(left, proven, color=_DARK_BLUE, label="proven", **width)
    axes.bar(left, others, bottom=proven, color=_LIGHT_BLUE, label="not proven", **width)
    axes.set(
        title="Book values",
        xlabel="winning probability of dark, %",
        ylabel="positions",
        xlim=(0, 100),
    )
    axes.yaxis.set_major_formatter("{x:,.0f}")


def _draw_branching(axes: Any, picture: Picture) -> None:
    axes.plot(
        list(picture.branching), list(picture.branching.values()), color=_DARK_BLUE, marker="o"
    )
    axes.set(title="Branching", xlabel="ply", ylabel="stored children of a position, mean")
    axes.set_ylim(bottom=0)
    _whole_numbers(axes)


def _draw_root(axes: Any, picture: Picture) -> None:
    recorded = picture.recorded
    title = "Value of the empty board as the book grew"
    axes.set(title=title, ylabel="winning probability of dark, %", ylim=(0, 102))
    if not recorded:
        axes.set_xticks([])
        axes.text(0.5, 0.5, "not recorded in this book", ha="center", transform=axes.transAxes)
        return
    last = max(recorded[-1].positions, sum(layer.positions for layer in picture.layers))
    counts = [each.positions for each in recorded]
    chances = [100 * winning_probability(each.value) for each in recorded]
    axes.step([*counts, last], [*chances, chances[-1]], where="post", color=_DARK_BLUE)
    proven = [at for at, each in enumerate(recorded) if each.proven]
    if proven:
        found = [counts[at] for at in proven], [chances[at] for at in proven]
        axes.plot(*found, "D", color=_ORANGE, label="proven", clip_on=False)
        axes.legend(frameon=False, loc="center right")
    first_day, last_day = recorded[0].at[:10], recorded[-1].at[:10]
    days = first_day if first_day == last_day else f"{first_day} to {last_day}"
    axes.xaxis.set_major_formatter("{x:,.0f}")
    axes.set_xlabel(f"positions in the book ({days})")


def _whole_numbers(axes: Any) -> None:
    from matplotlib.ticker import MaxNLocator

    axes.xaxis.set_major_locator(MaxNLocator(integer=True))

"""How far a build is, and a proof in one go."""

import time
from contextlib import suppress
from datetime import timedelta

from rich.console import RenderableType
from rich.progress_bar import ProgressBar
from rich.spinner import Spinner
from rich.table import Table
from rich.text import Text

from book.errors import BookAway
from book.reader import BookReader
from book.storage.address import AnyAddress
from engine.values import describe_value
from precompute.builder import BuildOptions, BuildState
from precompute.modes.prove_by_solver import ProofState
from precompute.modes.refine import Refine

_BAR_WIDTH = 24


class BuildView:
    """Tells the state of a build: positions, rate, time left, the root's value and line."""

    def __init__(self, address: AnyAddress, options: BuildOptions) -> None:
        self._address = address
        self._options = options
        self._most = options.mode.bounds.positions
        self._spinner = Spinner("dots")
        self._elapsed = _Elapsed()
        self._root = "out of reach"

    def describe(self, state: BuildState) -> str:
        """The state in one line."""
        rate = _rate(state)
        left = self._time_left(state, rate)
        root = self._root if state.cut_off else self.root()
        parts = (f"{state.positions:,} positions", self._pace(state), left, f"root {root}")
        return ", ".join(filter(None, parts))

    def draw(self, state: BuildState) -> RenderableType:
        """The state with a bar, for a terminal."""
        rate = _rate(state)
        line = Table.grid(padding=(0, 1))
        line.add_row(
            self._spinner,
            f"{state.positions:,} positions",
            ProgressBar(self._most, state.positions, width=_BAR_WIDTH),
            self._pace(state),
            self._elapsed,
            self._time_left(state, rate),
            self._root if state.cut_off else self.root(),
        )
        return line

    def root(self) -> str:
        """The root's value and line, as a reader of the book sees them now, or saw them last."""
        # The build goes on without a look at a book that is out of reach for a moment.
        with suppress(BookAway):
            self._root = self._read_root()
        return self._root

    def _read_root(self) -> str:
        game = self._options.game
        roots = self._options.roots
        with BookReader(self._address) as reader:
            if roots:
                known = sum(reader.get(game, game.play_line(line)) is not None for line in roots)
                return f"{known} of {len(roots)} searched"
            entry = reader.get(game, self._options.root)
        if entry is None:
            return "not searched yet"
        value = describe_value(entry.value, entry.proven)
        return f"{value}  {game.format_line(entry.moves[0].line)}"

    def _pace(self, state: BuildState) -> str:
        """The positions added in a second; of a refining, which adds none, what it searched."""
        if isinstance(self._options.mode, Refine):
            searched = _a_second(state.searches, state)
            return f"{state.searches:,} searches, {searched:.1f}/s"
        return f"{_rate(state):.1f}/s"

    def _time_left(self, state: BuildState, rate: float) -> str:
        if state.cut_off:
            return "the book is out of reach, waiting for it"
        if state.deserted:
            return "no worker is left, waiting for one"
        left = []
        if self._options.seconds:
            left.append(self._options.seconds - state.seconds)
        if self._most and rate:
            left.append((self._most - state.positions) / rate)
        return f"{max(0.0, min(left)):.0f} s left" if left else ""


class _Elapsed:
    """The time since it was made, whenever it is drawn."""

    def __init__(self) -> None:
        self._began = time.monotonic()

    def __rich__(self) -> Text:
        return Text(str(timedelta(seconds=int(time.monotonic() - self._began))))


def _rate(state: BuildState) -> float:
    return _a_second(state.added, state)


def _a_second(done: int, state: BuildState | ProofState) -> float:
    return done / max(state.seconds, 1e-9)


def describe_proof(state: ProofState) -> str:
    """How far a proof is, in one line: the horizon done with and the effort, then the positions."""
    proof = state.proof
    rate = _a_second(proof.nodes, state) / 1e6
    effort = f"{proof.nodes:,} nodes, {rate:.2f} M/s, table {100 * proof.table:.1f} % full"
    if proof.won:
        return f"win in {proof.distance} proven; the winner's positions: {state.positions:,}"
    return f"no win within {proof.horizon} plies; {effort}"

"""Showing a build: a live bar on a terminal, plain lines elsewhere."""

import time

from rich.progress import (
    BarColumn,
    Progress,
    SpinnerColumn,
    TextColumn,
    TimeElapsedColumn,
)

from book.reader import BookReader
from book.storage.address import Address
from book.storage.closing import Closing
from fivebook.console import console, describe_value
from precompute.builder import BuildOptions, BuildState
from precompute.modes.prove_by_solver import ProofState

_SECONDS_BETWEEN_LINES = 5.0
_SECONDS_BETWEEN_UPDATES = 0.2


class BuildDisplay(Closing):
    """Shows the state of a build: positions, rate, time left, the root's value and line."""

    def __init__(self, address: Address, options: BuildOptions) -> None:
        self._address = address
        self._options = options
        self._due = 0.0
        self._bar = Progress(
            SpinnerColumn(),
            TextColumn("{task.completed:,} positions"),
            BarColumn(bar_width=24),
            TextColumn("{task.fields[rate]:.1f}/s"),
            TimeElapsedColumn(),
            TextColumn("{task.fields[left]}"),
            TextColumn("{task.fields[root]}"),
            console=console,
            disable=not console.is_terminal,
        )
        most = options.mode.bounds.positions
        self._task = self._bar.add_task("", total=most, rate=0.0, left="", root="")
        self._bar.start()

    def close(self) -> None:
        """Leave the terminal as it is."""
        self._bar.stop()

    def show(self, state: BuildState) -> None:
        """Take in a new state; it is drawn or printed every so often."""
        if time.monotonic() < self._due:
            return
        live = console.is_terminal
        pause = _SECONDS_BETWEEN_UPDATES if live else _SECONDS_BETWEEN_LINES
        self._due = time.monotonic() + pause
        rate = state.added / max(state.seconds, 1e-9)
        left = self._time_left(state, rate)
        if live:
            self._bar.update(
                self._task, completed=state.positions, rate=rate, left=left, root=self.root()
            )
        else:
            parts = (f"{state.positions:,} positions, {rate:.1f}/s", left, f"root {self.root()}")
            console.print(", ".join(filter(None, parts)), highlight=False, soft_wrap=True)

    def root(self) -> str:
        """The root's value and line, as a reader of the book sees them now."""
        game = self._options.game
        with BookReader(self._address) as reader:
            entry = reader.get(game, self._options.root)
        if entry is None:
            return "not searched yet"
        value = describe_value(entry.value, entry.proven)
        return f"{value}  {game.format_line(entry.moves[0].line)}"

    def _time_left(self, state: BuildState, rate: float) -> str:
        if state.deserted:
            return "no worker is left, waiting for one"
        left = []
        if self._options.seconds:
            left.append(self._options.seconds - state.seconds)
        most = self._options.mode.bounds.positions
        if most and rate:
            left.append((most - state.positions) / rate)
        return f"{max(0.0, min(left)):.0f} s left" if left else ""


class ProofDisplay(Closing):
    """Shows how far a proof is: the horizon that is done with, nodes, table; then positions."""

    def __init__(self) -> None:
        self._due = 0.0
        self._status = console.status("") if console.is_terminal else None
        if self._status:
            self._status.start()

    def close(self) -> None:
        """Leave the terminal as it is."""
        if self._status:
            self._status.stop()

    def show(self, state: ProofState) -> None:
        """Take in a new state; it is drawn or printed every so often."""
        if time.monotonic() < self._due:
            return
        pause = _SECONDS_BETWEEN_UPDATES if self._status else _SECONDS_BETWEEN_LINES
        self._due = time.monotonic() + pause
        if self._status:
            self._status.update(describe_proof(state))
        else:
            console.print(describe_proof(state), highlight=False, soft_wrap=True)


def describe_proof(state: ProofState) -> str:
    """How far a proof is, in one line."""
    proof = state.proof
    rate = proof.nodes / max(state.seconds, 1e-9) / 1e6
    effort = f"{proof.nodes:,} nodes, {rate:.2f} M/s, table {100 * proof.table:.1f} % full"
    if proof.won:
        return f"win in {proof.distance} proven; the winner's positions: {state.positions:,}"
    return f"no win within {proof.horizon} plies; {effort}"

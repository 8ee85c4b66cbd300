"""How far a proof by parts is, in one line."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from precompute.certificates.gomoku.builder import PartsBuildState
    from precompute.certificates.gomoku.proof import PartsState


def describe_parts(state: PartsState) -> str:
    """The openings and parts done, with the rate and the time left."""
    left = state.seconds_left
    return (
        f"{state.finished} of {state.openings} openings, {state.won:,} of {state.parts:,} parts "
        f"proved, {state.rate:.1f}/s"
        + ("" if left is None else f", {left:.0f} s left")
        + f" (up to {state.limit:,} nodes each)"
    )


def describe_parts_build(state: PartsBuildState) -> str:
    """The proof, then the strategy that is looked at and stored."""
    if state.distance is not None:
        return f"win in {state.distance} proven; the strategy has {state.entries:,} positions"
    if state.entries:
        parts = state.parts
        won = "won" if parts.won == parts.parts else f"{parts.won:,} of {parts.parts:,} parts won"
        return f"{won}; {state.looked:,} of {state.entries:,} positions of the strategy looked at"
    return describe_parts(state.parts)

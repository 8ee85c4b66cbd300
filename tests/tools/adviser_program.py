"""A program that says where it sees a win as Rapfi does: for tests of `tools.advised_proof`.

With `hopes` it sees no win, but says 400 there.
"""

import sys

from engine.games.gomoku.strategy.finder import StrategyFinder
from precompute.certificates.gomoku.part import game_of

_NODES = 2_000_000


def main() -> None:
    """Answer each board on the standard input."""
    stones: dict[str, list[int]] = {"1": [], "2": []}
    win = "400" if sys.argv[1:] == ["hopes"] else "+M21"
    for line in map(str.strip, sys.stdin):
        if line.startswith("START"):
            game = game_of(f"gomoku-{line.split()[1]}")
        elif line == "BOARD":
            stones = {"1": [], "2": []}
        elif line == "DONE":
            # Its own stones come first, and dark has moved as often as light.
            moves = [move for pair in zip(stones["1"], stones["2"], strict=True) for move in pair]
            position = game.play_line(moves)
            finder = StrategyFinder(game)
            won = finder.prove(position, nodes=_NODES).won
            entry = finder.move(position)
            print(f"MESSAGE Depth 9-9 | Eval {win if won else '100'} | Time 1s", flush=True)
            move = entry.move if entry is not None else game.legal_moves(position)[0]
            print(f"{move % game.size},{move // game.size}", flush=True)
        elif line[:1].isdigit():
            column, row, who = line.split(",")
            stones[who].append(int(row) * game.size + int(column))


if __name__ == "__main__":
    main()

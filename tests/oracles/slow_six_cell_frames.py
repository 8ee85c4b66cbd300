"""The six-cell frames agent once more, from its description: slow, plain, nothing shared.

Stones are a dictionary from (row, column) to ``x`` or ``o``; a frame is written from the point of
view of one side, `o` for its own stones, `.` for empty cells and `#` for everything that blocks.
"""

from engine.position import Position, cells_of

Cell = tuple[int, int]
Stones = dict[Cell, str]

AXES = ((0, 1), (1, 0), (1, 1), (1, -1))
OTHER = {"x": "o", "o": "x"}


def worth_of_frame(frame: str) -> int:
    """By the number of own stones in five free cells, and by name where both ends are open."""
    mirrored = frame[::-1]
    free = [part.count("o") for part in (frame[:5], frame[1:]) if "#" not in part]
    most = max(free, default=0)
    if most == 5:
        return 1_000_000
    if frame == ".oooo.":
        return 50_000
    if most == 4:
        return 5_000
    if ".ooo.." in (frame, mirrored):
        return 2_000
    if ".oo.o." in (frame, mirrored):
        return 1_500
    if most == 3:
        return 300
    open_ends = frame[0] == frame[5] == "."
    if open_ends and most == 2 and "#" not in frame:
        return 100
    return {0: 0, 1: 5, 2: 20}[most]


def worth_of_stone(size: int, stones: Stones, cell: Cell, side: str) -> int:
    """The best frame through a new stone of `side`, on each axis, added up."""
    total = 0
    for down, across in AXES:
        line = ""
        for step in range(-4, 5):
            row, column = cell[0] + step * down, cell[1] + step * across
            if step == 0:
                line += "o"
            elif not (0 <= row < size and 0 <= column < size):
                line += "#"
            elif (row, column) not in stones:
                line += "."
            else:
                line += "o" if stones[row, column] == side else "#"
        total += max(worth_of_frame(line[start : start + 6]) for start in range(4))
    return total


def candidates(size: int, stones: Stones, side: str) -> list[tuple[Cell, int, bool]]:
    """The ten best cells next to stones, each with its gain and whether it completes five."""
    found = []
    for row in range(size):
        for column in range(size):
            beside = [
                (r, c)
                for r in (row - 1, row, row + 1)
                for c in (column - 1, column, column + 1)
                if (r, c) in stones
            ]
            if (row, column) in stones or not beside:
                continue
            own = worth_of_stone(size, stones, (row, column), side)
            blocked = worth_of_stone(size, stones, (row, column), OTHER[side])
            found.append(((row, column), own + blocked, own >= 1_000_000))
    fives = [candidate for candidate in found if candidate[2]]
    return fives[:1] or sorted(found, key=lambda candidate: -candidate[1])[:10]


def best(size: int, stones: Stones, side: str, depth: int) -> tuple[Cell | None, int, int]:
    """The best move, its worth, and the number of moves tried for it."""
    tried = []
    nodes = 0
    for cell, gain, five in candidates(size, stones, side) if depth else []:
        nodes += 1
        value = gain
        if not five:
            _, reply, below = best(size, {**stones, cell: side}, OTHER[side], depth - 1)
            value -= reply
            nodes += below
        tried.append((cell, value))
    if not tried:
        return None, 0, nodes
    cell, value = max(tried, key=lambda move: move[1])
    return cell, value, nodes


def choose(size: int, position: Position, depth: int) -> tuple[int, int, int]:
    """The agent's move, its value and its nodes, in a position with at least one stone."""
    stones = {divmod(cell, size): "x" for cell in cells_of(position.dark)}
    stones |= {divmod(cell, size): "o" for cell in cells_of(position.light)}
    cell, value, nodes = best(size, stones, "x" if position.dark_to_move else "o", depth)
    assert cell is not None
    return cell[0] * size + cell[1], value, nodes

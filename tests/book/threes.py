"""Three in a row on 3×3, every value of which is known, and random books of it."""

from functools import cache
from random import Random

from book.rows.encoding import Rest, Searched
from book.writer import BookWriter, Task
from engine.game import Canonical, Game, Key, Outcome
from engine.games.gomoku import Gomoku, Rule
from engine.lines import Rows
from engine.position import Move, Position
from engine.values import HEURISTIC_MAX, WIN, Bound, Value, from_child
from tests.book.handmade import Place


class Threes(Gomoku):
    """The rules of Gomoku, but for the size of the board and of the row."""

    def __init__(self) -> None:
        super().__init__(3, Rule.FREESTYLE)
        self.id = "threes"
        self._dark_rows = self._light_rows = Rows(3, 3, 3)

    def evaluation(self) -> None:  # type: ignore[override]
        """None: nothing is searched."""


GAME = Threes()


@cache
def truth(stones: bytes) -> Value:
    """The true value of an unfinished canonical position."""
    return max(after for _, after, _ in moves_of(stones))


@cache
def moves_of(stones: bytes) -> list[tuple[Move, Value, Key | None]]:
    """Each move with its true value and the key of what is behind it, if the game goes on."""
    position = GAME.unpack(stones)
    return [(move, *_after(GAME.play(position, move))) for move in GAME.legal_moves(position)]


def _after(position: Position) -> tuple[Value, Key | None]:
    outcome = GAME.outcome(position)
    if outcome is not None:
        return 0 if outcome is Outcome.DRAW else WIN - 1, None
    canonical = GAME.canonical(position)
    return from_child(truth(canonical.stones)), canonical.key


def every_position() -> list[Canonical]:
    """All unfinished positions, one of those that are equal."""
    found = {GAME.canonical(GAME.initial).key: GAME.canonical(GAME.initial)}
    waiting = list(found.values())
    while waiting:
        for child in GAME.children(waiting.pop().position):
            if child.canonical.key not in found:
                found[child.canonical.key] = child.canonical
                waiting.append(child.canonical)
    return [found[key] for key in sorted(found)]


def random_book(place: Place, random: Random) -> Place:
    """A book of some positions, whose slots are proven, or loosely, or not, but never wrongly."""
    with BookWriter(place, GAME) as writer:
        run = writer.start_run({"limits": {"nodes": 1}})
        some = random.sample(every_position(), random.randint(40, 220))
        # Each is a probability, so that books differ in more than chance.
        proving, knowing, again = random.random(), random.random(), random.random()
        stored: set[Key] = set()
        with writer.transaction():
            for new, canonical in [(True, c) for c in some] + [(False, c) for c in some]:
                if not new and random.random() > again:
                    continue
                keys = {key for _, _, key in moves_of(canonical.stones) if key in stored}
                left_out = frozenset(key for key in sorted(keys) if random.random() < knowing)
                task = Task(canonical.key, canonical.stones, new, keys if not new else left_out)  # type: ignore[arg-type]
                searched = _searched(task, proving, random)
                writer.enter_batch([(task, searched)], 0, run)
                stored.add(canonical.key)
        writer.end_run(run)
    return place


def _searched(task: Task, proving: float, random: Random) -> Searched:
    """What a search may find that leaves out the task's `excluded`."""
    every = moves_of(task.stones)
    looked_at = [move for move in every if move[2] not in task.excluded]
    children: dict[Key, Move] = {}
    for move, _, key in every if task.new else ():
        if key is not None:
            children[key] = min(move, children.get(key, move))
    return Searched(
        key=task.key,
        stones=task.stones,
        rest=_rest(looked_at, GAME.unpack(task.stones), proving, random) if looked_at else None,
        depth=random.randint(1, 3),
        nodes=random.randint(1, 3),
        milliseconds=0,
        children=children,
    )


def _rest(
    looked_at: list[tuple[Move, Value, Key | None]],
    position: Position,
    proving: float,
    random: Random,
) -> Rest:
    move, value, child = max(looked_at, key=lambda one: (one[1], random.random()))
    bound = Bound.EXACT
    going_on = [one for one in looked_at if one[2] is not None]
    is_proven = random.random() < proving or not going_on
    if not is_proven:
        move, _, child = random.choice(going_on)
        value = random.randint(-300, 300)
    elif abs(value) > HEURISTIC_MAX and child is not None and random.random() < 0.5:
        # Two plies longer than it takes, if the board has room for that.
        later = abs(value) - 2
        if WIN - later <= GAME.cell_count - position.ply:
            value, bound = (later, Bound.LOWER) if value > 0 else (-later, Bound.UPPER)
    return Rest(move, value, bound, is_proven, child, (move,))


def game_called(name: str) -> Game:
    """This game, whatever `engine.games.get` is asked for."""
    assert name == GAME.id
    return GAME

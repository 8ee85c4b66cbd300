"""The attacker's candidate moves, ranked by their pass-wins and the replies left unanswered."""

from typing import Any

import numpy as np
from numba import from_dtype, types

from engine.games.gomoku.board import (
    EMPTY,
    FIVE_MOVE,
    LEVELS,
    MAX_CELLS,
    MOVER,
    STRIDE,
    WAITER,
    State,
    find,
    has_two_ways,
    number_of,
    place,
    take_back,
)
from engine.games.gomoku.strategy.threat_search import ThreatSearch, find_threat_win
from engine.games.gomoku.strategy.trees import Tree, grow_tree, list_answers
from engine.games.gomoku.threats import Threats, level_at
from engine.games.gomoku.vct import list_parries
from engine.kernels import entry_kernel, kernel

CANDIDATES = 16
"""Most candidates that are kept."""

MOST_ANSWERS = 32
"""Most answers that a candidate may have."""

HINTS = 8
"""Most moves that may be tried before all others."""

_HINT_RANK = 1 << 20

SURVEY = np.dtype(
    [
        ("near", np.int16, MAX_CELLS),
        ("rank", np.int32, MAX_CELLS),
        ("moves", np.int16, CANDIDATES + 1),
        ("counts", np.int16, CANDIDATES + 1),
        ("plies", np.int16, CANDIDATES + 1),
        ("longest", np.int16, CANDIDATES + 1),
        ("answers", np.int16, (CANDIDATES + 1, MOST_ANSWERS)),
        ("kept", np.int64),
        ("hints", np.int16, HINTS),
        ("hint_count", np.int64),
        ("span", np.int64),
        ("loudest", np.int64),
        ("most_kept", np.int64),
        ("most_tried", np.int64),
        ("most_answers", np.int64),
        ("pass_nodes", np.int64),
        ("reply_nodes", np.int64),
        ("killers", np.int16, MAX_CELLS),
        ("kills", np.int32, MAX_CELLS),
        ("killer_count", np.int64),
    ],
    align=True,
)
"""What a survey asks, and what it finds.

Asked: `hints`, `hint_count` of them, are tried first; then cells within `span` of a stone on which
a stone achieves at most `loudest`, until `most_tried` have had a pass-win. A pass-win is looked for
within `pass_nodes`, a refutation of each reply to it within `reply_nodes`.

Found: `kept` candidates, at most `most_kept`, fewest answers first: `moves`, `counts` of `answers`,
the `plies` of the pass-win and the `longest` way of another reply to lose, counted after it.
`near`, `rank`, `killers` and `kills` are for the survey's own use: cells by promise, and replies by
how many candidates they answered.
"""

Survey = from_dtype(SURVEY)


@kernel(types.boolean(State, types.int64, types.int64))
def _is_near(s: Any, at: int, span: int) -> bool:
    """Whether a stone is at most `span` rows and columns from `at`."""
    for row in range(-span, span + 1):
        for column in range(-span, span + 1):
            cell = s.cell[at + row * STRIDE + column]
            if cell == 1 or cell == 2:
                return True
    return False


@kernel(types.int64(State, Survey, *[types.int64] * 3))
def _insert(s: Any, w: Any, count: int, at: int, rank: int) -> int:
    """Add a cell to the list by rank, highest first; returns the new length."""
    index = count
    while index > 0 and w.rank[index - 1] < rank:
        w.near[index], w.rank[index] = w.near[index - 1], w.rank[index - 1]
        index -= 1
    w.near[index], w.rank[index] = at, rank
    return count + 1


@kernel(types.int64(State, Threats, Survey))
def _list_near(s: Any, t: Any, w: Any) -> int:
    """List the moves to be tried, hints first; returns their number."""
    defender = 1 - s.colour
    if s.level_count[defender * LEVELS + FIVE_MOVE] > 0:
        w.near[0] = find(s, defender, FIVE_MOVE)
        return 1
    if has_two_ways(s, defender):
        count = list_parries(s, t, 0)
        for index in range(count):
            w.near[index] = t.moves[index]
        return int(count)
    count = 0
    for index in range(s.size * s.size):
        at = int(s.cells[index])
        if s.cell[at] != EMPTY:
            continue
        own = int(s.rank_of[2 * number_of(s, s.colour, at) + MOVER])
        other = int(s.rank_of[2 * number_of(s, defender, at) + WAITER])
        rank = 2 * own + other
        hinted = False
        for order in range(w.hint_count):
            if w.hints[order] == at:
                hinted, rank = True, _HINT_RANK - order
        if hinted or (level_at(s, s.colour, at) <= w.loudest and _is_near(s, at, w.span)):
            count = _insert(s, w, count, at, rank)
    return count


@kernel(types.void(Survey, types.int64))
def _note_killer(w: Any, at: int) -> None:
    """Count a reply that answered a candidate; the most frequent come first."""
    index = 0
    while index < w.killer_count and w.killers[index] != at:
        index += 1
    if index == w.killer_count:
        w.killers[index], w.kills[index] = at, 0
        w.killer_count += 1
    kills = w.kills[index] + 1
    while index > 0 and w.kills[index - 1] < kills:
        w.killers[index], w.kills[index] = w.killers[index - 1], w.kills[index - 1]
        index -= 1
    w.killers[index], w.kills[index] = at, kills


@kernel(types.void(Survey, types.int64, types.int64))
def _keep(w: Any, at: int, count: int) -> None:
    """Put a candidate with `count` answers, which lie behind the last one's, among those kept."""
    last = w.most_kept
    index = min(w.kept, last - 1)
    while index > 0 and w.counts[index - 1] > count:
        w.moves[index], w.counts[index] = w.moves[index - 1], w.counts[index - 1]
        w.plies[index], w.longest[index] = w.plies[index - 1], w.longest[index - 1]
        w.answers[index] = w.answers[index - 1]
        index -= 1
    w.moves[index], w.counts[index] = at, count
    w.plies[index], w.longest[index] = w.plies[last], w.longest[last]
    w.answers[index, :count] = w.answers[last, :count]
    w.kept = min(w.kept + 1, last)


@kernel(types.int64(State, Threats, ThreatSearch, Tree, Survey))
def _find_pass_win(s: Any, t: Any, q: Any, tree: Any, w: Any) -> int:
    """Write the win by threats of the side that is not to move to the tree.

    Returns the plies it takes, 0 if there is none or the side to move has a five at hand.
    """
    if s.level_count[s.colour * LEVELS + FIVE_MOVE] > 0:
        return 0
    s.colour = 1 - s.colour
    plies = find_threat_win(s, t, q, w.pass_nodes)
    if plies > 0:
        plies = grow_tree(s, t, q, tree, w.pass_nodes)
    s.colour = 1 - s.colour
    return int(max(plies, 0))


@kernel(types.boolean(State, Threats, ThreatSearch, Tree, Survey, types.int64))
def _judge(s: Any, t: Any, q: Any, tree: Any, w: Any, at: int) -> bool:
    """Keep the candidate `at` if few replies answer it; whether it has a pass-win."""
    last = w.most_kept
    place(s, at)
    s.nodes += 1
    plies = _find_pass_win(s, t, q, tree, w)
    count = limit = w.most_answers if w.kept < last else int(w.counts[last - 1])
    if plies > 0:
        first = w.killers[: w.killer_count]
        count = list_answers(s, t, q, tree, first, w.answers[last], limit, w.reply_nodes)
        for index in range(count):
            _note_killer(w, w.answers[last, index])
        w.plies[last], w.longest[last] = plies, tree.longest
    take_back(s, at)
    if count < limit:
        _keep(w, at, count)
    return bool(plies > 0)


@entry_kernel(types.void(State, Threats, ThreatSearch, Tree, Survey))
def survey(s: Any, t: Any, q: Any, tree: Any, w: Any) -> None:
    """Look for candidates of the side to move, and keep those with fewest answers in `w`.

    Stops at one without answers, which wins. See SURVEY for what `w` asks and answers.
    """
    w.killer_count = w.kept = 0
    near = _list_near(s, t, w)
    found = 0
    for index in range(near):
        won = w.kept > 0 and w.counts[0] == 0
        if won or found == w.most_tried or s.stop or s.nodes >= s.node_limit:
            break
        found += _judge(s, t, q, tree, w, w.near[index])


@entry_kernel(types.void(State, Threats, ThreatSearch, Tree, Survey))
def survey_replies(s: Any, t: Any, q: Any, tree: Any, w: Any) -> None:
    """Look for the replies of the side to move to what the other side threatens.

    They are the answers of the one candidate kept; none is kept where there is no threat, or
    where there are `most_answers` replies or more.
    """
    w.killer_count = w.kept = 0
    w.most_kept = 1
    plies = _find_pass_win(s, t, q, tree, w)
    if plies > 0:
        count = list_answers(
            s, t, q, tree, w.killers[:0], w.answers[1], w.most_answers, w.reply_nodes
        )
        w.plies[1], w.longest[1] = plies, tree.longest
        if count < w.most_answers:
            _keep(w, 0, count)

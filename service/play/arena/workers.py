"""Processes that play the games of a match."""

from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path

from book.replacing import replacing
from engine import registry
from engine.players.base import Player
from engine.position import Move
from engine.search import Limits
from service.play.arena.openings import Opening as Line
from service.play.arena.referee import Forfeit, PlayedGame, Rules, Watch, play_game
from service.play.openers import opener_of
from service.play.players import make_player
from service.play.swapping import Opening
from service.play.variety import Variety
from service.resident import set_aside


@dataclass(frozen=True, slots=True)
class Table:
    """What all games of a match have in common, as it is sent to a process.

    `texts` describe the players, who are called `names`.
    """

    game_id: str
    texts: tuple[str, str]
    names: tuple[str, str]
    limits: Limits
    rules: Rules
    variety: Variety


def play_in_worker(table: Table, number: int, opening: Line, board: Path | None) -> PlayedGame:
    """The game of this number between the players of `table`; in odd ones the second is dark.

    Where there is a file for it, `board` has its moves as long as it is played.
    """
    players, names = _players(table), table.names
    if number % 2:
        players, names = players[::-1], names[::-1]
    watch: Watch = (lambda moves: None) if board is None else partial(_show, table.game_id, board)
    try:
        played = play_game(players, names, opening, table.rules, number=number, watch=watch)
    finally:
        if board is not None:
            board.unlink(missing_ok=True)
    if played.forfeit in (Forfeit.FAILED, Forfeit.MEMORY):
        # A program that has ended, or holds too much, plays no further game; a new one may.
        for player in players:
            player.close()
        _players.cache_clear()
    return played


def _show(game_id: str, board: Path, moves: Sequence[Move]) -> None:
    with replacing(board) as partial_file:
        partial_file.write_text(registry.get(game_id).format_line(moves))


def check_player(text: str, table: Table) -> None:
    """Make sure that there is a player of this description who can play at `table`.

    Raises:
        FivebookError: if there is none.
    """
    with closing(_player(text, table)) as player:
        rule = table.rules.choosing
        if rule is not None:
            Opening(player.game, rule)
            with opener_of(player, rule, 0):
                pass


def _player(text: str, table: Table) -> Player:
    game, memory = registry.get(table.game_id), table.rules.memory
    return make_player(text, game, table.limits, variety=table.variety, memory=memory)


@cache
def _players(table: Table) -> tuple[Player, Player]:
    """This process's players, two also where they are described alike."""
    first, second = (_player(text, table) for text in table.texts)
    set_aside()
    return first, second

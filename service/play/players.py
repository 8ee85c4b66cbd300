"""Players by what the command line calls them.

`engine`, `engine:nodes=20000`, `engine:book=gomoku.db,movetime=1s`,
`engine:book=gomoku.db,book-margin=3%,seed=5`, `engine:threads=2,table=64`, `random:seed=5`, the
published agents (`six-cell-frames`, `six-cell-frames:depth=4`), `bsdgames`, and
`gomocup:COMMAND LINE` for any program that speaks the Gomocup protocol.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

from book.storage.address import Address
from engine.errors import FivebookError
from engine.game import Game
from engine.players import AGENT_NAMES, UnknownPlayer, agent
from engine.players.base import Player
from engine.players.engine import EnginePlayer
from engine.players.random import RandomPlayer
from engine.quantities import parse_count, parse_duration, parse_percentage
from engine.search import MOST_TABLE, MOST_THREADS, Limits, SearchOptions
from service.errors import InvalidPlayer
from service.play.book import BookPlayer
from service.play.bsdgames import BsdGamesPlayer
from service.play.gomocup import GomocupPlayer
from service.play.variety import ALWAYS_THE_BEST, Variety

PLAYER_NAMES = ("engine", "random", *AGENT_NAMES, "bsdgames", "gomocup:COMMAND")

_Options = dict[str, Any]
_Readers = dict[str, Callable[[str], Any]]

_POSITIVE = partial(parse_count, least=1)
_LIMITS: _Readers = {"movetime": parse_duration, "nodes": _POSITIVE, "depth": _POSITIVE}
_SEARCH: _Readers = {
    "threads": partial(parse_count, least=1, most=MOST_THREADS),
    "table": partial(parse_count, least=1, most=MOST_TABLE),
}
_VARIETY: _Readers = {"book-margin": parse_percentage, "seed": parse_count, "exclude": str}
_ENGINE: _Readers = {**_LIMITS, **_SEARCH, "book": Address.of, **_VARIETY}
_RANDOM: _Readers = {"seed": parse_count}
# No report goes deeper; the trees of some would not fit into memory.
_AGENT: _Readers = {"depth": partial(parse_count, least=1, most=4)}


def make_player(
    text: str,
    game: Game,
    limits: Limits,
    search: SearchOptions = SearchOptions(),
    variety: Variety = ALWAYS_THE_BEST,
    memory: int = 0,
) -> Player:
    """The player that `text` names, for `game`.

    `limits` are for the engine, where `text` gives it none of its own, and their movetime and
    clock for other programs; `search` and `variety` likewise. `memory` is what other programs are
    told that they may use, in bytes; 0: any. In a game with a clock the engine keeps to that
    and to limits of its own. Published agents search to the depth of their report, and take the
    time that needs.

    Raises:
        UnknownPlayer: if there is no player of this name.
        InvalidPlayer: if its options make no sense.
        UnsuitableGame: if it does not play `game`.
        PlayerFailed: if its program does not start.
    """
    name, _, rest = text.partition(":")
    if name == "gomocup":
        return GomocupPlayer(game, rest, limits, memory)
    if name == "engine":
        return _make_engine(game, rest, limits, search, variety)
    return _find(name)(name, game, rest)


def keeps_to_limits(text: str) -> bool:
    """Whether the limits given for all count for the player that `text` names."""
    name, _, rest = text.partition(":")
    return name == "gomocup" or (
        name == "engine" and not _parse(name, rest, _ENGINE).keys() & _LIMITS.keys()
    )


def _find(name: str) -> Callable[[str, Game, str], Player]:
    if name in AGENT_NAMES:
        return _make_agent
    if name not in _MAKERS:
        raise UnknownPlayer(f"unknown player '{name}'; there are {', '.join(PLAYER_NAMES)}")
    return _MAKERS[name]


def _make_engine(
    game: Game, rest: str, limits: Limits, search: SearchOptions, variety: Variety
) -> Player:
    options = _parse("engine", rest, _ENGINE)
    own_limits = {name: options[name] for name in _LIMITS if name in options}
    own_search = {name: options[name] for name in _SEARCH if name in options}
    player = EnginePlayer(
        game, Limits(**own_limits) if own_limits else limits, replace(search, **own_search)
    )
    if "book" not in options:
        return player
    own_variety = Variety(
        options.get("book-margin", variety.margin),
        options.get("seed", variety.seed),
        options.get("exclude", variety.excluded),
    )
    return BookPlayer(options["book"], player, own_variety)


def _make_random(name: str, game: Game, rest: str) -> Player:
    return RandomPlayer(game, **_parse(name, rest, _RANDOM))


def _make_agent(name: str, game: Game, rest: str) -> Player:
    return agent(name)(game, **_parse(name, rest, _AGENT))


def _make_bsdgames(name: str, game: Game, rest: str) -> Player:
    _parse(name, rest, {})
    return BsdGamesPlayer(game)


_MAKERS = {"random": _make_random, "bsdgames": _make_bsdgames}


def _parse(name: str, text: str, known: _Readers) -> _Options:
    """The options in `text`, ``OPTION=VALUE`` separated by commas."""
    found: _Options = {}
    for word in filter(None, text.split(",")):
        option, _, value = word.partition("=")
        if option not in known:
            options = f"its options are {', '.join(known)}" if known else "it has none"
            raise InvalidPlayer(f"player '{name}' has no option '{option}': {options}")
        try:
            found[option] = known[option](value)
        except FivebookError as error:
            raise InvalidPlayer(f"player '{name}': {option}: {error}") from error
    return found

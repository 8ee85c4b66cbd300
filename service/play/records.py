"""Games as files: SGF for Gomoku, plain move text for the Pentago games.

SGF has a number for Gomoku, GM[4], and a point for a move; a move that is more than a cell does
not fit. Of its properties RU holds our game id, ON the number of moves given, and C the reason
why a game ended. The move text:

    [Game "pentago-swap"]
    [Dark "engine"]
    [Light "closeness"]
    [Result "dark wins"]
    [Ending "light resigned"]
    [Opening "2"]

    b2:13 e5:24 a1:12
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from book.errors import InvalidRecord
from book.files.sgf import game_of, outcome_of, parse_point, point
from book.files.syntax import Headers, Node, format_sgf, format_text, parse_sgf, parse_text
from engine import __version__, registry
from engine.game import Game, Outcome
from engine.position import Move, Side

__all__ = [
    "GameRecord",
    "InvalidRecord",
    "format_record",
    "parse_records",
    "read_records",
    "suffix",
]

_COLOURS = "BW"
_WINNERS = {"B": Outcome.DARK_WINS, "W": Outcome.LIGHT_WINS}
_LOSERS = {"B": Side.LIGHT, "W": Side.DARK}
_REASONS = {"R": "resigned", "T": "overstepped the time", "F": "forfeited the game"}
_GIVEN = "given moves: "
_UNFINISHED = "*"


@dataclass(frozen=True, slots=True)
class GameRecord:
    """A game as it was played.

    `dark` and `light` are the players' names. The first `opening` of the moves were given and
    not chosen. `outcome` is None while the game is unfinished; `ending` says in a few words why
    a game ended other than on the board (`light resigned`), and is empty otherwise.
    """

    game: Game
    dark: str
    light: str
    moves: tuple[Move, ...]
    outcome: Outcome | None = None
    ending: str = ""
    opening: int = 0


def suffix(game: Game) -> str:
    """How the names of files with records of `game` end."""
    return ".sgf" if _fits_sgf(game) else ".txt"


def format_record(record: GameRecord) -> str:
    """`record` as text that ends with a newline; several in a row make a collection.

    Line breaks in names become spaces.
    """
    return _as_sgf(record) if _fits_sgf(record.game) else _as_text(record)


def parse_records(text: str) -> list[GameRecord]:
    """The games in `text`, in either form; of a game tree the main line.

    SGF that does not name one of our games is freestyle on a board of its size.

    Raises:
        InvalidRecord: if `text` is no collection of games.
        InvalidMove, IllegalMove: if a move cannot be read, or cannot be played.
    """
    start = text.lstrip()[:1]
    if not start:
        return []
    if start in "[{":
        return [_from_text(headers, words) for headers, words in parse_text(text)]
    return [_from_sgf(nodes) for nodes in parse_sgf(text)]


def read_records(path: Path) -> list[GameRecord]:
    """The games in the file at `path`.

    Raises:
        InvalidRecord, InvalidMove, IllegalMove: as `parse_records`; also if there is no such file.
    """
    try:
        return parse_records(path.read_text("utf-8-sig"))
    except OSError as error:
        raise InvalidRecord(f"cannot read '{path}': {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise InvalidRecord(f"'{path}' is no text in UTF-8") from error


def _fits_sgf(game: Game) -> bool:
    return registry.family_of(game).sgf is not None


def _as_sgf(record: GameRecord) -> str:
    root = {
        "FF": "4",
        "GM": str(registry.family_of(record.game).sgf),
        "CA": "UTF-8",
        "AP": f"fivebook:{__version__}",
        "SZ": str(record.game.width),
        "RU": record.game.id,
        "PB": record.dark,
        "PW": record.light,
        "RE": _sgf_result(record),
    }
    if record.opening:
        root["ON"] = f"{_GIVEN}{record.opening}"
    if record.ending:
        root["C"] = record.ending
    moves = [{_COLOURS[ply % 2]: point(record.game, move)} for ply, move in enumerate(record.moves)]
    return format_sgf([root, *moves])


def _from_sgf(nodes: Sequence[Node]) -> GameRecord:
    root = nodes[0]
    game = game_of(root)
    outcome, ending = _parse_sgf_result(root.get("RE", ""))
    if root.get("AP", "").startswith("fivebook:"):
        ending = root.get("C", "")
    opening = root.get("ON", "")
    return _checked(
        GameRecord(
            game,
            dark=root.get("PB", ""),
            light=root.get("PW", ""),
            moves=tuple(_sgf_moves(game, nodes)),
            outcome=outcome,
            ending=ending,
            opening=_count(opening.removeprefix(_GIVEN)) if opening.startswith(_GIVEN) else 0,
        )
    )


def _sgf_moves(game: Game, nodes: Sequence[Node]) -> Iterator[Move]:
    ply = 0
    for node in nodes:
        if not node.keys().isdisjoint({"AB", "AW", "AE"}):
            raise InvalidRecord("stones are set up (AB, AW or AE), and all have to be played")
        for colour in filter(node.__contains__, _COLOURS):
            if colour != _COLOURS[ply % 2]:
                raise InvalidRecord(
                    f"move {ply + 1} is {colour}[{node[colour]}], and dark (B) and light (W) "
                    "play by turns, dark first"
                )
            yield parse_point(game, node[colour].strip())
            ply += 1


def _sgf_result(record: GameRecord) -> str:
    if record.outcome is None:
        return "?"
    if record.outcome is Outcome.DRAW:
        return "Draw"
    winner = next(colour for colour in _COLOURS if _WINNERS[colour] is record.outcome)
    if "resigned" in record.ending:
        return f"{winner}+Resign"
    if "overstepped" in record.ending:
        return f"{winner}+Time"
    return f"{winner}+Forfeit" if record.ending else f"{winner}+"


def _parse_sgf_result(text: str) -> tuple[Outcome | None, str]:
    """The outcome, and the ending it tells of."""
    match = re.match(r"\s*([BW])\+([RTF])", text)
    ending = f"{_LOSERS[match[1]]} {_REASONS[match[2]]}" if match else ""
    return outcome_of(text), ending


def _as_text(record: GameRecord) -> str:
    headers = {
        "Game": record.game.id,
        "Dark": record.dark,
        "Light": record.light,
        "Result": _UNFINISHED if record.outcome is None else record.outcome.value,
    }
    if record.ending:
        headers["Ending"] = record.ending
    if record.opening:
        headers["Opening"] = str(record.opening)
    return format_text(headers, [record.game.format_move(move) for move in record.moves])


def _from_text(headers: Headers, words: Sequence[str]) -> GameRecord:
    game = registry.get(headers["Game"])
    return _checked(
        GameRecord(
            game,
            dark=headers.get("Dark", ""),
            light=headers.get("Light", ""),
            moves=tuple(map(game.parse_move, words)),
            outcome=_parse_result(headers.get("Result", _UNFINISHED)),
            ending=headers.get("Ending", ""),
            opening=_count(headers.get("Opening", "0")),
        )
    )


def _parse_result(text: str) -> Outcome | None:
    if text == _UNFINISHED:
        return None
    try:
        return Outcome(text)
    except ValueError as error:
        known = ", ".join(f"'{outcome.value}'" for outcome in Outcome)
        raise InvalidRecord(f"'{text}' is no result: there are {known}, '*'") from error


def _count(text: str) -> int:
    if not re.fullmatch("[0-9]{1,3}", text):
        raise InvalidRecord(f"'{text}' is no number of opening moves")
    return int(text)


def _checked(record: GameRecord) -> GameRecord:
    """`record`, where its parts agree; with the outcome on the board if it names none."""
    outcome = record.game.outcome(record.game.play_line(record.moves))
    if record.opening > len(record.moves):
        raise InvalidRecord(
            f"the opening has {record.opening} moves, the whole game {len(record.moves)}"
        )
    if record.outcome is None:
        return replace(record, outcome=outcome)
    if outcome not in (None, record.outcome) and not record.ending:
        raise InvalidRecord(
            f"the result is '{record.outcome.value}', on the board '{outcome.value}'"
        )
    return record

"""SGF (FF[4]): collections of games and of whole trees, for every game.

A game with a number in SGF has it in GM, and points for moves; others have none, and their moves in
notation. RU is our id of the game, V a value from dark's view, N a label, C a comment. What SGF has
no property for stands in FB (`book.files.remarks`).
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import BinaryIO

from book.errors import InvalidRecord
from book.files.contents import Item, Node, Noted, Played, Request
from book.files.format import Format, Writing
from book.files.games import played
from book.files.remarks import after_words, words_of
from book.files.source import Source
from book.files.syntax import (
    Properties,
    Variation,
    escape,
    escape_lines,
    parse_trees,
    unescape,
    unescape_lines,
)
from engine import __version__, registry
from engine.errors import InvalidMove, UnknownGame
from engine.game import Game, Outcome
from engine.position import Cell, Move, Position, board_of, cells_of
from engine.values import HEURISTIC_MAX, Value

_COLOURS = "BW"
_SETUP = ("AB", "AW", "AE")
_OF_A_GAME = ("PB", "PW", "RE")
_WINNERS = {"B": Outcome.DARK_WINS, "W": Outcome.LIGHT_WINS}
_REMARK = "FB"
_UNITS = 100
_DEEPEST = 5_000


def point(game: Game, cell: Cell) -> str:
    """SGF's name of a cell: its column, then its row from the top, both from 'a'."""
    row, column = divmod(cell, game.width)
    return chr(ord("a") + column) + chr(ord("a") + game.height - 1 - row)


def parse_point(game: Game, text: str) -> Cell:
    """The cell that SGF calls `text`.

    Raises:
        InvalidRecord: if it is no point of the board.
    """
    if re.fullmatch("[a-z]{2}", text):
        column, row = (ord(letter) - ord("a") for letter in text)
        if column < game.width and row < game.height:
            return (game.height - 1 - row) * game.width + column
    last = point(game, game.width - 1)
    raise InvalidRecord(f"'{text}' is no point of {game.id}: in SGF they run from aa to {last}")


def game_of(root: Mapping[str, str]) -> Game:
    """The game of a tree, by the properties of its root.

    SGF that does not name one of our games is the usual game on a board of its size.

    Raises:
        InvalidRecord: if it is of another game, or of a board that there is not.
    """
    kind, size = (root.get(name, "").strip() for name in ("GM", "SZ"))
    known = {str(family.sgf): family for family in registry.families() if family.sgf is not None}
    named = _named(root.get("RU", ""))
    if not kind and named is not None and registry.family_of(named).sgf is None:
        return named
    if kind not in known:
        names = " or ".join(f"{each.name.title()}, which is GM[{n}]" for n, each in known.items())
        raise InvalidRecord(f"GM[{kind}] is not {names} in SGF")
    game = named or registry.get(known[kind].sized(size))
    if size != str(game.width):
        raise InvalidRecord(f"SZ[{size}] is not the board of {game.id}")
    return game


def _named(game_id: str) -> Game | None:
    try:
        return registry.get(game_id)
    except UnknownGame:
        return None


def outcome_of(result: str) -> Outcome | None:
    """The outcome that RE tells of, None for an unknown one."""
    if result.strip() in ("0", "Draw"):
        return Outcome.DRAW
    match = re.match(r"\s*([BW])\+", result)
    return _WINNERS[match[1]] if match else None


def read(file: BinaryIO, request: Request) -> Iterator[Item]:
    """The games and the positions of a collection.

    A tree of a single line is a game as it was played. So is the main line of one with variations
    if its root names players or a result; what has a comment, a label or a value is a position
    besides, and with variations every node is.

    Raises:
        InvalidRecord: if there is no game tree, or one cannot be read.
    """
    text = request.whole_text(Source(file, request.most_text).rest())
    number = depth = 0
    tree: _Tree | None = None
    for part in parse_trees(text):
        if part is Variation.BEGINS:
            number += depth == 0
            tree = _Tree(request, f"tree {number:,}") if depth == 0 else tree
            depth += 1
        elif part is Variation.ENDS:
            depth -= 1
        if depth > _DEEPEST:
            raise InvalidRecord(f"tree {number:,} has more than {_DEEPEST:,} variations in another")
        if tree is not None:
            yield from tree.items(part)


@dataclass(slots=True)
class _Tree:
    """One tree, as far as it has been read.

    `at` is the position of the last node, None below what was left out; `waiting` are those at
    which variations began. The `plain` nodes of a main line are kept back until it shows whether
    there are variations.
    """

    request: Request
    place: str
    game: Game | None = None
    at: Position | None = None
    nodes: int = 0
    waiting: list[Position | None] = field(default_factory=list)
    main_line: list[Move] = field(default_factory=list)
    is_main: bool = True
    is_set_up: bool = False
    is_tree: bool = False
    is_game: bool = False
    is_remarked: bool = False
    outcome: Outcome | None = None
    plain: list[Noted] = field(default_factory=list)

    def items(self, part: Properties | Variation) -> Iterator[Item]:
        """What follows from the next part of the tree."""
        if part is Variation.BEGINS:
            self.waiting.append(self.at)
            if not self.is_main:
                yield from self._branched()
        elif part is Variation.ENDS:
            self.at = self.waiting.pop()
            self.is_main = False
            if not self.waiting:
                yield from self._ended()
        else:
            self.nodes += 1
            if self.nodes == 1:
                self._begin({name: unescape(values[0]) for name, values in part.items()})
            if self.at is not None:
                yield from self._node(part)

    def _begin(self, root: Mapping[str, str]) -> None:
        try:
            game = game_of(root)
        except (InvalidRecord, UnknownGame) as error:
            self.request.left_out.add(f"a tree: {error}", self.place)
            return
        if self.request.wants(game, self.place):
            self.game, self.at = game, game.initial
            self.is_game = any(root.get(name) for name in _OF_A_GAME)
            self.is_remarked = _REMARK in root
            self.outcome = outcome_of(root.get("RE", ""))

    def _node(self, node: Properties) -> Iterator[Noted]:
        assert self.game is not None
        assert self.at is not None
        try:
            self.at = self._after(self.game, self.at, node)
        except InvalidRecord as error:
            self.request.left_out.add(f"a node with all below it: {error}", self.place)
            self.at = None
            return
        noted = _noted(self.game, self.at, node, self.request)
        if noted is None:
            return
        if self.is_tree or noted != Noted(self.game, self.at):
            yield noted
        elif self.nodes > 1 or self.is_remarked:
            self.plain.append(noted)

    def _after(self, game: Game, position: Position, node: Properties) -> Position:
        """The position after the stones and the moves of a node."""
        if not node.keys().isdisjoint({*_SETUP, "PL"}):
            self.is_set_up = self.is_set_up or any(name in node for name in _SETUP)
            position = _set_up(game, position, node)
        for colour in filter(node.__contains__, _COLOURS):
            move = _move(game, position, colour, unescape(node[colour][0]).strip())
            position = game.play(position, move)
            if self.is_main:
                self.main_line.append(move)
        return position

    def _branched(self) -> Iterator[Noted]:
        """What was kept back, once it is known that this is a tree."""
        self.is_tree = True
        yield from self.plain
        self.plain.clear()

    def _ended(self) -> Iterator[Item]:
        if self.game is None:
            return
        if self.is_remarked or self.is_set_up:
            yield from self._branched()
        elif self.main_line and (self.is_game or not self.is_tree):
            try:
                yield Played(self.game, *played(self.game, self.main_line, self.outcome))
            except InvalidRecord as error:
                self.request.left_out.add(f"a game: {error}", self.place)


def _set_up(game: Game, position: Position, node: Properties) -> Position:
    dark, light = set(cells_of(position.dark)), set(cells_of(position.light))
    stones = {name: set(_cells(game, node.get(name, ()))) for name in _SETUP}
    dark = dark - stones["AW"] - stones["AE"] | stones["AB"]
    light = light - stones["AB"] - stones["AE"] | stones["AW"]
    if len(dark) - len(light) not in (0, 1):
        raise InvalidRecord(
            f"{len(dark)} dark and {len(light)} light stones are set up, and they are to be equal "
            "or one more of dark"
        )
    found = Position(board_of(dark), board_of(light))
    wanted = unescape(node["PL"][0]).strip().upper()[:1] if "PL" in node else ""
    if wanted and wanted in _COLOURS and wanted != _COLOURS[found.ply % 2]:
        raise InvalidRecord(f"PL[{wanted}] has the side to move that the stones have not")
    return found


def _cells(game: Game, values: Sequence[str]) -> Iterator[Cell]:
    """The cells of a list of points, in which `aa:cc` is a rectangle."""
    for value in values:
        first, _, last = unescape(value).strip().partition(":")
        corners = [divmod(parse_point(game, text), game.width) for text in (first, last or first)]
        rows, columns = (sorted(numbers) for numbers in zip(*corners, strict=True))
        for row, column in product(range(rows[0], rows[1] + 1), range(columns[0], columns[1] + 1)):
            yield row * game.width + column


def _move(game: Game, position: Position, colour: str, text: str) -> Move:
    if colour != _COLOURS[position.ply % 2]:
        raise InvalidRecord(f"{colour}[{text}] is out of turn")
    if not text:
        raise InvalidRecord(f"{colour}[] is a pass")
    if _has_points(game):
        move = parse_point(game, text)
    else:
        try:
            move = game.parse_move(text, position)
        except InvalidMove as error:
            raise InvalidRecord(str(error)) from error
    if (position.dark | position.light) >> game.cell_of(move) & 1:
        raise InvalidRecord(f"{colour}[{text}] is on a point that is taken")
    return move


def _has_points(game: Game) -> bool:
    return registry.family_of(game).sgf is not None


def _noted(game: Game, position: Position, node: Properties, request: Request) -> Noted | None:
    comment = request.kept(unescape_lines(node["C"][0])) if "C" in node else ""
    label = unescape(node["N"][0]) if "N" in node else ""
    value = _value(position, node["V"][0], request) if "V" in node else None
    noted = Noted(game, position, value=value, label=label, comment=comment)
    return after_words(noted, unescape(node[_REMARK][0])) if _REMARK in node else noted


def _value(position: Position, text: str, request: Request) -> Value | None:
    if not re.fullmatch(r"\s*[-+]?[0-9]{1,6}(\.[0-9]{0,6})?\s*", text):
        request.left_out.add("a value V that is no number", text[:20])
        return None
    value = max(-HEURISTIC_MAX, min(HEURISTIC_MAX, round(_UNITS * float(text))))
    return value if position.dark_to_move else -value


def write(writing: Writing, file: BinaryIO) -> None:
    """Write a book as a collection: a tree for each position that no other leads to."""
    width = _Variations()
    for node in writing.nodes():
        properties = _properties(writing.game, node)
        texts = (f"{name}[{value}]" for name, value in properties.items())
        file.write(f"{width.before(node)};{''.join(texts)}".encode())
    file.write(f"{width.end()}\n".encode())


class _Variations:
    """Where parentheses stand between nodes."""

    def __init__(self) -> None:
        # Of the nodes above the next one: whether they begin a variation.
        self._begun: list[bool] = []

    def before(self, node: Node) -> str:
        """What stands before `node`."""
        has_elder = len(self._begun) > node.level
        closing = self._close(node.level)
        begins = node.level == 0 or has_elder or node.has_sibling
        self._begun.append(begins)
        if not begins:
            return ""
        return f"{closing}\n(" if closing or node.level else "("

    def end(self) -> str:
        """What stands after the last node."""
        return self._close(0)

    def _close(self, level: int) -> str:
        closed = ")" * sum(self._begun[level:])
        del self._begun[level:]
        return closed


def _properties(game: Game, node: Node) -> dict[str, str]:
    """The properties of a node, ready to be written."""
    properties: dict[str, str] = {}
    if node.move is None:
        properties |= _root(game, node.position)
    else:
        # A move was made by who is not to move now.
        colour = _COLOURS[1 - node.position.ply % 2]
        properties[colour] = (
            point(game, node.move) if _has_points(game) else escape(game.format_move(node.move))
        )
    noted = node.noted
    words = words_of(noted)
    if words or node.move is None:
        properties[_REMARK] = words
    if noted is not None and noted.value is not None:
        value = noted.value if node.position.dark_to_move else -noted.value
        properties["V"] = f"{value / _UNITS:.2f}"
    if noted is not None and noted.label:
        properties["N"] = escape(noted.label)
    if noted is not None and noted.comment:
        properties["C"] = escape_lines(noted.comment)
    return properties


def _root(game: Game, position: Position) -> dict[str, str]:
    family = registry.family_of(game)
    root = {"FF": "4", **({"GM": str(family.sgf)} if family.sgf is not None else {})}
    root |= {"CA": "UTF-8", "AP": f"fivebook:{__version__}", "SZ": _size(game), "RU": game.id}
    stones = {"AB": position.dark, "AW": position.light}
    for name, board in stones.items():
        if board:
            root[name] = "][".join(point(game, cell) for cell in cells_of(board))
    return root


def _size(game: Game) -> str:
    return str(game.width) if game.width == game.height else f"{game.width}:{game.height}"


FORMATS = (
    Format(
        name="sgf",
        title="collection of games or trees",
        endings=(".sgf",),
        is_one=lambda start: re.match(rb"(\xef\xbb\xbf)?\s*\(\s*;", start) is not None,
        read=read,
        write=write,
    ),
)

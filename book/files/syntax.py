"""The two texts of game records as text: what stands in them, not what it means.

SGF is read as FF[4] has it (red-bean.com/sgf): whole trees, or of each the main line alone, which
is every first variation. Move text looks like PGN: headers in brackets, an empty line, moves.
"""

import re
import textwrap
from collections.abc import Generator, Iterator, Mapping, Sequence
from enum import Enum

from book.errors import InvalidRecord

Node = Mapping[str, str]
Properties = Mapping[str, Sequence[str]]
"""The values of a node's properties by their names, as they stand in the file."""
Headers = Mapping[str, str]

_NODES_A_LINE = 12
_COLUMNS = 80

_TREE = re.compile(r"\(\s*;")
_VALUE = r"\[((?:\\.|[^\\\]])*+)\]"
_TREE_TOKEN = re.compile(
    rf"\s*(?:(?P<mark>[();])|(?P<name>[A-Za-z]+)(?P<values>(?:\s*{_VALUE})+))", re.DOTALL
)
_EACH_VALUE = re.compile(_VALUE, re.DOTALL)
_TEXT_TOKEN = re.compile(
    r'\s*(?:\[(?P<name>\w+)\s+"(?P<value>(?:\\.|[^\\"])*)"\s*\]|(?P<comment>\{[^}]*\})|(?P<word>[^\s\[{]+))',
    re.DOTALL,
)


class Variation(Enum):
    """Where a variation of a tree begins and ends."""

    BEGINS = "("
    ENDS = ")"


def format_sgf(nodes: Sequence[Node]) -> str:
    """A game tree of one line. Line breaks in values become spaces."""
    texts = [
        ";" + "".join(f"{name}[{escape(value)}]" for name, value in node.items()) for node in nodes
    ]
    lines = [f"({texts[0]}"]
    for start in range(1, len(texts), _NODES_A_LINE):
        lines.append("".join(texts[start : start + _NODES_A_LINE]))
    return "\n".join(lines) + ")\n"


def parse_sgf(text: str) -> list[list[Node]]:
    """The nodes of each game tree's main line; what is between the trees is passed over.

    Of a property with several values a node has the first.

    Raises:
        InvalidRecord: if there is no game tree, or one cannot be read.
    """
    lines: list[list[Node]] = []
    depth, in_main_line = 0, True
    for part in parse_trees(text):
        if part is Variation.BEGINS:
            if depth == 0:
                lines.append([])
                in_main_line = True
            depth += 1
        elif part is Variation.ENDS:
            depth -= 1
            in_main_line = False
        elif in_main_line:
            values = {name: unescape(values[0]) for name, values in part.items()}
            lines[-1].append(values)
    return lines


def parse_trees(text: str) -> Iterator[Properties | Variation]:
    """The nodes of all game trees, and where each tree and each variation begins and ends.

    What is between the trees is passed over.

    Raises:
        InvalidRecord: if there is no game tree, or one cannot be read.
    """
    start = _TREE.search(text)
    if start is None:
        raise InvalidRecord("no game record: SGF starts with '(;', move text with '[Game'")
    while start is not None:
        end = yield from _tree(text, start.start())
        start = _TREE.search(text, end)


def format_text(headers: Headers, words: Sequence[str]) -> str:
    """A block of move text. Line breaks in headers become spaces."""
    lines = [f'[{name} "{escape(value)}"]' for name, value in headers.items()]
    return "\n".join([*lines, "", textwrap.fill(" ".join(words), _COLUMNS), "", ""])


def parse_text(text: str) -> list[tuple[Headers, Sequence[str]]]:
    """The headers and the moves of each block; each starts with its header Game.

    Raises:
        InvalidRecord: if it cannot be read.
    """
    blocks: list[tuple[dict[str, str], list[str]]] = []
    at = 0
    while token := _TEXT_TOKEN.match(text, at):
        at = token.end()
        if token["comment"]:
            continue
        if token["name"] == "Game":
            blocks.append(({}, []))
        elif not blocks:
            raise InvalidRecord("a game record in move text starts with '[Game \"...\"]'")
        headers, words = blocks[-1]
        if token["name"]:
            headers[token["name"]] = unescape(token["value"])
        else:
            words.append(token["word"])
    if text[at:].strip():
        raise InvalidRecord(f"no move text {_near(text, at)}")
    return list(blocks)


def _tree(text: str, at: int) -> Generator[Properties | Variation, None, int]:
    """The parts of the game tree at `at`; returns where it ends."""
    depth = 0
    node: dict[str, list[str]] | None = None
    while token := _TREE_TOKEN.match(text, at):
        at = token.end()
        if token["mark"] is None:
            if node is not None:
                # Before FF[4] names could have small letters, which meant nothing.
                name = re.sub("[a-z]", "", token["name"])
                node.setdefault(name, []).extend(_EACH_VALUE.findall(token["values"]))
            continue
        if node is not None:
            yield node
            node = None
        if token["mark"] == ";":
            node = {}
            continue
        variation = Variation(token["mark"])
        yield variation
        depth += 1 if variation is Variation.BEGINS else -1
        if depth == 0:
            return at
    if text[at:].strip():
        raise InvalidRecord(f"no SGF {_near(text, at)}")
    raise InvalidRecord("the game record breaks off: its last ')' is missing")


def _near(text: str, at: int) -> str:
    at = len(text) - len(text[at:].lstrip())
    return f"in line {text.count(chr(10), 0, at) + 1} from '{_on_one_line(text[at : at + 20])}'"


def _on_one_line(text: str) -> str:
    return re.sub(r"[\t\n\v\f\r]", " ", text)


def escape(text: str) -> str:
    """`text` on one line, as a value of a property or a header."""
    return escape_lines(_on_one_line(text))


def escape_lines(text: str) -> str:
    """`text` with its line breaks, as a value of a property."""
    return re.sub(r'[\\\]"]', r"\\\g<0>", text)


def unescape(text: str) -> str:
    """What a value says, on one line."""
    return _on_one_line(unescape_lines(text))


def unescape_lines(text: str) -> str:
    """What a value says, with its line breaks."""
    # A line break behind a backslash is only for the eye.
    return re.sub(r"\\(\r\n|\n\r|.)", lambda m: m[1].strip("\r\n"), text, flags=re.DOTALL)
